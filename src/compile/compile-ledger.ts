/** Statements about the ledger: what has changed since when, and whether all of it is noted. */
import { type LedgerTables, ledgerTablesOf, notedTables, TRIGGERS } from '../schema/ledger.js';
import type { ContentType, Schema } from '../schema/model.js';
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
} from '../sql.js';
import { nextCount } from './changes.js';
import { MARK_COLUMN, POSTMASTER } from './compile-mark.js';

/**
 * What tells one server from another, and from itself before it was started anew; or before it has recovered
 * from a crash, which may have lost what was seen: that begins all statistics anew. And which of its
 * databases has answered, with which ledger: poolers and search paths may lead elsewhere.
 */
const serverOf = ({ change }: LedgerTables): Sql =>
  sql`concat_ws(' ', ${POSTMASTER},
    extract(epoch from pg_stat_get_bgwriter_stat_reset_time()),
    current_database(), to_regclass(${quote(change, 'reference')})::oid)`;

/** What is seen at one time, and by which server; with `marked` also its position, which is no earlier. */
export const seenBy = (tables: LedgerTables, marked: boolean): Sql =>
  sql`pg_current_snapshot()::text as snapshot, ${serverOf(tables)} as server${marked ? sql`, ${MARK_COLUMN}` : sql``}`;

/**
 * Tables as DDL leaves them, which calls no trigger: the last transaction that altered, rewrote or renamed
 * each, and the tables that it shares rows with. A second heir or a parent does not change a table's own row
 * in `pg_class`. `noted` is a list of their numbers.
 */
const shapeOf = (noted: Sql): Sql =>
  sql`(select coalesce(string_agg(concat(c.oid, ':', c.xmin), ' ' order by c.oid), '')
      from pg_class c where c.oid = any(${noted}))
    || (select coalesce(string_agg(concat(' ', i.inhrelid, '<', i.inhparent), '' order by i.inhrelid, i.inhparent), '')
      from pg_inherits i where i.inhparent = any(${noted}) or i.inhrelid = any(${noted}))`;

/** What a ledger queries. */
interface LedgerQuery {
  readonly tables: LedgerTables;
  /** Whether the position of the primary is queried, too. */
  readonly marked: boolean;
}

/** Where checks begin: what is seen now, and the numbers and shape of the tables whose changes are noted. */
export function compileStand({ tables, marked }: LedgerQuery, noted: readonly Identifier[]): Statement {
  const names = sql`${param(noted.map((name) => print(quote(name)).text))}::text[]`;
  const found = sql`select array(select to_regclass(w.name)::oid from unnest(${names}) w(name)) as list`;
  return print(
    sql`select ${seenBy(tables, marked)}, pg_is_in_recovery() as standby, n.list::text as noted,
      ${shapeOf(sql`n.list`)} as shape from (${found}) n`,
  );
}

/**
 * What is seen, and nothing else. Where that is what a check has seen, nothing was committed since: no
 * change, and no table was altered. Beyond being asked at all, it costs a fifth of a check.
 */
export const compileGlance = ({ tables, marked }: LedgerQuery): Statement =>
  print(sql`select ${seenBy(tables, marked)}, pg_is_in_recovery() as standby`);

/** What was there when it was looked at last. */
export interface Stand {
  readonly snapshot: string;
  /** The numbers of the tables whose changes are noted, as they were answered. */
  readonly noted: string;
}

/** What no number of a transaction exceeds. */
const NEVER = sql`'18446744073709551615'::xid8`;

/**
 * Changes `c` that a snapshot does not see: of transactions from its end on, and of those that were running.
 * Asked like that it costs what has changed, however long somebody has been writing. No change is in both.
 * What is a range is taken for few rows by the planner, which knows nothing else about them.
 */
export function unseen({ change }: LedgerTables, columns: Sql, since: Sql): readonly [Sql, Sql] {
  const rows = sql`select ${columns} from ${quote(change)} c where c.xid >=`;
  return [
    sql`${rows} pg_snapshot_xmax(${since}) and c.xid < ${NEVER}`,
    sql`${rows} pg_snapshot_xmin(${since}) and c.xid < pg_snapshot_xmax(${since})
      and c.xid = any(array(select pg_snapshot_xip(${since})))`,
  ];
}

/**
 * Whether the row `s` of totals says what is settled, and has been written by this server, where it is: a
 * copy of it has another transaction as its own, or is in another table.
 */
export const isSettled = sql`s.type = '' and s.locale = '' and not s.published and s.settled is not null
    and s.writer = concat(s.xmin, ' ', s.tableoid)`;

/**
 * Exactly what has come to be seen since a snapshot, in whatever order it was begun and committed; whether
 * changes are not kept any more that were not seen then; and the shape of tables, or null where nothing was
 * committed at all.
 */
export function compileCheck({ tables, marked }: LedgerQuery): Template<Stand> {
  const since = sql`${slot(({ snapshot }: Stand) => snapshot)}::pg_snapshot`;
  const [later, running] = unseen(tables, sql`c.type, c.document_id as id, c.xid`, since);
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

/** Says of types, by name, that all of their content may have changed; with `when`, only where that is so. */
export function allChanged(file: ContentType, types: readonly string[], when?: Sql): Sql {
  const names = join(
    types.map((type) => sql`(${constant(type)})`),
    ', ',
  );
  const where = when === undefined ? sql`` : sql` where ${when}`;
  return sql`insert into ${quote(ledgerTablesOf(file).change)} (xid, n, type, locale, published, delta)
    select pg_current_xact_id(), ${nextCount(file)}, w.type, '', false, 0 from (values ${names}) w(type)${where}`;
}

/** What is asked of a database before its ledger is trusted. */
export interface Probe {
  /** Tables whose changes may go unnoted, each with the reason. */
  readonly lacks: Statement;
  /** Types whose versions nobody has counted. */
  readonly uncounted: Statement;
  /** Of each table a text that changes when its triggers were switched off and on, or its rows rewritten. */
  readonly marks: Statement;
}

/**
 * Why changes of a table `c` of `pg_class` may go unnoted: triggers of statements are called for the table
 * that a statement names, and not when a subscription applies changes; and what policies show may change
 * without it.
 */
const FLAWS = sql`(c.relkind <> 'r', 'it is no plain table'),
  (exists (select 1 from pg_inherits i where c.oid in (i.inhparent, i.inhrelid)),
    'it shares rows with others that inherit'),
  (exists (select 1 from pg_subscription_rel s where s.srrelid = c.oid), 'a subscription fills it'),
  (c.relrowsecurity, 'policies decide which of its rows are seen')`;

export function compileProbe(schema: Schema): Probe {
  const { change, total } = ledgerTablesOf(schema.file);
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

const COUNTED = sql`t.locale = '' and t.published and t.total = 1`;

/** Whether the row `t` of totals says that the versions of a type were counted. */
export const isCounted = (type: Sql): Sql => sql`t.type = ${type} and ${COUNTED}`;

/** Says that they were not, of types whose row `t` is as the condition says. */
export const uncount = ({ total }: LedgerTables, condition: Sql): Sql =>
  sql`update ${quote(total)} t set total = 0 where ${COUNTED} and ${condition}`;

/** For what may take long in large tables. */
export const patiently = (): Statement => print(sql`select set_config('statement_timeout', '0', true)`);

/** Those who keep the ledger take turns. */
export const holdLedger = (): Statement => print(sql`select pg_advisory_xact_lock(${LEDGER_LOCK})`);
export const tryLedger = (): Statement =>
  print(sql`select pg_try_advisory_xact_lock(${LEDGER_LOCK}) as held`);
const LEDGER_LOCK = sql`hashtextextended('content-ledger', 0)`;

/** How many changes are kept, and the first transaction that may still be running. */
export const compileUpkeep = ({ change }: LedgerTables): Statement =>
  print(
    sql`select (select count(*) from ${quote(change)})::int4 as kept,
      pg_snapshot_xmin(pg_current_snapshot())::text as xmin`,
  );
