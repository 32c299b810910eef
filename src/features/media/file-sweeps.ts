/**
 * Sweeps: removals of bytes that no row of a file names any more. A process runs one at a time, on a
 * connection outside the pool, so that a slow storage does not block requests.
 *
 * A sweep holds the exclusive lock of its content while the storage works. Before each delete it checks on
 * the same connection that no row names the content. A response to that query also proves that the lock is
 * still held.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { compileTryLocks } from '../../pool/locks.js';
import { compileFindRecords } from '../../content/compile/compile-record.js';
import { Database } from '../../content/store/database.js';
import type { Runner } from '../../pool/runner.js';
import type { Lock } from '../../pool/locks.js';
import { contentOf, variantsOf } from '../../content/model/content-keys.js';
import type { FileStorage } from './file-storage.js';
import { FileTable } from './file-table.js';
import { FILES_OPTIONS, type ResolvedFilesOptions } from './files.options.js';

/** Timeout in milliseconds of a request that waits for its own sweeps. */
const REQUEST_WAIT = 1000;
/**
 * Timeouts in milliseconds: of a sweep that waits for uploads of its content, and of a shutdown that waits
 * for sweeps.
 */
const LOCK_WAIT = 15_000;
const SHUTDOWN_WAIT = 5000;
/** Time between two attempts to acquire a lock, in milliseconds. */
const POLL = 25;
/** Maximum number of queued sweeps; `files check` finds the bytes of further ones. */
const MAX_QUEUE = 10_000;

/** Returns the shared lock of a content. Uploads hold it while they write rows that name the content. */
export const lockOf = (key: string): Lock => ({ name: `file content ${key}`, exclusive: false });

interface Sweep {
  readonly key: string;
  readonly done: PromiseWithResolvers<boolean>;
}

@Injectable()
export class FileSweeps implements BeforeApplicationShutdown {
  private readonly logger = new Logger('ContentFiles');
  private readonly storage: FileStorage;
  private readonly queue = new Map<string, Sweep>();
  private running: Sweep | null = null;
  /** Metrics: removed contents, and failed removals. */
  readonly counts = { removed: 0, failedRemovals: 0 };

  constructor(
    @Inject(FILES_OPTIONS) options: ResolvedFilesOptions,
    @Inject(Database) private readonly database: Database,
    @Inject(FileTable) private readonly files: FileTable,
  ) {
    this.storage = options.storage;
  }

  /**
   * Waits for queued sweeps while the database is open. `files check` finds the bytes of sweeps that do not
   * end in time.
   */
  async beforeApplicationShutdown(): Promise<void> {
    const { running, queue } = this;
    const all = [...(running === null ? [] : [running]), ...queue.values()];
    await withTimeout(all, SHUTDOWN_WAIT);
    for (const { key, done } of queue.values())
      done.reject(new Error(`The application shut down before ${key} was removed`));
    queue.clear();
  }

  /** Removes a content in the background, after the transaction has committed. */
  soon(key: string): void {
    this.sweep(key).catch((error: unknown) =>
      this.logger.warn(`Could not remove the unused bytes ${key}: ${String(error)}`),
    );
  }

  /** Waits until the sweeps of these contents have ended, at most a second. */
  async settled(keys: readonly string[]): Promise<void> {
    const { running, queue } = this;
    const own = keys.map((key) => queue.get(key) ?? (running?.key === key ? running : null));
    await withTimeout(
      own.filter((sweep) => sweep !== null),
      REQUEST_WAIT,
    );
  }

  sweep(key: string): Promise<boolean> {
    const queued = this.queue.get(key);
    if (queued !== undefined) return queued.done.promise;
    if (this.queue.size >= MAX_QUEUE)
      return Promise.reject(new Error(`The queue of removals is full (${MAX_QUEUE})`));
    const sweep = { key, done: Promise.withResolvers<boolean>() };
    this.queue.set(key, sweep);
    if (this.running === null) void this.runAll();
    return sweep.done.promise;
  }

  private async runAll(): Promise<void> {
    for (;;) {
      const [next] = this.queue.values();
      this.running = next ?? null;
      if (next === undefined) return;
      this.queue.delete(next.key);
      try {
        const isRemoved = await this.database.apart((run) => this.remove(next.key, run));
        if (isRemoved) this.counts.removed += 1;
        next.done.resolve(isRemoved);
      } catch (error) {
        this.counts.failedRemovals += 1;
        next.done.reject(error);
      }
    }
  }

  private async remove(key: string, run: Runner['run']): Promise<boolean> {
    await this.acquire(key, run);
    if (await this.isUsed(key, run)) return false;
    for await (const variant of this.storage.list(variantsOf(key))) {
      // A storage that ignores the prefix lists other contents, too.
      if (contentOf(variant.key) !== key) continue;
      if (!(await this.deleteUnused(variant.key, key, run))) return false;
    }
    return this.deleteUnused(key, key, run);
  }

  /** Polls instead of waiting in the database, whose statements on this connection must be short. */
  private async acquire(key: string, run: Runner['run']): Promise<void> {
    const statement = compileTryLocks([{ ...lockOf(key), exclusive: true }]);
    for (const end = performance.now() + LOCK_WAIT; performance.now() < end; await sleep(POLL)) {
      const [row] = await run(statement);
      if (row?.['acquired'] === true) return;
    }
    throw new Error('The content is being uploaded');
  }

  /** Deletes the bytes of a key unless a file uses the content. Returns whether it did. */
  private async deleteUnused(key: string, content: string, run: Runner['run']): Promise<boolean> {
    if (await this.isUsed(content, run)) return false;
    await this.storage.delete(key);
    return true;
  }

  private async isUsed(content: string, run: Runner['run']): Promise<boolean> {
    const holders = compileFindRecords(this.files.type, [{ storageKey: content }], ['documentId']);
    return (await run(holders)).length > 0;
  }
}

async function withTimeout(sweeps: readonly Sweep[], milliseconds: number): Promise<void> {
  if (sweeps.length === 0) return;
  const stop = new AbortController();
  const timeout = sleep(milliseconds, undefined, { signal: stop.signal }).catch(() => undefined);
  await Promise.race([Promise.allSettled(sweeps.map(({ done }) => done.promise)), timeout]);
  stop.abort();
}
