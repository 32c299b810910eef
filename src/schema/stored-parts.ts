/** What the storage of an attribute is made of. */
import type { Sql } from '../sql.js';
import type { LinkTable } from './join-model.js';
import type { Attribute, Column, Index } from './model.js';

/** What one attribute adds to its type's storage. */
export interface AttributeStorage {
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
  readonly link: LinkTable | null;
  /** Names in the schema beside those of the indexes. */
  readonly names: readonly string[];
  /** See {@link Storage.contended}. */
  readonly contended: readonly string[];
}

/** Of what has no place of its own. */
export const NOTHING: AttributeStorage = { columns: [], indexes: [], link: null, names: [], contended: [] };

const asItIs = (column: Sql): Sql => column;

/**
 * A column with a comment that says what it is for. MikroORM takes a column that goes and one that comes for
 * one that was renamed when they are alike, and every text is like every other: what a private attribute or a
 * password held would come back under a public name. No two columns of a table have the same comment, so none
 * are alike.
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

/** An index of a type; a plain one unless more is said. */
export const indexOf = (
  name: Index['name'],
  properties: readonly string[],
  more: Partial<Index> = {},
): Index =>
  Object.freeze({ name, properties, inside: null, unique: false, where: null, deferred: false, ...more });
