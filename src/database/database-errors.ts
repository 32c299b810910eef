/** PostgreSQL's error codes → this library's errors. What a client cannot cause stays what it is, a 500. */
import { ContentError, issuesError, validationError } from '../errors.js';
import type { ContentType, ScalarAttribute, Schema } from '../schema/model.js';
import { uniqueIndexName } from '../schema/naming.js';
import { contendedIndexes } from './entities.js';

interface DriverError {
  readonly code: string;
  readonly constraint?: string;
}

function driverError(error: unknown): DriverError | undefined {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    if ('code' in at && typeof at.code === 'string' && at.code.length === 5) return at as DriverError;
  }
  return undefined;
}

/** Serialization failures and deadlocks: the transaction may be tried again. */
export const isRetryable = (error: unknown): boolean =>
  ['40001', '40P01'].includes(driverError(error)?.code ?? '');

/** Whether an error is the given index refusing a second row. */
export const isViolationOf = (error: unknown, index: string): boolean => {
  const found = driverError(error);
  return found?.code === '23505' && found.constraint === index;
};

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

/** A table or column that is not there. */
const OUTDATED = new Set(['42P01', '42703']);

/** A statement that took longer than its budget. */
export const timedOut = (milliseconds: number): ContentError =>
  new ContentError(
    'ServiceUnavailableError',
    `The database took too long (limit "statementTimeout": ${milliseconds} ms)`,
    {
      limit: 'statementTimeout',
      allowed: milliseconds,
    },
  );

function uniqueViolation(
  constraint: string | undefined,
  schema: Schema,
  values: ReadonlyMap<string, unknown>,
): ContentError | undefined {
  for (const type of schema.types.values()) {
    if (
      constraint !== undefined &&
      !isUniqueAttribute(type, constraint) &&
      contendedIndexes(type).includes(constraint)
    ) {
      return new ContentError(
        'ConflictError',
        `Another request has just written the same ${type.singularApiId}; try again`,
      );
    }
    const attribute = uniqueAttribute(type, constraint);
    if (attribute === undefined) continue;
    const value = values.get(attribute.name);
    return issuesError([
      {
        path: [attribute.name],
        message: 'This attribute must be unique',
        name: 'ValidationError',
        ...(value === undefined ? {} : { value }),
      },
    ]);
  }
  return undefined;
}

const isUniqueAttribute = (type: ContentType, constraint: string): boolean =>
  uniqueAttribute(type, constraint) !== undefined;

function uniqueAttribute(type: ContentType, constraint: string | undefined): ScalarAttribute | undefined {
  for (const attribute of type.attributes.values()) {
    if (attribute.kind === 'scalar' && !attribute.system && uniqueIndexName(type, attribute) === constraint)
      return attribute;
  }
  return undefined;
}

/**
 * Maps what a client's data caused to a 4xx; returns other errors unchanged. `values` are the ones being
 * written.
 */
export function mapDatabaseError(
  error: unknown,
  schema: Schema,
  values: ReadonlyMap<string, unknown>,
  timeout: number,
): unknown {
  if (error instanceof ContentError) return error;
  const found = driverError(error);
  if (found === undefined) return error;
  if (found.code === '23505') return uniqueViolation(found.constraint, schema, values) ?? error;
  if (found.code === '57014') return timedOut(timeout);
  if (isRetryable(error))
    return new ContentError(
      'ServiceUnavailableError',
      'The document is being written by too many requests at once; try again',
    );
  if (OUTDATED.has(found.code))
    return new Error(
      `The tables are not those of the content model: run the migrations, or orm.schema.update({ safe: true }) (${String(error)})`,
      { cause: error },
    );
  return INVALID_DATA.has(found.code) ? validationError('A value cannot be stored') : error;
}
