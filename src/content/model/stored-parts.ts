import type { Sql } from '../../kernel/sql.js';
import type { LinkTable } from './join-model.js';
import type { Attribute, Column, Index } from './model.js';

export interface AttributeStorage {
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
  readonly link: LinkTable | null;
  readonly names: readonly string[];
  readonly contended: readonly string[];
}

export const NOTHING: AttributeStorage = { columns: [], indexes: [], link: null, names: [], contended: [] };

const asItIs = (column: Sql): Sql => column;

/**
 * Builds a column with a comment that is unique in its table. MikroORM takes a dropped and an added column
 * for a rename if they are equal except for the name. The values of a private attribute or a password would
 * then reappear under a public name; distinct comments prevent that.
 */
export const columnOf = (
  attribute: Attribute,
  more: Pick<Column, 'name' | 'type' | 'cast'> & Partial<Column>,
): Column =>
  Object.freeze({
    property: attribute.name,
    comment: attribute.name,
    attribute,
    toJson: asItIs,
    nullable: true,
    placeOf: null,
    remembers: null,
    reference: null,
    exclusive: false,
    ...more,
  });

export const indexOf = (
  name: Index['name'],
  properties: readonly string[],
  more: Partial<Index> = {},
): Index =>
  Object.freeze({ name, properties, gin: null, unique: false, where: null, deferred: false, ...more });
