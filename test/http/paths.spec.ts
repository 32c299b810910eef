/** S34: access rules and private caching are the same for every spelling of a path. */
import { defineCollectionType } from 'nestjs-content-api';
import { ADAPTERS, type Adapter, createTestApp, type TestApp } from '../support/app.ts';
import { raw } from './helpers.ts';

const attributes = { title: { type: 'string' } } as const;
const article = defineCollectionType({ singularApiId: 'article', pluralApiId: 'articles', attributes });
const secret = defineCollectionType({ singularApiId: 'secret', pluralApiId: 'secrets', attributes });

const ID = 's'.repeat(24);

/** Spellings of a path, and the adapters that treat them as the usual one (both if not given). */
const SPELLINGS: readonly [string, (path: string) => string, (readonly Adapter[])?][] = [
  ['as it is', (path) => path],
  ['with a slash at its end', (path) => `${path}/`],
  ['with two slashes at its end', (path) => `${path}//`, []],
  ['with two slashes at its beginning', (path) => `/${path}`, []],
  ['with two slashes inside', (path) => path.replace('/api/', '/api//'), []],
  ['in upper case', (path) => path.replace(/\/api\/\w+/, (start) => start.toUpperCase()), ['express']],
  ['with an encoded letter in its prefix', (path) => path.replace('/api', '/%61pi'), ['fastify']],
  [
    'with an encoded letter in its name',
    (path) => path.replace(/\/(\w)(\w+s)\b/, (_all, a: string, rest: string) => `/%${hex(a)}${rest}`),
    ['fastify'],
  ],
  ['with an encoded slash', (path) => path.replace('/api/', '/api%2f'), []],
  ['with an encoded slash at its end', (path) => `${path}%2f`, []],
  ['by way of another', (path) => path.replace('/api/', '/api/nothing/../'), []],
  ['with a dot', (path) => path.replace('/api/', '/api/./'), []],
  ['with a backslash', (path) => path.replace('/api/', '/api\\'), []],
  ['with parameters after a semicolon', (path) => `${path};a=b`, []],
  ['with a NUL', (path) => `${path}%00`, []],
  ['with a query', (path) => `${path}?sort=title`],
  ['with a fragment', (path) => `${path}#sort`],
  ['with an origin', (path) => `http://elsewhere.example${path}`],
];

const hex = (letter: string): string => letter.charCodeAt(0).toString(16);

describe.each(ADAPTERS)('spellings of paths, on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      { contentTypes: [article, secret], access: { public: { article: ['find', 'findOne', 'delete'] } } },
      adapter,
    );
    for (const table of ['articles', 'secrets'])
      await test.sql(
        `insert into ${table} (document_id, created_at, updated_at, published, locale, title, revision)
         values ('${ID}', now(), now(), true, 'en', 'x', 0)`,
      );
  });
  afterAll(() => test.close());

  const USUAL = [
    ['GET', '/api/articles', 200],
    ['HEAD', '/api/articles', 200],
    ['GET', `/api/articles/${ID}`, 200],
    ['PUT', '/api/articles', 405],
    ['OPTIONS', '/api/articles', 204],
    ['GET', '/api/secrets', 403],
    ['HEAD', '/api/secrets', 403],
    ['GET', `/api/secrets/${ID}`, 403],
    ['DELETE', `/api/secrets/${ID}`, 403],
    ['POST', '/api/secrets', 403],
    ['PUT', `/api/secrets/${ID}`, 403],
  ] as const;

  it.each(SPELLINGS.map(([how]) => how))('%s', async (how) => {
    const [, spelled, routers = ADAPTERS] = SPELLINGS.find(([one]) => one === how) ?? ['', String];
    for (const [method, path, usual] of USUAL) {
      const { status, headers, text } = await raw(test.url, method, spelled(path));
      // Other paths are unknown routes or documents, with the same 404 response.
      const isAnother = !routers.includes(adapter);
      const expected = isAnother && usual === 200 ? [404] : isAnother ? [404, usual] : [usual];
      expect([method, path, expected.includes(status as 404) ? expected : status]).toEqual([
        method,
        path,
        expected,
      ]);
      if (status === 404) expect(text).not.toContain('title');
      else
        expect([method, path, headers['cache-control'], headers['vary']]).toEqual([
          method,
          path,
          'private, no-cache',
          'Authorization, Strapi-Response-Format',
        ]);
    }
    expect(await test.sql('select count(*)::int as n from secrets')).toEqual([{ n: 1 }]);
  });
});
