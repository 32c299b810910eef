/** Documents that a write links are looked up by their index, also in a table that has grown since its analysis. */
import { defineCollectionType } from 'nestjs-content-api';
import { createTestApp, recordBatches, type TestApp } from '../support/app.ts';

const author = defineCollectionType({
  singularApiId: 'author',
  pluralApiId: 'authors',
  attributes: { name: { type: 'string' } },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  draftAndPublish: true,
  attributes: { name: { type: 'string' } },
});
const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  attributes: {
    author: { type: 'relation', relation: 'manyToOne', target: 'author' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag' },
  },
});
const DATA = { author: 'a7', tags: ['t1', 't2'] };

describe('a write that links documents', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({ contentTypes: [author, tag, story], access: { public: { '*': '*' } } });
    await insert(1, 10);
    await test.sql('analyze authors, tags');
    await insert(11, 1000);
  });
  afterAll(() => test.close());

  /** Inserts authors and tags with the numbers `from` to `to`. */
  async function insert(from: number, to: number): Promise<void> {
    await test.sql(`insert into authors (document_id, created_at, updated_at, published, locale)
      select 'a' || n, now(), now(), true, 'en' from generate_series(${from}, ${to}) n`);
    await test.sql(`insert into tags (document_id, created_at, updated_at, published, locale, published_at)
      select 't' || n, now(), now(), p, 'en', case when p then now() end
      from generate_series(${from}, ${to}) n cross join unnest(array[false, true]) p`);
  }
  const send = (data: object) => test.http.post('/api/stories').send({ data });
  const remove = (name: string) => test.sql(`delete from authors where document_id = '${name}'`);

  it.each<[string, () => Promise<unknown>]>([
    ['of a new document', () => send(DATA).expect(201)],
    [
      'of a document that exists',
      async () => {
        const { body } = await send({}).expect(201);
        await test.http.put(`/api/stories/${body.data.documentId}`).send({ data: DATA }).expect(200);
      },
    ],
    ['that are missing', () => remove('a9').then(() => send({ ...DATA, author: 'a9' }).expect(400))],
    [
      'of several documents',
      () =>
        test.http
          .post('/api/stories/bulk')
          .send({ data: [1, 2].map(() => ({ action: 'create', data: DATA })) })
          .expect(200),
    ],
  ])('looks them up by their index: %s', async (_title, write) => {
    const batches = await recordBatches(async () => {
      await write();
    });
    const texts = batches.flat().filter((text) => /from "(authors|tags)" x/.test(text));
    expect(texts.length).toBeGreaterThan(0);
    await test.sql('set plan_cache_mode = force_generic_plan');
    for (const text of texts) {
      await test.sql(`prepare shown as ${text}`);
      const values = [...new Set(text.match(/\$\d+/g))].map(() => 'null');
      const plan = await test.sql(`explain execute shown(${values.join(', ')})`);
      await test.sql('deallocate shown');
      expect(plan.map((row) => row['QUERY PLAN']).join('\n')).not.toMatch(/Seq Scan on (authors|tags)/);
    }
  });
});
