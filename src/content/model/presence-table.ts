/** Table of the documents that editors have open at the desk. */
import { type Identifier, identifier } from '../../kernel/sql.js';
import type { ContentType } from './model.js';
import { inSchema, splitTable } from './naming.js';
import { type OwnColumn, ownColumn } from './own-column.js';

const NAME = identifier('content_presence');

/** Names that no content type can have. */
export const PRESENCE_NAMES: readonly Identifier[] = [NAME];

export const presenceTableOf = ({ table }: Pick<ContentType, 'table'>): Identifier =>
  inSchema(splitTable(table).schema, NAME);

/**
 * Columns. `id` names a form, `place` its document and locale, `saved` the `updatedAt` of its last save.
 */
export const PRESENCE_COLUMNS: readonly OwnColumn[] = [
  ownColumn('id', 'text', { key: true }),
  ownColumn('place', 'text'),
  ownColumn('editor', 'text'),
  ownColumn('name', 'text'),
  ownColumn('saved', 'text', { nullable: true }),
  ownColumn('seen_at', 'timestamptz(3)'),
];
