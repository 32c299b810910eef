/**
 * Settings of the server's sessions. JIT is off for long statements: compiling their many expressions takes
 * seconds, while running them takes milliseconds.
 */
import { param, print, type Sql, silently, sql } from '../kernel/sql.js';
import type { Pool } from './pool-types.js';

const NO_JIT = '-c jit=off';

/** Disables JIT for the rest of a transaction or pipelined batch. */
export const withoutJit = sql`set_config('jit', 'off', true)`;
export const LOCAL_NO_JIT = silently(print(sql`select ${withoutJit}`));

/** Characters above which JIT is disabled. Shorter statements are compiled rarely, and in about 10 ms. */
export const LONG = 3000;

/** Milliseconds that the server's timeout exceeds the budget of a statement. */
const SERVER_MARGIN = 1000;

/** Sets the timeout of a transaction on the server, unless the session has one. A budget of 0 sets none. */
export const withTimeout = (statementTimeout: number): Sql => sql`case current_setting('statement_timeout')
  when '0' then set_config('statement_timeout', ${param(boundOf(statementTimeout))}, true) end`;

const boundOf = (statementTimeout: number): string =>
  statementTimeout > 0 ? String(statementTimeout + SERVER_MARGIN) : '0';

export const mayCompile = ({ options }: Pool): boolean => options.options?.includes(NO_JIT) !== true;

const CONNECT_TIMEOUT = 3000;
/** Name of the connections in `pg_stat_activity`. */
const APPLICATION_NAME = 'nestjs-content-api';
/** Session settings that a server's configuration may have changed. */
const SESSION = `${NO_JIT} -c extra_float_digits=1 -c default_transaction_isolation=read\\ committed`;

/**
 * Returns options of node-postgres for new connections: a connect timeout and, with `withSession`, settings
 * of the session and its statement timeout. `statementTimeout` is in milliseconds; 0 sets none.
 */
export const connectionOptions = (
  statementTimeout: number,
  withSession: boolean,
): Readonly<Record<string, string | number>> => ({
  connectionTimeoutMillis: CONNECT_TIMEOUT,
  // A name in the URL or in PGAPPNAME takes precedence.
  fallback_application_name: APPLICATION_NAME,
  ...(withSession ? { options: SESSION } : {}),
  ...(withSession && statementTimeout > 0 ? { statement_timeout: statementTimeout + SERVER_MARGIN } : {}),
});
