import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { SCHEDULE } from '../access/caller.js';
import {
  compileCountAttempt,
  compileDropTime,
  compileDue,
  compileFailTime,
  compileTakeDue,
  type ScheduledTime,
} from '../compile/compile-schedule.js';
import type { Runner } from '../../pool/runner.js';
import { ContentError, messageOf } from '../../kernel/errors.js';
import { checkedAs } from '../../kernel/json.js';
import { present } from '../../kernel/present.js';
import { mutexOf } from '../plan/locks.js';
import { storableText } from '../model/cast-value.js';
import type { ContentType } from '../model/model.js';
import { isScheduledAction } from '../model/schedule.js';
import { TELEMETRY, type Telemetry } from '../../kernel/telemetry.js';
import { BackgroundWork } from '../store/background-work.js';
import { mayFail } from '../store/may-fail.js';
import { DocumentsBase } from './documents-base.js';
import { Documents } from './documents.service.js';
import { hasSchedules } from './schedules.js';

/** Default interval of the search for due documents, in seconds. */
const DEFAULT_SECONDS = 10;
const BATCH = 100;
/** Attempts at an action that conflicts or finds the database unreachable. */
export const MAX_ATTEMPTS = 30;
/** Largest factor of the interval while searches fail. */
const MAX_FACTOR = 32;

/** Names of temporary errors: a later attempt may succeed. */
const TEMPORARY: readonly string[] = ['ServiceUnavailableError', 'ConflictError'];

/** Whether a due action fails for good: no later attempt can succeed. */
export const isLasting = (error: unknown): boolean =>
  !(error instanceof ContentError && TEMPORARY.includes(error.name));

/** Returns the message of an error as PostgreSQL can store it. */
export const failureOf = (error: unknown): string => storableText(messageOf(error));

type Outcome = 'none' | 'done' | 'later';

type Due = Omit<ScheduledTime, 'action'>;

/**
 * Publishes and unpublishes documents when they are due, by the clock of the database. The action and the
 * removal of its time share a transaction. So one of several instances runs it, once, and an action that a
 * crash interrupted stays due. Actions run as the application: permission was checked when the time was set.
 */
@Injectable()
export class ScheduleWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('ContentSchedule');
  private readonly types: readonly ContentType[];
  private milliseconds: number;
  private readonly others: (() => Promise<void>)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopping = false;
  /** Metrics: searches, and outcomes of actions. */
  readonly counts = { searches: 0, failedSearches: 0, done: 0, failed: 0, retried: 0 };

  constructor(
    @Inject(DocumentsBase) private readonly base: DocumentsBase,
    @Inject(Documents) private readonly documents: Documents,
    @Inject(TELEMETRY) private readonly telemetry: Telemetry,
    @Inject(BackgroundWork) private readonly background: BackgroundWork,
  ) {
    this.types = [...base.schema.types.values()].filter(({ draftAndPublish }) => draftAndPublish);
    const byDefault = hasSchedules(base.schema) ? DEFAULT_SECONDS : 0;
    this.milliseconds = 1000 * (base.settings.schedule.everySeconds ?? byDefault);
  }

  /** Adds work of a feature to each search. It turns the searches on, unless `schedule` turns them off. */
  add(work: () => Promise<void>): void {
    this.others.push(work);
    this.milliseconds = 1000 * (this.base.settings.schedule.everySeconds ?? DEFAULT_SECONDS);
  }

  onApplicationBootstrap(): void {
    if (this.milliseconds > 0 && !this.background.runsCommand) this.wait(1);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private wait(slower: number): void {
    if (this.isStopping) return;
    this.timer = setTimeout(() => {
      this.running = this.telemetry
        .background('content.schedules', () => this.runDue())
        .then(
          () => {
            this.counts.searches += 1;
            this.wait(1);
          },
          (error: unknown) => {
            this.counts.failedSearches += 1;
            if (slower === 1)
              this.logger.warn(`The search for scheduled actions failed, it is retried: ${messageOf(error)}`);
            this.wait(Math.min(2 * slower, MAX_FACTOR));
          },
        );
    }, this.milliseconds * slower).unref();
  }

  private async runDue(): Promise<void> {
    const [first, ...others] = this.types;
    for (let more = first !== undefined; more && first !== undefined && !this.isStopping;) {
      const rows = await this.base.database.run(compileDue([first, ...others], BATCH));
      const outcomes: Outcome[] = [];
      for (const row of rows) outcomes.push(await this.keepAll(this.dueOf(row)));
      more = rows.length === BATCH && outcomes.includes('done');
    }
    for (const work of this.others) if (!this.isStopping) await work();
  }

  private dueOf({ type, document_id: id, locale }: Readonly<Record<string, unknown>>): Due {
    const found = this.types.find(({ singularApiId }) => singularApiId === type);
    return {
      type: present(found, `The type ${String(type)}`),
      documentId: String(id),
      locale: String(locale),
    };
  }

  private async keepAll(due: Due): Promise<Outcome> {
    let result: Outcome = 'none';
    for (let outcome: Outcome = 'done'; outcome === 'done' && !this.isStopping;) {
      outcome = await this.keep(due);
      if (outcome !== 'none') result = outcome;
    }
    return result;
  }

  private async keep(due: Due): Promise<Outcome> {
    const options = { values: new Map(), retryOn: [], shared: true, disconnect: null };
    const mutex = mutexOf(due.type, due.documentId);
    let taken: ScheduledTime | undefined;
    try {
      const failure = await this.base.database.transaction(
        async (runner) => {
          const [row] = await runner.run(compileTakeDue(due));
          if (row === undefined) return null;
          taken = { ...due, action: checkedAs(row['action'], isScheduledAction, 'A scheduled action') };
          return this.within(runner, taken);
        },
        { ...options, mutex },
      );
      if (taken === undefined) return 'none';
      this.counts[failure === null ? 'done' : 'failed'] += 1;
      if (failure !== null) this.warn(taken, failure);
      return 'done';
    } catch (error) {
      // A process of the new release runs it.
      if (taken !== undefined && !this.base.model.isOutdated)
        await this.countAttempt(taken, failureOf(error));
      return 'later';
    }
  }

  /** Runs a due action and returns null; on failure, stores the reason with its row and returns it. */
  private async within(runner: Runner, time: ScheduledTime): Promise<string | null> {
    const work = async (): Promise<void> => {
      await this.documents.changeStates([{ ...time, verb: time.action }], {
        caller: SCHEDULE,
        em: present(runner.em, 'The entity manager'),
      });
      await runner.run(compileDropTime(time));
    };
    const failed = await mayFail(runner, work, isLasting);
    if (failed === null) return null;
    const { error } = failed;
    const isDeleted = error instanceof ContentError && error.name === 'NotFoundError';
    const failure = failureOf(error);
    await runner.run(isDeleted ? compileDropTime(time) : compileFailTime(time, failure));
    return isDeleted ? null : failure;
  }

  private async countAttempt(time: ScheduledTime, failure: string): Promise<void> {
    const counted = compileCountAttempt(time, { allowed: MAX_ATTEMPTS, failure });
    const [row] = await this.base.database.run(counted);
    const isFinal = row?.['failed'] === true;
    this.counts[isFinal ? 'failed' : 'retried'] += 1;
    if (isFinal) this.warn(time, failure);
  }

  private warn({ type, documentId, locale, action }: ScheduledTime, failure: string): void {
    this.logger.warn(`Could not ${action} ${type.singularApiId} ${documentId} (${locale}): ${failure}`);
  }
}
