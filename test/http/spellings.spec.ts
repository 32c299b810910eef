/** Alternative spellings in queries: booleans, and operators without a value. */
import { defineCollectionType } from 'nestjs-content-api';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const shop = defineCollectionType({
  singularApiId: 'shop',
  pluralApiId: 'shops',
  draftAndPublish: true,
  attributes: {
    name: { type: 'string' },
    open: { type: 'boolean' },
    seats: { type: 'integer' },
    city: { type: 'relation', relation: 'manyToOne', target: 'city' },
  },
});
const city = defineCollectionType({
  singularApiId: 'city',
  pluralApiId: 'cities',
  attributes: {
    name: { type: 'string' },
    shops: { type: 'relation', relation: 'oneToMany', target: 'shop', mappedBy: 'city' },
  },
});
const linked = {
  ...shop,
  attributes: { ...shop.attributes, city: { ...shop.attributes.city, inversedBy: 'shops' } },
} as const;

const YES = ['true', 'TRUE', 'True', 't', 'T', '1'];
const NO = ['false', 'FALSE', 'False', 'f', 'F', '0'];

describe.each(adaptersFor('fastify'))('spellings on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      { contentTypes: [linked, city], access: { public: { shop: '*', city: '*' } } },
      adapter,
    );
    const { documentId } = (
      await test.http
        .post('/api/cities')
        .send({ data: { name: 'Rome' } })
        .expect(201)
    ).body.data;
    for (const data of [
      { name: 'a', open: true, seats: 1, city: documentId },
      { name: 'b', open: false, city: documentId },
      { name: 'c', seats: 3 },
    ])
      await test.http.post('/api/shops').send({ data }).expect(201);
    await test.http
      .post('/api/shops?status=draft')
      .send({ data: { name: 'd' } })
      .expect(201);
  });
  afterAll(() => test.close());

  const get = async (path: string): Promise<{ data: never; meta: { pagination: object } }> =>
    (await test.http.get(path).expect(200)).body;
  const names = async (query: string): Promise<string[]> =>
    ((await get(`/api/shops?fields=name&sort=name&${query}`)).data as { name: string }[]).map(
      ({ name }) => name,
    );

  describe.each([
    ['yes', YES],
    ['no', NO],
  ] as const)('D32: %s', (meaning, spellings) => {
    const yes = meaning === 'yes';
    it.each(spellings)('is %s everywhere', async (word) => {
      const expected = (ifYes: string[], ifNo: string[]): string[] => (yes ? ifYes : ifNo);
      expect(await names(`filters[open]=${word}`)).toEqual(expected(['a'], ['b']));
      expect(await names(`filters[open][$in][0]=${word}`)).toEqual(expected(['a'], ['b']));
      expect(await names(`filters[seats][$null]=${word}`)).toEqual(expected(['b'], ['a', 'c']));
      expect(await names(`filters[seats][$notNull]=${word}`)).toEqual(expected(['a', 'c'], ['b']));
      expect(await names(`status=draft&hasPublishedVersion=${word}`)).toEqual(
        expected(['a', 'b', 'c'], ['d']),
      );
      expect('total' in (await get(`/api/shops?pagination[withCount]=${word}`)).meta.pagination).toBe(yes);
      const [rome] = (await get(`/api/cities?populate[shops]=${word}`)).data as { shops?: unknown[] }[];
      expect(rome?.shops?.length).toBe(yes ? 2 : undefined);
      const [counted] = (await get(`/api/cities?populate[shops][count]=${word}`)).data as {
        shops: unknown;
      }[];
      expect(counted?.shops).toEqual(yes ? { count: 2 } : [expect.anything(), expect.anything()]);
    });
  });

  it.each(['yes', 'on', '2', 'tru', 'nope'])('D32: %s is not a boolean', async (word) => {
    await test.http.get(`/api/shops?filters[open]=${word}`).expect(400);
    await test.http.get(`/api/shops?pagination[withCount]=${word}`).expect(400);
    await test.http.get(`/api/shops?hasPublishedVersion=${word}`).expect(400);
    await test.http.get(`/api/cities?populate[shops]=${word}`).expect(400);
    await test.http.get(`/api/cities?populate[shops][count]=${word}`).expect(400);
    expect(await names(`filters[seats][$null]=${word}`)).toEqual(['b']); // 5.22
  });

  it.each([
    ['filters[seats]', ['b']],
    ['filters[seats][$eq]', ['b']],
    ['filters[seats][$ne]', ['a', 'c']],
    ['filters[$not][seats][$eq]', ['a', 'c']],
    ['filters[seats][$not][$ne]', ['b']],
    ['filters[seats][$eq][0]&filters[seats][$eq][1]=1', ['a', 'b']],
    ['filters[open][$eq]', ['c']],
    ['filters[name][$ne]', ['a', 'b', 'c']],
    ['filters[city][$eq]', ['c']],
    ['filters[city]', ['c']],
    ['filters[city][name][$ne]', ['a', 'b']],
  ])('5.2 %s finds rows without a value, or with one', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it.each(['city', 'city.id', 'seats', 'createdAt'])(
    '5.2, D11: rejects an empty text for %s, which cannot have one, and names it',
    async (path) => {
      const { body } = await test.http.get(`/api/shops?filters[${path.replace('.', '][')}]=`).expect(400);
      expect(body.error.details).toMatchObject({ path, source: 'query', param: 'filters' });
    },
  );

  it.each(['$gt', '$lte', '$eqi', '$nei', '$contains', '$in', '$between', '$startsWith'])(
    '5.2 rejects %s without a value',
    async (operator) => {
      const { body } = await test.http.get(`/api/shops?filters[name][${operator}]`).expect(400);
      expect(body.error.details).toMatchObject({ source: 'query', param: 'filters' });
    },
  );
});
