/** Results of the items of a bulk that is not atomic: what was written, what was not, and what is unknown. */
import { Logger } from '@nestjs/common';
import { ContentError, stackOf, unavailable } from '../../kernel/errors.js';
import { isRetryable, isTimeout } from '../../kernel/postgres-errors.js';
import type { BulkItem } from '../query/parse-bulk.js';
import { Answer } from './answer.js';

/** Failed item. */
interface Failure {
  readonly index: number;
  readonly documentId: string | null;
  readonly error: Pick<ContentError, 'status' | 'name' | 'message' | 'details'>;
}

const logger = new Logger('ContentApi');

/** Returns the error of an item in the response. Others may succeed. An unexpected one is logged. */
export function faultOf(error: unknown, requestId: string | null): ContentError {
  if (error instanceof ContentError) return error;
  logger.error(`An item of request ${requestId ?? ''} failed: ${stackOf(error)}`);
  return new ContentError('InternalServerError', 'Internal Server Error');
}

const isUnknown = ({ name }: ContentError): boolean => name === 'OutcomeUnknownError';

/**
 * Whether the database cannot be reached, or has not confirmed a commit. A timeout, and a document with too
 * many writers, concern one transaction. A 503 of a hook has no `retryAfter`.
 */
const isAway = (error: ContentError): boolean =>
  isUnknown(error) || ('retryAfter' in error.details && !isTimeout(error) && !isRetryable(error));

export const listOf = (answers: readonly (Answer | null)[]): string =>
  `[${answers.map((answer) => answer?.data ?? 'null').join(',')}]`;

function failureOf(error: ContentError, of: Omit<Failure, 'error'>): Failure {
  const { status, name, message } = error;
  // The index of a transaction of several items is not that of the request.
  const { index: _index, ...details } = error.details;
  return { ...of, error: { status, name, message, details } };
}

/** Responses and errors by item, in their order. */
export class BulkResults {
  private readonly results: (Answer | ContentError)[] = [];

  constructor(private readonly items: readonly Pick<BulkItem, 'documentId'>[]) {}

  add(...results: readonly (Answer | ContentError)[]): void {
    this.results.push(...results);
  }

  /**
   * Whether the other items cannot be written either, after the error of `tried` items. A second item that
   * takes too long ends the bulk, which bounds its time.
   */
  mustStop(error: unknown, tried: number): error is ContentError {
    if (!(error instanceof ContentError)) return false;
    return isAway(error) || (tried === 1 && isTimeout(error) && this.results.some(isTimeout));
  }

  /**
   * Ends the bulk after an error of the database: the next `tried` items have that error, and the others were
   * not tried. Throws the error if it is true of all items.
   */
  stop(error: ContentError, tried: number): void {
    const left = this.items.length - this.results.length;
    const hasWritten = this.results.some((one) => one instanceof Answer);
    if (!hasWritten && (!isUnknown(error) || left === tried)) throw error;
    const rest = isUnknown(error) ? unavailable('Not tried: the database cannot be reached') : error;
    this.add(...Array<ContentError>(tried).fill(error), ...Array<ContentError>(left - tried).fill(rest));
  }

  answer(): Answer {
    const answers = this.results.map((one) => (one instanceof Answer ? one : null));
    const errors = this.results.flatMap((one, index) =>
      one instanceof Answer
        ? []
        : [failureOf(one, { index, documentId: this.items[index]?.documentId ?? null })],
    );
    return new Answer(listOf(answers), {
      done: answers.length - errors.length,
      failed: errors.length,
      errors,
    });
  }
}
