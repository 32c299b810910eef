/** Every storage of the library passes the documented contract for storages (issue 13, part 3). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalStorage } from '../../src/features/media/local-storage.ts';
import { S3Storage } from '../../src/features/media/s3-storage.ts';
import { storageContract } from '../../src/testing/index.ts';
import { type RunningS3, type S3Server, startS3 } from './s3-server.ts';

describe('a directory', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'content-kept-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  for (const { name, run } of storageContract(() => new LocalStorage(folder))) it(name, run);

  it('syncs the bytes of a file before it gives them their name', async () => {
    const storage = new LocalStorage(folder);
    const path = join(folder, 'picture');
    writeFileSync(path, 'bytes');
    const { open } = fs;
    const synced: unknown[] = [];
    const watched = async (...args: Parameters<typeof open>): ReturnType<typeof open> => {
      const handle = await open(...args);
      const sync = handle.sync.bind(handle);
      handle.sync = async () => {
        synced.push([args[0], (await storage.head('aa/bb/c.txt')) !== null]);
        await sync();
      };
      return handle;
    };
    Object.assign(fs, { open: watched });
    syncBuiltinESMExports();
    try {
      await storage.put('aa/bb/c.txt', { path, size: 5, mime: 'text/plain' });
    } finally {
      Object.assign(fs, { open });
      syncBuiltinESMExports();
    }
    expect(synced).toEqual([
      [path, false],
      [join(folder, 'aa/bb'), true],
    ]);
  });

  it('refuses a file of another size than expected', async () => {
    const storage = new LocalStorage(folder);
    const path = join(folder, 'short');
    writeFileSync(path, 'bytes');
    await expect(storage.put('aa/bb/d.txt', { path, size: 6, mime: 'text/plain' })).rejects.toThrow(
      'is not a file of 6 bytes',
    );
    expect(await storage.head('aa/bb/d.txt')).toBeNull();
  });
});

/**
 * Cases that a server cannot pass because of a fault that real buckets do not have. The other server runs
 * them.
 */
const UNABLE: Readonly<Record<S3Server, Readonly<Record<string, string>>>> = {
  s3rver: {
    'returns a range, both ends included': 'treats a range that ends at 0 as one without an end',
    'returns all bytes or none during concurrent writes of one key': 'writes in place',
    'lists exactly the keys with a prefix': 'rejects signatures of lists',
  },
  fauxqs: {
    'streams a large file with bounded memory': 'accepts bodies of 11 MB at most',
    'signs URLs that need no other credentials, if it signs any': 'accepts any signature',
  },
};

it('every case runs on at least one of them', () => {
  expect(Object.keys(UNABLE.s3rver).filter((name) => name in UNABLE.fauxqs)).toEqual([]);
  const names = storageContract(() => new LocalStorage(tmpdir())).map(({ name }) => name);
  expect(
    Object.values(UNABLE)
      .flatMap((cases) => Object.keys(cases))
      .filter((name) => !names.includes(name)),
  ).toEqual([]);
});

describe.each(['s3rver', 'fauxqs'] as const)('a bucket of %s', (kind) => {
  let server: RunningS3;
  let storage: S3Storage;
  beforeAll(async () => {
    server = await startS3(kind);
    storage = new S3Storage({ ...server.options, prefix: 'site/' });
  });
  afterAll(() => {
    storage.close();
    server.stop();
  });

  for (const { name, run } of storageContract(() => storage)) if (!(name in UNABLE[kind])) it(name, run);
});

it('bytes at a signed URL of a bucket are in no shared cache', async () => {
  const server = await startS3('s3rver');
  const storage = new S3Storage(server.options);
  const folder = mkdtempSync(join(tmpdir(), 'content-signed-'));
  const path = join(folder, 'file');
  writeFileSync(path, 'bytes');
  try {
    await storage.put('signed.txt', { path, size: 5, mime: 'text/plain' });
    const response = await fetch(await storage.signedUrl('signed.txt', 60));
    expect([await response.text(), response.headers.get('cache-control')]).toEqual([
      'bytes',
      'private, max-age=60',
    ]);
  } finally {
    storage.close();
    server.stop();
    rmSync(folder, { recursive: true });
  }
});

it('S2: a bucket that never responds ends every operation of its storage', async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), 'content-silent-'));
  const storage = new S3Storage({
    bucket: 'files',
    client: {
      endpoint: `http://127.0.0.1:${port}`,
      credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
      region: 'us-east-1',
      forcePathStyle: true,
    },
    timeouts: { head: 100, get: 100, put: 100, list: 100, delete: 100 },
  });
  writeFileSync(join(folder, 'file'), 'bytes');
  const file = { path: join(folder, 'file'), size: 5, mime: 'text/plain' };
  try {
    await expect(storage.head('a')).rejects.toThrow('did not respond to HEAD in 100 ms');
    await expect(storage.get('a')).rejects.toThrow('did not respond to GET in 100 ms');
    await expect(storage.delete('a')).rejects.toThrow('did not respond to DELETE in 100 ms');
    const list = storage.list('a')[Symbol.asyncIterator]();
    await expect(list.next()).rejects.toThrow('did not respond to LIST in 100 ms');
    // `head` before a PUT, and the PUT itself.
    await expect(storage.put('a', file)).rejects.toThrow('did not respond to HEAD in 100 ms');
    storage.head = () => Promise.resolve(null);
    await expect(storage.put('a', file)).rejects.toThrow('did not respond to PUT in 100 ms');
  } finally {
    storage.close();
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true });
  }
});

it('S3Storage rejects timeouts that are not positive numbers', () => {
  expect(() => new S3Storage({ bucket: 'files', timeouts: { put: 0 } })).toThrow(
    'timeouts.put must be a number above 0',
  );
});
