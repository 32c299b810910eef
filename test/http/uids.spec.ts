/** Generated uids: their length, and the locales in which they are unique (protocol 14.17). */
import { defineCollectionType } from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';

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
