/** The documents that a body names, as they were looked up: which of them a relation may be linked to. */
import { validationError } from '../errors.js';
import { isOwn } from '../access/decide.js';
import type { Reference } from './relation-input.js';
import type { LinkRight } from './rights.js';
import type { LinkResolver } from './plan-list.js';
import type { GivenRelation } from './given.js';
import { keyOf } from './target-key.js';
import type { ContentType } from '../schema/model.js';
import { typeUid } from '../schema/naming.js';

/**
 * A row of a document: its id and document id; and, where it was asked, whether the document has a published
 * version, whether it is the user's own, whether the row itself is a published one, whether it has no draft
 * in this locale, and a file's media type.
 */
export type FoundRow = readonly [
  id: number,
  documentId: string,
  published?: boolean,
  own?: boolean,
  live?: boolean,
  draftless?: boolean,
  mime?: string,
];

interface Found {
  readonly documentId: string;
  readonly published: boolean;
  readonly own: boolean;
  readonly mime: string | undefined;
}

/** What was found of one type. */
export class FoundTargets {
  private readonly byRow = new Map<number, Found>();
  private readonly byDocument = new Map<string, Found>();

  constructor(
    private readonly type: ContentType,
    rows: readonly FoundRow[],
    private readonly locale: string,
  ) {
    for (const [id, documentId, published = true, own = true, live = true, , mime] of rows) {
      const found = { documentId, published, own, mime };
      // The id of a draft's row is as hidden as the draft, though its document is published.
      this.byRow.set(id, { ...found, published: live });
      this.byDocument.set(documentId, found);
    }
  }

  /** The documents of others among those that were looked up. */
  get others(): readonly string[] {
    return [...this.byDocument.values()].filter(({ own }) => !own).map(({ documentId }) => documentId);
  }

  /** What a reference means; undefined where there is nothing, or nothing that may be linked. */
  find(reference: Reference, { scope, isLinked }: Among): string | undefined {
    const byId = 'id' in reference;
    const found = byId ? this.byRow.get(reference.id) : this.byDocument.get(reference.documentId);
    if (found === undefined) return undefined;
    if (byId && scope.rows !== 'all')
      return scope.rows === 'linked' && isLinked(found.documentId) ? found.documentId : undefined;
    const drafts = scope.drafts(this.type);
    const open =
      (found.published || drafts === 'all' || (isOwn(drafts) && found.own)) &&
      (found.own || scope.targets === 'all');
    return open || (!byId && isLinked(found.documentId)) ? found.documentId : undefined;
  }

  /** A document's media type, where it is a file. */
  mimeOf(documentId: string): string | undefined {
    return this.byDocument.get(documentId)?.mime;
  }

  /** Whether a document is somebody else's. */
  isOthers(documentId: string): boolean {
    return this.byDocument.get(documentId)?.own === false;
  }

  /** The 400 that names references which lead to nothing; undefined where there are none. */
  missing(references: readonly Reference[]): Error | undefined {
    const { type, locale } = this;
    const named = references.find((reference) => 'documentId' in reference);
    if (named !== undefined && 'documentId' in named)
      return validationError(
        `Document with id "${named.documentId}", locale "${type.localized ? locale : 'null'}" not found`,
      );
    if (references.length === 0) return undefined;
    return validationError(
      `${references.length} relation(s) of type ${typeUid(type)} associated with this entity do not exist`,
    );
  }
}

/** Which documents count for a relation: those that the caller may link, and those that are linked. */
interface Among {
  readonly scope: LinkRight;
  readonly isLinked: (documentId: string) => boolean;
}

/**
 * References of a relation as its lists name them. One to a document that the caller may not see is answered
 * like one to none at all, whichever way it is named: row ids can be counted through.
 *
 * What the version being written is linked to already can be sent back and removed all the same (protocol
 * 1.25), but by its document id alone: nobody comes by that without having seen the document, so this tells a
 * stranger nothing, and to who has seen it only that a link is still there in a list that they may write.
 */
export function resolverOf(
  { attribute, scope }: GivenRelation,
  linked: readonly string[],
  foundOf: (type: ContentType) => FoundTargets,
): LinkResolver {
  const already = new Set(linked);
  const find = (reference: Reference): string | undefined => {
    const { type } = reference;
    const isLinked = (documentId: string): boolean => already.has(keyOf(attribute, type, documentId));
    const documentId = foundOf(type).find(reference, { scope, isLinked });
    return documentId === undefined ? undefined : keyOf(attribute, type, documentId);
  };
  return {
    find,
    require: (references) => {
      const missing = references.filter((reference) => find(reference) === undefined);
      const [first] = missing;
      const error = first && foundOf(first.type).missing(missing.filter(({ type }) => type === first.type));
      if (error !== undefined) throw error;
      return references.map((reference) => find(reference) as string);
    },
    mime: (key) =>
      attribute.targets.map((type) => foundOf(type).mimeOf(key)).find((mime) => mime !== undefined),
    isOthers: (key) =>
      scope.targets !== 'all' && attribute.targets.some((type) => foundOf(type).isOthers(key)),
  };
}
