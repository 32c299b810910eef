/** Bodies with a `Content-Encoding`, and bodies that no parser reads: the same on both adapters. */
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { request } from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { Body, Controller, Post } from '@nestjs/common';
import { CollectionController, defineCollectionType } from 'nestjs-content-api';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { failure } from './helpers.ts';

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  attributes: { title: { type: 'string' } },
});

@Controller()
class PageController extends CollectionController {
  @Post('echo')
  echo(@Body() body: unknown): { kind: string; body: unknown } {
    return { kind: typeof body, body: body ?? null };
  }
}

const BODY = JSON.stringify({ data: { title: 'Encoded' } });
const CODINGS: readonly (readonly [string, Buffer])[] = [
  ['gzip', gzipSync(BODY)],
  ['GZIP', gzipSync(BODY)],
  ['deflate', deflateSync(BODY)],
  ['br', brotliCompressSync(BODY)],
  ['zstd', zstdCompressSync(BODY)],
  ['identity', Buffer.from(BODY)],
];

describe.each(ADAPTERS)('on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      { contentTypes: [page], controllers: { page: PageController }, access: { public: { page: '*' } } },
      adapter,
    );
  });
  afterAll(() => test.close());

  const send = async (
    path: string,
    body: Buffer | string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ status: number; body: any }> => {
    const sent = request(`${test.url}${path}`, { method: 'POST', headers });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: await json(response) };
  };
  const encoded = (body: Buffer, coding: string, path = '/api/pages', more: Record<string, string> = {}) =>
    send(path, body, { 'Content-Type': 'application/json', 'Content-Encoding': coding, ...more });

  it.each(CODINGS)('a body in %s is decoded', async (coding, body) => {
    const created = await encoded(body, coding);
    expect([created.status, created.body.data.title]).toEqual([201, 'Encoded']);
    const own = await encoded(body, coding, '/api/pages/echo');
    expect(own.body).toEqual({ kind: 'object', body: JSON.parse(BODY) });
    const chunked = await encoded(body, coding, '/api/pages', { 'Transfer-Encoding': 'chunked' });
    expect([chunked.status, chunked.body.data.title]).toEqual([201, 'Encoded']);
  });

  it.each(['nonsense', 'gzip, br'])('a body in %s is a 415, and nothing is written', async (coding) => {
    const before = await test.sql('select count(*) from pages');
    expect(await encoded(Buffer.from(BODY), coding)).toEqual({
      status: 415,
      body: failure(415, 'UnsupportedMediaTypeError', `unsupported content encoding "${coding}"`),
    });
    expect(await test.sql('select count(*) from pages')).toEqual(before);
  });

  it.each([
    ['that is not in it', Buffer.from(BODY), 'incorrect header check'],
    ['that is cut off', gzipSync(BODY).subarray(0, 15), 'unexpected end of file'],
  ])('a body in gzip %s is a 400', async (_what, body, message) => {
    expect(await encoded(body, 'gzip')).toEqual({
      status: 400,
      body: failure(400, 'BadRequestError', message),
    });
    await test.http.get('/api/pages').expect(200);
  });

  it('the limit counts decoded bytes', async () => {
    expect(await encoded(gzipSync(Buffer.alloc(20_000_000, ' ')), 'gzip')).toEqual({
      status: 413,
      body: failure(413, 'PayloadTooLargeError', 'request entity too large'),
    });
  });

  it.each(['application/xml', 'application/octet-stream', 'nonsense', 'application/json; charset=utf-16'])(
    'a body of type %s does not reach a route of the application',
    async (type) => {
      const own = await send('/api/pages/echo', 'a body', { 'Content-Type': type });
      expect(own).toEqual({ status: 201, body: { kind: 'undefined', body: null } });
      expect((await send('/api/pages', 'a body', { 'Content-Type': type })).status).toBe(415);
    },
  );
});
