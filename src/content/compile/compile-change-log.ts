/** Statements that poll the change log, and that check whether it is complete. */
import {
  type ChangeLogTables,
  changeLogTablesOf,
  notedTables,
  TRIGGERS,
} from '../model/change-log-tables.js';
import type { ContentType, Schema } from '../model/model.js';
import {
  constant,
  type Identifier,
  join,
  param,
  print,
  quote,
  slot,
  type Sql,
  sql,
  type Statement,
  template,
  type Template,
} from '../../kernel/sql.js';
import { nextCount } from './changes.js';
import { MARK_COLUMN, POSTMASTER } from './compile-mark.js';

/**
 * Identity of a server and database. It changes with a restart, with crash recovery (which may lose
 * transactions, and resets statistics), and with a different database or change log. A pooler or search path
 * may cause the latter.
 */
const serverOf = ({ change }: ChangeLogTables): Sql =>
  sql`concat_ws(' ', ${POSTMASTER},
    extract(epoch from pg_stat_get_bgwriter_stat_reset_time()),
    current_database(), to_regclass(${quote(change, 'reference')})::oid)`;

/** Columns with the snapshot and the server; `marked` adds a WAL position, no earlier than these. */
export const seenBy = (tables: ChangeLogTables, marked: boolean): Sql =>
  sql`pg_current_snapshot()::text as snapshot, ${serverOf(tables)} as server${marked ? sql`, ${MARK_COLUMN}` : sql``}`;

/**
 * Fingerprint of tables that changes with DDL, which calls no trigger: the last transaction that altered
 * each, and its inheritance. Inheritance is read from `pg_inherits`, since `pg_class` does not always change
 * with it. `noted` is a list of table oids.
 */
const shapeOf = (noted: Sql): Sql =>
  sql`(select coalesce(string_agg(concat(c.oid, ':', c.xmin), ' ' order by c.oid), '')
      from pg_class c where c.oid = any(${noted}))
    || (select coalesce(string_agg(concat(' ', i.inhrelid, '<', i.inhparent), '' order by i.inhrelid, i.inhparent), '')
      from pg_inherits i where i.inhparent = any(${noted}) or i.inhrelid = any(${noted}))`;

interface ChangeLogQuery {
  readonly tables: ChangeLogTables;
  readonly marked: boolean;
}

/** Starts polling: selects the snapshot, and the oids and fingerprint of the logged tables. */
export function compileStand({ tables, marked }: ChangeLogQuery, noted: readonly Identifier[]): Statement {
  const names = sql`${param(noted.map((name) => print(quote(name)).text))}::text[]`;
  const found = sql`select array(select to_regclass(w.name)::oid from unnest(${names}) w(name)) as list`;
  return print(
    sql`select ${seenBy(tables, marked)}, pg_is_in_recovery() as standby, n.list::text as noted,
      ${shapeOf(sql`n.list`)} as shape from (${found}) n`,
  );
}

/**
 * Selects the snapshot alone. An unchanged snapshot means that no transaction has committed since the last
 * poll, so this cheap query replaces the poll. Its own cost is a fifth of a poll's.
 */
export const compileGlance = ({ tables, marked }: ChangeLogQuery): Statement =>
  print(sql`select ${seenBy(tables, marked)}, pg_is_in_recovery() as standby`);

export interface Stand {
  readonly snapshot: string;
  readonly noted: string;
}

/** Greatest transaction id. The planner estimates few rows for a bounded range. */
const NEVER = sql`'18446744073709551615'::xid8`;

/**
 * Selects the rows `c` of a table whose transactions a snapshot does not see. The two parts are disjoint:
 * transactions that began after it, and transactions that were running. The cost depends on the number of
 * these rows, not on the age of the oldest running transaction.
 */
export function rowsUnseenBy(table: Identifier, columns: Sql, since: Sql): readonly [Sql, Sql] {
  const rows = sql`select ${columns} from ${quote(table)} c where c.xid >=`;
  return [
    sql`${rows} pg_snapshot_xmax(${since}) and c.xid < ${NEVER}`,
    sql`${rows} pg_snapshot_xmin(${since}) and c.xid < pg_snapshot_xmax(${since})
      and c.xid = any(array(select pg_snapshot_xip(${since})))`,
  ];
}

/**
 * Condition that the row `s` of totals holds the settled snapshot and was written on this server. A copied
 * row has another transaction id or another table oid.
 */
export const isSettled = sql`s.type = '' and s.locale = '' and not s.published and s.settled is not null
    and s.writer = concat(s.xmin, ' ', s.tableoid)`;

/**
 * Polls the change log: all changes that became visible since a snapshot, in any order of begin and commit.
 *
 * `lost` is true if unseen changes were already deleted.
 *
 * `shape` is the fingerprint of tables, null if no transaction has committed.
 */
export function compileCheck({ tables, marked }: ChangeLogQuery): Template<Stand> {
  const since = sql`${slot(({ snapshot }: Stand) => snapshot)}::pg_snapshot`;
  const [later, running] = rowsUnseenBy(tables.change, sql`c.type, c.document_id as id, c.xid`, since);
  const changes = sql`select u.type, u.id, u.xid::text as xid from (${later} union ${running}) u`;
  const lost = sql`not exists (select 1 from ${quote(tables.total)} s
    where ${isSettled} and s.horizon <= pg_snapshot_xmin(${since}))`;
  const isNews = sql`pg_current_snapshot()::text <> ${since}::text`;
  const shape = sql`case when ${isNews} then ${shapeOf(sql`${slot(({ noted }: Stand) => noted)}::oid[]`)} end`;
  return template(
    sql`select ${seenBy(tables, marked)}, pg_is_in_recovery() as standby, ${lost} as lost, ${shape} as shape,
      (select json_agg(d.*) from (${changes}) d)::text as changes`,
  );
}

/** Logs that all content of the types may have changed; with `when`, only if that condition is true. */
export function logEverything(file: ContentType, types: readonly string[], when?: Sql): Sql {
  const names = join(
    types.map((type) => sql`(${constant(type)})`),
    ', ',
  );
  const where = when === undefined ? sql`` : sql` where ${when}`;
  return sql`insert into ${quote(changeLogTablesOf(file).change)} (xid, n, type, locale, published, delta)
    select pg_current_xact_id(), ${nextCount(file)}, w.type, '', false, 0 from (values ${names}) w(type)${where}`;
}

/** Queries that check whether a database's change log is complete. */
export interface Probe {
  readonly lacks: Statement;
  readonly uncounted: Statement;
  /** Fingerprint of each table, which changes with disabled triggers and rewritten rows. */
  readonly marks: Statement;
}

/**
 * Reasons why changes of a table `c` of `pg_class` may be missing. Statement triggers fire only for the table
 * that the statement names, and not for logical replication. Row security may hide rows without a change.
 */
const FLAWS = sql`(c.relkind <> 'r', 'it is not a plain table'),
  (exists (select 1 from pg_inherits i where c.oid in (i.inhparent, i.inhrelid)),
    'it shares rows with others that inherit'),
  (exists (select 1 from pg_subscription_rel s where s.srrelid = c.oid), 'a subscription fills it'),
  (c.relrowsecurity, 'policies decide which of its rows are seen')`;

export function compileProbe(schema: Schema): Probe {
  const { change, total } = changeLogTablesOf(schema.file);
  const noted = notedTables(schema);
  const texts = (names: readonly Identifier[]): Sql =>
    sql`${param(names.map((name) => print(quote(name)).text))}::text[]`;
  const tables = texts(noted.map(({ table }) => table));
  const types = sql`${param(noted.map(({ type }) => type.singularApiId))}::text[]`;
  const triggers = sql`${param(Object.values(TRIGGERS))}::text[]`;
  const isCalled = sql`g.tgrelid = to_regclass(w.name) and g.tgname = e.name and g.tgenabled = 'A'
    and g.tgargs = convert_to(w.type, 'UTF8') || '\\x00'::bytea`;
  return {
    lacks: print(sql`select w.name, 'it is missing: run the migrations' as why
        from unnest(${texts([change, total])}) w(name) where to_regclass(w.name) is null
      union all select w.name, 'a trigger is missing: run the migrations'
        from unnest(${tables}, ${types}) w(name, type) cross join unnest(${triggers}) e(name)
        where not exists (select 1 from pg_trigger g where ${isCalled})
      union all select w.name, f.why from unnest(${tables}) w(name) join pg_class c on c.oid = to_regclass(w.name)
        cross join lateral (values ${FLAWS}) f(flawed, why) where f.flawed`),
    uncounted: print(sql`select w.type from unnest(${param([...schema.types.keys()])}::text[]) w(type)
      where not exists (select 1 from ${quote(total)} t where ${isCounted(sql`w.type`)})
        or not exists (select 1 from ${quote(total)} s where ${isSettled})`),
    marks: print(sql`select w.type,
        string_agg(concat(c.oid, ' ', c.relfilenode, ' ', m.triggers), ',' order by c.oid) as mark
      from unnest(${tables}, ${types}) w(name, type) join pg_class c on c.oid = to_regclass(w.name)
      cross join lateral (select string_agg(concat(g.oid, ':', g.xmin), ' ' order by g.oid) as triggers
        from pg_trigger g where g.tgrelid = c.oid and g.tgname = any(${triggers})) m group by w.type`),
  };
}

const IS_COUNTED_MARK = sql`t.locale = '' and t.published and t.total = 1`;

/** Condition that the row `t` of totals marks a type as counted. */
export const isCounted = (type: Sql): Sql => sql`t.type = ${type} and ${IS_COUNTED_MARK}`;

/** Marks the totals of types as unknown, where the row `t` of a total meets the condition. */
export const uncount = ({ total }: ChangeLogTables, condition: Sql): Sql =>
  sql`update ${quote(total)} t set total = 0 where ${IS_COUNTED_MARK} and ${condition}`;

/** Serialises the maintenance of the change log. */
export const holdChangeLog = (): Statement => print(sql`select pg_advisory_xact_lock(${CHANGE_LOG_LOCK})`);
export const tryChangeLog = (): Statement =>
  print(sql`select pg_try_advisory_xact_lock(${CHANGE_LOG_LOCK}) as held`);
const CHANGE_LOG_LOCK = sql`hashtextextended('content-ledger', 0)`;

/** Selects the number of stored changes, and the first transaction that may still be running. */
export const compileUpkeep = ({ change }: ChangeLogTables): Statement =>
  print(
    sql`select (select count(*) from ${quote(change)})::int4 as retained,
      pg_snapshot_xmin(pg_current_snapshot())::text as xmin`,
  );
