/** A bucket with faults: it stalls, sends other bytes than asked for, or lists other keys. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { S3Storage } from '../../src/features/media/s3-storage.ts';
import { ADAPTERS } from '../support/app.ts';
import { createFilesApp, type FilesApp, formOf, picture } from './helpers.ts';

interface Ask {
  readonly method: string;
  readonly key: string;
  readonly body: Buffer;
  readonly range: string;
}

const SIZE = 3000;
const DATE = 'Thu, 01 Jan 2026 00:00:00 GMT';

/** Bucket in memory. `fault` answers requests instead of it if it returns true. */
class Bucket {
  readonly objects = new Map<string, Buffer>();
  readonly asked: string[] = [];
  fault: (ask: Ask, response: ServerResponse) => boolean = () => false;
  private readonly server: Server = createServer((request, response) => void this.serve(request, response));

  async start(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  list(response: ServerResponse, keys: readonly string[], next = ''): boolean {
    const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('');
    const more = next === '' ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`;
    response.end(`<ListBucketResult>${contents}${more}</ListBucketResult>`);
    return true;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://bucket');
    const method = searchParams.has('list-type') ? 'LIST' : (request.method ?? '');
    const key = pathname.slice('/files/'.length);
    const ask = { method, key, body: await buffer(request), range: request.headers.range ?? '' };
    this.asked.push(method);
    if (!this.fault(ask, response)) this.reply(ask, response, searchParams.get('prefix') ?? '');
  }

  private reply({ method, key, body, range }: Ask, response: ServerResponse, prefix: string): void {
    const object = this.objects.get(key);
    if (method === 'LIST') {
      this.list(
        response,
        [...this.objects.keys()].filter((one) => one.startsWith(prefix)),
      );
    } else if (method === 'PUT' || method === 'DELETE') {
      if (method === 'PUT') this.objects.set(key, body);
      else this.objects.delete(key);
      response.writeHead(200).end();
    } else if (object === undefined) {
      response.writeHead(404).end(method === 'HEAD' ? '' : '<Error><Code>NoSuchKey</Code></Error>');
    } else {
      const [, start = 0, end = object.length - 1] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
      const part = object.subarray(Number(start), Number(end) + 1);
      response.writeHead(range === '' ? 200 : 206, { 'Content-Length': part.length, 'Last-Modified': DATE });
      response.end(part);
    }
  }
}

describe.each(ADAPTERS)('a faulty bucket, on %s', (adapter) => {
  const bucket = new Bucket();
  let storage: S3Storage;
  let app: FilesApp;

  beforeAll(async () => {
    const client = {
      endpoint: await bucket.start(),
      credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
      region: 'us-east-1',
      forcePathStyle: true,
    };
    // One download stalls for this time; on a busy machine, all others take up to a second.
    storage = new S3Storage({ bucket: 'files', client, timeouts: { get: 3000 } });
    app = await createFilesApp({ storage }, adapter);
  });
  afterEach(() => {
    bucket.fault = () => false;
  });
  afterAll(async () => {
    await app.close();
    storage.close();
    bucket.stop();
  });

  const upload = async (): Promise<{ readonly id: number; readonly url: string }> => {
    const response = await app.send(formOf([{ bytes: picture(SIZE) }]));
    expect(response.status).toBe(201);
    const [file] = (await response.json()) as [{ id: number; url: string }];
    return file;
  };

  /** Answers a GET with these bytes instead. */
  const sends = (change: (bytes: Buffer) => Buffer, end = true): void => {
    bucket.fault = ({ method, key }, response) => {
      if (method !== 'GET') return false;
      response.write(change(bucket.objects.get(key) ?? Buffer.alloc(0)));
      if (end) response.end();
      return true;
    };
  };

  const read = async (path: string, range?: string): Promise<number | string> => {
    const signal = AbortSignal.timeout(20_000);
    const headers = range === undefined ? {} : { range };
    const response = await fetch(app.url + path, { headers, signal });
    return response.arrayBuffer().then(
      () => response.status,
      () => (signal.aborted ? 'endless' : 'broken off'),
    );
  };

  it('more bytes than asked for never reach the client', async () => {
    const { url } = await upload();
    sends((bytes) => bytes);
    expect(await read(url, 'bytes=0-9')).toBe(503);
    sends((bytes) => Buffer.concat([bytes, bytes]));
    expect(await read(url)).toBe(503);
  });

  it('fewer bytes than expected end the response as incomplete', async () => {
    const { url } = await upload();
    sends((bytes) => bytes.subarray(0, 100));
    expect(await read(url)).toBe('broken off');
    expect(await read(url, 'bytes=0-999')).toBe('broken off');
    sends(() => Buffer.alloc(0));
    expect(await read(url)).toBe(503);
  });

  it('a download that stalls ends after the timeout', async () => {
    const { url } = await upload();
    sends((bytes) => bytes.subarray(0, 100), false);
    expect(await read(url)).toBe('broken off');
  });

  it('an upload of which the bucket stores a part is a 503, without a row', async () => {
    bucket.fault = ({ method, key, body }, response) => {
      if (method !== 'PUT') return false;
      bucket.objects.set(key, body.subarray(0, 100));
      response.writeHead(200).end();
      return true;
    };
    const before = await app.sql('select count(*) from content_files');
    expect((await app.send(formOf([{ bytes: picture(SIZE) }]))).status).toBe(503);
    expect(await app.sql('select count(*) from content_files')).toEqual(before);
  });

  it('a list that ignores its prefix removes only bytes of the deleted file', async () => {
    const [kept, deleted] = [await upload(), await upload()];
    bucket.fault = ({ method }, response) =>
      method === 'LIST' && bucket.list(response, [...bucket.objects.keys(), 'other/', 'a&amp;b']);
    const before = bucket.objects.size;
    expect((await app.ask(`/api/upload/files/${deleted.id}`, { method: 'DELETE' })).status).toBe(200);
    expect(bucket.objects.size).toBe(before - 1);
    expect(await read(kept.url)).toBe(200);
  });

  it('a list that repeats a page ends the removal', async () => {
    const { id } = await upload();
    bucket.fault = ({ method }, response) => method === 'LIST' && bucket.list(response, [], 'same');
    expect((await app.ask(`/api/upload/files/${id}`, { method: 'DELETE' })).status).toBe(200);
    const lists = (): number => bucket.asked.filter((method) => method === 'LIST').length;
    const asked = lists();
    await sleep(200);
    expect(lists()).toBe(asked);
  });
});
