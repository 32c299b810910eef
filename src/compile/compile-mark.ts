/** Statements about how far a server has come: the primary, which writes, and those that follow it. */
import type { Mark } from '../query/mark.js';
import { param, print, type Statement, sql } from '../sql.js';

/** Where the log is now, with all that was committed before. */
export const compileMark = (): Statement =>
  print(
    sql`select lpad(split_part(l.n, '/', 1), 8, '0') || lpad(split_part(l.n, '/', 2), 8, '0') as mark
      from (select lower(pg_current_wal_insert_lsn()::text)) l(n)`,
  );

/**
 * Whether what the next statement sees was written up to a mark at least: it has to look for itself, so
 * nothing but read committed will do. A server that follows none is a primary.
 */
export function compileReached(mark: Mark): Statement {
  const asked = sql`${param(`${mark.slice(0, 8)}/${mark.slice(8)}`)}::pg_lsn`;
  return print(
    sql`select current_setting('transaction_isolation') = 'read committed'
      and coalesce(pg_last_wal_replay_lsn() >= ${asked}, not pg_is_in_recovery()) as yes`,
  );
}
