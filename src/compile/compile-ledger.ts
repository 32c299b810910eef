/** Statements about the ledger: what has changed, what there is, how many; and its upkeep. */
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

/**
 * What tells one server from another, and from itself before it was started anew; or before it has recovered
 * from a crash, which may have lost what was seen: that begins all statistics anew. And which of its
 * databases has answered, with which ledger: poolers and search paths may lead elsewhere.
 */
const serverOf = ({ change }: LedgerTables): Sql =>
  sql`concat_ws(' ', extract(epoch from pg_postmaster_start_time()),
    extract(epoch from pg_stat_get_bgwriter_stat_reset_time()),
    current_database(), to_regclass(${quote(change, 'reference')})::oid)`;

/** What is seen at one time, and by which server. */
export const seenBy = (tables: LedgerTables): Sql =>
  sql`pg_current_snapshot()::text as snapshot, ${serverOf(tables)} as server`;

/**
 * What changes with tables that are altered, rewritten, renamed or dropped, of which no trigger is told: the
 * last transaction that did so to each. `noted` is a list of their numbers.
 */
const shapeOf = (noted: Sql): Sql =>
  sql`(select coalesce(string_agg(concat(c.oid, ':', c.xmin), ' ' order by c.oid), '')
    from pg_class c where c.oid = any(${noted}))`;

/** Where checks begin: what is seen now, and the numbers and shape of the tables whose changes are noted. */
export function compileStand(tables: LedgerTables, noted: readonly Identifier[]): Statement {
  const names = sql`${param(noted.map((name) => print(quote(name)).text))}::text[]`;
  const found = sql`select array(select to_regclass(w.name)::oid from unnest(${names}) w(name)) as list`;
  return print(
    sql`select ${seenBy(tables)}, pg_is_in_recovery() as standby, n.list::text as noted,
      ${shapeOf(sql`n.list`)} as shape from (${found}) n`,
  );
}

/** What was there when it was looked at last. */
export interface Stand {
  readonly snapshot: string;
  /** The numbers of the tables whose changes are noted, as they were answered. */
  readonly noted: string;
}

/**
 * Exactly what has come to be seen since a snapshot, in whatever order it was begun and committed; whether
 * changes are not kept any more that were not seen then; and the shape of tables, or null where nothing was
 * committed at all.
 */
export function compileCheck(tables: LedgerTables): Template<Stand> {
  const { change, total } = tables;
  const since = sql`${slot(({ snapshot }: Stand) => snapshot)}::pg_snapshot`;
  // What a snapshot does not see: transactions from its end on, and those that were running. Asked like that
  // it costs what has changed, however long somebody has been writing.
  const columns = sql`c.type, c.document_id as id, c.xid from ${quote(change)} c`;
  const unseen = sql`select ${columns} where c.xid >= pg_snapshot_xmax(${since})
    union select ${columns} where c.xid = any(array(select pg_snapshot_xip(${since})))`;
  const changes = sql`select u.type, u.id, u.xid::text as xid from (${unseen}) u`;
  const lost = sql`exists (select 1 from ${quote(total)} t
    where t.type = '' and t.horizon > pg_snapshot_xmin(${since}))`;
  const isNews = sql`pg_current_snapshot()::text <> ${since}::text`;
  const shape = sql`case when ${isNews} then ${shapeOf(sql`${slot(({ noted }: Stand) => noted)}::oid[]`)} end`;
  return template(
    sql`select ${seenBy(tables)}, pg_is_in_recovery() as standby, ${lost} as lost, ${shape} as shape,
      (select json_agg(d.*) from (${changes}) d)::text as changes`,
  );
}

/** Says of types, by name, that all of their content may have changed. */
export function allChanged(file: ContentType, types: readonly string[]): Sql {
  const rows = types.map(
    (type) => sql`(pg_current_xact_id(), ${nextCount(file)}, ${constant(type)}, '', false, 0)`,
  );
  return sql`insert into ${quote(ledgerTablesOf(file).change)} (xid, n, type, locale, published, delta)
    values ${join(rows, ', ')}`;
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
      where not exists (select 1 from ${quote(total)} t where ${isCounted(sql`w.type`)})`),
    marks: print(sql`select w.type,
        string_agg(concat(c.oid, ' ', c.relfilenode, ' ', m.triggers), ',' order by c.oid) as mark
      from unnest(${tables}, ${types}) w(name, type) join pg_class c on c.oid = to_regclass(w.name)
      cross join lateral (select string_agg(concat(g.oid, ':', g.xmin), ' ' order by g.oid) as triggers
        from pg_trigger g where g.tgrelid = c.oid and g.tgname = any(${triggers})) m group by w.type`),
  };
}

/** Whether the row `t` of totals says that the versions of a type were counted. */
const isCounted = (type: Sql): Sql => sql`t.type = ${type} and t.locale = '' and t.published and t.total = 1`;

/** Says of types that nobody has counted their versions. */
export const compileUncount = ({ total }: LedgerTables, types: readonly string[]): Statement =>
  print(sql`update ${quote(total)} t set total = 0 where ${isCounted(sql`any(${param(types)}::text[])`)}`);

/** For what may take long in large tables. */
export const patiently = (): Statement => print(sql`select set_config('statement_timeout', '0', true)`);

/** Those who keep the ledger take turns. */
export const holdLedger = (): Statement => print(sql`select pg_advisory_xact_lock(${LEDGER_LOCK})`);
export const tryLedger = (): Statement =>
  print(sql`select pg_try_advisory_xact_lock(${LEDGER_LOCK}) as held`);
const LEDGER_LOCK = sql`hashtextextended('content-ledger', 0)`;

/**
 * Counts the versions of a type anew, and says that all of it may have changed. To be run under the lock:
 * what is counted and what was noted are seen at the same time. Answers the totals that were not right; where
 * nobody had counted before, there were none.
 */
export function compileRecount(type: ContentType): Statement {
  const { change, total } = ledgerTablesOf(type);
  const name = constant(type.singularApiId);
  const ofType = sql`where type = ${name} and locale <> '' group by locale, published`;
  const counted = sql`select locale, published, count(*) as n from ${quote(type.table)} group by locale, published`;
  const deltas = sql`select locale, published, sum(delta) as n from ${quote(change)} ${ofType}`;
  const kept = sql`select locale, published, sum(total) as n from ${quote(total)} ${ofType}`;
  const compared = sql`select locale, published, coalesce(c.n, 0) as n, coalesce(d.n, 0) as delta,
      coalesce(k.n, 0) as base
    from counted c full join deltas d using (locale, published) full join kept k using (locale, published)`;
  const changed = allChanged(type, [type.singularApiId]);
  const stored = sql`insert into ${quote(total)} as t (type, locale, published, total, horizon)
    select ${name}, locale, published, n - delta, '0'::xid8 from compared
    union all select ${name}, '', true, 1, '0'::xid8
    on conflict (type, locale, published) do update set total = excluded.total`;
  const wasCounted = sql`exists (select 1 from ${quote(total)} t where ${isCounted(name)})`;
  return print(sql`with counted as (${counted}), deltas as (${deltas}), kept as (${kept}), compared as (${compared}),
    changed as (${changed}), stored as (${stored})
    select locale, published, (base + delta)::float8 as noted, n::float8 as counted from compared
    where base + delta <> n and ${wasCounted} order by locale, published`);
}

/**
 * Adds up the changes of transactions before one that all of them precede. To be run under the lock. What
 * has to be seen of it is seen at once: those who read totals find each change in one place.
 */
export function compileFold({ change, total }: LedgerTables, before: string): Statement {
  const horizon = sql`${param(before)}::xid8`;
  const gone = sql`delete from ${quote(change)} c where c.xid < ${horizon}
    returning c.type, c.locale, c.published, c.delta`;
  return print(sql`with gone as (${gone})
    insert into ${quote(total)} as t (type, locale, published, total, horizon)
    select type, locale, published, sum(delta), '0'::xid8 from gone group by type, locale, published
    union all select '', '', false, 0, ${horizon} where exists (select 1 from gone)
    on conflict (type, locale, published) do update
    set total = t.total + excluded.total, horizon = greatest(t.horizon, excluded.horizon)`);
}

/**
 * Whether so many changes of totals are not added up, `most`, that reading totals would be slow.
 */
export const compilePending = ({ change }: LedgerTables, most: number): Statement =>
  print(
    sql`select count(*) >= ${constant(most)} as pending
      from (select 1 from ${quote(change)} c where c.delta <> 0 limit ${constant(most)}) q`,
  );

/**
 * Adds up changes of totals and keeps the rest of them, for those who ask what has changed. To be run under
 * the lock. Both are seen at once.
 */
export function compileSettle({ change, total }: LedgerTables): Statement {
  const due = sql`select c.xid, c.n, c.type, c.locale, c.published, c.delta
    from ${quote(change)} c where c.delta <> 0`;
  const settled = sql`update ${quote(change)} c set delta = 0 from due d where c.xid = d.xid and c.n = d.n`;
  return print(sql`with due as materialized (${due}), settled as (${settled})
    insert into ${quote(total)} as t (type, locale, published, total, horizon)
    select type, locale, published, sum(delta), '0'::xid8 from due group by type, locale, published
    on conflict (type, locale, published) do update set total = t.total + excluded.total`);
}

/** How many changes are kept, and the first transaction that may still be running. */
export const compileUpkeep = ({ change }: LedgerTables): Statement =>
  print(
    sql`select (select count(*) from ${quote(change)})::int4 as kept,
      pg_snapshot_xmin(pg_current_snapshot())::text as xmin`,
  );

/** How many versions of a type there are, of a state and locales, where somebody has counted them. */
export function countedTotal(type: ContentType, conditions: readonly Sql[], otherwise: Sql): Sql {
  const { change, total } = ledgerTablesOf(type);
  const name = constant(type.singularApiId);
  const where = conditions.reduce(
    (all, one) => sql`${all} and ${one}`,
    sql`t.type = ${name} and t.locale <> ''`,
  );
  const base = sql`(select coalesce(sum(t.total), 0) from ${quote(total)} t where ${where})`;
  const since = sql`(select coalesce(sum(t.delta), 0) from ${quote(change)} t where ${where} and t.delta <> 0)`;
  return sql`(case when exists (select 1 from ${quote(total)} t where ${isCounted(name)})
    then ${base} + ${since} else ${otherwise} end)`;
}
