/** Statements that export documents, each as one JSON text. */
import { present } from '../../kernel/present.js';
import { type ArchivedType, holdsSecrets } from '../../content/model/archive.js';
import type { Column, Schema, StoredLinks } from '../../content/model/model.js';
import type { DocumentMember } from '../../content/documents/archive-parts.js';
import { scheduleTableOf } from '../../content/model/schedule.js';
import {
  constant,
  type Identifier,
  join,
  plain,
  print,
  quote,
  type Sql,
  sql,
  type Statement,
} from '../../kernel/sql.js';
import { namesOf, targetColumns } from '../../content/compile/link-sql.js';
import { cleanList } from '../../content/compile/archived-values.js';

export const SYSTEM = sql`document_id, id, locale, published, created_at, updated_at, published_at, revision`;

function shown({ name, attribute }: Column): Sql {
  const value = sql`t.${quote(name)}`;
  const isMixed = 'components' in attribute && holdsSecrets(attribute);
  return isMixed ? sql`${cleanList(attribute, value, [])} as ${quote(name)}` : value;
}

export function linkColumns({ table }: StoredLinks): readonly Sql[] {
  const { position } = namesOf(table);
  const places = table.inversePosition === null ? [] : [plain(table.inversePosition.name)];
  return [sql`published`, sql`locale`, ...targetColumns(table).map(({ name }) => name), position, ...places];
}

function linksOf(stored: StoredLinks): Sql {
  const { table, owner, position } = namesOf(stored.table);
  const columns = join(
    linkColumns(stored).map((name) => sql`l.${name}`),
    ', ',
  );
  const links = sql`select ${columns} from ${table} l where l.${owner} = d.document_id`;
  const { targetType } = stored.table;
  const last = targetType === null ? sql`` : sql`, x.${plain(targetType.name)}`;
  const order = sql`x.published, x.locale, x.${position}, x.${plain(stored.table.target.name)}${last}`;
  return sql`(select json_agg(x.* order by ${order}) from (${links}) x)`;
}

/**
 * Prints an object of lists, without empty ones. Has no limit of members; PostgreSQL accepts only 50 in
 * `json_build_object`.
 */
export function objectOf(lists: readonly (readonly [Identifier, Sql])[], type: Sql): Sql {
  if (lists.length === 0) return sql`'{}'::${type}`;
  const rows = lists.map(([name, list]) => sql`(${quote(name, 'string')}, (${list}))`);
  return sql`(select coalesce(${type}_object_agg(m.k, m.v) filter (where m.v is not null), '{}')
    from (values ${join(rows, ', ')}) m(k, v))`;
}

/** Columns of a schedule row except the type and document id. */
const TIME_COLUMNS = sql`locale, action, due_at, attempts, failed_at, failure`;

/** Prints a document of the rows `d` as JSON, with further members of features. */
export function archivedDocument(
  { type, columns, links }: ArchivedType,
  members: readonly DocumentMember[] = [],
): Sql {
  const more = members.reduce(
    (all, { name, of }) => {
      const value = of(type, sql`d.document_id`);
      return value === null ? all : sql`${all}, ${quote(name, 'string')}, ${value}`;
    },
    sql``,
  );
  const system = sql`t.document_id, t.id, t.locale, t.published,
    t.created_at, t.updated_at, t.published_at, t.revision`;
  const list = join([system, ...columns.map(shown)], ', ');
  const versions = sql`select ${list} from ${quote(type.table)} t where t.document_id = d.document_id`;
  const named = links.map((one) => [one.attribute.name, linksOf(one)] as const);
  const times = sql`select ${TIME_COLUMNS} from ${quote(scheduleTableOf(type))} s
    where s.type = ${constant(type.singularApiId)} and s.document_id = d.document_id`;
  return sql`json_build_object('documentId', d.document_id,
    'versions', (select json_agg(v.* order by v.locale, v.published) from (${versions}) v),
    'links', ${objectOf(named, sql`json`)},
    'schedule', (select json_agg(x.* order by x.locale, x.action) from (${times}) x)${more})`;
}

/** Opens a cursor of a type's documents, ordered by document id. */
export function compileOpenDocuments(archived: ArchivedType, members: readonly DocumentMember[]): Statement {
  const ids = sql`select distinct i.document_id from ${quote(archived.type.table)} i`;
  return print(
    sql`declare content_archive no scroll cursor for
      select ${archivedDocument(archived, members)}::text as line from (${ids}) d order by d.document_id`,
  );
}

/** Opens a cursor of stored objects, formats included, each once: `key`, and `mime` of originals. */
export function compileOpenContents({ file }: Schema): Statement {
  const column = (name: string): Sql => sql`f.${quote(present(file.storage.columnOf.get(name), name).name)}`;
  const [key, formats, mime] = [column('storageKey'), column('formatKeys'), column('mime')];
  const rows = sql`from ${quote(file.table)} f where ${key} is not null`;
  const objects = sql`select case jsonb_typeof(${formats}) when 'object' then ${formats} end as keys ${rows}`;
  const named = sql`select e.value, null from (${objects}) k cross join lateral jsonb_each_text(k.keys) e`;
  return print(sql`declare content_archive no scroll cursor for
    select c.key, min(c.mime) as mime from (select ${key} as key, ${mime} as mime ${rows} union all ${named}) c
    group by c.key order by c.key`);
}

/** Fetches the next rows of the cursor: documents as texts in `line`, or stored objects. */
export const compileNext = (count: number): Statement =>
  print(sql`fetch ${constant(count)} from content_archive`);

export const compileClose = (): Statement => print(sql`close content_archive`);

export const compileLastId = ({ table }: ArchivedType['type']): Statement =>
  print(sql`select coalesce(max(t.id), 0)::int4 as last from ${quote(table)} t`);

export function compileCounters({ file }: Schema): Statement {
  const { instanceSequence, counter } = file.storage;
  const last = (sequence: Identifier): Sql =>
    sql`coalesce(pg_sequence_last_value(${quote(sequence, 'reference')}::regclass), 0)::text`;
  return print(sql`select ${last(instanceSequence)} as instances, ${last(counter)} as counts`);
}

const SETTINGS = sql`set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO', true),
  (select count(set_config(s.name, '0', true)) from pg_settings s where s.name in
    ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')) as unlimited`;

/** Settings of an export transaction: a fixed text form of instants, and no timeouts. */
export const EXPORT_SETTINGS = print(sql`select ${SETTINGS}`);

/**
 * Settings of an import transaction. Its statements look up few rows by keys. While tables grow, the planner
 * has no statistics and would scan them.
 */
export const IMPORT_SETTINGS = print(sql`select ${SETTINGS}, set_config('enable_seqscan', 'off', true),
  set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`);
