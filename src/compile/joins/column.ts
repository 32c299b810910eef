import type { ColumnJoin } from '../../schema/model.js';
import { quote, sql } from '../../sql.js';
import { column, rowOf } from '../scope.js';
import { type JoinSql, NOTHING_STORED, tableOf } from './join-sql.js';

/** The row holds its target's document id, which is written with the row's other columns. */
export const columnJoin: JoinSql<ColumnJoin> = {
  ...NOTHING_STORED,
  versioned: true,
  isLookedUp: () => false,
  targets: ({ column: held }, { from, target }) => ({
    from: tableOf(target),
    conditions: [sql`${column(target, 'document_id')} = ${rowOf(from).alias}.${quote(held)}`],
    position: null,
  }),
  storedList: ({ column: held }, { row }) => sql`json_build_array(${row.alias}.${quote(held)})`,
};
