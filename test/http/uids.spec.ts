/** Generated uids respect the maxLength of their attribute (protocol 14.17). */
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

describe('a generated uid', () => {
  let test: TestApp;
  beforeAll(
    async () =>
      void (test = await createTestApp({ contentTypes: [page], access: { public: { page: '*' } } })),
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
});
