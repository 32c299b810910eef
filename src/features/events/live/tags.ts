/** Opaque tags: names of what responses depend on, and of what events make stale. */
import { createHmac } from 'node:crypto';
import type { Subject } from '../../../cache/change-log.js';
import type { Permissions } from '../../../content/access/permissions.js';
import type { ContentType, Schema } from '../../../content/model/model.js';
import type { LoggedEvent } from '../logged-event.js';

/** Tags of one response. A response with more dependencies has the tag of all changes. */
const MAX_TAGS = 32;
/** Bytes of a tag, 16 characters. */
const TAG_BYTES = 12;

/** Name that goes stale with every change. */
const ANY = '';

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
 * Returns the targets that a write may have taken from other documents. Their responses show it, and depend
 * on the type of the target.
 */
const takenBy = ({ action, attributes }: LoggedEvent, { storage }: ContentType): readonly ContentType[] =>
  storage.relations
    .filter(({ name, exclusive }) => exclusive && (action === 'publish' || attributes.includes(name)))
    .flatMap(({ targets }) => targets);

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
    if (all.length > MAX_TAGS) return [this.ofType(ANY)];
    const tags = types.map((name) => this.ofType(name));
    return document === null
      ? tags
      : [...tags, this.ofDocument({ type: document.type, documentId: document.id })];
  }

  /** Returns the tags that events make stale, without duplicates; none if the public sees no change. */
  staleBy(events: readonly LoggedEvent[], permissions: Permissions): readonly string[] {
    const tags = new Set(events.flatMap((event) => this.staleByOne(event, permissions)));
    if (tags.size > 0) tags.add(this.ofType(ANY));
    return [...tags];
  }

  private staleByOne(event: LoggedEvent, permissions: Permissions): readonly string[] {
    const type = this.typeOf(event.type);
    if (type === undefined || !isPublic(event, type) || !this.isReported(event.type, permissions)) return [];
    const taken = takenBy(event, type)
      .map(({ singularApiId }) => singularApiId)
      .filter((name) => this.isReported(name, permissions));
    return [...[event.type, ...taken].map((name) => this.ofType(name)), this.ofDocument(event)];
  }

  private typeOf(name: string): ContentType | undefined {
    const { types, file } = this.schema;
    return types.get(name) ?? (name === file.singularApiId ? file : undefined);
  }

  private isReported(name: string, permissions: Permissions): boolean {
    return this.typeOf(name)?.events === true && permissions.allows(name, 'find');
  }

  private ofType(name: string): string {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const tag = this.digest(name);
    this.known.set(name, tag);
    return tag;
  }

  private ofDocument({ type, documentId }: Pick<LoggedEvent, 'type' | 'documentId'>): string {
    return this.digest(`${type} ${documentId}`);
  }

  private digest(text: string): string {
    return createHmac('sha256', this.key).update(text).digest().subarray(0, TAG_BYTES).toString('base64url');
  }
}
