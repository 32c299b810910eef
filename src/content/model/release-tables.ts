/** Tables of releases: sets of documents that are published and unpublished together. */
import { type Identifier, identifier } from '../../kernel/sql.js';
import type { ContentType } from './model.js';
import { inSchema, splitTable } from './naming.js';
import { type OwnColumn, ownColumn } from './own-column.js';

const RELEASE = identifier('content_release');
const ENTRY = identifier('content_release_entry');

export const RELEASE_INDEX = identifier('content_release_by_time');
export const RELEASE_ENTRY_INDEX = identifier('content_release_entry_by_release');

/** Names that no content type can have. */
export const RELEASE_NAMES: readonly Identifier[] = [RELEASE, ENTRY, RELEASE_INDEX, RELEASE_ENTRY_INDEX];

export interface ReleaseTables {
  readonly release: Identifier;
  readonly entry: Identifier;
}

export const releaseTablesOf = ({ table }: Pick<ContentType, 'table'>): ReleaseTables => {
  const { schema } = splitTable(table);
  return { release: inSchema(schema, RELEASE), entry: inSchema(schema, ENTRY) };
};

/** Columns of the releases. A failed row stores its error, and the entry that caused it. */
export const RELEASE_COLUMNS: readonly OwnColumn[] = [
  ownColumn('id', 'bigint', { key: true }),
  ownColumn('name', 'text'),
  ownColumn('due_at', 'timestamptz(3)', { nullable: true }),
  ownColumn('attempts', 'integer'),
  ownColumn('created_at', 'timestamptz(3)'),
  ownColumn('created_by', 'text'),
  ownColumn('created_by_id', 'text', { nullable: true }),
  ownColumn('updated_at', 'timestamptz(3)'),
  ownColumn('released_at', 'timestamptz(3)', { nullable: true }),
  ownColumn('released_by', 'text', { nullable: true }),
  ownColumn('released_by_id', 'text', { nullable: true }),
  ownColumn('request_id', 'text', { nullable: true }),
  ownColumn('failed_at', 'timestamptz(3)', { nullable: true }),
  ownColumn('failure', 'text', { nullable: true }),
  ownColumn('failed_entry', 'bigint', { nullable: true }),
];

/**
 * Columns of the entries. `locale` is `*` for all locales, and for types without locales. `undo` has the
 * stored versions of before and after the release, by locale; null if no history has them.
 */
export const RELEASE_ENTRY_COLUMNS: readonly OwnColumn[] = [
  ownColumn('id', 'bigint', { key: true }),
  ownColumn('release_id', 'bigint'),
  ownColumn('type', 'text'),
  ownColumn('document_id', 'text'),
  ownColumn('locale', 'text'),
  ownColumn('action', 'text'),
  ownColumn('undo', 'jsonb', { nullable: true, later: true }),
];
