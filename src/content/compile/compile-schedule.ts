/**
 * Statements of schedules. To prevent deadlocks, writers and the worker lock schedule rows before the
 * document. A deletion skips locked rows: their holder deletes them when it finds no document.
 */
import type { UnscheduleStep } from '../plan/steps.js';
import type { ContentType } from '../model/model.js';
import { isoInstant } from '../model/scalar-types.js';
import { type ScheduledAction, scheduleTableOf } from '../model/schedule.js';
import { join, param, print, quote, type Sql, sql, type Statement } from '../../kernel/sql.js';

export interface ScheduleKey {
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly locale: string | null;
}

const tableOf = (type: ContentType): Sql => quote(scheduleTableOf(type));

function rowsOf({ type, documentId, locale }: ScheduleKey, row = sql`s`): Sql {
  const conditions = [sql`${row}.type = ${param(type.singularApiId)}::text`];
  if (documentId !== null) conditions.push(sql`${row}.document_id = ${param(documentId)}::text`);
  if (locale !== null) conditions.push(sql`${row}.locale = ${param(locale)}::text`);
  return join(conditions, ' and ');
}

export const compileSchedule = (key: ScheduleKey): Statement =>
  print(sql`select s.action, ${isoInstant(sql`s.due_at`)} as due, ${isoInstant(sql`s.failed_at`)} as failed, s.failure
    from ${tableOf(key.type)} s where ${rowsOf(key)} order by s.due_at, s.action`);

/** Locks the rows of a schedule, waiting for concurrent writers and the worker. */
export const compileHoldSchedule = (key: ScheduleKey): Statement =>
  print(sql`select 1 from ${tableOf(key.type)} s where ${rowsOf(key)} order by s.action for update`);

export interface ScheduledTime {
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string;
  readonly action: ScheduledAction;
}

/** Sets the time of an action and clears its failure; null deletes the row. */
export function compileSetTime(time: ScheduledTime, due: string | null): Statement {
  if (due === null) return compileDropTime(time);
  const { type, documentId, locale, action } = time;
  return print(sql`insert into ${tableOf(type)} as s (type, document_id, locale, action, due_at, attempts)
    values (${param(type.singularApiId)}::text, ${param(documentId)}::text, ${param(locale)}::text,
      ${param(action)}::text, ${param(due)}::timestamptz, 0)
    on conflict (type, document_id, locale, action) do update
    set due_at = excluded.due_at, attempts = 0, failed_at = null, failure = null`);
}

const timeIs = (time: ScheduledTime): Sql => sql`${rowsOf(time)} and s.action = ${param(time.action)}::text`;

export const compileDropTime = (time: ScheduledTime): Statement =>
  print(sql`delete from ${tableOf(time.type)} s where ${timeIs(time)}`);

/**
 * Deletes the schedule of a deleted document or locale. Rows that a writer or the worker has locked are
 * skipped: they delete them when they find no document.
 */
export const compileUnschedule = (step: UnscheduleStep): Statement =>
  print(sql`delete from ${tableOf(step.type)} d using (
      select s.type, s.document_id, s.locale, s.action from ${tableOf(step.type)} s
      where ${rowsOf(step)} for update skip locked) f
    where d.type = f.type and d.document_id = f.document_id and d.locale = f.locale and d.action = f.action`);

/** Condition that a row is due, by the database clock. */
const isDue = (row: Sql): Sql => sql`${row}.due_at <= now() and ${row}.failure is null`;

/** Selects documents with due actions: `type`, `document_id` and `locale`. */
export const compileDue = (types: readonly [ContentType, ...ContentType[]], limit: number): Statement =>
  print(sql`select s.type, s.document_id, s.locale from ${tableOf(types[0])} s
    where ${isDue(sql`s`)} and s.type = any(${param(types.map(({ singularApiId }) => singularApiId))}::text[])
    group by s.type, s.document_id, s.locale order by min(s.due_at) limit ${param(limit)}::int4`);

/** Locks the first due action of a document; no row if another transaction has locked it. */
export function compileTakeDue(key: ScheduleKey): Statement {
  const first = sql`select e.action from ${tableOf(key.type)} e where ${rowsOf(key, sql`e`)}
    and ${isDue(sql`e`)} order by e.due_at, e.action limit 1`;
  return print(
    sql`select s.action from ${tableOf(key.type)} s where ${rowsOf(key)} and ${isDue(sql`s`)}
      and s.action = (${first}) for update skip locked`,
  );
}

export const compileFailTime = (time: ScheduledTime, failure: string): Statement =>
  print(sql`update ${tableOf(time.type)} s set failed_at = now(), failure = ${param(failure)}::text
    where ${timeIs(time)}`);

/** Limit of attempts for an action that fails because of concurrent transactions. */
export interface Attempts {
  readonly allowed: number;
  /** Message that is stored after the last attempt. */
  readonly failure: string;
}

/** Counts an attempt that may succeed later; `failed` is true after the last allowed one. */
export function compileCountAttempt(time: ScheduledTime, { allowed, failure }: Attempts): Statement {
  const over = sql`s.attempts + 1 >= ${param(allowed)}::int4`;
  return print(sql`update ${tableOf(time.type)} s set attempts = s.attempts + 1,
      failed_at = case when ${over} then now() end, failure = case when ${over}
        then ${param(failure)}::text end
    where ${timeIs(time)} and s.failure is null returning s.failure is not null as failed`);
}
