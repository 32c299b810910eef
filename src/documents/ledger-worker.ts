import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '../database/database.js';
import { LedgerKeeper, type WrongTotal } from '../ledger/keeper.js';
import { Ledger } from '../ledger/ledger.js';
import { CONTENT_SCHEMA, type Schema } from '../schema/model.js';

/** How often the ledger is looked at, in milliseconds; and how soon again while it is not whole. */
const EVERY = 30_000;
/** How soon after a total was read changes are settled, in milliseconds. */
const SETTLE = 250;

const logger = new Logger('ContentLedger');

/** Says in one line what the host should know of the ledger. */
export const warnOfLedger = (message: string): void => logger.warn(message);

/** Keeps the ledger of changes while the application runs. */
@Injectable()
export class LedgerWorker implements OnApplicationShutdown {
  private readonly keeper: LedgerKeeper;
  private readonly listeners: (() => void)[] = [];
  private timer: NodeJS.Timeout | null = null;
  private settling: NodeJS.Timeout | null = null;

  constructor(
    @Inject(CONTENT_SCHEMA) schema: Schema,
    @Inject(Database) database: Database,
    @Inject(Ledger) readonly ledger: Ledger,
  ) {
    this.keeper = new LedgerKeeper({ database, schema, warn: warnOfLedger });
    ledger.onAltered(() => {
      this.keeper.doubt();
      void this.look();
    });
  }

  /** Whether every change is noted, so that the ledger can be asked. */
  get isWhole(): boolean {
    return this.keeper.isWhole;
  }

  /** What changes are not noted of, in a sentence. */
  get lack(): string | null {
    return this.keeper.lack;
  }

  /** Calls back whenever that has changed. */
  onTurn(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Begins to look: at once where the database is known to be there and as the model has it. */
  begin(now: boolean): void {
    if (now) void this.look();
    this.timer = setInterval(() => void this.look(), EVERY).unref();
  }

  /** Looks now; the application does so by itself every half minute. */
  async look(): Promise<void> {
    const before = this.isWhole;
    await this.keeper.look();
    if (this.isWhole) await this.keeper.fold();
    if (before === this.isWhole) return;
    this.ledger.forget();
    for (const listener of this.listeners) listener();
  }

  /** Says that a total was read: it is seen to that the next ones are fast. */
  totalWasRead(): void {
    this.settling ??= setTimeout(() => {
      void this.keeper.settle().finally(() => {
        this.settling = null;
      });
    }, SETTLE).unref();
  }

  /** Counts anew, as {@link LedgerKeeper.recount} has it. */
  recount(...types: readonly string[]): Promise<readonly WrongTotal[]> {
    return this.keeper.recount(...types);
  }

  onApplicationShutdown(): void {
    if (this.timer !== null) clearInterval(this.timer);
    if (this.settling !== null) clearTimeout(this.settling);
    this.keeper.close();
    this.ledger.close();
  }
}
