/** Makes the mistakes of docs/troubleshooting.md, and compares their messages with the page. */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test } from '@nestjs/testing';
import { ContentModule, type ContentModuleOptions, defineCollectionType } from 'nestjs-content-api';
import { ApiTokensModule, apiTokenType, UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import type { Response } from 'supertest';
import { startHost } from '../http/helpers.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/troubleshooting.md'), 'utf8');
/** Headings with a status, as `400 Invalid key titel`. */
const headings = [...page.matchAll(/^## (\d{3} (?!but).*)$/gm)].map(([, heading = '']) => heading);
/** Text of a section, without its heading. */
const sectionOf = (heading: string): string => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

const author = defineCollectionType({
  singularApiId: 'author',
  pluralApiId: 'authors',
  attributes: { name: { type: 'string' } },
});
const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string', required: true },
    author: { type: 'relation', relation: 'manyToOne', target: 'author' },
  },
});
const contentTypes = [article, author, apiTokenType];

/** Largest body by default, in characters. */
const MEGABYTE = 1_048_576;

describe('docs/troubleshooting.md', () => {
  let open: TestApp;
  let closed: TestApp;
  let draft = '';
  const tested = new Set<string>();

  beforeAll(async () => {
    const common = { contentTypes, imports: [ApiTokensModule], strictParams: true };
    open = await createTestApp({ ...common, access: { public: { article: '*' } } });
    closed = await createTestApp(common);
    const { body } = await open.http.post('/api/articles?status=draft').send({ data: { title: 'x' } });
    draft = `/api/articles/${String(body.data.documentId)}`;
  });
  afterAll(async () => {
    await open.close();
    await closed.close();
  });

  const withToken = (value: string) => open.http.get('/api/articles').set('Authorization', value);
  const post = (body: object) => open.http.post('/api/articles').send(body);

  const mistakes: readonly (readonly [heading: string, title: string, () => PromiseLike<Response>])[] = [
    ['401 Missing or invalid credentials', 'nothing is granted', () => closed.http.get('/api/articles')],
    ['401 Missing or invalid credentials', 'a wrong token', () => withToken('Bearer nca_wrong')],
    ['401 Missing or invalid credentials', 'an empty token', () => withToken('Bearer ')],
    ['403 Forbidden', 'no grant', () => open.http.get('/api/authors')],
    ['404 Not Found', 'the singular', () => open.http.get('/api/article')],
    ['404 Not Found', 'a row id', () => open.http.put('/api/articles/1').send({ data: { title: 'y' } })],
    ['404 Not Found', 'a draft', () => open.http.get(draft)],
    ['405 Method Not Allowed', 'PATCH', () => open.http.patch(draft).send({ data: { title: 'y' } })],
    [
      '415 The body must be JSON',
      'a form',
      () => open.http.post('/api/articles').type('form').send('{"data":{"title":"x"}}'),
    ],
    ['413 request entity too large', 'a large body', () => post({ data: { title: 'x'.repeat(MEGABYTE) } })],
    ['400 Missing "data" payload in the request body', 'no data', () => post({ title: 'x' })],
    ['400 Invalid key titel', 'a misspelt attribute', () => post({ data: { titel: 'x', title: 'x' } })],
    ['400 Invalid key titel', 'a misspelt filter', () => open.http.get('/api/articles?filters[titel]=x')],
    [
      '400 Unexpected end of JSON input',
      'half a body',
      () => open.http.post('/api/articles').type('json').send('{"data":'),
    ],
  ];

  it.each(mistakes)('%s: %s', async (heading, _title, send) => {
    tested.add(heading);
    expect(headings).toContain(heading);
    const { status, body } = await send();
    expect(`${status} ${String(body.error.message)}`).toBe(heading);
  });

  it('503: missing tables, and a missing database', async () => {
    const seen = async (clientUrl: (url: string) => string): Promise<string> => {
      const host = await startHost((database) => ({
        imports: [
          ContentModule.forRoot({
            contentTypes: [author],
            access: { public: { author: '*' } },
            database: { clientUrl: clientUrl(database.url) },
          }),
        ],
      }));
      const { status, body } = (await fetch(`${host.url}/api/authors`).then(async (response) => ({
        status: response.status,
        body: await response.json(),
      }))) as { status: number; body: { error: { message: string } } };
      await host.close();
      return `${status} ${body.error.message}`;
    };
    const [tables, database] = headings.filter((heading) => heading.startsWith('503'));
    for (const heading of [tables, database]) tested.add(heading ?? '');
    expect((await seen((url) => url)).startsWith(String(tables))).toBe(true);
    expect(await seen((url) => url.replace(/\/[^/]*$/, '/missing_database'))).toBe(database);
  });

  it('has a test for every heading with a status', () => {
    expect(headings.length).toBeGreaterThan(9);
    expect(headings.filter((heading) => !tested.has(heading))).toEqual([]);
  });

  it('200: an ignored parameter, an omitted relation, and the largest page', async () => {
    const section = sectionOf('200, but not what you asked for');
    expect(section).toContain('`filter` or `where`');
    for (const name of ['filter[title]=none', 'where[title]=none']) {
      const { body } = await open.http.get(`/api/articles?${name}`).expect(400);
      expect(body.error.message).toBe(`Invalid key ${name.split(/[[=]/)[0] ?? ''}`);
    }
    const { body } = await open.http.get('/api/articles?status=draft&populate=author').expect(200);
    expect(body.data[0]).not.toHaveProperty('author');
    const all = await open.http.get('/api/articles?pagination[pageSize]=1000').expect(200);
    expect(section).toContain(`only ${String(all.body.meta.pagination.pageSize)} documents`);
  });

  const start = (options: object) => () => ContentModule.forRoot(options as ContentModuleOptions);
  const messages = [...sectionOf('The start').matchAll(/^\| `([^`]+)` \|/gm)].map(
    ([, message = '']) => message,
  );
  const initialised = (module: object) => async () => {
    const created = await Test.createTestingModule({ imports: [module as never] }).compile();
    await created.init();
  };

  const unconnected = ContentModule.forRoot({
    contentTypes: [author, ...userTypes()],
    database: { clientUrl: 'postgresql://localhost:1/none' },
  });

  it.each([
    [0, start({ contentTypes, acess: {} })],
    [1, start({ contentTypes: [article] })],
    [
      2,
      start({
        contentTypes: [{ ...author, attributes: { seo: { type: 'component', component: 'shared.seo' } } }],
      }),
    ],
    [3, initialised(ContentModule.forRoot({ contentTypes: [author], database: { clientUrl: '' } }))],
    [4, initialised(FilesModule.forRoot({ storage: new LocalStorage(tmpdir()) }))],
    [5, initialised({ module: class Own {}, imports: [unconnected, UsersModule.forRoot({ secret: '' })] })],
  ])('stops the start with message %s of the page', async (index, begin) => {
    expect(messages).toHaveLength(6);
    await expect((async () => begin())()).rejects.toThrow(messages[index]);
  });
});
