/** The table that says under which model the content was stored. */
import { type Identifier, identifier } from '../sql.js';
import type { ContentType } from './model.js';
import { inSchema, parted } from './naming.js';

/** A table of one row: the model that the rows of all other tables belong to. */
export const MODEL_TABLE = identifier('content_model');

/** That table, where the tables of the model are. */
export const modelTableOf = ({ table }: Pick<ContentType, 'table'>): Identifier =>
  inSchema(parted(table).schema, MODEL_TABLE);

/** A column of that table. */
export interface ModelColumn {
  readonly property: string;
  readonly name: Identifier;
  readonly type: 'integer' | 'text' | 'jsonb' | 'timestamptz(3)';
  readonly key: boolean;
}

const column = (property: string, name: string, type: ModelColumn['type']): ModelColumn => ({
  property,
  name: identifier(name),
  type,
  key: property === 'id',
});

/** Its columns; the `id` of its one row is 1. */
export const MODEL_COLUMNS: readonly ModelColumn[] = [
  column('id', 'id', 'integer'),
  column('digest', 'digest', 'text'),
  column('description', 'description', 'jsonb'),
  column('appliedAt', 'applied_at', 'timestamptz(3)'),
];
