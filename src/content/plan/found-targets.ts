/** Referenced documents after their lookup, and the rule that decides which of them a relation may link. */
import { validationError } from '../../kernel/errors.js';
import { isOwn } from '../access/decide.js';
import type { Reference } from './relation-input.js';
import type { LinkRight } from './write-rights.js';
import type { LinkResolver } from './plan-list.js';
import { type GivenRelation, hiddenTypes, scopeOf } from './given.js';
import { documentIdsOf, isKeyOf, keyOf } from './target-key.js';
import type { ContentType } from '../model/model.js';
import { typeUid } from '../model/naming.js';

/**
 * Row of a referenced document. Optional items are set only if they were queried. The `published` document
 * has a published version, a `live` row is published, a `draftless` one has no draft in this locale.
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

interface FoundTarget {
  readonly documentId: string;
  readonly published: boolean;
  readonly own: boolean;
  readonly mime: string | undefined;
}

/** Lookup result for one type. */
export class FoundTargets {
  private readonly byRow = new Map<number, FoundTarget>();
  private readonly byDocument = new Map<string, FoundTarget>();

  constructor(
    private readonly type: ContentType,
    rows: readonly FoundRow[],
    private readonly locale: string,
  ) {
    for (const [id, documentId, published = true, own = true, live = true, , mime] of rows) {
      const found = { documentId, published, own, mime };
      // The row id of a draft is as hidden as the draft, even if its document is published.
      this.byRow.set(id, { ...found, published: live });
      this.byDocument.set(documentId, found);
    }
  }

  /** Documents that the caller may update, and others, which may keep their links only. */
  get mine(): readonly string[] {
    return [...this.byDocument.values()].filter(({ own }) => own).map(({ documentId }) => documentId);
  }

  get others(): readonly string[] {
    return [...this.byDocument.values()].filter(({ own }) => !own).map(({ documentId }) => documentId);
  }

  /** Resolves a reference; undefined if the document does not exist or may not be linked. */
  find(reference: Reference, { scope, isLinked }: Among): string | undefined {
    const byId = 'id' in reference;
    const found = byId ? this.byRow.get(reference.id) : this.byDocument.get(reference.documentId);
    if (found === undefined) return undefined;
    if (byId && scope.rows !== 'all') {
      const isSeen = scope.rows === 'linked' && found.published && isLinked(found.documentId);
      return isSeen ? found.documentId : undefined;
    }
    const drafts = scope.drafts(this.type);
    const open =
      (found.published || drafts === 'all' || (isOwn(drafts) && found.own)) &&
      (found.own || scope.targets === 'all');
    const isKept = !byId && scope.resends(this.type) && isLinked(found.documentId);
    return open || isKept ? found.documentId : undefined;
  }

  mimeOf(documentId: string): string | undefined {
    return this.byDocument.get(documentId)?.mime;
  }

  isOfOtherOwner(documentId: string): boolean {
    return this.byDocument.get(documentId)?.own === false;
  }

  isHidden(documentId: string): boolean {
    return this.byDocument.get(documentId)?.published === false;
  }

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

interface Among {
  readonly scope: LinkRight;
  readonly isLinked: (documentId: string) => boolean;
}

/**
 * Returns the resolver of a relation's references. A document that the caller may not see gives the same
 * error as a missing one, since row ids can be enumerated.
 * Documents that the written version already links can be sent again and removed (protocol 1.25), by document
 * id only. Document ids cannot be guessed. A caller who has one learns only that the link still exists.
 * Documents that a condition of `find` hides are missing, also if they are linked (18.18).
 */
export function resolverOf(
  given: GivenRelation,
  linked: readonly string[],
  foundOf: (type: ContentType) => FoundTargets,
): LinkResolver {
  const { attribute, scope } = given;
  const already = new Set(linked);
  const unnamed = hiddenTypes(given);
  const find = (reference: Reference): string | undefined => {
    const { type } = reference;
    const isLinked = (documentId: string): boolean => already.has(keyOf(attribute, type, documentId));
    const documentId = foundOf(type).find(reference, { scope: scopeOf(given, reference), isLinked });
    return documentId === undefined ? undefined : keyOf(attribute, type, documentId);
  };
  return {
    find,
    require: (references) => {
      const keys = references.flatMap((reference) => find(reference) ?? []);
      if (keys.length === references.length) return keys;
      const missing = references.filter((reference) => find(reference) === undefined);
      const [first] = missing;
      const error = first && foundOf(first.type).missing(missing.filter(({ type }) => type === first.type));
      throw error ?? new Error('A reference was not found');
    },
    mime: (key) =>
      attribute.targets.map((type) => foundOf(type).mimeOf(key)).find((mime) => mime !== undefined),
    isOthers: (key) =>
      scope.targets !== 'all' && attribute.targets.some((type) => foundOf(type).isOfOtherOwner(key)),
    isHidden: (key) => {
      const types = attribute.named
        ? attribute.targets.filter((type) => isKeyOf(type, key))
        : attribute.targets;
      const [documentId = key] = documentIdsOf(attribute, [key]);
      return types.some(
        (type) => unnamed.includes(type) || (!scope.resends(type) && foundOf(type).isHidden(documentId)),
      );
    },
  };
}
