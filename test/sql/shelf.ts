/** A small model with every kind of join, a database with known rows, and readable statements. */
import { DEFAULT_SETTINGS } from '../../src/kernel/settings.ts';
import {
  type ContentService,
  defineCollectionType,
  defineComponent,
  getContentToken,
  Permissions,
} from 'nestjs-content-api';
import { type Request, buildSchema, resolveSettings, statementOf } from '../fuzz/internals.ts';
import { countStatements, createTestApp, type TestApp } from '../support/app.ts';

const point = defineComponent({ uid: 'shelf.point', attributes: { text: { type: 'string' } } });

const seo = defineComponent({
  uid: 'shelf.seo',
  attributes: {
    title: { type: 'string' },
    weight: { type: 'integer' },
    by: { type: 'relation', relation: 'manyToOne', target: 'author' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag' },
    points: { type: 'component', component: 'shelf.point', repeatable: true },
  },
});

const quote = defineComponent({
  uid: 'shelf.quote',
  attributes: { text: { type: 'string' }, by: { type: 'relation', relation: 'manyToOne', target: 'author' } },
});

const post = defineCollectionType({
  singularApiId: 'post',
  pluralApiId: 'posts',
  draftAndPublish: true,
  localized: true,
  attributes: {
    title: { type: 'string', localized: true },
    views: { type: 'integer' },
    secret: { type: 'string', private: true },
    author: { type: 'relation', relation: 'manyToOne', target: 'author', inversedBy: 'posts' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'posts' },
    seo: { type: 'component', component: 'shelf.seo' },
    zone: { type: 'dynamiczone', components: ['shelf.quote', 'shelf.seo'] },
    cover: { type: 'media' },
    gallery: { type: 'media', multiple: true },
  },
});

const author = defineCollectionType({
  singularApiId: 'author',
  pluralApiId: 'authors',
  attributes: {
    name: { type: 'string' },
    age: { type: 'integer' },
    posts: { type: 'relation', relation: 'oneToMany', target: 'post', mappedBy: 'author' },
    home: { type: 'relation', relation: 'oneToOne', target: 'place', inversedBy: 'owner' },
  },
});

const place = defineCollectionType({
  singularApiId: 'place',
  pluralApiId: 'places',
  attributes: {
    city: { type: 'string' },
    owner: { type: 'relation', relation: 'oneToOne', target: 'author', mappedBy: 'home' },
  },
});

const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: {
    name: { type: 'string' },
    posts: { type: 'relation', relation: 'manyToMany', target: 'post', mappedBy: 'tags' },
  },
});

const shelf = {
  contentTypes: [post, author, place, tag],
  components: [point, seo, quote],
  locales: ['en', 'fr'],
  access: { public: { '*': '*' as const } },
};

const schema = buildSchema(shelf.contentTypes, shelf.components);
const settings = resolveSettings({ locales: shelf.locales });

/** Ids of the rows that {@link fillShelf} makes. */
export type Ids = Readonly<
  Record<'one' | 'two' | 'three' | 'ann' | 'bob' | 'oslo' | 'red' | 'blue' | 'lone', string>
>;

/**
 * Creates three published posts and a draft. `one` is by Ann, with both tags and all attributes, also in
 * French. `two` is by Bob, with the tag red and a changed draft. `three` has nothing.
 */
export async function fillShelf({ app, sql }: TestApp): Promise<Ids> {
  const of = (type: string): ContentService =>
    app.get<ContentService>(getContentToken(type), { strict: false });
  const create = async (type: string, data: object, query = {}): Promise<string> =>
    (await of(type).create(data, query)).documentId;
  const [first, second] = await sql(
    `insert into content_files (document_id, created_at, updated_at, published_at, published, locale, name, hash, mime, size, url, provider)
     select 'f' || n, now(), now(), now(), true, 'en', 'file ' || n, 'h' || n, 'image/png', n, '/uploads/' || n, 'local' from generate_series(1, 2) n returning id`,
  );
  const oslo = await create('place', { city: 'Oslo' });
  const ann = await create('author', { name: 'Ann', age: 40, home: oslo });
  const bob = await create('author', { name: 'Bob' });
  const red = await create('tag', { name: 'red' });
  const blue = await create('tag', { name: 'blue' });
  const lone = await create('tag', { name: 'lone' });
  const meta = {
    title: 'meta one',
    weight: 5,
    by: bob,
    tags: [blue, red],
    points: [{ text: 'first' }, { text: 'second' }],
  };
  const zone = [
    { __component: 'shelf.quote', text: 'to be', by: ann },
    { __component: 'shelf.seo', title: 'in zone', weight: 1 },
    { __component: 'shelf.quote', text: 'or not', by: null },
  ];
  const one = await create('post', {
    title: 'Post one',
    views: 10,
    secret: 'x',
    author: ann,
    tags: [blue, red],
    seo: meta,
    zone,
    cover: first?.['id'],
    gallery: [second?.['id'], first?.['id']],
  });
  const two = await create('post', {
    title: 'Post two',
    views: 2_000_000,
    author: bob,
    tags: [red],
    seo: { title: 'meta two', weight: 2 },
  });
  const three = await create('post', { title: 'Post three' });
  await create('post', { title: 'Post four', views: 5, author: ann }, { status: 'draft' });
  await of('post').update(two, { title: 'Post two changed' }, { status: 'draft' });
  await of('post').update(one, { title: 'Article un' }, { locale: 'fr' });
  return { one, two, three, ann, bob, oslo, red, blue, lone };
}

/** Returns the statement of a GET with all permissions. */
export const statement = (
  type: string,
  query: string,
  rest: Partial<Pick<Request, 'documentId' | 'format'>> = {},
): { readonly text: string; readonly values: readonly unknown[] } =>
  statementOf(query, { schema, settings, permissions: Permissions.ALL, type, ...rest });

/** Reduces white space to one space, and removes it inside brackets. */
export const squeeze = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/([([]) /g, '$1')
    .replace(/ ([)\]])/g, '$1')
    .trim();

/** Returns responses without ids, which differ between runs. */
export function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'id' && key !== 'documentId')
      .map(([key, nested]) => [key, bare(nested)]),
  );
}

/** Wraps a read in the size limit of its response, as the library sends it. */
function bounded(read: string): string {
  const bytes = DEFAULT_SETTINGS.limits.responseBytes;
  const total = read.endsWith(' as total') ? ', x.total' : ', x.stamp';
  return `select case when octet_length(x.data) <= ${bytes} then x.data end as data, coalesce(octet_length(x.data) > ${bytes}, false) as over${total} from (${read} offset 0) x`;
}

/** Removes the columns for the change log, and adds the count of totals. */
const withoutChangeLog = (sent: string): string =>
  sent
    .replace(/^select a\.\*, pg_current_snapshot.*? as server from \((.*) offset 0\) a$/, '$1')
    .replace(
      /coalesce\(\(select \(select coalesce\(sum\(t\.total\).* t where t\.type = '\S+' and t\.locale = '' and t\.published and t\.total = 1\)\), (.*?)\)\)::int4 as total/,
      '$1)::int4 as total',
    );

/** Sends a request and expects exactly one statement, the given one. */
export async function run(
  test: TestApp,
  path: string,
  query: string,
  expected: string,
  headers: Record<string, string> = {},
): Promise<any> {
  let body: unknown;
  const sent = await countStatements(async () => {
    body = (await test.http.get(`/api/${path}?${query}`).set(headers).expect(200)).body;
  });
  expect(sent.map(squeeze).map(withoutChangeLog)).toEqual([bounded(squeeze(expected))]);
  return body;
}

export const openShelf = (): Promise<TestApp> => createTestApp(shelf);
