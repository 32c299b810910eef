/** Options and parameters of the methods of ContentService. */
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Caller } from '../access/caller.js';
import { validationError } from '../../kernel/errors.js';
import { parseTags } from '../query/parse-tags.js';
import type { RawQuery } from '../query/read-raw.js';
import type { ChangeFor, NewFor, Status } from '../../types/face.js';
import type { WriteOptions } from './write-options.js';

/**
 * Query parameters of the REST API as an object: `{ filters: { name: { $eq: 'x' } }, populate: ['region'] }`.
 */
export type ContentQuery = RawQuery;

/** Caller and transaction of a method. */
export interface ServiceOptions {
  /** Default: the application itself, which has all permissions. */
  readonly as?: Caller;
  /**
   * Entity manager of a transaction begun with `em.transactional`. The method joins it: a write is stored
   * with the transaction, and a read sees what the transaction has written.
   */
  readonly em?: SqlEntityManager | undefined;
  /**
   * ETag or ETags of the version that a write expects, or `'*'` for any version. If another version exists,
   * or none, the write throws PreconditionFailedError and changes nothing.
   */
  readonly ifMatch?: string | readonly string[];
}

const OPTIONS: readonly string[] = ['as', 'em', 'ifMatch'] satisfies (keyof ServiceOptions)[];

/** Throws a 400 for options in place of a query: as parameters they would be ignored. */
export function refuseOptions(query: object): void {
  const key = Object.keys(query).find((name) => OPTIONS.includes(name));
  if (key === undefined) return;
  throw validationError(`Invalid key ${key}: options follow the query`, {
    key,
    path: null,
    source: 'query',
    param: key,
  });
}

/** Document and its ETag, for a later write with `ifMatch`. */
export interface ReadVersion<T> {
  readonly data: T;
  readonly etag: string;
}

export interface ServiceRequest {
  readonly query: object;
  readonly as: Caller;
}

export interface BulkTarget {
  readonly locale?: string;
  readonly status?: Status;
}

interface StoredTarget extends BulkTarget {
  readonly documentId: string;
  /** ETag of the version that the item expects. */
  readonly ifMatch?: string;
}

/** Write of one document in a list; see `ContentService.bulk`. */
export type BulkItemFor<T> =
  | (BulkTarget & { readonly action: 'create'; readonly data: NewFor<T, Status> })
  | (StoredTarget & { readonly action: 'update'; readonly data: ChangeFor<T, Status> })
  | (StoredTarget & { readonly action: 'delete' | 'publish' | 'unpublish' | 'discard' });

export const writing = (
  caller: Caller,
  { em, ifMatch }: Pick<ServiceOptions, 'em' | 'ifMatch'>,
): WriteOptions => ({
  caller,
  ...(em === undefined ? {} : { em }),
  ...(ifMatch === undefined ? {} : { precondition: { match: parseTags(ifMatch), noneMatch: null } }),
});
