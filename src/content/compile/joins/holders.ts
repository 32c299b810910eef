import type { HoldersJoin } from '../../model/join-model.js';
import { sql } from '../../../kernel/sql.js';
import { type JoinSql, NOTHING_STORED, tableOf } from './join-sql.js';

/** Polymorphic relation from a file to its holders: see `file-holders.ts`. */
export const holdersJoin: JoinSql<HoldersJoin> = {
  ...NOTHING_STORED,
  versioned: false,
  isLookedUp: () => false,
  isJoined: () => false,
  targets: (_, { target }) => ({ from: tableOf(target), conditions: [sql`false`], position: null }),
};
