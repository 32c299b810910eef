/** Stored versions of documents of types with `history`. */
import { type Identifier, identifier } from '../../kernel/sql.js';
import type { ContentType } from './model.js';
import { inSchema, splitTable } from './naming.js';
import { type OwnColumn, ownColumn } from './own-column.js';

/** Key of the creation time in a content. Versions that earlier releases of the library stored lack it. */
export const CREATED_AT = identifier('createdAt');

export const HISTORY_TABLE = identifier('content_version');

export const HISTORY_INDEX = identifier('content_version_by_document');

/** Index of the deletions, which are few: the trash would otherwise read all versions. */
export const DELETION_INDEX = identifier('content_version_deletions');

/** Name of stored versions in archives. */
export const HISTORY_MEMBER = identifier('history');

export const historyTableOf = ({ table }: Pick<ContentType, 'table'>): Identifier =>
  inSchema(splitTable(table).schema, HISTORY_TABLE);

/**
 * Columns of the stored versions. `content` is a version after a write, null if the write deleted it. `since`
 * is the first write of the sitting that the row stands for, `at` the last.
 */
export const HISTORY_COLUMNS: readonly OwnColumn[] = [
  ownColumn('id', 'bigint', { key: true }),
  ownColumn('type', 'text'),
  ownColumn('document_id', 'text'),
  ownColumn('locale', 'text'),
  ownColumn('published', 'boolean'),
  ownColumn('action', 'text'),
  ownColumn('since', 'timestamptz(3)'),
  ownColumn('at', 'timestamptz(3)'),
  ownColumn('actor', 'text'),
  ownColumn('actor_id', 'text', { nullable: true }),
  ownColumn('request_id', 'text', { nullable: true }),
  ownColumn('content', 'jsonb', { nullable: true }),
];
