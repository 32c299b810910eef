/** What may change between two models, and what guards and steps are made of. */
import type { Attribute, Component, ContentType } from '../schema/model.js';
import { type Sql, sql, union } from '../sql.js';
import type { Guard } from './change.js';
import type { Instances } from './instances.js';
import { conversionOf, type Evolution, type ModelPair, type Pair } from './pairs.js';
import type { readsAlike } from './readings.js';
import type { RelationPair, RelationSide } from './relation-pairs.js';
import { valuesOf } from './stored-values.js';

/** A locale of the earlier model. */
export interface LocaleScope {
  readonly evolution: Evolution;
  readonly locale: string;
}

/** A content type. */
export interface TypeScope {
  readonly evolution: Evolution;
  readonly pair: ModelPair<ContentType>;
}

/** An attribute of a type or component, and what it is part of. */
export interface AttributeScope {
  readonly evolution: Evolution;
  readonly owner: ModelPair<ContentType | Component>;
  readonly pair: Pair<Attribute>;
  readonly instances: Instances;
}

/** A relation of types: both of its sides. */
export interface RelationScope {
  readonly evolution: Evolution;
  readonly pair: RelationPair;
}

/** Whether a locale of the earlier model may go with its versions. */
export const mayGo = ({ evolution, locale }: LocaleScope): boolean => evolution.removed.includes(locale);

export const idOf = ({ pair }: TypeScope): string => (pair.after ?? pair.before)?.singularApiId ?? '';

export const pathOf = ({ type, attribute }: RelationSide): string =>
  `${type.singularApiId}.${attribute.name}`;

export const ownerName = ({ owner }: AttributeScope): string => (owner.after ?? owner.before)?.uid ?? '';
export const nameOf = ({ pair }: AttributeScope): string => (pair.after ?? pair.before)?.name ?? '';

/** The later type, if the attribute has a column of its own in it. */
export const typeOf = ({ owner }: AttributeScope): ContentType | null =>
  owner.after !== null && owner.after.model === 'type' ? owner.after : null;

/** Whether the values of an attribute stand in columns of its type, or in instances. */
export const isStoredHere = ({ owner, pair: { before, after } }: AttributeScope): boolean =>
  owner.before?.model === 'component' || owner.after?.model === 'component' || !(after ?? before)?.linked;

/** Whether an attribute has one value for all locales of its type from now on. */
export const isShared = ({ owner, pair: { before, after } }: AttributeScope): boolean =>
  before?.localized === true &&
  after?.localized === false &&
  owner.after?.model === 'type' &&
  owner.after.localized;

/** Whether its type has no locales any more. */
export const isUnlocalized = ({ owner: { before, after } }: AttributeScope): boolean =>
  before?.model === 'type' && before.localized && after?.model === 'type' && !after.localized;

/** The stored values that meet a condition. */
function valuesWhere(scope: AttributeScope, condition: Sql): Sql | null {
  const { evolution, owner, pair } = scope;
  if (pair.before === null) return null;
  const queries = valuesOf(evolution.before.schema, owner, pair.before);
  return queries.length === 0 ? null : sql`select v."row" from (${union(queries)}) v where ${condition}`;
}

/** A guard of those values; none where there is nowhere that values could be. */
export function guardOf(scope: AttributeScope, condition: Sql, guard: Omit<Guard, 'question'>): Guard[] {
  const question = valuesWhere(scope, condition);
  return question === null ? [] : [{ question, ...guard }];
}

export const fitChoice = (scope: AttributeScope): string =>
  `say convert: 'fit' on ${ownerName(scope)}.${nameOf(scope)}, or 'empty'`;

export const isStated = ({ pair }: AttributeScope): boolean => typeof conversionOf(pair) === 'string';

/** Both attributes where they are scalars. */
export function scalarsOf({
  pair: { before, after },
}: AttributeScope): Parameters<typeof readsAlike>[0] | null {
  if (before === null || after === null) return null;
  return 'searchable' in before && 'searchable' in after ? { before, after } : null;
}
