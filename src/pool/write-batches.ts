/**
 * Batches of concurrent short writes that share a transaction, because a short write costs mostly its round
 * trips and its COMMIT. Writes with conflicting locks never share one. Each keeps its own slot, timeout and
 * response.
 */
import type { Lock } from './locks.js';
import { Job, type JobContext } from './job.js';
import { type TransactionConnection, OwnTransaction } from './own-transaction.js';
import { Batcher, type BatchEntry, Batch } from './batch.js';
import type { PoolClient } from './pool-types.js';
import type { Runner } from './runner.js';
import { runningTime } from '../kernel/running-time.js';
import { type Member, SharedTransaction } from './shared-transaction.js';
import { SlotRequest, type SlotOptions } from './slot-request.js';

/**
 * Most writes of a batch: a larger one would leave processors of the database idle. Without batches, 10 and
 * 50 connections write 0.85 to 0.87 as much, and PostgreSQL needs 1.4 to 1.8 times the CPU time.
 */
const MAX_BATCH_SIZE = 6;
/** Milliseconds after which a batch counts as slow. */
const SHORT = 250;
/** Number of writes of a kind that run unbatched after a batch of the kind failed. */
const UNBATCHED_AFTER_FAILURE = 100;

export interface BatchTraits {
  readonly locks: readonly Lock[];
  /** The lock whose exclusive holder may change rows of the written document; null for a new document. */
  readonly rows: string | null;
  /** Kind of write: after one of a kind had to run unbatched, all of the kind do for a while. */
  readonly kind: string;
}

export interface PoolWrite {
  readonly work: (runner: Runner) => Promise<unknown>;
  /** Null for a write that shares its transaction with no other. */
  readonly together: BatchTraits | null;
  readonly request: SlotOptions;
  /** The first call of `done` or `fail` counts; later ones are ignored. */
  readonly done: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
}

type ConnectionOf = (job: Job, client: PoolClient) => TransactionConnection;

interface WriteEntry extends BatchEntry {
  readonly write: PoolWrite;
  /** Whether the statements of the write are sent: then only the transaction knows the outcome. */
  isSent: boolean;
}

const locksOf = ({ write }: WriteEntry): readonly Lock[] => write.together?.locks ?? [];

/** Whether one write may change rows of the other's document. */
const mayChangeRowsOf = (one: WriteEntry, { write: { together } }: WriteEntry): boolean =>
  locksOf(one).some(({ name, exclusive }) => exclusive && name === together?.rows);

/**
 * Returns whether two writes have conflicting locks or may change the same row. The writes of a batch check
 * their preconditions before any of them changes a row.
 */
const conflict = (one: WriteEntry, other: WriteEntry): boolean =>
  mayChangeRowsOf(one, other) ||
  mayChangeRowsOf(other, one) ||
  locksOf(one).some(({ name, exclusive }) =>
    locksOf(other).some((lock) => lock.name === name && (lock.exclusive || exclusive)),
  );

export class WriteBatches {
  private readonly batcher = new Batcher<null, WriteEntry>({
    maxSize: MAX_BATCH_SIZE,
    keyOf: () => null,
    fits: (entry, { waiting }) => !waiting.some((other) => conflict(entry, other)),
    run: (batch) => this.run(batch),
  });
  private readonly unbatched = new Map<string, number>();

  constructor(
    private readonly context: JobContext,
    private readonly connectionOf: ConnectionOf,
  ) {}

  write(write: PoolWrite): void {
    const { together } = write;
    const runsUnbatched = together === null || this.mustRunUnbatched(together.kind);
    const slot = new SlotRequest(this.context, write.request, {
      granted: () => (runsUnbatched ? this.runUnbatched(entry) : this.batcher.add(entry)),
      fail: (error) => this.slotFailed(entry, error),
    });
    const entry: WriteEntry = { write, slot, batch: null, isSent: false };
    slot.start();
  }

  private mustRunUnbatched(kind: string): boolean {
    const left = this.unbatched.get(kind);
    if (left === undefined) return false;
    if (left > 1) this.unbatched.set(kind, left - 1);
    else this.unbatched.delete(kind);
    return true;
  }

  private stopBatching({ together }: PoolWrite): void {
    if (together !== null) this.unbatched.set(together.kind, UNBATCHED_AFTER_FAILURE);
  }

  private runUnbatched(entry: WriteEntry): void {
    entry.isSent = false;
    this.run(new Batch(entry));
  }

  private run(batch: Batch<WriteEntry>): void {
    const { waiting } = batch;
    if (waiting.length === 0) return batch.release();
    new Job(this.context, (calls) => batch.holder(calls), {
      begin: (job, client) => this.begin(batch, job, this.connectionOf(job, client)),
      fail: (error) => {
        for (const { write } of waiting) write.fail(error);
      },
    });
  }

  /** Ends an entry whose slot request failed, for example by a disconnect. */
  private slotFailed(entry: WriteEntry, error: Error): void {
    entry.batch?.entryFailed(error);
    if (!entry.isSent) entry.write.fail(error);
  }

  private begin(batch: Batch<WriteEntry>, job: Job, connection: TransactionConnection): void {
    const [first, ...others] = batch.waiting;
    if (first !== undefined && others.length === 0) void this.runOne(first, job, connection);
    else if (connection.pipelines) void this.share(batch, job, connection);
    else this.split(batch, job);
  }

  private async runOne(entry: WriteEntry, job: Job, connection: TransactionConnection): Promise<void> {
    const { write } = entry;
    entry.isSent = true;
    const transaction = new OwnTransaction(connection);
    try {
      const value = await write.work(transaction);
      await transaction.end();
      job.finish();
      write.done(value);
    } catch (error) {
      job.finish(!(await transaction.undo()));
      write.fail(error);
    }
  }

  private async share(batch: Batch<WriteEntry>, job: Job, connection: TransactionConnection): Promise<void> {
    const { waiting } = batch;
    const started = runningTime.now();
    const transaction = new OwnTransaction(connection);
    const shared = new SharedTransaction(
      transaction,
      waiting.map((entry) => this.memberOf(entry)),
    );
    try {
      await shared.run(() => {
        for (const entry of waiting) entry.isSent = true;
      });
      job.finish();
      const isLong = runningTime.now() - started > SHORT;
      if (isLong) for (const { write } of waiting) this.stopBatching(write);
    } catch (error) {
      const isUndone = await transaction.undo();
      // Repeat the writes only if the transaction is certainly rolled back, or COMMIT was not sent.
      const again = isUndone || !transaction.mayBeCommitted;
      for (const { write, slot } of waiting) if (!again || slot.isOver) write.fail(error);
      if (again) this.split(batch, job, !isUndone);
      else job.finish(true);
    }
  }

  private memberOf({ write, slot }: WriteEntry): Member {
    const { work, together } = write;
    return {
      work,
      locks: together?.locks ?? [],
      isOver: () => slot.isOver,
      done: (value) => {
        slot.end();
        write.done(value);
      },
      fail: (error) => {
        slot.end();
        write.fail(error);
      },
      exceeded: () => this.stopBatching(write),
    };
  }

  /** Runs the entries unbatched, each within its remaining time. The batch has written nothing. */
  private split(batch: Batch<WriteEntry>, job: Job, broken = false): void {
    const entries = batch.removeWaiting();
    job.finish(broken);
    for (const entry of entries) this.runUnbatched(entry);
  }
}
