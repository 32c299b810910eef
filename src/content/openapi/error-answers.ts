/** Error responses of an operation (protocol 2.1). */
import { type ErrorName, ERRORS } from '../../kernel/errors.js';
import { keysOf } from '../../kernel/json.js';
import type { Components } from './components.js';
import { json, type JsonSchema, list, NULL, open, type Reference, type Response, TEXT } from './document.js';

/** Details of an error; each error has some of them (protocol 2.4–2.6). */
const DETAILS: JsonSchema = {
  ...open({
    errors: list(
      open({ path: list(TEXT), message: TEXT, name: TEXT, value: {}, grant: TEXT }, [
        'path',
        'message',
        'name',
      ]),
    ),
    key: {},
    path: {},
    source: TEXT,
    param: TEXT,
  }),
  additionalProperties: true,
};

const namesOf = (status: number): ErrorName[] => keysOf(ERRORS).filter((name) => ERRORS[name] === status);

function errorSchema(status: number, names: readonly ErrorName[], components: Components): JsonSchema {
  const details = components.ref('schemas', { key: 'error details', name: 'ErrorDetails' }, () => DETAILS);
  const error = open(
    { status: { const: status }, name: { type: 'string', enum: names }, message: TEXT, details },
    ['status', 'name', 'message', 'details'],
  );
  return open({ data: NULL, error }, ['data', 'error']);
}

const RETRY: NonNullable<Response['headers']> = {
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
};

export const errorAnswers = (
  statuses: readonly number[],
  components: Components,
): Readonly<Record<string, Reference>> =>
  Object.fromEntries(
    statuses.map((status) => {
      const names = namesOf(status);
      const part = { key: `error ${status}`, name: `Error${status}` };
      const make = (): Response => ({
        description: names.join(', '),
        ...(status === ERRORS.ServiceUnavailableError ? { headers: RETRY } : {}),
        content: json(errorSchema(status, names, components)),
      });
      return [String(status), components.ref('responses', part, make)];
    }),
  );

const { ValidationError, UnauthorizedError, ForbiddenError, NotFoundError, ConflictError } = ERRORS;

/** Errors of every operation. */
export const ALWAYS: readonly number[] = [
  ValidationError,
  UnauthorizedError,
  ForbiddenError,
  ERRORS.UriTooLongError,
  ERRORS.InternalServerError,
  ERRORS.ServiceUnavailableError,
];

/** Errors of operations on one document, of writes, and of bodies. */
export const ON_DOCUMENT: readonly number[] = [NotFoundError];
const ON_WRITE: readonly number[] = [ConflictError, ERRORS.PreconditionFailedError];
export const ON_BODY: readonly number[] = [ERRORS.PayloadTooLargeError, ERRORS.UnsupportedMediaTypeError];

/** Returns the statuses of an operation. All methods except GET validate a body, even if they need none. */
export function statusesOf(method: string, own: readonly number[]): readonly number[] {
  const onWrite = method === 'get' ? [] : [...ON_WRITE, ...ON_BODY];
  return [...new Set([...ALWAYS, ...own, ...onWrite])].sort();
}
