/** Errors of PostgreSQL and of the driver, and the state of the connection after them. */
import { ContentError, unavailable } from './errors.js';
import { isObject } from './json.js';

interface DriverError {
  readonly code: string;
  readonly severity?: string;
  readonly constraint?: string;
}

/** Yields an error, its cause, the cause of that, and so on. */
function* causesOf(error: unknown): Generator<Readonly<Record<string, unknown>>> {
  for (let at = error; isObject(at); at = at['cause']) yield at;
}

const isDriverError = (error: object): error is DriverError =>
  'code' in error && typeof error.code === 'string' && error.code.length === 5;

export function driverError(error: unknown): DriverError | undefined {
  for (const at of causesOf(error)) if (isDriverError(at)) return at;
  return undefined;
}

/** Serialization failures and deadlocks: the transaction may be tried again. */
export const isRetryable = (error: unknown): boolean =>
  ['40001', '40P01'].includes(driverError(error)?.code ?? '');

export const isUniqueViolation = (error: unknown): boolean => driverError(error)?.code === '23505';

export const isViolationOf = (error: unknown, index: string): boolean =>
  isUniqueViolation(error) && driverError(error)?.constraint === index;

/** Whether the server has ended the connection, or refused to open it: no other statement may get it. */
export const hasEnded = (error: unknown): boolean => driverError(error)?.severity === 'FATAL';

/**
 * Returns whether a prepared statement was missing, already present, or another one: a pooler has switched
 * the connection to another server session.
 */
export function isStatementMismatch(error: unknown): boolean {
  const code = driverError(error)?.code;
  return code === '26000' || code === '42P05' || (code === '08P01' && MISBOUND.test(firstLine(error)));
}

const MISBOUND = /^bind message/;

/** SQLSTATEs that end a session: its transaction may have been committed before. */
const ENDS_SESSION = /^(?:57P|25P0[34])/;

/** Whether the server has refused a statement, and with it the transaction, and the session stays open. */
export function isRefusal(error: unknown): boolean {
  const { code = '', severity } = driverError(error) ?? {};
  return typeof severity === 'string' && !['FATAL', 'PANIC'].includes(severity) && !ENDS_SESSION.test(code);
}

/** Whether the server has refused a value, or a row that a constraint does not allow. */
export const isDataError = (error: unknown): boolean => /^2[23]/.test(driverError(error)?.code ?? '');

/** SQLSTATEs of tables that do not match the model: a missing table, column or index, or another type. */
const MODEL_MISMATCH = new Set(['42P01', '42703', '42883', '42804', '42P10']);

/**
 * States of the database in which it cannot serve a request. Classes of SQLSTATE and single codes.
 */
const AWAY_CLASSES = ['08', '28', '3D', '53', '57', '58'];
const AWAY_CODES = new Set(['25006', '55P03', ...MODEL_MISMATCH]);

/** Errors of the network and of the driver, which have no SQLSTATE. */
const NETWORK = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_)/;
const DRIVER = new RegExp(
  [
    'connection terminated',
    'query read timeout',
    'timeout exceeded when trying to connect',
    'not queryable',
    'calling end on the pool',
    'terminating connection',
  ].join('|'),
  'i',
);

const LATE = /connection timeout|timeout exceeded when trying to connect|^timeout expired$/i;

/** Returns whether the driver's timeout elapsed while it opened a connection. */
export const isLateConnect = (error: unknown): boolean => error instanceof Error && LATE.test(error.message);

/** Returns in one line why the database is unreachable or cannot serve; null for other errors. */
export function outageReason(error: unknown): string | null {
  const code = driverError(error)?.code;
  if (code !== undefined) {
    const line = firstLine(error);
    const isAway = AWAY_CODES.has(code) || AWAY_CLASSES.some((start) => code.startsWith(start));
    if (isAway || hasEnded(error) || REFUSED_SETTINGS.test(line))
      return `${code} ${line}${adviceOn(code, line)}`;
  }
  for (const at of causesOf(error)) {
    const { code: name = '', message = '' } = at;
    if (NETWORK.test(String(name)) || DRIVER.test(String(message))) return firstLine(at);
  }
  return null;
}

/** Advice in log lines and errors if the stored content has another model. */
export const MIGRATE = 'run "npx nestjs-content-api migration" and the migrations';

/** Advice if the tables have another model: `schema.update` adds tables and columns, but moves no content. */
export const MAKE_TABLES = `${MIGRATE}, or orm.schema.update({ safe: true })`;

const OUTDATED_ADVICE = `. The tables are not those of the content model: ${MAKE_TABLES}`;

/** Messages of poolers that refuse settings of a connection. */
const REFUSED_SETTINGS = /startup parameter|command-line options/i;
const POOLER_ADVICE =
  '. A pooler refuses settings that come with a connection: set "preparedStatements: false". In session mode ' +
  'you can let the pooler ignore them instead (PgBouncer: ignore_startup_parameters)';

function adviceOn(code: string, line: string): string {
  if (MODEL_MISMATCH.has(code)) return OUTDATED_ADVICE;
  return REFUSED_SETTINGS.test(line) ? POOLER_ADVICE : '';
}

export const isModelMismatch = (error: unknown): boolean =>
  MODEL_MISMATCH.has(driverError(error)?.code ?? '');

export function firstLine(error: unknown): string {
  const { code, message }: Readonly<Record<string, unknown>> = isObject(error) ? error : {};
  const text = typeof message === 'string' && message !== '' ? message : String(code ?? error);
  return text.split('\n', 1)[0] ?? '';
}

/** A statement that took longer than its budget. */
export const timedOut = (milliseconds: number): ContentError =>
  unavailable(`The database took too long (limit "statementTimeout": ${milliseconds} ms)`, {
    limit: 'statementTimeout',
    allowed: milliseconds,
  });

/** Returns whether a statement exceeded its timeout, in this process or on the server. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof ContentError
    ? error.details['limit'] === 'statementTimeout'
    : driverError(error)?.code === '57014';

/** Error of a request that waited too long for a slot, or found the queue full. */
export const overloaded = (limit: 'queueTimeout' | 'queueLength', allowed: number): ContentError =>
  unavailable(`Too many requests wait for the database (limit "load.${limit}": ${allowed})`, {
    limit: `load.${limit}`,
    allowed,
  });
