/** Changes of models: each with data before, and the values that must be equal before and after. */
import type { ComponentDefinition, ContentTypeDefinition } from 'nestjs-content-api';
import type { Api, Change, Get, Model } from './run.ts';

type Attributes = ContentTypeDefinition['attributes'];
type Options = Partial<Omit<ContentTypeDefinition, 'attributes' | 'kind'>>;

export const collection = (
  singularApiId: string,
  attributes: Attributes,
  options: Options = {},
): ContentTypeDefinition => ({
  kind: 'collectionType',
  singularApiId,
  pluralApiId: `${singularApiId}s`,
  attributes,
  ...options,
});

const single = (
  singularApiId: string,
  attributes: Attributes,
  options: Options = {},
): ContentTypeDefinition => ({ kind: 'singleType', singularApiId, attributes, ...options });

export const component = (uid: string, attributes: Attributes, more: object = {}): ComponentDefinition => ({
  uid,
  attributes,
  ...more,
});

export const TITLE = { title: { type: 'string' } } as const;

/** Returns selected members of every document of a list, in both states. */
export const list =
  (path: string, pick: (doc: any) => unknown, states: readonly string[] = ['published', 'draft']) =>
  async (get: Get): Promise<unknown> =>
    Promise.all(
      states.map(async (status) =>
        (
          (await get(
            `${path}${path.includes('?') ? '&' : '?'}status=${status}&sort=documentId&pagination[limit]=100`,
          )) as any[]
        ).map((doc) => [doc.documentId, pick(doc) ?? null]),
      ),
    );

export const articles = (pick: (doc: any) => unknown) => list('/api/articles?populate=*', pick);

/** Articles with one attribute that changes. */
export function attribute(
  name: string,
  [before, after]: readonly [Attributes, Attributes],
  values: readonly unknown[],
  more: Partial<Change> & {
    readonly becomes?: (value: any) => unknown;
    readonly options?: Options;
    readonly components?: readonly [readonly ComponentDefinition[], readonly ComponentDefinition[]];
  } = {},
): Change {
  const [old = '', next = old] = [Object.keys(before)[0], Object.keys(after)[0]];
  const { becomes = (value: unknown) => value, options, components = [[], []], ...rest } = more;
  return {
    name,
    before: {
      contentTypes: [collection('article', { ...TITLE, ...before }, { draftAndPublish: true, ...options })],
      components: components[0],
    },
    after: {
      contentTypes: [collection('article', { ...TITLE, ...after }, { draftAndPublish: true, ...options })],
      components: components[1],
    },
    data: async ({ send }) => {
      for (const value of values) await send('POST', '/api/articles', { title: 'x', [old]: value });
      // A draft that differs from its published version.
      const { documentId } = await send('POST', '/api/articles', { title: 'pub', [old]: values[0] });
      await send('PUT', `/api/articles/${documentId}?status=draft`, { title: 'DRAFT' });
    },
    was: articles((doc) => becomes(doc[old])),
    is: articles((doc) => doc[next]),
    ...rest,
  };
}

const saying = (model: Model, change: (def: any) => object, key: string): Model => ({
  ...model,
  contentTypes: model.contentTypes.map((type) =>
    key in type.attributes
      ? ({
          ...type,
          attributes: {
            ...type.attributes,
            [key]: { ...type.attributes[key], ...change(type.attributes[key]) },
          },
        } as ContentTypeDefinition)
      : type,
  ),
});

/** A change of an attribute that is refused, and is made if its definition allows the loss. */
export function refused(change: Change, because: RegExp, key: string, said: object): Change {
  return { ...change, refused: { because, model: saying(change.after, () => said, key) } };
}

const removing = (change: Change, because: RegExp, removed: readonly string[]): Change => ({
  ...change,
  refused: {
    because,
    model: {
      ...change.after,
      contentTypes: change.after.contentTypes.map((type, i) => (i === 0 ? { ...type, removed } : type)),
    },
  },
});

const UID: Attributes = { a: { type: 'uid' }, b: { type: 'string' } };

const ATTRIBUTES: readonly Change[] = [
  attribute(
    'an attribute is renamed',
    [{ headline: { type: 'string' } }, { title2: { type: 'string', previousName: 'headline' } }],
    ['a', 'b', null],
  ),
  attribute(
    'an attribute with an index is renamed',
    [
      { slug: { type: 'string', unique: true } },
      { path: { type: 'string', unique: true, previousName: 'slug' } },
    ],
    ['s1', 's2'],
    {
      data: async ({ send }) => {
        for (const slug of ['s1', 's2', null]) await send('POST', '/api/articles', { title: 'x', slug });
      },
    },
  ),
  attribute(
    'a private attribute is renamed and stays hidden',
    [
      { note: { type: 'text', private: true } },
      { memo: { type: 'text', private: true, previousName: 'note' } },
    ],
    ['SECRET 1', 'SECRET 2'],
  ),
  attribute(
    'an attribute is added',
    [{ a: { type: 'string' } }, { a: { type: 'string' }, b: { type: 'integer' } }],
    ['1', '2'],
  ),
  attribute(
    'a required attribute with a default is added',
    [
      { a: { type: 'string' } },
      { b: { type: 'string', required: true, default: 'Untold' }, a: { type: 'string' } },
    ],
    ['1', '2'],
    { becomes: () => 'Untold' },
  ),
  attribute(
    'an attribute becomes required with a default',
    [{ rank: { type: 'integer' } }, { rank: { type: 'integer', required: true, default: 5 } }],
    [1, null, 3],
    { becomes: (rank) => rank ?? 5, isFilled: true },
  ),
  removing(
    attribute('an attribute is removed', [{ a: { type: 'string' } }, {}], ['1', null], {
      was: articles(({ title }) => title),
      is: articles(({ title }) => title),
    }),
    /article\.a is removed; .*4 \(/s,
    ['a'],
  ),
  {
    ...attribute(
      'a password is removed and a text of its name added',
      [{ pin: { type: 'password' } }, { pin: { type: 'string' } }],
      ['p1', 'p2'],
      { was: articles(() => null), options: { removed: ['pin'] } },
    ),
    refused: {
      because: /article\.pin has the name of a former password, which processes of the previous release/,
    },
  },
  removing(
    attribute(
      'a password is removed and a text of another name added',
      [{ pin: { type: 'password' } }, { code: { type: 'string' } }],
      ['p1', 'p2'],
      { was: articles(() => null), is: articles(({ code }) => code) },
    ),
    /article\.pin is removed; these values would be deleted: 6 \(/,
    ['pin'],
  ),
  attribute('string → text', [{ a: { type: 'string' } }, { a: { type: 'text' } }], ['1', 'x']),
  refused(
    attribute(
      'text → string, some too long',
      [{ a: { type: 'text' } }, { a: { type: 'string' } }],
      ['1', 'x'.repeat(300)],
      { becomes: (a) => a.slice(0, 255) },
    ),
    /article\.a changes from text to string; .*2 \(/s,
    'a',
    { convert: 'fit' },
  ),
  attribute(
    'string → integer, digits',
    [{ a: { type: 'string' } }, { a: { type: 'integer' } }],
    ['12', '-3', null],
    { becomes: (a) => (a === null ? null : Number(a)) },
  ),
  refused(
    attribute(
      'string → integer, other texts',
      [{ a: { type: 'string' } }, { a: { type: 'integer' } }],
      ['12', '007', 'many'],
      { becomes: (a) => ({ '12': 12, '007': 7 })[a as string] ?? null },
    ),
    /article\.a changes from string to integer; .*set convert: 'fit'/s,
    'a',
    { convert: 'empty' },
  ),
  attribute('integer → string', [{ a: { type: 'integer' } }, { a: { type: 'string' } }], [12, -3, null], {
    becomes: (a) => (a === null ? null : String(a)),
  }),
  attribute('integer → decimal', [{ a: { type: 'integer' } }, { a: { type: 'decimal' } }], [12, -3]),
  refused(
    attribute(
      'decimal → integer, with cents',
      [{ a: { type: 'decimal' } }, { a: { type: 'integer' } }],
      [12, 3.5],
      { becomes: (a) => Math.round(a) },
    ),
    /article\.a changes from decimal to integer/,
    'a',
    { convert: 'fit' },
  ),
  attribute('integer → biginteger', [{ a: { type: 'integer' } }, { a: { type: 'biginteger' } }], [12, -3], {
    becomes: String,
  }),
  attribute(
    'boolean → string',
    [{ a: { type: 'boolean' } }, { a: { type: 'string' } }],
    [true, false, null],
    { becomes: (a) => (a === null ? null : String(a)) },
  ),
  attribute('date → datetime', [{ a: { type: 'date' } }, { a: { type: 'datetime' } }], ['2024-02-29', null], {
    becomes: (a) => (a === null ? null : `${a}T00:00:00.000Z`),
  }),
  refused(
    attribute(
      'datetime → date, with a time of day',
      [{ a: { type: 'datetime' } }, { a: { type: 'date' } }],
      ['2024-02-29T10:11:12.000Z', '2024-03-01T00:00:00.000Z'],
      { becomes: (a) => a.slice(0, 10) },
    ),
    /article\.a changes from datetime to date; .*4 \(/s,
    'a',
    { convert: 'fit' },
  ),
  attribute(
    'datetime → timestamp',
    [{ a: { type: 'datetime' } }, { a: { type: 'timestamp' } }],
    ['2024-02-29T10:11:12.123Z'],
    { becomes: (a) => String(Date.parse(a)) },
  ),
  attribute('string → json', [{ a: { type: 'string' } }, { a: { type: 'json' } }], ['plain', '{"a":1}']),
  refused(
    attribute(
      'json → string, some no texts',
      [{ a: { type: 'json' } }, { a: { type: 'string' } }],
      ['plain', { b: 1 }],
      { becomes: (a) => (typeof a === 'string' ? a : '{"b": 1}') },
    ),
    /article\.a changes from json to string/,
    'a',
    { convert: 'fit' },
  ),
  attribute('text → blocks', [{ a: { type: 'text' } }, { a: { type: 'blocks' } }], ['Words', null], {
    becomes: (a) => (a === null ? null : [{ type: 'paragraph', children: [{ text: a, type: 'text' }] }]),
  }),
  refused(
    attribute(
      'a value of an enumeration is removed',
      [
        { a: { type: 'enumeration', enum: ['x', 'y', 'z'] } },
        { a: { type: 'enumeration', enum: ['x', 'w'] } },
      ],
      ['x', 'y', 'z'],
      {
        becomes: (a) => ({ x: 'x', y: 'w', z: null })[a as string],
      },
    ),
    /article\.a changes from .* to enumeration; these values cannot be converted without loss: 4 \(/s,
    'a',
    { convert: { y: 'w', z: null } },
  ),
  attribute(
    'a value of an enumeration is added',
    [{ a: { type: 'enumeration', enum: ['x'] } }, { a: { type: 'enumeration', enum: ['x', 'y'] } }],
    ['x', null],
  ),
  attribute('unique', [{ a: { type: 'string' } }, { a: { type: 'string', unique: true } }], ['1', '2'], {
    data: async ({ send }) => {
      for (const a of ['1', '2', null, null]) await send('POST', '/api/articles', { a });
    },
  }),
  {
    ...attribute(
      'unique, with duplicates',
      [{ a: { type: 'string' } }, { a: { type: 'string', unique: true } }],
      ['1', '1', '2'],
    ),
    refused: { because: /article\.a becomes unique; these documents have the same value: 1 \(\w+ and \w+/ },
  },
  indexed(
    'an index is declared',
    [],
    [{ attributes: ['createdAt', 'b'] }, { attributes: ['a'], unique: true }],
  ),
  indexed('an index is no longer declared', [{ attributes: ['b', 'a'] }], []),
  indexed(
    'an attribute of an index is renamed',
    [{ attributes: ['a', 'createdAt'] }],
    [{ attributes: ['c', 'createdAt'] }],
    {
      c: { type: 'string', previousName: 'a' },
      b: { type: 'string' },
    },
  ),
  indexed('a unique index contains a uid', [], [{ attributes: ['b', 'a'], unique: true }], UID, UID),
  indexed(
    'a unique index contains no uid any more',
    [{ attributes: ['b', 'a'], unique: true }],
    [],
    UID,
    UID,
  ),
  {
    ...indexed('unique together, with duplicates', [], [{ attributes: ['b'], unique: true }]),
    refused: {
      because: /article becomes unique by b; these documents have the same values: 1 \(\w+ and \w+/,
    },
  },
];

/** Articles with three pairs of values, two with the same `b`. */
function indexed(
  name: string,
  was: Options['indexes'],
  is: Options['indexes'],
  later: Attributes = { a: { type: 'string' }, b: { type: 'string' } },
  earlier: Attributes = { a: { type: 'string' }, b: { type: 'string' } },
): Change {
  const model = (attributes: Attributes, indexes: Options['indexes'] = []): Model => ({
    contentTypes: [collection('article', attributes, { draftAndPublish: true, indexes })],
  });
  return {
    name,
    before: model(earlier, was),
    after: model(later, is),
    data: async ({ send }) => {
      for (const [a, b] of [
        ['1', 'x'],
        ['2', 'x'],
        ['3', null],
      ])
        await send('POST', '/api/articles', { a, b });
    },
    was: articles(({ a, b }) => [a, b]),
    is: articles(({ a, b, c }) => [c ?? a, b]),
  };
}

/** Tags by number, and articles with some of them. */
const tagged =
  (articlesOf: (tags: readonly string[]) => readonly object[], statuses: readonly string[] = ['']) =>
  async ({ send }: Api): Promise<void> => {
    const tags: string[] = [];
    for (let i = 0; i < 4; i += 1) tags.push((await send('POST', '/api/tags', { name: `t${i}` })).documentId);
    for (const data of articlesOf(tags)) {
      const { documentId } = await send('POST', '/api/articles', data);
      for (const status of statuses)
        if (status !== '') await send('PUT', `/api/articles/${documentId}?status=draft`, { title: 'DRAFT' });
    }
  };

export const names = (value: any): unknown =>
  [value ?? []].flat().map(({ name, title }: any) => name ?? title);

type Sides = readonly [Attributes, Attributes];

/** Articles and tags with a relation between them that changes. */
export function relation(
  name: string,
  [before, after]: readonly [Sides, Sides],
  data: Change['data'],
  more: Partial<Change> & {
    readonly keys?: readonly [string?, string?];
    readonly options?: Options;
    readonly becomes?: (value: any) => unknown;
  } = {},
): Change {
  const { keys = ['tags', 'tags'], options = { draftAndPublish: true }, becomes = names, ...rest } = more;
  const model = ([article, tag]: Sides): Model => ({
    contentTypes: [
      collection('article', { ...TITLE, ...article }, options),
      collection('tag', { name: { type: 'string' }, ...tag }),
    ],
    locales: ['en', 'fr'],
  });
  return {
    name,
    before: model(before),
    after: model(after),
    data,
    was: articles((doc) => becomes(doc[keys[0] ?? ''])),
    is: articles((doc) => names(doc[keys[1] ?? ''])),
    ...rest,
  };
}

export const to = (
  kind: 'oneToOne' | 'oneToMany' | 'manyToOne' | 'manyToMany',
  target: string,
  more: object = {},
): Attributes[string] => ({ type: 'relation', relation: kind, target, ...more });

/** A two-way manyToMany that either side owns. */
const ARTICLES_OWN: Sides = [
  { tags: to('manyToMany', 'tag', { inversedBy: 'articles' }) },
  { articles: to('manyToMany', 'article', { mappedBy: 'tags' }) },
];
const TAGS_OWN: Sides = [
  { tags: to('manyToMany', 'tag', { mappedBy: 'articles' }) },
  { articles: to('manyToMany', 'article', { inversedBy: 'tags' }) },
];

const ONE_EACH = tagged(
  ([a, b, c]) => [
    { title: '1', tags: [a] },
    { title: '2', tags: [b] },
    { title: '3', tags: [c] },
    { title: '4' },
  ],
  ['draft'],
);
export const SEVERAL = tagged(
  ([a, b, c, d]) => [{ title: '1', tags: [c, a] }, { title: '2', tags: [b, a, d] }, { title: '3' }],
  ['draft'],
);
const TO_ONE = tagged(
  ([a, b]) => [{ title: '1', tag: a }, { title: '2', tag: b }, { title: '3', tag: a }, { title: '4' }],
  ['draft'],
);

const both =
  (was: Change['was'], other: Change['was']) =>
  async (get: Get): Promise<unknown> => [await was(get), await other(get)];
const fromTags =
  (key: string, drafts = false) =>
  async (get: Get): Promise<unknown> =>
    ((await get(`/api/tags?populate=*&sort=name${drafts ? '&status=draft' : ''}`)) as any[]).map((tag) => [
      tag.name,
      names(tag[key]),
    ]);

/** Names that PostgreSQL truncates in names of link tables. */
const LONG = 'r'.repeat(20);
const PLURAL = 'b'.repeat(40);

/** A to-one relation whose target type is removed. */
function leftType(kind: 'oneToOne'): Change {
  const change = relation(
    `a ${kind} targets its own type instead of a removed one`,
    [
      [{ tags: to(kind, 'tag') }, {}],
      [{ tags: to(kind, 'article') }, {}],
    ],
    ONE_EACH,
    { becomes: () => [] },
  );
  const after: Model = { ...change.after, contentTypes: change.after.contentTypes.slice(0, 1) };
  const told = { ...change, after: { ...after, removed: ['tag'] } };
  return refused(
    told,
    /article\.tags changes its target; these links have no document of the new type: 6 \(/,
    'tags',
    {
      convert: 'fit',
    },
  );
}

const RELATIONS: readonly Change[] = [
  relation(
    'manyToOne → manyToMany',
    [
      [{ tag: to('manyToOne', 'tag') }, {}],
      [{ tag: to('manyToMany', 'tag') }, {}],
    ],
    TO_ONE,
    { keys: ['tag', 'tag'] },
  ),
  relation(
    'two-way manyToOne → manyToMany',
    [
      [
        { tag: to('manyToOne', 'tag', { inversedBy: 'articles' }) },
        { articles: to('oneToMany', 'article', { mappedBy: 'tag' }) },
      ],
      [
        { tag: to('manyToMany', 'tag', { inversedBy: 'articles' }) },
        { articles: to('manyToMany', 'article', { mappedBy: 'tag' }) },
      ],
    ],
    TO_ONE,
    {
      keys: ['tag', 'tag'],
      was: both(
        articles(({ tag }) => names(tag)),
        fromTags('articles'),
      ),
      is: both(
        articles(({ tag }) => names(tag)),
        fromTags('articles'),
      ),
    },
  ),
  relation(
    'manyToMany → manyToOne, one each',
    [
      [{ tags: to('manyToMany', 'tag') }, {}],
      [{ tags: to('manyToOne', 'tag') }, {}],
    ],
    ONE_EACH,
  ),
  refused(
    relation(
      'manyToMany → manyToOne, several',
      [
        [{ tags: to('manyToMany', 'tag') }, {}],
        [{ tags: to('manyToOne', 'tag') }, {}],
      ],
      SEVERAL,
      { becomes: (tags) => names(tags.slice(0, 1)) },
    ),
    /article\.tags becomes a relation to one document; these have several: 4 \(.*convert: 'fit' on article\.tags/s,
    'tags',
    { convert: 'fit' },
  ),
  relation('one-way → two-way manyToMany', [[{ tags: to('manyToMany', 'tag') }, {}], ARTICLES_OWN], SEVERAL),
  relation(
    'one-way → two-way manyToOne',
    [
      [{ tag: to('manyToOne', 'tag') }, {}],
      [
        { tag: to('manyToOne', 'tag', { inversedBy: 'articles' }) },
        { articles: to('oneToMany', 'article', { mappedBy: 'tag' }) },
      ],
    ],
    TO_ONE,
    { keys: ['tag', 'tag'] },
  ),
  relation(
    'the other side owns a manyToMany',
    [ARTICLES_OWN, TAGS_OWN],
    tagged(([a, b, c, d]) => [{ title: '1', tags: [c, a] }, { title: '2', tags: [b, a, d] }, { title: '3' }]),
    {
      options: {},
      was: both(
        articles(({ tags }) => names(tags)),
        fromTags('articles'),
      ),
      is: both(
        articles(({ tags }) => names(tags)),
        fromTags('articles'),
      ),
    },
  ),
  refused(
    relation(
      'the other side, without drafts, owns a manyToMany of documents with changed drafts',
      [ARTICLES_OWN, TAGS_OWN],
      async ({ send }) => {
        const tags: string[] = [];
        for (const name of ['a', 'b']) tags.push((await send('POST', '/api/tags', { name })).documentId);
        const [a, b] = tags;
        // A draft with fewer links, one with another order, an equal one, and one that is not published.
        for (const draft of [[a], [b, a], [a, b]]) {
          const { documentId } = await send('POST', '/api/articles', { title: 'shown', tags });
          await send('PUT', `/api/articles/${documentId}?status=draft`, { title: 'DRAFT', tags: draft });
        }
        await send('POST', '/api/articles?status=draft', { title: 'DRAFT', tags: [b] });
      },
      {
        was: list('/api/articles?populate=*', ({ tags }) => names(tags), ['published']),
        is: list('/api/articles?populate=*', ({ tags }) => names(tags), ['published']),
      },
    ),
    /tag\.articles changes its owner to a type without drafts; the drafts of these documents have other links: 2 \(/,
    'articles',
    { convert: 'fit' },
  ),
  relation(
    'the other side, with drafts, owns a manyToMany of unpublished documents',
    [TAGS_OWN, ARTICLES_OWN],
    async ({ send }) => {
      const tags = [
        await send('POST', '/api/tags', { name: 'a' }),
        await send('POST', '/api/tags', { name: 'b' }),
      ];
      const all = tags.map(({ documentId }) => documentId as string);
      const { documentId } = await send('POST', '/api/articles', { title: '1' });
      const draft = await send('POST', '/api/articles?status=draft', { title: 'DRAFT 2' });
      for (const tag of all)
        await send('PUT', `/api/tags/${tag}`, { articles: [draft.documentId as string, documentId] });
    },
    {
      was: both(
        articles(({ tags }) => names(tags)),
        fromTags('articles', true),
      ),
      is: both(
        articles(({ tags }) => names(tags)),
        fromTags('articles', true),
      ),
    },
  ),
  relation(
    'the other side owns a oneToOne',
    [
      [
        { tag: to('oneToOne', 'tag', { inversedBy: 'article' }) },
        { article: to('oneToOne', 'article', { mappedBy: 'tag' }) },
      ],
      [
        { tag: to('oneToOne', 'tag', { mappedBy: 'article' }) },
        { article: to('oneToOne', 'article', { inversedBy: 'tag' }) },
      ],
    ],
    tagged(([a, b]) => [{ title: '1', tag: a }, { title: '2', tag: b }, { title: '3' }]),
    { options: {}, keys: ['tag', 'tag'] },
  ),
  relation(
    'two-way manyToOne → oneToOne, one owner each',
    [
      [
        { tags: to('manyToOne', 'tag', { inversedBy: 'articles' }) },
        { articles: to('oneToMany', 'article', { mappedBy: 'tags' }) },
      ],
      [
        { tags: to('oneToOne', 'tag', { inversedBy: 'articles' }) },
        { articles: to('oneToOne', 'article', { mappedBy: 'tags' }) },
      ],
    ],
    tagged(([a, b]) => [{ title: '1', tags: a }, { title: '2', tags: b }, { title: '3' }], ['draft']),
  ),
  refused(
    relation(
      'two-way manyToOne → oneToOne, shared target',
      [
        [
          { tag: to('manyToOne', 'tag', { inversedBy: 'articles' }) },
          { articles: to('oneToMany', 'article', { mappedBy: 'tag' }) },
        ],
        [
          { tag: to('oneToOne', 'tag', { inversedBy: 'articles' }) },
          { articles: to('oneToOne', 'article', { mappedBy: 'tag' }) },
        ],
      ],
      TO_ONE,
      { was: fromTagsFirst('articles'), is: fromTags('articles') },
    ),
    /article\.tag allows one owner per document; these have several: 2/,
    'tag',
    { convert: 'fit' },
  ),
  relation(
    'a relation is renamed, both sides',
    [
      ARTICLES_OWN,
      [
        { topics: to('manyToMany', 'tag', { inversedBy: 'stories', previousName: 'tags' }) },
        { stories: to('manyToMany', 'article', { mappedBy: 'topics', previousName: 'articles' }) },
      ],
    ],
    SEVERAL,
    {
      keys: ['tags', 'topics'],
      was: both(
        articles(({ tags }) => names(tags)),
        fromTags('articles'),
      ),
      is: both(
        articles(({ topics }) => names(topics)),
        fromTags('stories'),
      ),
    },
  ),
  relation(
    'a to-one relation is renamed',
    [
      [{ tag: to('manyToOne', 'tag') }, {}],
      [{ topic: to('manyToOne', 'tag', { previousName: 'tag' }) }, {}],
    ],
    TO_ONE,
    { keys: ['tag', 'topic'] },
  ),
  removing(
    relation(
      'a relation is removed',
      [
        [{ tags: to('manyToMany', 'tag') }, {}],
        [{}, {}],
      ],
      SEVERAL,
      { was: articles(({ title }) => title), is: articles(({ title }) => title) },
    ),
    /article\.tags is removed; these links would be deleted: 10 /,
    ['tags'],
  ),
  refused(
    relation(
      'a relation targets another type',
      [
        [{ tags: to('manyToMany', 'tag') }, {}],
        [{ tags: to('manyToMany', 'article') }, {}],
      ],
      SEVERAL,
      { becomes: () => [] },
    ),
    /article\.tags changes its target; these links have no document of the new type: 10 /,
    'tags',
    { convert: 'empty' },
  ),
  ...(['manyToOne', 'oneToOne'] as const).map((kind) =>
    refused(
      relation(
        `a ${kind} targets another type`,
        [
          [{ tags: to(kind, 'tag') }, {}],
          [{ tags: to(kind, 'article') }, {}],
        ],
        ONE_EACH,
        { becomes: () => [] },
      ),
      /article\.tags changes its target; these links have no document of the new type: 6 \(/,
      'tags',
      { convert: 'fit' },
    ),
  ),
  leftType('oneToOne'),
  relation(
    'a relation with a long name on a type with a long plural is renamed',
    [
      [{ [LONG]: to('manyToMany', 'tag') }, {}],
      [{ [`${LONG}s`]: to('manyToMany', 'tag', { previousName: LONG }) }, {}],
    ],
    async ({ send }) => {
      const { documentId } = await send('POST', '/api/tags', { name: 't' });
      await send('POST', `/api/${PLURAL}`, { title: '1', [LONG]: [documentId] });
    },
    {
      options: { pluralApiId: PLURAL },
      was: list(`/api/${PLURAL}?populate=*`, (doc) => names(doc[LONG])),
      is: list(`/api/${PLURAL}?populate=*`, (doc) => names(doc[`${LONG}s`])),
    },
  ),
  relation('two-way → one-way manyToMany', [ARTICLES_OWN, [{ tags: to('manyToMany', 'tag') }, {}]], SEVERAL, {
    isFinal: true,
  }),
  relation(
    'two-way → one-way manyToOne',
    [
      [
        { tag: to('manyToOne', 'tag', { inversedBy: 'articles' }) },
        { articles: to('oneToMany', 'article', { mappedBy: 'tag' }) },
      ],
      [{ tag: to('manyToOne', 'tag') }, {}],
    ],
    TO_ONE,
    { keys: ['tag', 'tag'], isFinal: true },
  ),
  relation(
    'a relation becomes polymorphic',
    [
      [{ tags: to('manyToMany', 'tag') }, {}],
      [{ tags: { type: 'relation', relation: 'morphToMany', targets: ['tag', 'article'] } }, {}],
    ],
    SEVERAL,
  ),
  relation(
    'a manyToMany becomes localized',
    [
      [{ tags: to('manyToMany', 'tag') }, {}],
      [{ tags: to('manyToMany', 'tag', { localized: true }) }, {}],
    ],
    async (api) => {
      await SEVERAL(api);
      for (const { documentId } of await api.get('/api/articles?status=draft'))
        await api.send('PUT', `/api/articles/${documentId}?locale=fr`, { title: 'f' });
    },
    {
      options: { draftAndPublish: true, localized: true },
      was: both(
        articles(({ tags }) => names(tags)),
        list('/api/articles?populate=*&locale=fr', ({ tags }) => names(tags)),
      ),
      is: both(
        articles(({ tags }) => names(tags)),
        list('/api/articles?populate=*&locale=fr', ({ tags }) => names(tags)),
      ),
    },
  ),
  refused(
    relation(
      'a localized manyToMany is shared',
      [
        [{ tags: to('manyToMany', 'tag', { localized: true }) }, {}],
        [{ tags: to('manyToMany', 'tag') }, {}],
      ],
      async (api) => {
        await SEVERAL(api);
        const [{ documentId }] = await api.get('/api/articles?status=draft');
        await api.send('PUT', `/api/articles/${documentId}?locale=fr`, { title: 'f', tags: [] });
      },
      { options: { draftAndPublish: true, localized: true } },
    ),
    /article\.tags becomes shared by all locales; these documents have different links per locale: \d/,
    'tags',
    { convert: 'fit' },
  ),
];

/** Returns the first article of each tag. */
function fromTagsFirst(key: string) {
  return async (get: Get): Promise<unknown> =>
    ((await get('/api/tags?populate=*&sort=name')) as any[]).map((tag) => [
      tag.name,
      names(tag[key].slice(0, 1)),
    ]);
}

export const BOX = { text: { type: 'string' }, n: { type: 'string' } } as const;
type Parts = readonly [readonly ComponentDefinition[], readonly ComponentDefinition[]];
export const box = (attributes: Attributes, more: object = {}): ComponentDefinition =>
  component('b.box', attributes, more);
export const HELD = { type: 'component', component: 'b.box' } as const;
export const MANY = { ...HELD, repeatable: true } as const;
const ZONE = { type: 'dynamiczone', components: ['b.box', 'b.note'] } as const;
export const NOTE = component('b.note', { words: { type: 'string' } });
const asBoxes = (value: any, pick: (one: any) => unknown): unknown => [value ?? []].flat().map(pick);

/** Articles with one component attribute, which changes. */
export const embedded = (
  name: string,
  sides: readonly [Attributes, Attributes],
  components: Parts,
  values: readonly unknown[],
  [was, is]: readonly [(one: any) => unknown, (one: any) => unknown],
  more: Parameters<typeof attribute>[3] = {},
): Change => {
  const [old = '', next = old] = sides.map((side) => Object.keys(side)[0]);
  return attribute(name, sides, values, {
    components,
    was: articles((doc) => asBoxes(doc[old], was)),
    is: articles((doc) => asBoxes(doc[next], is)),
    ...more,
  });
};

/** A component nested in itself, to a depth. */
const nested = (depth: number, innermost: object): object =>
  depth === 0 ? innermost : { text: `level ${depth}`, inner: nested(depth - 1, innermost) };
const NEST = { text: { type: 'string' }, inner: { type: 'component', component: 'b.nest' } } as const;
const DEEP = { type: 'component', component: 'b.nest' } as const;

const SAME: readonly [(one: any) => unknown, (one: any) => unknown] = [(one) => one, (one) => one];
const NUMBERED = [
  { text: 'a', n: '1' },
  { text: 'b', n: null },
] as const;

const COMPONENTS: readonly Change[] = [
  embedded(
    'an attribute of a component is renamed',
    [{ c: HELD }, { c: HELD }],
    [[box(BOX)], [box({ n: { type: 'string' }, words: { type: 'string', previousName: 'text' } })]],
    NUMBERED,
    [({ id, text }) => [id, text], ({ id, words }) => [id, words]],
  ),
  embedded(
    'an attribute of a component in a list is renamed',
    [{ c: MANY }, { c: MANY }],
    [[box(BOX)], [box({ n: { type: 'string' }, words: { type: 'string', previousName: 'text' } })]],
    [[...NUMBERED], []],
    [({ id, text }) => [id, text], ({ id, words }) => [id, words]],
  ),
  embedded(
    'an attribute of a component in a zone is renamed',
    [{ c: ZONE }, { c: ZONE }],
    [
      [box(BOX), NOTE],
      [box({ n: { type: 'string' }, words: { type: 'string', previousName: 'text' } }), NOTE],
    ],
    [
      [
        { __component: 'b.box', text: 'a' },
        { __component: 'b.note', words: 'kept' },
      ],
      [],
    ],
    [({ id, text, words }) => [id, text ?? words], ({ id, words }) => [id, words]],
  ),
  embedded(
    'an attribute holding a component is renamed',
    [{ c: HELD }, { d: { ...HELD, previousName: 'c' } }],
    [[box(BOX)], [box(BOX)]],
    NUMBERED,
    SAME,
  ),
  embedded(
    'a component is made a list',
    [{ c: HELD }, { c: MANY }],
    [[box(BOX)], [box(BOX)]],
    [...NUMBERED, null],
    SAME,
  ),
  embedded(
    'a list of components with one each is made single',
    [{ c: MANY }, { c: HELD }],
    [[box(BOX)], [box(BOX)]],
    [[{ text: 'a' }], [{ text: 'b' }], []],
    SAME,
  ),
  embedded(
    'a list in a component, with at most one each, is made single',
    [{ c: MANY }, { c: MANY }],
    [
      [component('b.box', { inner: { ...MANY, component: 'b.inner' } }), component('b.inner', BOX)],
      [component('b.box', { inner: { ...HELD, component: 'b.inner' } }), component('b.inner', BOX)],
    ],
    [[{ inner: [{ text: 'a' }] }, { inner: [] }, {}]],
    SAME,
    {
      was: list('/api/articles?populate[c][populate]=*', ({ c }) => c.map(({ inner }: any) => inner)),
      is: list('/api/articles?populate[c][populate]=*', ({ c }) =>
        c.map(({ inner }: any) => (inner === null ? [] : [inner])),
      ),
    },
  ),
  refused(
    embedded(
      'a list of components is made single',
      [{ c: MANY }, { c: HELD }],
      [[box(BOX)], [box(BOX)]],
      [[...NUMBERED], [{ text: 'c' }]],
      SAME,
      { was: articles((doc) => doc.c.slice(0, 1)), is: articles((doc) => [doc.c]) },
    ),
    /article\.c becomes a single value; these have several: 4 \(/,
    'c',
    { convert: 'fit' },
  ),
  embedded(
    'an attribute of a component becomes a number',
    [{ c: MANY }, { c: MANY }],
    [[box(BOX)], [box({ text: { type: 'string' }, n: { type: 'integer' } })]],
    [[...NUMBERED]],
    [({ n }) => (n === null ? null : Number(n)), ({ n }) => n],
  ),
  {
    ...embedded(
      'an attribute of a component becomes a number, of other texts',
      [{ c: HELD }, { c: HELD }],
      [[box(BOX)], [box({ text: { type: 'string' }, n: { type: 'integer' } })]],
      [{ n: 'many' }, { n: '3' }],
      [({ n }) => (n === '3' ? 3 : null), ({ n }) => n],
    ),
    refused: {
      because:
        /b\.box\.n changes from string to integer; these values cannot be converted without loss: 4 \(/,
      model: {
        contentTypes: [collection('article', { ...TITLE, c: HELD }, { draftAndPublish: true })],
        components: [box({ text: { type: 'string' }, n: { type: 'integer', convert: 'empty' } })],
      },
    },
  },
  embedded(
    'a required attribute with a default is added to a component',
    [{ c: MANY }, { c: MANY }],
    [[box(BOX)], [box({ ...BOX, kind: { type: 'string', required: true, default: 'plain' } })]],
    [[...NUMBERED]],
    [() => 'plain', ({ kind }) => kind],
  ),
  {
    ...embedded(
      'an attribute of a component is removed',
      [{ c: HELD }, { c: HELD }],
      [[box(BOX)], [box({ text: { type: 'string' } })]],
      NUMBERED,
      [({ text }) => text, ({ text }) => text],
    ),
    refused: {
      because: /b\.box\.n is removed; these values would be deleted: 4 \(/,
      model: {
        contentTypes: [collection('article', { ...TITLE, c: HELD }, { draftAndPublish: true })],
        components: [box({ text: { type: 'string' } }, { removed: ['n'] })],
      },
    },
  },
  {
    ...embedded(
      'an attribute of a component is removed, eight levels deep',
      [{ c: DEEP }, { c: DEEP }],
      [[component('b.nest', { ...NEST, n: { type: 'string' } })], [component('b.nest', NEST)]],
      [nested(8, { n: 'deep' })],
      [({ text }) => text, ({ text }) => text],
    ),
    refused: {
      because: /b\.nest\.n is removed; these values would be deleted: 4 \(/,
      model: {
        contentTypes: [collection('article', { ...TITLE, c: DEEP }, { draftAndPublish: true })],
        components: [component('b.nest', NEST, { removed: ['n'] })],
      },
    },
  },
  embedded(
    'a component is renamed',
    [{ c: HELD }, { c: { ...HELD, component: 'b.case' } }],
    [[box(BOX)], [component('b.case', BOX, { previousName: 'b.box' })]],
    NUMBERED,
    SAME,
  ),
  embedded(
    'a component of a zone is renamed',
    [{ c: ZONE }, { c: { ...ZONE, components: ['b.case', 'b.note'] } }],
    [
      [box(BOX), NOTE],
      [component('b.case', BOX, { previousName: 'b.box' }), NOTE],
    ],
    [
      [
        { __component: 'b.box', text: 'a' },
        { __component: 'b.note', words: 'w' },
      ],
    ],
    [
      (one) => ({ ...one, __component: one.__component === 'b.box' ? 'b.case' : one.__component }),
      (one) => one,
    ],
  ),
  removing(
    embedded(
      'a zone does not accept a component any more',
      [{ c: ZONE }, { c: { ...ZONE, components: ['b.note'] } }],
      [
        [box(BOX), NOTE],
        [box(BOX), NOTE],
      ],
      [
        [
          { __component: 'b.box', text: 'a' },
          { __component: 'b.note', words: 'w' },
        ],
      ],
      SAME,
      { was: articles(({ c }) => c.slice(1)), is: articles(({ c }) => c) },
    ),
    /article\.c no longer accepts b\.box; these documents contain instances of it: 4 \(/,
    ['c.b.box'],
  ),
  embedded(
    'a list of components becomes a zone',
    [{ c: MANY }, { c: ZONE }],
    [
      [box(BOX), NOTE],
      [box(BOX), NOTE],
    ],
    [[...NUMBERED]],
    [(one) => ({ ...one, __component: 'b.box' }), ({ __component, ...rest }) => ({ ...rest, __component })],
  ),
  embedded(
    'a nested component has an attribute renamed',
    [{ c: { type: 'component', component: 'b.outer' } }, { c: { type: 'component', component: 'b.outer' } }],
    [
      [component('b.outer', { boxes: MANY }), box(BOX)],
      [
        component('b.outer', { boxes: MANY }),
        box({ n: { type: 'string' }, words: { type: 'string', previousName: 'text' } }),
      ],
    ],
    [{ boxes: [...NUMBERED] }],
    SAME,
    {
      was: list('/api/articles?populate[c][populate]=*', ({ c }) =>
        c.boxes.map(({ id, text }: any) => [id, text]),
      ),
      is: list('/api/articles?populate[c][populate]=*', ({ c }) =>
        c.boxes.map(({ id, words }: any) => [id, words]),
      ),
    },
  ),
  {
    ...relation(
      'a relation in a component becomes to-many',
      [
        [{ c: HELD }, {}],
        [{ c: HELD }, {}],
      ],
      tagged(([a, b]) => [
        { title: '1', c: { tag: a } },
        { title: '2', c: { tag: b } },
        { title: '3', c: {} },
      ]),
    ),
    before: {
      contentTypes: [
        collection('article', { ...TITLE, c: HELD }),
        collection('tag', { name: { type: 'string' } }),
      ],
      components: [box({ tag: to('manyToOne', 'tag') })],
    },
    after: {
      contentTypes: [
        collection('article', { ...TITLE, c: HELD }),
        collection('tag', { name: { type: 'string' } }),
      ],
      components: [box({ tag: to('manyToMany', 'tag') })],
    },
    was: list('/api/articles?populate[c][populate]=*', ({ c }) => names(c.tag)),
    is: list('/api/articles?populate[c][populate]=*', ({ c }) => names(c.tag)),
  },
];

type Def = Attributes[string];
type Boxed = Readonly<Record<'before' | 'after' | 'holder', Def>>;

/** Documents whose values of `t` inside a component are duplicates once its attribute is unique. */
const uniqueInside = (name: string, { before, after, holder }: Boxed, values: readonly unknown[]): Change => {
  const parts = (t: Def) => [box({ t }), component('b.outer', { boxes: MANY }), NOTE];
  return {
    ...embedded(name, [{ c: holder }, { c: holder }], [parts(before), parts(after)], [], SAME),
    data: async ({ send }) => {
      for (const c of values) await send('POST', '/api/articles', { title: 'x', c });
    },
    refused: { because: /b\.box\.t becomes unique; these documents have the same value: 1 \(\w+ and \w+\)/ },
  };
};

const UNIQUE_INSIDE: readonly Change[] = [
  uniqueInside(
    'an attribute of a nested component becomes unique, with duplicates',
    {
      before: { type: 'string' },
      after: { type: 'string', unique: true },
      holder: { type: 'component', component: 'b.outer' },
    },
    ['a', 'b'].map((t) => ({ boxes: [{ t }, { t: 'same' }] })),
  ),
  uniqueInside(
    'an attribute of a component in a zone becomes unique, converted',
    {
      before: { type: 'string', unique: true },
      after: { type: 'integer', unique: true, convert: 'fit' },
      holder: ZONE,
    },
    ['7', '007'].map((t) => [{ __component: 'b.box', t }]),
  ),
  {
    ...uniqueInside(
      'values in a component are unique once locales are switched off',
      {
        before: { type: 'string', unique: true },
        after: { type: 'string', unique: true },
        holder: { ...HELD, localized: true },
      },
      [],
    ),
    before: boxed({ localized: true }),
    after: boxed({ removed: ['localizations'] }),
    data: async ({ send }) => {
      for (const locale of ['en', 'fr'])
        await send('POST', `/api/articles?locale=${locale}`, { c: { t: 'same' } });
    },
  },
];

/** Articles with a component whose values are unique. */
function boxed({ localized = false, ...options }: Options): Model {
  const c = localized ? { ...HELD, localized } : HELD;
  return {
    contentTypes: [collection('article', { c }, { localized, ...options })],
    components: [box({ t: { type: 'string', unique: true } })],
    locales: ['en', 'fr'],
  };
}

const FULL = {
  ...TITLE,
  body: { type: 'text' },
  note: { type: 'text', private: true },
  tags: to('manyToMany', 'tag'),
  c: MANY,
} as Attributes;
const full = (localized: boolean, names: readonly string[] = ['title', 'body']): Attributes =>
  Object.fromEntries(
    Object.entries(FULL).map(([key, def]) => [
      key,
      localized && names.includes(key) ? { ...def, localized } : def,
    ]),
  );

/** A type that changes. */
export const whole = (
  name: string,
  [before, after]: readonly [ContentTypeDefinition, ContentTypeDefinition],
  more: Partial<Change> & { readonly settings?: readonly [object, object] } = {},
): Change => {
  const { settings = [{}, {}], ...rest } = more;
  const tag = collection('tag', { name: { type: 'string' } });
  const model = (type: ContentTypeDefinition, given: object): Model => ({
    contentTypes: [type, tag],
    components: [box(BOX)],
    locales: ['en', 'fr'],
    ...given,
  });
  const pathOf = ({ pluralApiId = '' }: ContentTypeDefinition): string => `/api/${pluralApiId}?populate=*`;
  return {
    name,
    before: model(before, settings[0]),
    after: model(after, settings[1]),
    data: async (api) => {
      const { send } = api;
      const { documentId: tag } = await send('POST', '/api/tags', { name: 't' });
      const base = `/api/${before.pluralApiId ?? ''}`;
      for (const title of ['a', 'b'])
        await send('POST', base, {
          title,
          body: `body ${title}`,
          note: 'SECRET',
          tags: [tag],
          c: [{ text: title }],
        });
      if (before.draftAndPublish !== true) return;
      const [{ documentId }] = await api.get(`${base}?status=draft`);
      await send('PUT', `${base}/${documentId}?status=draft`, { title: 'DRAFT' });
    },
    was: list(pathOf(before), ({ id: _, ...doc }) => doc, ['published']),
    is: list(pathOf(after), ({ id: _, ...doc }) => doc, ['published']),
    ...rest,
  };
};

const TYPES: readonly Change[] = [
  whole('a type is renamed', [
    collection('post', FULL, { draftAndPublish: true }),
    collection('story', FULL, { draftAndPublish: true, previousName: 'post' }),
  ]),
  whole('a plural is changed', [
    collection('post', FULL, { draftAndPublish: true }),
    collection('post', FULL, { draftAndPublish: true, pluralApiId: 'postings' }),
  ]),
  whole('a table is renamed', [collection('post', FULL), collection('post', FULL, { tableName: 'blog' })]),
  {
    ...whole('a target of polymorphic links is renamed', [
      collection('post', FULL),
      collection('story', FULL, { previousName: 'post' }),
    ]),
    ...(() => {
      const comment = (target: string): ContentTypeDefinition =>
        collection('comment', {
          about: { type: 'relation', relation: 'morphToOne', targets: [target, 'tag'] },
          c: HELD,
        });
      const of = (post: ContentTypeDefinition, name: string): Model => ({
        contentTypes: [post, collection('tag', { name: { type: 'string' } }), comment(name)],
        components: [
          box({
            ...BOX,
            any: { type: 'relation', relation: 'morphToMany', targets: [name, 'tag'] },
          }),
        ],
      });
      const shown = list(
        '/api/comments?populate[about]=true&populate[c][populate]=*',
        ({ about, c }) => [about.documentId, c.any.map(({ documentId }: any) => documentId)],
        ['published'],
      );
      return {
        before: of(collection('post', TITLE), 'post'),
        after: of(collection('story', TITLE, { previousName: 'post' }), 'story'),
        data: async ({ send }: Api) => {
          const { documentId } = await send('POST', '/api/posts', { title: 'p' });
          const link = { documentId, __type: 'api::post.post' };
          await send('POST', '/api/comments', { about: link, c: { any: [link] } });
        },
        was: shown,
        is: shown,
      };
    })(),
  },
  whole('a single type becomes a collection', [single('page', TITLE, {}), collection('page', TITLE)], {
    data: async ({ send }) => void (await send('PUT', '/api/page', { title: 'home' })),
    was: async (get) => [(await get('/api/page')).title],
    is: async (get) => (await get('/api/pages')).map(({ title }: any) => title),
  }),
  whole('a collection of one becomes a single type', [collection('page', TITLE), single('page', TITLE)], {
    data: async ({ send }) => void (await send('POST', '/api/pages', { title: 'home' })),
    was: async (get) => (await get('/api/pages')).map(({ title }: any) => title),
    is: async (get) => [(await get('/api/page')).title],
  }),
  {
    ...whole('a collection of several does not become a single type', [
      collection('post', FULL),
      single('post', FULL),
    ]),
    refused: { because: /post becomes a single type, which has at most one document; found several: 2 / },
  },
  {
    ...whole('a type is removed', [collection('post', FULL), collection('post', FULL)]),
    ...(() => {
      const model = (types: readonly ContentTypeDefinition[], removed: readonly string[] = []): Model => ({
        contentTypes: [collection('tag', { name: { type: 'string' } }), ...types],
        components: [box(BOX)],
        removed,
      });
      return {
        before: model([collection('post', FULL)]),
        after: model([]),
        refused: {
          because: /post is removed; these versions would be deleted: 2 /,
          model: model([], ['post']),
        },
        was: list('/api/tags', ({ name }) => name, ['published']),
        is: list('/api/tags', ({ name }) => name, ['published']),
      };
    })(),
  },
  whole('drafts on', [collection('post', FULL), collection('post', FULL, { draftAndPublish: true })], {
    is: list('/api/posts?populate=*', ({ id: _, ...doc }) => doc, ['published']),
  }),
  {
    ...whole('drafts off, nothing unpublished', [
      collection('post', FULL, { draftAndPublish: true }),
      collection('post', FULL),
    ]),
    data: async ({ send }) => {
      const { documentId: tag } = await send('POST', '/api/tags', { name: 't' });
      for (const title of ['a', 'b'])
        await send('POST', '/api/posts', { title, note: 'SECRET', tags: [tag], c: [{ text: title }] });
    },
  },
  removing(
    whole('drafts off, with drafts', [
      collection('post', FULL, { draftAndPublish: true }),
      collection('post', FULL),
    ]),
    /post loses its drafts; these have unpublished content: 1 \(\w+ \(en, draft\)\); publish or discard them, or set removed: \['drafts'\] on post/,
    ['drafts'],
  ),
  whole(
    'localized on, type and attributes',
    [
      collection('post', full(false), { draftAndPublish: true }),
      collection('post', full(true), { localized: true, draftAndPublish: true }),
    ],
    {
      was: list('/api/posts?populate=*', ({ id: _, ...doc }) => doc),
      is: list('/api/posts?populate=*', ({ id: _, localizations: __, ...doc }) => doc),
    },
  ),
  removing(
    {
      ...whole(
        'localized off',
        [
          collection('post', full(true), { localized: true, draftAndPublish: true }),
          collection('post', full(false), { draftAndPublish: true }),
        ],
        {
          was: list('/api/posts?populate=*', ({ id: _, localizations: __, ...doc }) => doc),
          is: list('/api/posts?populate=*', ({ id: _, ...doc }) => doc),
        },
      ),
      data: async ({ send }) => {
        const { documentId: tag } = await send('POST', '/api/tags', { name: 't' });
        const { documentId } = await send('POST', '/api/posts', {
          title: 'a',
          tags: [tag],
          c: [{ text: 'x' }],
        });
        await send('PUT', `/api/posts/${documentId}?locale=fr`, { title: 'fr' });
      },
    },
    /post is no longer localized; these versions are in other locales: 2 \(\w+ \(fr\), \w+ \(fr, draft\)\)/,
    ['localizations'],
  ),
  // Nothing is lost, but the versions were in another locale, which only their rows tell.
  whole(
    'localized off, equal versions and documents without the default locale',
    [collection('post', full(false), { localized: true }), collection('post', full(false))],
    {
      isFinal: true,
      data: async ({ send }) => {
        const { documentId } = await send('POST', '/api/posts', { title: 'a' });
        await send('PUT', `/api/posts/${documentId}?locale=fr`, { title: 'a' });
        await send('POST', '/api/posts?locale=fr', { title: 'b' });
      },
      was: list('/api/posts?locale=fr', ({ title }) => title, ['published']),
      is: list('/api/posts', ({ title }) => title, ['published']),
    },
  ),
  whole(
    'an attribute is localized',
    [
      collection('post', full(true, ['title']), { localized: true }),
      collection('post', full(true), { localized: true }),
    ],
    {
      data: async ({ send }) => {
        const { documentId } = await send('POST', '/api/posts', { title: 'a', body: 'shared' });
        await send('PUT', `/api/posts/${documentId}?locale=fr`, { title: 'fr' });
      },
      was: list('/api/posts?locale=fr', ({ title, body }) => [title, body], ['published']),
      is: list('/api/posts?locale=fr', ({ title, body }) => [title, body], ['published']),
    },
  ),
  refused(
    whole(
      'an attribute is shared by locales',
      [
        collection('post', full(true), { localized: true }),
        collection('post', full(true, ['title']), { localized: true }),
      ],
      {
        data: async ({ send }) => {
          const { documentId } = await send('POST', '/api/posts', { title: 'a', body: 'en' });
          await send('PUT', `/api/posts/${documentId}?locale=fr`, { title: 'fr', body: 'fr' });
        },
        was: list('/api/posts', ({ body }) => body, ['published']),
        is: list('/api/posts?locale=fr', ({ body }) => body, ['published']),
      },
    ),
    /post\.body becomes shared by all locales; these documents have different values per locale: 1 \(/,
    'body',
    { convert: 'fit' },
  ),
  whole(
    'an attribute is shared by locales and gets a default',
    [
      collection('post', full(true), { localized: true }),
      collection(
        'post',
        { ...full(true), body: { type: 'text', required: true, default: 'x' } },
        { localized: true },
      ),
    ],
    {
      isFilled: true,
      data: async ({ send }) => {
        const { documentId } = await send('POST', '/api/posts', { title: 'a' });
        await send('PUT', `/api/posts/${documentId}?locale=fr`, { title: 'fr', body: 'fr' });
        await send('POST', '/api/posts', { title: 'b' });
      },
      was: async (get) => {
        const bodies = (await get('/api/posts?locale=fr')).map(({ body }: any) => body);
        return [...bodies, 'x'];
      },
      is: async (get) => (await get('/api/posts?sort=title')).map(({ body }: any) => body),
    },
  ),
  whole(
    'another default locale',
    [
      collection('post', FULL, { draftAndPublish: true }),
      collection('post', FULL, { draftAndPublish: true }),
    ],
    {
      settings: [{ defaultLocale: 'en' }, { defaultLocale: 'fr' }],
      was: list('/api/posts?populate=*', ({ id: _, locale: __, tags, ...doc }) => [doc, names(tags)], [
        'published',
      ]),
      is: list('/api/posts?populate=*', ({ id: _, locale: __, tags, ...doc }) => [doc, names(tags)], [
        'published',
      ]),
    },
  ),
  {
    ...whole(
      'a locale is removed, its versions stay',
      [
        collection('post', full(true), { localized: true }),
        collection('post', full(true), { localized: true }),
      ],
      { settings: [{ locales: ['en', 'fr'] }, { locales: ['en'] }] },
    ),
    was: list('/api/posts?locale=fr', ({ title }) => title, ['published']),
    is: list('/api/posts?locale=fr', ({ title }) => title, ['published']),
    data: async ({ send }) => {
      const { documentId } = await send('POST', '/api/posts', { title: 'a' });
      await send('PUT', `/api/posts/${documentId}?locale=fr`, { title: 'fr' });
    },
  },
];

export const CHANGES: readonly Change[] = [
  ...ATTRIBUTES,
  ...RELATIONS,
  ...COMPONENTS,
  ...UNIQUE_INSIDE,
  ...TYPES,
];
