/** Storage in a directory on local disk. */
import { ContentModelError } from '../../content/model/content-model-error.js';
import { codeOf } from '../../kernel/errors.js';
import { isFilledText } from '../../kernel/json.js';
import { createReadStream, open as openFile } from 'node:fs';
import { copyFile, type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { openWhole } from './checked-bytes.js';
import type { ByteRange, FileStorage, KeptBytes, LocalFile, OpenBytes } from './file-storage.js';

/** Directory of incoming uploads. It is on the same file system, so that files can be linked into place. */
const SCRATCH = '_incoming';

/** Bytes per read. */
const CHUNK = 64 * 1024;

/** Opens a file descriptor, which streams faster than a file handle. */
const openNumber = promisify(openFile);

const isAbsent = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error));

const unlessAbsent = <T>(promise: Promise<T>): Promise<T | null> =>
  promise.catch((error: unknown) => {
    if (isAbsent(error)) return null;
    throw error;
  });

/** Makes a file durable, or the entries of a directory, which the sync of a file omits. Closes it. */
async function sync(handle: FileHandle): Promise<void> {
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Stores files in `directory`, which it creates. Several processes may share it. Every file is complete: it
 * gets its name after its bytes are on disk.
 *
 * @publicApi
 */
export class LocalStorage implements FileStorage {
  readonly name = 'local';
  readonly scratch: string;
  private readonly root: string;

  constructor(directory: string) {
    if (!isFilledText(directory))
      throw new ContentModelError(['LocalStorage: the directory must be a non-empty string'], 'options');
    this.root = resolve(directory);
    this.scratch = join(this.root, SCRATCH);
  }

  async put(key: string, file: LocalFile): Promise<void> {
    const target = this.pathOf(key);
    await mkdir(dirname(target), { recursive: true });
    await sync(await openWhole(file));
    // Creating a link is atomic. A file of the same key and size has the same content and is complete.
    await link(file.path, target).catch(async (error: unknown) => {
      const isStored = codeOf(error) === 'EEXIST' && (await this.head(key))?.size === file.size;
      if (!isStored) await this.copy(file.path, target);
    });
    await sync(await open(dirname(target)));
  }

  private async copy(from: string, target: string): Promise<void> {
    const beside = join(this.scratch, randomUUID());
    await mkdir(this.scratch, { recursive: true });
    try {
      await copyFile(from, beside);
      await sync(await open(beside));
      await rename(beside, target);
    } finally {
      await rm(beside, { force: true });
    }
  }

  async get(key: string, range?: ByteRange): Promise<Readable | null> {
    const fd = await unlessAbsent(openNumber(this.pathOf(key), 'r'));
    return fd === null ? null : createReadStream('', { fd, highWaterMark: CHUNK, ...range });
  }

  async open(key: string): Promise<OpenBytes | null> {
    const handle = await unlessAbsent(open(this.pathOf(key), 'r'));
    if (handle === null) return null;
    return {
      read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
      close: () => handle.close(),
    };
  }

  async head(key: string): Promise<KeptBytes | null> {
    const found = await unlessAbsent(stat(this.pathOf(key)));
    return found?.isFile() === true ? { key, size: found.size, modified: found.mtime } : null;
  }

  async delete(key: string): Promise<void> {
    await rm(this.pathOf(key), { force: true });
  }

  /** Reads only the directory of the prefix, and those below it. */
  async *list(prefix: string): AsyncIterable<KeptBytes> {
    const directory = join(this.root, prefix.slice(0, prefix.lastIndexOf('/') + 1));
    const entries = (await unlessAbsent(readdir(directory, { recursive: true, withFileTypes: true }))) ?? [];
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      const key = relative(this.root, path).split(sep).join('/');
      if (!entry.isFile() || key.startsWith(`${SCRATCH}/`) || !key.startsWith(prefix)) continue;
      const head = await this.head(key);
      if (head !== null) yield head;
    }
  }

  /** Returns the path of a key. Throws for a key outside the directory, which the library never makes. */
  private pathOf(key: string): string {
    const path = resolve(this.root, key);
    if (!path.startsWith(this.root + sep) || key.includes('\0')) throw new Error(`Invalid key: ${key}`);
    return path;
  }
}
