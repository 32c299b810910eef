/** Contents of files on their way from one system to another: read here, and kept there. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { compileLocks } from '../compile/compile-locks.js';
import type { Runner } from '../database/runner.js';
import { contentOf } from './file-keys.js';
import { FileSweeps, lockOf } from './file-sweeps.js';
import { FILES_OPTIONS, type ResolvedFilesOptions } from './files.options.js';

/** A content, or a format of one: its key, how long it is in bytes, and its media type. */
export interface MovedContent {
  readonly key: string;
  readonly size: number;
  readonly mime: string;
}

/** A content that is arriving. */
export interface ArrivingContent {
  write(piece: Buffer): Promise<void>;
  /** All of it is there: puts it where contents are kept. */
  keep(): Promise<void>;
  /** Nothing of it stays on local disk; whether it was kept or not. */
  close(): Promise<void>;
}

@Injectable()
export class FileContents {
  constructor(
    @Inject(FILES_OPTIONS) private readonly options: ResolvedFilesOptions,
    @Inject(FileSweeps) private readonly sweeps: FileSweeps,
  ) {}

  /** What files that are kept here say that their provider is. */
  get provider(): string {
    return this.options.storage.name;
  }

  /** Its size and its bytes; null where there are none. Who calls reads the stream or destroys it. */
  async read(key: string): Promise<{ readonly size: number; readonly stream: Readable } | null> {
    const { storage } = this.options;
    const kept = await storage.head(key);
    const stream = kept === null ? null : await storage.get(key);
    return kept === null || stream === null ? null : { size: kept.size, stream };
  }

  /** Whether it is kept as long as it should be: then it is the same, because its key names it. */
  async has({ key, size }: MovedContent): Promise<boolean> {
    return (await this.options.storage.head(key))?.size === size;
  }

  /** Of these keys, those that nothing is kept under. */
  async missing(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const kept = await Promise.all(keys.map((key) => this.options.storage.head(key)));
    return new Set(keys.filter((_key, index) => kept[index] === null));
  }

  /** What is kept stays until the transaction ends; held before the locks of documents, as in uploads. */
  async hold(keys: readonly string[], runner: Runner): Promise<void> {
    const locks = new Set(keys.flatMap((key) => contentOf(key) ?? []));
    if (locks.size > 0) await runner.run(compileLocks([...locks].map(lockOf)));
  }

  /** Takes a content in, by way of local disk. */
  async receive({ key, size, mime }: MovedContent): Promise<ArrivingContent> {
    const { scratch, storage } = this.options;
    await mkdir(scratch, { recursive: true });
    const directory = await mkdtemp(join(scratch, 'import-'));
    const path = join(directory, randomUUID());
    const file = await open(path, 'wx');
    return {
      write: async (piece) => void (await file.write(piece)),
      keep: async () => {
        await file.sync();
        await storage.put(key, { path, size, mime });
      },
      close: async () => {
        await file.close();
        await rm(directory, { recursive: true, force: true });
      },
    };
  }

  /** Removes the contents of these keys, formats or originals, that no file has. */
  async letGo(keys: readonly string[]): Promise<void> {
    for (const key of new Set(keys.flatMap((one) => contentOf(one) ?? []))) await this.sweeps.sweep(key);
  }
}
