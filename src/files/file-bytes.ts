/**
 * When bytes come and go. Two rules keep rows and bytes together, whatever happens at once or breaks off:
 *
 * - a row is written only by who holds the lock of its content and has seen the bytes there;
 * - bytes are removed only by who holds that lock and has seen no row.
 *
 * So bytes are put before the row that names them and removed after it: a process that dies leaves bytes
 * without a row, which `files check` finds, and never a row without bytes. Between putting and locking
 * somebody else may have removed the same bytes; then they are put again.
 */
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { compileLocks } from '../compile/compile-locks.js';
import { compileFindRecords } from '../compile/compile-record.js';
import { Database, type TransactionOptions } from '../database/database.js';
import type { Runner } from '../database/runner.js';
import { ContentError, unavailable } from '../errors.js';
import type { FileStorage, LocalFile } from './file-storage.js';
import { variantsOf } from './file-keys.js';
import { FileTable } from './file-table.js';
import { FILES_OPTIONS, type ResolvedFilesOptions } from './files.options.js';

/** Bytes that are to be kept, on local disk. */
export interface BytesToKeep {
  readonly key: string;
  readonly file: LocalFile;
}

/** One content: its own bytes and those of its formats. */
export interface ContentToKeep {
  readonly key: string;
  readonly bytes: readonly BytesToKeep[];
}

/** How often bytes are put again that somebody else removes meanwhile. */
const ATTEMPTS = 5;

/** What whoever writes a row of a content holds, and whoever removes its bytes. */
export const lockOf = (key: string): { readonly name: string; readonly exclusive: true } => ({
  name: `file content ${key}`,
  exclusive: true,
});

const MISSING = Symbol('MissingBytes');

@Injectable()
export class FileBytes implements BeforeApplicationShutdown {
  private readonly logger = new Logger('ContentFiles');
  private readonly storage: FileStorage;
  private readonly sweeping = new Set<Promise<void>>();

  constructor(
    @Inject(FILES_OPTIONS) options: ResolvedFilesOptions,
    @Inject(Database) private readonly database: Database,
    @Inject(FileTable) private readonly files: FileTable,
  ) {
    this.storage = options.storage;
  }

  /** What is under way is ended while there are connections. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.swept();
  }

  /**
   * Puts contents where they are kept and runs `work`, which writes their rows, in a transaction that holds
   * them there. Throws ServiceUnavailableError where they cannot be kept.
   */
  async keep<T>(
    contents: readonly ContentToKeep[],
    options: Pick<TransactionOptions, 'hangup'>,
    work: (runner: Runner) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.kept(contents, options, work);
    } catch (error) {
      // What was put for rows that were never written is nobody's.
      for (const { key } of contents) this.sweepSoon(key);
      await this.swept();
      throw error;
    }
  }

  private async kept<T>(
    contents: readonly ContentToKeep[],
    options: Pick<TransactionOptions, 'hangup'>,
    work: (runner: Runner) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      for (const { bytes } of contents) await this.put(bytes);
      const done = await this.database.transaction(
        async (runner) => {
          const locks = contents.map(({ key }) => lockOf(key));
          if (locks.length > 0) await runner.run(compileLocks(locks));
          return (await this.haveAll(contents)) ? work(runner) : MISSING;
        },
        { values: new Map(), retryOn: [], shared: true, turn: null, ...options },
      );
      if (done !== MISSING) return done;
    }
    throw unavailable('The file could not be kept: it is being removed at the same time');
  }

  /** Takes notice that a row of this content is gone, in a transaction that has been committed by now. */
  sweepSoon(key: string): void {
    const sweeping = new Promise<void>((done) => setImmediate(done))
      .then(async () => void (await this.sweep(key)))
      .catch((error: unknown) =>
        this.logger.warn(`The bytes ${key} have no file and could not be removed: ${String(error)}`),
      )
      .finally(() => this.sweeping.delete(sweeping));
    this.sweeping.add(sweeping);
  }

  /** Waits for what is being swept. */
  async swept(): Promise<void> {
    await Promise.all(this.sweeping);
  }

  /** Removes a content and all that was made of it, unless a file has it. Whether it did. */
  sweep(key: string): Promise<boolean> {
    return this.database.transaction(
      async (runner) => {
        await runner.run(compileLocks([lockOf(key)]));
        const holders = await runner.run(
          compileFindRecords(this.files.type, [{ storageKey: key }], ['documentId']),
        );
        if (holders.length > 0) return false;
        for await (const variant of this.storage.list(variantsOf(key)))
          await this.storage.delete(variant.key);
        await this.storage.delete(key);
        return true;
      },
      { values: new Map(), retryOn: [], shared: false, turn: null, hangup: null },
    );
  }

  private async put(bytes: readonly BytesToKeep[]): Promise<void> {
    try {
      for (const { key, file } of bytes) {
        const kept = await this.storage.head(key);
        if (kept?.size !== file.size) await this.storage.put(key, file);
      }
    } catch (error) {
      if (error instanceof ContentError) throw error;
      this.logger.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
      throw unavailable('The file could not be kept');
    }
  }

  private async haveAll(contents: readonly ContentToKeep[]): Promise<boolean> {
    const keys = contents.flatMap(({ bytes }) => bytes.map(({ key }) => key));
    const kept = await Promise.all(keys.map((key) => this.storage.head(key)));
    return kept.every((one) => one !== null);
  }
}
