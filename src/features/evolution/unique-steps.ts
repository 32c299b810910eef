/** Guards for attributes that become unique: finds documents that would have equal values. */
import { isUnique } from '../../content/model/attribute-storage.js';
import type { IndexDefinition } from '../../content/model/index-definition.js';
import type { Attribute, ContentType, Model } from '../../content/model/model.js';
import { isScalar } from '../../content/model/scalar-of.js';
import { type Identifier, join, param, quote, type Sql, sql } from '../../kernel/sql.js';
import { sharedValue } from './attribute-steps.js';
import type { Guard } from './change.js';
import { defaultOf } from './instances.js';
import { columnAsJson, convertTo, needsNoConversion } from './readings.js';
import {
  type AttributeScope,
  isShared,
  isUnlocalized,
  scalarsOf,
  type TypeScope,
  type ValueScope,
} from './scopes.js';
import { keptLocale } from './type-steps.js';
import { hasMergedInstances, equalValuesInComponents } from './unique-inside.js';

/** Returns the column with the target of an earlier relation; null if it has none. */
function referenceOf({ owner, pair: { before } }: ValueScope): Identifier | null {
  if (owner.before?.model !== 'type' || before?.linked !== true) return null;
  return owner.before.storage.columnOf.get(before.name)?.name ?? null;
}

/** Expression of a scalar's later value in a row `t` of the earlier type, as text. */
function laterText(scope: ValueScope, { table }: ContentType): Sql {
  const { before } = scope.pair;
  const scalars = scalarsOf(scope);
  const reference = referenceOf(scope);
  if (reference !== null) return sql`t.${quote(reference)}`;
  const value = defaultOf(scope.pair);
  const filled = sql`${param(JSON.stringify(value))}::jsonb #>> '{}'`;
  if (scalars === null || before === null) return filled;
  const column = quote(scalars.before.column);
  const stored = isShared(scope) ? sharedValue(scope.evolution, quote(table), column) : sql`t.${column}`;
  if (needsNoConversion(scalars) && value === null) return sql`${stored}::text`;
  const json = columnAsJson(scalars.before, stored);
  const read = needsNoConversion(scalars)
    ? json
    : sql`case when ${stored} is not null then ${convertTo(json, scalars)} end`;
  return value === null ? sql`(${read}) #>> '{}'` : sql`coalesce((${read}) #>> '{}', ${filled})`;
}

/** Whether a migration may create equal values by converting, filling in or merging. */
const mayBecomeEqual = (scope: ValueScope): boolean => {
  const scalars = scalarsOf(scope);
  return (
    defaultOf(scope.pair) !== null ||
    (scalars !== null && !needsNoConversion(scalars)) ||
    isShared(scope) ||
    isUnlocalized(scope)
  );
};

/** Whether values of an attribute are unique. Inside components a uid is unique only with `unique: true`. */
const isUniqueScalar = (attribute: Attribute | null, model: Model | null): boolean =>
  attribute !== null &&
  isScalar(attribute) &&
  (model?.model === 'type' ? isUnique(attribute, model) : attribute.def.unique === true);

/** Whether an attribute becomes unique, or stays unique while its values change. */
export const becomesUnique = (scope: AttributeScope): boolean => {
  const { pair, owner } = scope;
  if (owner.before === null || !isUniqueScalar(pair.after, owner.after)) return false;
  return (
    (pair.before !== null && !isUniqueScalar(pair.before, owner.before)) ||
    mayBecomeEqual(scope) ||
    hasMergedInstances(scope)
  );
};

/** Query of documents of a type that would have equal values in all of the given attributes. */
function equalRows(before: ContentType, scopes: readonly [ValueScope, ...ValueScope[]]): Sql {
  const [scope] = scopes;
  const one = isUnlocalized(scope);
  const locale = one ? sql`''` : sql`t.locale`;
  const kept = one ? sql` and t.locale = ${keptLocale(before, scope.evolution, sql`t.document_id`)}` : sql``;
  const list = join(
    scopes.map((each) => laterText(each, before)),
    ', ',
  );
  const values = sql`select t.document_id, ${locale} as locale, array[${list}]::text[] as value
    from ${quote(before.table)} t where t.published${kept}`;
  return sql`select string_agg(u.document_id, ' and ') as "row" from (${values}) u
    where array_position(u.value, null) is null and '' <> all(u.value)
    group by u.value, u.locale having count(*) > 1`;
}

function equalValuesInTables(scope: AttributeScope): Sql | null {
  const { before, after } = scope.owner;
  return before?.model === 'type' && after?.model === 'type' ? equalRows(before, [scope]) : null;
}

interface UniqueIndex {
  readonly names: readonly string[];
  readonly scopes: readonly ValueScope[];
}

/** Returns the later unique indexes of several attributes that are new, or whose values change. */
function newUniqueIndexes({ evolution, pair }: TypeScope): UniqueIndex[] {
  const { before, after } = pair;
  if (before === null || after === null) return [];
  const known = new Set(before.indexes.filter(({ unique }) => unique === true).map(keyOf));
  return after.indexes.flatMap((index) => {
    if (index.unique !== true) return [];
    const scopes = index.attributes.flatMap((name): ValueScope[] =>
      pair.attributes
        .filter((one) => one.after?.name === name)
        .map((one) => ({ evolution, owner: pair, pair: one })),
    );
    const formerly = scopes.map(({ pair: one }) => one.before?.name ?? '');
    const isKnown = known.has(keyOf({ attributes: formerly }));
    return isKnown && !scopes.some(mayBecomeEqual) ? [] : [{ names: index.attributes, scopes }];
  });
}

const keyOf = ({ attributes }: Pick<IndexDefinition, 'attributes'>): string => attributes.join(' ');

export const becomesUniqueTogether = (scope: TypeScope): boolean => newUniqueIndexes(scope).length > 0;

export const uniqueTogetherGuards = (scope: TypeScope): readonly Guard[] =>
  newUniqueIndexes(scope).flatMap(({ names, scopes: [first, ...others] }) => {
    const { before } = scope.pair;
    // A new relation, or one whose links move, has no column to compare. Its index refuses equal values.
    const isMoved = [first, ...others].some((one) => one?.pair.before === null && one.pair.after?.linked);
    if (first === undefined || before === null || isMoved) return [];
    return [
      {
        query: equalRows(before, [first, ...others]),
        description: `becomes unique by ${names.join(', ')}; these documents have the same values`,
        remedy: 'give them distinct values first',
        allowed: false,
      },
    ];
  });

export function uniqueGuards(scope: AttributeScope): readonly Guard[] {
  const query = equalValuesInTables(scope) ?? equalValuesInComponents(scope);
  if (query === null) return [];
  return [
    {
      query,
      description: 'becomes unique; these documents have the same value',
      remedy: 'give them distinct values first',
      allowed: false,
    },
  ];
}
