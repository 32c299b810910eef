/**
 * Reads, on the way to the database and back. Short ones with the same text that are asked for at the same
 * moment go over one connection in one piece, and what they bring comes back in one: most of what a short
 * read costs is being sent, and being woken up. Each keeps its own place, deadline and client; only the
 * connection is shared. With the same text they take the same locks and about as long, so that none waits
 * behind another kind of work. All others go alone, at once.
 */
import { unavailable } from '../errors.js';
import type { Statement } from '../sql.js';
import { hasEnded } from './database-errors.js';
import { type Done, Job, type JobContext } from './job.js';
import type { PoolClient } from './pool-types.js';
import type { Row } from './runner.js';
import { learn, learnSize } from './slow-reads.js';
import type { KnownStatement } from './statement-names.js';
import { TimeoutList } from './timeout-list.js';
import { Batcher, type BatchEntry, Batch } from './batch.js';
import { SlotRequest, type SlotOptions } from './slot-request.js';

/** So many share a connection at most: the database has other processors, too. */
const MAX_BATCH_SIZE = 4;
/** What takes longer, in milliseconds, or brings more, in characters, is better read beside others. */
const SHORT = { milliseconds: 20, size: 16 * 1024 };
/** How long those who share a connection wait for each other, in milliseconds. */
const MAX_BATCH_WAIT = 200;

/** A statement, and what is known of its text. */
export interface KnownText {
  readonly statement: Statement;
  readonly known: KnownStatement;
}

/** A read, for one who waits for it. */
export interface PoolRead extends KnownText {
  /** What is asked along with it, or null. Both bring nothing with a driver that cannot send both at once. */
  readonly condition: KnownText | null;
  readonly request: SlotOptions;
  /** As in `ReadTraits`. */
  readonly heavy: boolean;
  readonly begun: () => void;
  /** Told what it has brought, and what the question has. Called at most once, and not after `fail`. */
  readonly done: (rows: readonly Row[], answers: readonly Row[]) => void;
  readonly fail: (error: Error) => void;
}

/** Work, and the connection that it has. */
export interface Connected {
  readonly job: Job;
  readonly client: PoolClient;
}

/** How statements are sent in one piece. */
export type Send = (on: Connected, texts: readonly KnownText[], done: Done) => void;

/** Somebody who waits for a read. */
interface ReadEntry extends BatchEntry {
  readonly read: PoolRead;
}

/**
 * Whether a read goes with others: it has shown that it is short, and that the driver can send several. That
 * of short ones one takes long, by its values, is seen when it does.
 */
function mayBatch({ condition: question, known, request }: PoolRead): boolean {
  const { columns, milliseconds, size } = known;
  if (question !== null || columns === null || milliseconds === null) return false;
  const isRead = request.lane === 'read' || request.lane === 'heavy';
  return isRead && milliseconds <= SHORT.milliseconds && size <= SHORT.size;
}

const batchTimedOut = (): Error => unavailable('Others have taken too long');

export class ReadBatches {
  private readonly batcher = new Batcher<KnownStatement, ReadEntry>({
    maxSize: MAX_BATCH_SIZE,
    keyOf: ({ read }) => read.known,
    fits: () => true,
    run: (batch) => this.run(batch),
  });
  private readonly waits = new TimeoutList(MAX_BATCH_WAIT);

  constructor(
    private readonly context: JobContext,
    private readonly sendOn: Send,
  ) {}

  /** Reads once there is a place: alone, or with whoever comes until all that has arrived was looked at. */
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
    new Job(this.context.pool, (calls) => batch.holder(calls), {
      begin: (job, client) => this.send({ job, client }, batch),
      fail: () => undefined,
    });
  }

  private send(on: Connected, batch: Batch<ReadEntry>): void {
    const { waiting: entries } = batch;
    const { known, heavy } = batch.first.read;
    const texts = entries.flatMap(({ read }) => (read.condition === null ? [read] : [read.condition, read]));
    for (const { read } of entries) read.begun();
    const started = performance.now();
    const wait = entries.length > 1 ? this.waits.add(() => this.split(batch)) : null;
    this.sendOn(on, texts, (error, brought) => {
      if (wait !== null) this.waits.delete(wait);
      learn(known, performance.now() - started, heavy);
      if (error !== null) return this.fail(on.job, batch, { error, isAlone: entries.length === 1 });
      deliver(entries, brought.slice(-texts.length));
      on.job.finish();
    });
  }

  /**
   * Ends the statement and sends it again later: reads change nothing. Several that share a connection part
   * by themselves before they are slow.
   */
  private preempt(entry: ReadEntry): void {
    const { batch, slot } = entry;
    if (!(batch instanceof Batch) || batch.size > 1) return;
    entry.batch = null;
    batch.abort(batchTimedOut(), () => slot.requeue());
  }

  /** One of them takes long, nobody can tell which: who still waits goes alone, with what time is left. */
  private split(batch: Batch<ReadEntry>): void {
    const entries = batch.removeWaiting();
    batch.entryFailed(batchTimedOut());
    for (const entry of entries) this.runUnbatched(entry);
  }

  /** Which of several has failed shows when each goes alone: to read again changes nothing. */
  private fail(
    job: Job,
    batch: Batch<ReadEntry>,
    { error, isAlone }: { error: Error; isAlone: boolean },
  ): void {
    const isLost = hasEnded(error);
    const isTold = isAlone || isLost;
    const entries = isTold ? batch.waiting : batch.removeWaiting();
    if (isTold) for (const { read } of entries) read.fail(error);
    job.finish(isLost);
    if (!isTold) for (const entry of entries) this.runUnbatched(entry);
  }
}

/** Gives those who still wait what there is for them. */
function deliver(entries: readonly ReadEntry[], brought: readonly (readonly Row[])[]): void {
  let next = 0;
  const take = (): readonly Row[] => brought[next++] ?? [];
  for (const { read, slot } of entries) {
    const answers = read.condition === null ? [] : take();
    const rows = take();
    learnSize(read.known, rows);
    if (!slot.isOver) read.done(rows, answers);
  }
}
