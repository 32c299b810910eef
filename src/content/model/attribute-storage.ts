/** Storage of an attribute in the database, one function per kind. */
import { quote, sql } from '../../kernel/sql.js';
import { byKind } from './by-kind.js';
import { joinStorage, morphStorage } from './join-storage.js';
import type { Attribute, ContentType, EmbeddedAttribute, ScalarAttribute } from './model.js';
import { attributeIndexName, uniqueIndexName } from './naming.js';
import { type AttributeStorage, columnOf, indexOf, NOTHING } from './stored-parts.js';
import { isIndexedInside } from './unique-inside.js';

/** Other attributes in the first unique index that contains an attribute; undefined without such an index. */
export const uniqueWith = ({ indexes }: ContentType, name: string): readonly string[] | undefined =>
  indexes
    .find(({ unique, attributes }) => unique === true && attributes.includes(name))
    ?.attributes.filter((one) => one !== name);

/**
 * Whether the attribute's values are unique per locale among published documents. A uid is, unless a unique
 * index of the type contains it.
 */
export const isUnique = ({ def, name }: ScalarAttribute, type: ContentType): boolean =>
  def.unique === true || (def.type === 'uid' && uniqueWith(type, name) === undefined);

function scalar(attribute: ScalarAttribute, type: ContentType): AttributeStorage {
  const { column, def } = attribute;
  const { column: databaseType, cast, toJson } = attribute.type;
  const main = columnOf(attribute, { name: column, type: databaseType, cast, toJson });
  const unique = isUnique(attribute, type);
  // Uniqueness is per locale and among published versions; empty texts do not count (D14, protocol 14.18).
  const filled = databaseType === 'text' ? sql` and ${quote(column)} <> ''` : sql``;
  const one = indexOf(uniqueIndexName(type, attribute), [main.property, 'locale'], {
    unique: true,
    where: sql`published${filled}`,
  });
  // Serves filters, drafts included: PostgreSQL cannot use the partial unique index for them.
  const found = indexOf(attributeIndexName(type, attribute), [main.property]);
  return {
    ...NOTHING,
    columns: [main],
    indexes: [...(unique ? [one] : []), ...(unique || def.index === true ? [found] : [])],
    contended: unique && def.generate === true ? [one.name] : [],
  };
}

function embedded(attribute: EmbeddedAttribute, type: ContentType): AttributeStorage {
  const { column } = attribute;
  const inside = indexOf(attributeIndexName(type, attribute), [], {
    gin: { columns: [column], operators: 'jsonb_path_ops' },
  });
  return {
    ...NOTHING,
    columns: [columnOf(attribute, { name: column, type: 'jsonb', cast: sql`::jsonb` })],
    indexes: isIndexedInside(attribute) ? [inside] : [],
  };
}

export const attributeStorage = byKind<Attribute, [ContentType], AttributeStorage>({
  scalar,
  relation: (attribute, type) => joinStorage(attribute.join, type, attribute),
  morph: ({ join }) => morphStorage(join),
  component: embedded,
  zone: embedded,
});
