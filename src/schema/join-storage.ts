/** What a relation is in the database: one row for each kind of join. */
import { sql } from '../sql.js';
import { byKind } from './by-kind.js';
import type { ColumnJoin, InverseColumnJoin, InverseLinkJoin, Join, LinkJoin } from './join-model.js';
import type { Attribute, ContentType, LinkedAttribute, MorphAttribute, RelationAttribute } from './model.js';
import { attributeIndexName, columnName, holderIndexName, parted } from './naming.js';
import { type AttributeStorage, columnOf, indexOf, NOTHING } from './stored-parts.js';

/** The relations of a type, in their order. */
export const relationsOf = ({ attributes }: ContentType): LinkedAttribute[] =>
  [...attributes.values()].filter((attribute) => attribute.linked);

/** Names of properties beside the attributes': attributes begin with a letter. */
const besideOf = ({ name }: Attribute, what: 'document' | 'position' | 'former_position'): string =>
  `_${name}_${what}`;

function inColumn(join: ColumnJoin, type: ContentType, attribute: RelationAttribute): AttributeStorage {
  const held = columnOf(attribute, {
    name: join.column,
    property: besideOf(attribute, 'document'),
    type: 'text',
    cast: sql`::text`,
    reference: attribute.target,
    exclusive: attribute.exclusive,
  });
  // A one-to-one target has one owner in a state, which each of its locales' rows names.
  // Judged at commit, because a target changes hands within one statement.
  const holder = indexOf(holderIndexName(type, attribute), [held.property, 'locale', '_published'], {
    unique: true,
    deferred: true,
  });
  const found = indexOf(attributeIndexName(type, attribute), [held.property]);
  const stored = { ...NOTHING, indexes: [attribute.exclusive ? holder : found] };
  const contended = attribute.exclusive ? [holder.name] : [];
  if (join.position === null) return { ...stored, columns: [held], contended };
  const position = columnOf(attribute, {
    name: join.position,
    property: besideOf(attribute, 'position'),
    comment: `place on the other side of ${attribute.name}`,
    type: 'bigint',
    cast: sql`::int8`,
    placeOf: join.column,
  });
  if (!type.draftAndPublish) return { ...stored, columns: [held, position], contended };
  const former = columnOf(attribute, {
    name: columnName(attribute.name, 'former_position'),
    property: besideOf(attribute, 'former_position'),
    comment: `place on the other side of ${attribute.name} before it was unpublished`,
    type: 'bigint',
    cast: sql`::int8`,
    placeOf: join.column,
    remembers: join.position,
  });
  return { ...stored, columns: [held, position, former], contended };
}

/** Whoever takes a target from the inverse side may meet its other holders at the owning side's index. */
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
  const { bare } = parted(links.table);
  const contended = links.exclusive ? [links.targetIndex] : [];
  return { ...NOTHING, link: links, names: [bare, links.targetIndex, `${bare}_pkey`], contended };
}

/** Whoever takes a target from the inverse side may meet its other owners there, too. */
const inOtherLinkTable = ({ links }: InverseLinkJoin): AttributeStorage =>
  links.exclusive ? { ...NOTHING, contended: [links.targetIndex] } : NOTHING;

const nothing = (): AttributeStorage => NOTHING;

/** What a relation of a type is in the database. */
export const joinStorage = byKind<Join, [ContentType, RelationAttribute], AttributeStorage>({
  column: inColumn,
  inverseColumn: inOtherColumn,
  link: inLinkTable,
  inverseLink: inOtherLinkTable,
  embedded: nothing,
  locales: nothing,
  holders: nothing,
});

/** The same of a relation to several types. */
export const morphStorage = byKind<MorphAttribute['join'], [], AttributeStorage>({
  link: inLinkTable,
  embedded: nothing,
  holders: nothing,
});
