/** Two tenants in one database, with the grants of the page on tenants. */
import {
  type ContentService,
  type Credentials,
  defineCollectionType,
  getContentToken,
  type Grant,
  type Identity,
  type PresetOf,
  type WhereOf,
} from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';
import { snapshot } from '../http/helpers.ts';

const organisation = defineCollectionType({
  singularApiId: 'organisation',
  pluralApiId: 'organisations',
  attributes: { name: { type: 'string' } },
});
const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  actions: true,
  attributes: {
    title: { type: 'string' },
    organisation: { type: 'relation', relation: 'manyToOne', target: 'organisation' },
    next: { type: 'relation', relation: 'manyToOne', target: 'article' },
  },
});

const theirs: WhereOf = ({ attributes }) => ({ organisation: { documentId: attributes?.['organisation'] } });
const preset: PresetOf = ({ attributes }) => ({ organisation: attributes?.['organisation'] });
const ofTenant: Grant = { actions: '*', where: theirs, preset };
const member = {
  article: [ofTenant],
  organisation: [
    {
      actions: ['find', 'findOne'] as const,
      where: (({ attributes }) => ({ documentId: attributes?.['organisation'] })) satisfies WhereOf,
    },
  ],
};

const byHeader = {
  name: 'by-header',
  authenticate: ({ headers }: Credentials): Identity | null => {
    const id = headers['x-organisation'];
    return typeof id === 'string'
      ? { kind: 'user', id: 'ann', roles: ['member'], attributes: id === 'none' ? {} : { organisation: id } }
      : null;
  },
};

describe('two tenants', () => {
  let test: TestApp;
  let [one, two, other] = ['', '', ''];
  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [organisation, article],
      access: { roles: { member } },
      auth: { strategies: [byHeader] },
    });
    [one, two] = [await make('organisation', { name: 'one' }), await make('organisation', { name: 'two' })];
    other = await make('article', { title: 'of two', organisation: two });
  });
  afterAll(() => test.close());

  const make = async (type: string, data: object): Promise<string> => {
    const service = test.app.get<ContentService>(getContentToken(type), { strict: false });
    return (await service.create(data)).documentId;
  };

  type Method = 'get' | 'post' | 'put' | 'delete';
  const as = (who: string, method: Method, path: string, data?: object) => {
    const sent = test.http[method](`/api/${path}`).set('x-organisation', who);
    return data === undefined ? sent : sent.send({ data });
  };

  it('18.25 a new document belongs to the tenant of its creator, and to no other', async () => {
    const made = await as(one, 'post', 'articles?populate=organisation', { title: 'of one' }).expect(201);
    expect(made.body.data.organisation.name).toBe('one');
    expect((await as(one, 'get', 'articles')).body.data).toHaveLength(1);
    expect((await as(two, 'get', 'articles')).body.data).toHaveLength(1);
    expect((await as(two, 'get', 'organisations')).body.data).toHaveLength(1);
  });

  it('18.27 equal concurrent requests of different tenants never share a response', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `tenant ${n}`);
    const tenants = await Promise.all(
      names.map(async (name) => {
        const tenant = await make('organisation', { name });
        return { name, tenant, article: await make('article', { title: name, organisation: tenant }) };
      }),
    );
    const paths = [
      'articles?populate=*',
      'articles?filters[organisation][name][$contains]=tenant&sort=title',
    ];
    const checked = async (): Promise<void> => {
      await Promise.all(
        [...tenants, ...tenants].flatMap(({ name, tenant, article: id }) => [
          ...paths.map(async (path) => {
            const { body } = await as(tenant, 'get', path).expect(200);
            expect(body.data.map(({ title }: { readonly title: string }) => title)).toEqual([name]);
          }),
          as(tenant, 'get', `articles/${id}`).expect(200),
          as(tenants.find((one) => one.name !== name)?.tenant ?? '', 'get', `articles/${id}`).expect(404),
        ]),
      );
    };
    await checked();
    await checked();
  });

  it('18.18 every request for the document of another tenant is one for an unknown id', async () => {
    const before = await snapshot(test);
    const requests: readonly (readonly [Method, string, object?])[] = [
      ['get', ''],
      ['get', '?status=draft'],
      ['get', '?populate=*'],
      ['put', '', { title: 'stolen' }],
      ['put', '?status=draft', { title: 'stolen' }],
      ['delete', ''],
      ['post', '/actions/publish'],
      ['post', '/actions/unpublish'],
      ['post', '/actions/discard'],
    ];
    for (const [method, path, data] of requests) {
      const [hidden, missing] = [
        await as(one, method, `articles/${other}${path}`, data),
        await as(one, method, `articles/nothing${path}`, data),
      ];
      expect([method, path, hidden.status, hidden.text]).toEqual([
        method,
        path,
        missing.status,
        missing.text,
      ]);
    }
    for (const data of [{ organisation: two }, { title: 'x', next: other }])
      await as(one, 'post', 'articles', data).expect(400);
    for (const [method, path, data] of [
      ['get', ''],
      ['post', '', { title: 'x' }],
    ] as const)
      await as('none', method, `articles${path}`, data).expect(403);
    expect(await snapshot(test)).toEqual(before);
  });
});
