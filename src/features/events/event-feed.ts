import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { print, sql, type Statement } from '../../kernel/sql.js';
import { seenBy } from '../../content/compile/compile-change-log.js';
import { WriteAdditions } from '../../content/documents/write-additions.js';
import { changeLogTablesOf } from '../../content/model/change-log-tables.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { Database } from '../../content/store/database.js';
import type { Cursor } from './compile-events.js';
import { EventLog } from './event-log.js';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from './events.options.js';
import type { LoggedEvent } from './logged-event.js';
import { logWrites } from './write-log.js';

/**
 * First wait for the commit of a write of this process, in milliseconds; each further one is twice as long.
 */
const SOON = 15;
/** Milliseconds from a poll that found events to the next one, so that constant writes pay for few polls. */
const PAUSE_AFTER_EVENTS = 80;

/** Position in the log of a server. */
export interface Position {
  readonly cursor: Cursor;
  /** Identity of the server, as in the change log: it changes when transaction ids may be reused. */
  readonly server: string;
  /** Time in milliseconds since 1970: no event after the position is older. Default: now. */
  readonly at?: number;
  /** Least `retentionDays` since `at`: older events may be deleted. Default: the present option. */
  readonly days?: number;
}

/** Events that follow each other in the log. */
export interface FeedBatch {
  readonly events: readonly LoggedEvent[];
  /** Position before the events, or an earlier one without other events. */
  readonly from: Position;
  /** Position after the events. */
  readonly to: Position;
}

/** Listener of the feed: called with the new events, or with null after a gap. */
export type FeedListener = (batch: FeedBatch | null) => void;

/**
 * Follows the log while the process has receivers: one query per interval serves them all, and a write of
 * this process is noticed at once. Listeners learn of a gap when the server has restarted or recovered from a
 * crash, which may reuse transaction ids that the position includes.
 */
@Injectable()
export class EventFeed implements BeforeApplicationShutdown {
  private readonly logger = new Logger('ContentEvents');
  private readonly listeners: FeedListener[] = [];
  /** Number of receivers that need the feed. */
  private holders = 0;
  private started: Promise<void> = Promise.resolve();
  private cursor: Cursor | null = null;
  private server: string | null = null;
  private readonly present: Statement;
  private timer: NodeJS.Timeout | null = null;
  /** Time of the next poll, by `performance.now()`. */
  private dueAt = Number.POSITIVE_INFINITY;
  private restUntil = 0;
  private running: Promise<void> = Promise.resolve();
  private wait: number;
  private isPolling = false;
  private isStopping = false;
  private hasFailed = false;
  /** Number of queries since the start. */
  polls = 0;

  constructor(
    @Inject(CONTENT_SCHEMA) schema: Schema,
    @Inject(WriteAdditions) additions: WriteAdditions,
    @Inject(Database) private readonly database: Database,
    @Inject(EventLog) private readonly log: EventLog,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {
    this.wait = options.pollMilliseconds;
    this.present = print(sql`select ${seenBy(changeLogTablesOf(schema.file), false)}`);
    const write = logWrites(schema);
    additions.add((planned) => {
      const statements = write(planned);
      if (statements.length > 0) this.soon();
      return statements;
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.running;
  }

  /** Position after the events that the listeners have received; null without a successful query. */
  get position(): Position | null {
    const { cursor, server } = this;
    return cursor === null || server === null ? null : { cursor, server };
  }

  /** Adds a listener, which is called while the feed runs. */
  listen(listener: FeedListener): void {
    this.listeners.push(listener);
  }

  /**
   * Runs the feed for a receiver, until it calls the returned function once. Resolves when the listeners get
   * all later events, or after a first query that fails and is retried.
   */
  async hold(): Promise<() => void> {
    this.holders += 1;
    // From now on: the log can have grown much since the last position.
    if (this.holders === 1) this.started = this.next(true);
    await this.started;
    return () => {
      this.holders -= 1;
      if (this.holders === 0) this.pause();
    };
  }

  /** Polls soon: a write of this process is about to commit. Further writes do not postpone the poll. */
  private soon(): void {
    this.wait = SOON;
    if (
      this.holders > 0 &&
      !this.isPolling &&
      this.dueAt > Math.max(performance.now() + SOON, this.restUntil)
    )
      this.schedule(SOON);
  }

  private pause(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.dueAt = Number.POSITIVE_INFINITY;
  }

  private schedule(milliseconds: number): void {
    if (this.isStopping || this.holders === 0) return;
    if (this.timer !== null) clearTimeout(this.timer);
    const now = performance.now();
    this.dueAt = Math.max(now + milliseconds, this.restUntil);
    this.timer = setTimeout(() => void this.next(), this.dueAt - now).unref();
  }

  /** Polls after the poll under way; `anew` forgets the position. Never throws. */
  private next(anew = false): Promise<void> {
    this.isPolling = true;
    this.running = this.running
      .then(() => {
        if (anew) this.cursor = null;
        return this.poll();
      })
      .finally(() => {
        this.isPolling = false;
        this.schedule(this.wait);
        this.wait = Math.min(2 * this.wait, this.options.pollMilliseconds);
      });
    return this.running;
  }

  /** Reads what is new and informs the listeners. Never throws. */
  private async poll(): Promise<void> {
    try {
      this.polls += 1;
      const [row = {}] = await this.database.run(this.present);
      const [snapshot, server] = [String(row['snapshot']), String(row['server'])];
      const { cursor, server: former } = this;
      this.server = server;
      if (former !== server || cursor === null) {
        this.cursor = { base: snapshot, target: null, after: '0' };
        if ((former !== null && former !== server) || this.hasFailed) this.inform(null);
      } else if (cursor.target !== null || cursor.base !== snapshot) await this.follow({ cursor, server });
      this.hasFailed = false;
    } catch (error) {
      if (!this.hasFailed)
        this.logger.warn(`The event log cannot be read, this is retried: ${String(error)}`);
      this.hasFailed = true;
    }
  }

  private async follow(from: Position): Promise<void> {
    const { events, cursor, more } = await this.log.after(from.cursor);
    const to = { cursor, server: from.server };
    this.cursor = cursor;
    if (events.length > 0) {
      this.wait = SOON;
      this.restUntil = performance.now() + PAUSE_AFTER_EVENTS;
      this.inform({ events, from, to });
    }
    if (more && !this.isStopping && this.holders > 0) await this.follow(to);
  }

  private inform(batch: FeedBatch | null): void {
    for (const listener of this.listeners) listener(batch);
  }
}
