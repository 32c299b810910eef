/** The way to other rows, and into components: what a step of a filter, a sort or a populate leads to. */
import type { Hop } from '../plan/plan.js';
import type { RelationAttribute } from '../schema/model.js';
import { alias, join, quote, type Sql, sql } from '../sql.js';
import {
  column,
  type Context,
  heldJson,
  listOf,
  type JsonScope,
  rowOf,
  rowScope,
  type RowScope,
  type Scope,
  versionConditions,
} from './scope.js';

/** The rows or instances that a hop leads to. */
export interface Targets {
  readonly from: Sql;
  readonly conditions: readonly Sql[];
  readonly scope: Scope;
  /** The stored order; null for at most one. */
  readonly position: Sql | null;
}

/** An instance that an older model may have stored in a list: the first one there. */
const first = (value: Sql): Sql =>
  sql`case jsonb_typeof(${value}) when 'array' then ${value}->0 else ${value} end`;

function componentTargets(scope: Scope, hop: Extract<Hop, { kind: 'component' }>, context: Context): Targets {
  const instance = alias('c', context.next());
  const held = heldJson(scope, hop);
  const from = hop.many
    ? sql`jsonb_array_elements(${listOf(held)}) with ordinality ${instance}(v, n)`
    : sql`(select ${first(held)} as v offset 0) ${instance}`;
  return {
    from,
    conditions: hop.many ? [] : [sql`${instance}.v is not null`],
    scope: { kind: 'json', component: hop.component, value: sql`${instance}.v`, row: rowOf(scope) },
    position: hop.many ? sql`${instance}.n` : null,
  };
}

/** A single component needs no sub-query: its instance, in place. */
export function inPlace(scope: Scope, hop: Hop): JsonScope | null {
  if (hop.kind !== 'component' || hop.many) return null;
  return { kind: 'json', component: hop.component, value: heldJson(scope, hop), row: rowOf(scope) };
}

interface Linking {
  readonly context: Context;
  /** The version conditions, where targets are looked up one by one. */
  readonly version: readonly Sql[] | null;
}

interface Linked {
  readonly from: Sql;
  readonly conditions: readonly Sql[];
  readonly position: Sql | null;
}

/**
 * Joins targets to links. With the version inside, each link looks its target up by index; without, the
 * planner may also start from the targets, which filters need.
 */
function lookUp(target: RowScope, on: Sql, version: readonly Sql[] | null): Sql {
  const table = sql`${quote(target.type.table)} ${target.alias}`;
  if (version === null) return sql`join ${table} on ${on}`;
  return sql`cross join lateral (select * from ${table} where ${join([on, ...version], ' and ')} limit 1) ${target.alias}`;
}

/** Targets that an instance inside a JSON value names. */
function embedded(scope: JsonScope, hop: RelationAttribute, target: RowScope, linking: Linking): Linked {
  const documentId = column(target, 'document_id');
  const held = sql`${scope.value}->${quote(hop.name, 'string')}`;
  if (!hop.many) {
    const only = sql`${documentId} = (${listOf(held)}->>0)`;
    return { from: sql`${quote(target.type.table)} ${target.alias}`, conditions: [only], position: null };
  }
  const link = alias('l', linking.context.next());
  const list = sql`jsonb_array_elements_text(${listOf(held)}) with ordinality ${link}(id, n)`;
  const from = sql`${list} ${lookUp(target, sql`${documentId} = ${link}.id`, linking.version)}`;
  return { from, conditions: [], position: sql`${link}.n` };
}

function linked(scope: Scope, hop: RelationAttribute, target: RowScope, linking: Linking): Linked {
  const way = hop.join;
  const { context, version } = linking;
  const table = sql`${quote(target.type.table)} ${target.alias}`;
  const documentId = column(target, 'document_id');
  if (way.kind === 'embedded' || scope.kind === 'json') {
    return embedded(scope as JsonScope, hop, target, linking);
  }
  const owner = column(scope, 'document_id');
  switch (way.kind) {
    case 'column':
      return {
        from: table,
        conditions: [sql`${documentId} = ${scope.alias}.${quote(way.column)}`],
        position: null,
      };
    case 'inverseColumn': {
      const position =
        way.position === null ? column(target, 'id') : sql`${target.alias}.${quote(way.position)}`;
      return { from: table, conditions: [sql`${target.alias}.${quote(way.column)} = ${owner}`], position };
    }
    case 'link': {
      const link = alias('l', context.next());
      const from = sql`${quote(way.table)} ${link} ${lookUp(target, sql`${documentId} = ${link}.target_document_id`, version)}`;
      return {
        from,
        conditions: [sql`${link}.owner_id = ${column(scope, 'id')}`],
        position: sql`${link}.position`,
      };
    }
    case 'inverseLink': {
      const link = alias('l', context.next());
      const from = sql`${quote(way.table)} ${link} join ${table} on ${column(target, 'id')} = ${link}.owner_id`;
      return {
        from,
        conditions: [sql`${link}.target_document_id = ${owner}`],
        position: sql`${link}.inverse_position`,
      };
    }
    case 'locales': {
      const other = sql`${column(target, 'locale')} <> ${column(scope, 'locale')}`;
      const state = sql`${column(target, 'published')} = ${column(scope, 'published')}`;
      return {
        from: table,
        conditions: [sql`${documentId} = ${owner}`, other, state],
        position: column(target, 'id'),
      };
    }
  }
}

/** The targets of a hop, in the version that the request shows: to be searched, or to be shown one by one. */
export function targetsOf(
  scope: Scope,
  hop: Hop,
  context: Context,
  use: 'search' | 'show' = 'search',
): Targets {
  if (hop.kind === 'component') return componentTargets(scope, hop, context);
  const target = rowScope(hop.target, alias('t', context.next()));
  const version = hop.join.kind === 'locales' ? [] : versionConditions(target, rowOf(scope), context);
  const inside = use === 'show' && (hop.join.kind === 'link' || (hop.join.kind === 'embedded' && hop.many));
  const { from, conditions, position } = linked(scope, hop, target, {
    context,
    version: inside ? version : null,
  });
  return { from, conditions: inside ? conditions : [...conditions, ...version], scope: target, position };
}
