/** One test per rule for rules that do not depend on the adapter; docs/protocol.md lists them by number. */
import { type ContentService, getContentToken } from 'nestjs-content-api';
import { blog } from '../fixtures/blog.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { failure, NOT_FOUND } from './helpers.ts';

type Row = Record<string, any>;

const refusedKey = (key: string, param: string): object => ({
  data: null,
  error: expect.objectContaining({ status: 400, details: expect.objectContaining({ key, param }) }),
});

describe('a document and its lists', () => {
  let test: TestApp;
  let ann: Row;
  let bob: Row;
  let one: Row;

  const get = async (path: string, headers: Record<string, string> = {}): Promise<Row> =>
    (await test.http.get(`/api/${path}`).set(headers).expect(200)).body;
  const titles = async (query: string): Promise<string[]> =>
    (await get(`articles?fields=title&${query}`))['data'].map(({ title }: Row) => title);
  const make = async (plural: string, data: object, query = ''): Promise<Row> =>
    (await test.http.post(`/api/${plural}${query}`).send({ data }).expect(201)).body.data;
  const refusal = async (path: string): Promise<unknown> =>
    (await test.http.get(`/api/${path}`).expect(400)).body;

  beforeAll(async () => {
    test = await createTestApp({
      ...blog,
      access: { public: { '*': '*' } },
      defaultLimit: 2,
      maxLimit: 3,
      withCount: false,
    });
    const files = test.app.get<ContentService>(getContentToken('file'));
    const file = await files.create({
      name: 'a.png',
      mime: 'image/png',
      url: '/uploads/a.png',
      hash: 'a',
      ext: '.png',
      size: 1,
      provider: 'local',
    });
    [ann, bob] = [
      await make('authors', { name: 'Ann', avatar: file.id }),
      await make('authors', { name: 'Bob' }),
    ];
    one = await make('articles', {
      title: 'The first',
      views: 40321,
      list: [1, 'two', null],
      stamp: 1_700_000_000_005,
      summary: 'long '.repeat(2000),
      cover: file.id,
      gallery: [file.id],
      author: ann['documentId'],
      related: [],
      seo: { title: 'seo', tags: [{ name: 'x' }] },
      zone: [
        { __component: 'shared.quote', text: 'q', source: ann['documentId'] },
        { __component: 'shared.seo', title: 's' },
      ],
    });
    await make('articles', { title: 'The other 40321', views: 20, author: ann['documentId'] });
    await make('articles', { title: 'The third', views: 30, author: bob['documentId'] });
    await make('articles', { title: 'A fourth', related: [one['documentId']] });
  });
  afterAll(() => test.close());

  it('D8 an array attribute is a list, and returned by default', async () => {
    expect((await get(`articles/${one['documentId']}`))['data'].list).toEqual([1, 'two', null]);
  });

  it('D31 7.19 a limit of -1 is 1', async () => {
    const { data, meta } = (await get('articles?pagination[limit]=-1')) as { data: Row[]; meta: Row };
    expect([data.length, meta['pagination']]).toEqual([1, { start: 0, limit: 1 }]);
  });

  it('7.23 page size, maximum page size and counting are settings', async () => {
    expect((await get('articles'))['meta'].pagination).toEqual({ page: 1, pageSize: 2 });
    const largest = await get('articles?pagination[pageSize]=100&pagination[withCount]=true');
    expect(largest['meta'].pagination).toEqual({ page: 1, pageSize: 3, pageCount: 2, total: 4 });
  });

  it('1.15 returns 404 for one document that its filters exclude', async () => {
    const path = `/api/articles/${one['documentId']}`;
    expect((await test.http.get(`${path}?filters[views]=11`).expect(404)).body).toEqual(NOT_FOUND);
    await test.http.get(`${path}?filters[views]=40321`).expect(200);
  });

  it('1.23 a document id has 24 letters and digits, and all versions share it', async () => {
    expect(one['documentId']).toMatch(/^[a-z][a-z0-9]{23}$/);
    const draft = await get(`articles/${one['documentId']}?status=draft`);
    expect(draft['data'].documentId).toBe(one['documentId']);
    expect(draft['data'].id).not.toBe(one['id']);
  });

  it('1.24 rejects a second row for the same version of a document', async () => {
    const copy = `insert into authors (document_id, locale, published, created_at, updated_at, published_at, name)
      select document_id, locale, published, created_at, updated_at, published_at, 'twin' from authors where id = $1`;
    await expect(test.sql(copy, [ann['id']])).rejects.toMatchObject({ code: '23505' });
  });

  it('4.9 populate does not continue below a file', async () => {
    expect(await refusal('articles?populate=cover.related')).toEqual(refusedKey('related', 'populate'));
  });

  it.each([
    ['populate[zone][on][shared.quote]=true&populate[zone][pagination][page]=2', 'pagination'],
    ['populate[zone][on][shared.quote]=true&populate[zone][status]=draft', 'status'],
    ['populate[zone][populate]=*&populate[zone][limit]=1', 'limit'],
    ['populate[zone]=true&populate[zone]=false', '0'],
  ])('4.11 %s is a 400 that names %s', async (query, key) => {
    expect(await refusal(`articles?${query}`)).toEqual(refusedKey(key, 'populate'));
  });

  it('4.16 4.37 an empty sort inside populate keeps the stored order', async () => {
    const { documentId } = await make('categories', { name: 'parent' });
    for (const name of ['b', 'c', 'a']) await make('categories', { name, parent: documentId });
    for (const query of ['populate=children', 'populate[children][sort]='])
      expect(
        (await get(`categories/${documentId}?${query}`))['data'].children.map(({ name }: Row) => name),
      ).toEqual(['b', 'c', 'a']);
  });

  it('4.17 an empty relation is null for one, and an empty list for many', async () => {
    const { data } = (await get(
      'articles?filters[title]=A fourth&populate=author,cover,gallery,categories,zone',
    )) as {
      data: Row[];
    };
    expect(data[0]).toMatchObject({ author: null, cover: null, gallery: [], categories: [], zone: [] });
  });

  it('4.34 20.17 a populated file shows its fields and a relative url', async () => {
    const { data } = await get(`articles/${one['documentId']}?populate=cover`);
    expect(data.cover).toMatchObject({
      name: 'a.png',
      mime: 'image/png',
      url: '/uploads/a.png',
      formats: null,
    });
  });

  it('20.14 media accept a change set, and an empty one changes nothing', async () => {
    const path = `articles/${one['documentId']}`;
    for (const gallery of [{}, { connect: [] }, { disconnect: [] }]) {
      await test.http.put(`/api/${path}`).send({ data: { gallery } }).expect(200);
      expect((await get(`${path}?populate=gallery`))['data'].gallery).toHaveLength(1);
    }
  });

  it('5.8 rejects dotted keys in a filter', async () => {
    expect(await refusal('articles?filters[author.name]=Ann')).toEqual(refusedKey('author.name', 'filters'));
  });

  it('5.34 a relation compares by document id', async () => {
    expect(await titles(`filters[author][documentId]=${bob['documentId']}`)).toEqual(['The third']);
  });

  // Random document ids can contain shorter numbers, and the search includes them.
  it('6.2 finds a number in strings and in equal numbers', async () => {
    expect(await titles('_q=40321&sort=title')).toEqual(['The first', 'The other 40321']);
  });

  it('7.12 accepts sort=status and ignores it', async () => {
    expect(await titles('sort=status:desc&pagination[pageSize]=3')).toEqual([
      'The first',
      'The other 40321',
      'The third',
    ]);
  });

  it('9.17 an invalid locale code finds nothing', async () => {
    expect(await titles('locale=not%20a%20code')).toEqual([]);
  });

  it('14.3 14.13 a text has any length; a timestamp is returned as text in milliseconds', async () => {
    const { data } = await get(`articles/${one['documentId']}`);
    expect([data.summary.length, data.stamp]).toEqual([10_000, '1700000000005']);
  });

  it('14.17b suggests no uid', async () => {
    const body = { contentTypeUID: 'api::article.article', field: 'slug', data: { title: 'x' } };
    for (const path of ['/api/content-manager/uid/generate', '/api/articles/uid'])
      expect([404, 405]).toContain((await test.http.post(path).send(body)).status);
  });

  it('13.9 items of different components may have equal ids, those of one component may not', async () => {
    const { documentId } = await make('articles', {
      title: 'Zones',
      zone: ['a', 'b', 'c'].map((text) => ({ __component: 'shared.quote', text })),
    });
    const { data } = await get(`articles/${documentId}?populate=zone`);
    expect(new Set(data.zone.map(({ id }: Row) => id)).size).toBe(3);
  });

  it('23.3 parameters of one populate do not affect another', async () => {
    const query =
      'populate[articles][sort]=title:desc&populate[articles][filters][views][$gt]=5&populate[avatar][fields]=name';
    const { data } = await get(`authors/${ann['documentId']}?${query}`);
    expect([data.articles.map(({ title }: Row) => title), data.avatar.name]).toEqual([
      ['The other 40321', 'The first'],
      'a.png',
    ]);
  });

  it('D21 linking a document does not change it', async () => {
    const before = (await get(`authors/${bob['documentId']}`))['data'].updatedAt;
    await make('articles', { title: 'Linking', author: bob['documentId'] });
    expect((await get(`authors/${bob['documentId']}`))['data'].updatedAt).toBe(before);
  });

  it('D24 11.37 each owner has its own order, and a new link comes last', async () => {
    const [x, y] = [await make('categories', { name: 'x' }), await make('categories', { name: 'y' })];
    const ids = [x['documentId'], y['documentId']];
    const [p, q] = [
      await make('articles', { title: 'ppp', categories: ids }),
      await make('articles', { title: 'qqq', categories: [...ids].reverse() }),
    ];
    const of = async ({ documentId }: Row): Promise<string[]> =>
      (await get(`articles/${documentId}?populate=categories`))['data'].categories.map(
        ({ name }: Row) => name,
      );
    expect([await of(p), await of(q)]).toEqual([
      ['x', 'y'],
      ['y', 'x'],
    ]);
    const { data } = await get(`categories/${x['documentId']}?populate=articles`);
    expect(data.articles.map(({ title }: Row) => title)).toEqual(['ppp', 'qqq']);
  });

  it('11.35 a target shows after it is published', async () => {
    const target = await make('articles', { title: 'Hidden' }, '?status=draft');
    const { documentId } = await make('articles', { title: 'Pointing', related: [target['documentId']] });
    const shown = async (): Promise<number> =>
      (await get(`articles/${documentId}?populate=related`))['data'].related.length;
    expect(await shown()).toBe(0);
    await test.http.put(`/api/articles/${target['documentId']}`).send({ data: {} }).expect(200);
    expect(await shown()).toBe(1);
  });

  describe('the v4 format', () => {
    const V4 = { 'Strapi-Response-Format': 'v4' };
    const populated =
      'populate[author]=true&populate[gallery]=true&populate[seo]=true&populate[zone][on][shared.quote][populate]=source';

    it('17.1–17.3 a document has attributes; relations and media are wrapped in data', async () => {
      const { data } = await get(`articles/${one['documentId']}?${populated}`, V4);
      expect(data).toEqual({ id: one['id'], documentId: one['documentId'], attributes: expect.any(Object) });
      expect(data.attributes).toMatchObject({
        title: 'The first',
        author: { data: { id: ann['id'], documentId: ann['documentId'], attributes: { name: 'Ann' } } },
        gallery: { data: [{ attributes: { name: 'a.png' } }] },
      });
    });

    it('17.4 components stay flat, relations in them are wrapped', async () => {
      const { data } = await get(`articles/${one['documentId']}?${populated}`, V4);
      expect(data.attributes.seo).toMatchObject({ id: expect.any(Number), title: 'seo' });
      expect(data.attributes.zone).toMatchObject([
        { __component: 'shared.quote', source: { data: { attributes: { name: 'Ann' } } } },
      ]);
    });

    it('17.5 errors and meta are unchanged, and another value is ignored', async () => {
      const { body } = await test.http.get('/api/articles/nobody').set(V4).expect(404);
      expect(body).toEqual(NOT_FOUND);
      expect((await get('articles', V4))['meta'].pagination).toEqual({ page: 1, pageSize: 2 });
      expect(
        (await get(`articles/${one['documentId']}`, { 'Strapi-Response-Format': 'v5' }))['data'].title,
      ).toBe('The first');
    });
  });
});

it('D12 5.42 5.44 9.17 strictParams returns 400 for unknown names', async () => {
  const test = await createTestApp({ ...blog, strictParams: true, access: { public: { '*': '*' } } });
  for (const [query, param] of [
    ['nothing=1', 'nothing'],
    ['where[title]=x', 'where'],
  ] as const)
    expect((await test.http.get(`/api/articles?${query}`).expect(400)).body).toEqual(
      failure(400, 'ValidationError', `Invalid key ${param}`, {
        key: param,
        path: null,
        source: 'query',
        param,
      }),
    );
  const refused = await test.http.get('/api/articles?locale=not%20a%20code').expect(400);
  expect(refused.body.error.details).toEqual({ key: 'locale', path: null, source: 'query', param: 'locale' });
  for (const code of ['xx', 'zh-Hans-CN', '*'])
    await test.http.get(`/api/articles?locale=${code}`).expect(200);
  await test.http.get('/api/articles?sort=title&count=true&ordering=x').expect(200);
  await test.close();
});
