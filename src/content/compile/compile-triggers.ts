/** Triggers that write the change log, as statements of migrations. */
import {
  FORMER_INDEX,
  FORMER_TRIGGERS,
  type ChangeLogTables,
  changeLogTablesOf,
  NOTE_LINKS,
  NOTE_UPDATES,
  NOTE_VERSIONS,
  type NotedEvent,
  type NotedTable,
  notedTables,
  TOTAL_COLUMNS,
  TRIGGERS,
} from '../model/change-log-tables.js';
import type { ContentType, Schema } from '../model/model.js';
import { besideTable, STORAGE_OF_VERSIONS } from '../model/table-shapes.js';
import { inSchema, splitTable } from '../model/naming.js';
import { constant, type Identifier, join, print, quote, type Sql, sql, typeName } from '../../kernel/sql.js';
import { nextCount } from './changes.js';
import { uncount } from './compile-change-log.js';

const INTO = sql`(xid, n, type, document_id, locale, published, delta)`;

interface Writing {
  readonly into: Sql;
  readonly by: Sql;
}

const writingOf = ({ type }: NotedTable, { change }: ChangeLogTables): Writing => ({
  into: sql`insert into ${quote(change)} ${INTO}`,
  by: sql`pg_current_xact_id(), ${nextCount(type)}, tg_argv[0]`,
});

/** Name of the table's schema, unique, in the characters that a setting's name may have. */
const SCHEMA = sql`encode(convert_to(tg_table_schema, getdatabaseencoding()), 'hex')`;
/**
 * Transaction settings, by schema: the last logged document, and the number of logged documents. A rollback
 * to a savepoint restores them with the changes.
 * Each schema has its own change log, and one transaction may change several. Settings cost less than another
 * change, and less than a trigger condition, which PostgreSQL parses again in each statement.
 */
const LAST_LOGGED_SETTING = sql`'content_ledger.noted_' || own`;
const LOGGED_COUNT_SETTING = sql`'content_ledger.documents_' || own`;
const loggedAs = (document: Sql): Sql => sql`concat(tg_argv[0], ' ' || ${document})`;

/** Number of inserted or deleted versions logged individually; the rest are aggregated. */
const MOST_SINGLE_VERSIONS = sql`8`;
/** Maximum of documents that a transaction logs individually; beyond it, the whole type is logged. */
const MOST_SINGLE_DOCUMENTS = sql`100`;

/** Triggers run with the search path of the migration that created them, where the change log is. */
const HEADER = sql`returns trigger language plpgsql security definer set search_path from current as`;

/** Logs inserted or deleted versions, `rows`; `sign` is the sign of their count. */
function noteRows({ into, by }: Writing, rows: Sql, sign: Sql): Sql {
  const document = sql`case when min(x.document_id) = max(x.document_id) then min(x.document_id) end`;
  return sql`${into} select ${by}, f.document_id, f.locale, f.published, ${sign}1
    from ${rows} f limit ${MOST_SINGLE_VERSIONS};
    get diagnostics few = row_count;
    if few = ${MOST_SINGLE_VERSIONS} then
      ${into} select ${by}, ${document}, x.locale, x.published, ${sign}count(*)
      from (select * from ${rows} offset ${MOST_SINGLE_VERSIONS}) x group by x.locale, x.published;
    end if;`;
}

/** Logs inserted, deleted and truncated versions. TRUNCATE gives no rows, so the count is invalid. */
function noteVersions(noted: NotedTable, tables: ChangeLogTables): Sql {
  const writing = writingOf(noted, tables);
  const { into, by } = writing;
  // The table is empty now, except to transactions with an older snapshot.
  const uncounted = sql`${uncount(tables, sql`t.type = tg_argv[0]`)};`;
  return sql`declare few int; begin
    if tg_op = 'INSERT' then ${noteRows(writing, sql`fresh`, sql``)}
    elsif tg_op = 'DELETE' then ${noteRows(writing, sql`former`, sql`-`)}
    else ${into} values (${by}, null, '', false, 0); ${uncounted} end if;
    return new; end`;
}

/** Logs a row's document once per transaction; the whole type if the row changes its document. */
function noteDocument({ into, by }: Writing, id: Sql, first = sql``): Sql {
  return sql`declare own text := ${SCHEMA}; known text := current_setting(${LAST_LOGGED_SETTING}, true); many int;
    document text := case when old.${id} <> new.${id} then null else coalesce(new.${id}, old.${id}) end;
    begin ${first}
    if known = tg_argv[0] or known = ${loggedAs(sql`document`)} then return new; end if;
    many := coalesce(nullif(current_setting(${LOGGED_COUNT_SETTING}, true), '')::int, 0) + 1;
    if many > ${MOST_SINGLE_DOCUMENTS} then document := null; end if;
    ${into} values (${by}, document, '', false, 0);
    known := set_config(${LAST_LOGGED_SETTING}, ${loggedAs(sql`document`)}, true);
    many := set_config(${LOGGED_COUNT_SETTING}, many::text, true);
    return new; end`;
}

/** Logs a changed locale, state or document as deleted and inserted: rare, so for the whole type. */
function noteUpdates(noted: NotedTable, tables: ChangeLogTables): Sql {
  const writing = writingOf(noted, tables);
  const { into, by } = writing;
  const gone = sql`(${by}, null, old.locale, old.published, -1)`;
  const come = sql`(${by}, null, new.locale, new.published, 1)`;
  const moved = sql`if old.locale <> new.locale or old.published <> new.published
      or old.document_id <> new.document_id then
      ${into} values ${gone}, ${come}; return new; end if;`;
  return noteDocument(writing, sql`document_id`, moved);
}

const noteLinks = (noted: NotedTable, tables: ChangeLogTables): Sql =>
  noteDocument(writingOf(noted, tables), sql`owner_document_id`);

type Body = (noted: NotedTable, tables: ChangeLogTables) => Sql;

const FUNCTIONS: Readonly<Record<NotedTable['holds'], readonly (readonly [Identifier, Body])[]>> = {
  versions: [
    [NOTE_VERSIONS, noteVersions],
    [NOTE_UPDATES, noteUpdates],
  ],
  links: [[NOTE_LINKS, noteLinks]],
};

const functionOf = ({ type }: NotedTable, name: Identifier): Sql =>
  quote(inSchema(splitTable(type.table).schema, name));

const functions = (noted: NotedTable): Sql[] =>
  FUNCTIONS[noted.holds].map(([name, body]) => {
    const text = body(noted, changeLogTablesOf(noted.type));
    return sql`create or replace function ${functionOf(noted, name)}() ${HEADER} $$ ${text} $$`;
  });

interface Call {
  readonly how: Sql;
  readonly name: Identifier;
}

/**
 * Row triggers for events without counts: they cost little for each row, and nothing for the frequent
 * statements that change no link. Counted events use statement triggers.
 */
const ROW = sql`for each row`;
const CALLS: Readonly<Record<NotedTable['holds'], Readonly<Record<NotedEvent, Call>>>> = {
  versions: {
    insert: { how: sql`referencing new table as fresh for each statement`, name: NOTE_VERSIONS },
    update: { how: ROW, name: NOTE_UPDATES },
    delete: { how: sql`referencing old table as former for each statement`, name: NOTE_VERSIONS },
    truncate: { how: sql`for each statement`, name: NOTE_VERSIONS },
  },
  links: {
    insert: { how: ROW, name: NOTE_LINKS },
    update: { how: ROW, name: NOTE_LINKS },
    delete: { how: ROW, name: NOTE_LINKS },
    truncate: { how: sql`for each statement`, name: NOTE_LINKS },
  },
};
const EVENTS: Readonly<Record<NotedEvent, Sql>> = {
  insert: sql`insert`,
  update: sql`update`,
  delete: sql`delete`,
  truncate: sql`truncate`,
};

/** Prints a trigger that also fires during restores and replication. */
function trigger(noted: NotedTable, event: NotedEvent): Sql[] {
  const [called, table] = [quote(TRIGGERS[event]), quote(noted.table)];
  const { how, name } = CALLS[noted.holds][event];
  return [
    sql`create trigger ${called} after ${EVENTS[event]} on ${table} ${how}
      execute function ${functionOf(noted, name)}(${constant(noted.type.singularApiId)})`,
    sql`alter table ${table} enable always trigger ${called}`,
  ];
}

const dropTriggers = ({ table }: NotedTable, names: readonly Identifier[]): Sql[] =>
  names.map((one) => sql`drop trigger if exists ${quote(one)} on ${quote(table)}`);

/** MikroORM creates the table, but has no option for storage parameters. */
const parameters = ({ holds, table }: NotedTable): Sql[] =>
  holds === 'versions' ? [sql`alter table ${quote(table)} set ${STORAGE_OF_VERSIONS}`] : [];

/** Prints the statements that create the trigger of an event on a table. */
export function compileTrigger(noted: NotedTable, event: 'insert' | 'update' | 'delete'): string {
  const first = [
    ...parameters(noted),
    ...dropTriggers(noted, FORMER_TRIGGERS),
    ...functions(noted),
    ...trigger(noted, 'truncate'),
  ];
  const statements = [...(event === 'insert' ? first : []), ...trigger(noted, event)];
  // One line for each statement, for drivers that accept one statement at a time.
  return statements.map((statement) => print(statement).text.replace(/\s+/g, ' ')).join(';\n');
}

/** Selects as `n` the missing triggers of a model: all, after an update from an earlier release. */
export function missingTriggers(schema: Schema): Sql {
  const wanted = notedTables(schema).flatMap(({ table }) =>
    Object.values(TRIGGERS).map((one) => sql`(${quote(table, 'reference')}, ${quote(one, 'string')})`),
  );
  return sql`select count(*)::int as n from (values ${join(wanted, ', ')}) w(name, called) where not exists
    (select 1 from pg_trigger g where g.tgrelid = to_regclass(w.name) and g.tgname = w.called)`;
}

/** Updates the change log's tables after an update from an earlier release. */
export function renewedChangeLog(file: ContentType): Sql[] {
  const { change, total } = changeLogTablesOf(file);
  return [
    sql`drop index if exists ${quote(besideTable(change, FORMER_INDEX))}`,
    ...TOTAL_COLUMNS.filter(({ nullable }) => nullable).map(
      ({ name, type }) =>
        sql`alter table ${quote(total)} add column if not exists ${quote(name)} ${typeName(type)}`,
    ),
  ];
}

export function renewedTriggers(noted: NotedTable): Sql[] {
  const events = ['insert', 'update', 'delete', 'truncate'] as const;
  return [
    ...dropTriggers(noted, [...FORMER_TRIGGERS, ...Object.values(TRIGGERS)]),
    ...functions(noted),
    ...events.flatMap((event) => trigger(noted, event)),
  ];
}
