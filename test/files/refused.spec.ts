/** A rejected upload stores no bytes and reads only the directory of its content. */
import fs, { mkdtemp, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalStorage } from 'nestjs-content-api/files';
import { Subject } from '../../src/testing/storage-subject.ts';
import { variantKey, variantsOf } from '../../src/content/model/content-keys.ts';
import { createFilesApp, formOf } from './helpers.ts';

class Counting extends LocalStorage {
  puts = 0;

  override put(...args: Parameters<LocalStorage['put']>): Promise<void> {
    this.puts += 1;
    return super.put(...args);
  }
}

it.each([
  ['alternativeText', 'a\u0000b'],
  ['caption', '\ud800'],
  ['folder', `/${'x'.repeat(90)}/${'y'.repeat(90)}/${'z'.repeat(90)}`],
  ['folder', '/\ud800'],
])('N4: rejects a form with an unstorable %s before it stores any bytes', async (key, value) => {
  const directory = await mkdtemp(join(tmpdir(), 'refused-'));
  const storage = new Counting(directory);
  const api = await createFilesApp({ storage });
  try {
    const response = await api.send(formOf([{}, {}], { fileInfo: [{}, { [key]: value }] }));
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { name: 'ValidationError', details: { key, path: `fileInfo.1.${key}` } } },
    ]);
    expect(storage.puts).toBe(0);
  } finally {
    await api.close();
    await rm(directory, { recursive: true, force: true });
  }
});

/** Returns the directories that are read while `work` runs. */
async function directoriesRead(work: () => Promise<unknown>): Promise<string[]> {
  const { readdir } = fs;
  const read: string[] = [];
  const watched = (...args: Parameters<typeof readdir>): ReturnType<typeof readdir> => {
    read.push(String(args[0]));
    return readdir(...args);
  };
  Object.assign(fs, { readdir: watched });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(fs, { readdir });
    syncBuiltinESMExports();
  }
  return read;
}

it('N4: a list of the variants of a content reads only their directory', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'listed-'));
  const subject = new Subject(new LocalStorage(directory), directory);
  const key = await subject.keep(Buffer.from('x'));
  const variant = subject.note(variantKey(key, 'w10', '.png'));
  await subject.storage.put(variant, await subject.file(Buffer.from('y')));
  let found: string[] = [];
  const read = await directoriesRead(async () => {
    found = (await subject.list(variantsOf(key))).map((one) => one.key);
  });
  await rm(directory, { recursive: true });
  expect(found).toEqual([variant]);
  expect(read.map((path) => join(path, '/'))).toEqual([join(directory, variantsOf(key))]);
});
