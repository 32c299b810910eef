/** Guards for attributes that become unique: finds documents that would have equal values. */
import { isUnique } from '../../content/model/attribute-storage.js';
import type { Attribute, ContentType } from '../../content/model/model.js';
import { param, quote, type Sql, sql } from '../../kernel/sql.js';
import { sharedValue } from './attribute-steps.js';
import type { Guard } from './change.js';
import { defaultOf } from './instances.js';
import { columnAsJson, readAs, readsAlike } from './readings.js';
import { type AttributeScope, isShared, isUnlocalized, scalarsOf } from './scopes.js';
import { keptLocale } from './type-steps.js';
import { isMergedInside, sameValuesInside } from './unique-inside.js';

/** Expression of a scalar's later value in a row `t` of the earlier type, as text. */
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

/** Whether a migration may create equal values by converting, filling in or merging. */
const isMadeAlike = (scope: AttributeScope): boolean => {
  const scalars = scalarsOf(scope);
  return (
    defaultOf(scope.pair) !== null ||
    (scalars !== null && !readsAlike(scalars)) ||
    isShared(scope) ||
    isUnlocalized(scope)
  );
};

/** Whether values of an attribute are unique. Inside components a uid is unique only with `unique: true`. */
const isUniqueScalar = (attribute: Attribute | null, { owner }: AttributeScope): boolean =>
  attribute !== null &&
  'searchable' in attribute &&
  (owner.after?.model === 'type' ? isUnique(attribute) : attribute.def.unique === true);

/** Whether an attribute becomes unique, or stays unique while its values change. */
export const becomesUnique = (scope: AttributeScope): boolean => {
  const { pair, owner } = scope;
  if (owner.before === null || !isUniqueScalar(pair.after, scope)) return false;
  return (
    (pair.before !== null && !isUniqueScalar(pair.before, scope)) ||
    isMadeAlike(scope) ||
    isMergedInside(scope)
  );
};

/** Query of documents of a type that would have equal values. */
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
      told: 'becomes unique; these documents have the same value',
      choice: 'give them distinct values first',
      stated: false,
    },
  ];
}
