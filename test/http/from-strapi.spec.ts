/**
 * docs/from-strapi.md: its provider copies content from another server, here an application of this library.
 */
import type { Type } from '@nestjs/common';
import { defineCollectionType } from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';
import { snippetWith } from '../support/snippets.ts';

const author = defineCollectionType({
  singularApiId: 'author',
  pluralApiId: 'authors',
  attributes: { name: { type: 'string', required: true } },
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
const model = { contentTypes: [author, article], access: { public: { '*': '*' } } } as const;

interface Copier {
  run(api: string, token: string): Promise<void>;
}

describe('docs/from-strapi.md', () => {
  let old: TestApp;
  let here: TestApp;
  let copier: Type<Copier>;
  beforeAll(async () => {
    ({ Move: copier } = await snippetWith<{ Move: Type<Copier> }>('docs/from-strapi.md', 'class Move'));
    // The source accepts any credential.
    const strategies = [
      { name: 'any', authenticate: () => ({ kind: 'user', id: '1', roles: ['all'] }) as const },
    ];
    old = await createTestApp({
      ...model,
      auth: { strategies },
      access: { ...model.access, roles: { all: { '*': '*' } } },
    });
    here = await createTestApp({ ...model, providers: [copier] });
  });
  afterAll(async () => {
    await old.close();
    await here.close();
  });

  it('copies published versions, drafts and their authors', async () => {
    const ann = (await old.http.post('/api/authors').send({ data: { name: 'Ann' } })).body.data.documentId;
    const add = async (title: string, query = ''): Promise<string> =>
      (await old.http.post(`/api/articles${query}`).send({ data: { title, author: ann } })).body.data
        .documentId;
    await add('Published');
    const edited = await add('Edited');
    await old.http
      .put(`/api/articles/${edited}?status=draft`)
      .send({ data: { title: 'Edited again' } })
      .expect(200);
    await add('A draft alone', '?status=draft');
    // Creates more than one page of documents.
    for (let i = 0; i < 100; i += 1) await add(`Number ${i}`);

    await here.app.get<Copier>(copier).run(`${old.url}/api`, 'any');

    const shown = async (test: TestApp, query: string): Promise<unknown[]> => {
      const path = `/api/articles?fields=title&populate[author][fields]=name&sort=title&${query}`;
      const { body } = await test.http.get(path).expect(200);
      return [body.meta, ...body.data.map(({ title, author: by }: any) => [title, by.name])];
    };
    for (const query of [
      'pagination[pageSize]=100',
      'status=draft&pagination[pageSize]=100',
      'status=draft&publicationFilter=modified',
      'status=draft&publicationFilter=never-published',
    ])
      expect(await shown(here, query)).toEqual(await shown(old, query));
    expect(await shown(here, 'status=draft&publicationFilter=modified')).toContainEqual([
      'Edited again',
      'Ann',
    ]);
  });
});
