/** Paths to other rows and into components, for filters, sort keys and populate. */
import type { Hop } from '../plan/plan.js';
import type { ComponentAttribute, RelationAttribute } from '../model/model.js';
import { alias, type Sql, sql } from '../../kernel/sql.js';
import { joinSql } from './joins/joins.js';
import { listOf } from './json-list.js';
import {
  type Context,
  nestedJson,
  type JsonScope,
  limitedIn,
  rowOf,
  rowScope,
  type Scope,
  versionConditions,
} from './scope.js';

export interface Targets {
  readonly from: Sql;
  readonly conditions: readonly Sql[];
  readonly scope: Scope;
  readonly position: Sql | null;
}

/** Single instance, or the first of a list that an older model stored. */
const first = (value: Sql): Sql =>
  sql`case jsonb_typeof(${value}) when 'array' then ${value}->0 else ${value} end`;

function componentTargets(scope: Scope, hop: ComponentAttribute, context: Context): Targets {
  const instance = alias('c', context.next());
  const inner = nestedJson(scope, hop);
  const from = hop.many
    ? sql`jsonb_array_elements(${listOf(inner)}) with ordinality ${instance}(v, n)`
    : sql`(select ${first(inner)} as v offset 0) ${instance}`;
  return {
    from,
    conditions: hop.many ? [] : [sql`${instance}.v is not null`],
    scope: { kind: 'json', component: hop.component, value: sql`${instance}.v`, row: rowOf(scope) },
    position: hop.many ? sql`${instance}.n` : null,
  };
}

/** Scope of a single component, which needs no sub-query; null for other hops. */
export function inPlace(scope: Scope, hop: Hop): JsonScope | null {
  if (hop.linked || hop.many) return null;
  return { kind: 'json', component: hop.component, value: nestedJson(scope, hop), row: rowOf(scope) };
}

/** Targets of a hop for filters and sort keys, in the version that the request reads. */
export const targetsOf = (scope: Scope, hop: Hop, context: Context): Targets =>
  hop.linked ? linkedTargets(hop, { scope, looksUp: false }, context) : componentTargets(scope, hop, context);

/** Targets of a hop for responses. Some joins look each target up separately. */
export const shownTargetsOf = (scope: Scope, hop: Hop, context: Context): Targets =>
  hop.linked
    ? linkedTargets(hop, { scope, looksUp: joinSql(hop.join).isLookedUp(hop) }, context)
    : componentTargets(scope, hop, context);

/** Scope of a hop, and whether each target is looked up separately. */
interface Finding {
  readonly scope: Scope;
  readonly looksUp: boolean;
}

function linkedTargets(hop: RelationAttribute, { scope, looksUp }: Finding, context: Context): Targets {
  const way = joinSql(hop.join);
  // Other locales of a root document are limited by the same rule as the document.
  const isSame = hop.open;
  const root = isSame && rowOf(scope).root === true;
  const target = { ...rowScope(hop.target, alias('t', context.next())), root };
  const other = isSame ? limitedIn(target, context) : [];
  const version = way.versioned ? versionConditions(target, rowOf(scope), context) : other;
  const { from, conditions, position } = way.targets(hop.join, {
    from: scope,
    attribute: hop,
    target,
    context,
    version: looksUp ? version : null,
  });
  return { from, conditions: looksUp ? conditions : [...conditions, ...version], scope: target, position };
}
