/**
 * Server processes of hosted transactions, which the host's code joins, and cancellation of their statements.
 */
import { IDENTITY, idOf, type TransactionId } from './commit-outcome.js';
import { param, print, type Statement, sql } from '../kernel/sql.js';
import { withoutJit } from './session-settings.js';
import type { Row } from './runner.js';

/** The server process of a transaction. Behind a pooler, other transactions have it before and after. */
export interface HostedBackend extends TransactionId {
  readonly pid: number;
}

/** Milliseconds that the server's timeout exceeds the budget of a statement. */
export const SERVER_MARGIN = 1000;

/**
 * Configures a hosted transaction: returns its process, disables JIT, and sets a statement timeout unless the
 * connection has one. A budget of 0 sets none.
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

/** Cancels the statement of a backend if it is still in that transaction. */
export const endBackend = ({ pid, started }: HostedBackend): Statement =>
  print(
    sql`select pg_cancel_backend(a.pid) from pg_stat_activity a
      where a.pid = ${param(pid)} and a.xact_start = ${param(started)}::timestamptz`,
  );
