/** Schedules of documents: read, set and cleared here, run by the schedule worker. */
import { compileVersions } from '../compile/compile-load.js';
import { isText } from '../../kernel/json.js';
import type { Caller } from '../access/caller.js';
import { compileLocks } from '../../pool/locks.js';
import {
  compileHoldSchedule,
  compileSchedule,
  compileSetTime,
  compileUnschedule,
} from '../compile/compile-schedule.js';
import type { Row, Runner } from '../../pool/runner.js';
import { notFound } from '../../kernel/errors.js';
import { linksOfTransition } from '../plan/link-steps.js';
import { mutexOf } from '../plan/locks.js';
import type { ReadPlan } from '../plan/plan.js';
import { notOneLocale } from '../plan/plan-read.js';
import { type GivenTimes, planTimes } from '../plan/schedule.js';
import type { WritePlan, WriteTarget } from '../plan/write-plan.js';
import { writeTargetOf } from '../plan/write-target.js';
import {
  isScheduledAction,
  type ScheduledAction,
  SCHEDULED_ACTIONS,
  type ScheduleTime,
  TIME_OF,
} from '../model/schedule.js';
import type { Schema } from '../model/model.js';
import type { Statement } from '../../kernel/sql.js';
import { requireTransaction } from '../store/require-transaction.js';
import type { DocumentsBase } from './documents-base.js';
import { foundIn, loadedFrom } from './load.js';
import { checkTargets } from './taken-targets.js';
import { versionsWithRights } from './version-rights.js';
import { existsForCaller, ownOnly } from './document-rights.js';
import type { WriteOptions } from './write-options.js';

export interface ScheduleFailure {
  readonly action: ScheduledAction;
  readonly at: string;
  /** Reason of the failure; callers other than the application get a fixed text. */
  readonly message: string;
}

/**
 * Times at which one locale of a document is published and unpublished, as ISO 8601 texts in UTC; null for
 * none.
 *
 * @publicApi
 */
export interface ContentSchedule extends Readonly<Record<ScheduleTime, string | null>> {
  readonly documentId: string;
  readonly locale: string;
  readonly failures: readonly ScheduleFailure[];
}

const NEVER: GivenTimes = new Map(SCHEDULED_ACTIONS.map((action) => [action, null]));
const NOTHING: GivenTimes = new Map();

export const hasSchedules = ({ types }: Schema): boolean =>
  [...types.values()].some(({ routes }) => routes.includes('schedule'));

const schedulingIsOff = (): Error =>
  new Error('Scheduling is off: add the action "schedule" to a type, or set schedule.everySeconds');

/** Discloses nothing of the document to a caller who may not read it. */
const HIDDEN_FAILURE = 'The action failed: publish or unpublish the document yourself to see the error';

/** Schedules of documents; they require the permission to publish (protocol 8.26). */
export class Schedules {
  constructor(private readonly base: DocumentsBase) {}

  read(plan: ReadPlan, options: WriteOptions): Promise<ContentSchedule> {
    return this.change(plan, NOTHING, options);
  }

  /** Sets the times in a body and returns the schedule. Throws also the 400s of the body. */
  async write(plan: ReadPlan, body: unknown, options: WriteOptions): Promise<ContentSchedule> {
    const times = planTimes(body);
    const { everySeconds } = this.base.settings.schedule;
    const isOn = everySeconds !== null || hasSchedules(this.base.schema);
    if (!isOn && [...times.values()].some((due) => due !== null)) throw schedulingIsOff();
    return this.change(plan, times, options);
  }

  async clear(plan: ReadPlan, options: WriteOptions): Promise<void> {
    await this.change(plan, NEVER, options);
  }

  private async change(
    answer: ReadPlan,
    times: GivenTimes,
    { caller, em, disconnect = null }: WriteOptions,
  ): Promise<ContentSchedule> {
    const { settings, database } = this.base;
    const target = writeTargetOf('publish', answer, settings);
    if (target.everyLocale) throw notOneLocale(answer.version.locale);
    if (times.size > 0) requireTransaction(em);
    const mutex = times.size === 0 ? null : mutexOf(target.type, target.documentId);
    const work = async (runner: Runner): Promise<ContentSchedule | null> => {
      const holding =
        mutex === null ? [] : [compileHoldSchedule(target), compileLocks([{ name: mutex, exclusive: true }])];
      const action = isText(times.get('publish')) ? 'publish' : 'unpublish';
      const documentId = await this.find(runner, { target, caller, holding, action });
      if (documentId === null) return null;
      const changes = [...times].map(([action, due]) =>
        compileSetTime({ type: target.type, documentId, locale: target.locale, action }, due),
      );
      const rows = await runner.finish([...changes, compileSchedule({ ...target, documentId })]);
      return scheduleOf({ documentId, locale: target.locale }, rows.at(-1) ?? [], caller);
    };
    const joined = em === undefined ? {} : { joined: em };
    const schedule = await database.transaction(work, {
      ...{ values: new Map(), retryOn: [], shared: false, mutex, disconnect },
      ...joined,
    });
    if (schedule === null) throw notFound();
    return schedule;
  }

  /**
   * Runs the statements `holding`, and finds a document that the caller may publish or unpublish. Throws
   * NotFoundError, or 403 as the action itself. Publishing can need more: it changes values that locales
   * share.
   */
  async findPublishable(runner: Runner, held: HeldLocks): Promise<string> {
    const documentId = await this.find(runner, held);
    if (documentId === null) throw notFound();
    return documentId;
  }

  /**
   * Finds the document; null if there is none for the caller. Deletes the held schedule of a version that
   * does not exist, because the deletion of the version has skipped it.
   */
  private async find(
    runner: Runner,
    { caller, holding, action: verb, ...held }: HeldLocks,
  ): Promise<string | null> {
    const target = { ...held.target, publish: verb === 'publish' };
    const rest = { locks: [], precondition: null, state: null, events: [], body: null } as const;
    const plan: WritePlan = { verb, target, caller, requestId: null, right: 'publish', ...rest };
    const { settings } = this.base;
    const none = { coverage: null, kept: null, body: null, freshIds: 0 };
    const request = { ...none, target, own: ownOnly(plan), settings };
    const rows = await runner.all([...holding, compileVersions({ ...request, ...target })]);
    const found = loadedFrom(foundIn(rows.at(-1)?.[0], request), request, []);
    const check = { plan, defaultLocale: settings.defaultLocale };
    const versions = await versionsWithRights(runner, check, found.versions);
    const { documentId } = versions;
    if (!existsForCaller(plan, versions) || documentId === null) {
      const isDeleted = versions.own === undefined && versions.published === undefined;
      if (isDeleted && holding.length > 0)
        await runner.run(compileUnschedule({ kind: 'unschedule', ...held.target }));
      return null;
    }
    if (target.publish)
      await checkTargets(runner, check, [
        linksOfTransition({ target, caller, documentId, loaded: found }, true),
      ]);
    return documentId;
  }
}

interface HeldLocks {
  readonly target: WriteTarget;
  readonly caller: Caller;
  readonly action: ScheduledAction;
  /** Statements that acquire the locks before the others run. */
  readonly holding: readonly Statement[];
}

function scheduleOf(
  document: { readonly documentId: string; readonly locale: string },
  rows: readonly Row[],
  { kind }: Caller,
): ContentSchedule {
  const dueOf = (action: ScheduledAction): string | null => {
    const due = rows.find((row) => row['action'] === action)?.['due'];
    return isText(due) ? due : null;
  };
  const failures = rows.flatMap(({ action, failed, failure }): ScheduleFailure[] =>
    isText(failure) && isScheduledAction(action)
      ? [{ action, at: String(failed), message: kind === 'system' ? failure : HIDDEN_FAILURE }]
      : [],
  );
  const { publish, unpublish } = TIME_OF;
  return { ...document, [publish]: dueOf('publish'), [unpublish]: dueOf('unpublish'), failures };
}
