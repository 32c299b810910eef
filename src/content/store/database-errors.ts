/** Maps PostgreSQL's errors to those of the library. An error that no client can cause stays a 500. */
import {
  ContentError,
  type Issue,
  issuesError,
  NOT_UNIQUE,
  takenTogether,
  tooLongTogether,
  unavailable,
  HIDDEN_ISSUE,
  validationError,
} from '../../kernel/errors.js';
import {
  driverError,
  isModelMismatch,
  isRetryable,
  MAKE_TABLES,
  outageReason,
  timedOut,
} from '../../kernel/postgres-errors.js';
import type { Attribute, Schema } from '../model/model.js';

/**
 * Unique attributes that an error message may name, undefined for others. It has a value only if the request
 * carried it (D27).
 */
export type UniqueValues = Map<Attribute, { readonly value?: unknown } | undefined>;

const INVALID_DATA = new Set([
  '22P02',
  '22P05',
  '22001',
  '22003',
  '22007',
  '22008',
  '22021',
  '22023',
  '22012',
  '21000',
  '54001',
  '2201B',
]);

const UNIQUE = '23505';
/** A row of an index is longer than a third of a page. */
const TOO_LONG = '54000';

const NOT_STORED = 'A value cannot be stored';

function awayMessage(error: unknown, namesTables: boolean): string {
  if (!isModelMismatch(error) || !namesTables) return 'The database is not available';
  const isMissing = driverError(error)?.code === '42P01';
  return `The tables of the content model are ${isMissing ? 'missing' : 'of another model'}: ${MAKE_TABLES}`;
}

/** Returns the error of values that a unique index of the schema refuses. */
function uniqueViolation(error: unknown, { schema, values }: ErrorContext): ContentError | undefined {
  const { code, constraint } = driverError(error) ?? {};
  if (constraint === undefined) return undefined;
  for (const { singularApiId, storage } of schema.types.values()) {
    const attributes = storage.uniqueNames.get(constraint);
    if (attributes === undefined && code === UNIQUE && storage.contended.includes(constraint))
      return new ContentError(
        'ConflictError',
        `Another request has just written the same ${singularApiId}; try again`,
      );
    if (attributes !== undefined) return issuesError([indexIssue(attributes, { values, code })]);
  }
  return undefined;
}

interface IndexRefusal extends Pick<ErrorContext, 'values'> {
  readonly code: string | undefined;
}

/**
 * Returns the problem of values that are taken or too long. The message names several attributes; the path is
 * the first.
 */
function indexIssue(attributes: readonly Attribute[], { values, code }: IndexRefusal): Issue {
  const [first] = attributes;
  const said = attributes.map((attribute) => values.get(attribute));
  if (first === undefined || said.includes(undefined)) return HIDDEN_ISSUE;
  const names = attributes.map(({ name }) => name);
  if (code !== UNIQUE)
    return { path: [first.name], message: tooLongTogether(names), name: 'ValidationError' };
  const message = names.length === 1 ? NOT_UNIQUE : takenTogether(names);
  return { path: [first.name], message, name: 'ValidationError', ...(names.length === 1 ? said[0] : {}) };
}

export interface ErrorContext {
  readonly schema: Schema;
  readonly values: Readonly<Pick<UniqueValues, 'get'>>;
  readonly statementTimeout: number;
  readonly namesTables: boolean;
}

/** Maps errors of a client's data to a 4xx, and states of the database to a 503. Returns others unchanged. */
export function mapDatabaseError(error: unknown, context: ErrorContext): unknown {
  const { statementTimeout, namesTables } = context;
  if (error instanceof ContentError) return error;
  const code = driverError(error)?.code ?? '';
  if (code === UNIQUE) return uniqueViolation(error, context) ?? error;
  if (code === TOO_LONG) return uniqueViolation(error, context) ?? validationError(NOT_STORED);
  if (code === '57014') return timedOut(statementTimeout);
  if (isRetryable(error)) {
    return unavailable('The document is being written by too many requests at once; try again');
  }
  if (outageReason(error) !== null) return unavailable(awayMessage(error, namesTables));
  return INVALID_DATA.has(code) ? validationError(NOT_STORED) : error;
}
