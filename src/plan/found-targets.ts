/** The documents that a body names, as they were looked up: which of them a relation may be linked to. */
import { validationError } from '../errors.js';
import { isOwn } from '../access/decide.js';
import type { Reference } from './relation-input.js';
import type { LinkRight } from './rights.js';
import type { LinkResolver } from './plan-list.js';
import type { ContentType } from '../schema/model.js';

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

  /**
   * References of a relation as document ids. One to a document that the caller may not see is answered like
   * one to none at all, whichever way it is named: row ids can be counted through.
   *
   * What the version being written is linked to already can be sent back and removed all the same (protocol
   * 1.25), but by its document id alone: nobody comes by that without having seen the document, so this tells
   * a stranger nothing, and to who has seen it only that a link is still there in a list that they may write.
   */
  resolver(scope: LinkRight, linked: readonly string[]): LinkResolver {
    const already = new Set(linked);
    const open = (found: Found): boolean =>
      (found.published || scope.drafts === 'all' || (isOwn(scope.drafts) && found.own)) &&
      (found.own || scope.targets === 'all');
    const find = (reference: Reference): string | undefined => {
      const byId = 'id' in reference;
      const found = byId ? this.byRow.get(reference.id) : this.byDocument.get(reference.documentId);
      if (found === undefined) return undefined;
      return open(found) || (!byId && already.has(found.documentId)) ? found.documentId : undefined;
    };
    return {
      find,
      require: (references) => this.required(references, find),
      mime: (documentId) => this.byDocument.get(documentId)?.mime,
      isOthers: (documentId) => scope.targets !== 'all' && this.byDocument.get(documentId)?.own === false,
    };
  }

  private required(
    references: readonly Reference[],
    find: (reference: Reference) => string | undefined,
  ): readonly string[] {
    const { type, locale } = this;
    const missing = references.filter((reference) => find(reference) === undefined);
    const named = missing.find((reference) => 'documentId' in reference);
    if (named !== undefined && 'documentId' in named) {
      throw validationError(
        `Document with id "${named.documentId}", locale "${type.localized ? locale : 'null'}" not found`,
      );
    }
    if (missing.length > 0)
      throw validationError(
        `${missing.length} relation(s) of type ${type.internal ? 'plugin::upload.file' : `api::${type.uid}.${type.uid}`} associated with this entity do not exist`,
      );
    return references.map((reference) => find(reference) as string);
  }
}
