/** Table with the model that the stored content conforms to. */
import { type Identifier, identifier } from '../../kernel/sql.js';
import type { ContentType } from './model.js';
import { inSchema, splitTable } from './naming.js';
import { type OwnColumn, ownColumn } from './own-column.js';

/**
 * Contains the model that the rows of all other tables conform to. A second row records the backfills of a
 * migration that has not ended.
 */
export const MODEL_TABLE = identifier('content_model');

export const modelTableOf = ({ table }: Pick<ContentType, 'table'>): Identifier =>
  inSchema(splitTable(table).schema, MODEL_TABLE);

/** The `id` of the model is 1, that of the backfills 2. */
export const MODEL_COLUMNS: readonly OwnColumn[] = [
  ownColumn('id', 'integer', { key: true }),
  ownColumn('digest', 'text'),
  ownColumn('description', 'jsonb'),
  ownColumn('applied_at', 'timestamptz(3)'),
];
