/**
 * Filters that are easily lost or misread: JSON inside components, and query strings with two values for one
 * key.
 */
import { defineCollectionType, defineComponent } from 'nestjs-content-api';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';

const box = defineComponent({
  uid: 'c.box',
  attributes: {
    name: { type: 'string' },
    meta: { type: 'json' },
    list: { type: 'array' },
    price: { type: 'decimal' },
    ratio: { type: 'float' },
    at: { type: 'timestamp' },
  },
});
const item = defineCollectionType({
  singularApiId: 'item',
  pluralApiId: 'items',
  attributes: {
    str: { type: 'string' },
    num: { type: 'integer' },
    meta: { type: 'json' },
    price: { type: 'decimal' },
    ratio: { type: 'float' },
    day: { type: 'date' },
    at: { type: 'datetime' },
    indexed: { type: 'component', component: 'c.box', index: true },
    plain: { type: 'component', component: 'c.box' },
    boxes: { type: 'component', component: 'c.box', repeatable: true, index: true },
    files: { type: 'media', multiple: true },
  },
});

/** The same values at the root, in single components and in a repeatable one. */
const values = (meta: unknown, list: unknown, price: number, ratio: number): object => {
  const inside = { meta, list, price, ratio };
  return { meta, price, ratio, indexed: inside, plain: inside, boxes: [{ name: 'other' }, inside] };
};
const STORED = [
  { str: 'Apple', num: 1, at: '1970-01-01T00:00:00.001Z', ...values('hello', [1], 1.5, 0.5) },
  { str: 'Banana', num: 5, at: '2026-11-20T10:00:00Z', ...values({ k: 1 }, [1, 'x'], 20, 1e21) },
  { str: 'Cherry', num: 5, ...values('5', ['x'], 3.25, 2) },
  { str: 'Damson', num: 7, ...values(5, [], 100, -1) },
  { str: '', ...values(true, [true], 0, 0) },
];

describe.each(ADAPTERS)('conditions on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      { contentTypes: [item], components: [box], access: { public: { item: '*' } } },
      adapter,
    );
    for (const data of STORED) await test.http.post('/api/items').send({ data }).expect(201);
  });
  afterAll(() => test.close());

  const found = async (query: string): Promise<string[]> =>
    (await test.http.get(`/api/items?fields=str&${query}`).expect(200)).body.data.map(
      ({ str }: { str: string }) => str,
    );
  const refused = async (query: string): Promise<{ message: string; details: object }> =>
    (await test.http.get(`/api/items?${query}`).expect(400)).body.error;

  describe.each(['', '[indexed]', '[plain]', '[boxes]'])('JSON at filters%s[meta]', (at) => {
    it.each([
      ['[$notNull]=true', ['Apple', 'Banana', 'Cherry', 'Damson', '']],
      ['[$eq]="hello"', ['Apple']],
      ['[$eq]={"k":1}', ['Banana']],
      ['[$eq]="5"', ['Cherry']],
      ['[$eq]=5', ['Damson']],
      ['=5', ['Damson']],
      ['[$eq]=true', ['']],
      ['[$in][]=5&filtersAT[meta][$in][]={"k":1}', ['Banana', 'Damson']],
      ['[$ne]=5', ['Apple', 'Banana', 'Cherry', '']],
      ['[$startsWith]="hel', ['Apple']],
      ['[$contains]=k', ['Banana']],
      ['[$startsWith]=hel', []],
    ])('%s', async (condition, names) => {
      expect(await found(`filters${at}[meta]${condition.replace('AT', at)}&sort=id`)).toEqual(names);
    });
  });

  it.each(['[indexed]', '[plain]', '[boxes]'])('lists at filters%s[list]', async (at) => {
    expect(await found(`filters${at}[list][$eq]=[1]`)).toEqual(['Apple']);
    expect(await found(`filters${at}[list][$eq]=[1,"x"]`)).toEqual(['Banana']);
  });

  it.each(['', '[indexed]', '[boxes]'])('numbers as text at filters%s', async (at) => {
    expect(await found(`filters${at}[price][$endsWithi]=.50`)).toEqual(['Apple']);
    expect(await found(`filters${at}[ratio][$containsi]=e`)).toEqual(['Banana']);
  });

  it('sorts by JSON in a component', async () => {
    expect((await found('sort=plain.meta,id')).length).toBe(5);
    expect(await found('sort=plain.price:desc')).toEqual(['Damson', 'Banana', 'Cherry', 'Apple', '']);
  });

  it('rejects JSON with a number that PostgreSQL cannot store, and names it', async () => {
    expect((await refused('filters[meta]={"a":1e999999}')).message).toContain('expected JSON');
  });

  it('reads a number in JSON that is too near to zero as zero', async () => {
    expect(await found('filters[meta]=1e-20000')).toEqual([]);
    expect(await found('filters[meta][$gt]=1e-16384&filters[str]=Damson')).toEqual(['Damson']);
  });

  it.each([
    'filters[num][$gt]=0&filters[num]',
    'filters[num]&filters[num][$gt]=0',
    'filters[str][$ne]=zzz&filters[str]=',
    'filters[indexed][name][$notNull]=true&filters[indexed]',
    'filters[str][$in][0]=Apple&filters[str][$in]=',
    'populate[boxes][filters][name][$eq]=x&populate[boxes][filters][name]=',
    'filters[$or][][str]=Apple&filters[$or][][num]=5',
    'filters[$or][0][str]=Apple&filters[$or][][num]=5',
    '[filters][__proto__]=1',
    '[filters][str][__proto__][$eq]=zz',
    'filters%5B__proto__%5D%zz=1',
    'filters[%5F_proto__]=1',
    'filters[str]junk[$eq]=Apple',
    'filters[$not]junk[str]=Apple',
    'filters[str=Apple',
    'filters[str]]=Apple',
  ])('rejects %s instead of using a part of it', async (query) => {
    const { message, details } = await refused(query);
    expect(message).toMatch(/^Invalid key /);
    expect(details).toMatchObject({
      key: expect.any(String),
      source: 'query',
      param: expect.stringMatching(/^(filters|populate)$/),
    });
  });

  it('accepts brackets and equals signs in values', async () => {
    await test.http
      .post('/api/items')
      .send({ data: { str: 'a[1]=b' } })
      .expect(201);
    expect(await found('filters[str]=a[1]=b')).toEqual(['a[1]=b']);
    expect(await found('_q=a[1]=b')).toEqual(['a[1]=b']);
    expect(await found('[filters][num]=7')).toEqual(['Damson']);
    expect(await found('filters[$or][0][str]=Apple&filters[$or][1][num]=7&sort=id')).toEqual([
      'Apple',
      'Damson',
    ]);
  });

  it('accepts early timestamps, and rejects dates that do not exist', async () => {
    expect(await found('filters[at][$gt]=0&sort=id')).toEqual(['Apple', 'Banana']);
    expect(await found('filters[at]=1')).toEqual(['Apple']);
    expect(
      (
        await test.http
          .post('/api/items')
          .send({ data: { plain: { at: '-1' } } })
          .expect(201)
      ).body.data,
    ).toBeDefined();
    expect((await refused('filters[day]=2020-02-29T25:99')).message).toContain('yyyy-MM-dd');
  });

  it('counts files', async () => {
    expect(
      (await test.http.get('/api/items?populate[files][count]=true&pagination[limit]=1').expect(200)).body
        .data[0].files,
    ).toEqual({ count: 0 });
  });

  it('accepts far pages', async () => {
    const far = (await test.http.get(`/api/items?pagination[page]=${Number.MAX_SAFE_INTEGER}`).expect(200))
      .body;
    expect(far).toMatchObject({ data: [], meta: { pagination: { page: Number.MAX_SAFE_INTEGER } } });
  });
});
