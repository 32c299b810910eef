/** Table of the responses to requests with an `Idempotency-Key`. */
import { type Identifier, identifier } from '../../kernel/sql.js';
import type { ContentType } from './model.js';
import { inSchema, splitTable } from './naming.js';
import { type OwnColumn, ownColumn } from './own-column.js';

export const requestKeyTableOf = ({ table }: Pick<ContentType, 'table'>): Identifier =>
  inSchema(splitTable(table).schema, identifier('content_request_key'));

export const REQUEST_KEY_INDEX = identifier('content_request_key_by_time');

/**
 * Columns. `id` is a digest of the caller and the key, `fingerprint` a digest of the request, `answer` JSON.
 */
export const REQUEST_KEY_COLUMNS: readonly OwnColumn[] = [
  ownColumn('id', 'text', { key: true }),
  ownColumn('fingerprint', 'text'),
  ownColumn('answer', 'text'),
  ownColumn('created_at', 'timestamptz(3)'),
];
