/** Statements that import documents: conflict checks, then writes. */
import type { ArchivedType } from '../../content/model/archive.js';
import type { ContentType, Index, StoredLinks } from '../../content/model/model.js';
import { versionIndexName } from '../../content/model/naming.js';
import { scheduleTableOf } from '../../content/model/schedule.js';
import { SYSTEM_COLUMNS } from '../../content/model/system-columns.js';
import {
  constant,
  join,
  param,
  type Param,
  plain,
  print,
  quote,
  type Sql,
  sql,
  type Statement,
  typeName,
} from '../../kernel/sql.js';
import type { Replaceable } from '../../content/documents/archive-parts.js';
import { archivedDocument, linkColumns, objectOf, SYSTEM } from './compile-archive.js';
import { namesOf } from '../../content/compile/link-sql.js';
import type { DocumentRows, TableRows, TableText } from './document-rows.js';
import { documentIdOf } from './format.js';

export interface Batch {
  readonly archived: ArchivedType;
  readonly lines: readonly string[];
  readonly unknown: readonly string[];
  /** Columns that the import computes from a row of the archive, and that comparisons ignore. */
  readonly set?: ReadonlyMap<string, (row: Sql) => Sql>;
}

const listed = (lines: readonly string[]): Param => param(`[${lines.join(',')}]`);

const parsed = (lines: Param): Sql =>
  sql`select j.line->>'documentId' as id, j.line from jsonb_array_elements(${lines}::jsonb) j(line)`;
const given = (lines: Param): Sql => sql`(${parsed(lines)}) g`;

const idsIn = ({ lines }: Batch): Param => param(lines.map(documentIdOf));

/** Versions of a line as rows of their table. Unknown columns may have values of other types. */
function rowsOf({ archived: { type }, unknown }: Batch): Sql {
  const without = sql`(select jsonb_agg(v.v - ${param(unknown)}::text[])
    from jsonb_array_elements(g.line->'versions') v(v))`;
  const versions = unknown.length === 0 ? sql`g.line->'versions'` : without;
  return sql`jsonb_populate_recordset(null::${quote(type.table)}, ${versions})`;
}

function linksIn({ table, attribute }: StoredLinks): Sql {
  const rows = sql`null::${quote(table.table)}`;
  return sql`jsonb_populate_recordset(${rows}, g.line->'links'->${quote(attribute.name, 'string')})`;
}

/**
 * Normalises a document for comparisons. It spells values as the columns do, and orders versions and links by
 * their keys. It leaves out row ids, revisions and positions in other lists.
 */
function comparable(document: Sql, batch: Batch): Sql {
  const { archived, unknown, set = new Map() } = batch;
  const places = archived.columns.filter(({ placeOf }) => placeOf !== null).map(({ name }) => name);
  const ignored = param(['id', 'document_id', 'revision', ...places, ...unknown, ...set.keys()]);
  const versions = sql`(select jsonb_agg(to_jsonb(r) - ${ignored}::text[] order by r.locale, r.published)
    from (select c.d as line) g cross join lateral ${rowsOf(batch)} r)`;
  const lists = archived.links.map((stored) => {
    const { table, attribute } = stored;
    const left = param([table.owner.name, table.inversePosition?.name ?? ''].filter((name) => name !== ''));
    const order = join(
      linkColumns(stored).map((name) => sql`r.${name}`),
      ', ',
    );
    const list = sql`select jsonb_agg(to_jsonb(r) - ${left}::text[] order by ${order})
      from (select c.d as line) g cross join lateral ${linksIn(stored)} r`;
    return [attribute.name, list] as const;
  });
  return sql`(select jsonb_build_object('versions', ${versions}, 'links', ${objectOf(lists, sql`jsonb`)},
      'schedule', c.d->'schedule')
    from (select (${document})::jsonb as d offset 0) c)`;
}

/** Selects the `id` of stored documents that differ from the archive. */
export function compileDiffering(batch: Batch): Statement {
  const { archived, lines } = batch;
  const table = quote(archived.type.table);
  const theirs = comparable(archivedDocument(archived), batch);
  return print(sql`select d.document_id as id
    from (select g.id as document_id, g.line from ${given(listed(lines))}
      where exists (select 1 from ${table} t where t.document_id = g.id) offset 0) d
    where ${comparable(sql`d.line`, batch)} is distinct from ${theirs}`);
}

const tablesOf = ({ type, links }: ArchivedType): readonly Sql[] =>
  [type, ...links.map(({ table }) => table)].map(({ table }) => quote(table));

/** Selects as `vacant` whether the tables of types have no rows. */
export function compileVacant(archived: readonly ArchivedType[]): Statement {
  const filled = archived.flatMap(tablesOf).map((table) => sql`exists (select from ${table})`);
  return print(sql`select not (${join(filled, ' or ')}) as vacant`);
}

/** Selects the `id` of stored documents. */
export function compileExisting(batch: Batch): Statement {
  const table = quote(batch.archived.type.table);
  return print(
    sql`select g.id from unnest(${idsIn(batch)}::text[]) g(id)
      where exists (select 1 from ${table} t where t.document_id = g.id)`,
  );
}

/** Selects the number of stored documents of a type as `documents`. */
export const compileDocumentCount = ({ type }: ArchivedType): Statement =>
  print(sql`select count(distinct t.document_id)::int4 as documents from ${quote(type.table)} t`);

/** Column of an index, in the tables of a type and in the rows of an archive. */
interface IndexColumn {
  readonly property: string;
  readonly name: Sql;
  readonly type: string;
}

/** Returns the columns of an index; none if archives omit one of them. */
function columnsOf({ properties }: Index, { columns }: ArchivedType): readonly IndexColumn[] {
  const found = properties.flatMap((property) => {
    const system = SYSTEM_COLUMNS.find((column) => column.property === property);
    if (system !== undefined) return [{ property, name: plain(system.name), type: system.type }];
    const own = columns.find((column) => column.property === property);
    return own === undefined ? [] : [{ property, name: quote(own.name), type: own.type }];
  });
  return found.length === properties.length ? found : [];
}

const isSystem = (property: string): boolean => SYSTEM_COLUMNS.some((column) => column.property === property);

/** Documents of a batch that share unique values with other stored documents: `id` and `other`. */
function holders(index: Index, batch: Batch): Sql {
  const { type } = batch.archived;
  const where = index.where === null ? sql`` : sql` where ${index.where}`;
  const columns = columnsOf(index, batch.archived).filter(({ property }) => property !== '_published');
  // Rows have only the columns of the index, and `published`, which its condition may read.
  const shape = [{ name: sql`published`, type: 'boolean' }, ...columns].map(
    ({ name, type: of }) => sql`${name} ${typeName(of)}`,
  );
  const rows = sql`select g.id, v.* from ${given(listed(batch.lines))}
    cross join lateral jsonb_to_recordset(g.line->'versions') v(${join(shape, ', ')})`;
  const same = columns.map(({ name }) => sql`t.${name} = r.${name}`);
  // `offset 0` looks each value up in the index, instead of joining the whole table.
  return sql`(select * from (${rows}) r${where}) r
    cross join lateral (select * from (select * from ${quote(type.table)}${where}) t
      where t.published = r.published and ${join(same, ' and ')} and t.document_id <> r.id offset 0) t`;
}

/** Selects documents whose unique values are used by another document: `id` and `other`. */
const heldBy = (index: Index, batch: Batch, replaceable: Replaceable): Statement =>
  print(sql`select distinct r.id, t.document_id as other from ${holders(index, batch)}
    where not (${replaceable(sql`t`)})`);

/** Selects documents with an exclusive target that belongs to another document: `id` and `other`. */
function targetHeld(stored: StoredLinks, { lines }: Batch): Statement {
  const { table, owner, target } = namesOf(stored.table);
  return print(sql`select distinct g.id, l.${owner} as other from ${given(listed(lines))}
    cross join lateral ${linksIn(stored)} r
    cross join lateral (select * from ${table} l where l.${target} = r.${target}
      and l.published = r.published and l.locale = r.locale and l.${owner} <> g.id offset 0) l`);
}

/** Query for conflicting documents, and the attributes in which they conflict. */
export interface Rival {
  readonly statement: Statement;
  readonly what: string;
}

/** Unique indexes of attributes that archives have. */
function uniqueIndexes(archived: ArchivedType): readonly Index[] {
  const version = versionIndexName(archived.type);
  return archived.type.storage.indexes.filter(
    (index) => index.unique && index.name !== version && columnsOf(index, archived).length > 0,
  );
}

export function compileRivals(batch: Batch, replaceable: Replaceable): readonly Rival[] {
  const { archived } = batch;
  return [
    ...uniqueIndexes(archived).map((index) => ({
      statement: heldBy(index, batch, replaceable),
      what: index.properties.filter((one) => !isSystem(one)).join(', ') || 'the only document',
    })),
    ...archived.links
      .filter(({ table }) => table.exclusive)
      .map((stored) => ({ statement: targetHeld(stored, batch), what: stored.attribute.name })),
  ];
}

/** Deletes stored rows that conflict with a batch, and that an import may replace. */
export const compileReplaced = (batch: Batch, replaceable: Replaceable): readonly Statement[] =>
  uniqueIndexes(batch.archived).map((index) =>
    print(sql`delete from ${quote(batch.archived.type.table)} where id in
      (select t.id from ${holders(index, batch)} where ${replaceable(sql`t`)}
        and t.document_id <> all(${idsIn(batch)}::text[]))`),
  );

/** Locks the tables of types against concurrent writes, not against reads. */
export const compileHoldTables = (archived: readonly ArchivedType[]): Statement =>
  print(sql`lock table ${join(archived.flatMap(tablesOf), ', ')} in share row exclusive mode`);

/**
 * Collects statistics of the tables of a type. Without them PostgreSQL keeps the plans that it made for empty
 * tables. Only warns if the user of the database may not.
 */
export const compileStatistics = (archived: ArchivedType): Statement =>
  print(sql`analyze ${join(tablesOf(archived), ', ')}`);

/**
 * Deletes what the archive does not have of stored documents: versions, and all links and times. Stored rows
 * keep their ids.
 */
export function compileDropLeftovers(batch: Batch): readonly Statement[] {
  const { archived } = batch;
  const lines = listed(batch.lines);
  const ids = sql`any(${idsIn(batch)}::text[])`;
  const table = quote(archived.type.table);
  const scheduled = constant(archived.type.singularApiId);
  return [
    print(sql`delete from ${table} t where t.document_id = ${ids}
      and (t.document_id, t.locale, t.published) not in
        (select g.id, r.locale, r.published from ${given(lines)} cross join lateral ${rowsOf(batch)} r)`),
    ...archived.links.map((stored) => {
      const { table: links, owner } = namesOf(stored.table);
      return print(sql`delete from ${links} l where l.${owner} = ${ids}`);
    }),
    print(sql`delete from ${quote(scheduleTableOf(archived.type))} s
      where s.type = ${scheduled} and s.document_id = ${ids}`),
  ];
}

/** Rows `r` of a table, from a list of values for each column. */
function rowsGiven({ columns, values }: TableRows): Sql {
  const lists = columns.map(({ type }, i) => sql`${param(values[i])}::${typeName(type)}[]`);
  const names = columns.map(({ name }) => quote(name));
  return sql`unnest(${join(lists, ', ')}) r(${join(names, ', ')})`;
}

/** Inserts versions. A stored row keeps its id, and the columns that archives omit. */
function insertVersions({ archived: { type, columns }, set }: Batch, rows: TableRows): Statement {
  const table = quote(type.table);
  const names = columns.map(({ name }) => quote(name));
  // New rows keep their archived row id if it is free.
  const id = sql`case when r.id is null or (select x.id from ${table} x where x.id = r.id) is not null
    then nextval(${idsOf(type)}::regclass) else r.id end`;
  const own = sql`r.document_id, ${id}, r.locale, r.published, r.created_at, r.updated_at, r.published_at, r.revision`;
  const values = columns.map(({ name }) => set?.get(name)?.(sql`r`) ?? sql`r.${quote(name)}`);
  const updates = [sql`created_at`, sql`updated_at`, sql`published_at`, sql`revision`, ...names].map(
    (name) => sql`${name} = excluded.${name}`,
  );
  return print(sql`insert into ${table} as t (${join([SYSTEM, ...names], ', ')})
    select ${join([own, ...values], ', ')} from ${rowsGiven(rows)} order by r.id
    on conflict (document_id, locale, published) do update set ${join(updates, ', ')}`);
}

function insertRows(rows: TableRows): Statement {
  const names = rows.columns.map(({ name }) => quote(name));
  return print(
    sql`insert into ${quote(rows.table)} (${join(names, ', ')}) select r.* from ${rowsGiven(rows)}`,
  );
}

/** Writes documents, with one statement for each table. */
export const compileDocuments = (batch: Batch, { versions, others }: DocumentRows): readonly Statement[] => [
  insertVersions(batch, versions),
  ...others.filter(({ count }) => count > 0).map(insertRows),
];

/** Receives rows of a table as a text. */
export const compileCopy = ({ table, columns }: TableText): Statement => {
  const names = columns.map(({ name }) => quote(name));
  return print(sql`copy ${quote(table)} (${join(names, ', ')}) from stdin`);
};

export const idsOf = ({ table }: ContentType): Sql =>
  sql`pg_get_serial_sequence(${quote(table, 'reference')}, 'id')`;
