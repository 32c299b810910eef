/** Stamps of several writes in one transaction of the application, of which the ETags are made: no two are equal. */
import type { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { CONTENT_ORM, type ContentService, defineCollectionType, getContentToken } from 'nestjs-content-api';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  localized: true,
  attributes: {
    title: { type: 'string', localized: true },
    code: { type: 'string' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'articles' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: {
    articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'tags' },
  },
});

interface World {
  readonly articles: ContentService;
  readonly tags: ContentService;
  readonly one: string;
  readonly em: SqlEntityManager;
}

/** Writes that change the draft and the published version of the article in the default locale. */
const WRITES: Readonly<Record<string, (world: World, value: string) => Promise<unknown>>> = {
  'its title': ({ articles, one, em }, title) =>
    articles.update(one, { title }, { status: 'published' }, { em }),
  'its links': async ({ articles, tags, one, em }) => {
    const { documentId } = await tags.create({}, {}, { em });
    await articles.update(one, { tags: [documentId] }, { status: 'published' }, { em });
  },
  'its links from a tag': ({ tags, one, em }) => tags.create({ articles: [one] }, {}, { em }),
  'its shared value from another locale': ({ articles, one, em }, code) =>
    articles.update(one, { code }, { locale: 'fr', status: 'published' }, { em }),
  publishing: async ({ articles, one, em }, title) => {
    await articles.update(one, { title }, {}, { em });
    await articles.publish(one, {}, { em });
  },
};
const NAMES = Object.keys(WRITES);

describe.each(adaptersFor('express'))('ETags of writes in one transaction on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [article, tag],
        locales: ['en', 'fr'],
        access: { public: { '*': '*' } },
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const serviceOf = (name: string): ContentService =>
    test.app.get<ContentService>(getContentToken(name), { strict: false });
  const make = async (): Promise<Omit<World, 'em'>> => {
    const [articles, tags] = [serviceOf('article'), serviceOf('tag')];
    const linked = await tags.create({});
    const { documentId: one } = await articles.create(
      { title: 'new', tags: [linked.documentId] },
      { status: 'published' },
    );
    await articles.update(one, { title: 'neuf' }, { locale: 'fr', status: 'published' });
    return { articles, tags, one };
  };

  it.each(NAMES.flatMap((first) => NAMES.map((second) => [first, second] as const)))(
    'If-Match: each gives the versions a new stamp (%s, then %s)',
    async (first, second) => {
      const made = await make();
      const { em } = test.app.get<MikroORM>(CONTENT_ORM, { strict: false });
      const stamps = await em.fork().transactional(async (inner) => {
        const world = { ...made, em: inner as SqlEntityManager };
        const all: string[] = [];
        const note = async (): Promise<void> => {
          const rows = await world.em.execute<{ stamp: string }[]>(
            `select concat_ws(' ', id, xmin, updated_at) as stamp from articles where locale = 'en' and document_id = ?`,
            [made.one],
          );
          all.push(...rows.map(({ stamp }) => stamp));
        };
        await note();
        await WRITES[first]?.(world, 'first');
        await note();
        await WRITES[second]?.(world, 'second');
        await note();
        return all;
      });
      expect([stamps.length, new Set(stamps).size]).toEqual([6, 6]);
    },
  );
});
