/**
 * Exact statements of every kind of read, in `reads/`, with parameters and results on known rows. After a
 * deliberate change of the SQL, run `UPDATE_SQL=1 npm test -- test/sql` and review the difference.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { TestApp } from '../support/app.ts';
import { format } from './format.ts';
import { bare, fillShelf, type Ids, openShelf, run, squeeze, statement } from './shelf.ts';

interface Case {
  readonly file: string;
  readonly name: string;
  readonly type: 'post' | 'author' | 'place' | 'tag';
  readonly query: string;
  readonly values: readonly unknown[];
  readonly data: unknown;
  /** Absent for a list without a total. */
  readonly total?: number;
  readonly one?: keyof Ids;
  readonly v4?: boolean;
}

const stateOf = (status: string) => ({ status, locales: [{ locale: 'en', status }] });
const ONE = { title: 'Post one' };
const TWO = { title: 'Post two' };
const THREE = { title: 'Post three' };

const CASES: readonly Case[] = [
  {
    file: 'list',
    name: 'a plain list: the page, and an index-only count beside it',
    type: 'post',
    query: 'fields=title,views',
    values: ['en', 25],
    data: [
      { ...ONE, views: 10 },
      { ...TWO, views: 2_000_000 },
      { ...THREE, views: null },
    ],
    total: 3,
  },
  {
    file: 'list-uncounted',
    name: 'a list without a total',
    type: 'post',
    query: 'fields=title&pagination[withCount]=false',
    values: ['en', 25],
    data: [ONE, TWO, THREE],
  },
  {
    file: 'list-later-page',
    name: 'a later page: skipped rows cost no populate work',
    type: 'post',
    query: 'fields=title&pagination[page]=2&pagination[pageSize]=2&populate[author][fields]=name',
    values: ['en', 2, 2],
    data: [{ ...THREE, author: null }],
    total: 3,
  },
  {
    file: 'filter',
    name: 'a filtered list: the conditions are evaluated once, for the page and the total',
    type: 'post',
    query: 'fields=title&filters[views][$gte]=10&filters[title][$containsi]=T+O',
    values: ['en', 10, '%T O%', 25],
    data: [ONE],
    total: 1,
  },
  {
    file: 'filter-later-page',
    name: 'a later page of a filtered list, which may be empty',
    type: 'post',
    query: 'fields=title&filters[views][$gte]=10&pagination[start]=5&pagination[limit]=2',
    values: ['en', 10, 5, 2],
    data: [],
    total: 2,
  },
  {
    file: 'filter-to-many',
    name: 'a filter over a to-many relation',
    type: 'post',
    query: 'fields=title&filters[tags][name]=red',
    values: ['en', 'red', 25],
    data: [ONE, TWO],
    total: 2,
  },
  {
    file: 'filter-deep',
    name: 'a filter over several relations',
    type: 'tag',
    query: 'fields=name&filters[posts][author][home][city]=Oslo',
    values: ['en', 'Oslo', 25],
    data: [{ name: 'red' }, { name: 'blue' }],
    total: 2,
  },
  {
    file: 'filter-and',
    name: 'conditions on two related rows',
    type: 'post',
    query: 'fields=title&filters[$and][0][tags][name]=red&filters[$and][1][tags][name]=blue',
    values: ['en', 'red', 'blue', 25],
    data: [ONE],
    total: 1,
  },
  {
    file: 'filter-many',
    name: 'the fifth sub-query of conditions is fenced, so that planning stays cheap',
    type: 'tag',
    query: `fields=name&${[0, 1, 2, 3, 4].map((i) => `filters[$and][${i}][posts][views][$gt]=${i}`).join('&')}`,
    values: ['en', 0, 1, 2, 3, 4, 25],
    data: [{ name: 'red' }, { name: 'blue' }],
    total: 2,
  },
  {
    file: 'filter-nested-null',
    name: 'a nested $null, which a row without related rows satisfies too',
    type: 'post',
    query: 'fields=title&filters[author][age][$null]=true',
    values: ['en', 25],
    data: [TWO, THREE],
    total: 2,
  },
  {
    file: 'filter-not',
    name: '$not, pushed down to the comparisons',
    type: 'post',
    query: 'fields=title&filters[$not][$or][0][views][$gt]=15&filters[$not][$or][1][author][name]=Bob',
    values: ['en', 15, 'Bob', 25],
    data: [ONE],
    total: 1,
  },
  {
    file: 'filter-component',
    name: 'a filter through a component and a relation in it',
    type: 'post',
    query: 'fields=title&filters[seo][weight][$gt]=3&filters[seo][by][name]=Bob',
    values: ['en', 3, 'Bob', 25],
    data: [ONE],
    total: 1,
  },
  {
    file: 'filter-repeatable',
    name: 'a filter through a repeatable component',
    type: 'post',
    query: 'fields=title&filters[seo][points][text]=second',
    values: ['en', 'second', 25],
    data: [ONE],
    total: 1,
  },
  {
    file: 'sort-deep',
    name: 'a sort by related attributes, each row once, by its best',
    type: 'post',
    query: 'fields=title&sort=tags.name:desc,author.name',
    values: ['en', 25],
    data: [ONE, TWO, THREE],
    total: 3,
  },
  {
    file: 'sort-to-one',
    name: 'sorts through to-one relations: each table is joined once, and a missing target sorts as null',
    type: 'post',
    query: 'fields=title&sort=author.home.city:desc,author.name:desc,seo.by.name&status=draft',
    values: ['en', 25],
    data: [THREE, { title: 'Post two changed' }, ONE, { title: 'Post four' }],
    total: 4,
  },
  {
    file: 'sort-component',
    name: 'a sort by an attribute of a component',
    type: 'post',
    query: 'fields=title&sort[seo][weight]=desc',
    values: ['en', 25],
    data: [THREE, ONE, TWO],
    total: 3,
  },
  {
    file: 'populate-to-one',
    name: 'a to-one relation',
    type: 'post',
    query: 'fields=title&populate[author][fields]=name',
    values: ['en', 25],
    data: [
      { ...ONE, author: { name: 'Ann' } },
      { ...TWO, author: { name: 'Bob' } },
      { ...THREE, author: null },
    ],
    total: 3,
  },
  {
    file: 'populate-one-to-one-inverse',
    name: 'the other side of a one-to-one relation',
    type: 'place',
    query: 'fields=city&populate[owner][fields]=name',
    values: [25],
    data: [{ city: 'Oslo', owner: { name: 'Ann' } }],
    total: 1,
  },
  {
    file: 'populate-one-to-many',
    name: 'the many side of a one-to-many relation, filtered and sorted',
    type: 'author',
    query:
      'fields=name&populate[posts][fields]=title&populate[posts][filters][views][$gt]=1&populate[posts][sort]=title:desc',
    values: ['en', 1, 25],
    data: [
      { name: 'Ann', posts: [ONE] },
      { name: 'Bob', posts: [TWO] },
    ],
    total: 2,
  },
  {
    file: 'populate-many-to-many',
    name: 'a many-to-many relation, in the order of its links',
    type: 'post',
    query: 'fields=title&populate[tags][fields]=name',
    values: ['en', 25],
    data: [
      { ...ONE, tags: [{ name: 'blue' }, { name: 'red' }] },
      { ...TWO, tags: [{ name: 'red' }] },
      { ...THREE, tags: [] },
    ],
    total: 3,
  },
  {
    file: 'populate-many-to-many-inverse',
    name: 'the other side of a many-to-many relation',
    type: 'tag',
    query: 'fields=name&populate[posts][fields]=title',
    values: ['en', 25],
    data: [
      { name: 'red', posts: [ONE, TWO] },
      { name: 'blue', posts: [ONE] },
      { name: 'lone', posts: [] },
    ],
    total: 3,
  },
  {
    file: 'populate-count',
    name: 'a count instead of rows',
    type: 'tag',
    query: 'fields=name&populate[posts][count]=true',
    values: ['en', 25],
    data: [
      { name: 'red', posts: { count: 2 } },
      { name: 'blue', posts: { count: 1 } },
      { name: 'lone', posts: { count: 0 } },
    ],
    total: 3,
  },
  {
    file: 'populate-component',
    name: 'a component with a repeatable one and relations in it',
    type: 'post',
    query:
      'fields=title&populate[seo][populate][points]=true&populate[seo][populate][by][fields]=name&populate[seo][populate][tags][fields]=name',
    values: ['en', 25],
    data: [
      {
        ...ONE,
        seo: {
          title: 'meta one',
          weight: 5,
          points: [{ text: 'first' }, { text: 'second' }],
          by: { name: 'Bob' },
          tags: [{ name: 'blue' }, { name: 'red' }],
        },
      },
      { ...TWO, seo: { title: 'meta two', weight: 2, points: [], by: null, tags: [] } },
      { ...THREE, seo: null },
    ],
    total: 3,
  },
  {
    file: 'populate-zone',
    name: 'a zone, all of it',
    type: 'post',
    query: 'fields=title&populate[zone]=true',
    values: ['en', 25],
    data: [
      {
        ...ONE,
        zone: [
          { text: 'to be', __component: 'shelf.quote' },
          { title: 'in zone', weight: 1, __component: 'shelf.seo' },
          { text: 'or not', __component: 'shelf.quote' },
        ],
      },
      { ...TWO, zone: [] },
      { ...THREE, zone: [] },
    ],
    total: 3,
  },
  {
    file: 'populate-zone-on',
    name: 'a zone with fragments',
    type: 'post',
    query:
      'fields=title&populate[zone][on][shelf.quote][populate][by][fields]=name&populate[zone][on][shelf.quote][filters][text][$startsWith]=to',
    values: ['to%', 'en', 25],
    data: [
      { ...ONE, zone: [{ text: 'to be', by: { name: 'Ann' }, __component: 'shelf.quote' }] },
      { ...TWO, zone: [] },
      { ...THREE, zone: [] },
    ],
    total: 3,
  },
  {
    file: 'populate-media',
    name: 'media, one and several',
    type: 'post',
    query: 'fields=title&populate[cover][fields]=name&populate[gallery][fields]=name',
    values: ['en', 25],
    data: [
      { ...ONE, cover: { name: 'file 1' }, gallery: [{ name: 'file 2' }, { name: 'file 1' }] },
      { ...TWO, cover: null, gallery: [] },
      { ...THREE, cover: null, gallery: [] },
    ],
    total: 3,
  },
  {
    file: 'populate-localizations',
    name: 'the other locales of a document',
    type: 'post',
    query: 'fields=title&populate[localizations][fields]=title,locale',
    values: ['en', 25],
    data: [
      { ...ONE, localizations: [{ title: 'Article un', locale: 'fr' }] },
      { ...TWO, localizations: [] },
      { ...THREE, localizations: [] },
    ],
    total: 3,
  },
  {
    file: 'populate-nested',
    name: 'nested to any depth',
    type: 'tag',
    query:
      'fields=name&filters[name]=red&populate[posts][fields]=title&populate[posts][populate][author][fields]=name&populate[posts][populate][author][populate][home][fields]=city',
    values: ['red', 25, 'en'],
    data: [
      {
        name: 'red',
        posts: [
          { ...ONE, author: { name: 'Ann', home: { city: 'Oslo' } } },
          { ...TWO, author: { name: 'Bob', home: null } },
        ],
      },
    ],
    total: 1,
  },
  {
    file: 'locales',
    name: 'several locales: related rows in the locale of their parent, below others in the default one',
    type: 'post',
    query:
      'fields=title,locale&locale[]=en&locale[]=fr&populate[author][fields]=name&populate[author][populate][posts][fields]=title',
    values: [['en', 'fr'], 25],
    data: [
      { ...ONE, locale: 'en', author: { name: 'Ann', posts: [ONE] } },
      { ...TWO, locale: 'en', author: { name: 'Bob', posts: [TWO] } },
      { ...THREE, locale: 'en', author: null },
      { title: 'Article un', locale: 'fr', author: { name: 'Ann', posts: [ONE] } },
    ],
    total: 4,
  },
  {
    file: 'locales-all',
    name: 'all locales',
    type: 'post',
    query: 'fields=title,locale&locale=*&sort=title',
    values: [25],
    data: [
      { title: 'Article un', locale: 'fr' },
      { ...ONE, locale: 'en' },
      { ...THREE, locale: 'en' },
      { ...TWO, locale: 'en' },
    ],
    total: 4,
  },
  {
    file: 'fallback',
    name: 'a locale that others stand in for: the best of each document, and documents are counted',
    type: 'post',
    query: 'fields=title,locale&locale=fr&fallbackLocale=en',
    values: [['fr', 'en'], 25],
    data: [
      { ...TWO, locale: 'en' },
      { ...THREE, locale: 'en' },
      { title: 'Article un', locale: 'fr' },
    ],
    total: 3,
  },
  {
    file: 'fallback-filter',
    name: 'the same with conditions, which see what is shown',
    type: 'post',
    query: 'fields=title&locale=fr&fallbackLocale=en&filters[title][$contains]=o',
    values: [['fr', 'en'], '%o%', 25],
    data: [TWO, THREE],
    total: 2,
  },
  {
    file: 'fallback-populate',
    name: 'a locale that others stand in for below a type without locales',
    type: 'tag',
    query: 'fields=name&locale=fr&fallbackLocale=en&populate[posts][fields]=title&sort=name',
    values: [['fr', 'en'], 25],
    data: [
      { name: 'blue', posts: [{ title: 'Article un' }] },
      { name: 'lone', posts: [] },
      { name: 'red', posts: [{ title: 'Article un' }, TWO] },
    ],
    total: 3,
  },
  {
    file: 'fallback-one',
    name: 'one document in its best locale',
    type: 'post',
    one: 'two',
    query: 'fields=title&locale=fr&fallbackLocale=en',
    values: ['<id>', ['fr', 'en']],
    data: TWO,
  },
  {
    file: 'drafts',
    name: 'drafts',
    type: 'post',
    query: 'fields=title&status=draft&populate[author][fields]=name',
    values: ['en', 25],
    data: [
      { ...ONE, author: { name: 'Ann' } },
      { title: 'Post two changed', author: { name: 'Bob' } },
      { ...THREE, author: null },
      { title: 'Post four', author: { name: 'Ann' } },
    ],
    total: 4,
  },
  {
    file: 'publication-filter',
    name: 'a publication filter',
    type: 'post',
    query: 'fields=title&status=draft&publicationFilter=modified',
    values: ['en', 25],
    data: [{ title: 'Post two changed' }],
    total: 1,
  },
  {
    file: 'state',
    name: 'the state of documents',
    type: 'post',
    query: 'fields=title&status=draft&withState=true',
    values: ['en', 25],
    data: [
      {
        ...ONE,
        __state: {
          status: 'published',
          locales: [
            { locale: 'en', status: 'published' },
            { locale: 'fr', status: 'published' },
          ],
        },
      },
      { title: 'Post two changed', __state: stateOf('modified') },
      { ...THREE, __state: stateOf('published') },
      { title: 'Post four', __state: stateOf('draft') },
    ],
    total: 4,
  },
  {
    file: 'search',
    name: 'a search',
    type: 'post',
    query: 'fields=title&_q=ST+tw',
    values: ['en', '%ST tw%', 25],
    data: [TWO],
    total: 1,
  },
  {
    file: 'search-number',
    name: 'a search for a number, which looks at numbers too',
    type: 'post',
    query: 'fields=title&_q=2000000',
    values: ['en', '%2000000%', 25],
    data: [TWO],
    total: 1,
  },
  {
    file: 'one',
    name: 'one document',
    type: 'post',
    one: 'one',
    query: 'populate[author][fields]=name&fields=title',
    values: ['<id>', 'en'],
    data: { ...ONE, author: { name: 'Ann' } },
  },
  {
    file: 'v4',
    name: 'the v4 shape: attributes, and relations in `data`',
    type: 'post',
    one: 'one',
    v4: true,
    query:
      'fields=title&populate[author][fields]=name&populate[tags][fields]=name&populate[seo][fields]=title&populate[seo][populate][by][fields]=name',
    values: ['<id>', 'en'],
    data: {
      attributes: {
        ...ONE,
        author: { data: { attributes: { name: 'Ann' } } },
        tags: { data: [{ attributes: { name: 'blue' } }, { attributes: { name: 'red' } }] },
        seo: { title: 'meta one', by: { data: { attributes: { name: 'Bob' } } } },
      },
    },
  },
];

const ROUTES = { post: 'posts', author: 'authors', place: 'places', tag: 'tags' };
const folder = new URL('./reads/', import.meta.url);

describe('the statement of a read', () => {
  let test: TestApp;
  let ids: Ids;
  beforeAll(async () => {
    test = await openShelf();
    ids = await fillShelf(test);
  });
  afterAll(() => test.close());

  it.each(CASES.map((one): [string, Case] => [one.name, one]))(
    '%s',
    async (_, { file, type, query, values, data, total, one, v4 = false }) => {
      const documentId = one === undefined ? undefined : ids[one];
      const printed = statement(type, query, {
        format: v4 ? 'v4' : 'flat',
        ...(documentId === undefined ? {} : { documentId }),
      });
      const expected = new URL(`${file}.sql`, folder);
      if (process.env.UPDATE_SQL === '1') writeFileSync(expected, format(printed.text));
      expect(squeeze(printed.text)).toBe(squeeze(readFileSync(expected, 'utf8')));
      expect(
        printed.values.map((value) => (value === documentId && documentId !== undefined ? '<id>' : value)),
      ).toEqual(values);

      const path = documentId === undefined ? ROUTES[type] : `${ROUTES[type]}/${documentId}`;
      const answer = await run(test, path, query, printed.text, v4 ? { 'Strapi-Response-Format': 'v4' } : {});
      expect(bare(answer.data)).toEqual(data);
      expect(answer.meta.pagination?.total).toBe(total);
    },
  );

  it('is in a file for each case, and no other', () => {
    expect(readdirSync(folder).sort()).toEqual(CASES.map(({ file }) => `${file}.sql`).sort());
  });
});
