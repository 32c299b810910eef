/** Contract test of storage providers, for any test runner. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { variantKey, variantsOf } from '../content/model/content-keys.js';
import type { FileStorage } from '../features/media/file-storage.js';
import { assertBytes, digestOf, HELD, heldDuring, LARGE, MEGABYTE, Subject } from './storage-subject.js';

/**
 * Test case of the contract; `run` rejects if the storage fails it.
 *
 * @publicApi
 */
export interface ContractCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

type Check = (subject: Subject) => Promise<void>;

const CASES: Readonly<Record<string, Check>> = {
  'has a name': async ({ storage }) => {
    assert.match(storage.name, /^[a-z0-9_-]+$/);
    return Promise.resolve();
  },

  'returns the stored bytes': async (subject) => {
    const bytes = randomBytes(100_000);
    const key = await subject.keep(bytes);
    assertBytes(await subject.read(key), bytes);
    const head = await subject.storage.head(key);
    assert.equal(head?.key, key);
    assert.equal(head?.size, bytes.length);
    assert.ok(
      Math.abs((head?.modified.getTime() ?? 0) - Date.now()) < 60 * 60 * 1000,
      '"modified" is not the current time',
    );
  },

  'stores a file of 0 bytes': async (subject) => {
    const key = await subject.keep(Buffer.alloc(0));
    assertBytes(await subject.read(key), Buffer.alloc(0));
    assert.equal((await subject.storage.head(key))?.size, 0);
  },

  'accepts every key that the library makes': async (subject) => {
    const bytes = randomBytes(10);
    const key = await subject.keep(bytes, '');
    const longest = await subject.keep(bytes, `.${'a1'.repeat(8)}`);
    const variant = subject.note(variantKey(longest, 'w640-h360-cover-x30-y0-q80', '.webp'));
    await subject.storage.put(variant, await subject.file(bytes));
    for (const one of [key, longest, variant]) assertBytes(await subject.read(one), bytes, one);
  },

  'returns a range, both ends included': async (subject) => {
    const bytes = randomBytes(70_000);
    const key = await subject.keep(bytes);
    const last = bytes.length - 1;
    for (const [start, end] of [
      [0, 0],
      [0, last],
      [last, last],
      [10, 19],
      [65_000, 66_000],
    ] as const)
      assertBytes(await subject.read(key, { start, end }), bytes.subarray(start, end + 1), `${start}-${end}`);
  },

  'returns null for an unknown key': (subject) => subject.assertAbsent(subject.key()),

  'deletes bytes, also when they are missing': async (subject) => {
    const key = await subject.keep(randomBytes(10));
    await subject.storage.delete(key);
    await subject.assertAbsent(key);
    await subject.storage.delete(key);
    await subject.storage.delete(subject.key());
  },

  'stores the same bytes again, also after a delete': async (subject) => {
    const bytes = randomBytes(1000);
    const key = await subject.keep(bytes);
    await subject.storage.put(key, await subject.file(bytes));
    assertBytes(await subject.read(key), bytes);
    await subject.storage.delete(key);
    await subject.storage.put(key, await subject.file(bytes));
    assertBytes(await subject.read(key), bytes);
  },

  'returns all bytes or none during concurrent writes of one key': async (subject) => {
    const bytes = randomBytes(2 * MEGABYTE);
    const key = subject.key();
    let isDone = false;
    const watch = async (): Promise<void> => {
      while (!isDone) {
        const seen = await subject.read(key);
        assert.ok(seen === null || seen.equals(bytes), `read an incomplete file of ${seen?.length} bytes`);
      }
    };
    const put = async (): Promise<void> => subject.storage.put(key, await subject.file(bytes));
    const watching = watch();
    const puts = await Promise.allSettled(Array.from({ length: 10 }, put));
    isDone = true;
    await watching;
    assert.deepEqual(
      puts.filter(({ status }) => status === 'rejected'),
      [],
    );
    assert.equal((await subject.list(key)).length, 1);
  },

  'stores nothing of an unreadable file': async (subject) => {
    const key = subject.key();
    const file = await subject.file(randomBytes(10));
    await rm(file.path);
    await assert.rejects(subject.storage.put(key, file));
    await assert.rejects(subject.storage.put(key, { ...file, path: tmpdir() }));
    await subject.assertAbsent(key);
  },

  'lists exactly the keys with a prefix': async (subject) => {
    const key = await subject.keep(randomBytes(10), '.png');
    const stem = key.replace('.png', '');
    const variants = ['w10-inside', 'w20-inside'].map((recipe) => variantKey(key, recipe, '.png'));
    for (const one of variants)
      await subject.storage.put(subject.note(one), await subject.file(randomBytes(20)));
    const listed = (await subject.list(stem)).map(({ key: found, size }) => [found, size]);
    assert.deepEqual(listed, [[key, 10], ...variants.map((one) => [one, 20])]);
    assert.deepEqual(
      (await subject.list(variantsOf(key))).map((one) => one.key),
      variants,
    );
    assert.ok(((await subject.list(stem))[0]?.modified.getTime() ?? 0) > 0);
    await subject.storage.delete(key);
    assert.deepEqual(
      (await subject.list(stem)).map((one) => one.key),
      variants,
    );
    const all = new Set((await subject.list('')).map((one) => one.key));
    assert.ok(
      variants.every((one) => all.has(one)),
      "list('') does not return all keys",
    );
  },

  'works after readers stop early': async (subject) => {
    const bytes = randomBytes(MEGABYTE);
    const key = await subject.keep(bytes);
    for (let reader = 0; reader < 120; reader += 1) (await subject.storage.get(key))?.destroy();
    assertBytes(await subject.read(key), bytes);
  },

  'streams a large file with bounded memory': async (subject) => {
    const [file, digest] = await subject.largeFile();
    const key = subject.key();
    const putting = await heldDuring(() => subject.storage.put(key, file));
    assert.ok(putting < HELD, `put buffered ${putting} bytes`);
    assert.equal((await subject.storage.head(key))?.size, LARGE);
    const reading = await heldDuring(async () =>
      assert.equal(await digestOf(await subject.storage.get(key)), digest),
    );
    assert.ok(reading < HELD, `get buffered ${reading} bytes`);
  },

  'signs URLs that need no other credentials, if it signs any': async (subject) => {
    const { storage } = subject;
    if (storage.signedUrl === undefined) return;
    const bytes = randomBytes(1000);
    const key = await subject.keep(bytes);
    const url = await storage.signedUrl(key, 60);
    const response = await fetch(url);
    assert.equal(response.status, 200);
    assertBytes(Buffer.from(await response.arrayBuffer()), bytes);
    const other = await fetch(url.replace(key, await subject.keep(bytes)));
    assert.ok(
      other.status >= 400 && other.status < 500,
      `the signature of one key reads another key with status ${other.status}`,
    );
  },
};

/**
 * Returns the contract tests of {@link FileStorage}, to run against your own provider.
 *
 * ```ts
 * for (const { name, run } of storageContract(() => new MyStorage())) it(name, run, 60_000);
 * ```
 *
 * Each case makes a storage, uses random keys, and removes the bytes that it has stored. One case stores 50
 * MB.
 *
 * @publicApi
 */
export function storageContract(make: () => FileStorage | Promise<FileStorage>): readonly ContractCase[] {
  return Object.entries(CASES).map(([name, check]) => ({
    name,
    run: async (): Promise<void> => {
      const directory = await mkdtemp(join(tmpdir(), 'content-storage-'));
      const subject = new Subject(await make(), directory);
      try {
        await check(subject);
      } finally {
        await subject.clear();
        await rm(directory, { recursive: true });
      }
    },
  }));
}
