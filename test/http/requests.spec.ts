/**
 * Requests outside the handlers: methods that a path does not have, cache headers, other JSON media types,
 * and the health check.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import {
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  type INestApplication,
  Param,
  Patch,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  type AuthStrategy,
  CollectionController,
  ContentModule,
  type Credentials,
  type Identity,
} from 'nestjs-content-api';
import { blog } from '../fixtures/blog.ts';
import { ADAPTERS, type Adapter } from '../support/app.ts';
import { failure, type Host, NOT_FOUND, raw, startHost } from './helpers.ts';

const NOT_ALLOWED = failure(405, 'MethodNotAllowedError', 'Method Not Allowed');
const LIST = 'GET, HEAD, POST, OPTIONS';
const ONE = 'GET, HEAD, PUT, DELETE, OPTIONS';

@Controller()
class TagController extends CollectionController {
  @Patch(':documentId')
  touch(@Param('documentId') documentId: string): { touched: string } {
    return { touched: documentId };
  }
}

/** Exception filter of the application that handles every error. */
@Catch()
class EverythingFilter implements ExceptionFilter {
  constructor(private readonly host: HttpAdapterHost) {}
  catch(_error: unknown, context: ArgumentsHost): void {
    this.host.httpAdapter.reply(context.switchToHttp().getResponse(), { of: 'the host' }, 404);
  }
}

@Controller('kettles')
class KettleController {
  @Get() list(): string[] {
    return ['kettle'];
  }
}

/** Identifies callers by a cookie. */
class CookieStrategy implements AuthStrategy {
  readonly name = 'cookie';
  readonly vary = ['Cookie'];
  authenticate({ headers }: Credentials): Identity | null {
    return headers['cookie'] === 'user=ann' ? { kind: 'user', id: 'ann', roles: [] } : null;
  }
}

const withContent = (
  adapter: Adapter,
  options: object = {},
  prepare: (app: INestApplication) => void = () => undefined,
  fastify: object = {},
): Promise<Host> =>
  startHost(
    ({ url }) => ({
      imports: [ContentModule.forRoot({ ...blog, ...options, database: { clientUrl: url } })],
      controllers: [KettleController],
    }),
    { adapter, prepare, fastify, tables: true },
  );

const json = (text: string, type = 'application/json') => ({
  'content-type': type,
  'content-length': String(Buffer.byteLength(text)),
});

describe.each(ADAPTERS)('requests on %s', (adapter) => {
  let host: Host;
  beforeAll(async () => {
    host = await withContent(adapter, { controllers: { category: TagController } }, (app) =>
      app.useGlobalFilters(new EverythingFilter(app.get(HttpAdapterHost))),
    );
  });
  afterAll(() => host.close());

  describe('methods', () => {
    it.each([
      ...['PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE', 'SEARCH'].map((m) => [m, '/api/authors', LIST]),
      ...['POST', 'PATCH', 'PROPFIND', 'TRACE'].map((m) => [m, '/api/authors/x', ONE]),
      ...['POST', 'PATCH', 'COPY'].map((m) => [m, '/api/homepage', ONE]),
      ['PATCH', '/api/authors/', LIST],
      ['PATCH', '/api/authors?filters[x]=1', LIST],
      ['DELETE', '/api/i18n/locales', 'GET, HEAD, OPTIONS'],
    ] as [string, string, string][])(
      'S2: 1.9 %s %s returns 405 in the error shape, whatever filters the application has',
      async (method, path, allow) => {
        const { status, headers, text } = await raw(host.url, method, path);
        expect({ status, allow: headers['allow'], body: JSON.parse(text) }).toEqual({
          status: 405,
          allow,
          body: NOT_ALLOWED,
        });
      },
    );

    it('a method that the application adds to a generated controller works, and is in Allow', async () => {
      const touched = await raw(host.url, 'PATCH', '/api/categories/x');
      expect(JSON.parse(touched.text)).toEqual({ touched: 'x' });
      const refused = await raw(host.url, 'POST', '/api/categories/x');
      expect([refused.status, refused.headers['allow']]).toEqual([
        405,
        'GET, HEAD, PUT, PATCH, DELETE, OPTIONS',
      ]);
      expect((await raw(host.url, 'PATCH', '/api/authors/x')).headers['allow']).toBe(ONE);
    });

    it.each(['/api/authors/x/y', '/api/authors//x', '/api/homepage/x', '/kettles', '/api/nope', '/'])(
      'leaves PATCH %s, an unknown route, to the application',
      async (path) => {
        const { status, headers, text } = await raw(host.url, 'PATCH', path);
        expect({ status, body: JSON.parse(text) }).toEqual({ status: 404, body: { of: 'the host' } });
        expect(headers).not.toHaveProperty('allow');
      },
    );

    it.each([
      ['/api/authors', LIST],
      ['/api/authors/x', ONE],
      ['/api/homepage/', ONE],
    ])('1.10 OPTIONS %s returns 204 with Allow', async (path, allow) => {
      const { status, headers, text } = await raw(host.url, 'OPTIONS', path);
      expect({ status, allow: headers['allow'], text }).toEqual({ status: 204, allow, text: '' });
    });
  });

  describe('bodies of other JSON types', () => {
    const post = (text: string, type: string) =>
      raw(host.url, 'POST', '/api/authors', json(text, type), text);

    it.each([
      'application/vnd.api+json',
      'application/vnd.api+json; charset=utf-8',
      'Application/LD+JSON',
      'application/json',
    ])('reads %s', async (type) => {
      const { status, text } = await post(JSON.stringify({ data: { name: type } }), type);
      expect([status, JSON.parse(text).data?.name]).toEqual([201, type]);
    });

    it('applies the limit and the rules of JSON', async () => {
      const type = 'application/vnd.api+json';
      const large = await post(JSON.stringify({ data: { name: 'x'.repeat(1_500_000) } }), type);
      const broken = await post('{"data":', type);
      const plain = await Promise.all([
        post(JSON.stringify({ data: { name: 'x'.repeat(1_500_000) } }), 'application/json'),
        post('{"data":', 'application/json'),
      ]);
      expect([large, broken].map(({ status, text }) => [status, text])).toEqual(
        plain.map(({ status, text }) => [status, text]),
      );
    });

    it.each(['text/vnd.api+json', 'application/jsonp', 'application/xml'])(
      'does not read %s',
      async (type) => {
        const { status } = await post(JSON.stringify({ data: { name: 'no' } }), type);
        expect(status).not.toBe(201);
        expect(await host.sql(`select 1 from authors where name = 'no'`)).toEqual([]);
      },
    );
  });

  it('1.26 has no health check without the option', async () => {
    expect((await raw(host.url, 'GET', '/_health')).status).toBe(404);
  });
});

describe.each(ADAPTERS)('headers and bodies on %s', (adapter) => {
  let host: Host;
  beforeAll(async () => {
    host = await withContent(
      adapter,
      { auth: { strategies: [new CookieStrategy()] }, health: true },
      (app) => {
        app.setGlobalPrefix('v1');
        app.enableCors({
          origin: ['https://site.test'],
          methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
          allowedHeaders: ['Authorization', 'Content-Type', 'Strapi-Response-Format'],
          exposedHeaders: ['Allow', 'Retry-After'],
        });
      },
    );
  });
  afterAll(() => host.close());

  const varyOf = (value: unknown): string[] =>
    String(value)
      .split(',')
      .map((name) => name.trim())
      .sort();
  const NAMES = ['Authorization', 'Cookie', 'Strapi-Response-Format'];

  it.each([
    ['GET', '/v1/api/authors', {}, 200],
    ['GET', '/v1/api/authors/x', {}, 404],
    ['GET', '/v1/api/authors?sort=nope', {}, 400],
    ['GET', '/v1/api/companies', {}, 403],
    ['GET', '/v1/api/companies', { cookie: 'user=ann' }, 403],
    ['GET', '/v1/api/authors', { authorization: 'Bearer nobody' }, 401],
    ['GET', '/v1/api/i18n/locales', {}, 403],
    ['PATCH', '/v1/api/authors', {}, 405],
    ['DELETE', '/v1/api/authors/x', {}, 204],
  ] as [string, string, Record<string, string>, number][])(
    'R20: %s %s with %j has a Vary header for each input',
    async (method, path, sent, expected) => {
      const plain = await raw(host.url, method, path, sent);
      expect(plain.status).toBe(expected);
      expect(plain.headers['cache-control']).toBe('private, no-cache');
      const crossSite = await raw(host.url, method, path, { ...sent, origin: 'https://site.test' });
      expect(crossSite.headers['access-control-allow-origin']).toBe('https://site.test');
      expect(varyOf(crossSite.headers['vary'])).toEqual([...NAMES, 'Origin'].sort());
      expect(varyOf(plain.headers['vary'])).toEqual(expect.arrayContaining(NAMES));
    },
  );

  it('R20: leaves routes of the application unchanged', async () => {
    const { headers } = await raw(host.url, 'GET', '/v1/kettles');
    expect(headers).not.toHaveProperty('cache-control');
    expect(varyOf(headers['vary'])).not.toContain('Authorization');
  });

  it.each([
    ['POST', '/v1/api/authors'],
    ['PUT', '/v1/api/authors/x'],
    ['DELETE', '/v1/api/authors/x'],
    ['PUT', '/v1/api/homepage'],
  ])('R20: a preflight for %s %s succeeds with the CORS settings of the docs', async (method, path) => {
    const { status, headers } = await raw(host.url, 'OPTIONS', path, {
      origin: 'https://site.test',
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type',
    });
    expect(status).toBe(204);
    expect(headers['access-control-allow-origin']).toBe('https://site.test');
    expect(varyOf(headers['access-control-allow-methods'])).toContain(method);
    expect(varyOf(headers['access-control-allow-headers'])).toEqual(
      expect.arrayContaining(['Authorization', 'Content-Type']),
    );
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])(
    '1.26 %s /_health returns 204 at the root, outside every prefix',
    async (method) => {
      const { status, text } = await raw(host.url, method, '/_health?x=1', json('x', 'text/plain'), 'x');
      expect({ status, text }).toEqual({ status: 204, text: '' });
    },
  );

  it('1.26 the health check has one path', async () => {
    expect((await raw(host.url, 'GET', '/v1/_health')).status).toBe(404);
    expect((await raw(host.url, 'GET', '/_health/x')).status).toBe(404);
  });

  describe('invalid bodies', () => {
    const NO_DATA = failure(400, 'ValidationError', 'Missing "data" payload in the request body');
    const NO_JSON = failure(400, 'SyntaxError', 'invalid JSON, only supports object and array');
    const BODIES: readonly (readonly [string, object])[] = [
      ['null', NO_JSON],
      ['1', NO_JSON],
      ['""', NO_JSON],
      ['"x"', NO_JSON],
      ['true', NO_JSON],
      ['', NO_DATA],
      ['{}', NO_DATA],
      ['[]', NO_DATA],
      ['[{"data":{}}]', NO_DATA],
      ['{"data":null}', NO_DATA],
      ['{"data":""}', NO_DATA],
    ];
    const WRITES = [
      ['POST', '/api/authors'],
      ['PUT', '/api/authors/x'],
      ['PUT', '/api/homepage'],
    ] as const;

    it.each(WRITES.flatMap((write) => BODIES.map((body) => [...write, ...body] as const)))(
      '1.11, 1.13 %s %s with %j returns the same error on both adapters',
      async (method, path, text, expected) => {
        for (const type of ['application/json', 'application/vnd.api+json']) {
          const response = await raw(host.url, method, `/v1${path}`, json(text, type), text);
          expect({ status: response.status, body: JSON.parse(response.text) }).toEqual({
            status: 400,
            body: expected,
          });
        }
      },
    );
  });

  describe('other media types', () => {
    const NO_JSON = failure(415, 'UnsupportedMediaTypeError', 'The body must be JSON');
    const TEXT = '{"data":{"name":"none"}}';
    const send = (type: string | null, path = '/v1/api/authors', method = 'POST') => {
      const { 'content-type': said, ...length } = json(TEXT, type ?? '');
      return raw(host.url, method, path, type === null ? length : { 'content-type': said, ...length }, TEXT);
    };

    it.each([
      'text/json',
      'application/xml',
      'application',
      'application/json, text/plain',
      'application/json; charset=utf-16',
      'application/json;charset="latin1"',
      'application/vnd.api+json; charset=utf-7',
      null,
    ])('R3: %s returns 415 on both adapters, for callers that may write', async (type) => {
      const { status, text } = await send(type);
      expect([status, JSON.parse(text)]).toEqual([415, NO_JSON]);
      expect((await send(type, '/v1/api/companies')).status).toBe(403);
      expect(await host.sql(`select 1 from authors where name = 'none'`)).toEqual([]);
    });

    it.each([
      'application/json;charset=utf8',
      'application/json; v=4; charset="UTF-8"',
      'application/hal+json;',
    ])('accepts %s as JSON on both adapters', async (type) => {
      expect((await send(type)).status).toBe(201);
      await host.sql(`delete from authors where name = 'none'`);
    });

    it('does not log an error for a client that disconnects while its body is read', async () => {
      const logged: unknown[] = [];
      const note = (...words: unknown[]): void => void logged.push(words);
      host.app.useLogger({ log: () => undefined, warn: note, error: note });
      const socket = connect(Number(new URL(host.url).port), '127.0.0.1');
      await once(socket, 'connect');
      socket.write('POST /v1/api/authors HTTP/1.1\r\nHost: x\r\n');
      socket.write('Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"da');
      // Waits until the server reads the body.
      await setTimeout(100);
      socket.destroy();
      await setTimeout(200);
      host.app.useLogger(['fatal']);
      expect(logged).toEqual([]);
    });

    it('ignores the body of a read', async () => {
      for (const type of ['application/json', 'application/xml', 'application/json; charset=utf-16'])
        for (const [path, status] of [
          ['authors', 200],
          ['companies', 403],
        ] as const)
          expect((await raw(host.url, 'GET', `/v1/api/${path}`, json('{', type), '{')).status).toBe(status);
    });
  });

  describe('2.5 the path of an invalid key', () => {
    it.each([
      ['fields=nope', 'nope', null],
      ['fields[0]=name&fields[1]=nope', 'nope', null],
      ['sort=nope:desc', 'nope', null],
      ['sort[nope]=asc', 'nope', null],
      ['sort=articles.nope', 'nope', 'articles'],
      ['filters[nope]=1', 'nope', null],
      ['filters[$and][0][$not][nope][$eq]=1', 'nope', null],
      ['filters[articles][nope]=1', 'nope', 'articles'],
      ['filters[0]=1', '0', null],
      ['fields=articles', 'articles', 'articles'],
      ['populate[articles][fields]=nope', 'nope', null],
      ['populate[articles][nope]=1', 'nope', 'articles'],
      // Recorded: only `populate` reports the key itself.
      ['populate=nope', 'nope', 'nope'],
      ['populate[nope]=true', 'nope', 'nope'],
    ] as const)('of ?%s', async (query, key, path) => {
      const { status, text } = await raw(host.url, 'GET', `/v1/api/authors?${query}`);
      const param = query.split(/[=[]/)[0];
      expect({ status, ...JSON.parse(text).error.details }).toEqual({
        status: 400,
        key,
        path,
        source: 'query',
        param,
      });
    });

    it.each([
      [{ name: 'x', nope: 1 }, 'nope', null],
      [{ name: 'x', articles: { nope: 1 } }, 'nope', 'articles'],
    ])('of the body %j', async (data, key, path) => {
      const text = JSON.stringify({ data });
      const response = await raw(host.url, 'POST', '/v1/api/authors', json(text), text);
      expect(JSON.parse(response.text).error.details).toEqual({ key, path, source: 'body' });
    });
  });

  it('returns 404 for an unknown route below the prefix, unchanged', async () => {
    expect(JSON.parse((await raw(host.url, 'GET', '/v1/api/nope')).text)).toEqual(NOT_FOUND);
  });
});

describe('unusual paths', () => {
  const hosts: Partial<Record<Adapter, Host>> = {};
  let known = '';
  beforeAll(async () => {
    for (const adapter of ADAPTERS)
      hosts[adapter] = await withContent(adapter, {}, () => undefined, {
        routerOptions: { caseSensitive: false, maxParamLength: 1000 },
      });
    for (const host of Object.values(hosts)) {
      const text = '{"data":{"name":"Ann"}}';
      await raw(host.url, 'POST', '/api/authors', json(text), text);
      await host.sql(`update authors set document_id = 'abcdefghijklmnopqrstuvwx'`);
    }
    known = 'abcdefghijklmnopqrstuvwx';
  });
  afterAll(() => Promise.all(Object.values(hosts).map((host) => host.close())));

  it.each([
    '/API/Authors',
    '/Api/authors/ID',
    '/api/authors/%61bcdefghijklmnopqrstuvwx',
    '/api/authors/ID/',
    '/api/authors/',
    '/api/homepage/',
    '/api//authors',
    '/api/authors//',
    '/api/authors//ID',
    '/api/authors;a=1',
    '/api/authors/x;y',
    '/api/authors/x%2Fy',
    '/api/authors/./ID',
    '/api/authors/%00',
    '/api/authors/%25zz',
    '/api/authors?',
    '/api/authors??x',
    `/api/authors/${'x'.repeat(101)}`,
    `/api/authors/${'x'.repeat(900)}`,
  ])('%s is the same path to Express and to Fastify with equally tolerant settings', async (path) => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      // Only paths without an author use DELETE.
      if (method === 'DELETE' && /ID|bcdef/.test(path)) continue;
      const text = method === 'PUT' ? '{"data":{}}' : undefined;
      const answers = await Promise.all(
        ADAPTERS.map(async (adapter) => {
          const sent = text === undefined ? {} : json(text);
          const url = hosts[adapter]?.url ?? '';
          const response = await raw(url, method, path.replace('ID', known), sent, text);
          return {
            status: response.status,
            allow: response.headers['allow'],
            text: response.text.replace(/"\d{4}-[^"]*Z"/g, ''),
          };
        }),
      );
      expect({ method, ...answers[1] }).toEqual({ method, ...answers[0] });
    }
  });
});

it.each(ADAPTERS)('M4: Nest maps only the existing routes, on %s', async (adapter) => {
  const lines: string[] = [];
  const note = (line: unknown): void => void lines.push(String(line));
  const host = await withContent(adapter, {}, (app) =>
    app.useLogger({ log: note, warn: note, error: note, fatal: note }),
  );
  await host.close();
  const mapped = (path: string): string[] =>
    lines
      .flatMap((line) => /^Mapped \{(.*), (\w+)\}/.exec(line)?.slice(1).join(' ') ?? [])
      .filter((line) => line.split(' ')[0]?.split('/')[2] === path);
  expect(mapped('authors').sort()).toEqual([
    '/api/authors GET',
    '/api/authors POST',
    '/api/authors/:documentId DELETE',
    '/api/authors/:documentId GET',
    '/api/authors/:documentId PUT',
    '/api/authors/bulk POST',
  ]);
  expect(mapped('homepage').sort()).toEqual([
    '/api/homepage DELETE',
    '/api/homepage GET',
    '/api/homepage PUT',
  ]);
});
