/** Cache headers of responses; HEAD has the headers of GET without the body. */
import {
  Answer,
  type AuthStrategy,
  type Caller,
  CollectionController,
  type Credentials,
  defineCollectionType,
  defineSingleType,
  Permissions,
} from 'nestjs-content-api';
import { Controller, Get, Req } from '@nestjs/common';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';

const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  sharedMaxAge: 60,
  attributes: {
    title: { type: 'string' },
    price: { type: 'relation', relation: 'manyToOne', target: 'price' },
    topic: { type: 'relation', relation: 'manyToOne', target: 'topic' },
    cover: { type: 'media', multiple: false },
  },
});
const topic = defineCollectionType({
  singularApiId: 'topic',
  pluralApiId: 'topics',
  sharedMaxAge: 20,
  attributes: { name: { type: 'string' } },
});
const price = defineCollectionType({
  singularApiId: 'price',
  pluralApiId: 'prices',
  attributes: { amount: { type: 'integer' } },
});
const home = defineSingleType({
  singularApiId: 'home',
  sharedMaxAge: 5,
  attributes: { title: { type: 'string' } },
});

/** Cookies of a user, and of no user. */
class Cookies implements AuthStrategy {
  readonly name = 'cookies';
  readonly vary = ['Cookie'];
  authenticate({ headers, bearer }: Credentials): Caller | null {
    if (headers.cookie !== 'user=ann' && bearer !== 'ann') return null;
    return { kind: 'user', id: 'ann', permissions: Permissions.of({ story: '*', topic: '*', price: '*' }) };
  }
}

@Controller()
class Topics extends CollectionController {
  @Get('about/own')
  own(): Answer {
    return new Answer('"own"');
  }

  override async find(@Req() request: object): Promise<Answer> {
    return (await super.find(request)).withHeaders({ 'Cache-Control': 'no-store' });
  }
}

const PRIVATE = 'private, no-cache';
const shared = (seconds: number): string => `public, max-age=0, must-revalidate, s-maxage=${seconds}`;

describe.each(ADAPTERS)('shared caches on %s', (adapter) => {
  let test: TestApp;
  let path: string;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [story, topic, price, home],
        cache: { bytes: 1_000_000 },
        controllers: { topic: Topics },
        access: { public: { '*': '*' } },
        auth: { strategies: [new Cookies()] },
      },
      adapter,
    );
    const { body } = await test.http.post('/api/stories').send({ data: { title: 'one' } });
    path = `/api/stories/${body.data.documentId}`;
    await test.http
      .put('/api/home')
      .send({ data: { title: 'home' } })
      .expect(200);
  });
  afterAll(() => test.close());

  const directives = async (url: string, headers: Record<string, string> = {}): Promise<string | undefined> =>
    (await test.http.get(url).set(headers)).headers['cache-control'];

  it('max-age of a type applies to lists, documents and single types', async () => {
    for (const url of ['/api/stories', path, `${path}?fields=title`])
      expect([url, await directives(url)]).toEqual([url, shared(60)]);
    expect(await directives('/api/home')).toBe(shared(5));
    expect(await directives('/api/prices')).toBe(PRIVATE);
  });

  it('uses the smallest max-age of all types that the response depends on, except files', async () => {
    for (const [query, expected] of [
      ['populate=topic', shared(20)],
      ['populate=cover', shared(60)],
      ['populate=price', PRIVATE],
      ['populate=*', PRIVATE],
      ['filters[price][amount]=1', PRIVATE],
      ['sort=topic.name', shared(20)],
      ['sort=price.amount', PRIVATE],
    ] as const)
      expect([query, await directives(`/api/stories?${query}`)]).toEqual([query, expected]);
  });

  it('304 and HEAD have the same headers', async () => {
    for (const url of ['/api/stories', '/api/stories?populate=topic', path, '/api/home']) {
      const whole = await test.http.get(url).expect(200);
      const etag = whole.headers['etag'] ?? (await test.http.get(url)).headers['etag'] ?? '';
      const { headers } = await test.http.get(url).set('If-None-Match', etag).expect(304);
      const cached = ['cache-control', 'vary', 'etag'];
      expect(cached.map((name) => headers[name])).toEqual([
        whole.headers['cache-control'],
        whole.headers['vary'],
        etag,
      ]);
      const { headers: headed } = await test.http.head(url).expect(200);
      expect(headed['cache-control']).toBe(whole.headers['cache-control']);
    }
  });

  it('HEAD has the headers of GET, for cached and uncached responses', async () => {
    const ignored = ['date', 'x-request-id', 'connection', 'keep-alive', 'transfer-encoding'];
    const headersOf = (headers: object): object =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => !ignored.includes(name)));
    for (const url of ['/api/stories', `${path}?populate=topic`, path, '/api/home', '/api/stories/nobody']) {
      await test.http.get(url);
      for (const state of ['hot', 'cold']) {
        if (state === 'cold') await test.sql('update stories set title = title');
        const head = await test.http.head(url);
        const got = await test.http.get(url);
        expect([url, state, head.status, headersOf(head.headers)]).toEqual([
          url,
          state,
          got.status,
          headersOf(got.headers),
        ]);
        expect(head.text).toBeUndefined();
      }
    }
  });

  it('requests with credentials are private, whatever the caller is', async () => {
    const credentials: Record<string, string>[] = [
      { authorization: 'Bearer ann' },
      { authorization: 'Basic nobody' },
      { cookie: 'user=ann' },
    ];
    for (const headers of credentials)
      expect([headers, await directives('/api/stories', headers)]).toEqual([headers, PRIVATE]);
    const { headers } = await test.http.get('/api/stories').set('cookie', 'user=nobody');
    expect(headers['cache-control']).toBe(shared(60));
    expect(headers['vary']).toBe('Authorization, Cookie, Strapi-Response-Format');
  });

  it('drafts, errors and responses of writes are private', async () => {
    expect(await directives('/api/stories?status=draft')).toBe(PRIVATE);
    expect(await directives(`${path}?status=draft`)).toBe(PRIVATE);
    expect(await directives('/api/stories/nobody')).toBe(PRIVATE);
    expect(await directives('/api/stories?filters[nothing]=1')).toBe(PRIVATE);
    const { headers } = await test.http.put(path).send({ data: { title: 'two' } });
    expect(headers['cache-control']).toBe(PRIVATE);
    const posted = await test.http.post('/api/stories').send({ data: { title: 'three' } });
    expect(posted.headers['cache-control']).toBe(PRIVATE);
  });

  it('a controller of the application can override them', async () => {
    expect(await directives('/api/topics')).toBe('no-store');
    expect(await directives('/api/topics/about/own')).toBe(PRIVATE);
  });
});

it('rejects an option that is not a number of seconds at start', async () => {
  const wrong = { ...story, sharedMaxAge: -1 };
  await expect(createTestApp({ contentTypes: [wrong, topic, price] })).rejects.toThrow(
    'story: "sharedMaxAge" must be a whole number, 0 or more',
  );
});
