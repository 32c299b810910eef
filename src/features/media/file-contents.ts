/** Reads and stores file contents for transfers between systems. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { compileLocks } from '../../pool/locks.js';
import type { Runner } from '../../pool/runner.js';
import type {
  ArchivedContents,
  ArrivingContent,
  ForeignFile,
  MovedContent,
  PreparedContent,
  StoredContent,
} from '../../content/documents/archive-parts.js';
import { kindOfExtension, UNKNOWN } from './file-kinds.js';
import { prepareForeign } from './foreign-file.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { contentOf, extensionOfKey } from '../../content/model/content-keys.js';
import { FileSweeps, lockOf } from './file-sweeps.js';
import { headsOf } from './heads.js';
import { FILES_OPTIONS, type ResolvedFilesOptions } from './files.options.js';

@Injectable()
export class FileContents implements ArchivedContents {
  constructor(
    @Inject(FILES_OPTIONS) private readonly options: ResolvedFilesOptions,
    @Inject(FileSweeps) private readonly sweeps: FileSweeps,
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
  ) {}

  get provider(): string {
    return this.options.storage.name;
  }

  /**
   * Returns the size and the bytes of a content; null if there are none. The caller reads the stream or
   * destroys it.
   */
  async read(key: string): Promise<StoredContent | null> {
    const { storage } = this.options;
    const head = await storage.head(key);
    const stream = head === null ? null : await storage.get(key);
    if (head === null || stream === null) return null;
    return { size: head.size, mime: kindOfExtension(extensionOfKey(key)) ?? UNKNOWN, stream };
  }

  /**
   * Whether a content of this size is stored. It is then the same content, because the key names its digest.
   */
  async has({ key, size }: MovedContent): Promise<boolean> {
    return (await this.options.storage.head(key))?.size === size;
  }

  async missing(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const heads = await headsOf(this.options.storage, keys);
    return new Set(keys.filter((_key, index) => heads[index] === null));
  }

  /**
   * Prevents removal of these contents until the transaction ends. Acquired before the locks of documents, in
   * the same order as uploads.
   */
  async hold(keys: readonly string[], runner: Runner): Promise<void> {
    const locks = new Set(keys.flatMap((key) => contentOf(key) ?? []));
    if (locks.size > 0) await runner.run(compileLocks([...locks].map(lockOf)));
  }

  async receive({ key, size, mime }: MovedContent): Promise<ArrivingContent> {
    const { scratch, storage } = this.options;
    await mkdir(scratch, { recursive: true });
    const directory = await mkdtemp(join(scratch, 'import-'));
    const path = join(directory, randomUUID());
    const file = await open(path, 'wx');
    return {
      // `write` of the file may write a part of the piece only.
      write: (piece) => file.writeFile(piece),
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

  /** Prepares a file of another system. A wrong extension becomes that of the bytes. */
  async prepare(file: ForeignFile): Promise<PreparedContent | string> {
    return prepareForeign(file, this.schema, this.options);
  }

  /** Removes the contents that no file uses. Keys may be of originals or formats. */
  async letGo(keys: readonly string[]): Promise<void> {
    for (const key of new Set(keys.flatMap((one) => contentOf(one) ?? []))) await this.sweeps.sweep(key);
  }
}
