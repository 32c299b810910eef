import type { LocalesJoin } from '../../model/join-model.js';
import { sql } from '../../../kernel/sql.js';
import { column, rowOf } from '../scope.js';
import { type JoinSql, NOTHING_STORED, tableOf } from './join-sql.js';

export const localesJoin: JoinSql<LocalesJoin> = {
  ...NOTHING_STORED,
  versioned: false,
  isLookedUp: () => false,
  isJoined: () => false,
  targets: (_, { from, target }) => {
    const row = rowOf(from);
    const same = sql`${column(target, 'document_id')} = ${column(row, 'document_id')}`;
    const other = sql`${column(target, 'locale')} <> ${column(row, 'locale')}`;
    const state = sql`${column(target, 'published')} = ${column(row, 'published')}`;
    return { from: tableOf(target), conditions: [same, other, state], position: column(target, 'id') };
  },
};
