import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { BackgroundWork } from '../content/store/background-work.js';
import { Database } from '../content/store/database.js';
import { ChangeLogKeeper, type WrongTotal } from './change-log-keeper.js';
import { ChangeLog } from './change-log.js';
import { CONTENT_SCHEMA, type Schema } from '../content/model/model.js';

/** Interval of change log maintenance in milliseconds. */
const MAINTENANCE_INTERVAL = 30_000;
const MAINTENANCE = 'content.change_log.maintain';
/** Delay in milliseconds before maintenance that has failed runs again. */
const RETRY_DELAY = 1000;
/** Delay in milliseconds between a read of a total and the settling of pending changes. */
const SETTLE_DELAY = 250;

const logger = new Logger('ContentChangeLog');

export const warnOfChangeLog = (message: string): void => logger.warn(message);

@Injectable()
export class ChangeLogWorker implements OnApplicationShutdown {
  private readonly keeper: ChangeLogKeeper;
  private readonly listeners: (() => void)[] = [];
  private settling: NodeJS.Timeout | null = null;
  private retrying: NodeJS.Timeout | null = null;

  constructor(
    @Inject(CONTENT_SCHEMA) schema: Schema,
    @Inject(Database) database: Database,
    @Inject(ChangeLog) readonly changeLog: ChangeLog,
    @Inject(BackgroundWork) private readonly background: BackgroundWork,
  ) {
    const isStopping = (): boolean => background.isStopping;
    this.keeper = new ChangeLogKeeper({ database, schema, warn: warnOfChangeLog, isStopping });
    changeLog.onAltered(() => {
      this.keeper.doubt();
      void this.maintain();
    });
  }

  get isWhole(): boolean {
    return this.keeper.isWhole;
  }

  get retained(): number {
    return this.keeper.retained;
  }

  get lack(): string | null {
    return this.keeper.lack;
  }

  /** Calls the listener whenever the log becomes complete or incomplete. */
  onAvailability(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Starts the maintenance; `now` runs it at once, if the database is known to be reachable and migrated. */
  begin(now: boolean): void {
    if (now) void this.maintain();
    this.background.repeat(MAINTENANCE, MAINTENANCE_INTERVAL, () => this.maintain());
  }

  /** Runs the maintenance now. The timer runs it every 30 s. */
  maintain(): Promise<void> {
    return this.background.run(MAINTENANCE, () => this.checkAndFold());
  }

  private async checkAndFold(): Promise<void> {
    const before = this.isWhole;
    if (!(await this.keeper.checkLog())) this.retry();
    if (this.isWhole) await this.keeper.fold();
    if (before === this.isWhole) return;
    this.changeLog.forget();
    for (const listener of this.listeners) listener();
  }

  private retry(): void {
    this.retrying ??= setTimeout(() => {
      this.retrying = null;
      void this.maintain();
    }, RETRY_DELAY).unref();
  }

  /** Reports that a total was read: pending changes are settled, which makes the next total cheaper. */
  totalWasRead(): void {
    this.settling ??= setTimeout(() => {
      void this.background
        .run('content.change_log.settle', () => this.keeper.settle())
        .finally(() => {
          this.settling = null;
        });
    }, SETTLE_DELAY).unref();
  }

  recount(...types: readonly string[]): Promise<readonly WrongTotal[]> {
    return this.keeper.recount(...types);
  }

  onApplicationShutdown(): void {
    for (const timer of [this.settling, this.retrying]) if (timer !== null) clearTimeout(timer);
    this.changeLog.close();
  }
}
