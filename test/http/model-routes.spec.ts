/** `/api/content-type-builder/…`: the model, limited to content that the caller can read. */
import {
  type AuthStrategy,
  ContentModule,
  type ContentService,
  type Credentials,
  defineCollectionType,
  defineComponent,
  defineSingleType,
  getContentToken,
  type Identity,
} from 'nestjs-content-api';
import { apiTokenType, userTypes } from 'nestjs-content-api/accounts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { NOT_FOUND } from './helpers.ts';

const seo = defineComponent({
  uid: 'shared.meta-data',
  attributes: {
    title: { type: 'string', required: true, maxLength: 60 },
    internal: { type: 'string', private: true },
    by: { type: 'relation', relation: 'manyToOne', target: 'author' },
    inner: { type: 'component', component: 'shared.inner' },
  },
});
const inner = defineComponent({ uid: 'shared.inner', attributes: { text: { type: 'text' } } });
const unused = defineComponent({ uid: 'shared.unused', attributes: { text: { type: 'text' } } });
const article = defineCollectionType({
  singularApiId: 'blog-post',
  pluralApiId: 'blog-posts',
  draftAndPublish: true,
  localized: true,
  attributes: {
    title: { type: 'string', required: true, localized: true, index: true },
    mood: { type: 'enumeration', enum: ['good', 'bad'], default: 'good' },
    secret: { type: 'password' },
    note: { type: 'string', private: true },
    author: { type: 'relation', relation: 'manyToOne', target: 'author', inversedBy: 'posts' },
    vault: { type: 'relation', relation: 'manyToOne', target: 'vault' },
    pin: { type: 'relation', relation: 'morphToMany', targets: ['author', 'vault'] },
    cover: { type: 'media', allowedTypes: ['images'] },
    seo: { type: 'component', component: 'shared.meta-data' },
    zone: { type: 'dynamiczone', components: ['shared.inner'], max: 3 },
  },
});
const author = defineCollectionType({
  singularApiId: 'author',
  pluralApiId: 'authors',
  attributes: {
    name: { type: 'string' },
    age: { type: 'integer', min: 1 },
    posts: { type: 'relation', relation: 'oneToMany', target: 'blog-post', mappedBy: 'author' },
  },
});
const vault = defineCollectionType({
  singularApiId: 'vault',
  pluralApiId: 'vaults',
  attributes: { gold: { type: 'integer' }, parts: { type: 'component', component: 'shared.unused' } },
});
const homepage = defineSingleType({ singularApiId: 'homepage', attributes: { title: { type: 'string' } } });

/** The bearer token is the name of a role. */
const byRole: AuthStrategy = {
  name: 'role',
  authenticate: ({ bearer }: Credentials): Identity | null =>
    bearer === null ? null : { kind: 'user', id: '1', roles: [bearer] },
};

const MODEL = { 'content-type-builder': ['find'] } as const;

describe.each(ADAPTERS)('the model on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [article, author, vault, homepage],
        components: [seo, inner, unused],
        auth: { strategies: [byRole] },
        access: {
          public: { 'blog-post': ['find'] },
          roles: {
            generator: { ...MODEL, 'blog-post': ['find'], author: ['find'], homepage: ['find'] },
            narrow: { ...MODEL, 'blog-post': ['find'], author: [{ actions: ['findOne'], fields: ['name'] }] },
            all: { '*': '*' },
            blind: MODEL,
          },
        },
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const get = (path: string, role?: string) => {
    const request = test.http.get(`/api/content-type-builder/${path}`);
    return role === undefined ? request : request.set('Authorization', `Bearer ${role}`);
  };
  const uids = async (path: string, role: string): Promise<string[]> =>
    (await get(path, role).expect(200)).body.data.map(({ uid }: { uid: string }) => uid);

  it.each(['content-types', 'content-types/api::author.author', 'components', 'components/shared.inner'])(
    '%s requires `find` on `content-type-builder`',
    async (path) => {
      expect((await get(path)).status).toBe(403);
      expect((await get(path, 'generator')).status).toBe(200);
    },
  );

  it('has the types that the caller can read, and files', async () => {
    expect(await uids('content-types', 'generator')).toEqual([
      'plugin::upload.file',
      'api::blog-post.blog-post',
      'api::author.author',
      'api::homepage.homepage',
    ]);
    expect(await uids('content-types', 'blind')).toEqual(['plugin::upload.file']);
    expect(await uids('content-types', 'all')).toContain('api::vault.vault');
  });

  it('returns a type in the shape of Strapi, without private and internal attributes', async () => {
    const { body } = await get('content-types/api::blog-post.blog-post', 'generator').expect(200);
    expect(body).toEqual({
      data: {
        uid: 'api::blog-post.blog-post',
        apiID: 'blog-post',
        schema: {
          displayName: 'Blog post',
          singularName: 'blog-post',
          pluralName: 'blog-posts',
          description: '',
          draftAndPublish: true,
          kind: 'collectionType',
          collectionName: 'blog-posts',
          pluginOptions: { i18n: { localized: true } },
          attributes: {
            title: { type: 'string', required: true, pluginOptions: { i18n: { localized: true } } },
            mood: { type: 'enumeration', enum: ['good', 'bad'], default: 'good' },
            author: {
              type: 'relation',
              relation: 'manyToOne',
              target: 'api::author.author',
              targetAttribute: 'posts',
            },
            pin: { type: 'relation', relation: 'morphToMany', targets: ['api::author.author'] },
            cover: { type: 'media', multiple: false, allowedTypes: ['images'] },
            seo: { type: 'component', component: 'shared.meta-data', repeatable: false },
            zone: { type: 'dynamiczone', components: ['shared.inner'], max: 3 },
          },
          visible: true,
          restrictRelationsTo: null,
        },
      },
    });
  });

  it('excludes attributes without a grant, and relations to types that the caller cannot find', async () => {
    const { body } = await get('content-types', 'narrow').expect(200);
    const attributes = Object.fromEntries(
      body.data.map(({ apiID, schema }: any) => [apiID, Object.keys(schema.attributes)]),
    );
    expect(attributes).toMatchObject({
      'blog-post': ['title', 'mood', 'cover', 'seo', 'zone'],
      author: ['name'],
    });
  });

  it('has the components of the readable types, nested ones included', async () => {
    expect(await uids('components', 'generator')).toEqual(['shared.meta-data', 'shared.inner']);
    expect(await uids('components', 'all')).toEqual(['shared.meta-data', 'shared.inner', 'shared.unused']);
    expect(await uids('components', 'blind')).toEqual([]);
    const { body } = await get('components/shared.meta-data', 'narrow').expect(200);
    expect(body.data).toEqual({
      uid: 'shared.meta-data',
      category: 'shared',
      apiId: 'meta-data',
      schema: {
        displayName: 'Meta data',
        description: '',
        collectionName: 'components_shared_meta-data',
        attributes: {
          title: { type: 'string', required: true, maxLength: 60 },
          inner: { type: 'component', component: 'shared.inner', repeatable: false },
        },
      },
    });
  });

  it.each(['content-types/api::vault.vault', 'content-types/nope', 'components/shared.unused', 'nope'])(
    'returns 404 for %s if the caller cannot read it',
    async (path) => {
      const { status, body } = await get(path, 'generator');
      expect([status, body]).toEqual([404, NOT_FOUND]);
    },
  );

  it('1.9 is read only', async () => {
    const { status, headers } = await test.http.post('/api/content-type-builder/content-types');
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

describe('users, roles and API tokens', () => {
  const event = defineCollectionType({
    singularApiId: 'event',
    pluralApiId: 'events',
    attributes: { subjects: { type: 'relation', relation: 'morphToMany', targets: ['user', 'author'] } },
  });
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [event, article, author, vault, ...userTypes(), apiTokenType],
      components: [seo, inner, unused],
      auth: { strategies: [byRole] },
      access: { roles: { all: { '*': '*' } } },
    });
  });
  afterAll(() => test.close());

  const USER = 'plugin::users-permissions.user';

  it('have the names that Strapi gives them, and the plugin by which clients skip them', async () => {
    const { body } = await test.http
      .get('/api/content-type-builder/content-types')
      .set('Authorization', 'Bearer all')
      .expect(200);
    const plugins = body.data.flatMap(({ uid, plugin }: any) =>
      plugin === undefined ? [] : [[uid, plugin]],
    );
    expect(plugins).toEqual([
      ['plugin::upload.file', 'upload'],
      [USER, 'users-permissions'],
      ['plugin::users-permissions.role', 'users-permissions'],
      ['admin::api-token', 'admin'],
    ]);
    const { attributes } = body.data.find(({ uid }: any) => uid === USER).schema;
    expect(attributes.role.target).toBe('plugin::users-permissions.role');
  });

  it.each([USER, 'api::user.user'])('are items of polymorphic relations as %s', async (name) => {
    const users = test.app.get<ContentService>(getContentToken('user'));
    const user = await users.create({ username: name, email: `${name.length}@example.com` });
    const data = { subjects: [{ __type: name, documentId: user.documentId }] };
    const { body } = await test.http
      .post(`/api/events?populate[subjects][on][${name}][fields]=username`)
      .set('Authorization', 'Bearer all')
      .send({ data })
      .expect(201);
    expect(body.data.subjects).toEqual([
      { id: user.id, documentId: user.documentId, username: name, __type: USER },
    ]);
  });
});

it('rejects a type whose name is that of the grant', () => {
  const taken = { singularApiId: 'content-type-builder', pluralApiId: 'builders', attributes: {} };
  expect(() => ContentModule.forRoot({ contentTypes: [defineCollectionType(taken)] })).toThrow(
    'the name is reserved for the routes that show the model',
  );
});
