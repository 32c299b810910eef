/** Statements on totals of versions: settled totals, pending changes and maintenance. */
import { EVERYTHING, type ChangeLogTables, changeLogTablesOf } from '../model/change-log-tables.js';
import type { ContentType } from '../model/model.js';
import { constant, param, print, quote, type Sql, sql, type Statement, union } from '../../kernel/sql.js';
import { logEverything, isCounted, isSettled, uncount, rowsUnseenBy } from './compile-change-log.js';

const INTO = sql`(type, locale, published, total, horizon, settled, writer)`;

/** Identity of the writing transaction and table, for the row without a type: see {@link isSettled}. */
const writerOf = ({ total }: ChangeLogTables): Sql =>
  sql`concat(pg_current_xact_id()::xid, ' ', ${quote(total, 'reference')}::regclass::oid)`;

/** Selects the row `s` of totals with the settled snapshot, if it is valid. */
const settledOf = ({ total }: ChangeLogTables): Sql => sql`${quote(total)} s where ${isSettled}`;

const pendingOf = ({ change }: ChangeLogTables): Sql =>
  union(rowsUnseenBy(change, sql`c.type, c.locale, c.published, c.delta`, sql`s.settled`));

const stateOf = (tables: ChangeLogTables): Sql => sql`select s.settled from ${settledOf(tables)}`;

const pendingSince = (tables: ChangeLogTables, state = sql`(${stateOf(tables)})`): Sql =>
  sql`${state} s cross join lateral (${pendingOf(tables)}) p`;

export const compileUncount = (tables: ChangeLogTables, types: readonly string[]): Statement =>
  print(uncount(tables, sql`t.type = any(${param(types)}::text[])`));

/**
 * Resets the change log if no row has a settled snapshot of this server. It deletes all changes, marks all
 * types as not counted, and logs one change of everything, so that all caches are invalidated.
 * The caller holds the maintenance lock. `counted` is false in a savepoint, where the row would not be valid.
 */
export function compileReset(file: ContentType): Statement {
  const tables = changeLogTablesOf(file);
  const { change, total } = tables;
  const due = sql`select 1 where not exists (select 1 from ${settledOf(tables)})`;
  const isDue = sql`exists (select 1 from due)`;
  const gone = sql`delete from ${quote(change)} where ${isDue}`;
  const uncounted = uncount(tables, isDue);
  const logged = logEverything(file, [EVERYTHING], isDue);
  return print(sql`with due as (${due}), gone as (${gone}), uncounted as (${uncounted}), logged as (${logged})
    insert into ${quote(total)} as s ${INTO}
    select '', '', false, 0, '0'::xid8, pg_current_snapshot(), ${writerOf(tables)} from due
    on conflict (type, locale, published) do update
    set horizon = excluded.horizon, settled = excluded.settled, writer = excluded.writer
    returning ${isSettled} as counted`);
}

/**
 * Counts the versions of a type again, and logs that all of it may have changed. The caller holds the
 * maintenance lock; one snapshot covers the count and the pending changes.
 * Returns the totals that were wrong, none if the type was not counted before.
 */
export function compileRecount(type: ContentType): Statement {
  const tables = changeLogTablesOf(type);
  const total = quote(tables.total);
  const name = constant(type.singularApiId);
  const ofType = sql`where p.type = ${name} and p.locale <> '' group by p.locale, p.published`;
  const counted = sql`select locale, published, count(*) as n from ${quote(type.table)} group by locale, published`;
  const deltas = sql`select p.locale, p.published, sum(p.delta) as n
    from ${pendingSince(tables)} ${ofType}`;
  const known = sql`select p.locale, p.published, sum(p.total) as n from ${total} p ${ofType}`;
  const compared = sql`select locale, published, coalesce(c.n, 0) as n, coalesce(d.n, 0) as delta,
      coalesce(k.n, 0) as base
    from counted c full join deltas d using (locale, published) full join known k using (locale, published)`;
  const changed = logEverything(type, [type.singularApiId]);
  const stored = sql`insert into ${total} as t (type, locale, published, total, horizon)
    select ${name}, locale, published, n - delta, '0'::xid8 from compared
    union all select ${name}, '', true, 1, '0'::xid8
    on conflict (type, locale, published) do update set total = excluded.total`;
  const wasCounted = sql`exists (select 1 from ${total} t where ${isCounted(name)})`;
  return print(sql`with counted as (${counted}), deltas as (${deltas}), known as (${known}), compared as (${compared}),
    changed as (${changed}), stored as (${stored})
    select locale, published, (base + delta)::float8 as noted, n::float8 as counted from compared
    where base + delta <> n and ${wasCounted} order by locale, published`);
}

/**
 * Adds the pending changes to the totals and moves the settled snapshot. The caller acquires the maintenance
 * lock in an earlier statement, so that this one sees the last settled state. One snapshot covers both.
 */
export function compileSettle(tables: ChangeLogTables): Statement {
  const sums = sql`select p.type, p.locale, p.published, sum(p.delta) as n
    from ${pendingSince(tables, sql`state`)}
    group by p.type, p.locale, p.published having sum(p.delta) <> 0`;
  return print(sql`with state as (${stateOf(tables)})
    insert into ${quote(tables.total)} as t ${INTO}
    select p.type, p.locale, p.published, p.n, '0'::xid8, null, null from (${sums}) p
    union all select '', '', false, 0, '0'::xid8, pg_current_snapshot(), ${writerOf(tables)} from state
    on conflict (type, locale, published) do update
    set total = t.total + excluded.total, settled = excluded.settled, writer = excluded.writer`);
}

/** Deletes settled changes of transactions before `before`. The caller holds the maintenance lock. */
export function compileFold(tables: ChangeLogTables, before: string): Statement {
  const { change, total } = tables;
  const until = sql`select least(${param(before)}::xid8, pg_snapshot_xmin(s.settled))
    from ${settledOf(tables)}`;
  const gone = sql`delete from ${quote(change)} c where c.xid < (${until}) returning 1`;
  return print(sql`with gone as (${gone})
    update ${quote(total)} s set horizon = greatest(s.horizon, (${until})), writer = ${writerOf(tables)}
    where ${isSettled} and exists (select 1 from gone)`);
}

/** Selects whether at least `most` changes are pending, which makes reading totals slow. */
export const compilePending = (tables: ChangeLogTables, most: number): Statement =>
  print(
    sql`select count(*) >= ${constant(most)} as pending
      from (select 1 from ${pendingSince(tables)} limit ${constant(most)}) q`,
  );

/**
 * Prints the number of versions of a type in a state and locales: settled total plus pending changes. Types
 * that are not counted use `otherwise`.
 */
export function countedTotal(type: ContentType, conditions: readonly Sql[], otherwise: Sql): Sql {
  const tables = changeLogTablesOf(type);
  const total = quote(tables.total);
  const name = constant(type.singularApiId);
  const where = conditions.reduce(
    (all, one) => sql`${all} and ${one}`,
    sql`t.type = ${name} and t.locale <> ''`,
  );
  const base = sql`(select coalesce(sum(t.total), 0) from ${total} t where ${where})`;
  const since = sql`(select coalesce(sum(t.delta), 0) from (${pendingOf(tables)}) t where ${where})`;
  return sql`coalesce((select ${base} + ${since} from ${settledOf(tables)}
    and exists (select 1 from ${total} t where ${isCounted(name)})), ${otherwise})`;
}
