/** Maps PostgreSQL's errors to those of the library. An error that no client can cause stays a 500. */
import {
  ContentError,
  issuesError,
  TAKEN,
  unavailable,
  UNTOLD,
  validationError,
} from '../../kernel/errors.js';
import {
  driverError,
  isOutdated,
  isRetryable,
  MAKE_TABLES,
  reasonAway,
  timedOut,
} from '../../kernel/postgres-errors.js';
import type { ScalarAttribute, Schema } from '../model/model.js';

/**
 * Unique attributes that an error message may name. It has a value only if the request carried it (D27).
 */
export type UniqueValues = Map<ScalarAttribute, { readonly value?: unknown }>;

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
  '54000',
  '54001',
  '2201B',
]);

function awayMessage(error: unknown, namesTables: boolean): string {
  if (!isOutdated(error) || !namesTables) return 'The database is not available';
  const isMissing = driverError(error)?.code === '42P01';
  return `The tables of the content model are ${isMissing ? 'missing' : 'of another model'}: ${MAKE_TABLES}`;
}

function uniqueViolation(
  constraint: string | undefined,
  schema: Schema,
  values: Readonly<Pick<UniqueValues, 'get'>>,
): ContentError | undefined {
  if (constraint === undefined) return undefined;
  for (const { singularApiId, storage } of schema.types.values()) {
    const attribute = storage.uniqueNames.get(constraint);
    if (attribute === undefined && storage.contended.includes(constraint))
      return new ContentError(
        'ConflictError',
        `Another request has just written the same ${singularApiId}; try again`,
      );
    if (attribute === undefined) continue;
    const said = values.get(attribute);
    if (said === undefined) return issuesError([UNTOLD]);
    return issuesError([{ path: [attribute.name], message: TAKEN, name: 'ValidationError', ...said }]);
  }
  return undefined;
}

export interface ErrorContext {
  readonly schema: Schema;
  readonly values: Readonly<Pick<UniqueValues, 'get'>>;
  readonly statementTimeout: number;
  readonly namesTables: boolean;
}

/** Maps errors of a client's data to a 4xx, and states of the database to a 503. Returns others unchanged. */
export function mapDatabaseError(
  error: unknown,
  { schema, values, statementTimeout, namesTables }: ErrorContext,
): unknown {
  if (error instanceof ContentError) return error;
  const code = driverError(error)?.code ?? '';
  if (code === '23505') return uniqueViolation(driverError(error)?.constraint, schema, values) ?? error;
  if (code === '57014') return timedOut(statementTimeout);
  if (isRetryable(error)) {
    return unavailable('The document is being written by too many requests at once; try again');
  }
  if (reasonAway(error) !== null) return unavailable(awayMessage(error, namesTables));
  return INVALID_DATA.has(code) ? validationError('A value cannot be stored') : error;
}
