/** An attribute `status` in a type with drafts, next to the parameter of that name (protocol 7.12, 8.21). */
import { defineCollectionType } from 'nestjs-content-api';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const text = { type: 'string' } as const;
const TYPES = [
  defineCollectionType({
    singularApiId: 'offer',
    pluralApiId: 'offers',
    draftAndPublish: true,
    attributes: { title: text, status: { type: 'enumeration', enum: ['open', 'sold'] } },
  }),
  defineCollectionType({
    singularApiId: 'agent',
    pluralApiId: 'agents',
    draftAndPublish: true,
    attributes: {
      name: text,
      status: { ...text, private: true },
      offer: { type: 'relation', relation: 'manyToOne', target: 'offer' },
    },
  }),
];

describe.each(adaptersFor('fastify'))('an attribute status on %s', (adapter) => {
  let test: TestApp;
  let sold = '';
  const read = async (path: string): Promise<any> =>
    (await test.http.get(`/api/${path}`).expect(200)).body.data;
  const post = async (path: string, data: object): Promise<any> =>
    (await test.http.post(`/api/${path}`).send({ data }).expect(201)).body.data;
  const titles = async (query: string): Promise<string[]> =>
    (await read(`offers?${query}`)).map(({ title }: any) => title);

  beforeAll(async () => {
    test = await createTestApp({ contentTypes: TYPES, access: { public: { '*': '*' } } }, adapter);
    sold = (await post('offers', { title: 'b', status: 'sold' })).documentId;
    const { documentId } = await post('offers', { title: 'a', status: 'open' });
    await post('offers?status=draft', { title: 'c', status: 'sold' });
    await post('agents', { name: 'Ann', offer: sold, status: 'x' });
    await post('agents', { name: 'Bob', offer: documentId });
  });
  afterAll(() => test.close());

  it('8.21 is written and read, and the parameter is the state of versions', async () => {
    await test.http
      .put(`/api/offers/${sold}?status=draft`)
      .send({ data: { status: 'open' } })
      .expect(200);
    expect((await read(`offers/${sold}?status=draft`)).status).toBe('open');
    expect((await read(`offers/${sold}`)).status).toBe('sold');
    const old = await test.http.get(`/api/offers/${sold}`).set('Strapi-Response-Format', 'v4').expect(200);
    expect(old.body.data.attributes.status).toBe('sold');
    const { body } = await test.http
      .post('/api/offers')
      .send({ data: { title: 'd', status: 'draft' } })
      .expect(400);
    expect(body.error.message).toBe('status must be one of the following values: open, sold, ');
  });

  it('8.21 is filtered, selected and populated', async () => {
    expect(await titles('filters[status]=sold')).toEqual(['b']);
    expect(await titles('filters[status]=sold&status=draft&sort=title')).toEqual(['c']);
    const agents = await read('agents?populate[offer][fields]=status&filters[offer][status]=sold');
    expect(agents).toMatchObject([{ name: 'Ann', offer: { status: 'sold' } }]);
    expect(Object.keys(agents[0])).not.toContain('status');
  });

  it('7.12 is sorted by; without such an attribute that the caller may read, the key does nothing', async () => {
    expect(await titles('sort=status:desc')).toEqual(['b', 'a']);
    expect(await titles('sort=status:asc')).toEqual(['a', 'b']);
    const names = async (sort: string): Promise<string[]> =>
      (await read(`agents?sort=${sort}`)).map(({ name }: any) => name);
    expect(await names('offer.status:asc')).toEqual(['Bob', 'Ann']);
    expect(await names('status:asc')).toEqual(await names('status:desc'));
  });
});
