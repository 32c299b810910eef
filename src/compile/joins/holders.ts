import type { HoldersJoin } from '../../schema/join-model.js';
import { sql } from '../../sql.js';
import { type JoinSql, NOTHING_STORED, tableOf } from './join-sql.js';

/** Its targets are of several types, each of which says itself whom it holds: see `file-holders.ts`. */
export const holdersJoin: JoinSql<HoldersJoin> = {
  ...NOTHING_STORED,
  versioned: false,
  isLookedUp: () => false,
  targets: (_, { target }) => ({ from: tableOf(target), conditions: [sql`false`], position: null }),
};
