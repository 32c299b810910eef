/** What a relation is in the database: one row for each kind of join. */
import { sql } from '../sql.js';
import { byKind } from './by-kind.js';
import type {
  Attribute,
  ColumnJoin,
  ContentType,
  InverseColumnJoin,
  Join,
  LinkJoin,
  RelationAttribute,
} from './model.js';
import { attributeIndexName, holderIndexName, parted } from './naming.js';
import { type AttributeStorage, columnOf, indexOf, NOTHING } from './stored-parts.js';

/** The relations of a type, in their order. */
export const relationsOf = ({ attributes }: ContentType): RelationAttribute[] =>
  [...attributes.values()].filter((attribute) => attribute.kind === 'relation');

/** Names of properties beside the attributes': attributes begin with a letter. */
const besideOf = ({ name }: Attribute, what: 'document' | 'position'): string => `_${name}_${what}`;

function inColumn(join: ColumnJoin, type: ContentType, attribute: RelationAttribute): AttributeStorage {
  const held = columnOf(attribute, {
    name: join.column,
    property: besideOf(attribute, 'document'),
    type: 'text',
    cast: sql`::text`,
    reference: attribute.target,
    exclusive: attribute.exclusive,
  });
  // A one-to-one target has one holder per locale and state.
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
    type: 'integer',
    cast: sql`::int4`,
    nullable: false,
    isPosition: true,
  });
  return { ...stored, columns: [held, position], contended };
}

/** Whoever takes a target from the inverse side may meet its other holders at the owning side's index. */
function inOtherColumn(
  join: InverseColumnJoin,
  type: ContentType,
  attribute: RelationAttribute,
): AttributeStorage {
  const { target, exclusive } = attribute;
  if (!exclusive) return NOTHING;
  const others = relationsOf(target).filter(
    (one) => one.join.lock === join.lock && one.join.side === 'owning',
  );
  const contended = [
    holderIndexName(type, attribute),
    ...others.map((other) => holderIndexName(target, other)),
  ];
  return { ...NOTHING, contended };
}

function inLinkTable({ links }: LinkJoin): AttributeStorage {
  const { bare } = parted(links.table);
  return { ...NOTHING, link: links, names: [bare, links.targetIndex, `${bare}_pkey`] };
}

const nothing = (): AttributeStorage => NOTHING;

/** What a relation of a type is in the database. */
export const joinStorage = byKind<Join, [ContentType, RelationAttribute], AttributeStorage>({
  column: inColumn,
  inverseColumn: inOtherColumn,
  link: inLinkTable,
  inverseLink: nothing,
  embedded: nothing,
  locales: nothing,
});
