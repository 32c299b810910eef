/** Prints sort keys; a to-many key sorts by its best row, the id is the last key (D10, 7.9). */
import type { Hop, OrderKey } from '../plan/plan.js';
import type { ScalarAttribute } from '../model/model.js';
import { join, type Sql, sql } from '../../kernel/sql.js';
import { whereOf } from './compile-filter.js';
import { comparable, type Context, type Scope } from './scope.js';
import { joinSql } from './joins/joins.js';
import { inPlace, type Targets, targetsOf } from './targets.js';

interface KeyPath {
  readonly hops: readonly Hop[];
  readonly attribute: ScalarAttribute;
  readonly direction: Sql;
}

function value(scope: Scope, { hops, attribute, direction }: KeyPath, context: Context): Sql {
  const [hop, ...rest] = hops;
  if (hop === undefined) return comparable(scope, attribute);
  const instance = inPlace(scope, hop);
  if (instance !== null) return value(instance, { hops: rest, attribute, direction }, context);
  const targets = targetsOf(scope, hop, context);
  const inner = value(targets.scope, { hops: rest, attribute, direction }, context);
  return sql`(select ${inner} from ${targets.from}${whereOf(targets.conditions)}
    order by 1 ${direction} nulls last limit 1)`;
}

export interface Ordering {
  readonly value: Sql;
  readonly direction: Sql;
}

/** Scope from which the value of a key is read, and the hops that are left. */
interface Start {
  readonly scope: Scope;
  readonly hops: readonly Hop[];
}

function orderingOf({ hops: all, ...key }: OrderKey, { scope, hops }: Start, context: Context): Ordering {
  const { attribute, descending } = key;
  const direction = descending ? sql`desc` : sql`asc`;
  const toMany = all.some((hop) => hop.many);
  return {
    value: value(scope, { hops, attribute, direction }, context),
    direction: descending && toMany ? sql`desc nulls last` : direction,
  };
}

export const compileOrder = (keys: readonly OrderKey[], scope: Scope, context: Context): Ordering[] =>
  keys.map((key) => orderingOf(key, { scope, hops: key.hops }, context));

export interface JoinedOrder {
  readonly keys: readonly Ordering[];
  /** Joins that follow the table in FROM. */
  readonly joins: Sql;
}

const isJoined = (hop: Hop): boolean => hop.linked && joinSql(hop.join).isJoined(hop);

/**
 * Prints the sort keys of a whole table. Targets of to-one references are joined, once per path: PostgreSQL
 * hashes them once, but would run a sub-query for each row of the table.
 */
export function compileJoinedOrder(keys: readonly OrderKey[], scope: Scope, context: Context): JoinedOrder {
  const joined = new Map<string, Targets>();
  const startOf = (start: Start, path: string): Start => {
    const [hop, ...hops] = start.hops;
    if (hop === undefined) return start;
    const here = `${path}.${hop.name}`;
    const instance = inPlace(start.scope, hop);
    if (instance !== null) return startOf({ scope: instance, hops }, here);
    if (!isJoined(hop)) return start;
    const targets = joined.get(here) ?? targetsOf(start.scope, hop, context);
    joined.set(here, targets);
    return startOf({ scope: targets.scope, hops }, here);
  };
  const ordered = keys.map((key) => orderingOf(key, startOf({ scope, hops: key.hops }, ''), context));
  const joins = [...joined.values()].map(
    ({ from, conditions }) => sql`left join ${from} on ${join(conditions, ' and ')}`,
  );
  return { keys: ordered, joins: join([sql``, ...joins], ' ') };
}
