/** Storage of a relation in the database, one function per kind of join. */
import { sql } from '../../kernel/sql.js';
import { byKind } from './by-kind.js';
import type { ColumnJoin, InverseColumnJoin, InverseLinkJoin, Join, LinkJoin } from './join-model.js';
import type { Attribute, ContentType, LinkedAttribute, MorphAttribute, RelationAttribute } from './model.js';
import { attributeIndexName, columnName, holderIndexName, splitTable } from './naming.js';
import { type AttributeStorage, columnOf, indexOf, NOTHING } from './stored-parts.js';

export const relationsOf = ({ attributes }: ContentType): LinkedAttribute[] =>
  [...attributes.values()].filter((attribute) => attribute.linked);

/** Returns a property name that no attribute can have: attribute names begin with a letter. */
const propertyOf = ({ name }: Attribute, what: 'document' | 'position' | 'former_position'): string =>
  `_${name}_${what}`;

function inColumn(join: ColumnJoin, type: ContentType, attribute: RelationAttribute): AttributeStorage {
  const main = columnOf(attribute, {
    name: join.column,
    property: propertyOf(attribute, 'document'),
    type: 'text',
    cast: sql`::text`,
    reference: attribute.target,
    exclusive: attribute.exclusive,
  });
  // A one-to-one target has one owner per state, named by the row of each locale. The check is deferred to
  // commit, because one statement can move a target from one owner to another.
  const holder = indexOf(holderIndexName(type, attribute), [main.property, 'locale', '_published'], {
    unique: true,
    deferred: true,
  });
  const found = indexOf(attributeIndexName(type, attribute), [main.property]);
  const stored = { ...NOTHING, indexes: [attribute.exclusive ? holder : found] };
  const contended = attribute.exclusive ? [holder.name] : [];
  if (join.position === null) return { ...stored, columns: [main], contended };
  const position = columnOf(attribute, {
    name: join.position,
    property: propertyOf(attribute, 'position'),
    comment: `place on the other side of ${attribute.name}`,
    type: 'bigint',
    cast: sql`::int8`,
    placeOf: join.column,
  });
  if (!type.draftAndPublish) return { ...stored, columns: [main, position], contended };
  const former = columnOf(attribute, {
    name: columnName(attribute.name, 'former_position'),
    property: propertyOf(attribute, 'former_position'),
    comment: `place on the other side of ${attribute.name} before it was unpublished`,
    type: 'bigint',
    cast: sql`::int8`,
    placeOf: join.column,
    remembers: join.position,
  });
  return { ...stored, columns: [main, position, former], contended };
}

/** A write from the inverse side can conflict with another owner on the owning side's index. */
function inOtherColumn(
  join: InverseColumnJoin,
  _type: ContentType,
  { target, exclusive }: RelationAttribute,
): AttributeStorage {
  if (!exclusive) return NOTHING;
  const owners = relationsOf(target).filter(
    (one) => one.join.name === join.name && one.join.side === 'owning',
  );
  return { ...NOTHING, contended: owners.map((owner) => holderIndexName(target, owner)) };
}

function inLinkTable({ links }: LinkJoin): AttributeStorage {
  const { bare } = splitTable(links.table);
  const contended = links.exclusive ? [links.targetIndex] : [];
  return { ...NOTHING, link: links, names: [bare, links.targetIndex, `${bare}_pkey`], contended };
}

/** A write from the inverse side can conflict with another owner on the link table's index. */
const inOtherLinkTable = ({ links }: InverseLinkJoin): AttributeStorage =>
  links.exclusive ? { ...NOTHING, contended: [links.targetIndex] } : NOTHING;

const nothing = (): AttributeStorage => NOTHING;

export const joinStorage = byKind<Join, [ContentType, RelationAttribute], AttributeStorage>({
  column: inColumn,
  inverseColumn: inOtherColumn,
  link: inLinkTable,
  inverseLink: inOtherLinkTable,
  embedded: nothing,
  locales: nothing,
  holders: nothing,
});

export const morphStorage = byKind<MorphAttribute['join'], [], AttributeStorage>({
  link: inLinkTable,
  embedded: nothing,
  holders: nothing,
});
