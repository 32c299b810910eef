/** Storage under test, with helpers that compare bytes and measure memory. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { contentKey } from '../content/model/content-keys.js';
import type { ByteRange, FileStorage, KeptBytes, LocalFile } from '../features/media/file-storage.js';

export const MEGABYTE = 1024 * 1024;
/** Size of the large test file, and the maximum that may be buffered of it, in bytes. */
export const LARGE = 50 * MEGABYTE;
export const HELD = 25 * MEGABYTE;

/** Storage under test, with a directory of local files to upload. */
export class Subject {
  private readonly keys = new Set<string>();

  constructor(
    readonly storage: FileStorage,
    private readonly directory: string,
  ) {}

  /** Writes a file to local disk. */
  async file(bytes: Buffer, mime = 'application/octet-stream'): Promise<LocalFile> {
    const path = join(this.directory, randomBytes(8).toString('hex'));
    await writeFile(path, bytes);
    return { path, size: bytes.length, mime };
  }

  /** Writes a large file in pieces, without holding it in memory. Returns it with its SHA-256. */
  async largeFile(): Promise<readonly [LocalFile, string]> {
    const path = join(this.directory, randomBytes(8).toString('hex'));
    const handle = await open(path, 'w');
    const hash = createHash('sha256');
    for (let written = 0; written < LARGE; written += MEGABYTE) {
      const bytes = randomBytes(MEGABYTE);
      hash.update(bytes);
      await handle.write(bytes);
    }
    await handle.close();
    return [{ path, size: LARGE, mime: 'application/octet-stream' }, hash.digest('hex')];
  }

  /** Returns a new key. The bytes under it are removed at the end. */
  key(ext = '.bin'): string {
    return this.note(contentKey(randomBytes(32).toString('hex'), ext));
  }

  note(key: string): string {
    this.keys.add(key);
    return key;
  }

  /** Stores bytes under a new key. */
  async keep(bytes: Buffer, ext?: string): Promise<string> {
    const key = this.key(ext);
    await this.storage.put(key, await this.file(bytes));
    return key;
  }

  async read(key: string, range?: ByteRange): Promise<Buffer | null> {
    const stream = await this.storage.get(key, range);
    return stream === null ? null : Buffer.concat((await stream.toArray()) as Buffer[]);
  }

  async list(prefix: string): Promise<KeptBytes[]> {
    const found: KeptBytes[] = [];
    for await (const kept of this.storage.list(prefix)) found.push(kept);
    return found.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Asserts that no bytes are stored under a key. */
  async assertAbsent(key: string): Promise<void> {
    assert.ok((await this.storage.head(key)) === null, 'head returns metadata of an absent key');
    assert.ok((await this.storage.get(key)) === null, 'get returns bytes of an absent key');
    assert.ok(
      (await this.storage.get(key, { start: 0, end: 0 })) === null,
      'get returns a range of an absent key',
    );
  }

  async clear(): Promise<void> {
    for (const key of this.keys) await this.storage.delete(key);
  }
}

/** Compares without `deepEqual`, whose message for two large buffers exhausts the memory. */
export function assertBytes(actual: Buffer | null, expected: Buffer, what = 'the bytes'): void {
  assert.ok(actual !== null, `${what}: null instead of bytes`);
  assert.equal(actual.length, expected.length, `${what}: wrong length`);
  assert.ok(actual.equals(expected), `${what}: different content`);
}

/**
 * Collects garbage, so that only referenced buffers are counted. Runs twice, because another thread frees
 * buffers after the first collection.
 */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let times = 0; times < 2; times += 1) gc();
}

/** Returns the maximum number of additional bytes in buffers while `work` runs. */
export async function heldDuring(work: () => Promise<void>): Promise<number> {
  const held = (): number => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const before = held();
  let maximum = 0;
  let isDone = false;
  const watch = async (): Promise<void> => {
    while (!isDone) {
      const started = performance.now();
      maximum = Math.max(maximum, held() - before);
      // A collection takes longer with more objects. The pause leaves three quarters of the time to `work`.
      await sleep(Math.max(50, 3 * (performance.now() - started)));
    }
  };
  const watching = watch();
  try {
    await work();
  } finally {
    isDone = true;
    await watching;
  }
  return maximum;
}

export async function digestOf(stream: Readable | null): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream ?? []) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
