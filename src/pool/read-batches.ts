/**
 * Batches of concurrent short reads with the same SQL text. They are sent over one connection in one write,
 * because a short read costs mostly the round trip. Each keeps its own slot, timeout and client.
 * Equal texts take the same locks and about the same time, so no read waits behind another kind of work.
 */
import { unavailable } from '../kernel/errors.js';
import type { Statement } from '../kernel/sql.js';
import { hasEnded } from '../kernel/postgres-errors.js';
import { type Done, Job, type JobContext } from './job.js';
import type { PoolClient } from './pool-types.js';
import type { Row } from './runner.js';
import { learn, learnSize } from './slow-reads.js';
import type { StatementProfile } from './statement-names.js';
import { TimeoutList } from '../kernel/timeout-list.js';
import { Batcher, type BatchEntry, Batch } from './batch.js';
import { SlotRequest, type SlotOptions } from './slot-request.js';

/** Most reads of a batch: a larger one would leave processors of the database idle. */
const MAX_BATCH_SIZE = 4;
/** Bounds of a short read: its time, and the characters of its rows. */
const SHORT = { milliseconds: 20, size: 16 * 1024 };
/** Milliseconds after which a batch is split. */
const MAX_BATCH_WAIT = 200;

export interface ProfiledStatement {
  readonly statement: Statement;
  readonly profile: StatementProfile;
}

export interface PoolRead extends ProfiledStatement {
  /**
   * Condition that is sent before the read, or null. Without pipelining, the condition and the read return no
   * rows.
   */
  readonly condition: ProfiledStatement | null;
  readonly request: SlotOptions;
  readonly heavy: boolean;
  readonly begun: () => void;
  /** Receives its rows, and those of the condition. Called at most once, and not after `fail`. */
  readonly done: (rows: readonly Row[], conditionRows: readonly Row[]) => void;
  readonly fail: (error: Error) => void;
}

export interface ConnectedJob {
  readonly job: Job;
  readonly client: PoolClient;
}

export type Send = (on: ConnectedJob, texts: readonly ProfiledStatement[], done: Done) => void;

interface ReadEntry extends BatchEntry {
  readonly read: PoolRead;
}

/** Returns whether earlier runs show that the read is short and that the driver supports pipelining. */
function mayBatch({ condition, profile, request }: PoolRead): boolean {
  const { columns, milliseconds, size } = profile;
  if (condition !== null || columns === null || milliseconds === null) return false;
  const isRead = request.lane === 'read' || request.lane === 'heavy';
  return isRead && milliseconds <= SHORT.milliseconds && size <= SHORT.size;
}

const batchTimedOut = (): Error => unavailable('The query batch timed out');

export class ReadBatches {
  private readonly batcher = new Batcher<StatementProfile, ReadEntry>({
    maxSize: MAX_BATCH_SIZE,
    keyOf: ({ read }) => read.profile,
    fits: () => true,
    run: (batch) => this.run(batch),
  });
  private readonly waits = new TimeoutList(MAX_BATCH_WAIT);

  constructor(
    private readonly context: JobContext,
    private readonly sendOn: Send,
  ) {}

  read(read: PoolRead): void {
    const slot = new SlotRequest(this.context, read.request, {
      granted: () => (mayBatch(read) ? this.batcher.add(entry) : this.runUnbatched(entry)),
      fail: (error) => {
        read.fail(error);
        entry.batch?.entryFailed(error);
      },
      preempt: () => this.preempt(entry),
    });
    const entry: ReadEntry = { read, slot, batch: null };
    slot.start();
  }

  private runUnbatched(entry: ReadEntry): void {
    this.run(new Batch(entry));
  }

  private run(batch: Batch<ReadEntry>): void {
    if (batch.waiting.length === 0) return batch.release();
    new Job(this.context, (calls) => batch.holder(calls), {
      begin: (job, client) => this.send({ job, client }, batch),
      fail: () => undefined,
    });
  }

  private send(on: ConnectedJob, batch: Batch<ReadEntry>): void {
    const { waiting: entries } = batch;
    const { profile, heavy } = batch.first.read;
    const texts = entries.flatMap(({ read }) => (read.condition === null ? [read] : [read.condition, read]));
    for (const { read } of entries) read.begun();
    const started = performance.now();
    const wait = entries.length > 1 ? this.waits.add(() => this.split(batch)) : null;
    this.sendOn(on, texts, (error, results) => {
      if (wait !== null) this.waits.delete(wait);
      learn(profile, performance.now() - started, heavy);
      if (error !== null) return this.fail(on.job, batch, { error, isAlone: entries.length === 1 });
      deliver(entries, results.slice(-texts.length));
      on.job.finish();
    });
  }

  /** Cancels a read that runs alone, and queues it again: reads change nothing. Batches are split earlier. */
  private preempt(entry: ReadEntry): void {
    const { batch, slot } = entry;
    if (!(batch instanceof Batch) || batch.size > 1) return;
    entry.batch = null;
    batch.abort(batchTimedOut(), () => slot.requeue());
  }

  /** Runs the entries of a slow batch unbatched, each within its remaining time. */
  private split(batch: Batch<ReadEntry>): void {
    const entries = batch.removeWaiting();
    batch.entryFailed(batchTimedOut());
    for (const entry of entries) this.runUnbatched(entry);
  }

  /** Repeats the entries unbatched, to find the one that failed: reads change nothing. */
  private fail(
    job: Job,
    batch: Batch<ReadEntry>,
    { error, isAlone }: { error: Error; isAlone: boolean },
  ): void {
    const isLost = hasEnded(error);
    const isFinal = isAlone || isLost;
    const entries = isFinal ? batch.waiting : batch.removeWaiting();
    if (isFinal) for (const { read } of entries) read.fail(error);
    job.finish(isLost);
    if (!isFinal) for (const entry of entries) this.runUnbatched(entry);
  }
}

function deliver(entries: readonly ReadEntry[], results: readonly (readonly Row[])[]): void {
  let next = 0;
  const nextRows = (): readonly Row[] => results[next++] ?? [];
  for (const { read, slot } of entries) {
    const conditionRows = read.condition === null ? [] : nextRows();
    const rows = nextRows();
    learnSize(read.profile, rows);
    if (!slot.isOver) read.done(rows, conditionRows);
  }
}
