/** Checks of clients that their users wrote, and not Strapi. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Check } from './check.ts';
import { load, require } from './installed/load.mjs';
import { ARTICLES, type Blog } from './server.ts';

export const user = (): { username: string; email: string; password: string } => {
  const username = `u${randomUUID().slice(0, 8)}`;
  return { username, email: `${username}@example.com`, password: 'a long password' };
};

export async function strapiJs({ origin, token }: Blog): Promise<Check[]> {
  const { newStrapiSdk } = await load('strapi-js');
  const { auth, users, content, upload } = newStrapiSdk({ url: origin, prefix: '/api', version: 'v5' });
  const ann = user();
  const full = { token };
  let own = { token: '' };
  return [
    [
      'registers, signs in, knows who it is, changes its password',
      async () => {
        await auth.localRegister(ann);
        const { jwt } = await auth.login({ identifier: ann.email, password: ann.password });
        assert.equal((await users.me({ token: jwt })).username, ann.username);
        const password = 'another password';
        const change = { currentPassword: ann.password, password, passwordConfirmation: password };
        own = { token: (await auth.changePassword(change, { token: jwt })).jwt };
        assert.equal((await auth.utilGetCurrentUser(own)).email, ann.email);
      },
    ],
    [
      'lists with filters, sort, fields, populate, pagination and locale',
      async () => {
        const params = {
          filters: { views: { $gte: 3 } },
          sort: ['views:desc'],
          fields: ['title'],
          populate: { author: { fields: ['name'] } },
          pagination: { page: 1, pageSize: 2 },
          locale: 'en',
        };
        const { data, meta } = await content.find('articles', { params });
        assert.deepEqual([data.length, data[0].author.name, meta.pagination.total], [2, 'Ann', ARTICLES - 2]);
      },
    ],
    [
      'creates a draft, publishes, reads and deletes it',
      async () => {
        const draft = { params: { status: 'draft' } };
        const made = await content.create('articles', { data: { title: 'New' } }, { ...own, ...draft });
        const id = made.data.documentId;
        await assert.rejects(content.findOne('articles', id), { status: 404, name: 'NotFoundError' });
        await content.update('articles', id, { data: { views: 7 } }, own);
        assert.equal((await content.findOne('articles', id)).data.views, 7);
        await content.delete('articles', id, own);
      },
    ],
    [
      'uploads a file into an attribute, reads and deletes it',
      async () => {
        const { data } = await content.create('articles', { data: { title: 'New' } }, own);
        const files = new Blob(['hello'], { type: 'text/plain' });
        const place = { ref: 'api::article.article', refId: data.id, field: 'cover' };
        const [file] = await upload.upload({ ...place, files }, full);
        const params = { populate: 'cover' };
        const found = await content.findOne('articles', data.documentId, { ...full, params });
        assert.equal(found.data.cover.id, file.id);
        assert.equal((await upload.getFileById(file.id, full)).mime, 'text/plain');
        await upload.deleteFileById(file.id, full);
        await content.delete('articles', data.documentId, full);
      },
    ],
    [
      'reads, changes and deletes a user',
      async () => {
        const { id } = await users.me(own);
        await users.updateUserById(id, { username: `${ann.username}-2` }, full);
        assert.equal((await users.getUserById(id, full)).username, `${ann.username}-2`);
        await users.deleteUserById(id, full);
      },
    ],
  ];
}

/** Filters of the builder on the articles: method, arguments, total. */
const METHODS = [
  ['equalTo', ['views', 3], 1],
  ['notEqualTo', ['views', 3], ARTICLES - 1],
  ['lessThan', ['views', 3], 2],
  ['greaterThanOrEqualTo', ['views', 3], ARTICLES - 2],
  ['contains', ['title', 'article'], ARTICLES],
  ['notContains', ['title', 'article'], 0],
  ['containsCaseSensitive', ['title', 'article'], 0],
  ['isNull', ['author', 'true'], 0],
  ['between', ['views', [3, 5]], 3],
  ['startsWith', ['title', 'Article 6'], 2],
  ['endsWith', ['title', '60'], 1],
  ['filterDeep', ['author.name', 'eq', 'Ann'], ARTICLES / 2],
  ['filterDeep', ['author.name', 'in', ['Ann', 'Bob']], ARTICLES],
  ['setLocale', ['en'], ARTICLES],
] as const;

export async function queryBuilder({ api, token }: Blog): Promise<Check[]> {
  const { createClient } = require('@kmariappan/strapi-client-js');
  const client = createClient({ url: api, apiToken: token });
  const articles = () => client.from('articles');
  return [
    [
      'lists with every filter that its page names',
      async () => {
        const totals = await Promise.all(
          METHODS.map(async ([method, args]) => {
            const builder = articles().select(['title']);
            const { meta } = await builder[method](...args).get();
            return [method, meta.pagination.total];
          }),
        );
        assert.deepEqual(
          totals,
          METHODS.map(([method, , total]) => [method, total]),
        );
      },
    ],
    [
      'populates one level, chosen fields and two levels; sorts and pages',
      async () => {
        const from = () =>
          articles()
            .select(['title'])
            .sortBy([{ field: 'views', order: 'desc' }]);
        const deep = [
          { path: 'author', fields: ['name'], children: [{ key: 'articles', fields: ['title'] }] },
        ];
        const [all, chosen, nested] = await Promise.all([
          from().paginate(2, 5).populate().get(),
          from().paginateByOffset(1, 2).populateWith('author', ['name']).get(),
          from().populateDeep(deep).get(),
        ]);
        assert.deepEqual([all.data.length, all.data[0].title], [5, `Article ${ARTICLES - 5}`]);
        assert.deepEqual([chosen.meta.pagination.start, chosen.data[0].author.name], [1, 'Bob']);
        assert.equal(nested.data[0].author.articles.length, ARTICLES / 2);
      },
    ],
    [
      'creates, changes and deletes one and many',
      async () => {
        const { data } = await articles().create({ title: 'New' });
        assert.equal((await articles().update(data.documentId, { views: 3 })).data.views, 3);
        await articles().deleteOne(data.documentId);
        await articles().createMany([{ title: 'Many' }, { title: 'Many' }]);
        const many = (await articles().select().equalTo('title', 'Many').get()).data;
        assert.equal(many.length, 2);
        await articles().deleteMany(many.map(({ documentId }: any) => documentId));
      },
    ],
    [
      'registers, signs in and knows who it is; lists users; has the error of a refusal',
      async () => {
        const visitor = createClient({ url: api });
        const ann = user();
        await visitor.auth.signUp(ann);
        visitor.setToken((await visitor.auth.signIn(ann)).data.jwt);
        assert.equal((await visitor.auth.getMe()).data.username, ann.username);
        assert.ok((await client.from('users').select().get()).data.length > 0);
        assert.equal((await articles().create({})).error.name, 'ValidationError');
      },
    ],
  ];
}

/** Loads a collection as Astro does, with the schema that the loader made of the model. */
async function loadCollection({ loader, schema }: any): Promise<any[]> {
  const stored: any[] = [];
  await loader.load({
    logger: { info: () => undefined },
    store: { clear: () => undefined, set: ({ data }: any) => stored.push(data) },
    generateDigest: () => 'digest',
    parseData: async ({ data }: any) => schema.parse(data),
  });
  return stored;
}

export async function sensinumLoader({ origin: url, token }: Blog): Promise<Check[]> {
  const { generateCollections, fetchContent } = await load('@sensinum/astro-strapi-loader');
  return [
    [
      'makes schemas of the model, and loads all types',
      async () => {
        const collections = await generateCollections({ url, token }, []);
        assert.deepEqual(Object.keys(collections), ['articles', 'authors', 'products', 'homepage']);
        const all = await Promise.all(Object.values(collections).map(loadCollection));
        assert.deepEqual(
          all.map(({ length }) => length),
          [25, 2, 3, 1],
        );
      },
    ],
    [
      'loads types with filters, sort, populate and pagination',
      async () => {
        const query = {
          filters: { views: { $gt: 50 } },
          populate: { author: true, seo: { populate: ['image'] }, zone: { populate: '*' } },
          sort: ['publishedAt:desc'],
          pagination: { pageSize: 100 },
        };
        const { articles } = await generateCollections({ url, token, strict: true }, [
          { name: 'articles', query },
        ]);
        const stored = await loadCollection(articles);
        assert.deepEqual([stored.length, stored[0].author.name], [ARTICLES - 50, 'Ann']);
      },
    ],
    [
      'fetches content outside a collection',
      async () => {
        const queryParams = 'sort=views&pagination[pageSize]=1';
        const { data } = await fetchContent({ url, token, contentType: 'articles', queryParams });
        assert.equal(data[0].title, 'Article 1');
      },
    ],
  ];
}

export async function vueBlocks({ api }: Blog): Promise<Check[]> {
  const { createSSRApp, h } = require('vue');
  const { renderToString } = require('vue/server-renderer');
  const { StrapiBlocks } = await load('vue-strapi-blocks-renderer');
  return [
    [
      'renders a blocks attribute',
      async () => {
        const { data } = (await (await fetch(`${api}/articles?pagination[pageSize]=1`)).json()) as any;
        const page = await renderToString(
          createSSRApp({ render: () => h(StrapiBlocks, { content: data[0].body }) }),
        );
        assert.match(page, /<p><strong>Hello<\/strong><\/p>/);
      },
    ],
  ];
}
