/** Table with the model that the stored content conforms to. */
import { type Identifier, identifier } from '../../kernel/sql.js';
import type { ContentType } from './model.js';
import { inSchema, parted } from './naming.js';

/** Has one row: the model that the rows of all other tables conform to. */
export const MODEL_TABLE = identifier('content_model');

export const modelTableOf = ({ table }: Pick<ContentType, 'table'>): Identifier =>
  inSchema(parted(table).schema, MODEL_TABLE);

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

/** The `id` of the only row is 1. */
export const MODEL_COLUMNS: readonly ModelColumn[] = [
  column('id', 'id', 'integer'),
  column('digest', 'digest', 'text'),
  column('description', 'description', 'jsonb'),
  column('appliedAt', 'applied_at', 'timestamptz(3)'),
];
