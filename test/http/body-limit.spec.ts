/** Size limit of JSON bodies: that of the library on its routes, that of the application on its own. */
import { Body, Controller, type INestApplication, Post } from '@nestjs/common';
import {
  type AuthStrategy,
  CollectionController,
  ContentModule,
  type Credentials,
  defineCollectionType,
} from 'nestjs-content-api';
import { type Adapter, ADAPTERS, createTestApp } from '../support/app.ts';
import { failure, type Host, raw, startHost } from './helpers.ts';

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  attributes: { text: { type: 'text' } },
});

@Controller()
class PageController extends CollectionController {
  @Post('import')
  import(@Body() body: object): object {
    return { length: JSON.stringify(body).length };
  }
}

@Controller('host')
class HostController {
  @Post()
  echo(@Body() body: object): object {
    return { length: JSON.stringify(body).length };
  }
}

const kept: number[] = [];

/** Reads the bytes of the body, as a strategy for signed requests does. */
class Signatures implements AuthStrategy {
  readonly name = 'signatures';
  authenticate({ request }: Credentials): null {
    const { rawBody } = request as { readonly rawBody?: Buffer };
    if (rawBody !== undefined) kept.push(rawBody.length);
    return null;
  }
}

const LIMIT = 2_000_000;
const TOO_LARGE = failure(413, 'PayloadTooLargeError', 'request entity too large');

/** Returns the text of a body with exactly this size. */
const bodyOf = (bytes: number): string => {
  const empty = JSON.stringify({ data: { text: '' } }).length;
  return JSON.stringify({ data: { text: 'x'.repeat(bytes - empty) } });
};

const startWith = (adapter: Adapter, prepare: (app: INestApplication) => void = () => undefined) =>
  startHost(
    ({ url }) => ({
      imports: [
        ContentModule.forRoot({
          contentTypes: [page],
          controllers: { page: PageController },
          access: { public: { page: '*' } },
          auth: { strategies: [new Signatures()] },
          limits: { bodyBytes: LIMIT },
          database: { clientUrl: url },
        }),
      ],
      controllers: [HostController],
    }),
    { adapter, tables: true, prepare },
  );

const post = (host: Pick<Host, 'url'>, path: string, text: string, more: Record<string, string> = {}) =>
  raw(host.url, 'POST', path, { 'content-type': 'application/json', ...more }, text);

/** Sets the limit of the application's parser for all routes. */
const hostLimit =
  (adapter: Adapter, bytes: number) =>
  (app: INestApplication): void => {
    const { useBodyParser } = app as unknown as { useBodyParser(...all: unknown[]): void };
    if (adapter === 'express') useBodyParser.call(app, 'json', { limit: bytes });
    else useBodyParser.call(app, 'application/json', { bodyLimit: bytes });
  };

describe.each(ADAPTERS)('bodies on %s', (adapter) => {
  let host: Host;
  beforeAll(async () => {
    host = await startWith(adapter, (app) => app.enableCors({ origin: 'https://front.example' }));
  });
  afterAll(() => host.close());
  const rows = async () => (await host.sql('select count(*)::int as n from pages'))[0]?.['n'];

  it('1.14 accepts a body of limits.bodyBytes, and refuses a larger one with 413', async () => {
    const made = await post(host, '/api/pages', bodyOf(LIMIT));
    expect(made.status).toBe(201);
    const { text, documentId } = JSON.parse(made.text).data;
    expect(text.length).toBeGreaterThan(LIMIT - 100);
    const before = await rows();
    for (const [method, path] of [
      ['POST', '/api/pages'],
      ['PUT', `/api/pages/${documentId}`],
      ['PUT', `/api/pages/${documentId}/?status=draft`],
    ] as const) {
      const large = bodyOf(LIMIT + 1);
      const json = { 'content-type': 'application/json' };
      for (const [name, value] of [
        ['content-length', String(large.length)],
        ['transfer-encoding', 'chunked'],
      ] as const) {
        const refused = await raw(host.url, method, path, { ...json, [name]: value }, large);
        expect([path, refused.status, JSON.parse(refused.text)]).toEqual([path, 413, TOO_LARGE]);
      }
    }
    expect(await rows()).toBe(before);
  });

  it('1.14 leaves routes of the application at its own limit', async () => {
    // Default of Nest: 100 kB on Express, 1 MiB on Fastify.
    for (const path of ['/host', '/api/pages/import']) {
      expect((await post(host, path, bodyOf(50_000))).status).toBe(201);
      expect([path, (await post(host, path, bodyOf(1_500_000))).status]).toEqual([path, 413]);
    }
  });

  it('1.14 a 413 has the CORS headers of the application', async () => {
    const { headers } = await post(host, '/api/pages', bodyOf(LIMIT + 1), {
      origin: 'https://front.example',
    });
    expect(headers['access-control-allow-origin']).toBe('https://front.example');
  });

  it('1.13 invalid JSON is still a 400 SyntaxError', async () => {
    const refused = await post(host, '/api/pages', '{"data":{"text":"x"');
    expect([refused.status, JSON.parse(refused.text).error.name]).toEqual([400, 'SyntaxError']);
  });

  it.each([50_000, 5_000_000])(
    '1.14 a parser of the application for %i bytes has no effect',
    async (bytes) => {
      const other = await startWith(adapter, hostLimit(adapter, bytes));
      try {
        expect((await post(other, '/api/pages', bodyOf(LIMIT))).status).toBe(201);
        expect((await post(other, '/api/pages', bodyOf(LIMIT + 1))).status).toBe(413);
        for (const path of ['/host', '/api/pages/import']) {
          expect((await post(other, path, bodyOf(bytes))).status).toBe(201);
          expect((await post(other, path, bodyOf(bytes + 1))).status).toBe(413);
        }
      } finally {
        await other.close();
      }
    },
  );

  it('1.14 refuses limits.bodyBytes below 1 at the start', async () => {
    await expect(createTestApp({ contentTypes: [page], limits: { bodyBytes: 0 } }, adapter)).rejects.toThrow(
      'limits.bodyBytes must be a whole number, 1 or more',
    );
  });
});

it('1.14 strategies can read the bytes of a body on Express', async () => {
  const host = await startWith('express');
  try {
    kept.length = 0;
    await post(host, '/api/pages', bodyOf(5000));
    expect(kept).toEqual([5000]);
  } finally {
    await host.close();
  }
});
