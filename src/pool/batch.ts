/** Batches: requests that share one connection. */
import type { SlotHolder, SlotRequest, SlotCallbacks } from './slot-request.js';

export interface BatchEntry {
  readonly slot: SlotRequest;
  /** Null until the slot is granted. */
  batch: Pick<Batch<never>, 'entryFailed'> | null;
}

/** Batch that occupies one connection. It ends when none of its entries waits any more. */
export class Batch<E extends BatchEntry> implements SlotHolder {
  private entries: E[] = [];
  private callbacks: SlotCallbacks | null = null;
  private released: (() => void) | null = null;
  isOver = false;

  constructor(readonly first: E) {
    this.add(first);
  }

  add(entry: E): void {
    entry.batch = this;
    this.entries.push(entry);
  }

  /** Returns the batch as the slot holder of a job. */
  holder(calls: SlotCallbacks): SlotHolder {
    this.callbacks = calls;
    return this;
  }

  get size(): number {
    return this.entries.length;
  }

  get waiting(): readonly E[] {
    return this.entries.filter(({ slot }) => !slot.isOver);
  }

  removeWaiting(): readonly E[] {
    const { waiting } = this;
    this.entries = this.entries.filter(({ slot }) => slot.isOver);
    return waiting;
  }

  /** Cancels the work; calls back once the connection is released. */
  abort(error: Error, released: () => void): void {
    this.released = released;
    this.removeWaiting();
    this.entryFailed(error);
  }

  /** Cancels the work if none of the entries waits any more. */
  entryFailed(error: Error): void {
    if (this.callbacks !== null && this.waiting.length === 0 && this.end()) this.callbacks.fail(error);
  }

  start(): void {
    this.callbacks?.granted();
  }

  connected(): void {
    for (const { slot } of this.entries) slot.connected();
  }

  end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    for (const { slot } of this.entries) slot.end();
    return true;
  }

  release(): void {
    for (const { slot } of this.entries) slot.release();
    this.released?.();
    this.released = null;
  }

  fail(error: Error): void {
    for (const { slot } of this.entries) slot.fail(error);
  }
}

interface BatchRules<K, E extends BatchEntry> {
  readonly maxSize: number;
  /** Returns the key of an entry; all entries of one batch have the same key. */
  readonly keyOf: (entry: E) => K;
  readonly fits: (entry: E, batch: Batch<E>) => boolean;
  readonly run: (batch: Batch<E>) => void;
}

/** Collects entries into batches until the event loop has processed all pending input. */
export class Batcher<K, E extends BatchEntry> {
  private readonly open = new Map<K, Batch<E>>();

  constructor(private readonly rules: BatchRules<K, E>) {}

  add(entry: E): void {
    const { maxSize, keyOf, fits } = this.rules;
    const key = keyOf(entry);
    const batch = this.open.get(key);
    if (batch === undefined || !fits(entry, batch)) return this.start(key, entry);
    batch.add(entry);
    if (batch.size >= maxSize) this.close(key, batch);
  }

  private start(key: K, first: E): void {
    const before = this.open.get(key);
    if (before !== undefined) this.close(key, before);
    const batch = new Batch(first);
    if (this.rules.maxSize === 1) return this.rules.run(batch);
    this.open.set(key, batch);
    setImmediate(() => {
      if (this.open.get(key) === batch) this.close(key, batch);
    });
  }

  private close(key: K, batch: Batch<E>): void {
    this.open.delete(key);
    this.rules.run(batch);
  }
}
