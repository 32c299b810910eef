/** Builds the indexes that a type declares. */
import { join, quote, type Sql, sql } from '../../kernel/sql.js';
import type { IndexDefinition } from './index-definition.js';
import type { Attribute, Column, ContentType, Index } from './model.js';
import { declaredIndexName } from './naming.js';
import { indexOf } from './stored-parts.js';

/** Index that a type declares, with the attributes that it contains. */
export interface DeclaredIndex {
  readonly index: Index;
  readonly attributes: readonly Attribute[];
}

/** Condition that all texts of a unique index have a value: empty texts do not count (protocol 14.18). */
const hasValues = (columns: readonly Column[]): Sql =>
  join(
    [
      sql`published`,
      ...columns.filter(({ type }) => type === 'text').map(({ name }) => sql`${quote(name)} <> ''`),
    ],
    ' and ',
  );

function indexFor(
  { using, unique }: IndexDefinition,
  columns: readonly Column[],
  name: Index['name'],
): Index {
  const properties = columns.map(({ property }) => property);
  if (using === 'trigram')
    return indexOf(name, [], {
      gin: { columns: columns.map((column) => column.name), operators: 'gin_trgm_ops' },
    });
  if (unique === true)
    return indexOf(name, [...properties, 'locale'], { unique: true, where: hasValues(columns) });
  // Lists have one state, usually one locale, and the id as last sort key: the index alone finds a page.
  return indexOf(name, ['_published', 'locale', ...properties, 'id']);
}

/**
 * Returns the declared indexes of a type, by the columns of its attributes. Omits an index of an
 * attribute without a column, which the check of the model reports.
 */
export const declaredIndexes = (
  type: ContentType,
  columnOf: ReadonlyMap<string, Column>,
): readonly DeclaredIndex[] =>
  type.indexes.flatMap((definition) => {
    const columns = definition.attributes.flatMap((name) => columnOf.get(name) ?? []);
    if (columns.length < definition.attributes.length) return [];
    const name = declaredIndexName(type, definition);
    return [
      {
        index: indexFor(definition, columns, name),
        attributes: columns.map(({ attribute }) => attribute),
      },
    ];
  });
