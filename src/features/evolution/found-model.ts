/**
 * Reconstructs the model of a database without a stored model: the current one, limited to existing tables.
 */
import type { AttributeDefinition } from '../../content/model/definitions.js';
import type { Attribute, ContentType } from '../../content/model/model.js';
import { columnName, splitTable } from '../../content/model/naming.js';
import { SCALAR_TYPES } from '../../content/model/scalar-types.js';
import { ownValue } from '../../kernel/json.js';
import { param, quote, type Sql, sql, union } from '../../kernel/sql.js';
import {
  describeModel,
  type ModelDescription,
  type TypeDescription,
} from '../../content/model/description.js';
import { isScalar } from '../../content/model/scalar-of.js';
import type { Side } from './pairs.js';

/** Columns of all tables in the model's schema: `table`, `column` and `type`. */
export const foundColumns = ({ schema }: Side): Sql => {
  const place = splitTable(schema.file.table).schema;
  const inSchema = place === null ? sql`current_schema()` : sql`${param(place)}::text`;
  return sql`select c.relname as "table", a.attname as "column", format_type(a.atttypid, null) as "type"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p') and n.nspname = ${inSchema}`;
};

/** Column types by table and column. */
type Found = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Names of the column types in PostgreSQL's catalog. */
const CATALOG_NAMES: Readonly<Record<string, string>> = {
  int4: 'integer',
  int8: 'bigint',
  float8: 'double precision',
  'numeric(10,2)': 'numeric',
  'time(3)': 'time without time zone',
  'timestamptz(3)': 'timestamp with time zone',
};

/** Attribute type to assume for a column that differs from the model: that of its name, or the first. */
const ASSUMED_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(SCALAR_TYPES)
    .toReversed()
    .map(([type, { column }]) => [CATALOG_NAMES[column] ?? column, column in SCALAR_TYPES ? column : type]),
);

type Entry = readonly [string, AttributeDefinition];

/** Returns the attribute of an existing column, under its current or former name. */
function inColumn(
  attribute: Attribute,
  def: AttributeDefinition,
  columns: ReadonlyMap<string, string>,
): Entry[] {
  if (!('column' in attribute)) return [];
  const previous = attribute.def.previousName;
  const former = previous === undefined ? [] : [{ name: previous, column: columnName(previous) }];
  const there = [{ name: attribute.name, column: attribute.column }, ...former].find(({ column }) =>
    columns.has(column),
  );
  if (there === undefined) return [];
  const type = columns.get(there.column) ?? '';
  const wanted = isScalar(attribute) ? attribute.type.column : 'jsonb';
  const held = ASSUMED_TYPES.get(type);
  if (type === (CATALOG_NAMES[wanted] ?? wanted) || held === undefined) return [[there.name, def]];
  return [[there.name, { type: held } as AttributeDefinition]];
}

/** Whether the tables store the links of a relation as the model requires. */
function isLinked(attribute: Attribute, type: ContentType, found: Found): boolean {
  const { columns, links } = type.storage;
  const own = found.get(splitTable(type.table).bare);
  const held = columns.filter((column) => column.attribute === attribute);
  const tables = links.filter((stored) => stored.attribute === attribute);
  return (
    held.every(({ name, remembers }) => remembers !== null || own?.has(name) === true) &&
    tables.every(({ table: { table } }) => found.has(splitTable(table).bare))
  );
}

function foundType(type: ContentType, described: TypeDescription, found: Found): TypeDescription | null {
  const columns = found.get(splitTable(type.table).bare);
  if (columns === undefined) return null;
  const entries = Object.entries(described.attributes).flatMap(([key, def]): Entry[] => {
    const attribute = type.attributes.get(key);
    if (attribute === undefined) return [];
    if (!attribute.linked) return inColumn(attribute, def, columns);
    return isLinked(attribute, type, found) ? [[key, def]] : [];
  });
  return { ...described, attributes: Object.fromEntries(entries) };
}

/** Drops the inverse sides of relations whose owning side is missing. */
function withoutLooseSides(types: ModelDescription['types']): ModelDescription['types'] {
  const has = (target: unknown, key: unknown): boolean =>
    Object.hasOwn(ownValue(types, String(target))?.attributes ?? {}, String(key));
  const isLoose = (def: AttributeDefinition): boolean => {
    if (def.type !== 'relation') return false;
    if ('morphBy' in def) return !has(def.target, def.morphBy);
    if (!('target' in def)) return false;
    return (
      !Object.hasOwn(types, def.target) || (def.mappedBy !== undefined && !has(def.target, def.mappedBy))
    );
  };
  return Object.fromEntries(
    Object.entries(types).map(([name, type]) => [
      name,
      {
        ...type,
        attributes: Object.fromEntries(Object.entries(type.attributes).filter(([, def]) => !isLoose(def))),
      },
    ]),
  );
}

/** Returns the current model limited to the existing tables; null if there are none. */
export function foundModel(
  side: Side,
  rows: readonly Readonly<Record<string, unknown>>[],
): ModelDescription | null {
  const tables = Map.groupBy(rows, ({ table }) => String(table));
  const found: Found = new Map(
    [...tables].map(([table, columns]) => [
      table,
      new Map(columns.map(({ column, type }) => [String(column), String(type)])),
    ]),
  );
  const description = describeModel(side.schema, side);
  const types = [...side.schema.types].flatMap(([name, type]): [string, TypeDescription][] => {
    const described = description.types[name];
    const one = described === undefined ? null : foundType(type, described, found);
    return one === null ? [] : [[name, one]];
  });
  if (types.length === 0) return null;
  return { ...description, types: withoutLooseSides(Object.fromEntries(types)) };
}

/**
 * Query of the `lowest` and `highest` locale in types that are not localized; null if there is no such type.
 * All these rows are in the default locale of the model that wrote them.
 */
export function foundLocales({ schema }: Side, { types }: ModelDescription): Sql | null {
  const one = [...schema.types].filter(([name, { localized }]) => Object.hasOwn(types, name) && !localized);
  const parts = one.flatMap(([, { table }]) =>
    [sql`t.published`, sql`not t.published`].map(
      (state) =>
        sql`select min(t.locale) as lowest, max(t.locale) as highest
        from ${quote(table)} t where ${state}`,
    ),
  );
  if (parts.length === 0) return null;
  return sql`select min(l.lowest) as lowest, max(l.highest) as highest from (${union(parts)}) l`;
}
