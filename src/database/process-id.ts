/** Transactions that the host's code joins: the server process of one, and the end of its statement. */
import { IDENTITY, idOf, type TransactionId } from './commit-outcome.js';
import { param, print, type Statement, sql } from '../sql.js';
import { withoutJit } from './jit.js';
import type { Row } from './runner.js';

/** The server process of a transaction. Behind a pooler, other transactions have it before and after. */
export interface HostedBackend extends TransactionId {
  readonly pid: number;
}

/** How much longer than its budget the server lets a statement run, in milliseconds. */
export const SERVER_MARGIN = 1000;

/**
 * Begins a transaction of the host's: returns its process, turns compilation off, and bounds each statement
 * where the connection has no bound of its own. With a budget of 0 there is none.
 */
export function beginHosted(statementTimeout: number): Statement {
  const bound = statementTimeout > 0 ? String(statementTimeout + SERVER_MARGIN) : '0';
  return print(
    sql`select pg_backend_pid() as pid, ${IDENTITY}, ${withoutJit},
      case current_setting('statement_timeout')
        when '0' then set_config('statement_timeout', ${param(bound)}, true) end`,
  );
}

export const backendOf = ([row = {}]: readonly Row[]): HostedBackend => ({
  pid: Number(row['pid']),
  ...idOf(row),
});

/** Ends the statement of a backend, as long as it is still in that transaction. */
export const endBackend = ({ pid, started }: HostedBackend): Statement =>
  print(
    sql`select pg_cancel_backend(a.pid) from pg_stat_activity a
      where a.pid = ${param(pid)} and a.xact_start = ${param(started)}::timestamptz`,
  );
