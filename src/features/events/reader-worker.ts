import { randomUUID } from 'node:crypto';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import pLimit from 'p-limit';
import { BackgroundWork } from '../../content/store/background-work.js';
import type { Row } from '../../pool/runner.js';
import {
  compileClaim,
  compileForgetExpired,
  compileNext,
  compileRegister,
  compileRelease,
} from './compile-readers.js';
import { EventFeed } from './event-feed.js';
import { EventLog } from './event-log.js';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from './events.options.js';
import type { EventReader } from './reader.js';
import { ReaderCounts } from './reader-counts.js';
import { ReaderRun, type RunState } from './reader-run.js';

/** Interval in milliseconds at which leases are renewed and due retries are found. */
const INTERVAL = 5000;
/** Readers that use the database at the same time: requests need the other connections. */
const USERS = 2;
/** Interval in milliseconds at which old events are deleted. */
const RETENTION_INTERVAL = 3_600_000;

const stateOf = (row: Row): RunState => ({
  cursor: {
    base: String(row['base']),
    target: typeof row['target'] === 'string' ? row['target'] : null,
    after: String(row['after']),
  },
  failing: row['failing'] === true,
  server: String(row['server']),
});

/**
 * Runs the readers whose lease this instance has. Another instance continues a reader within 15 seconds when
 * the instance that runs it dies, and within 5 seconds when it shuts down.
 */
@Injectable()
export class ReaderWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('ContentEvents');
  private readonly owner = randomUUID();
  private readonly sources: (() => Promise<readonly EventReader[]>)[] = [];
  private readonly limit = pLimit(USERS);
  /** Readers by name, as they were at the last claim. */
  private known: ReadonlyMap<string, EventReader> = new Map();
  private readonly probes = new Map<string, number>();
  private readonly running = new Map<string, Promise<void>>();
  /** Readers that have to look for events again after their present run. */
  private readonly again = new Set<string>();
  private claiming: Promise<void> = Promise.resolve();
  private isClaiming = false;
  /** Whether the readers have to be claimed again after the present claim. */
  private isDue = false;
  /** Whether the log is usable. */
  private isPrepared = false;
  /** Names of registered readers. */
  private registered: ReadonlySet<string> = new Set();
  /** Ends the need for the feed; null without leases. */
  private release: (() => void) | null = null;
  private timer: NodeJS.Timeout | null = null;
  private isStopping = false;
  private hasFailed = false;

  constructor(
    @Inject(EventLog) private readonly log: EventLog,
    @Inject(EventFeed) private readonly feed: EventFeed,
    @Inject(ReaderCounts) private readonly counts: ReaderCounts,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
    @Inject(BackgroundWork) private readonly background: BackgroundWork,
  ) {}

  /** Adds a source of readers, which is called before each round. Call it before the bootstrap. */
  add(source: () => Promise<readonly EventReader[]>): void {
    this.sources.push(source);
  }

  private async readers(): Promise<readonly EventReader[]> {
    return (await Promise.all(this.sources.map((source) => source()))).flat();
  }

  /** Registers the readers before the first request: they get all events from then on. */
  async onApplicationBootstrap(): Promise<void> {
    // A command may have another version of the handlers than the processes that serve.
    if (this.background.runsCommand) return;
    this.feed.listen(() => this.round());
    this.timer = setInterval(() => this.round(), INTERVAL).unref();
    this.background.repeat('content.events.forget', RETENTION_INTERVAL, () => this.forget());
    this.round();
    await this.claiming;
  }

  /** Waits for the deliveries in progress, stores their results and ends the leases. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    if (this.timer !== null) clearInterval(this.timer);
    await this.claiming;
    const { file, database } = this.log;
    // A delivery can take longer than a lease.
    let renewal: Promise<unknown> = Promise.resolve();
    const timer = setInterval(() => {
      const claim = compileClaim(file, this.owner, [...this.running.keys()]);
      renewal = database.run(claim).catch(() => undefined);
    }, INTERVAL);
    await Promise.all(this.running.values());
    clearInterval(timer);
    await renewal;
    await database.run(compileRelease(file, this.owner)).catch(() => []);
  }

  /** Registers readers: they get the events from now on. */
  async register(readers: readonly EventReader[]): Promise<void> {
    const names = readers.map(({ name }) => name);
    if (names.length > 0) await this.log.database.run(compileRegister(this.log.file, names));
  }

  /** Claims the readers and starts those that do not run, except in a command. Never throws. */
  round(): void {
    if (this.isStopping || this.background.runsCommand) return;
    for (const name of this.running.keys()) this.again.add(name);
    this.isDue = true;
    if (!this.isClaiming) this.claiming = this.claimAll();
  }

  private async claimAll(): Promise<void> {
    this.isClaiming = true;
    while (this.isDue && !this.isStopping) {
      this.isDue = false;
      await this.claim();
    }
    this.isClaiming = false;
  }

  /** Registers the readers of the start, and those whose creator died before it registered them. */
  private async prepare(readers: readonly EventReader[]): Promise<void> {
    if (!this.isPrepared) await this.log.rebase();
    await this.register(readers.filter(({ name }) => !this.registered.has(name)));
    this.isPrepared = true;
    this.registered = new Set(readers.map(({ name }) => name));
  }

  private async needFeed(isNeeded: boolean): Promise<void> {
    if (isNeeded) this.release ??= await this.feed.hold();
    else {
      this.release?.();
      this.release = null;
    }
  }

  private async claim(): Promise<void> {
    try {
      const all = await this.readers();
      const readers = new Map(all.map((reader) => [reader.name, reader]));
      this.known = readers;
      for (const name of this.probes.keys()) if (!readers.has(name)) this.probes.delete(name);
      await this.prepare(all);
      const { file, database } = this.log;
      const rows =
        readers.size === 0 ? [] : await database.run(compileClaim(file, this.owner, [...readers.keys()]));
      this.counts.retain(new Set(rows.map((row) => String(row['name']))));
      // Before the readers read: they find what is logged until then, and the feed reports the rest.
      await this.needFeed(rows.length > 0);
      for (const row of rows) {
        const reader = readers.get(String(row['name']));
        if (reader !== undefined && !this.running.has(reader.name) && !this.isStopping)
          this.start(reader, stateOf(row));
      }
      this.hasFailed = false;
    } catch (error) {
      this.report(error);
    }
  }

  private start(reader: EventReader, state: RunState): void {
    this.again.delete(reader.name);
    // While events never pause, a run does not end. It follows changes of its reader.
    let last = reader;
    const present = (): EventReader => (last = this.known.get(reader.name) ?? last);
    const base = {
      log: this.log,
      get reader() {
        return present();
      },
      owner: this.owner,
      counts: this.counts,
      limit: this.limit,
      probes: this.probes,
      isStopping: () => this.isStopping || !this.known.has(reader.name),
      warn: (line: string): void => this.logger.warn(line),
    };
    const run = new ReaderRun(base, state).run().catch((error: unknown) => this.report(error));
    this.running.set(
      reader.name,
      run.then(() => {
        this.running.delete(reader.name);
        if (this.again.delete(reader.name)) this.round();
      }),
    );
  }

  private async forget(): Promise<void> {
    try {
      const { file, database } = this.log;
      await this.log.forget(this.options.retentionDays);
      // Also those of events that another instance has deleted.
      await database.run(compileForgetExpired(file));
      // Later events of the same documents have waited for the deleted ones.
      await database.run(compileNext(file, null));
      this.round();
    } catch (error) {
      this.report(error);
    }
  }

  private report(error: unknown): void {
    if (!this.hasFailed) this.logger.warn(`Events cannot be delivered, this is retried: ${String(error)}`);
    this.hasFailed = true;
  }
}
