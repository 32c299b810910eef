/** Values that become unique: which documents would have the same one. */
import { isUnique } from '../schema/attribute-storage.js';
import type { Attribute, ContentType } from '../schema/model.js';
import { param, quote, type Sql, sql } from '../sql.js';
import { sharedValue } from './attribute-steps.js';
import type { Guard } from './change.js';
import { defaultOf } from './instances.js';
import { columnAsJson, readAs, readsAlike } from './readings.js';
import { type AttributeScope, isShared, isUnlocalized, scalarsOf } from './scopes.js';
import { keptLocale } from './type-steps.js';
import { isMergedInside, sameValuesInside } from './unique-inside.js';

/** What a row `t` of an earlier type comes to hold of a scalar, as text. */
function laterText(scope: AttributeScope, { table }: ContentType): Sql {
  const { before } = scope.pair;
  const scalars = scalarsOf(scope);
  const value = defaultOf(scope.pair);
  const filled = sql`${param(JSON.stringify(value))}::jsonb #>> '{}'`;
  if (scalars === null || before === null) return filled;
  const column = quote(scalars.before.column);
  const held = isShared(scope) ? sharedValue(scope.evolution, quote(table), column) : sql`t.${column}`;
  if (readsAlike(scalars) && value === null) return sql`${held}::text`;
  const json = columnAsJson(scalars.before, held);
  const read = readsAlike(scalars)
    ? json
    : sql`case when ${held} is not null then ${readAs(json, scalars)} end`;
  return value === null ? sql`(${read}) #>> '{}'` : sql`coalesce((${read}) #>> '{}', ${filled})`;
}

/** Whether an attribute may come to have values twice although none was: converted, filled in, or merged. */
const isMadeAlike = (scope: AttributeScope): boolean => {
  const scalars = scalarsOf(scope);
  return (
    defaultOf(scope.pair) !== null ||
    (scalars !== null && !readsAlike(scalars)) ||
    isShared(scope) ||
    isUnlocalized(scope)
  );
};

/** Whether values of an attribute are unique. Inside components a uid is unique only if it says so. */
const isUniqueScalar = (attribute: Attribute | null, { owner }: AttributeScope): boolean =>
  attribute !== null &&
  'searchable' in attribute &&
  (owner.after?.model === 'type' ? isUnique(attribute) : attribute.def.unique === true);

/** Whether no two documents may have the same value, although they could until now. */
export const becomesUnique = (scope: AttributeScope): boolean => {
  const { pair, owner } = scope;
  if (owner.before === null || !isUniqueScalar(pair.after, scope)) return false;
  return (
    (pair.before !== null && !isUniqueScalar(pair.before, scope)) ||
    isMadeAlike(scope) ||
    isMergedInside(scope)
  );
};

/** The documents of a type that would have the same value. */
function sameValues(scope: AttributeScope): Sql | null {
  const { before, after } = scope.owner;
  if (before?.model !== 'type' || after?.model !== 'type') return null;
  const one = isUnlocalized(scope);
  const locale = one ? sql`''` : sql`t.locale`;
  const kept = one ? sql` and t.locale = ${keptLocale(before, scope.evolution, sql`t.document_id`)}` : sql``;
  const values = sql`select t.document_id, ${locale} as locale, ${laterText(scope, before)} as value
    from ${quote(before.table)} t where t.published${kept}`;
  return sql`select string_agg(u.document_id, ' and ') as "row" from (${values}) u
    where u.value <> '' group by u.value, u.locale having count(*) > 1`;
}

export function uniqueGuards(scope: AttributeScope): readonly Guard[] {
  const question = sameValues(scope) ?? sameValuesInside(scope);
  if (question === null) return [];
  return [
    {
      question,
      told: 'is unique; these documents have the same value',
      choice: 'give them values of their own first',
      stated: false,
    },
  ];
}
