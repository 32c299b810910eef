/**
 * Stores uploaded bytes. Three rules keep rows and bytes consistent under concurrency and crashes:
 *
 * - A row is written only in a transaction that shares the lock of its content and has checked that the bytes
 * are stored.
 * - Bytes are removed only under the exclusive lock, after a check that no row names them (`file-sweeps.ts`).
 * - After the commit the bytes are checked again, and stored again if a late delete has removed them.
 *
 * Bytes are stored before the row that names them and removed after it. So a process that dies leaves bytes
 * without a row, which `files check` finds, and never a row without bytes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import pLimit from 'p-limit';
import { compileTryLocks } from '../../pool/locks.js';
import { Database, type TransactionOptions } from '../../content/store/database.js';
import type { Runner } from '../../pool/runner.js';
import { ContentError, stackOf, unavailable } from '../../kernel/errors.js';
import type { FileStorage, LocalFile } from './file-storage.js';
import { FileSweeps, lockOf } from './file-sweeps.js';
import { FILES_OPTIONS, type ResolvedFilesOptions } from './files.options.js';

interface BytesToKeep {
  readonly key: string;
  readonly file: LocalFile;
}

export interface ContentToKeep {
  readonly key: string;
  readonly bytes: readonly BytesToKeep[];
}

/**
 * Maximum attempts of an upload while the same bytes are being removed, and the pause between attempts in
 * milliseconds.
 */
const MAX_ATTEMPTS = 100;
const PAUSE = 50;
/** Maximum number of transactions that wait for the storage, and the timeout of each in milliseconds. */
const MAX_CHECKS = 2;
const CHECK_TIMEOUT = 5000;

const REPEAT = Symbol('Repeat');

type Options = Pick<TransactionOptions, 'disconnect'>;
type Work<T> = (runner: Runner) => Promise<T>;

@Injectable()
export class FileBytes {
  private readonly logger = new Logger('ContentFiles');
  private readonly storage: FileStorage;
  private readonly checks = pLimit(MAX_CHECKS);

  constructor(
    @Inject(FILES_OPTIONS) options: ResolvedFilesOptions,
    @Inject(Database) private readonly database: Database,
    @Inject(FileSweeps) private readonly sweeps: FileSweeps,
  ) {
    this.storage = options.storage;
  }

  /**
   * Stores contents and runs `work`, which writes their rows, in a transaction that keeps them stored. Throws
   * ServiceUnavailableError if they cannot be stored.
   */
  async keep<T>(contents: readonly ContentToKeep[], options: Options, work: Work<T>): Promise<T> {
    try {
      const done = await this.runStored(contents, options, work);
      await this.restore(contents);
      return done;
    } catch (error) {
      // The transaction failed, so no row names these bytes.
      for (const { key } of contents) this.sweeps.soon(key);
      await this.sweeps.settled(contents.map(({ key }) => key));
      throw error;
    }
  }

  private async runStored<T>(
    contents: readonly ContentToKeep[],
    options: Options,
    work: Work<T>,
  ): Promise<T> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      await this.putAll(contents);
      const done = await this.attempt(contents, options, work);
      if (done !== REPEAT) return done;
      await sleep(PAUSE);
    }
    throw unavailable('Could not store the file: the same content is being removed. Try again.');
  }

  /** Runs one transaction. Returns REPEAT if a removal of the contents is running or has just ended. */
  private async attempt<T>(
    contents: readonly ContentToKeep[],
    options: Options,
    work: Work<T>,
  ): Promise<T | typeof REPEAT> {
    const release = await this.startCheck();
    try {
      return await this.database.transaction(
        async (runner) => {
          const isStored = await this.acquire(contents, runner);
          release();
          return isStored ? work(runner) : REPEAT;
        },
        { values: new Map(), retryOn: [], shared: true, mutex: null, ...options },
      );
    } finally {
      release();
    }
  }

  /**
   * Waits until fewer than {@link MAX_CHECKS} transactions wait for the storage. Returns a function that ends
   * the check.
   */
  private startCheck(): Promise<() => void> {
    return new Promise((begin) => {
      void this.checks(() => new Promise<void>((release) => begin(release)));
    });
  }

  /** Shares the locks of the contents, then checks that their bytes are stored. Never waits for a removal. */
  private async acquire(contents: readonly ContentToKeep[], runner: Runner): Promise<boolean> {
    if (contents.length === 0) return true;
    const [row] = await runner.run(compileTryLocks(contents.map(({ key }) => lockOf(key))));
    return row?.['acquired'] === true && (await this.asUnavailable(() => this.areStored(contents)));
  }

  /**
   * Stores bytes again that disappeared by the commit. If their row was deleted too, a sweep removes them.
   */
  private async restore(contents: readonly ContentToKeep[]): Promise<void> {
    try {
      if (await this.areStored(contents)) return;
      await this.putAll(contents);
      for (const { key } of contents) this.sweeps.soon(key);
    } catch (error) {
      this.logger.warn(`Could not check the bytes of committed files: ${String(error)}`);
    }
  }

  private putAll(contents: readonly ContentToKeep[]): Promise<void> {
    return this.asUnavailable(async () => {
      for (const { key, file } of contents.flatMap(({ bytes }) => bytes)) {
        const stored = await this.storage.head(key);
        if (stored?.size !== file.size) await this.storage.put(key, file);
      }
    });
  }

  /** Throws an Error if stored bytes have another size than their file. */
  private async areStored(contents: readonly ContentToKeep[]): Promise<boolean> {
    const all = contents.flatMap(({ bytes }) => bytes);
    const stop = new AbortController();
    const timeout = sleep(CHECK_TIMEOUT, null, { signal: stop.signal });
    try {
      const heads = Promise.all(all.map(({ key }) => this.storage.head(key)));
      const found = await Promise.race([heads, timeout]);
      if (found === null) throw new Error(`The storage did not respond within ${CHECK_TIMEOUT} ms`);
      for (const [i, { key, file }] of all.entries()) {
        const { size } = found[i] ?? file;
        if (size !== file.size) throw new Error(`The storage has ${size} bytes of ${key}, not ${file.size}`);
      }
      return found.every((head) => head !== null);
    } finally {
      stop.abort();
      await timeout.catch(() => undefined);
    }
  }

  private async asUnavailable<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ContentError) throw error;
      this.logger.error(stackOf(error));
      throw unavailable('Could not store the file');
    }
  }
}
