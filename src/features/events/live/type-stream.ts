import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../../../content/access/caller.js';
import { covers } from '../../../kernel/snapshots.js';
import type { FeedBatch, Position } from '../event-feed.js';
import { type LoggedEvent, PREFIX } from '../logged-event.js';
import { type EventStream, printMessage } from './event-stream.js';
import type { LiveHub, LiveListener } from './live-hub.js';
import { concerns, type VisibleEvents, type WatchedQuery } from './visible-events.js';

/** Batches that wait for a stream before it is dropped. It resumes with `Last-Event-ID`. */
const MAX_WAITING = 50;
/** Events that are sent at once, to a caller that has just been authenticated. */
const BURST = 50;

export interface TypeStreamBase {
  readonly hub: LiveHub;
  readonly visible: VisibleEvents;
  readonly watched: WatchedQuery;
  readonly stream: EventStream;
  /** Authenticates the credentials of the request again. Throws if they are not valid any more. */
  readonly authenticate: () => Caller | Promise<Caller>;
}

const printEvent = ({ id, name, documentId, locale }: LoggedEvent): string =>
  JSON.stringify({ id, name, documentId, locale });

const positionAfter = ({ id }: LoggedEvent, { from, to }: FeedBatch): Position => ({
  ...from,
  cursor: {
    base: from.cursor.base,
    target: to.cursor.target ?? to.cursor.base,
    after: id.slice(PREFIX.length),
  },
  server: to.server,
});

/** Snapshot that includes all events of a batch. */
const snapshotAfter = ({ to: { cursor } }: FeedBatch): string => cursor.target ?? cursor.base;

/** Stream of the events of one type that a caller may see. */
export class TypeStream implements LiveListener {
  private readonly waiting: (FeedBatch | null)[] = [];
  /** Ids of missed events, which the feed can repeat. */
  private missed: ReadonlySet<string> = new Set();
  /**
   * Snapshot of the missed events; null without any. The client may have been at another instance, whose feed
   * was ahead.
   */
  private resumedAt: string | null = null;
  private isBusy = false;
  /** Authentication that is queued or runs. */
  private authenticating: Promise<Caller> | null = null;

  constructor(private readonly base: TypeStreamBase) {}

  /** Sends the first message, or the events after the position that the client sent. */
  async begin(lastId: string | undefined): Promise<void> {
    const { hub, stream } = this.base;
    const from = lastId === undefined ? null : hub.positionSent(lastId);
    this.isBusy = true;
    hub.join(this, stream);
    try {
      const batches = from === null ? null : await hub.missedEvents(from, stream);
      if (batches === null) stream.send(hub.beginning(lastId === undefined ? 'ready' : 'resync'));
      else {
        for (const batch of batches) await this.send(batch);
        this.missed = new Set(batches.flatMap(({ events }) => events.map(({ id }) => id)));
        const last = batches.at(-1);
        if (last !== undefined) stream.send(printMessage({ id: hub.positions.seal(last.to) }));
        this.resumedAt = last?.to.cursor.base ?? null;
      }
      this.isBusy = false;
      await this.work();
    } catch {
      stream.end();
    }
  }

  receive(batch: FeedBatch | null): void {
    const { stream, watched } = this.base;
    const isNews = batch === null || batch.events.some((event) => concerns(event, watched));
    if (!isNews) return;
    if (this.waiting.push(batch) > MAX_WAITING) stream.drop();
    else void this.work();
  }

  heartbeat(): void {
    const { hub, stream } = this.base;
    const isIdle = !this.isBusy && this.waiting.length === 0;
    if (isIdle) this.missed = new Set();
    const id =
      isIdle && this.hasReached(hub.position.cursor.base) ? { id: hub.positions.seal(hub.position) } : {};
    stream.send(`:\n${printMessage(id)}`);
    this.authenticated().catch(() => stream.end());
  }

  private async work(): Promise<void> {
    const { stream } = this.base;
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      for (let batch = this.waiting.shift(); batch !== undefined; batch = this.waiting.shift())
        if (batch === null) this.restart();
        else await this.follow(batch);
      this.isBusy = false;
    } catch {
      // The client resumes, or learns the reason from the response to its next request.
      stream.end();
    }
  }

  /** Lets the client read everything after a gap: transaction ids before it mean nothing any more. */
  private restart(): void {
    const { hub, stream } = this.base;
    this.resumedAt = null;
    stream.send(hub.beginning('resync'));
  }

  private hasReached(snapshot: string): boolean {
    return this.resumedAt === null || covers(snapshot, this.resumedAt);
  }

  /** Sends a batch of the feed. Until it has reached the client, it does not move its position back. */
  private async follow(batch: FeedBatch): Promise<void> {
    const { resumedAt } = this;
    if (resumedAt !== null && covers(resumedAt, snapshotAfter(batch))) return;
    await this.send(batch, this.hasReached(batch.from.cursor.base));
  }

  private async send(batch: FeedBatch, moves = true): Promise<void> {
    const { hub, stream, visible, watched } = this.base;
    let caller: Caller | null = null;
    for (const [i, event] of batch.events.entries()) {
      if (!stream.isOpen) return;
      if (i % BURST === BURST - 1) {
        // Bytes leave the process only between two tasks.
        await setImmediate();
        caller = null;
      }
      if (!concerns(event, watched) || this.missed.has(event.id)) continue;
      caller ??= await this.authenticated();
      if (await visible.isVisible(event, watched, caller))
        stream.send(
          printMessage({
            ...(moves ? { id: hub.positions.seal(positionAfter(event, batch)) } : {}),
            data: printEvent(event),
          }),
        );
    }
  }

  /** Returns the caller with its current permissions. Throws if it may not see the type any more. */
  private authenticated(): Promise<Caller> {
    const { hub } = this.base;
    this.authenticating ??= hub
      .authenticating(() => this.authenticate())
      .finally(() => {
        this.authenticating = null;
      });
    return this.authenticating;
  }

  private async authenticate(): Promise<Caller> {
    const { authenticate, stream, visible, watched } = this.base;
    if (!stream.isOpen) throw new Error('The stream is closed');
    const caller = await authenticate();
    await visible.admit(visible.watch(watched.type, watched, caller), caller);
    return caller;
  }
}
