/** What the tables say of a model that nothing has noted: the present one, as far as they have it. */
import type { AttributeDefinition, ScalarTypeName } from '../schema/definitions.js';
import type { Attribute, ContentType } from '../schema/model.js';
import { columnName, parted } from '../schema/naming.js';
import { param, quote, type Sql, sql, union } from '../sql.js';
import { describeModel, type ModelDescription, type TypeDescription } from './description.js';
import type { Side } from './pairs.js';

/** The columns of all tables in the schema of the model: `table`, `column` and `type`. */
export const foundColumns = ({ schema }: Side): Sql => {
  const place = parted(schema.file.table).schema;
  const inSchema = place === null ? sql`current_schema()` : sql`${param(place)}::text`;
  return sql`select c.relname as "table", a.attname as "column", format_type(a.atttypid, null) as "type"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p') and n.nspname = ${inSchema}`;
};

/** The types of tables by the columns that they have, by name. */
type Found = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What a column of a type holds, where the model says that it holds something else. */
const HELD: Readonly<Record<string, ScalarTypeName>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'biginteger',
  'double precision': 'float',
  numeric: 'decimal',
  boolean: 'boolean',
  date: 'date',
  'time without time zone': 'time',
  'timestamp with time zone': 'datetime',
  jsonb: 'json',
};

/** What columns of the model are called there. */
const CALLED: Readonly<Record<string, string>> = {
  int4: 'integer',
  int8: 'bigint',
  float8: 'double precision',
  'numeric(10,2)': 'numeric',
  'time(3)': 'time without time zone',
  'timestamptz(3)': 'timestamp with time zone',
};

type Entry = readonly [string, AttributeDefinition];

/** An attribute with a column, under the name that it has there, or had. */
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
  const wanted = 'searchable' in attribute ? attribute.type.column : 'jsonb';
  const held = HELD[type];
  if (type === (CALLED[wanted] ?? wanted) || held === undefined) return [[there.name, def]];
  return [[there.name, { type: held } as AttributeDefinition]];
}

/** Whether the links of a relation are stored as the model has it. */
function isLinked(attribute: Attribute, type: ContentType, found: Found): boolean {
  const { columns, links } = type.storage;
  const own = found.get(parted(type.table).bare);
  const held = columns.filter((column) => column.attribute === attribute);
  const tables = links.filter((stored) => stored.attribute === attribute);
  return (
    held.every(({ name, remembers }) => remembers !== null || own?.has(name) === true) &&
    tables.every(({ table: { table } }) => found.has(parted(table).bare))
  );
}

function foundType(type: ContentType, described: TypeDescription, found: Found): TypeDescription | null {
  const columns = found.get(parted(type.table).bare);
  if (columns === undefined) return null;
  const entries = Object.entries(described.attributes).flatMap(([key, def]): Entry[] => {
    const attribute = type.attributes.get(key);
    if (attribute === undefined) return [];
    if (!attribute.linked) return inColumn(attribute, def, columns);
    return isLinked(attribute, type, found) ? [[key, def]] : [];
  });
  return { ...described, attributes: Object.fromEntries(entries) };
}

/** The other sides of relations that are there. */
function withoutLooseSides(types: ModelDescription['types']): ModelDescription['types'] {
  const has = (target: unknown, key: unknown): boolean =>
    types[String(target)]?.attributes[String(key)] !== undefined;
  const isLoose = (def: AttributeDefinition): boolean => {
    if (def.type !== 'relation') return false;
    if ('morphBy' in def) return !has(def.target, def.morphBy);
    if (!('target' in def)) return false;
    return types[def.target] === undefined || (def.mappedBy !== undefined && !has(def.target, def.mappedBy));
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

/** The present model as far as the tables have it; null where there are none. */
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
 * The locales in which types without locales have rows, `lowest` and `highest`; null if there is no such
 * type. All of them are in the default locale of the model that they were stored under.
 */
export function foundLocales({ schema }: Side, { types }: ModelDescription): Sql | null {
  const one = [...schema.types].filter(([name, { localized }]) => types[name] !== undefined && !localized);
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
