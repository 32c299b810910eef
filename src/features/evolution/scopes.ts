/** Contexts of changes: the parts of a model that may change. */
import type { Attribute, Component, ContentType } from '../../content/model/model.js';
import { STAGE } from '../../content/model/stage-definition.js';
import { isScalar } from '../../content/model/scalar-of.js';
import { type Sql, sql, union } from '../../kernel/sql.js';
import type { Guard } from './change.js';
import type { Instances } from './instances.js';
import { conversionOf, type Evolution, isBoth, type ModelPair, type Pair } from './pairs.js';
import type { needsNoConversion } from './readings.js';
import type { RelationPair, RelationSide } from './relation-pairs.js';
import { valuesOf } from './stored-values.js';

export interface LocaleScope {
  readonly evolution: Evolution;
  readonly locale: string;
}

export interface TypeScope {
  readonly evolution: Evolution;
  readonly pair: ModelPair<ContentType>;
}

export interface AttributeScope {
  readonly evolution: Evolution;
  readonly owner: ModelPair<ContentType | Component>;
  readonly pair: Pair<Attribute>;
  readonly instances: Instances;
}

export interface RelationScope {
  readonly evolution: Evolution;
  readonly pair: RelationPair;
}

/** Whether a locale may be dropped with its versions. */
export const mayRemove = ({ evolution, locale }: LocaleScope): boolean => evolution.removed.includes(locale);

export const idOf = ({ pair }: TypeScope): string => (pair.after ?? pair.before)?.singularApiId ?? '';

/** Setting that allows the removal of a type with its content. */
export const removedTypeRemedy = ({ singularApiId }: ContentType): string =>
  `set removed: ['${singularApiId}'] next to contentTypes`;

export const pathOf = ({ type, attribute }: RelationSide): string =>
  `${type.singularApiId}.${attribute.name}`;

/**
 * Side that names a new or removed relation: the first one whose type is in both models. Without one, the
 * change of the type covers the relation.
 */
export function namedSide({ evolution, pair: { before, after } }: RelationScope): RelationSide | null {
  const relation = after ?? before;
  const sides = relation === null ? [] : [relation, ...relation.others];
  const isInBoth = ({ type }: RelationSide): boolean =>
    evolution.types.some((pair) => isBoth(pair) && (pair.before === type || pair.after === type));
  return sides.find(isInBoth) ?? null;
}

export const ownerName = ({ owner }: AttributeScope): string => (owner.after ?? owner.before)?.uid ?? '';
export const nameOf = ({ pair }: AttributeScope): string => (pair.after ?? pair.before)?.name ?? '';

/** Returns the later type if the attribute has its own column there, otherwise null. */
export const typeOf = ({ owner }: AttributeScope): ContentType | null =>
  owner.after !== null && owner.after.model === 'type' ? owner.after : null;

/** Whether the values of an attribute are in a column or in instances, not in links. */
export const isStoredInRow = ({ owner, pair: { before, after } }: AttributeScope): boolean =>
  owner.before?.model === 'component' || owner.after?.model === 'component' || !(after ?? before)?.linked;

/** Attribute of a pair of models, without the conversion of instances. */
export type ValueScope = Omit<AttributeScope, 'instances'>;

/** Whether a localized attribute becomes shared by all locales of its type. */
export const isShared = ({ owner, pair: { before, after } }: ValueScope): boolean =>
  before?.localized === true &&
  after?.localized === false &&
  owner.after?.model === 'type' &&
  owner.after.localized;

export const isUnlocalized = ({ owner: { before, after } }: ValueScope): boolean =>
  before?.model === 'type' && before.localized && after?.model === 'type' && !after.localized;

/** Query of the stored values that meet a condition; null if nothing stores values. */
function valuesWhere(scope: AttributeScope, condition: Sql): Sql | null {
  const { evolution, owner, pair } = scope;
  if (pair.before === null) return null;
  const queries = valuesOf(evolution.before.schema, owner, pair.before);
  return queries.length === 0 ? null : sql`select v."row" from (${union(queries)}) v where ${condition}`;
}

/** Guard for the stored values that meet a condition; empty if nothing stores values. */
export function guardOf(scope: AttributeScope, condition: Sql, guard: Omit<Guard, 'query'>): Guard[] {
  const query = valuesWhere(scope, condition);
  return query === null ? [] : [{ query, ...guard }];
}

/** Whether an attribute contains the stages of drafts, which the type defines. */
const isStage = (scope: AttributeScope): boolean =>
  scope.owner.after?.model === 'type' && scope.owner.after.stages !== null && nameOf(scope) === STAGE;

export const fitChoice = (scope: AttributeScope): string =>
  isStage(scope)
    ? 'set previousName on the stage that replaces the old one'
    : `set convert: 'fit' on ${ownerName(scope)}.${nameOf(scope)}, or 'empty'`;

export const isLossAllowed = ({ pair }: AttributeScope): boolean => typeof conversionOf(pair) === 'string';

/** Returns both attributes if they are scalars, otherwise null. */
export function scalarsOf({
  pair: { before, after },
}: ValueScope): Parameters<typeof needsNoConversion>[0] | null {
  if (before === null || after === null) return null;
  return isScalar(before) && isScalar(after) ? { before, after } : null;
}

/** Whether an attribute stores a list. */
export const isMany = (attribute: Attribute): boolean => 'many' in attribute && attribute.many;

/** Whether a type of another kind becomes one of this kind. */
export const becomesKind = ({ pair }: TypeScope, kind: ContentType['kind']): boolean =>
  isBoth(pair) && pair.before.kind !== kind && pair.after.kind === kind;
