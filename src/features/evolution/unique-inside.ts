/**
 * Unique values inside components: finds published documents with equal values at the same path in the model.
 */
import { listOf } from '../../content/compile/json-list.js';
import type { Component, ContentType, EmbeddedAttribute } from '../../content/model/model.js';
import { join, param, quote, type Sql, sql, union } from '../../kernel/sql.js';
import { sharedValue } from './attribute-steps.js';
import { defaultOf, embeddedPair } from './instances.js';
import { type Both, isBoth, type ModelPair } from './pairs.js';
import { convertTo, needsNoConversion } from './readings.js';
import { type AttributeScope, isShared, isUnlocalized, scalarsOf } from './scopes.js';
import { holds } from './stored-values.js';
import { keptLocale } from './type-steps.js';

interface Holder {
  readonly scope: AttributeScope;
  readonly held: Both<EmbeddedAttribute>;
}

/** Returns the attributes that may contain instances of a component, at any depth. */
const holdersOf = (
  scope: AttributeScope,
  owners: readonly ModelPair<ContentType | Component>[],
  wanted: Component,
): Holder[] =>
  owners.flatMap((owner) =>
    owner.attributes.flatMap((pair) => {
      const held = embeddedPair(pair);
      return held !== null && holds(held.before, wanted) ? [{ scope: { ...scope, owner, pair }, held }] : [];
    }),
  );

/** Query of the instances that the later attribute keeps, as `uid` and `item`. */
function keptItems(value: Sql, { scope: { evolution }, held: { before, after } }: Holder): Sql {
  const kept = before.components.filter((component) => {
    const later = evolution.components.find((pair) => pair.before === component)?.after ?? null;
    return after.components.some((one) => one === later);
  });
  const [only] = before.components;
  const uid =
    before.named || only === undefined ? sql`e.item ->> '__component'` : sql`${param(only.uid)}::text`;
  const uids = join([sql`null`, ...kept.map((one) => sql`${param(one.uid)}`)], ', ');
  const first = after.many ? sql`` : sql` order by e.n limit 1`;
  return sql`(select ${uid} as uid, e.item from jsonb_array_elements(${listOf(value)}) with ordinality e(item, n)
    where jsonb_typeof(e.item) = 'object' and ${uid} in (${uids})${first})`;
}

/** Query of the instances in a column of published rows, with their path. */
function rootItems(holding: Holder): Sql {
  const { evolution, owner, pair } = holding.scope;
  const { before } = owner;
  if (before?.model !== 'type') return sql`select null`;
  const [table, column] = [quote(before.table), quote(holding.held.before.column)];
  const value = isShared(holding.scope) ? sharedValue(evolution, table, column) : sql`t.${column}`;
  const one = isUnlocalized(holding.scope);
  const locale = one ? sql`''` : sql`t.locale`;
  const kept = one ? sql` and t.locale = ${keptLocale(before, evolution, sql`t.document_id`)}` : sql``;
  return sql`select t.document_id, ${locale} as locale,
    ${param(`${before.singularApiId}.${pair.before?.name ?? ''}`)}::text as path, i.uid, i.item
    from ${table} t cross join lateral ${keptItems(value, holding)} i where t.published${kept}`;
}

/** Query of the instances in an attribute of instances `h`. */
function innerItems(holding: Holder): Sql {
  const { before } = holding.held;
  const { owner } = holding.scope;
  const items = keptItems(sql`h.item -> ${param(before.name)}::text`, holding);
  return sql`select h.path || ${param(`(${owner.before?.uid ?? ''}).${before.name}`)}::text as path, i.uid, i.item
    from ${items} i where h.uid = ${param(owner.before?.uid ?? '')}::text`;
}

/** Expression of an attribute's later value in an instance `h.item`, as JSON. */
function laterValue({ pair, ...scope }: AttributeScope): Sql {
  const value = defaultOf(pair);
  const filled = sql`${param(JSON.stringify(value))}::jsonb`;
  const scalars = scalarsOf({ pair, ...scope });
  if (scalars === null) return filled;
  const json = sql`nullif(h.item -> ${param(scalars.before.name)}::text, 'null')`;
  const read = needsNoConversion(scalars)
    ? json
    : sql`case when ${json} is not null then ${convertTo(json, scalars)} end`;
  return sql`coalesce(${read}, ${filled})`;
}

/** Whether documents with values per locale will have them in one locale. */
export function hasMergedInstances(scope: AttributeScope): boolean {
  const { before } = scope.owner;
  if (before?.model !== 'component') return false;
  return holdersOf(scope, scope.evolution.types.filter(isBoth), before).some(
    (holding) => isShared(holding.scope) || isUnlocalized(holding.scope),
  );
}

/** Query of documents that would have equal values inside a component; null if no attribute contains it. */
export function equalValuesInComponents(scope: AttributeScope): Sql | null {
  const { evolution, owner } = scope;
  if (owner.before?.model !== 'component') return null;
  const wanted = owner.before;
  const roots = holdersOf(scope, evolution.types.filter(isBoth), wanted).map(rootItems);
  const inner = holdersOf(scope, evolution.components.filter(isBoth), wanted).map(innerItems);
  if (roots.length === 0) return null;
  const deeper =
    inner.length === 0
      ? sql``
      : sql` union all select h.document_id, h.locale, d.path, d.uid, d.item
          from held h cross join lateral (${union(inner)}) d`;
  return sql`with recursive held as (select * from (${union(roots)}) r${deeper})
    select string_agg(distinct u.document_id, ' and ') as "row" from (
      select h.document_id, h.locale, h.path, ${laterValue(scope)} as value from held h
      where h.uid = ${param(wanted.uid)}::text) u
    where u.value not in ('null', '""') group by u.path, u.locale, u.value having count(*) > 1`;
}
