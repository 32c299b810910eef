import { Inject, Injectable } from '@nestjs/common';
import type { FeedBatch, Position } from '../event-feed.js';
import type { LoggedEvent } from '../logged-event.js';
import { type EventStream, printMessage } from './event-stream.js';
import { LiveHub, type LiveListener } from './live-hub.js';
import { LiveTags } from './live-tags.js';
import type { SentPosition } from './positions.js';

/** Texts that wait for a client whose missed events are read. */
const MAX_WAITING = 10;
/** Tags that a client gets after an absence; after more it reads everything again. */
const MAX_TAGS = 1000;

/**
 * Streams of stale tags, without identity (protocol 21.16). All streams get the same text, and none needs a
 * query, except for the events that it missed.
 */
@Injectable()
export class StaleStreams implements LiveListener {
  /** Streams with the texts that wait until the missed events are sent; null if none are missed. */
  private readonly streams = new Map<EventStream, string[] | null>();
  private work: Promise<void> = Promise.resolve();

  constructor(
    @Inject(LiveHub) private readonly hub: LiveHub,
    @Inject(LiveTags) private readonly tags: LiveTags,
  ) {
    hub.add(this);
  }

  /** Opens a stream, after a position that the client sent. Throws a 503 at the limit. */
  async open(response: object, lastId: string | undefined): Promise<void> {
    const stream = await this.hub.open(response);
    const from = lastId === undefined ? null : this.hub.positionSent(lastId);
    this.streams.set(stream, from === null ? null : []);
    stream.onClose(() => this.streams.delete(stream));
    if (from === null) stream.send(this.hub.beginning(lastId === undefined ? 'ready' : 'resync'));
    else void this.resume(stream, from);
  }

  receive(batch: FeedBatch | null): void {
    if (this.streams.size === 0) return;
    if (batch === null) return this.later(() => this.send(this.hub.beginning('resync')));
    this.later(async () => this.send(await this.textOf(batch.events, batch.to)));
  }

  heartbeat(): void {
    const { hub } = this;
    if (this.streams.size === 0) return;
    const { position } = hub;
    this.later(() => this.send(`:\n${printMessage({ id: hub.positions.seal(position) })}`));
  }

  /** Keeps texts in order. */
  private later(task: () => void | Promise<void>): void {
    this.work = this.work.then(task).catch(() => {
      for (const stream of this.streams.keys()) stream.drop();
    });
  }

  private async textOf(events: readonly LoggedEvent[], to: Position): Promise<string> {
    const stale = await this.tags.staleBy(events);
    if (stale.length === 0) return '';
    if (stale.length > MAX_TAGS) return this.hub.beginning('resync', to);
    return printMessage({ id: this.hub.positions.seal(to), event: 'stale', data: JSON.stringify(stale) });
  }

  private send(text: string): void {
    if (text === '') return;
    for (const [stream, waiting] of this.streams) {
      if (waiting === null) stream.send(text);
      else if (waiting.push(text) > MAX_WAITING) stream.drop();
    }
  }

  private async resume(stream: EventStream, from: SentPosition): Promise<void> {
    try {
      const batches = await this.hub.missedEvents(from, stream);
      const last = batches?.at(-1);
      const events = batches?.flatMap((batch) => batch.events) ?? [];
      const text = last === undefined ? this.hub.beginning('resync') : await this.textOf(events, last.to);
      const waiting = this.streams.get(stream);
      if (waiting === undefined || waiting === null) return;
      this.streams.set(stream, null);
      for (const one of [text, ...waiting]) if (one !== '') stream.send(one);
    } catch {
      stream.drop();
    }
  }
}
