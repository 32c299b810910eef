import { isObject, isText } from './json.js';

/**
 * Names of all errors in responses, with their HTTP status (protocol 2.2).
 *
 * `docs/errors.md` explains each; a test keeps the two consistent.
 */
export const ERRORS = {
  ValidationError: 400,
  PaginationError: 400,
  ApplicationError: 400,
  BadRequestError: 400,
  SyntaxError: 400,
  UnauthorizedError: 401,
  ForbiddenError: 403,
  NotFoundError: 404,
  MethodNotAllowedError: 405,
  ConflictError: 409,
  PreconditionFailedError: 412,
  PayloadTooLargeError: 413,
  UriTooLongError: 414,
  UnsupportedMediaTypeError: 415,
  UnprocessableEntityError: 422,
  RateLimitError: 429,
  InternalServerError: 500,
  ServiceUnavailableError: 503,
  OutcomeUnknownError: 503,
} as const;

export type ErrorName = keyof typeof ERRORS;

/** Problem in a request body: path, message, and the rejected value (protocol 2.4). */
export interface Issue {
  readonly path: readonly string[];
  readonly message: string;
  readonly name: 'ValidationError';
  readonly value?: unknown;
  /** Missing grant, of a relation that changes other documents (D26). */
  readonly grant?: unknown;
}

/** Message for a unique value that another document has (protocol 14.18). */
export const NOT_UNIQUE = 'This attribute must be unique';

/** Message for values that are unique only together (protocol 14.26). */
export const takenTogether = (names: readonly string[]): string =>
  `These attributes must be unique together: ${names.join(', ')}`;

/** Message for values that an index cannot hold; one of several is too long. */
export const tooLongTogether = (names: readonly string[]): string =>
  `${names.join(', ')}: too long for values that must be unique`;

/** Replaces all problems of attributes that the caller can neither read nor write (D27). */
export const HIDDEN_ISSUE: Issue = {
  path: [],
  message: 'The document is not valid in attributes that you cannot access',
  name: 'ValidationError',
};

/** Location of a rejected key: a query parameter, or the request body (protocol 2.6). */
export type Source = { readonly source: 'query'; readonly param: string } | { readonly source: 'body' };

/**
 * Exception class of this library. `name` is a key of {@link ERRORS}, `status` its HTTP status. `details`
 * appear in the response.
 *
 * @publicApi
 */
export class ContentError extends Error {
  override readonly name: ErrorName;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(name: ErrorName, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = name;
    this.status = ERRORS[name];
    this.details = details;
  }
}

const NAMES = new Map<number, ErrorName>(
  (
    [
      'BadRequestError',
      'UnauthorizedError',
      'ForbiddenError',
      'NotFoundError',
      'MethodNotAllowedError',
      'ConflictError',
      'PreconditionFailedError',
      'PayloadTooLargeError',
      'UriTooLongError',
      'UnsupportedMediaTypeError',
      'RateLimitError',
      'ServiceUnavailableError',
    ] as const
  ).map((name) => [ERRORS[name], name]),
);

/** Returns the name of an error of the application with an HTTP status. */
export const nameOfStatus = (status: number): ErrorName =>
  NAMES.get(status) ?? (status < 500 ? 'ApplicationError' : 'InternalServerError');

/** Returns a copy of an error with other details. */
export const withDetails = (
  { name, message, status, cause }: ContentError,
  details: ContentError['details'],
): ContentError => Object.assign(new ContentError(name, message, details), { status, cause });

/** Returns an error of this library with its place, unless its details name one; others as they are. */
export const placed = (error: unknown, place: ContentError['details']): unknown =>
  error instanceof ContentError ? withDetails(error, { ...place, ...error.details }) : error;

export const validationError = (message: string, details?: Record<string, unknown>): ContentError =>
  new ContentError('ValidationError', message, details);

export const notFound = (): ContentError => new ContentError('NotFoundError', 'Not Found');

const isIssues = (value: unknown): value is readonly Issue[] => Array.isArray(value);

/** Returns the problems in the details of an error; none for other errors. */
export const issuesOf = (error: unknown): readonly Issue[] =>
  error instanceof ContentError && isIssues(error.details['errors']) ? error.details['errors'] : [];

/** Reports a wrong value of a top-level key of a body or form. */
export const wrongValue = (key: string, message: string): ContentError =>
  validationError(message, { key, path: key, source: 'body' });

/** Reports that an `If-Match` or `If-None-Match` condition failed; nothing was written. */
export const preconditionFailed = (): ContentError =>
  new ContentError('PreconditionFailedError', 'Precondition Failed');

/** Reports JSON that is neither an object nor an array (protocol 1.13). */
export const noContainer = (): ContentError =>
  new ContentError('SyntaxError', 'invalid JSON, only supports object and array');

export const forbidden = (): ContentError => new ContentError('ForbiddenError', 'Forbidden');

/**
 * Reports a grant whose condition the caller cannot meet, because a value does not fit. The reason is the
 * `cause`, for the log only.
 */
export function unmetGrant(reason: string): ContentError {
  const error = forbidden();
  error.cause = new Error(reason);
  return error;
}

/** Reports a valid request that the current state does not allow. */
export const application = (message: string): ContentError => new ContentError('ApplicationError', message);

/** Returns the message of anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns the stack of an error for the log, or its text. */
export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** Returns the code of an error of Node.js; an empty string for other errors. */
export const codeOf = (error: unknown): string =>
  isObject(error) && isText(error['code']) ? error['code'] : '';

/** Seconds in `Retry-After`. */
const RETRY_AFTER = 1;

/** Reports a temporary failure; nothing was written. `details` name the limit, if a limit was exceeded. */
export const unavailable = (message: string, details: Readonly<Record<string, unknown>> = {}): ContentError =>
  new ContentError('ServiceUnavailableError', message, { ...details, retryAfter: RETRY_AFTER });

/**
 * Reports that the database did not confirm a COMMIT, so that its outcome is unknown. Sets no `Retry-After`.
 */
export function outcomeUnknown(cause: unknown): ContentError {
  const message =
    'The database did not confirm the write, so it may or may not be stored. ' +
    'Read the document before you repeat the request, or repeat it with the same Idempotency-Key';
  const error = new ContentError('OutcomeUnknownError', message);
  error.cause = cause;
  return error;
}

export interface KeyPath {
  readonly at: string;
  /** Path of a known but rejected key. For an unknown key it equals `at`, or null at the root. */
  readonly path: string | null;
}

/** `Invalid key X at a.b` (protocol 2.5). */
export function invalidKey(key: string, { at, path }: KeyPath, source: Source): ContentError {
  const message = at === '' ? `Invalid key ${key}` : `Invalid key ${key} at ${at}`;
  return validationError(message, { key, path, ...source });
}

/** Throws a 400 for the first key of an object that is not among the known ones. */
export function refuseOtherKeys(input: object, allowed: readonly string[], source: Source['source']): void {
  const key = Object.keys(input).find((one) => !allowed.includes(one));
  if (key !== undefined) throw validationError(`Invalid key ${key}`, { key, path: key, source });
}

/**
 * Combines all problems of a body in one error: the message of a single problem, a count for several
 * (protocol 2.4).
 */
export function issuesError(issues: readonly Issue[]): ContentError {
  const [first] = issues;
  const message =
    issues.length === 1 && first !== undefined ? first.message : `${issues.length} errors occurred`;
  return validationError(message, { errors: issues });
}

/** Whether an error reports a value that another document has; a unique index reports the first one only. */
export function isTaken(error: unknown): boolean {
  const errors: unknown = error instanceof ContentError ? error.details['errors'] : undefined;
  return Array.isArray(errors) && errors.some((issue: Issue) => issue.message === NOT_UNIQUE);
}

export interface Refusal {
  readonly error: ContentError;
  readonly path: readonly string[];
}

const issueOf = ({ error: { message, details }, path }: Refusal): Issue => ({
  path,
  message,
  name: 'ValidationError',
  ...('grant' in details ? { grant: details['grant'] } : {}),
});

/**
 * Combines all problems of a body in one error. A refusal without further problems is thrown unchanged, with
 * its own details (protocol 2.5, 11.18). Other problems at a refused path follow from the refusal, and are
 * left out.
 */
export function bodyError(refusals: readonly Refusal[], issues: readonly Issue[]): ContentError {
  const refused = new Set(refusals.map(({ path }) => path.join('.')));
  const others = issues.filter(({ path }) => !refused.has(path.join('.')));
  const [first] = refusals;
  if (first !== undefined && refusals.length + others.length === 1) return first.error;
  return issuesError([...refusals.map(issueOf), ...others]);
}

/** Reports that a request exceeded a limit, with its name and value. */
export const overLimit = (limit: string, allowed: number, what: string): ContentError =>
  validationError(`${what} (limit "${limit}": ${allowed})`, { limit, allowed });
