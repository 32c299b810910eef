/** Hard changes: several at once, names in circles, shapes inside shapes. */
import type { ContentTypeDefinition } from 'nestjs-content-api';
import {
  articles,
  attribute,
  box,
  BOX,
  collection,
  component,
  HELD,
  embedded,
  list,
  MANY,
  names,
  NOTE,
  refused,
  relation,
  SEVERAL,
  TITLE,
  to,
  whole,
} from './cases.ts';
import type { Api, Change, Get, Model } from './run.ts';

type Attributes = ContentTypeDefinition['attributes'];
type Types = readonly ContentTypeDefinition[];

/** Posts and stories that differ only in their names. */
const twins = (post: string, story: string): Types =>
  [
    { singularApiId: 'post', pluralApiId: post },
    { singularApiId: 'story', pluralApiId: story },
  ].map(({ singularApiId, pluralApiId }) =>
    collection(
      singularApiId,
      { title: { type: 'string', unique: true }, tags: to('manyToMany', 'tag') },
      { pluralApiId },
    ),
  );

type Plurals = readonly [post: string, story: string];

/** Types whose plurals move to other types, empty or with fixed table names. */
const plurals = (name: string, [before, after]: readonly [Plurals, Plurals], isEmpty: boolean): Change => {
  const model = (given: Plurals, tables: readonly (string | undefined)[] = []): Model => ({
    contentTypes: [
      ...twins(...given).map((type, i) => ({ ...type, tableName: tables[i] ?? given[i] })),
      collection('tag', { name: { type: 'string' } }),
    ] as Types,
  });
  const shown =
    (given: Plurals) =>
    async (get: Get): Promise<unknown> =>
      Promise.all(
        given.map(async (plural) =>
          ((await get(`/api/${plural}?populate=*`)) as any[]).map(({ title, tags }) => [title, names(tags)]),
        ),
      );
  const because =
    /post uses the former table of story, which processes of the previous release still read and write: 2 \(/;
  return {
    name,
    before: model(before),
    after: model(after),
    data: async ({ send }) => {
      const { documentId } = await send('POST', '/api/tags', { name: 't' });
      for (const [i, plural] of isEmpty ? [] : before.entries())
        await send('POST', `/api/${plural}`, { title: `of ${i}`, tags: i === 0 ? [documentId] : [] });
    },
    was: shown(before),
    is: shown(after),
    ...(isEmpty ? {} : { refused: { because, model: model(after, before), isReversible: true } }),
  };
};

const SWAPPED = [
  ['posts', 'stories'],
  ['stories', 'posts'],
] as const;
const MOVED_ON = [
  ['posts', 'stories'],
  ['stories', 'tales'],
] as const;

const NAMES: readonly Change[] = [
  plurals('two types swap their plurals', SWAPPED, false),
  plurals('two types swap their plurals, empty', SWAPPED, true),
  plurals('a plural moves to the type before it', MOVED_ON, false),
  plurals('a plural moves to the type before it, empty', MOVED_ON, true),
  attribute(
    'an attribute gets a name that is alike in the database, and another one gets its column',
    [
      { fooBar: { type: 'string', unique: true }, a: { type: 'string', unique: true } },
      {
        x: { type: 'string', unique: true, previousName: 'fooBar' },
        foo_bar: { type: 'string', unique: true, previousName: 'a' },
      },
    ],
    [],
    {
      data: async ({ send }) => {
        for (const n of ['1', '2']) await send('POST', '/api/articles', { fooBar: `f${n}`, a: `a${n}` });
      },
      was: articles(({ fooBar, a }) => [fooBar, a]),
      is: articles(({ x, foo_bar }) => [x, foo_bar]),
    },
  ),
];

const AT_ONCE: readonly Change[] = [
  attribute(
    'an attribute is renamed, becomes a number and unique',
    [{ a: { type: 'string' } }, { n: { type: 'integer', unique: true, previousName: 'a' } }],
    [],
    {
      data: async ({ send }) => {
        for (const a of ['1', '2', null]) await send('POST', '/api/articles', { title: 'x', a });
      },
      becomes: (a) => (a === null ? null : Number(a)),
    },
  ),
  {
    ...attribute(
      'an attribute becomes a number with duplicates',
      [{ a: { type: 'string', unique: true } }, { a: { type: 'integer', unique: true, convert: 'fit' } }],
      [],
      {
        data: async ({ send }) => {
          for (const a of ['7', '007']) await send('POST', '/api/articles', { title: 'x', a });
        },
      },
    ),
    refused: { because: /article\.a becomes unique; these documents have the same value: 1 \(\w+ and \w+\)/ },
  },
  {
    ...attribute(
      'a unique attribute is added with a default',
      [
        { a: { type: 'string' } },
        { b: { type: 'string', unique: true, required: true, default: 'x' }, a: { type: 'string' } },
      ],
      ['1', '2'],
    ),
    refused: {
      because: /article\.b becomes unique; these documents have the same value: 1 \(\w+ and \w+ and \w+\)/,
    },
  },
  {
    ...whole('localized off, with one value in two locales', [
      collection('post', { title: { type: 'string', unique: true, localized: true } }, { localized: true }),
      collection('post', { title: { type: 'string', unique: true } }, { removed: ['localizations'] }),
    ]),
    data: async ({ send }) => {
      await send('POST', '/api/posts?locale=en', { title: 'same' });
      await send('POST', '/api/posts?locale=fr', { title: 'same' });
    },
    was: list('/api/posts', ({ title }) => title, ['published']),
    refused: {
      because: /post\.title becomes unique; these documents have the same value: 1 \(\w+ and \w+\)/,
    },
  },
  attribute(
    'an attribute that only drafts lack becomes required with a default',
    [{ a: { type: 'string' } }, { a: { type: 'string', required: true, default: 'Untold' } }],
    [],
    {
      becomes: (a) => a ?? 'Untold',
      isFilled: true,
      data: async ({ send }) => {
        await send('POST', '/api/articles', { title: 'x', a: 'there' });
        await send('POST', '/api/articles?status=draft', { title: 'x', a: null });
      },
    },
  ),
  embedded(
    'a component is renamed while it moves into a zone, and an attribute of it becomes a number',
    [{ c: HELD }, { z: { type: 'dynamiczone', components: ['b.case', 'b.note'], previousName: 'c' } }],
    [
      [box(BOX), NOTE],
      [
        component(
          'b.case',
          { text: { type: 'string' }, count: { type: 'integer', previousName: 'n' } },
          { previousName: 'b.box' },
        ),
        NOTE,
      ],
    ],
    [
      { text: 'a', n: '1' },
      { text: 'b', n: null },
    ],
    [
      ({ id, text, n }) => [id, text, n === null ? null : Number(n), 'b.case'],
      ({ id, text, count, __component }) => [id, text, count, __component],
    ],
  ),
  whole(
    'drafts and locales on at once',
    [
      collection('post', {
        ...TITLE,
        note: { type: 'text', private: true },
        tags: to('manyToMany', 'tag'),
        c: MANY,
      }),
      collection(
        'post',
        {
          title: { type: 'string', localized: true },
          note: { type: 'text', private: true },
          tags: to('manyToMany', 'tag', { localized: true }),
          c: MANY,
        },
        { draftAndPublish: true, localized: true },
      ),
    ],
    {
      data: async ({ send }) => {
        const { documentId } = await send('POST', '/api/tags', { name: 't' });
        for (const title of ['a', 'b'])
          await send('POST', '/api/posts', {
            title,
            note: 'SECRET',
            tags: [documentId],
            c: [{ text: title }],
          });
      },
      was: async (get) => [await shownPosts(get, 'published'), await shownPosts(get, 'published')],
      is: async (get) => [await shownPosts(get, 'published'), await shownPosts(get, 'draft')],
    },
  ),
  whole(
    'a type gets locales and the application another default one',
    [
      collection('post', { ...TITLE, tags: to('manyToMany', 'tag') }),
      collection(
        'post',
        { title: { type: 'string', localized: true }, tags: to('manyToMany', 'tag', { localized: true }) },
        { localized: true },
      ),
    ],
    {
      settings: [{ defaultLocale: 'en' }, { defaultLocale: 'fr' }],
      data: async ({ send }) => {
        const { documentId } = await send('POST', '/api/tags', { name: 't' });
        await send('POST', '/api/posts', { title: 'a', tags: [documentId] });
      },
      was: list('/api/posts?populate=*', ({ title, tags }) => [title, names(tags)], ['published']),
      is: list('/api/posts?populate=*', ({ title, tags }) => [title, names(tags)], ['published']),
    },
  ),
];

async function shownPosts(get: Get, status: string): Promise<unknown> {
  const posts = (await get(`/api/posts?populate=*&status=${status}&sort=documentId`)) as any[];
  return posts.map(({ title, note, tags, c }) => [title, note, names(tags), c]);
}

/** A relation in a component, which changes. */
const heldLinks = (
  name: string,
  [before, after]: readonly [Attributes[string], Attributes[string]],
  linksOf: (tag: string) => unknown,
  more: Partial<Change> = {},
): Change => {
  const model = (tag: Attributes[string]): Model => ({
    contentTypes: [
      collection('article', { ...TITLE, c: HELD }),
      collection('tag', { name: { type: 'string' } }),
    ],
    components: [box({ tag })],
  });
  return {
    name,
    before: model(before),
    after: model(after),
    data: async ({ send }: Api) => {
      const { documentId } = await send('POST', '/api/tags', { name: 't' });
      const article = await send('POST', '/api/articles', { title: 'first' });
      await send('POST', '/api/articles', { title: 'x', c: { tag: linksOf(documentId) } });
      if (JSON.stringify(before).includes('morph'))
        await send('POST', '/api/articles', {
          title: 'y',
          c: { tag: [{ documentId: article.documentId, __type: 'api::article.article' }] },
        });
    },
    was: list('/api/articles?populate[c][populate]=*', ({ c }) => names(c?.tag), ['published']),
    is: list('/api/articles?populate[c][populate]=*', ({ c }) => names(c?.tag), ['published']),
    ...more,
  };
};

const MORPH = { type: 'relation', relation: 'morphToMany', targets: ['tag', 'article'] } as const;
const NARROW = { type: 'relation', relation: 'morphToMany', targets: ['tag'] } as const;

/** The same, with a relation in the component that drops unsuitable links. */
const fitted = (change: Change, because: RegExp): Change => ({
  ...change,
  refused: {
    because,
    model: {
      ...change.after,
      components: [
        box(
          Object.fromEntries(
            Object.entries(change.after.components?.[0]?.attributes ?? {}).map(([key, def]) => [
              key,
              { ...def, convert: 'fit' },
            ]),
          ),
        ),
      ],
    },
  },
});

const LINKS: readonly Change[] = [
  refused(
    relation(
      'targets of polymorphic links are narrowed',
      [
        [{ tags: MORPH }, {}],
        [{ tags: NARROW }, {}],
      ],
      async (api) => {
        const { documentId: tag } = await api.send('POST', '/api/tags', { name: 't' });
        const { documentId: article } = await api.send('POST', '/api/articles', { title: 'first' });
        const link = (type: string, documentId: string): object => ({
          documentId,
          __type: `api::${type}.${type}`,
        });
        await api.send('POST', '/api/articles', {
          title: 'x',
          tags: [link('article', article), link('tag', tag)],
        });
      },
      {
        becomes: (tags) =>
          tags.filter((one: any) => one.__type === 'api::tag.tag').map(({ name }: any) => name),
      },
    ),
    /article\.tags changes its target; these links have no document of the new type: 2 \(/,
    'tags',
    { convert: 'fit' },
  ),
  heldLinks('a relation in a component becomes polymorphic', [to('manyToMany', 'tag'), MORPH], (tag) => [
    tag,
  ]),
  heldLinks(
    'a to-one relation in a component becomes polymorphic',
    [to('manyToOne', 'tag'), { type: 'relation', relation: 'morphToOne', targets: ['tag', 'article'] }],
    (tag) => tag,
  ),
  fitted(
    heldLinks(
      'targets of polymorphic links in a component are narrowed',
      [MORPH, NARROW],
      (documentId) => [{ documentId, __type: 'api::tag.tag' }],
      {
        was: list(
          '/api/articles?populate[c][populate]=*',
          ({ c }) => names(c?.tag?.filter((one: any) => one.__type === 'api::tag.tag')),
          ['published'],
        ),
      },
    ),
    /b\.box\.tag changes its target; these links have no document of the new type: 1 \(/,
  ),
  fitted(
    heldLinks(
      'a relation in a component targets another type',
      [to('manyToMany', 'tag'), to('manyToMany', 'article')],
      (tag) => [tag],
      { was: list('/api/articles', () => [], ['published']) },
    ),
    /b\.box\.tag changes its target; these links have no document of the new type: 1 \(/,
  ),
];

const TWO_WAY = [
  { tags: to('manyToMany', 'tag', { inversedBy: 'articles' }) },
  { articles: to('manyToMany', 'article', { mappedBy: 'tags' }) },
] as const;
const ONE_EACH_WAY = [{ tags: to('manyToMany', 'tag') }, { articles: to('manyToMany', 'article') }] as const;

const SIDES: readonly Change[] = [
  refused(
    relation('a two-way relation becomes one of each side', [TWO_WAY, ONE_EACH_WAY], SEVERAL),
    /tag\.articles gets its own links; its previous links stay with article\.tags: \d+ \(.*set convert: 'empty' on tag\.articles/,
    'articles',
    { convert: 'empty' },
  ),
];

/** Models and attributes whose names are alike in the database. */
const ALIKE: Change = {
  ...embedded(
    'names that are alike in the database, in types and components',
    [
      { c: { type: 'component', component: 'b.article' } },
      { c: { type: 'component', component: 'b.article' } },
    ],
    [[], []],
    [],
    [(one) => one, (one) => one],
  ),
  before: {
    contentTypes: [
      collection(
        'b-article',
        { ...TITLE, c: { type: 'component', component: 'b.article' } },
        { pluralApiId: 'articles' },
      ),
    ],
    components: [component('b.article', { c: HELD, fooBar: HELD, foo_bar: MANY }), box(BOX)],
  },
  after: {
    contentTypes: [
      collection(
        'b-article',
        { ...TITLE, c: { type: 'component', component: 'b.article', repeatable: true } },
        { pluralApiId: 'articles' },
      ),
    ],
    components: [
      component('b.article', { c: MANY, fooBar: MANY, foo_bar: { ...MANY } }),
      box({ n: { type: 'string' }, words: { type: 'string', previousName: 'text' } }),
    ],
  },
  data: async ({ send }) => {
    await send('POST', '/api/articles', {
      title: 'x',
      c: { c: { text: 'in' }, fooBar: { text: 'foo' }, foo_bar: [{ text: 'bar' }, { text: 'baz' }] },
    });
  },
  was: list(
    '/api/articles?populate[c][populate]=*',
    ({ c }) => [[c.c.text], [c.fooBar.text], c.foo_bar.map(({ text }: any) => text)],
    ['published'],
  ),
  is: list(
    '/api/articles?populate[c][populate]=*',
    ({ c: [c] }) => [c.c, c.fooBar, c.foo_bar].map((all: any[]) => all.map(({ words }) => words)),
    ['published'],
  ),
};

export const HARD: readonly Change[] = [...NAMES, ...AT_ONCE, ...LINKS, ...SIDES, ALIKE];
