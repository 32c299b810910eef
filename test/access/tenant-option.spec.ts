/** Types with `tenant`: every grant covers the documents of the caller's tenant only (protocol 18.30). */
import {
  type Caller,
  ContentAccess,
  type ContentService,
  type Credentials,
  defineCollectionType,
  defineComponent,
  defineSingleType,
  getContentToken,
  type Identity,
  Permissions,
  type WhereOf,
} from 'nestjs-content-api';
import { checkGrants } from '../../src/content/access/check-grants.ts';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const organisation = defineCollectionType({
  singularApiId: 'organisation',
  pluralApiId: 'organisations',
  attributes: { name: { type: 'string' } },
});
const owned = { type: 'relation', relation: 'manyToOne', target: 'organisation' } as const;
const code = defineComponent({ uid: 'own.code', attributes: { text: { type: 'string', unique: true } } });
const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  actions: true,
  tenant: 'organisation',
  owner: 'writer',
  localized: true,
  indexes: [
    { attributes: ['organisation', 'slug'], unique: true },
    { attributes: ['organisation', 'path'], unique: true },
  ],
  attributes: {
    title: { type: 'string', localized: true },
    slug: { type: 'string' },
    path: { type: 'uid', targetField: 'title', generate: true, localized: true },
    code: { type: 'component', component: 'own.code' },
    writer: { type: 'string' },
    organisation: owned,
    next: { type: 'relation', relation: 'manyToOne', target: 'article' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'articles' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: {
    name: { type: 'string' },
    articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'tags' },
  },
});
const bill = defineCollectionType({
  singularApiId: 'bill',
  pluralApiId: 'bills',
  tenant: 'account',
  attributes: { sum: { type: 'integer' }, account: { type: 'string' } },
});

const isOpen: WhereOf = () => ({ title: { $startsWith: 'open' } });
const ROLES = {
  all: { '*': '*' },
  member: { article: '*', tag: '*', organisation: ['find'], bill: '*' },
  limited: { article: [{ actions: ['find'], where: isOpen }], tag: ['find'] },
  own: { article: [{ actions: ['find', 'update'], own: true }] },
  /** Have equal grants; one of them covers all tenants. */
  auditor: { article: [{ actions: ['find', 'findOne'], tenant: 'all' }] },
  reader: { article: ['find', 'findOne'] },
  /** Cannot read the tenant. */
  blind: { article: ['create', { actions: ['find', 'findOne'], fields: ['title'] }] },
  /** Reads and creates articles of all tenants, and bills of its own. */
  support: {
    '*': '*',
    article: [
      { actions: ['find', 'findOne', 'create'], tenant: 'all' },
      { actions: ['update'], tenant: 'all', where: isOpen },
    ],
  },
} as const;

const byHeader = {
  name: 'by-header',
  authenticate: ({ headers }: Credentials): Identity | null => {
    const text = headers['x-who'];
    if (typeof text !== 'string') return null;
    const { role, ...attributes } = JSON.parse(text) as { role: string };
    const permitted = Permissions.of({ article: ['find', 'findOne'] });
    if (role === 'permitted') return { kind: 'user', id: 'ann', attributes, permissions: permitted };
    if (role === 'token') return { kind: 'token', id: 't', permissions: Permissions.ALL };
    return { kind: 'user', id: 'ann', roles: [role], attributes };
  },
};

describe('a type with a tenant', () => {
  let test: TestApp;
  const ids: Record<string, string> = {};
  const service = (name: string) => test.app.get<ContentService>(getContentToken(name), { strict: false });
  const make = async (type: string, name: string, data: object): Promise<void> => {
    ids[name] = (await service(type).create(data)).documentId;
  };
  type Method = 'get' | 'post' | 'put' | 'delete';
  const as = (who: object, method: Method, path: string, data?: object) => {
    const sent = test.http[method](`/api/${path}`).set('x-who', JSON.stringify(who));
    return data === undefined ? sent : sent.send({ data });
  };
  const of = (name: string, role = 'member') => ({ role, organisation: ids[name], account: name });
  const titles = async (who: object, path = 'articles?sort=title'): Promise<string[]> => {
    const { body } = await as(who, 'get', path).expect(200);
    return body.data.map((one: { readonly title: string }) => one.title);
  };

  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [organisation, article, tag, bill],
      components: [code],
      locales: ['en', 'de'],
      access: { public: { article: ['find'], tag: ['find'] }, roles: ROLES },
      auth: { strategies: [byHeader] },
    });
    for (const name of ['red', 'blue']) {
      await make('organisation', name, { name });
      await make('bill', `bill ${name}`, { sum: 1, account: name });
      for (const title of ['open', 'closed'])
        await make('article', `${name} ${title}`, {
          title: `${title} ${name}`,
          slug: title,
          writer: title === 'open' ? 'ann' : 'bob',
          organisation: ids[name],
        });
    }
    await make('tag', 'hot', { name: 'hot', articles: [ids['red open'], ids['blue open']] });
    await make('article', 'none', { title: 'open without tenant' });
  });
  afterAll(() => test.close());

  it('18.30 any grant covers the documents of the tenant only', async () => {
    expect(await titles(of('red'))).toEqual(['closed red', 'open red']);
    expect(await titles(of('blue', 'all'))).toEqual(['closed blue', 'open blue']);
    expect(await titles(of('red', 'limited'))).toEqual(['open red']);
    expect(await titles(of('red', 'own'))).toEqual(['open red']);
    expect((await as(of('red'), 'get', 'bills')).body.data).toHaveLength(1);
    const { body } = await as(of('red'), 'get', 'tags?populate=articles').expect(200);
    expect(body.data[0].articles.map((one: { readonly title: string }) => one.title)).toEqual(['open red']);
    await as(of('red'), 'get', `articles/${ids['blue open']}`).expect(404);
  });

  it("18.30 a grant with `tenant: 'all'` changes no role with otherwise equal grants", async () => {
    for (const role of ['auditor', 'reader'])
      expect(await titles(of('red', role))).toHaveLength(role === 'auditor' ? 5 : 2);
    const access = test.app.get(ContentAccess);
    const raw = Permissions.of({ article: ['find', 'findOne'] });
    expect(access.within(raw)).not.toBe(raw);
    expect(access.within(access.within(raw))).toBe(access.within(raw));
    const who = { role: 'permitted', organisation: ids['red'] };
    expect(await titles(who)).toEqual(['closed red', 'open red']);
  });

  it("18.30 a grant with `tenant: 'all'` covers the documents of all tenants, and those without one", async () => {
    const all = ['closed blue', 'closed red', 'open blue', 'open red', 'open without tenant'];
    for (const who of [{ role: 'support' }, of('red', 'support')]) {
      expect(await titles(who)).toEqual(all);
      await as(who, 'get', `articles/${ids['blue open']}`).expect(200);
      await as(who, 'delete', `articles/${ids['blue open']}`).expect(403);
      await as(who, 'put', `articles/${ids['blue closed']}`, { title: 'open now' }).expect(403);
      await as(who, 'put', `articles/${ids['blue open']}`, { title: 'open blue' }).expect(200);
    }
    expect((await as(of('red', 'support'), 'get', 'bills')).body.data).toHaveLength(1);
    expect((await as({ role: 'support' }, 'get', 'bills')).status).toBe(403);
    const { body } = await as({ role: 'support' }, 'post', 'articles', {
      title: 'made',
      organisation: ids['blue'],
    }).expect(201);
    expect(await titles(of('blue'))).toContain('made');
    expect(await titles(of('red'))).not.toContain('made');
    await service('article').delete(body.data.documentId);
  });

  it("18.30 no other type has grants with `tenant: 'all'`", () => {
    const schema = buildSchema([article, tag, organisation], [code]);
    const grant = [{ actions: ['find'], tenant: 'all' }] as const;
    const mistake = '"tenant" needs a content type with the option "tenant"';
    expect(
      checkGrants({ article: grant, tag: grant, '*': grant }, { schema, check: null }, 'roles.x'),
    ).toEqual([`roles.x.tag: ${mistake}`, `roles.x.*: ${mistake}`]);
    // Callers give tokens no more than they have: all actions on every type do not include it.
    expect(Permissions.ALL.covers(Permissions.of({ article: grant }))).toBe(false);
  });

  it('18.30 a caller of several tenants sees the documents of each, and creates none', async () => {
    const both = { role: 'member', organisation: [ids['red'], ids['blue']] };
    expect(await titles(both)).toHaveLength(4);
    await as(both, 'post', 'articles', { title: 'x' }).expect(403);
  });

  it.each([
    ['without the attribute', { role: 'all' }],
    ['with null', { role: 'all', organisation: null }],
    ['with an object of operators', { role: 'all', organisation: { $notNull: true } }],
    ['with an empty text', { role: 'all', organisation: '' }],
    ['with an empty list', { role: 'all', organisation: [] }],
    ['with the permissions of a token', { role: 'token' }],
  ])('18.30 a caller %s sees and creates nothing', async (_name, who) => {
    const { status, body } = await as(who, 'get', 'articles');
    expect(status === 403 || body.data.length === 0).toBe(true);
    expect((await as(who, 'post', 'articles', { title: 'x' })).status).toBeGreaterThanOrEqual(400);
    expect((await as(who, 'get', 'tags?populate=*')).body.data[0].articles ?? []).toEqual([]);
  });

  it('18.30 the public sees nothing', async () => {
    await test.http.get('/api/articles').expect(403);
    const { body } = await test.http.get('/api/tags?populate=*').expect(200);
    expect(body.data[0].articles).toBeUndefined();
    await test.http.get('/api/tags?filters[articles][title]=open').expect(400);
  });

  it('18.30 a new document belongs to the tenant, and no request can change that', async () => {
    const path = 'articles?populate=organisation';
    const made = await as(of('red'), 'post', path, { title: 'new', slug: 'new' }).expect(201);
    expect(made.body.data.organisation.documentId).toBe(ids['red']);
    const { documentId } = made.body.data;
    for (const data of [
      { organisation: ids['blue'] },
      { organisation: ids['red'] },
      { organisation: null },
    ]) {
      await as(of('red'), 'put', `articles/${documentId}`, data).expect(400);
      await as(of('red'), 'post', 'articles', data).expect(400);
    }
    for (const [method, rest, data] of [
      ['put', '', { title: 'stolen' }],
      ['post', '/actions/unpublish', undefined],
      ['delete', '', undefined],
    ] as const) {
      const [hidden, missing] = [documentId, 'nothing'].map((id) =>
        as(of('blue'), method, `articles/${id}${rest}`, data),
      );
      expect([method, rest, (await hidden)?.status]).toEqual([method, rest, (await missing)?.status]);
    }
    expect((await as(of('red'), 'get', `articles/${documentId}`)).body.data.title).toBe('new');
    await as(of('red'), 'put', `articles/${documentId}`, { next: ids['blue open'] }).expect(400);
    await as(of('red'), 'delete', `articles/${documentId}`).expect(204);
  });

  it('18.30 values of a unique index with the tenant can be equal in several tenants', async () => {
    await as(of('red'), 'post', 'articles', { title: 'twice', slug: 'open' }).expect(400);
    await as(of('red'), 'post', 'articles', { title: 'green', slug: 'green' }).expect(201);
    const { body } = await as(of('blue'), 'post', 'articles', { title: 'green', slug: 'green' }).expect(201);
    await as(of('blue'), 'delete', `articles/${body.data.documentId}`).expect(204);
  });

  it('14.26 a taken value of such an index is named, to callers who can read the tenant', async () => {
    const data = { title: 'a', slug: 'named' };
    const messageOf = async (role: string): Promise<string> =>
      (await as(of('red', role), 'post', 'articles', data).expect(400)).body.error.message;
    await as(of('red'), 'post', 'articles', data).expect(201);
    expect(await messageOf('member')).toBe('These attributes must be unique together: organisation, slug');
    expect(await messageOf('blind')).toBe('The document is not valid in attributes that you cannot access');
  });

  it('18.31 uids and unique values in components are unique within a tenant', async () => {
    const [path, write] = ['articles?status=published', { title: 'Same', code: { text: 'one' } }];
    const paths: Record<string, string[]> = { red: [], blue: [] };
    const made: string[] = [];
    for (const [name, list] of Object.entries(paths)) {
      const { body } = await as(of(name), 'post', path, write).expect(201);
      await as(of(name), 'post', path, write).expect(400);
      const second = await as(of(name), 'post', path, { title: 'Same', code: { text: 'two' } }).expect(201);
      const { documentId } = second.body.data;
      // A new locale has the tenant that is stored.
      const de = await as(of(name), 'put', `articles/${body.data.documentId}?locale=de`, { title: 'Gleich' });
      const other = await as(of(name), 'put', `articles/${documentId}?locale=de`, { title: 'Gleich' });
      list.push(...[body, second.body, de.body, other.body].map(({ data }) => data.path));
      await as(of(name), 'put', `articles/${documentId}`, { path: 'same' }).expect(400);
      await as(of(name), 'put', `articles/${documentId}`, { code: { text: 'one' } }).expect(400);
      made.push(body.data.documentId, documentId);
    }
    const all = ['same', 'same-1', 'gleich', 'gleich-1'];
    expect(paths).toEqual({ red: all, blue: all });
    for (const documentId of made) await service('article').delete(documentId, { locale: '*' });
  });

  it('the host application sees all tenants, and with a caller its tenant', async () => {
    const access = test.app.get(ContentAccess, { strict: false });
    const caller: Caller = await access.callerOf({
      kind: 'user',
      id: 'ann',
      permissions: Permissions.ALL,
      attributes: { organisation: ids['blue'] },
    });
    expect((await service('article').find({})).data.length).toBeGreaterThan(4);
    expect((await service('article').find({}, { as: caller })).data).toHaveLength(2);
  });

  it('18.30 an Idempotency-Key belongs to one tenant, also if its caller changes between tenants', async () => {
    const write = (name: string) => as(of(name), 'post', 'bills', { sum: 7 }).set('Idempotency-Key', 'one');
    const first = await write('red').expect(201);
    const other = await write('blue').expect(201);
    expect([first.body.data.account, other.body.data.account]).toEqual(['red', 'blue']);
    expect(other.headers).not.toHaveProperty('idempotency-replayed');
    expect((await write('red').expect(201)).headers['idempotency-replayed']).toBe('true');
  });

  it('18.30 an Idempotency-Key belongs to one tenant in types that all share, too', async () => {
    const write = (name: string, tag: string) =>
      as(of(name), 'post', 'tags', { name: tag }).set('Idempotency-Key', 'two');
    const { body } = await write('red', 'of red').expect(201);
    expect((await write('blue', 'of blue').expect(201)).body.data.name).toBe('of blue');
    const repeated = await write('red', 'of red').expect(201);
    expect(repeated.body.data.documentId).toBe(body.data.documentId);
  });
});

describe('the option tenant', () => {
  const build = (
    options: object,
    make: typeof defineCollectionType | typeof defineSingleType = defineCollectionType,
  ) =>
    buildSchema(
      [
        organisation,
        (make as (given: object) => never)({
          singularApiId: 'page',
          pluralApiId: 'pages',
          attributes: { organisation: owned, slug: { type: 'string' }, text: { type: 'text' } },
          ...options,
        }),
      ],
      [],
    );
  it.each<[string, object, string]>([
    ['an unknown attribute', { tenant: 'organization' }, '"organization" is not an attribute'],
    ['a long text', { tenant: 'text' }, '"text" must be a to-one relation'],
    ['the owner', { tenant: 'slug', owner: 'slug' }, 'is already the owner'],
    [
      'a unique attribute',
      { tenant: 'organisation', attributes: { organisation: owned, slug: { type: 'string', unique: true } } },
      "indexes: [{ attributes: ['organisation', 'slug'], unique: true }]",
    ],
    [
      'a uid without a unique index',
      { tenant: 'organisation', attributes: { organisation: owned, slug: { type: 'uid' } } },
      '"slug" is unique in all tenants, which shows their values: add indexes',
    ],
  ])('refuses %s', (_name, options, message) => expect(() => build(options)).toThrow(message));
  it('refuses a single type', () => {
    const { tenant, ...rest } = { tenant: 'organisation', pluralApiId: undefined };
    expect(() => build({ tenant, ...rest }, defineSingleType)).toThrow('one document for all tenants');
  });
});
