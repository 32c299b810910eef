/**
 * Outcome of a transaction whose COMMIT was sent. An error after that does not decide it: the server may have
 * committed before the connection was closed or the driver's timeout elapsed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { outcomeUnknown } from '../kernel/errors.js';
import { param, print, type Statement, sql } from '../kernel/sql.js';
import { isRefusal } from '../kernel/postgres-errors.js';
import type { Row } from './runner.js';

export interface TransactionId {
  readonly xid: string;
  /** Start time of the transaction, as the server prints it. */
  readonly started: string;
  /** Start time of the server. Another server, or a restarted one, may assign the same transaction ids. */
  readonly server: string;
}

const SERVER = sql`extract(epoch from pg_postmaster_start_time())::text`;
export const IDENTITY = sql`pg_current_xact_id()::text as xid, now()::text as started, ${SERVER} as server`;

export const idOf = (row: Row): TransactionId => ({
  xid: String(row['xid']),
  started: String(row['started']),
  server: String(row['server']),
});

export type RunElsewhere = (statement: Statement) => Promise<readonly Row[]>;

/** Pauses between queries for the outcome, in milliseconds: the server may still be committing. */
const PAUSES = [0, 50, 100, 200, 400, 800];

/**
 * Returns the status of a transaction, or null if it is unknown: on another server, and for a committed id
 * after a crash. A crash loses ids and assigns them again, so the status may be another transaction's. The
 * start time of the statistics shows a crash. An id that is not assigned yet was lost.
 */
function statusStatement({ xid, started, server }: TransactionId): Statement {
  const id = sql`${param(xid)}::xid8`;
  const crashed = sql`pg_stat_get_bgwriter_stat_reset_time() > ${param(started)}::timestamptz`;
  return print(sql`select case when pg_is_in_recovery() or ${SERVER} <> ${param(server)}::text then null
      when ${id} > pg_current_xact_id() then 'aborted'
      when pg_xact_status(${id}) = 'committed' and ${crashed} then null
      else pg_xact_status(${id}) end as status`);
}

async function statusOf(transaction: TransactionId, run: RunElsewhere): Promise<unknown> {
  const statement = statusStatement(transaction);
  for (const pause of PAUSES) {
    await sleep(pause);
    const rows = await run(statement).catch(() => []);
    const status = rows[0]?.['status'] ?? null;
    if (rows.length > 0 && status !== 'in progress') return status;
  }
  return null;
}

/** Error of a transaction whose COMMIT was sent, with the means to query its outcome. */
export interface Unconfirmed {
  readonly error: unknown;
  readonly transaction: TransactionId | undefined;
  readonly run: RunElsewhere;
  /** Closes the transaction's connection, so that the query for the outcome has a slot. */
  readonly close: () => void;
}

/**
 * Handles every error after a COMMIT was sent. Returns if the transaction is committed. Throws the error
 * itself if it is rolled back, and OutcomeUnknownError otherwise.
 */
export async function confirmCommit({ error, transaction, run, close }: Unconfirmed): Promise<void> {
  if (isRefusal(error)) throw error;
  close();
  const status = transaction === undefined ? null : await statusOf(transaction, run);
  if (status === 'aborted') throw error;
  if (status !== 'committed') throw outcomeUnknown(error);
}
