/** Prints sort keys; a to-many key sorts by its best row, the id is the last key (D10, 7.9). */
import type { Hop, OrderKey } from '../plan/plan.js';
import type { ScalarAttribute } from '../model/model.js';
import { type Sql, sql } from '../../kernel/sql.js';
import { whereOf } from './compile-filter.js';
import { comparable, type Context, type Scope } from './scope.js';
import { inPlace, targetsOf } from './targets.js';

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

export function compileOrder(keys: readonly OrderKey[], scope: Scope, context: Context): Ordering[] {
  return keys.map(({ hops, attribute, descending }) => {
    const direction = descending ? sql`desc` : sql`asc`;
    const toMany = hops.some((hop) => hop.many);
    return {
      value: value(scope, { hops, attribute, direction }, context),
      direction: descending && toMany ? sql`desc nulls last` : direction,
    };
  });
}
