/** Table of the hashes in URLs that files had before their content was replaced. */
import { type Identifier, identifier } from '../../kernel/sql.js';
import type { ContentType } from './model.js';
import { inSchema, splitTable } from './naming.js';
import { type OwnColumn, ownColumn } from './own-column.js';

const NAME = identifier('content_former_file');

/** Names that no content type can have. */
export const FORMER_FILE_NAMES: readonly Identifier[] = [NAME];

/** Member of archived files that contains their former hashes. */
export const FORMER_HASHES = identifier('formerHashes');

export const formerFileTableOf = ({ table }: Pick<ContentType, 'table'>): Identifier =>
  inSchema(splitTable(table).schema, NAME);

export const FORMER_FILE_INDEX = identifier('content_former_file_by_document');

export const FORMER_FILE_COLUMNS: readonly OwnColumn[] = [
  ownColumn('hash', 'text', { key: true }),
  ownColumn('document_id', 'text'),
];
