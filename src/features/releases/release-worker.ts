import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { SCHEDULE } from '../../content/access/caller.js';
import { ModelWatch } from '../../content/documents/model-watch.js';
import {
  failureOf,
  isLasting,
  MAX_ATTEMPTS,
  ScheduleWorker,
} from '../../content/documents/schedule-worker.js';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../content/model/model.js';
import { OWN_TRANSACTION, Database } from '../../content/store/database.js';
import { mayFail } from '../../content/store/may-fail.js';
import { ContentError } from '../../kernel/errors.js';
import type { Runner } from '../../pool/runner.js';
import {
  compileCountRelease,
  compileDueReleases,
  compileMarkFailed,
  compileTakeRelease,
} from './compile-releases.js';
import { Releases } from './releases.service.js';

/** Number of due releases of one search. */
const BATCH = 10;

/** Request id of the writes of a due release. */
const requestIdOf = (id: string): string => `release-${id}`;

/**
 * Publishes releases when they are due, with the searches of the schedule worker. A release and its row share
 * a transaction, so that one of several instances runs it, once. Entries are published as the application:
 * permission was checked when they were added, and when the time was set.
 */
@Injectable()
export class ReleaseWorker implements OnModuleInit {
  private readonly logger = new Logger('ContentReleases');
  private readonly file: ContentType;

  constructor(
    @Inject(CONTENT_SCHEMA) { file }: Schema,
    @Inject(Database) private readonly database: Database,
    @Inject(ScheduleWorker) private readonly worker: ScheduleWorker,
    @Inject(Releases) private readonly releases: Releases,
    @Inject(ModelWatch) private readonly model: ModelWatch,
  ) {
    this.file = file;
  }

  onModuleInit(): void {
    this.worker.add(() => this.runDue());
  }

  private async runDue(): Promise<void> {
    const rows = await this.database.run(compileDueReleases(this.file, BATCH));
    for (const { id } of rows) await this.runOne(String(id));
  }

  private async runOne(id: string): Promise<void> {
    let isTaken = false;
    const work = async (runner: Runner): Promise<string | null> => {
      const [row] = await runner.run(compileTakeRelease(this.file, id));
      isTaken = row !== undefined;
      return isTaken ? this.within(runner, id) : null;
    };
    try {
      const failure = await this.database.transaction(work, { ...OWN_TRANSACTION, shared: true });
      if (failure !== null) this.warn(id, failure);
    } catch (error) {
      // A process of the new release runs it.
      if (isTaken && !this.model.isOutdated) await this.countAttempt(id, failureOf(error));
    }
  }

  /** Publishes a locked release and returns null; on failure, stores the reason and returns it. */
  private async within(runner: Runner, id: string): Promise<string | null> {
    const sender = { caller: SCHEDULE, requestId: requestIdOf(id) };
    const failed = await mayFail(runner, () => this.releases.release(runner, id, sender), isLasting);
    if (failed === null) return null;
    const { error } = failed;
    const { entry } = error instanceof ContentError ? error.details : {};
    const message = failureOf(error);
    await runner.run(
      compileMarkFailed(this.file, id, { message, entry: typeof entry === 'string' ? entry : null }),
    );
    return message;
  }

  private async countAttempt(id: string, message: string): Promise<void> {
    const counted = compileCountRelease(this.file, id, { message, allowed: MAX_ATTEMPTS });
    const [row] = await this.database.run(counted);
    if (row?.['failed'] === true) this.warn(id, message);
  }

  private warn(id: string, failure: string): void {
    this.logger.warn(`Release ${id} could not be published: ${failure}`);
  }
}
