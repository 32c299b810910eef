/** Faults around files: a response of other middleware, a broken disk, and requests without a bound. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type INestApplication, Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import { FileCheck, LocalStorage } from 'nestjs-content-api/files';
import { FileContents } from '../../src/features/media/file-contents.ts';
import type { ByteRange, KeptBytes, OpenBytes } from '../../src/features/media/file-storage.ts';
import { type Adapter, ADAPTERS } from '../support/app.ts';
import { createFilesApp, formOf, picture } from './helpers.ts';

const folders: string[] = [];
const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'faults-'));
  folders.push(folder);
  return folder;
};
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

/** Storage that opens bytes after 200 ms. */
class Slow extends LocalStorage {
  readonly streams: Readable[] = [];
  opened = 0;

  override async get(key: string, range?: ByteRange): Promise<Readable | null> {
    const stream = await super.get(key, range);
    if (stream !== null) this.streams.push(stream);
    await sleep(200);
    return stream;
  }

  override async open(key: string): Promise<OpenBytes | null> {
    const open = await super.open(key);
    this.opened += 1;
    await sleep(200);
    if (open === null) return null;
    const close = async (): Promise<void> => {
      this.opened -= 1;
      await open.close();
    };
    return { read: (into, position) => open.read(into, position), close };
  }
}

/** Responds to downloads after 50 ms, as a time limit of the application does. */
function limitTime(app: INestApplication, adapter: Adapter): void {
  if (adapter === 'express') {
    app.use(({ url }: { url: string }, response: ServerResponse, next: () => void) => {
      const late = (): unknown => response.writeHead(504).end();
      if (url.startsWith('/uploads/')) setTimeout(late, 50);
      next();
    });
    return;
  }
  const late = async (request: { url: string }, reply: { code(status: number): { send(): void } }) => {
    if (request.url.startsWith('/uploads/')) setTimeout(() => reply.code(504).send(), 50);
    await Promise.resolve();
  };
  const fastify = app.getHttpAdapter().getInstance() as { addHook(name: string, hook: typeof late): void };
  fastify.addHook('onRequest', late);
}

it.each(ADAPTERS)('bytes are closed if other middleware has responded before, on %s', async (adapter) => {
  const storage = new Slow(await newFolder());
  const api = await createFilesApp({ storage }, adapter, { prepare: (app) => limitTime(app, adapter) });
  try {
    for (const size of [0, 300_000]) {
      const response = await api.send(formOf([{ bytes: picture(size) }]));
      const [file] = (await response.json()) as { url: string }[];
      expect((await api.ask(file?.url ?? '')).status).toBe(504);
    }
    await sleep(300);
    expect(storage.streams.length).toBe(adapter === 'express' ? 1 : 2);
    expect(storage.streams.map(({ destroyed }) => destroyed)).not.toContain(false);
    expect(storage.opened).toBe(0);
  } finally {
    await api.close();
  }
});

it('an upload is a 503 if the local disk cannot be written, with its error in the log', async () => {
  const folder = await newFolder();
  const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  const api = await createFilesApp({ storage: new LocalStorage(folder) });
  try {
    await writeFile(join(folder, '_incoming'), 'not a directory');
    const response = await api.send(formOf([{}]));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(logged.mock.calls).toEqual([[expect.stringContaining('EEXIST')]]);
  } finally {
    logged.mockRestore();
    await api.close();
  }
});

it('a check and an import send 20 requests to the storage at once, at most', async () => {
  let running = 0;
  let most = 0;
  class Counting extends LocalStorage {
    override async head(key: string): Promise<KeptBytes | null> {
      running += 1;
      most = Math.max(most, running);
      await sleep(5);
      running -= 1;
      return super.head(key);
    }
  }
  const storage = new Counting(await newFolder());
  const api = await createFilesApp({ storage, maxFiles: 50 });
  try {
    expect((await api.send(formOf(Array.from({ length: 50 }, () => ({}))))).status).toBe(201);
    const keys: string[] = [];
    for await (const { key } of storage.list('')) keys.push(key);
    for (const key of keys) await storage.delete(key);
    most = 0;
    const { missing } = await api.app.get(FileCheck).run();
    expect([missing.length, most]).toEqual([50, 20]);
    most = 0;
    const gone = await api.app.get(FileContents, { strict: false }).missing(keys);
    expect([gone.size, most]).toEqual([50, 20]);
  } finally {
    await api.close();
  }
});

it('media types of CSV do not allow workbooks', async () => {
  const api = await createFilesApp({ allowed: ['text/csv'] });
  const ole = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2048)]);
  const type = 'application/vnd.ms-excel';
  try {
    const workbook = await api.send(formOf([{ bytes: ole, name: 'x.xls', type }]));
    const table = await api.send(formOf([{ bytes: 'a,b', name: 'x.csv', type }]));
    expect([workbook.status, table.status]).toEqual([400, 201]);
  } finally {
    await api.close();
  }
});
