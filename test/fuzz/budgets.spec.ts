/**
 * Limits of a request. A request over a limit gets a 4xx (503 for `statementTimeout`) with the name of the
 * limit, and other requests succeed.
 */
import type { ContentSettings } from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';
import { lookUntil } from '../support/look-until.ts';
import { watchQueries } from '../support/watch-queries.ts';
import { expectSoon } from '../support/dose.ts';
import { blog } from '../fixtures/blog.ts';
import { Client, type Reply } from './apps.ts';
import { problemOf } from './oracle.ts';
import { queryOf } from './query-text.ts';

type ContentLimits = ContentSettings['limits'];

const LIMITS: ContentLimits = {
  queryLength: 8000,
  parameters: 60,
  depth: 9,
  arrayLength: 40,
  populateEntries: 5,
  populateNodes: 12,
  populateDepth: 3,
  conditions: 30,
  hopDepth: 3,
  hops: 20,
  sortKeys: 4,
  responseBytes: 20_000,
  statementTimeout: 500,
  bodyBytes: 2000,
  bodyNodes: 50,
  passwords: 0,
  bulkItems: 2,
};

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const title = 'x'.repeat(50);

/** Pipelined batch of the database driver, whose callback gets the rows. */
interface PipelinedBatch {
  done: (error: Error | null, rows: readonly (readonly unknown[])[]) => void;
}

interface Case {
  readonly path?: string;
  readonly over: object | string;
  readonly within: object | string;
  readonly status?: number;
}

/** For each limit, a request over it and a request just within it. */
const CASES: Readonly<
  Record<
    Exclude<
      keyof ContentLimits,
      'statementTimeout' | 'bodyBytes' | 'bodyNodes' | 'passwords' | 'bulkItems' | 'responseBytes'
    >,
    readonly Case[]
  >
> = {
  queryLength: [{ over: `_q=${'x'.repeat(8000)}`, within: `_q=${'x'.repeat(7990)}`, status: 414 }],
  parameters: [
    { over: times(61, (i) => `x${i}=1`).join('&'), within: times(60, (i) => `x${i}=1`).join('&') },
    { over: times(61, () => 'a[]=1').join('&'), within: times(40, () => 'a[]=1').join('&') },
  ],
  depth: [
    {
      over: 'filters[$and][0][$and][0][$and][0][$and][0][$and][0][id]=1',
      within: 'filters[$and][0][$and][0][$and][0][$and][0][id]=1',
    },
  ],
  arrayLength: [
    {
      over: times(41, () => 'filters[id][$in][]=1').join('&'),
      within: times(40, () => 'filters[id][$in][]=1').join('&'),
    },
    { over: times(41, () => 'filters[id]=1').join('&'), within: times(40, () => 'filters[id]=1').join('&') },
    { over: 'filters[$or][40][id]=1', within: 'filters[$or][39][id]=1' },
    { over: 'fields[999999]=id', within: 'fields[39]=id' },
  ],
  populateEntries: [
    { over: { populate: times(6, () => 'author') }, within: { populate: times(5, () => 'author') } },
    {
      over: { populate: 'author,author,author,author,author,author' },
      within: { populate: 'author,author,author,author,author' },
    },
    {
      over: { populate: { author: { populate: times(6, () => 'articles') } } },
      within: { populate: { author: { populate: times(5, () => 'articles') } } },
    },
    {
      over: {
        populate: Object.fromEntries(
          times(6, (i) => [['author', 'categories', 'related', 'sources', 'seo', 'zone'][i], true]),
        ),
      },
      within: { populate: { author: true, categories: true, related: true, sources: true, seo: true } },
    },
  ],
  populateNodes: [
    {
      over: {
        populate: {
          author: { populate: '*' },
          categories: { populate: '*' },
          related: { populate: { author: true, seo: true, zone: true, cover: true } },
        },
      },
      within: {
        populate: {
          author: { populate: '*' },
          categories: { populate: '*' },
          related: { populate: { author: true } },
        },
      },
    },
  ],
  populateDepth: [
    {
      over: { populate: 'related.related.related.related' },
      within: { populate: 'related.related.related' },
    },
    {
      over: 'populate[related][populate][related][populate][related][populate][related]=true',
      within: 'populate[related][populate][related][populate][related]=true',
    },
  ],
  conditions: [
    {
      over: { filters: { $or: times(31, (i) => ({ id: i })) } },
      within: { filters: { $or: times(30, (i) => ({ id: i })) } },
    },
    {
      over: {
        filters: { $or: times(16, (i) => ({ id: i })) },
        populate: { related: { filters: { $or: times(15, (i) => ({ id: i })) } } },
      },
      within: {
        filters: { $or: times(15, (i) => ({ id: i })) },
        populate: { related: { filters: { $or: times(15, (i) => ({ id: i })) } } },
      },
    },
  ],
  hopDepth: [
    {
      over: { filters: { related: { related: { related: { related: { title: 'x' } } } } } },
      within: { filters: { related: { related: { related: { title: 'x' } } } } },
    },
    {
      over: { sort: 'related.related.related.related.title' },
      within: { sort: 'related.related.related.title' },
    },
    {
      over: { populate: { related: { filters: { author: { articles: { author: { articles: '1' } } } } } } },
      within: { populate: { related: { filters: { author: { articles: { author: '1' } } } } } },
    },
  ],
  hops: [
    {
      over: { filters: { $and: times(21, (i) => ({ author: i })) } },
      within: { filters: { $and: times(20, (i) => ({ author: i })) } },
    },
    {
      over: { filters: { $and: times(18, (i) => ({ author: i })) }, sort: 'related.related.related.title' },
      within: { filters: { $and: times(17, (i) => ({ author: i })) }, sort: 'related.related.related.title' },
    },
  ],
  sortKeys: [
    { over: { sort: 'id,id,id,id,id' }, within: { sort: 'id,id,id,id' } },
    {
      over: { populate: { categories: { sort: times(5, () => 'id') } } },
      within: { populate: { categories: { sort: times(4, () => 'id') } } },
    },
  ],
};

const body = ({
  body: text,
}: Reply): { error?: { status: number; name: string; message: string; details: Record<string, unknown> } } =>
  JSON.parse(text);

describe('S28, S29: limits of a request', () => {
  let test: TestApp;
  let client: Client;
  const get = (query: object | string, path = 'articles'): Promise<Reply> =>
    client.get(`/api/${path}?${typeof query === 'string' ? query : queryOf(query)}`);

  beforeAll(async () => {
    test = await createTestApp({ ...blog, limits: LIMITS });
    client = new Client(test.url);
    await test.http.post('/api/articles').send({ data: { title } }).expect(201);
    await test.sql(
      `insert into authors (document_id, created_at, updated_at, published_at, published, locale, name)
       select 'author' || lpad(n::text, 18, '0'), now(), now(), now(), true, 'en', 'author ' || n || ' ' || repeat('lorem ipsum ', 20) from generate_series(1, 20000) n`,
    );
    await test.sql('analyze');
  });
  afterAll(async () => {
    client.close();
    await test.close();
  });
  afterEach(async () => expect((await get('fields=title')).status).toBe(200));

  const rows = Object.entries(CASES).flatMap(([limit, cases]) =>
    cases.map((one, i): [string, number, Case] => [limit, i, one]),
  );

  it.each(rows)('%s, case %i (4.31, 4.32)', async (limit, _, { path, over, within, status = 400 }) => {
    const refused = await get(over, path);
    expect(problemOf(refused)).toBeNull();
    expect({ status: refused.status, ...body(refused).error }).toMatchObject({
      status,
      message: expect.stringContaining(limit === 'populateEntries' ? 'populate entries' : `"${limit}"`),
      details: { limit, allowed: LIMITS[limit as keyof ContentLimits] },
    });
    expect([limit, (await get(within, path)).status]).toEqual([limit, 200]);
  });

  it('refuses a body larger than bodyBytes', async () => {
    const bodyOf = (length: number) => ({ data: { title: 'long', summary: 'x'.repeat(length) } });
    const refused = await test.http.post('/api/articles').send(bodyOf(2000)).expect(413);
    expect(refused.body.error).toMatchObject({ name: 'PayloadTooLargeError' });
    await test.http.post('/api/articles').send(bodyOf(1800)).expect(201);
  });

  it('refuses a body with more than bodyNodes values', async () => {
    const data = { title, list: times(60, (i) => i) };
    const refused = await test.http.post('/api/articles').send({ data }).expect(400);
    expect(refused.body.error).toMatchObject({
      message: expect.stringContaining('"bodyNodes"'),
      details: { limit: 'bodyNodes', allowed: 50 },
    });
    await test.http
      .post('/api/articles')
      .send({ data: { title: 'within', list: times(30, (i) => i) } })
      .expect(201);
    const { body: listed } = await test.http.get('/api/articles?filters[title]=within').expect(200);
    expect(listed.data).toHaveLength(1);
  });

  it('refuses a body with more passwords than the limit', async () => {
    const refused = await test.http
      .post('/api/articles')
      .send({ data: { title, password: 'secret' } })
      .expect(400);
    expect(refused.body.error).toMatchObject({
      message: expect.stringContaining('"passwords"'),
      details: { limit: 'passwords', allowed: 0 },
    });
  });

  it('refuses a response larger than responseBytes', async () => {
    const refused = await get('pagination[pageSize]=100', 'authors');
    expect(problemOf(refused)).toBeNull();
    expect(body(refused).error).toMatchObject({
      status: 400,
      message: expect.stringContaining('"responseBytes"'),
      details: { limit: 'responseBytes', allowed: 20_000 },
    });
    expect((await get('pagination[pageSize]=10', 'authors')).status).toBe(200);
  });

  it('responseBytes: the database does not send rows over the limit', async () => {
    const rows: unknown[] = [];
    await watchQueries(
      (query) => {
        if (typeof query === 'string' || !('statements' in query)) return;
        const batch = query as unknown as PipelinedBatch;
        const { done } = batch;
        batch.done = (error, received) => {
          rows.push(...received.flat());
          done(error, received);
        };
      },
      async () => expect((await get('pagination[pageSize]=100', 'authors')).status).toBe(400),
    );
    expect(rows).toContainEqual(expect.objectContaining({ data: null, over: true }));
    expect(JSON.stringify(rows).length).toBeLessThan(5000);
  });

  describe('statementTimeout', () => {
    /** Filter that takes PostgreSQL several seconds. */
    const SLOW = queryOf({
      filters: {
        $and: times(15, (i) => ({ name: { $notContainsi: `zzz${i}` } })),
        $or: times(14, (i) => ({ name: { $containsi: `${i}zzz` } })),
      },
      sort: 'articles.related.title',
      pagination: { pageSize: 1 },
    });

    const running = async (): Promise<number> =>
      Number(
        (
          await test.sql(
            `select count(*)::int as n from pg_stat_activity where datname = current_database() and state = 'active' and query like 'with page%' and pid <> pg_backend_pid()`,
          )
        )[0]?.['n'],
      );

    it('returns 503 with the name of the limit in time, and cancels the statement in the database', async () => {
      const reply = await get(SLOW, 'authors');
      expect(body(reply).error).toMatchObject({
        status: 503,
        name: 'ServiceUnavailableError',
        message: expect.stringContaining('"statementTimeout"'),
        details: { limit: 'statementTimeout', allowed: 500 },
      });
      expect(reply.status).toBe(503);
      expectSoon(reply.milliseconds, 2000);
      expect(await lookUntil(running, (count) => count === 0)).toBe(0);
    });

    it('affects neither other requests nor the pool', async () => {
      let most = 0;
      let asking = true;
      const watch = (async () => {
        while (asking) {
          most = Math.max(most, await running());
          await new Promise((done) => setTimeout(done, 15));
        }
      })();
      const slow = Promise.all(times(40, () => get(SLOW, 'authors')));
      const others = await Promise.all(times(20, () => get('fields=title')));
      const refused = await slow;
      asking = false;
      await watch;
      expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
      expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]));
      // Statements of aborted requests must not accumulate outside the connections of the pool.
      expect(most).toBeLessThanOrEqual(12);
      expect((await get('pagination[pageSize]=5', 'authors')).status).toBe(200);
    });
  });
});
