/** What every storage of files has to do, as cases for any test runner. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { variantKey, variantsOf } from '../files/file-keys.js';
import type { FileStorage } from '../files/file-storage.js';
import { assertBytes, digestOf, HELD, heldDuring, LARGE, MEGABYTE, Subject } from './storage-subject.js';

/**
 * One thing that a storage has to do; `run` is rejected where it does not.
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

  'gives back what was put': async (subject) => {
    const bytes = randomBytes(100_000);
    const key = await subject.keep(bytes);
    assertBytes(await subject.read(key), bytes);
    const head = await subject.storage.head(key);
    assert.equal(head?.key, key);
    assert.equal(head?.size, bytes.length);
    assert.ok(Math.abs((head?.modified.getTime() ?? 0) - Date.now()) < 60 * 60 * 1000, 'modified is now');
  },

  'keeps a file of 0 bytes': async (subject) => {
    const key = await subject.keep(Buffer.alloc(0));
    assertBytes(await subject.read(key), Buffer.alloc(0));
    assert.equal((await subject.storage.head(key))?.size, 0);
  },

  'takes every key that the library makes': async (subject) => {
    const bytes = randomBytes(10);
    const key = await subject.keep(bytes, '');
    const longest = await subject.keep(bytes, `.${'a1'.repeat(8)}`);
    const variant = subject.note(variantKey(longest, 'w640-h360-cover-x30-y0-q80', '.webp'));
    await subject.storage.put(variant, await subject.file(bytes));
    for (const one of [key, longest, variant]) assertBytes(await subject.read(one), bytes, one);
  },

  'gives a range, with both its ends': async (subject) => {
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

  'knows nothing of a key that was never put': (subject) => subject.assertAbsent(subject.key()),

  'deletes, and has nothing against deleting again': async (subject) => {
    const key = await subject.keep(randomBytes(10));
    await subject.storage.delete(key);
    await subject.assertAbsent(key);
    await subject.storage.delete(key);
    await subject.storage.delete(subject.key());
  },

  'may be told to put the same again, also after it was deleted': async (subject) => {
    const bytes = randomBytes(1000);
    const key = await subject.keep(bytes);
    await subject.storage.put(key, await subject.file(bytes));
    assertBytes(await subject.read(key), bytes);
    await subject.storage.delete(key);
    await subject.storage.put(key, await subject.file(bytes));
    assertBytes(await subject.read(key), bytes);
  },

  'shows the whole of it or nothing while the same is put many times at once': async (subject) => {
    const bytes = randomBytes(2 * MEGABYTE);
    const key = subject.key();
    let isDone = false;
    const watch = async (): Promise<void> => {
      while (!isDone) {
        const seen = await subject.read(key);
        assert.ok(seen === null || seen.equals(bytes), `a part of ${seen?.length} bytes`);
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

  'keeps nothing of a file that it cannot read': async (subject) => {
    const key = subject.key();
    const file = await subject.file(randomBytes(10));
    await rm(file.path);
    await assert.rejects(subject.storage.put(key, file));
    await assert.rejects(subject.storage.put(key, { ...file, path: tmpdir() }));
    await subject.assertAbsent(key);
  },

  'lists what begins with a text, and nothing else': async (subject) => {
    const key = await subject.keep(randomBytes(10), '.png');
    const stem = key.replace('.png', '');
    const variants = ['w10-inside', 'w20-inside'].map((recipe) => variantKey(key, recipe, '.png'));
    for (const one of variants)
      await subject.storage.put(subject.note(one), await subject.file(randomBytes(20)));
    const told = (await subject.list(stem)).map(({ key: found, size }) => [found, size]);
    assert.deepEqual(told, [[key, 10], ...variants.map((one) => [one, 20])]);
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
      'all of them, with an empty text',
    );
  },

  'goes on when readers leave in the middle': async (subject) => {
    const bytes = randomBytes(MEGABYTE);
    const key = await subject.keep(bytes);
    for (let reader = 0; reader < 120; reader += 1) (await subject.storage.get(key))?.destroy();
    assertBytes(await subject.read(key), bytes);
  },

  'holds little of a large file at a time': async (subject) => {
    const [file, digest] = await subject.largeFile();
    const key = subject.key();
    const putting = await heldDuring(() => subject.storage.put(key, file));
    assert.ok(putting < HELD, `put held ${putting} bytes`);
    assert.equal((await subject.storage.head(key))?.size, LARGE);
    const reading = await heldDuring(async () =>
      assert.equal(await digestOf(await subject.storage.get(key)), digest),
    );
    assert.ok(reading < HELD, `get held ${reading} bytes`);
  },

  'signs URLs that work without more, if it signs any': async (subject) => {
    const { storage } = subject;
    if (storage.signedUrl === undefined) return;
    const bytes = randomBytes(1000);
    const key = await subject.keep(bytes);
    const url = await storage.signedUrl(key, 60);
    const answer = await fetch(url);
    assert.equal(answer.status, 200);
    assertBytes(Buffer.from(await answer.arrayBuffer()), bytes);
    const other = await fetch(url.replace(key, await subject.keep(bytes)));
    assert.ok(other.status >= 400 && other.status < 500, `another file has status ${other.status}`);
  },
};

/**
 * The contract of {@link FileStorage}, for providers of your own: cases to give to any test runner.
 *
 * ```ts
 * for (const { name, run } of storageContract(() => new MyStorage())) it(name, run, 60_000);
 * ```
 *
 * Each case has a storage made, uses keys that nothing else has, and removes what it has put. One has 50 MB.
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
