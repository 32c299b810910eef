/** Generated uids: their length, and the locales in which they are unique (protocol 14.17). */
import { defineCollectionType } from 'nestjs-content-api';
import { countStatements, createTestApp, type TestApp } from '../support/app.ts';

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string' },
    slug: { type: 'uid', targetField: 'title', generate: true, maxLength: 12 },
  },
});
const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  localized: true,
  attributes: {
    title: { type: 'string', localized: true },
    slug: { type: 'uid', targetField: 'title', generate: true },
  },
});

describe('a generated uid', () => {
  let test: TestApp;
  beforeAll(
    async () =>
      void (test = await createTestApp({
        contentTypes: [page, story],
        locales: ['en', 'fr'],
        access: { public: { '*': '*' } },
      })),
  );
  afterAll(() => test.close());

  it('is short enough, also with a number, and can be published', async () => {
    const slugs = new Set<string>();
    for (let i = 0; i < 12; i += 1) {
      const { documentId, slug } = (
        await test.http
          .post('/api/pages?status=draft')
          .send({ data: { title: 'Hello wonderful World' } })
          .expect(201)
      ).body.data;
      expect(slug.length).toBeLessThanOrEqual(12);
      slugs.add(slug);
      await test.http.put(`/api/pages/${documentId}`).send({ data: {} }).expect(200);
    }
    expect([...slugs].slice(0, 3)).toEqual(['hello', 'hello-1', 'hello-2']);
    expect(slugs.size).toBe(12);
  });

  it('14.17 has the first free number, also if many are taken', async () => {
    const data = Array.from({ length: 100 }, () => ({ action: 'create', data: { title: 'Many' } }));
    const { body } = await test.http.post('/api/stories/bulk?fields=slug').send({ data }).expect(200);
    const slugs = body.data.map(({ slug }: { slug: string }) => slug);
    expect(slugs).toEqual(slugs.map((_: string, n: number) => (n === 0 ? 'many' : `many-${n}`)));
    const post = async (): Promise<string> =>
      (
        await test.http
          .post('/api/stories')
          .send({ data: { title: 'Many' } })
          .expect(201)
      ).body.data.slug;
    for (const free of [97, 33, 5])
      await test.http.delete(`/api/stories/${body.data[free].documentId}`).expect(204);
    expect([await post(), await post(), await post(), await post()]).toEqual([
      'many-5',
      'many-33',
      'many-97',
      'many-100',
    ]);
  });

  it.each(['pages', 'stories'])('14.17 is found by the index of its column: %s', async (table) => {
    await test.sql(
      `insert into ${table} (document_id, created_at, updated_at, published, locale, title, slug)
       select 'bulk' || n, now(), now(), true, 'en', n, 's-' || n from generate_series(1, 3000) n`,
    );
    await test.sql(`analyze ${table}`);
    const statements = await countStatements(() =>
      test.http
        .post(`/api/${table}`)
        .send({ data: { title: 's' } })
        .expect(201),
    );
    const text = statements.find((one) => one.startsWith('select distinct')) ?? '';
    const explained = text.replace(/\$\d+::text\[\]/g, `array['s', 's-1']`).replace(/\$\d+::text/g, `'en'`);
    const plan = await test.sql(`explain ${explained}`);
    expect(JSON.stringify(plan)).toMatch(/Index (Only )?Scan (using|on) \w*slug/);
  });

  it('14.17 is unique in all locales if they share it', async () => {
    const post = async (query: string, data: object): Promise<any> =>
      (await test.http.post(`/api/stories${query}`).send({ data }).expect(201)).body.data;
    const english = await post('', { title: 'A' });
    expect([english.slug, (await post('?locale=fr', { title: 'A' })).slug]).toEqual(['a', 'a-1']);
    const { body } = await test.http
      .put(`/api/stories/${english.documentId}?locale=fr`)
      .send({ data: { title: 'B' } })
      .expect(200);
    expect(body.data.slug).toBe('a');
  });
});
