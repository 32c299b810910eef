/** Statements of the readers: leases, positions, undelivered events and attempts. */
import { nextCount } from '../../content/compile/changes.js';
import { POSTMASTER } from '../../content/compile/compile-mark.js';
import { eventTablesOf } from '../../content/model/event-tables.js';
import type { ContentType } from '../../content/model/model.js';
import { isoInstant } from '../../content/model/scalar-types.js';
import { constant, param, print, quote, type Sql, sql, type Statement } from '../../kernel/sql.js';
import { type Cursor, EVENT_SHOWN } from './compile-events.js';

/** Time after which another instance may continue the work of a reader. */
const LEASE = sql`interval '15 seconds'`;

/** Number of attempts that are kept for each reader. */
const KEPT_ATTEMPTS = 200;

const namesOf = (names: readonly string[]): Sql => sql`${param(names)}::text[]`;

/** Creates readers that do not exist yet: they start with the events from now on. */
export const compileRegister = (file: ContentType, names: readonly string[]): Statement =>
  print(sql`insert into ${quote(eventTablesOf(file).reader)} (name, base, after)
    select n.name, pg_current_snapshot(), 0 from unnest(${namesOf(names)}) n(name) on conflict (name) do nothing`);

/** Acquires or renews the leases of readers that no other instance runs. */
export const compileClaim = (file: ContentType, owner: string, names: readonly string[]): Statement => {
  const { reader } = eventTablesOf(file);
  return print(sql`update ${quote(reader)} r set owner = ${param(owner)}::text, until = now() + ${LEASE}
    where r.name in (select f.name from ${quote(reader)} f where f.name = any(${namesOf(names)})
        and f.disabled is null and (f.owner = ${param(owner)}::text or f.until is null or f.until < now())
      for update skip locked)
    returning r.name, r.base::text as base, r.target::text as target, r.after::text as after,
      r.failing_since is not null as failing, ${POSTMASTER}::text as server`);
};

/** Ends the leases of an instance. */
export const compileRelease = (file: ContentType, owner: string): Statement =>
  print(sql`update ${quote(eventTablesOf(file).reader)} r set owner = null, until = null
    where r.owner = ${param(owner)}::text`);

/** Condition that a reader `r` has handled an event `e`, or has stored it as undelivered. */
export const IS_HANDLED = sql`(pg_visible_in_snapshot(e.xid, r.base)
  or coalesce(pg_visible_in_snapshot(e.xid, r.target) and e.id <= r.after, false))`;

/** Lease of a reader. On another server, it is lost: the snapshots of a position are those of one server. */
export interface Lease {
  readonly name: string;
  readonly owner: string;
  readonly server: string;
}

const isMine = ({ name, owner, server }: Lease): Sql =>
  sql`r.name = ${param(name)}::text and r.owner = ${param(owner)}::text and r.until > now()
    and ${POSTMASTER}::text = ${param(server)}::text`;

/** Locks the row of a reader; returns no row if the lease was lost. */
export const compileHold = (file: ContentType, lease: Lease): Statement =>
  print(sql`select 1 from ${quote(eventTablesOf(file).reader)} r where ${isMine(lease)} for update`);

/** Moves a reader behind the events that it has handled. */
export const compileMove = (file: ContentType, lease: Lease, { base, target, after }: Cursor): Statement =>
  print(sql`update ${quote(eventTablesOf(file).reader)} r set base = ${param(base)}::pg_snapshot,
      target = ${param(target)}::pg_snapshot, after = ${param(after)}::bigint where ${isMine(lease)}`);

/** Notes whether the last attempts failed; the first failure sets the time. */
export const compileHealth = (file: ContentType, lease: Lease, failing: boolean): Statement =>
  print(sql`update ${quote(eventTablesOf(file).reader)} r
    set failing_since = ${failing ? sql`coalesce(r.failing_since, now())` : sql`null`} where ${isMine(lease)}`);

export const compileDisable = (file: ContentType, name: string, reason: string): Statement =>
  print(sql`update ${quote(eventTablesOf(file).reader)} r set disabled = ${param(reason)}::text,
      owner = null, until = null where r.name = ${param(name)}::text and r.disabled is null`);

/** Disables a reader that has failed without a success for a number of days. */
export const compileDisableAfter = (file: ContentType, lease: Lease, days: number): Statement =>
  print(sql`update ${quote(eventTablesOf(file).reader)} r
    set disabled = ${param(`every attempt failed for ${days} days`)}::text, owner = null, until = null
    where ${isMine(lease)} and r.failing_since < now() - make_interval(days => ${param(days)}::int4) returning 1`);

/** Enables a reader; it continues where it stopped. */
export const compileEnable = (file: ContentType, name: string): Statement =>
  print(sql`update ${quote(eventTablesOf(file).reader)} r set disabled = null, failing_since = null
    where r.name = ${param(name)}::text`);

/** Removes readers with all that belongs to them. */
export const compileRemove = (file: ContentType, name: string): readonly Statement[] => {
  const { reader, delivery, attempt } = eventTablesOf(file);
  return [
    print(sql`delete from ${quote(reader)} r where r.name = ${param(name)}::text`),
    print(sql`delete from ${quote(delivery)} d where d.reader = ${param(name)}::text`),
    print(sql`delete from ${quote(attempt)} a where a.reader = ${param(name)}::text`),
  ];
};

/**
 * Event that a reader passes without success. Without seconds it waits for an earlier one of its document;
 * one that is given up is not retried.
 */
export interface UndeliveredEvent {
  readonly id: string;
  readonly type: string;
  readonly documentId: string;
  readonly attempts: number;
  readonly seconds: number | null;
  readonly givenUp: boolean;
  readonly failure: string | null;
}

/** Stores undelivered events, and updates those that failed again. */
export const compilePark = (
  file: ContentType,
  reader: string,
  parked: readonly UndeliveredEvent[],
): Statement =>
  print(sql`insert into ${quote(eventTablesOf(file).delivery)} as d
      (reader, event_id, type, document_id, attempts, due_at, failed_at, failure)
    select ${param(reader)}::text, p.id, p.type, p."documentId", p.attempts,
      now() + make_interval(secs => p.seconds), case when p."givenUp" then now() end, p.failure
    from json_to_recordset(${param(JSON.stringify(parked))}::json) p(id bigint, type text, "documentId" text,
      attempts int, seconds float8, "givenUp" bool, failure text)
    on conflict (reader, event_id) do update set attempts = excluded.attempts, due_at = excluded.due_at,
      failed_at = excluded.failed_at, failure = excluded.failure`);

export const compileForgetDelivered = (
  file: ContentType,
  reader: string,
  ids: readonly string[],
): Statement =>
  print(sql`delete from ${quote(eventTablesOf(file).delivery)} d
    where d.reader = ${param(reader)}::text and d.event_id = any(${param(ids)}::bigint[])`);

/** Of the waiting events of each document, lets only the first be due, for one reader or all (null). */
export const compileNext = (file: ContentType, reader: string | null): Statement => {
  const { delivery } = eventTablesOf(file);
  const mine = reader === null ? sql`true` : sql`e.reader = ${param(reader)}::text`;
  return print(sql`update ${quote(delivery)} d set due_at = case when f.leads then now() end
    from (select e.reader, e.event_id, 1 = row_number() over
        (partition by e.reader, e.type, e.document_id order by e.event_id) as leads
      from ${quote(delivery)} e where ${mine} and e.failed_at is null) f
    where d.reader = f.reader and d.event_id = f.event_id and f.leads = (d.due_at is null)`);
};

/** Makes the oldest undelivered event of a reader due now, without counting the attempt. */
export const compileProbe = (file: ContentType, reader: string): Statement => {
  const { delivery } = eventTablesOf(file);
  return print(sql`update ${quote(delivery)} d set due_at = now(), attempts = greatest(d.attempts - 1, 0)
    where d.reader = ${param(reader)}::text and d.event_id = (select min(e.event_id) from ${quote(delivery)} e
      where e.reader = ${param(reader)}::text and e.failed_at is null and e.due_at is not null) returning 1`);
};

/** Makes all failed events due now if nothing else than failures came before, for half a minute or more. */
export const compileRecover = (file: ContentType, name: string): Statement => {
  const { delivery, reader } = eventTablesOf(file);
  return print(sql`update ${quote(delivery)} d set due_at = now(), attempts = greatest(d.attempts - 1, 0)
    from ${quote(reader)} r where r.name = ${param(name)}::text and d.reader = r.name and d.failed_at is null
      and d.due_at > now() and r.failing_since < now() - interval '30 seconds'`);
};

/** Deletes undelivered events that the log no longer contains. */
export const compileForgetExpired = (file: ContentType): Statement => {
  const { delivery, event } = eventTablesOf(file);
  return print(sql`delete from ${quote(delivery)} d
    where not exists (select 1 from ${quote(event)} e where e.id = d.event_id)`);
};

/** Numbers of due events, and of documents with undelivered ones, that a reader needs at most. */
interface Most {
  readonly due: number;
  readonly documents: number;
}

/**
 * Selects the number of documents with undelivered events, some of them, and the due ones of these events; no
 * row if the lease was lost.
 */
export const compileUndelivered = (file: ContentType, lease: Lease, most: Most): Statement => {
  const { delivery, event, reader } = eventTablesOf(file);
  const mine = sql`d.reader = ${param(lease.name)}::text and d.failed_at is null`;
  const due = sql`select ${EVENT_SHOWN}, d.attempts from ${quote(delivery)} d
    join ${quote(event)} e on e.id = d.event_id
    where ${mine} and d.due_at <= now() order by d.due_at limit ${constant(most.due)}`;
  const documents = sql`select d.type, d.document_id as id from ${quote(delivery)} d where ${mine}
    group by d.type, d.document_id`;
  return print(sql`with w as materialized (${documents})
    select (select count(*)::int from w) as waiting,
    (select coalesce(json_agg(f.*), '[]')
      from (select * from w limit ${constant(most.documents)}) f)::text as documents,
    (select coalesce(json_agg(f.*), '[]') from (${due}) f)::text as due
    from ${quote(reader)} r where ${isMine(lease)}`);
};

export interface Attempt {
  readonly id: string;
  readonly at: number;
  readonly status: number | null;
  readonly milliseconds: number;
  readonly failure: string | null;
}

/** Stores attempts, and deletes the oldest ones of the reader. */
export const compileAttempts = (
  file: ContentType,
  reader: string,
  attempts: readonly Attempt[],
): readonly Statement[] => {
  const table = quote(eventTablesOf(file).attempt);
  return [
    print(sql`insert into ${table} (reader, n, event_id, at, status, milliseconds, failure)
      select ${param(reader)}::text, ${nextCount(file)}, p.id, to_timestamp(p.at / 1000), p.status, p.milliseconds,
        p.failure
      from json_to_recordset(${param(JSON.stringify(attempts))}::json)
        p(id bigint, at float8, status int, milliseconds int, failure text)`),
    print(sql`delete from ${table} a where a.reader = ${param(reader)}::text and a.n <= (
      select b.n from ${table} b where b.reader = ${param(reader)}::text order by b.n desc
      offset ${constant(KEPT_ATTEMPTS)} limit 1)`),
  ];
};

/** Lists the latest attempts of a reader, newest first. */
export const compileListAttempts = (file: ContentType, reader: string, limit: number): Statement =>
  print(sql`select concat('evt_', a.event_id) as event, ${isoInstant(sql`a.at`)} as at, a.status,
      a.milliseconds, a.failure
    from ${quote(eventTablesOf(file).attempt)} a where a.reader = ${param(reader)}::text
    order by a.n desc limit ${param(limit)}::int4`);

/** State of readers: events that they have not handled, undelivered and given-up ones. */
export const compileStates = (file: ContentType, names: readonly string[] | null): Statement => {
  const { reader, event, delivery } = eventTablesOf(file);
  const count = (where: Sql): Sql =>
    sql`(select count(*)::int from ${quote(delivery)} d where d.reader = r.name and ${where})`;
  return print(sql`select r.name, r.disabled, ${isoInstant(sql`r.failing_since`)} as "failingSince",
      (select count(*)::int from ${quote(event)} e
        where e.xid >= pg_snapshot_xmin(r.base) and not ${IS_HANDLED}) as lag,
      ${count(sql`d.failed_at is null`)} as pending, ${count(sql`d.failed_at is not null`)} as failed
    from ${quote(reader)} r
    where ${names === null ? sql`true` : sql`r.name = any(${namesOf(names)})`} order by r.name`);
};

/** Returns whether the log or a reader is ahead of this server, because it was restored from another one. */
export const compileIsForeign = (file: ContentType): Statement => {
  const { event, reader } = eventTablesOf(file);
  const next = sql`pg_snapshot_xmax(pg_current_snapshot())`;
  return print(sql`select exists (select 1 from ${quote(event)} e where e.xid >= ${next})
    or exists (select 1 from ${quote(reader)} r where pg_snapshot_xmax(r.base) > ${next}
      or pg_snapshot_xmax(r.target) > ${next}) as is_foreign`);
};

/**
 * Makes a restored log usable. Events that a reader had not handled become undelivered ones, and readers
 * start from now on. All events get a transaction id that every snapshot includes.
 */
export const compileRebase = (file: ContentType): readonly Statement[] => {
  const { event, reader, delivery } = eventTablesOf(file);
  return [
    print(sql`lock table ${quote(event)} in exclusive mode`),
    print(sql`insert into ${quote(delivery)} (reader, event_id, type, document_id, attempts)
      select r.name, e.id, e.type, e.document_id, 0 from ${quote(reader)} r, ${quote(event)} e
      where not ${IS_HANDLED}
      on conflict (reader, event_id) do nothing`),
    compileNext(file, null),
    print(sql`update ${quote(event)} e set xid = '3'::xid8`),
    print(sql`update ${quote(reader)} r set base = pg_current_snapshot(), target = null, after = 0,
      owner = null, until = null`),
  ];
};
