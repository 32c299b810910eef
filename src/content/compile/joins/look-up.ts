import { join, type Sql, sql } from '../../../kernel/sql.js';
import type { RowScope } from '../scope.js';
import { tableOf } from './join-sql.js';

/**
 * Joins targets to links. With `version`, each link looks its target up by index. Without it, the planner may
 * also start from the targets, which filters need.
 */
export function lookUp(target: RowScope, on: Sql, version: readonly Sql[] | null): Sql {
  if (version === null) return sql`join ${tableOf(target)} on ${on}`;
  return sql`cross join lateral (select * from ${tableOf(target)} where ${join([on, ...version], ' and ')}
    limit 1) ${target.alias}`;
}
