/** Publishes and unpublishes documents when their time has come. */
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import {
  compileCountAttempt,
  compileDropTime,
  compileDue,
  compileFailTime,
  compileTakeDue,
  type ScheduledTime,
} from '../compile/compile-schedule.js';
import type { Runner } from '../database/runner.js';
import { ContentError } from '../errors.js';
import { turnOf } from '../plan/locks.js';
import type { ContentType } from '../schema/model.js';
import type { Scheduled } from '../schema/schedule.js';
import { constantStatement } from '../sql.js';
import { DocumentsBase } from './documents-base.js';
import { Documents } from './documents.service.js';
import { isScheduled } from './schedules.js';

const EVERY_SECONDS = 10;
/** How many documents are looked for at a time. */
const BATCH = 100;
/** How often a time is tried that others are in the way of. */
const ATTEMPTS = 30;
/** How much longer looks may come to be apart while they fail. */
const SLOWEST = 32;

/** What others are in the way of, or the database: it may succeed later. */
const PASSING: readonly string[] = ['ServiceUnavailableError', 'ConflictError'];

/** How a time that had come was dealt with. */
type Outcome = 'none' | 'done' | 'later';

/** A document in a locale with a time that has come. */
type Due = Omit<ScheduledTime, 'action'>;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Looks every few seconds for what is due by the clock of the database. Each time is kept in one transaction
 * with what is done, so that of several instances one does it, once, and what a process that dies has not
 * committed is still to be done. The host itself does it: the right was asked for when the time was set.
 */
@Injectable()
export class ScheduleWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('ContentSchedule');
  private readonly types: readonly ContentType[];
  private readonly milliseconds: number;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private isStopping = false;

  constructor(
    @Inject(DocumentsBase) private readonly base: DocumentsBase,
    @Inject(Documents) private readonly documents: Documents,
  ) {
    this.types = [...base.schema.types.values()].filter(({ draftAndPublish }) => draftAndPublish);
    const unasked = isScheduled(base.schema) ? EVERY_SECONDS : 0;
    this.milliseconds = 1000 * (base.settings.schedule.everySeconds ?? unasked);
  }

  onApplicationBootstrap(): void {
    if (this.milliseconds > 0) this.wait(1);
  }

  /** What has been begun is ended while there are connections. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private wait(slower: number): void {
    if (this.isStopping) return;
    this.timer = setTimeout(() => {
      this.looking = this.look().then(
        () => this.wait(1),
        (error: unknown) => {
          if (slower === 1) this.logger.warn(`Nothing is published by its time for now: ${messageOf(error)}`);
          this.wait(Math.min(2 * slower, SLOWEST));
        },
      );
    }, this.milliseconds * slower).unref();
  }

  /** Does all that is due, one after another. */
  private async look(): Promise<void> {
    const [first, ...others] = this.types;
    for (let more = first !== undefined; more && first !== undefined && !this.isStopping;) {
      const rows = await this.base.database.run(compileDue([first, ...others], BATCH));
      const outcomes: Outcome[] = [];
      for (const row of rows) outcomes.push(await this.keepAll(this.dueOf(row)));
      more = rows.length === BATCH && outcomes.includes('done');
    }
  }

  private dueOf({ type, document_id: id, locale }: Readonly<Record<string, unknown>>): Due {
    const found = this.types.find(({ singularApiId }) => singularApiId === type) as ContentType;
    return { type: found, documentId: String(id), locale: String(locale) };
  }

  /** Everything that is due for a document, in the order of its times. */
  private async keepAll(due: Due): Promise<Outcome> {
    let last: Outcome = 'none';
    for (let outcome: Outcome = 'done'; outcome === 'done' && !this.isStopping;) {
      outcome = await this.keep(due);
      if (outcome !== 'none') last = outcome;
    }
    return last;
  }

  private async keep(due: Due): Promise<Outcome> {
    const options = { values: new Map(), retryOn: [], shared: true, hangup: null };
    const turn = turnOf(due.type, due.documentId);
    let taken: ScheduledTime | undefined;
    try {
      const failure = await this.base.database.transaction(
        async (runner) => {
          const [row] = await runner.run(compileTakeDue(due));
          if (row === undefined) return null;
          taken = { ...due, action: row['action'] as Scheduled };
          return this.within(runner, taken);
        },
        { ...options, turn },
      );
      if (taken === undefined) return 'none';
      if (failure !== null) this.tell(taken, failure);
      return 'done';
    } catch (error) {
      if (taken !== undefined) await this.countAttempt(taken, messageOf(error));
      return 'later';
    }
  }

  /** Does what is due, and answers null; or keeps with its row what was wrong, and answers that. */
  private async within(runner: Runner, time: ScheduledTime): Promise<string | null> {
    await runner.run(constantStatement('savepoint content_schedule'));
    try {
      await this.documents.keepTime(time, runner.em as SqlEntityManager);
      await runner.run(compileDropTime(time));
      return null;
    } catch (error) {
      const { name = '' } = error instanceof ContentError ? error : {};
      if (PASSING.includes(name)) throw error;
      await runner.run(constantStatement('rollback to savepoint content_schedule'));
      const isGone = name === 'NotFoundError';
      await runner.run(isGone ? compileDropTime(time) : compileFailTime(time, messageOf(error)));
      return isGone ? null : messageOf(error);
    }
  }

  private async countAttempt(time: ScheduledTime, failure: string): Promise<void> {
    const counted = compileCountAttempt(time, { allowed: ATTEMPTS, failure });
    const [row] = await this.base.database.run(counted);
    if (row?.['failed'] === true) this.tell(time, failure);
  }

  private tell({ type, documentId, locale, action }: ScheduledTime, failure: string): void {
    this.logger.warn(`Could not ${action} ${type.singularApiId} ${documentId} (${locale}): ${failure}`);
  }
}
