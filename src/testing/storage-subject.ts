/** A storage of files under test, and how bytes are compared and counted. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { contentKey } from '../files/file-keys.js';
import type { ByteRange, FileStorage, KeptBytes, LocalFile } from '../files/file-storage.js';

export const MEGABYTE = 1024 * 1024;
/** How large a file is that has to pass through, and what may be held of it at a time. */
export const LARGE = 50 * MEGABYTE;
export const HELD = 25 * MEGABYTE;

/** A storage under test, with a directory for files that are on their way to it. */
export class Subject {
  private readonly keys = new Set<string>();

  constructor(
    readonly storage: FileStorage,
    private readonly directory: string,
  ) {}

  /** A file on local disk. */
  async file(bytes: Buffer, mime = 'application/octet-stream'): Promise<LocalFile> {
    const path = join(this.directory, randomBytes(8).toString('hex'));
    await writeFile(path, bytes);
    return { path, size: bytes.length, mime };
  }

  /** A large file that was never in memory as a whole; its SHA-256 is the second value. */
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

  /** A key that nothing has; what is kept under it is removed in the end. */
  key(ext = '.bin'): string {
    return this.note(contentKey(randomBytes(32).toString('hex'), ext));
  }

  note(key: string): string {
    this.keys.add(key);
    return key;
  }

  /** Keeps some bytes under a new key. */
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

  /** That nothing is known under a key. */
  async assertAbsent(key: string): Promise<void> {
    assert.ok((await this.storage.head(key)) === null, 'head knows of it');
    assert.ok((await this.storage.get(key)) === null, 'get gives something');
    assert.ok((await this.storage.get(key, { start: 0, end: 0 })) === null, 'get gives a range of it');
  }

  async clear(): Promise<void> {
    for (const key of this.keys) await this.storage.delete(key);
  }
}

/** Not `deepEqual`: what that says of two large buffers is larger than any memory. */
export function assertBytes(actual: Buffer | null, expected: Buffer, what = 'the bytes'): void {
  assert.ok(actual !== null, `${what}: there are none`);
  assert.equal(actual.length, expected.length, `${what}: how many`);
  assert.ok(actual.equals(expected), `${what}: others than were put`);
}

/**
 * Garbage is collected before anything is counted: what is left is held. Buffers are freed by another thread,
 * which has ended when the next collection begins.
 */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let times = 0; times < 2; times += 1) gc();
}

/** The most bytes that are held in buffers while something is done, beyond those before. */
export async function heldDuring(work: () => Promise<void>): Promise<number> {
  const held = (): number => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const before = held();
  let most = 0;
  let isDone = false;
  const watch = async (): Promise<void> => {
    while (!isDone) {
      const started = performance.now();
      most = Math.max(most, held() - before);
      // To collect takes the longer the more else there is: most of the time is for the work.
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
  return most;
}

export async function digestOf(stream: Readable | null): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream ?? []) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
