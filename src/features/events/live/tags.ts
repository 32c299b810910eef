/** Opaque tags: names of what responses depend on, and of what events make stale. */
import { createHmac } from 'node:crypto';
import type { Subject } from '../../../cache/change-log.js';
import type { Permissions } from '../../../content/access/permissions.js';
import type { ContentType, LinkedAttribute, Schema } from '../../../content/model/model.js';
import type { LoggedEvent } from '../logged-event.js';

/** Tags of one response. A response with more dependencies has the tag of all changes. */
const MAX_TAGS = 32;
/** Bytes of a tag, 16 characters. */
const TAG_BYTES = 12;

/** Name that goes stale with every change. */
const ANY = '';
/** Name in place of a document id, which cannot contain a space. */
const LINKS = 'of links';

/**
 * Whether responses of published content can have changed. Links that a draft assigns to documents of a type
 * without drafts are published at once.
 */
const isPublic = ({ published, attributes }: LoggedEvent, { storage }: ContentType): boolean =>
  published ||
  storage.relations.some(
    ({ name, join, targets }) =>
      join.side === 'inverse' &&
      attributes.includes(name) &&
      targets.some(({ draftAndPublish }) => !draftAndPublish),
  );

/**
 * Returns the types of other documents whose links a write may have changed. They own the links of an inverse
 * side, or have lost a target. Responses that show a taken target depend on its type.
 */
const linkedBy = ({ action, attributes }: LoggedEvent, type: ContentType): readonly ContentType[] =>
  type.storage.relations
    .filter(({ name }) => action === 'publish' || attributes.includes(name))
    .flatMap(({ exclusive, join, targets }) => [
      ...(exclusive || join.side === 'inverse' ? targets : []),
      ...(exclusive && join.side !== 'inverse' ? [type] : []),
    ]);

/** Relations whose links belong to the documents of a type. Writes of other documents can change them. */
const ownLinksOf = ({ storage }: ContentType): readonly LinkedAttribute[] =>
  storage.relations.filter(({ join }) => join.side !== 'inverse');

/**
 * Makes tags of dependencies. Only dependencies whose changes are reported have tags: types of the event log
 * that the public may find.
 */
export class Tags {
  private readonly known = new Map<string, string>();

  constructor(
    private readonly schema: Schema,
    private readonly key: Buffer,
  ) {}

  /** Returns the tags of a response; null if a change that it depends on is not reported. */
  of({ types, document }: Subject, permissions: Permissions): readonly string[] | null {
    const all = document === null ? types : [...types, document.type];
    if (all.length === 0 || !all.every((name) => this.isReported(name, permissions))) return null;
    if (all.length >= MAX_TAGS) return [this.ofName(ANY)];
    const tags = types.map((name) => this.ofName(name));
    if (document === null) return tags;
    const { type, id: documentId } = document;
    return [...tags, this.ofDocument({ type, documentId }), ...this.ofLinks(type)];
  }

  /** Returns the tags that events make stale, without duplicates; none if the public sees no change. */
  staleBy(events: readonly LoggedEvent[], permissions: Permissions): readonly string[] {
    const tags = new Set(events.flatMap((event) => this.staleByOne(event, permissions)));
    if (tags.size > 0) tags.add(this.ofName(ANY));
    return [...tags];
  }

  private staleByOne(event: LoggedEvent, permissions: Permissions): readonly string[] {
    const type = this.typeOf(event.type);
    if (type === undefined || !isPublic(event, type)) return [];
    const others = [...linkedBy(event, type), ...this.holdersOf(event, type)]
      .map(({ singularApiId }) => singularApiId)
      .filter((name) => this.isReported(name, permissions));
    const isReported = this.isReported(event.type, permissions);
    const own = isReported ? [this.ofName(event.type), this.ofDocument(event)] : [];
    return [...own, ...others.flatMap((name) => [this.ofName(name), ...this.ofLinks(name)])];
  }

  /** Returns the types whose documents may have lost a link to a deleted document. */
  private holdersOf({ action }: LoggedEvent, type: ContentType): readonly ContentType[] {
    if (action !== 'delete') return [];
    const isHolder = (one: ContentType): boolean =>
      ownLinksOf(one).some(({ targets }) => targets.includes(type));
    return [...this.schema.types.values()].filter(isHolder);
  }

  private typeOf(name: string): ContentType | undefined {
    const { types, file } = this.schema;
    return types.get(name) ?? (name === file.singularApiId ? file : undefined);
  }

  private isReported(name: string, permissions: Permissions): boolean {
    return this.typeOf(name)?.events === true && permissions.allows(name, 'find');
  }

  /** Returns the tag of a type or of its links, which is computed once. */
  private ofName(name: string): string {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const tag = this.digest(name);
    this.known.set(name, tag);
    return tag;
  }

  /** Returns the tag of links that other documents may change; none for a type without links. */
  private ofLinks(name: string): readonly string[] {
    const type = this.typeOf(name);
    return type !== undefined && ownLinksOf(type).length > 0 ? [this.ofName(`${name} ${LINKS}`)] : [];
  }

  private ofDocument({ type, documentId }: Pick<LoggedEvent, 'type' | 'documentId'>): string {
    return this.digest(`${type} ${documentId}`);
  }

  private digest(text: string): string {
    return createHmac('sha256', this.key).update(text).digest().subarray(0, TAG_BYTES).toString('base64url');
  }
}
