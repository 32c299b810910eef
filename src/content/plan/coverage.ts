/**
 * The rule for everything that follows from a whole row. A revision covers each attribute of a version, also
 * attributes that a caller cannot read, so comparing it answers guesses about them (protocol 16.3).
 *
 * 1. A query that tells of drafts needs `readDrafts`, whatever state it shows: {@link revealsDrafts}.
 * 2. A comparison of two versions covers only what the caller can read: {@link Coverage}.
 * 3. Stamps and times change with each write of a row and depend on no value.
 */
import type { Caller } from '../access/caller.js';
import type { FieldScope } from '../access/field-scope.js';
import { DRAFT_FILTERS, type PublicationFilter } from '../query/query.js';
import { byKind } from '../model/by-kind.js';
import type { Attribute, ContentType, EmbeddedAttribute, Model } from '../model/model.js';
import type { ContentLimits } from '../../kernel/settings.js';
import {
  answerFields,
  decideRelated,
  mayKnow,
  oneOf,
  type Rights,
  rightsOf,
  type RootScope,
} from './rights.js';

export interface Coverage {
  readonly covers: (model: Model, attribute: Attribute) => boolean;
  /** Paths of the omitted attributes. Coverages of a type with equal paths are equal. */
  readonly omitted: readonly string[];
}

/** Returns the coverage of a type at the root of a query or below it; null if all of the type is covered. */
export type CoverageOf = (type: ContentType, atRoot: boolean) => Coverage | null;

/** Returns true for a query that depends on drafts, which only callers with `readDrafts` may see (D17). */
export const revealsDrafts = ({
  published,
  publication,
  withState = false,
}: {
  readonly published: boolean;
  readonly publication: PublicationFilter | null;
  readonly withState?: boolean;
}): boolean => !published || withState || (publication !== null && DRAFT_FILTERS.includes(publication));

interface CoverageLevel {
  readonly model: Model;
  readonly covers: Coverage['covers'];
  readonly prefix: string;
  /** The model, and the models that contain it. A component may contain itself. */
  readonly above: readonly Model[];
}

const paths = (place: CoverageLevel): string[] =>
  [...place.model.attributes.values()].flatMap((attribute) => omittedAt(attribute, place));

const omittedAt = (attribute: Attribute, place: CoverageLevel): string[] => {
  const { model, covers, prefix } = place;
  return !attribute.system && !covers(model, attribute)
    ? [`${prefix}${attribute.name}`]
    : belowOf(attribute, { ...place, prefix: `${prefix}${attribute.name}.` });
};

const omittedInside = (attribute: EmbeddedAttribute, { covers, prefix, above }: CoverageLevel): string[] =>
  attribute.components
    .filter((one) => !above.includes(one))
    .flatMap((one) => paths({ model: one, covers, prefix: `${prefix}${one.uid}.`, above: [...above, one] }));

/** Whether an attribute holds components that omit something, at any depth. */
export const omitsInside = (attribute: EmbeddedAttribute, { covers }: Pick<Coverage, 'covers'>): boolean =>
  attribute.components.some((one) => paths({ model: one, covers, prefix: '', above: [one] }).length > 0);

const belowOf = byKind<Attribute, [CoverageLevel], string[]>({
  scalar: () => [],
  relation: () => [],
  morph: () => [],
  component: omittedInside,
  zone: omittedInside,
});

function coverageOf(type: ContentType, rights: Rights): Coverage | null {
  const inside: Rights = { ...rights, mayRead: () => true };
  // A list of links is compared as a whole: a polymorphic one counts only if all its targets are readable.
  const covers: Coverage['covers'] = (model, attribute) =>
    mayKnow(model === type ? rights : inside, model, attribute) &&
    (!attribute.linked || attribute.targets.every((target) => rights.seesAll(attribute, target)));
  const omitted = paths({ model: type, covers, prefix: '', above: [type] });
  return omitted.length === 0 ? null : { covers, omitted };
}

interface Reading {
  readonly caller: Caller;
  readonly root: RootScope;
  readonly limits: ContentLimits;
}

/**
 * Returns the coverage of each type of a query. A type that the caller cannot `find` is read as a locale of
 * the root.
 */
export function coverageIn({ caller, root, limits }: Reading): { readonly coverage?: CoverageOf } {
  if (caller.kind === 'system') return {};
  const fieldsOf = (type: ContentType, atRoot: boolean): FieldScope =>
    atRoot || decideRelated(caller, type, true) === 'none'
      ? root.fields
      : caller.permissions.fields(type.singularApiId, 'find');
  return {
    coverage: (type, atRoot) =>
      coverageOf(type, rightsOf(caller, { ...root, fields: fieldsOf(type, atRoot) }, limits)),
  };
}

const WHOLE: Coverage = { covers: () => true, omitted: [] };

/** Returns the coverage of a version that is compared before a write. */
export function writtenCoverage(caller: Caller, type: ContentType, limits: ContentLimits): Coverage {
  const fields = answerFields(caller, { type, action: oneOf(type) }, false);
  return coverageIn({ caller, root: { fields, published: true }, limits }).coverage?.(type, true) ?? WHOLE;
}
