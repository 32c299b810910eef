/**
 * Writes, on the way to the database and back. Those that come at the same moment and need no lock that
 * another one of them has to itself share a transaction: most of what a short write costs is being sent,
 * being woken up, and committed. Each keeps its own place, deadline, client and answer. All others go alone.
 */
import type { Lock } from '../plan/locks.js';
import { Job, type JobContext } from './job.js';
import { type TransactionConnection, OwnTransaction } from './own-transaction.js';
import { Batcher, type BatchEntry, Batch } from './batch.js';
import type { PoolClient } from './pool-types.js';
import type { Runner } from './runner.js';
import { runningTime } from './running-time.js';
import { NotBatchable, type Member, SharedTransaction } from './shared-transaction.js';
import { SlotRequest, type SlotOptions } from './slot-request.js';

/** So many share a transaction at most: the database has other processors, too. */
const MAX_BATCH_SIZE = 6;
/** What takes longer, in milliseconds, is better done beside others. */
const SHORT = 250;
/** So many of a kind go alone after one of them had to. */
const UNBATCHED_AFTER_FAILURE = 100;

/** What a write says of itself that may share its transaction. */
export interface BatchTraits {
  /** Held before anything is looked at. */
  readonly locks: readonly Lock[];
  /** The lock whose exclusive holder may change rows of the written document; null for a new document. */
  readonly rows: string | null;
  /** Writes that do the same things: when one of them has to go alone, all do. */
  readonly kind: string;
}

/** A write, for one who waits for it. */
export interface PoolWrite {
  readonly work: (runner: Runner) => Promise<unknown>;
  /** Null where it has its transaction to itself. */
  readonly together: BatchTraits | null;
  readonly request: SlotOptions;
  /** One of both is called once; what comes after it says nothing. */
  readonly done: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/** How statements get to a connection that somebody has got. */
type ConnectionOf = (job: Job, client: PoolClient) => TransactionConnection;

/** Somebody who waits for a write. */
interface WriteEntry extends BatchEntry {
  readonly write: PoolWrite;
  /** Whether its end is told by what carries it, which alone knows what has been written. */
  isSent: boolean;
}

const locksOf = ({ write }: WriteEntry): readonly Lock[] => write.together?.locks ?? [];

/** Whether one write may change rows of the other's document. */
const mayChangeRowsOf = (one: WriteEntry, { write: { together } }: WriteEntry): boolean =>
  locksOf(one).some(({ name, exclusive }) => exclusive && name === together?.rows);

/**
 * Whether two writes could not hold their locks at the same time, or may change the same row: the stamp of a
 * row tells transactions apart, not the writes of one (`stampOf` in compile/changes.ts).
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
  /** Kinds of which one has taken longer than others should wait for, and how many go alone for that. */
  private readonly unbatched = new Map<string, number>();

  constructor(
    private readonly context: JobContext,
    private readonly connectionOf: ConnectionOf,
  ) {}

  /** Writes once there is a place: alone, or with whoever comes until all that has arrived was looked at. */
  write(write: PoolWrite): void {
    const { together } = write;
    const runsUnbatched = together === null || this.isLoner(together.kind);
    const slot = new SlotRequest(this.context, write.request, {
      granted: () => (runsUnbatched ? this.runUnbatched(entry) : this.batcher.add(entry)),
      fail: (error) => this.slotFailed(entry, error),
    });
    const entry: WriteEntry = { write, slot, batch: null, isSent: false };
    slot.start();
  }

  private isLoner(kind: string): boolean {
    const left = this.unbatched.get(kind);
    if (left === undefined) return false;
    if (left > 1) this.unbatched.set(kind, left - 1);
    else this.unbatched.delete(kind);
    return true;
  }

  /** Has writes like this one go alone for a while. */
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
    new Job(this.context.pool, (calls) => batch.holder(calls), {
      begin: (job, client) => this.begin(batch, job, this.connectionOf(job, client)),
      fail: (error) => {
        for (const { write } of waiting) write.fail(error);
      },
    });
  }

  /** Nobody waits for one of them any more. What is under way for it alone ends with it. */
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
      // Only what is certainly not written is done again.
      const again = isUndone || error instanceof NotBatchable;
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

  /** Nothing has been written: who still waits goes alone, with what time is left. */
  private split(batch: Batch<WriteEntry>, job: Job, broken = false): void {
    const entries = batch.removeWaiting();
    job.finish(broken);
    for (const entry of entries) this.runUnbatched(entry);
  }
}
