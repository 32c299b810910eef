/** What is said to caches on the way, and HEAD: what a GET says, without its body. */
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

/** Cookies of one user, and of nobody. */
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

describe.each(ADAPTERS)('caches on the way, on %s', (adapter) => {
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

  const said = async (url: string, headers: Record<string, string> = {}): Promise<string | undefined> =>
    (await test.http.get(url).set(headers)).headers['cache-control'];

  it('a type says for how long, lists and documents and single types alike', async () => {
    for (const url of ['/api/stories', path, `${path}?fields=title`])
      expect([url, await said(url)]).toEqual([url, shared(60)]);
    expect(await said('/api/home')).toBe(shared(5));
    expect(await said('/api/prices')).toBe(PRIVATE);
  });

  it('of several types the least counts, however they decide the answer; files do not', async () => {
    for (const [query, expected] of [
      ['populate=topic', shared(20)],
      ['populate=cover', shared(60)],
      ['populate=price', PRIVATE],
      ['populate=*', PRIVATE],
      ['filters[price][amount]=1', PRIVATE],
      ['sort=topic.name', shared(20)],
      ['sort=price.amount', PRIVATE],
    ] as const)
      expect([query, await said(`/api/stories?${query}`)]).toEqual([query, expected]);
  });

  it('a 304 says the same, and HEAD', async () => {
    for (const url of ['/api/stories', '/api/stories?populate=topic', path, '/api/home']) {
      const whole = await test.http.get(url).expect(200);
      const etag = whole.headers['etag'] ?? (await test.http.get(url)).headers['etag'] ?? '';
      const { headers } = await test.http.get(url).set('If-None-Match', etag).expect(304);
      const kept = ['cache-control', 'vary', 'etag'];
      expect(kept.map((name) => headers[name])).toEqual([
        whole.headers['cache-control'],
        whole.headers['vary'],
        etag,
      ]);
      const { headers: headed } = await test.http.head(url).expect(200);
      expect(headed['cache-control']).toBe(whole.headers['cache-control']);
    }
  });

  it('HEAD says what GET says, of what is kept and of what is not', async () => {
    const ignored = ['date', 'connection', 'keep-alive', 'transfer-encoding'];
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

  it('what is asked with credentials is private, whoever it comes to be', async () => {
    const credentials: Record<string, string>[] = [
      { authorization: 'Bearer ann' },
      { authorization: 'Basic nobody' },
      { cookie: 'user=ann' },
    ];
    for (const headers of credentials)
      expect([headers, await said('/api/stories', headers)]).toEqual([headers, PRIVATE]);
    const { headers } = await test.http.get('/api/stories').set('cookie', 'user=nobody');
    expect(headers['cache-control']).toBe(shared(60));
    expect(headers['vary']).toBe('Authorization, Cookie, Strapi-Response-Format');
  });

  it('drafts, errors and the answers of writes are private', async () => {
    expect(await said('/api/stories?status=draft')).toBe(PRIVATE);
    expect(await said(`${path}?status=draft`)).toBe(PRIVATE);
    expect(await said('/api/stories/nobody')).toBe(PRIVATE);
    expect(await said('/api/stories?filters[nothing]=1')).toBe(PRIVATE);
    const { headers } = await test.http.put(path).send({ data: { title: 'two' } });
    expect(headers['cache-control']).toBe(PRIVATE);
    const posted = await test.http.post('/api/stories').send({ data: { title: 'three' } });
    expect(posted.headers['cache-control']).toBe(PRIVATE);
  });

  it("a controller of the host's has the last word", async () => {
    expect(await said('/api/topics')).toBe('no-store');
    expect(await said('/api/topics/about/own')).toBe(PRIVATE);
  });
});

it('an option that is no number of seconds is refused at the start', async () => {
  const wrong = { ...story, sharedMaxAge: -1 };
  await expect(createTestApp({ contentTypes: [wrong, topic, price] })).rejects.toThrow(
    'story: "sharedMaxAge" must be a whole number, 0 or more',
  );
});
