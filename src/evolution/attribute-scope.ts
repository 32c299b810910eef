/** An attribute that changes, and what its guards and steps are made of. */
import type { Attribute, Component, ContentType } from '../schema/model.js';
import { type Sql, sql, union } from '../sql.js';
import type { Guard } from './change.js';
import type { Instances } from './instances.js';
import { conversionOf, type Evolution, type ModelPair, type Pair } from './pairs.js';
import type { readsAlike } from './readings.js';
import { valuesOf } from './stored-values.js';

/** An attribute of a type or component that changes, and what it is part of. */
export interface AttributeScope {
  readonly evolution: Evolution;
  readonly owner: ModelPair<ContentType | Component>;
  readonly pair: Pair<Attribute>;
  readonly instances: Instances;
}

export const ownerName = ({ owner }: AttributeScope): string => (owner.after ?? owner.before)?.uid ?? '';
export const nameOf = ({ pair }: AttributeScope): string => (pair.after ?? pair.before)?.name ?? '';

/** The later type, if the attribute has a column of its own in it. */
export const typeOf = ({ owner }: AttributeScope): ContentType | null =>
  owner.after !== null && owner.after.model === 'type' ? owner.after : null;

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
