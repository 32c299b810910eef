/** Documents of an archive, into the database: what stands in their way, and what is written. */
import type { ArchivedType } from '../schema/archive.js';
import type { ContentType, Index, StoredLinks } from '../schema/model.js';
import { versionIndexName } from '../schema/naming.js';
import { scheduleTableOf } from '../schema/schedule.js';
import { SYSTEM_COLUMNS } from '../schema/system-columns.js';
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
} from '../sql.js';
import { archivedDocument, linkColumns, SYSTEM, TIME_COLUMNS } from './compile-archive.js';
import { namesOf } from './link-sql.js';

/** Documents of one type, as lines of an archive. */
export interface Batch {
  readonly archived: ArchivedType;
  readonly lines: readonly string[];
  /** Names in the lines of columns and lists that the model has not, which are left out. */
  readonly unknown: readonly string[];
  /** Columns whose values are made here, of a row of the lines, and that do not count in comparisons. */
  readonly set?: ReadonlyMap<string, (row: Sql) => Sql>;
}

const listed = (lines: readonly string[]): Param => param(`[${lines.join(',')}]`);

/** The documents: `g.line`, and `g.id`. */
const given = (lines: Param): Sql =>
  sql`(select j.line, j.line->>'documentId' as id from json_array_elements(${lines}::json) j(line)) g`;

/** Their versions as rows of their table: `r`. What is left out may have values that no column takes. */
function versionsIn({ archived: { type }, unknown }: Batch, lines: Param): Sql {
  const without = sql`(select jsonb_agg(v.v - ${param(unknown)}::text[])
    from jsonb_array_elements((g.line->'versions')::jsonb) v(v))::json`;
  const versions = unknown.length === 0 ? sql`g.line->'versions'` : without;
  return sql`${given(lines)}
    cross join lateral json_populate_recordset(null::${quote(type.table)}, ${versions}) r`;
}

/** The links of one relation as rows of their table. */
function linksIn({ table, attribute }: StoredLinks): Sql {
  const rows = sql`null::${quote(table.table)}`;
  return sql`json_populate_recordset(${rows}, g.line->'links'->${quote(attribute.name, 'string')})`;
}

/** A document without what does not count in comparisons: numbers of rows, places in lists of others. */
function comparable(document: Sql, { archived: { columns, links }, unknown, set = new Map() }: Batch): Sql {
  const places = columns.filter(({ placeOf }) => placeOf !== null).map(({ name }) => name);
  const ignored = param(['id', 'revision', ...places, ...unknown, ...set.keys()]);
  const versions = sql`(select jsonb_agg(v.v - ${ignored}::text[] order by v.n)
    from jsonb_array_elements(c.d->'versions') with ordinality v(v, n))`;
  const lists = links
    .filter(({ table }) => table.inversePosition !== null)
    .map(({ attribute: { name } }) => {
      const key = quote(name, 'string');
      const list = sql`(select jsonb_agg(l.l - 'inverse_position' order by l.n)
        from jsonb_array_elements(c.d->'links'->${key}) with ordinality l(l, n))`;
      return sql` || case when c.d->'links' ? ${key} then jsonb_build_object(${key}, ${list}) else '{}' end`;
    });
  const all = sql`((c.d->'links') - ${param(unknown)}::text[])${join(lists, ' ')}`;
  return sql`(select jsonb_build_object('versions', ${versions}, 'links', ${all}, 'schedule', c.d->'schedule')
    from (select ${document}::jsonb as d offset 0) c)`;
}

/** Documents of the database that are there and say something else: their `id`. */
export function compileDiffering(batch: Batch): Statement {
  const { archived, lines } = batch;
  const table = quote(archived.type.table);
  const theirs = comparable(archivedDocument(archived), batch);
  return print(sql`select d.document_id as id
    from (select g.id as document_id, g.line from ${given(listed(lines))}
      where exists (select 1 from ${table} t where t.document_id = g.id) offset 0) d
    where ${comparable(sql`d.line`, batch)} is distinct from ${theirs}`);
}

/** Documents of the database that are there: their `id`. */
export function compileExisting({ archived, lines }: Batch): Statement {
  const table = quote(archived.type.table);
  return print(
    sql`select g.id from ${given(listed(lines))}
      where exists (select 1 from ${table} t where t.document_id = g.id)`,
  );
}

/** What must not be in the way: rows of another document that an import takes the place of. */
export type Replaceable = (row: Sql) => Sql;

const systemColumn = (property: string): Sql | undefined => {
  const own = SYSTEM_COLUMNS.find((column) => column.property === property);
  return own === undefined ? undefined : plain(own.name);
};

/** The columns of an index; none where an archive does not hold all of them. */
function columnsOf({ properties }: Index, { columns }: ArchivedType): readonly Sql[] {
  const found = properties.flatMap((property) => {
    const own = columns.find((column) => column.property === property);
    return systemColumn(property) ?? (own === undefined ? [] : quote(own.name));
  });
  return found.length === properties.length ? found : [];
}

/** Documents whose values another document has that may have no equal: `id`, and `other`. */
function heldBy(index: Index, batch: Batch, replaceable: Replaceable): Statement {
  const { type } = batch.archived;
  const where = index.where === null ? sql`` : sql` where ${index.where}`;
  const same = columnsOf(index, batch.archived).map((name) => sql`t.${name} = r.${name}`);
  const rows = sql`select r.* from ${versionsIn(batch, listed(batch.lines))}`;
  return print(sql`select distinct r.document_id as id, t.document_id as other
    from (select * from (${rows}) r${where}) r
    join (select * from ${quote(type.table)}${where}) t on ${join(same, ' and ')}
      and t.document_id <> r.document_id
    where not (${replaceable(sql`t`)})`);
}

/** Documents that take a target which another document has to itself: `id`, and `other`. */
function targetHeld(stored: StoredLinks, { lines }: Batch): Statement {
  const { table, owner, target } = namesOf(stored.table);
  return print(sql`select distinct g.id, l.${owner} as other from ${given(listed(lines))}
    cross join lateral ${linksIn(stored)} r
    join ${table} l on l.${target} = r.${target} and l.published = r.published and l.locale = r.locale
      and l.${owner} <> g.id`);
}

/** A question for documents that are in the way, and what they would have in common. */
export interface Rival {
  readonly statement: Statement;
  readonly what: string;
}

/** What no two documents of a type may have. */
export function compileRivals(batch: Batch, replaceable: Replaceable): readonly Rival[] {
  const { archived } = batch;
  const version = versionIndexName(archived.type);
  const indexes = archived.type.storage.indexes.filter(
    (index) => index.unique && index.name !== version && columnsOf(index, archived).length > 0,
  );
  const isOwn = (property: string): boolean => systemColumn(property) === undefined;
  return [
    ...indexes.map((index) => ({
      statement: heldBy(index, batch, replaceable),
      what: index.properties.filter(isOwn).join(', ') || 'the only document',
    })),
    ...archived.links
      .filter(({ table }) => table.exclusive)
      .map((stored) => ({ statement: targetHeld(stored, batch), what: stored.attribute.name })),
  ];
}

/** Rows that make place, where there are some. */
export const compileReplaced = ({ archived: { type }, lines }: Batch, replaceable: Replaceable): Statement =>
  print(sql`delete from ${quote(type.table)} t where ${replaceable(sql`t`)}
    and t.document_id not in (select g.id from ${given(listed(lines))})`);

/** Nobody else writes what a batch is about; everybody may read. */
export function compileHoldTables({ type, links }: ArchivedType): Statement {
  const tables = [quote(type.table), ...links.map(({ table }) => quote(table.table))];
  return print(sql`lock table ${join(tables, ', ')} in share row exclusive mode`);
}

/**
 * Writes documents whatever was there under their ids. Rows keep their numbers where those are free; a row
 * that is there keeps its own, and what no archive holds.
 */
export function compileDocuments(batch: Batch): readonly Statement[] {
  const { archived } = batch;
  const { type, columns, links } = archived;
  const lines = listed(batch.lines);
  const table = quote(type.table);
  const rows = versionsIn(batch, lines);
  const ids = sql`(select g.id from ${given(lines)})`;
  const names = columns.map(({ name }) => quote(name));
  const sequence = sql`${idsOf(type)}::regclass`;
  const id = sql`case when r.id is null or exists (select 1 from ${table} x where x.id = r.id)
    then nextval(${sequence}) else r.id end`;
  const own = sql`g.id, ${id}, r.locale, r.published, r.created_at, r.updated_at,
    r.published_at, coalesce(r.revision, 0)`;
  const values = columns.map(({ name }) => batch.set?.get(name)?.(sql`r`) ?? sql`r.${quote(name)}`);
  const written = join([own, ...values], ', ');
  const set = [sql`created_at`, sql`updated_at`, sql`published_at`, sql`revision`, ...names].map(
    (name) => sql`${name} = excluded.${name}`,
  );
  return [
    print(sql`delete from ${table} t where t.document_id in ${ids}
      and (t.document_id, t.locale, t.published) not in
        (select g.id, r.locale, r.published from ${rows})`),
    print(sql`insert into ${table} as t (${join([SYSTEM, ...names], ', ')}) select ${written} from ${rows}
      order by r.id
      on conflict (document_id, locale, published) do update set ${join(set, ', ')}`),
    ...links.flatMap((one) => linksOf(one, lines)),
    ...timesOf(archived, lines),
  ];
}

function linksOf(stored: StoredLinks, lines: Param): readonly Statement[] {
  const { table, owner } = namesOf(stored.table);
  const columns = linkColumns(stored);
  const values = columns.map((name) => sql`r.${name}`);
  return [
    print(sql`delete from ${table} l where l.${owner} in (select g.id from ${given(lines)})`),
    print(sql`insert into ${table} (${join([owner, ...columns], ', ')})
      select ${join([sql`g.id`, ...values], ', ')} from ${given(lines)} cross join lateral ${linksIn(stored)} r`),
  ];
}

function timesOf({ type }: ArchivedType, lines: Param): readonly Statement[] {
  const table = quote(scheduleTableOf(type));
  const name = constant(type.singularApiId);
  return [
    print(
      sql`delete from ${table} s where s.type = ${name}
        and s.document_id in (select g.id from ${given(lines)})`,
    ),
    print(sql`insert into ${table} (type, document_id, ${TIME_COLUMNS})
      select ${name}, g.id, r.locale, r.action, r.due_at, r.attempts, r.failed_at, r.failure
        from ${given(lines)}
      cross join lateral json_populate_recordset(null::${table},
        case json_typeof(g.line->'schedule') when 'array' then g.line->'schedule' end) r`),
  ];
}

/** The sequence of a table's ids. */
export const idsOf = ({ table }: ContentType): Sql =>
  sql`pg_get_serial_sequence(${quote(table, 'reference')}, 'id')`;
