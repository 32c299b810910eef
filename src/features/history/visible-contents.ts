import { Inject, Injectable } from '@nestjs/common';
import { type Caller, SYSTEM } from '../../content/access/caller.js';
import { grantedOf } from '../../content/access/decide.js';
import { type Searcher, statesOf, VisibleDocuments } from '../../content/documents/visible-documents.js';
import { CREATOR } from '../../content/model/authors.js';
import type { Attribute, ContentType, LinkedAttribute } from '../../content/model/model.js';
import { typeUid } from '../../content/model/naming.js';
import { decideRelated, mayFind, oneOf, rightsOf } from '../../content/plan/rights.js';
import type { Viewer } from '../../content/plan/version-rights.js';
import { writeRightsOf } from '../../content/plan/write-rights.js';
import { isText } from '../../kernel/json.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import type { VersionsOf } from './compile-version-reads.js';
import { contentOf, leftOut, type Shape, type StoredLink } from './stored-content.js';
import { contentIn, type VersionRow } from './version-row.js';

export const keyOf = ({ type, documentId }: Pick<VersionsOf, 'type' | 'documentId'>): string =>
  `${typeUid(type)} ${documentId}`;

/** Form of a link in a body. */
export const referenceTo = ({ type, documentId, named }: StoredLink): unknown =>
  named ? { __type: typeUid(type), documentId } : documentId;

const isLinked = (attribute: Attribute): attribute is LinkedAttribute => 'targets' in attribute;

const seesAll = (caller: Caller, type: ContentType, published: boolean): boolean =>
  decideRelated(caller, type, published) === 'all';

/** Whether links show every file: files need no grant, and a condition of `find` limits them. */
const showsAnyFile = (caller: Caller, type: ContentType): boolean =>
  type.internal && grantedOf(decideRelated(caller, type, true)) === null;

/** Returns the stored attributes that the model no longer has, for callers who may read all attributes. */
export const leftOutFor = ({ caller, type }: Viewer, row: VersionRow): readonly string[] =>
  caller.permissions.fields(type.singularApiId, oneOf(type)) === null
    ? leftOut(contentIn(row) ?? {}, type)
    : [];

type BodyOf = (action: 'create' | 'update', withSelf: boolean) => Readonly<Record<string, unknown>>;

interface BodyOptions extends Pick<Shape, 'refuses' | 'identified'> {
  /** Whether the body is written to the published version. Default: the state of the stored version. */
  readonly published?: boolean;
}

/** Contents of stored versions, with the rights that a caller has now. */
@Injectable()
export class VisibleContents {
  constructor(
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(VisibleDocuments) private readonly documents: VisibleDocuments,
  ) {}

  /** Returns what the caller may see of a content. */
  of(
    row: VersionRow,
    { type, caller }: Viewer,
    shape: Omit<Shape, 'rights'>,
  ): Record<string, unknown> | null {
    const content = contentIn(row);
    if (content === null) return null;
    const fields = caller.permissions.fields(type.singularApiId, oneOf(type));
    const rights = rightsOf(caller, { fields, published: row.published }, this.settings.limits);
    return contentOf(content, type, { rights, ...shape });
  }

  /**
   * Returns what the caller may see of a version now. Shows a link to a document that was not found only if
   * the caller may find every document of that type. Such a document was deleted.
   */
  async shown(
    row: VersionRow,
    subject: Searcher,
    form: (link: StoredLink, found: ReadonlyMap<string, unknown>) => unknown,
  ): Promise<Record<string, unknown> | null> {
    const { caller } = subject;
    const found = await this.targetsOf(row, subject, caller);
    const isGone = (type: ContentType): boolean =>
      showsAnyFile(caller, type) || statesOf(type).every((state) => seesAll(caller, type, state));
    return this.of(row, subject, {
      link: (link) => (found.has(keyOf(link)) || isGone(link.type) ? form(link, found) : null),
    });
  }

  /** Returns the titles of linked documents that the caller finds now, and of files that `reader` finds. */
  private async targetsOf(
    row: VersionRow,
    subject: Searcher,
    reader: Caller = SYSTEM,
  ): Promise<ReadonlyMap<string, unknown>> {
    const links = new Map<ContentType, Set<string>>();
    this.of(row, subject, {
      link: ({ type, documentId }) => {
        links.set(type, (links.get(type) ?? new Set()).add(documentId));
        return null;
      },
    });
    const found = new Map<string, unknown>();
    for (const [type, ids] of links)
      for (const [documentId, title] of await this.found({ ...subject, type }, [...ids], reader))
        found.set(keyOf({ type, documentId }), title);
    return found;
  }

  /** Returns the titles of the documents that the caller finds now, as drafts if it reads drafts. */
  private async found(
    { type, caller, em }: Searcher,
    ids: readonly string[],
    files: Caller = SYSTEM,
  ): Promise<ReadonlyMap<string, unknown>> {
    const seen = type.internal ? files : caller;
    const reader = showsAnyFile(seen, type) ? SYSTEM : seen;
    const states = statesOf(type).filter((state) => mayFind(reader, type, state));
    const found = await this.documents.find({ type, caller: reader, em }, ids, states);
    return new Map([...found].map(([documentId, versions]) => [documentId, versions.at(-1)?.title ?? null]));
  }

  /** Returns the user who created a version, and who still exists; null for types without `authors`. */
  async creatorOf(row: VersionRow, { type, em }: Searcher): Promise<string | null> {
    const { [CREATOR]: creators } = contentIn(row) ?? {};
    const attribute = type.attributes.get(CREATOR);
    const [user] = attribute?.linked === true ? attribute.targets : [];
    const id: unknown = Array.isArray(creators) ? creators[0] : null;
    if (user === undefined || !isText(id)) return null;
    return (await this.found({ type: user, caller: SYSTEM, em }, [id])).has(id) ? id : null;
  }

  /**
   * Returns a function that returns the body of a version. A body lacks links to deleted documents, and
   * values that `refuses` names. It also lacks attributes and relations that no body may contain, or that
   * the caller may not write in the state `published`. `withSelf` is whether the document may link to itself.
   */
  async bodyOf(
    row: VersionRow,
    subject: Pick<VersionsOf, 'type' | 'documentId'> & Searcher,
    { refuses = () => false, identified = true, published = row.published }: BodyOptions = {},
  ): Promise<BodyOf> {
    const { type, caller } = subject;
    const found = await this.targetsOf(row, subject);
    const self = keyOf(subject);
    return (action, withSelf) => {
      const rights = writeRightsOf(caller, { type, action, published });
      const mayLink = (attribute: LinkedAttribute): boolean =>
        'types' in rights.links(attribute, rights.isShown(attribute));
      const exists = (key: string): boolean => (key === self ? withSelf : found.has(key));
      return (
        this.of(row, subject, {
          link: (link) => (exists(keyOf(link)) ? referenceTo(link) : null),
          identified,
          without: (attribute) => !rights.mayWrite(attribute),
          refuses: (attribute, value) =>
            !attribute.writable || (isLinked(attribute) && !mayLink(attribute)) || refuses(attribute, value),
        }) ?? {}
      );
    };
  }
}
