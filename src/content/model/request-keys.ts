/** Table of the responses to requests with an `Idempotency-Key`. */
import { type Identifier, identifier } from '../../kernel/sql.js';
import type { ContentType } from './model.js';
import { inSchema, parted } from './naming.js';

export const requestKeyTableOf = ({ table }: Pick<ContentType, 'table'>): Identifier =>
  inSchema(parted(table).schema, identifier('content_request_key'));

export const REQUEST_KEY_INDEX = identifier('content_request_key_by_time');

export interface RequestKeyColumn {
  readonly property: string;
  readonly name: Identifier;
  readonly type: 'text' | 'timestamptz(3)';
  readonly key: boolean;
}

const column = (property: string, name: string, type: RequestKeyColumn['type']): RequestKeyColumn => ({
  property,
  name: identifier(name),
  type,
  key: property === 'id',
});

/**
 * Columns. `id` is a digest of the caller and the key, `fingerprint` a digest of the request, `answer` JSON.
 */
export const REQUEST_KEY_COLUMNS: readonly RequestKeyColumn[] = [
  column('id', 'id', 'text'),
  column('fingerprint', 'fingerprint', 'text'),
  column('answer', 'answer', 'text'),
  column('createdAt', 'created_at', 'timestamptz(3)'),
];
