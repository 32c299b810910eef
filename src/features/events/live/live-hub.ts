import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import pLimit from 'p-limit';
import { unavailable } from '../../../kernel/errors.js';
import { EventFeed, type FeedBatch, type Position } from '../event-feed.js';
import { EventLog } from '../event-log.js';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events.options.js';
import { EventStream, printMessage } from './event-stream.js';
import { liveKey } from './live-key.js';
import { Positions, type SentPosition } from './positions.js';

/** Events that a client can have missed; after more of them it reads everything again. */
const MAX_MISSED = 5000;
/** Clients whose missed events are read from the log at the same time. */
const MOST_RESUMING = 2;
/** Streams that authenticate their caller at the same time: requests need the other connections. */
const MOST_AUTHENTICATING = 2;
/** Milliseconds after which a client connects again: at least, and at most more. */
const [RETRY, SPREAD] = [1000, 4000];
const DAY = 86_400_000;

export interface LiveListener {
  /** Receives the next events, or null after a gap. */
  receive(batch: FeedBatch | null): void;
  heartbeat(): void;
}

/**
 * Connects streams to the feed, which runs while one is open. Limits their number, reads missed events, sends
 * heartbeats, and ends the streams when the application stops.
 */
@Injectable()
export class LiveHub implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  readonly positions: Positions;
  private readonly streams = new Set<EventStream>();
  private readonly listeners = new Set<LiveListener>();
  private readonly reading = pLimit(MOST_RESUMING);
  /** Runs the authentication of a stream in its turn. */
  readonly authenticating = pLimit(MOST_AUTHENTICATING);
  private timer: NodeJS.Timeout | null = null;
  private isStopping = false;

  constructor(
    @Inject(EventFeed) private readonly feed: EventFeed,
    @Inject(EventLog) private readonly log: EventLog,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {
    this.positions = new Positions(liveKey(options, 'positions'), options.retentionDays);
  }

  onApplicationBootstrap(): void {
    const { heartbeatSeconds = 20 } = this.options.live ?? {};
    this.feed.listen((batch) => {
      for (const listener of this.listeners) listener.receive(batch);
    });
    this.timer = setInterval(() => {
      for (const listener of this.listeners) listener.heartbeat();
    }, 1000 * heartbeatSeconds).unref();
  }

  /** Runs before the server waits for its connections. */
  onModuleDestroy(): void {
    this.isStopping = true;
    if (this.timer !== null) clearInterval(this.timer);
    for (const stream of this.streams) stream.end();
  }

  /** Ends the streams of requests that arrived in the meantime. */
  beforeApplicationShutdown(): void {
    this.onModuleDestroy();
  }

  /** Position after the events that the listeners have received. Throws a 503 before it is known. */
  get position(): Position {
    const { position } = this.feed;
    if (position === null) throw unavailable('The event log cannot be read yet');
    return position;
  }

  /** Opens a stream. Throws a 503 at the limit, without the log, and while the application stops. */
  async open(response: object): Promise<EventStream> {
    this.admit();
    const release = await this.feed.hold();
    try {
      this.admit();
      if (this.feed.position === null) throw unavailable('The event log cannot be read yet');
      const stream = EventStream.open(response);
      this.streams.add(stream);
      stream.onClose(() => {
        this.streams.delete(stream);
        release();
      });
      stream.send(`retry: ${RETRY + Math.floor(Math.random() * SPREAD)}\n`);
      return stream;
    } catch (error) {
      release();
      throw error;
    }
  }

  private admit(): void {
    const { maxListeners = 0 } = this.options.live ?? {};
    if (this.isStopping) throw unavailable('The application is stopping');
    if (this.streams.size >= maxListeners)
      throw unavailable(`Too many streams are open (limit "live.maxListeners": ${maxListeners})`, {
        limit: 'live.maxListeners',
        allowed: maxListeners,
      });
  }

  /** Adds a listener until its stream closes. */
  join(listener: LiveListener, stream: EventStream): void {
    this.listeners.add(listener);
    stream.onClose(() => this.listeners.delete(listener));
  }

  /** Adds a listener for as long as the application runs. */
  add(listener: LiveListener): void {
    this.listeners.add(listener);
  }

  /** Prints the first message of a stream, or the one after a gap: the client reads everything. */
  beginning(event: 'ready' | 'resync', position = this.position): string {
    return printMessage({ id: this.positions.seal(position), event, data: '{}' });
  }

  /** Returns the position that a client sent; null if events after it may be lost. */
  positionSent(text: string): SentPosition | null {
    const position = this.positions.open(text);
    if (position === null) return null;
    // The log deletes by the start of a transaction, which can be much earlier than its commit.
    const kept = Date.now() - (position.days - 1) * DAY;
    return position.server !== this.position.server || position.at < kept ? null : position;
  }

  /**
   * Reads the events after a position. Returns null if there are too many. Stops when the stream closes:
   * clients that leave and come back would otherwise queue more reads than end.
   */
  async missedEvents(from: SentPosition, stream: EventStream): Promise<readonly FeedBatch[] | null> {
    const batches: FeedBatch[] = [];
    const { server, at, days } = from;
    let position: Position = from;
    let [count, more] = [0, true];
    while (more && count <= MAX_MISSED && !this.isStopping) {
      const { cursor } = position;
      const news = await this.reading(() => (stream.isOpen ? this.log.after(cursor) : Promise.resolve(null)));
      if (news === null) return null;
      // The rest of a batch can be as old as the position that the client sent.
      const to = { cursor: news.cursor, server, ...(news.cursor.target === null ? {} : { at, days }) };
      batches.push({ events: news.events, from: position, to });
      count += news.events.length;
      // The rest of a batch ends before now.
      [position, more] = [to, news.more || position.cursor.target !== null];
    }
    return more ? null : batches;
  }
}
