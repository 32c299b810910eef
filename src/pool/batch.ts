/** Batches: requests that share one connection. */
import type { SlotHolder, SlotRequest, SlotCallbacks } from './slot-request.js';

/** Entry of a batch, with its own slot. */
export interface BatchEntry {
  readonly slot: SlotRequest;
  /** Null until the slot is granted. */
  batch: Pick<Batch<never>, 'entryFailed'> | null;
}

/** Batch that occupies one connection. It ends when none of its entries waits any more. */
export class Batch<G extends BatchEntry> implements SlotHolder {
  private entries: G[] = [];
  private callbacks: SlotCallbacks | null = null;
  private released: (() => void) | null = null;
  isOver = false;

  constructor(readonly first: G) {
    this.add(first);
  }

  add(entry: G): void {
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

  get waiting(): readonly G[] {
    return this.entries.filter(({ slot }) => !slot.isOver);
  }

  /** Removes and returns the entries that still wait. */
  removeWaiting(): readonly G[] {
    const { waiting } = this;
    this.entries = this.entries.filter(({ slot }) => slot.isOver);
    return waiting;
  }

  /** Cancels the work; calls back once the connection is released. */
  abort(error: Error, left: () => void): void {
    this.released = left;
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

/** Rules for building batches. */
interface BatchRules<K, G extends BatchEntry> {
  /** Most entries of a batch. */
  readonly maxSize: number;
  /** Entries of one batch have the same key. */
  readonly keyOf: (entry: G) => K;
  /** Whether the batch accepts another entry. */
  readonly fits: (entry: G, others: Batch<G>) => boolean;
  /** Called once with each complete batch. */
  readonly run: (batch: Batch<G>) => void;
}

/** Collects entries into batches until the event loop has processed all that has arrived. */
export class Batcher<K, G extends BatchEntry> {
  /** Incomplete batches by key. */
  private readonly open = new Map<K, Batch<G>>();

  constructor(private readonly rules: BatchRules<K, G>) {}

  add(entry: G): void {
    const { maxSize, keyOf, fits } = this.rules;
    const key = keyOf(entry);
    const others = this.open.get(key);
    if (others === undefined || !fits(entry, others)) return this.start(key, entry);
    others.add(entry);
    if (others.size === maxSize) this.close(key, others);
  }

  private start(key: K, first: G): void {
    const before = this.open.get(key);
    if (before !== undefined) this.close(key, before);
    const batch = new Batch(first);
    this.open.set(key, batch);
    setImmediate(() => {
      if (this.open.get(key) === batch) this.close(key, batch);
    });
  }

  private close(key: K, batch: Batch<G>): void {
    this.open.delete(key);
    this.rules.run(batch);
  }
}
