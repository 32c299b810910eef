/** Checks of each client, with the calls of a typical user. */
import assert from 'node:assert/strict';
import { load, require } from './installed/load.mjs';
import type { Check, Client } from './check.ts';
import { queryBuilder, sensinumLoader, strapiJs, user, vueBlocks } from './community.ts';
import { reactAdmin } from './react-admin.ts';
import { ARTICLES, type Blog, PARAGRAPH } from './server.ts';

async function strapiClient({ api, token }: Blog): Promise<Check[]> {
  const { strapi } = await load('@strapi/client');
  const client = strapi({ baseURL: api, auth: token });
  const articles = client.collection('articles');
  let id = '';
  return [
    [
      'lists with filters, sort, fields, populate and pagination',
      async () => {
        const { data, meta } = await articles.find({
          filters: { views: { $gte: 3 } },
          sort: 'views:desc',
          fields: ['title'],
          populate: { author: { fields: ['name'] } },
          pagination: { page: 1, pageSize: 5 },
        });
        assert.deepEqual(
          [data.length, data[0].title, data[0].author.name, meta.pagination.total],
          [5, `Article ${ARTICLES}`, 'Ann', ARTICLES - 2],
        );
      },
    ],
    [
      'filters by dates and null',
      async () => {
        const { data } = await articles.find({
          filters: { createdAt: { $lt: new Date() }, cover: { $null: true } },
        });
        assert.equal(data.length, 25);
      },
    ],
    [
      'creates',
      async () => {
        const { data } = await articles.create({
          title: 'New',
          zone: [{ __component: 'shared.seo', metaTitle: 'x' }],
        });
        id = data.documentId;
        assert.equal(data.title, 'New');
      },
    ],
    [
      'reads one',
      async () => assert.equal((await articles.findOne(id, { populate: '*' })).data.zone[0].metaTitle, 'x'),
    ],
    ['changes', async () => assert.equal((await articles.update(id, { views: 7 })).data.views, 7)],
    [
      'writes a draft and another locale',
      async () => {
        await articles.update(id, { title: 'Draft' }, { status: 'draft' });
        await articles.update(id, { title: 'Nouveau' }, { locale: 'fr' });
        const [published, draft, french] = await Promise.all(
          [{}, { status: 'draft' }, { locale: 'fr' }].map((query) => articles.findOne(id, query)),
        );
        assert.deepEqual(
          [published.data.title, draft.data.title, french.data.title],
          ['New', 'Draft', 'Nouveau'],
        );
      },
    ],
    [
      'deletes',
      async () => {
        await articles.delete(id);
        await assert.rejects(articles.findOne(id), { name: 'HTTPNotFoundError' });
      },
    ],
    [
      'single types',
      async () => {
        await client.single('homepage').update({ heading: 'Hello' });
        assert.equal((await client.single('homepage').find()).data.heading, 'Hello');
      },
    ],
    [
      'errors have their classes',
      async () => {
        await assert.rejects(articles.find({ sort: 'nope' }), { name: 'HTTPBadRequestError' });
        await assert.rejects(strapi({ baseURL: api, auth: 'spoilt' }).collection('articles').find(), {
          name: 'HTTPAuthorizationError',
        });
        await assert.rejects(strapi({ baseURL: api }).collection('articles').create({ title: 'x' }), {
          name: 'HTTPForbiddenError',
        });
      },
    ],
    [
      'users, by their plugin',
      async () => {
        const users = client.collection('users', { plugin: { name: 'users-permissions', prefix: '' } });
        const made = await users.create({ ...user(), role: 1 });
        const [found] = await users.find({ filters: { email: made.email }, populate: ['role'] });
        assert.deepEqual([found.id, found.role.type], [made.id, 'authenticated']);
        await users.delete(made.id);
      },
    ],
    [
      'uploads, lists, renames and deletes a file',
      async () => {
        const [file] = await client.files.upload(new Blob(['hello'], { type: 'text/plain' }), {
          fileInfo: { name: 'hello.txt' },
        });
        assert.equal((await client.files.findOne(file.id)).mime, 'text/plain');
        assert.ok((await client.files.find()).length > 0);
        const [named] = await client.files.find({ filters: { name: 'hello.txt' }, sort: 'id:desc' });
        assert.equal(named.id, file.id);
        assert.equal((await client.files.update(file.id, { name: 'other.txt' })).name, 'other.txt');
        await client.files.delete(file.id);
        await assert.rejects(client.files.findOne(file.id), { name: 'FileNotFoundError' });
        const [other] = await client.files.upload(Buffer.from('world'), {
          filename: 'world.txt',
          mimetype: 'text/plain',
          fileInfo: { alternativeText: 'a world' },
        });
        assert.deepEqual([other.name, other.alternativeText], ['world.txt', 'a world']);
        assert.equal((await client.files.delete(other.id)).id, other.id);
      },
    ],
  ];
}

async function sdk({ origin }: Blog): Promise<Check[]> {
  const Strapi = require('strapi-sdk-js').default ?? require('strapi-sdk-js');
  // The client stores its token only in a browser: this object emulates one.
  const kept = new Map<string, string>();
  const localStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  };
  const browser = globalThis as { window?: object };
  browser.window = { localStorage, location: { search: '' } };
  const client = new Strapi({ url: origin, store: { useLocalStorage: true } });
  const ann = user();
  let id = '';
  return [
    [
      'registers, signs in and knows who it is',
      async () => {
        await client.register(ann);
        client.logout();
        await client.login({ identifier: ann.email, password: ann.password });
        assert.equal((await client.fetchUser()).username, ann.username);
      },
    ],
    [
      'creates, reads, changes and deletes',
      async () => {
        id = (await client.create('articles', { title: 'New' })).data.documentId;
        assert.equal((await client.findOne('articles', id)).data.title, 'New');
        assert.equal((await client.update('articles', id, { title: 'Newer' })).data.title, 'Newer');
        await client.delete('articles', id);
        await assert.rejects(client.findOne('articles', id));
      },
    ],
    [
      'lists with filters and populate',
      async () => {
        const { data, meta } = await client.find('articles', {
          filters: { author: { name: 'Ann' } },
          populate: { author: true },
        });
        assert.deepEqual([data[0].author.name, meta.pagination.total], ['Ann', ARTICLES / 2]);
      },
    ],
    [
      'changes its password',
      async () => {
        await client.changePassword({
          currentPassword: ann.password,
          password: 'another password',
          passwordConfirmation: 'another password',
        });
        delete browser.window;
      },
    ],
  ];
}

/** Returns the title of a document, with or without a `data` envelope. */
const titleOf = (answer: any): string => (answer.data ?? answer).title;

/** Filters of refine on the articles: operator, field, value, total. */
const OPERATORS = [
  ['eq', 'views', 3, 1],
  ['ne', 'views', 3, ARTICLES - 1],
  ['lt', 'views', 3, 2],
  ['lte', 'views', 3, 3],
  ['gt', 'views', 3, ARTICLES - 3],
  ['gte', 'views', 3, ARTICLES - 2],
  ['in', 'views', [1, 2], 2],
  ['nin', 'views', [1, 2], ARTICLES - 2],
  ['contains', 'title', 'article', ARTICLES],
  ['ncontains', 'title', 'article', 0],
  ['containss', 'title', 'article', 0],
  ['startswith', 'title', 'Article 6', 2],
  ['endswith', 'title', '60', 1],
  ['null', 'author', true, 0],
  ['nnull', 'author', true, ARTICLES],
  ['between', 'views', [3, 5], 3],
] as const;

async function refine({ api }: Blog): Promise<Check[]> {
  const axios = require('axios');
  const { AuthHelper, DataProvider } = require('@refinedev/strapi-v4');
  const http = (axios.default ?? axios).create();
  const provider = DataProvider(api, http);
  const ann = user();
  let id = '';
  return [
    [
      'signs in and asks who it is',
      async () => {
        await http.post(`${api}/auth/local/register`, ann);
        const { data } = await AuthHelper(api).login(ann.email, ann.password);
        http.defaults.headers.common['Authorization'] = `Bearer ${data.jwt}`;
        assert.equal((await AuthHelper(api).me(data.jwt)).data.username, ann.username);
      },
    ],
    [
      'getList with pages, sort, filters and meta.populate',
      async () => {
        const { data, total } = await provider.getList({
          resource: 'articles',
          pagination: { currentPage: 2, current: 2, pageSize: 10 },
          sorters: [{ field: 'views', order: 'asc' }],
          filters: [
            { field: 'author.name', operator: 'eq', value: 'Ann' },
            {
              operator: 'or',
              value: [
                { field: 'title', operator: 'contains', value: 'Article' },
                { field: 'views', operator: 'lt', value: 0 },
              ],
            },
          ],
          meta: { populate: ['author'] },
        });
        assert.deepEqual([data.length, total, data[0].views], [10, ARTICLES / 2, 22]);
      },
    ],
    [
      'create, getOne, update and deleteOne',
      async () => {
        const made = (await provider.create({ resource: 'articles', variables: { title: 'New' } })).data;
        id = (made.data ?? made).documentId;
        assert.equal((await provider.getOne({ resource: 'articles', id })).data.title, 'New');
        assert.equal(
          titleOf((await provider.update({ resource: 'articles', id, variables: { title: 'Newer' } })).data),
          'Newer',
        );
        await provider.deleteOne({ resource: 'articles', id });
      },
    ],
    [
      'every operator that the protocol has',
      async () => {
        const asked = await Promise.all(
          OPERATORS.map(async ([operator, field, value]) => {
            const filters = [{ field, operator, value }];
            return [operator, (await provider.getList({ resource: 'articles', filters })).total];
          }),
        );
        assert.deepEqual(
          asked,
          OPERATORS.map(([operator, , , total]) => [operator, total]),
        );
      },
    ],
    [
      'the same lists in the v4 format',
      async () => {
        const v4 = (axios.default ?? axios).create({ headers: { 'Strapi-Response-Format': 'v4' } });
        const { data, total } = await DataProvider(api, v4).getList({
          resource: 'articles',
          sorters: [{ field: 'views', order: 'asc' }],
          meta: { populate: { author: { fields: ['name'] } }, locale: 'en', fields: ['title'] },
        });
        assert.deepEqual([data[0].title, data[0].author.name, total], ['Article 1', 'Bob', ARTICLES]);
      },
    ],
    [
      'getMany by ids',
      async () => {
        const { data } = await provider.getList({ resource: 'authors' });
        const many = await provider.getMany({ resource: 'authors', ids: data.map((one: any) => one.id) });
        assert.equal(many.data.length, 2);
      },
    ],
    [
      'errors reach the form',
      async () => {
        await assert.rejects(
          provider.create({ resource: 'articles', variables: {} }),
          (error: any) => 'title' in (error.errors ?? {}),
        );
      },
    ],
  ];
}

async function nuxt({ origin }: Blog): Promise<Check[]> {
  const { config } = await load('./nuxt-imports.mjs');
  Object.assign(config.strapi, { url: origin });
  (globalThis as any).$fetch = (await load('ofetch')).$fetch;
  const runtime = './node_modules/@nuxtjs/strapi/dist/runtime';
  const { useStrapi } = await load(`${runtime}/composables-v5/useStrapi.js`);
  const { useStrapiAuth } = await load(`${runtime}/composables/useStrapiAuth.js`);
  const { find, findOne, create, update, delete: remove } = useStrapi();
  const auth = useStrapiAuth();
  const ann = user();
  return [
    [
      'find and findOne',
      async () => {
        const { data } = await find('articles', {
          populate: ['author'],
          sort: 'views',
          pagination: { pageSize: 3 },
        });
        assert.deepEqual([data.length, data[0].author.name], [3, 'Bob']);
        assert.equal((await findOne('articles', data[0].documentId)).data.title, 'Article 1');
      },
    ],
    [
      'a 403 is its error object',
      async () => {
        await assert.rejects(create('articles', { title: 'x' }), (error: any) => error.error.status === 403);
      },
    ],
    [
      'registers, signs in, fetches its user with the role',
      async () => {
        await auth.register(ann);
        auth.logout();
        const { user: found } = await auth.login({ identifier: ann.email, password: ann.password });
        assert.deepEqual([found.value.username, found.value.role.type], [ann.username, 'authenticated']);
      },
    ],
    [
      'creates, changes and deletes',
      async () => {
        const { documentId } = (await create('articles', { title: 'New' })).data;
        assert.equal((await update('articles', documentId, { title: 'Newer' })).data.title, 'Newer');
        await remove('articles', documentId);
      },
    ],
    [
      'a single type',
      async () => {
        await update('homepage', { heading: 'Nuxt' });
        assert.equal((await findOne('homepage')).data.heading, 'Nuxt');
      },
    ],
  ];
}

async function astro({ api }: Blog): Promise<Check[]> {
  const { strapiLoader } = await load('strapi-community-astro-loader');
  return [
    [
      'loads every page of a collection',
      async () => {
        const stored = new Map<string, any>();
        const quiet = { info: () => undefined, debug: () => undefined };
        await strapiLoader({ contentType: 'article', clientConfig: { baseURL: api } }).load({
          meta: new Map(),
          logger: quiet,
          generateDigest: () => 'digest',
          parseData: async ({ data }: any) => data,
          store: { set: (one: any) => stored.set(one.id, one.data) },
        });
        assert.equal(stored.size, ARTICLES);
      },
    ],
  ];
}

async function gatsby({ origin, token }: Blog): Promise<Check[]> {
  const { sourceNodes } = require('gatsby-source-strapi/dist/gatsby-node.js');
  const panics: unknown[] = [];
  const source = async (options: object): Promise<any[]> => {
    const nodes: any[] = [];
    const cache = new Map();
    await sourceNodes(
      {
        actions: {
          createNode: (node: any) => nodes.push(node),
          touchNode: () => undefined,
          deleteNode: () => undefined,
        },
        createContentDigest: () => 'digest',
        createNodeId: (id: string) => id,
        reporter: { info: () => undefined, panic: (...args: unknown[]) => panics.push(args) },
        getCache: () => cache,
        store: {},
        cache,
        getNodes: () => [],
        getNode: () => undefined,
      },
      { apiURL: origin, accessToken: token, skipFileDownloads: true, queryLimit: 20, ...options },
    );
    return nodes;
  };
  const count = (nodes: any[], type: string): number =>
    new Set(nodes.filter(({ internal }) => internal.type === type).map(({ id }) => id)).size;
  return [
    [
      'reads the model, all pages of collections and single types',
      async () => {
        const nodes = await source({
          collectionTypes: [
            {
              singularName: 'article',
              queryParams: { populate: { author: true, seo: true, zone: { populate: '*' } } },
            },
            'author',
          ],
          singleTypes: ['homepage'],
        });
        assert.deepEqual(panics, []);
        assert.deepEqual(
          ['STRAPI_ARTICLE', 'STRAPI_HOMEPAGE'].map((type) => count(nodes, type)),
          [ARTICLES, 1],
        );
      },
    ],
    [
      'previews drafts',
      async () => {
        const nodes = await source({
          collectionTypes: [{ singularName: 'article', queryParams: { publicationState: 'preview' } }],
        });
        assert.equal(count(nodes, 'STRAPI_ARTICLE'), ARTICLES);
      },
    ],
  ];
}

async function blocks({ api }: Blog): Promise<Check[]> {
  const { createElement } = require('react');
  const { renderToStaticMarkup } = require('react-dom/server');
  const { BlocksRenderer } = require('@strapi/blocks-react-renderer');
  return [
    [
      'renders a blocks attribute',
      async () => {
        const { data } = (await (await fetch(`${api}/articles?pagination[pageSize]=1`)).json()) as any;
        assert.deepEqual(data[0].body, [PARAGRAPH]);
        assert.equal(
          renderToStaticMarkup(createElement(BlocksRenderer, { content: data[0].body })),
          '<p><strong>Hello</strong></p>',
        );
      },
    ],
  ];
}

/** Query strings that front ends build without a library. */
async function queryStrings({ api, token }: Blog): Promise<Check[]> {
  const qs = require('qs');
  const ask = async (query: object, options: object = {}): Promise<any> => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${api}/articles?${qs.stringify(query, options)}`, { headers })).json();
  };
  const query = {
    fields: ['title', 'views'],
    populate: { author: { fields: ['name'] }, zone: { on: { 'shared.seo': { populate: ['image'] } } } },
    filters: { views: { $in: [1, 2, 4] }, author: { name: { $in: ['Ann', 'Bob'] } } },
    sort: ['author.name:desc', 'views:asc'],
    pagination: { page: 1, pageSize: 10 },
  };
  const forms = ['indices', 'brackets', 'repeat'].flatMap((arrayFormat) =>
    [true, false].map((encodeValuesOnly) => ({ arrayFormat, encodeValuesOnly })),
  );
  return [
    [
      'lists in any array format, encoded or not',
      async () => {
        for (const form of forms) {
          const { data } = await ask(query, form);
          assert.deepEqual(
            data.map(({ views, author }: any) => [views, author.name]),
            [
              [1, 'Bob'],
              [2, 'Ann'],
              [4, 'Ann'],
            ],
          );
          assert.equal(data[0].zone[0].image, null);
        }
      },
    ],
    [
      'groups of conditions, to any depth',
      async () => {
        const some = { $or: [{ views: 1 }, { $and: [{ author: { name: 'Ann' } }, { views: { $lt: 5 } }] }] };
        const { data } = await ask({ filters: { $not: { $not: some } }, sort: 'views' });
        assert.deepEqual(
          data.map(({ views }: any) => views),
          [1, 2, 4],
        );
      },
    ],
    [
      'null with `strictNullHandling`; without it, what compares with nothing is a 400',
      async () => {
        const unset = { filters: { cover: null } };
        assert.equal((await ask(unset, { strictNullHandling: true })).meta.pagination.total, ARTICLES);
        const { error } = await ask(unset);
        assert.deepEqual([error.status, error.details.path], [400, 'cover']);
      },
    ],
    [
      'dates, and lists of 150 values',
      async () => {
        const views = { $in: Array.from({ length: 150 }, (_, n) => n) };
        const { meta } = await ask({ filters: { views, createdAt: { $lt: new Date() } } });
        assert.equal(meta.pagination.total, ARTICLES);
      },
    ],
  ];
}

export const CLIENTS: readonly Client[] = [
  { name: '@strapi/client', checks: strapiClient },
  { name: 'strapi-sdk-js', checks: sdk },
  { name: 'strapi-js', checks: strapiJs },
  { name: '@kmariappan/strapi-client-js', checks: queryBuilder },
  { name: '@refinedev/strapi-v4', checks: refine },
  { name: '@nuxtjs/strapi', checks: nuxt },
  { name: 'strapi-community-astro-loader', checks: astro },
  { name: '@sensinum/astro-strapi-loader', checks: sensinumLoader },
  { name: 'gatsby-source-strapi', checks: gatsby },
  { name: '@strapi/blocks-react-renderer', checks: blocks },
  { name: 'vue-strapi-blocks-renderer', checks: vueBlocks },
  { name: 'ra-strapi', checks: reactAdmin },
  { name: 'qs', checks: queryStrings },
];
