/**
 * S1–S13: known vulnerabilities of other servers, tested on the content routes. Wherever a query is rejected
 * or ignored, one that would match and one that would not get the same response. The same query on a readable
 * attribute shows that the query works.
 * Cursors, grouping and `distinct` (S6), aliases and exports (S8) have no tests because they do not exist.
 */
import fc from 'fast-check';
import {
  type ContentModuleOptions,
  type ContentService,
  getContentToken,
  type Grants,
} from 'nestjs-content-api';
import { snapshot } from '../http/helpers.ts';
import { ADAPTERS, countStatements } from '../support/app.ts';
import { dose, expectSoon } from '../support/dose.ts';
import { idsOf, SECRET_TEXT, startWorld, type World } from './world.ts';

type Ask = (leaf: string, operand: object) => object;

const below = (path: readonly string[], end: object): object =>
  path.reduceRight<object>((inner, name) => ({ [name]: inner }), end);

/** Forms of a filter on the attribute at the end of a path. */
const WRAPS: Readonly<Record<string, (condition: object) => object>> = {
  plain: (condition) => condition,
  $and: (condition) => ({ $and: [condition] }),
  $or: (condition) => ({ $or: [{ id: '-1' }, condition] }),
  $not: (condition) => ({ $not: condition }),
  'deep groups': (condition) => ({ $and: [{ $or: [{ $not: { $not: condition } }] }] }),
};

/** Paths to models, and a readable attribute of each. */
const MODELS: readonly (readonly [path: readonly string[], readable: string])[] = [
  [[], 'title'],
  [['author'], 'name'],
  [['author', 'articles'], 'title'],
  [['seo'], 'title'],
  [['quotes'], 'text'],
  [['seo', 'person'], 'name'],
];

/** Filters below populate. */
const POPULATED: readonly (readonly [place: string, readable: string, ask: (filters: object) => object])[] = [
  ['a relation', 'name', (filters) => ({ populate: { author: { filters } } })],
  [
    'a relation of a relation',
    'title',
    (filters) => ({ populate: { author: { populate: { articles: { filters } } } } }),
  ],
  ['a component', 'text', (filters) => ({ populate: { quotes: { filters } } })],
  [
    'a relation of a component',
    'name',
    (filters) => ({ populate: { seo: { populate: { person: { filters } } } } }),
  ],
  ['a zone', 'text', (filters) => ({ populate: { zone: { on: { 'shared.quote': { filters } } } } })],
  ['a count', 'name', (filters) => ({ populate: { author: { count: 'true', filters } } })],
];

/** A filter that matches a hidden value, and one that does not. */
const PROBES: readonly (readonly [object, object])[] = [
  [{ $startsWith: 'match' }, { $startsWith: 'zzz' }],
  [{ $eq: SECRET_TEXT }, { $eq: 'zzz' }],
  [{ $containsi: 'HIDDEN' }, { $containsi: 'zzz' }],
  [{ $in: [SECRET_TEXT] }, { $in: ['zzz'] }],
  [{ $startsWith: '$argon2' }, { $startsWith: '$2a' }],
  [{ $notNull: 'true' }, { $null: 'true' }],
  [{ $gt: 'a' }, { $gt: 'zzzz' }],
];

/** Unknown parameters and keys. */
const UNDECLARED = [
  'where',
  '_where',
  '$where',
  'lookup',
  'having',
  'join',
  'joins',
  'orderBy',
  'order',
  '_sort',
  'select',
  'columns',
  'attributes',
  'include',
  '_limit',
  '_start',
  'offset',
  'skip',
  'take',
  'first',
  'distinct',
  'groupBy',
  'group',
  'aggregate',
  'with',
  'with_',
  'union',
  'raw',
  'sql',
  'query',
  'qb',
  'knex',
  'tableName',
  'from',
  'for',
  'transacting',
  'filter',
  'filters2',
  'Filters',
  '$and',
  '$or',
  '$not',
  'populates',
  'relations',
  'params',
  'options',
  'data',
  'documentId',
  'id',
  'user',
  'auth',
  'role',
  'cursor',
  'alias',
  'export',
  'deep',
  '__proto__',
  'constructor',
  'prototype',
];

describe.each(ADAPTERS)('on %s', (adapter) => {
  let world: World;
  let before: Record<string, unknown>;
  beforeAll(async () => {
    // The tests compare statements.
    world = await startWorld(adapter, { cache: false });
    before = await snapshot(world);
  });
  afterAll(() => world.close());

  /** Applications of single tests. */
  const others: World[] = [];
  const another = async (access: ContentModuleOptions['access']): Promise<World> => {
    const made = await startWorld(adapter, { access: access ?? {} });
    others.push(made);
    return made;
  };
  afterEach(async () => {
    await Promise.all(others.splice(0).map((made) => made.close()));
    await world.sql('delete from articles where document_id <> all($1)', [
      [world.ids.article, world.ids.other],
    ]);
  });

  /** Expects the same response to both probes: a 400 that reveals nothing about the value. */
  const refusesBoth = async (ask: (operand: object) => object, caller?: string): Promise<void> => {
    for (const [match, miss] of PROBES) {
      const [hit, other] = [
        await world.get('articles', ask(match), caller),
        await world.get('articles', ask(miss), caller),
      ];
      expect([JSON.stringify(ask(match)), hit.status, other.status]).toEqual([
        JSON.stringify(ask(match)),
        400,
        400,
      ]);
      expect(JSON.stringify(hit.body)).not.toMatch(/argon2|match-the|zzz/);
    }
  };

  /** Expects the same query on a readable attribute to distinguish rows. */
  const distinguishesRows = async (ask: Ask, leaf: string): Promise<void> => {
    const [hit, miss] = [
      await world.get('articles', ask(leaf, { $notNull: 'true' })),
      await world.get('articles', ask(leaf, { $null: 'true' })),
    ];
    expect([hit.status, miss.status]).toEqual([200, 200]);
    expect(hit.body.data).not.toEqual(miss.body.data);
  };

  // Plans do not depend on the adapter.
  if (adapter === 'express') {
    it.each(MODELS)('S1 filters on hidden attributes below %j (16.3)', async (path, readable) => {
      for (const wrap of Object.values(WRAPS)) {
        const ask: Ask = (leaf, operand) => ({ filters: wrap(below(path, { [leaf]: operand })) });
        await distinguishesRows(ask, readable);
        for (const hidden of ['secret', 'key']) await refusesBoth((operand) => ask(hidden, operand));
      }
    });

    it.each(POPULATED)('S1 filters below populate of %s', async (_place, readable, ask) => {
      for (const wrap of Object.values(WRAPS)) {
        await distinguishesRows((leaf, operand) => ask(wrap({ [leaf]: operand })), readable);
        for (const hidden of ['secret', 'key'])
          await refusesBoth((operand) => ask(wrap({ [hidden]: operand })));
      }
    });

    it('S1 filters through unreadable relations, creators, zones, and on attributes without a grant', async () => {
      for (const wrap of Object.values(WRAPS)) {
        for (const path of [
          ['vault', 'name'],
          ['author', 'articles', 'vault', 'name'],
          ['createdBy', 'password'],
          ['updatedBy', 'email'],
          ['zone', 'secret'],
          ['zone', 'text'],
        ]) {
          await refusesBoth((operand) => ({ filters: wrap(below(path, operand)) }));
        }
        for (const path of [
          ['note'],
          ['views'],
          ['vault'],
          ['author', 'name'],
          ['author', 'articles', 'note'],
          ['seo', 'person', 'name'],
        ]) {
          await refusesBoth((operand) => ({ filters: wrap(below(path, operand)) }), 'narrow');
        }
        const nested: readonly ((operand: object) => object)[] = [
          (name) => ({ author: { filters: wrap({ name }) } }),
          (note) => ({ author: { filters: wrap({ articles: { note } }) } }),
          (note) => ({ author: { populate: { articles: { filters: wrap({ note }) } } } }),
          (name) => ({ seo: { populate: { person: { filters: wrap({ name }) } } } }),
          (name) => ({ author: { populate: { articles: { filters: wrap({ vault: { name } }) } } } }),
        ];
        for (const ask of nested) await refusesBoth((operand) => ({ populate: ask(operand) }), 'narrow');
        await refusesBoth((name) => ({
          populate: { author: { populate: { articles: { filters: wrap({ vault: { name } }) } } } },
        }));
      }
      // Populate omits unreadable relations, with any options.
      const asked = async (operand: object) =>
        (await world.get('articles', { populate: { vault: { filters: { name: operand } } } })).body;
      for (const [match, miss] of PROBES.slice(0, 4)) expect(await asked(match)).toEqual(await asked(miss));
      expect(JSON.stringify(await asked({ $notNull: 'true' }))).not.toContain('vault');
    });

    it('S2 names with prefixes, casts, paths, quotes and similar characters match no attribute', async () => {
      const names = [
        't0.title',
        't1.secret',
        'articles.title',
        'article.secret',
        'title.',
        '.title',
        'secret.',
        'author.t1.secret',
        'api::article.article',
        'title::text',
        'secret::text',
        'meta->a',
        "meta->>'a'",
        'meta.a',
        'meta#>>{a}',
        '"title"',
        '"secret"',
        "title'",
        '`title`',
        'title"',
        'title;',
        'title--',
        'title/**/',
        '(title)',
        'title)',
        'title,secret',
        'TITLE',
        'Secret',
        'published_at',
        'document_id',
        'author_document_id',
        'ctid',
        'xmin',
        'tіtle',
        'titlе',
        'ｔｉｔｌｅ',
        'title\u200b',
        '\ufefftitle',
        't\u0301itle',
        'title\u0000',
        'title%00',
        '__proto__',
        'constructor',
        'prototype',
        'toString',
        'hasOwnProperty',
        '$where',
        '$title',
        '$raw',
        '*',
        '-1',
      ];
      // Commas, colons and surrounding spaces separate names in lists.
      const splits = (name: string): boolean => /[.,:]|^\*$/.test(name) || name.trim() !== name;
      const places: readonly ((name: string) => object)[] = [
        (name) => ({ filters: { [name]: 'x' } }),
        (name) => ({ filters: { $or: [{ [name]: { $notNull: 'true' } }] } }),
        (name) => ({ filters: { author: { [name]: 'x' } } }),
        (name) => ({ filters: { title: { [name]: 'x' } } }),
        (name) => ({ filters: { seo: { [name]: 'x' } } }),
        (name) => ({ filters: { meta: { [name]: 'x' } } }),
        (name) => ({ populate: { author: { filters: { [name]: 'x' } } } }),
        (name) => ({ populate: { [name]: 'true' } }),
        (name) => ({ populate: { author: { [name]: 'x' } } }),
        (name) => ({ populate: { zone: { on: { [name]: 'true' } } } }),
        ...['sort', 'fields', 'populate'].flatMap((parameter) => [
          (name: string) => (splits(name) ? { filters: { [name]: 'x' } } : { [parameter]: name }),
          (name: string) =>
            splits(name) ? { filters: { [name]: 'x' } } : { populate: { author: { [parameter]: [name] } } },
        ]),
      ];
      const refused = async (query: object): Promise<void> => {
        const { status, body } = await world.get('articles', query);
        expect([JSON.stringify(query), status]).toEqual([JSON.stringify(query), 400]);
        expect(body.error.name).toBe('ValidationError');
      };
      for (const name of names) for (const place of places) await refused(place(name));
      for (const sort of [
        't0.title',
        'articles.title:desc',
        'author.t1.name',
        'title::text',
        'title:asc;select',
        'meta.a',
        'author.secret',
        'title,t0.secret',
        { 'author.secret': 'asc' },
        ['title', 'secret'],
      ]) {
        await refused({ sort });
      }
      const known = [
        'id',
        'documentId',
        'createdAt',
        'updatedAt',
        'publishedAt',
        'locale',
        'title',
        'note',
        'views',
        'meta',
        'author',
        'seo',
        'quotes',
        '$and',
        '$or',
        '$not',
      ];
      const unknown = fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
        .filter((name) => !known.includes(name) && !/[[\]]|^\d+$/.test(name));
      for (const name of fc.sample(unknown, { seed: 7, numRuns: 80 })) {
        await refused({ filters: { [name]: 'x' } });
        await refused({ filters: { title: { [name]: 'x' } } });
      }
    });

    const VALUES: readonly unknown[] = [
      'secret',
      '1',
      { secret: { $startsWith: 'match' } },
      { id: '-1' },
      [{ secret: 'x' }],
      { $or: [{ key: { $notNull: 'true' } }] },
    ];

    it('S3 unknown parameters change neither the statement nor the response (5.43, 5.44)', async () => {
      const run = async (path: string, query: object): Promise<unknown> => {
        let answer: unknown;
        const statements = await countStatements(async () => (answer = await world.get(path, query)));
        return { statements, answer };
      };
      const plain = await run('articles', {});
      for (const name of UNDECLARED)
        for (const value of VALUES)
          expect([name, await run('articles', { [name]: value })]).toEqual([name, plain]);
      // Sends the same parameters with different values.
      const path = `articles/${world.ids.article}`;
      const one = await run(path, {});
      for (const [i, name] of UNDECLARED.entries())
        for (const value of dose([VALUES[i % VALUES.length]], VALUES))
          expect([name, await run(path, { [name]: value })]).toEqual([name, one]);
      const page = await run('articles', { pagination: { page: 1 } });
      for (const name of UNDECLARED)
        expect([name, await run('articles', { pagination: { page: 1, [name]: { secret: 'x' } } })]).toEqual([
          name,
          page,
        ]);
    });

    it('S3 rejects unknown keys at every other place', async () => {
      for (const name of UNDECLARED) {
        const group = /^\$(and|or|not)$/.test(name);
        const attribute = ['id', 'documentId'].includes(name);
        for (const value of VALUES.slice(1, 4)) {
          const asked = group ? { secret: value } : value;
          const places = [
            { populate: { author: { [name]: asked } } },
            { populate: { author: { populate: { articles: { [name]: asked } } } } },
            { populate: { zone: { on: { 'shared.quote': { [name]: asked } } } } },
            { filters: { title: { [name]: asked } } },
            ...(attribute
              ? []
              : [
                  { filters: { [name]: asked } },
                  { filters: { author: { [name]: asked } } },
                  { filters: { $or: [{ [name]: asked }] } },
                ]),
          ];
          for (const query of places)
            expect([query, (await world.get('articles', query)).status]).toEqual([query, 400]);
        }
      }
    });
  }

  it('S3 parameters and keys next to the data of a write have no other effect', async () => {
    const row = async (id: string) =>
      await world.sql('select title, secret from articles where document_id = $1 and published', [id]);
    const other = await row(world.ids.other);
    for (const name of UNDECLARED) {
      const { status, body } = await world.send(
        'put',
        `articles/${world.ids.article}?${name}[documentId]=${world.ids.other}&${name}[id]=2`,
        {
          [name === 'data' ? 'data2' : name]: { documentId: world.ids.other, secret: 'changed' },
          data: { title: 'seen' },
        },
        'writer',
      );
      expect([name, status]).toEqual([name, name === '__proto__' && adapter === 'fastify' ? 400 : 200]);
      if (status === 200) expect(body.data.documentId).toBe(world.ids.article);
    }
    expect(await row(world.ids.other)).toEqual(other);
    expect(await row(world.ids.article)).toEqual([{ title: 'seen', secret: SECRET_TEXT }]);
  });

  it('S4 every response with a document has the same attributes, and no hidden one', async () => {
    const shown = [
      'id',
      'documentId',
      'title',
      'note',
      'views',
      'meta',
      'createdAt',
      'updatedAt',
      'publishedAt',
      'locale',
    ];
    const embedded = [...shown, 'author', 'seo', 'quotes', 'zone'];
    const populate = { populate: '*' };
    const created = await world.send('post', 'articles', { data: { title: 'new' } }, 'writer');
    const id = String(created.body.data.documentId);
    const answers: Record<string, any> = {
      list: (await world.get('articles')).body.data[0],
      one: (await world.get(`articles/${id}`)).body.data,
      create: created.body.data,
      update: (await world.send('put', `articles/${id}`, { data: { views: 3 } }, 'writer')).body.data,
      related: (await world.get(`people/${world.ids.person}`, { populate: ['articles'] })).body.data
        .articles[0],
    };
    for (const [where, document] of Object.entries(answers))
      expect([where, Object.keys(document)]).toEqual([where, shown]);
    const full = [
      (await world.get('articles', populate)).body.data[0],
      (await world.get(`articles/${world.ids.article}`, populate)).body.data,
      (await world.send('put', `articles/${world.ids.article}?populate=*`, { data: {} }, 'writer')).body.data,
    ];
    for (const document of full) {
      expect(Object.keys(document)).toEqual(embedded);
      expect(Object.keys(document.author)).toEqual([
        'id',
        'documentId',
        'name',
        'createdAt',
        'updatedAt',
        'publishedAt',
        'locale',
      ]);
      expect(Object.keys(document.seo)).toEqual(['id', 'documentId', 'title']);
      expect(Object.keys(document.quotes[0])).toEqual(['id', 'documentId', 'text']);
      expect(Object.keys(document.zone[0]).sort()).toEqual(['__component', 'documentId', 'id', 'text']);
    }
  });

  // Plans do not depend on the adapter.
  if (adapter === 'express') {
    it('S6 rejects sorts and fields with hidden attributes, at any depth', async () => {
      for (const hidden of ['secret', 'key']) {
        for (const query of [
          { sort: hidden },
          { sort: `${hidden}:desc` },
          { sort: ['title', hidden] },
          { sort: { [hidden]: 'asc' } },
          { sort: `author.${hidden}` },
          { sort: `seo.${hidden}` },
          { sort: `seo.person.${hidden}` },
          { sort: { author: { [hidden]: 'desc' } } },
          { fields: hidden },
          { fields: ['title', hidden] },
          { fields: `title,${hidden}` },
          ...['author', 'quotes', 'seo'].flatMap((name) => [
            { populate: { [name]: { sort: hidden } } },
            { populate: { [name]: { fields: hidden } } },
          ]),
          { populate: { zone: { on: { 'shared.quote': { sort: [hidden] } } } } },
          { populate: { zone: { on: { 'shared.quote': { fields: [hidden] } } } } },
        ])
          expect([query, (await world.get('articles', query)).status]).toEqual([query, 400]);
      }
      for (const query of [{ sort: 'vault.name' }, { sort: 'createdBy.email' }])
        expect([query, (await world.get('articles', query)).status]).toEqual([query, 400]);
      for (const query of [
        { sort: 'note' },
        { sort: 'author.name' },
        { fields: 'note' },
        { fields: ['title', 'views'] },
      ])
        expect([query, (await world.get('articles', query, 'narrow')).status]).toEqual([query, 400]);
      expect((await world.get('articles', { sort: 'title' }, 'narrow')).status).toBe(200);
    });

    it('S7 a search finds nothing in hidden attributes (6.3)', async () => {
      const search = async (text: string, caller?: string) =>
        idsOf(await world.get('articles', { _q: text }, caller));
      expect([await search('seen'), await search('hush')]).toEqual([
        [world.ids.article],
        [world.ids.article],
      ]);
      for (const text of [
        SECRET_TEXT,
        'match',
        'hidden',
        'argon2',
        '$argon2id',
        'nothing',
        world.ids.vault,
        world.ids.person,
      ])
        expect([text, await search(text)]).toEqual([text, []]);
      expect([await search('987654'), await search('987654', 'narrow')]).toEqual([[world.ids.article], []]);
      expect([await search('seen', 'narrow'), await search('hush', 'narrow')]).toEqual([
        [world.ids.article],
        [],
      ]);
      expect([
        idsOf(await world.get('people', { _q: 'Ann' })),
        idsOf(await world.get('people', { _q: 'match' })),
      ]).toEqual([[world.ids.person], []]);
    });
  }

  it('S8 excludes hidden attributes from every form of the response (16.2)', async () => {
    const deep = {
      author: { populate: { articles: { populate: '*' } } },
      seo: { populate: '*' },
      quotes: 'true',
      zone: { populate: '*' },
      vault: 'true',
    };
    for (const headers of [{}, { 'strapi-response-format': 'v4' }] as Record<string, string>[]) {
      for (const query of [
        { populate: '*' },
        { populate: deep },
        { fields: '*', populate: '*' },
        { status: 'published', populate: deep },
      ]) {
        for (const path of ['articles', `articles/${world.ids.article}`]) {
          const { status, body } = await world.get(path, query, undefined, headers);
          expect(status).toBe(200);
          expect(JSON.stringify(body)).toContain('seen');
          expect(JSON.stringify(body)).not.toMatch(
            /match-the|nothing|argon2|"(secret|key|vault|createdBy|updatedBy)"/,
          );
        }
      }
      const { body } = await world.get('articles', { populate: deep }, 'narrow', headers);
      expect(JSON.stringify(body)).not.toMatch(/hush|Ann|"(note|views|name)"|"meta":\{"a"/);
    }
    expect((await world.get('articles', { status: 'draft' })).status).toBe(403);
  });

  // Plans do not depend on the adapter.
  if (adapter === 'express') {
    describe('S9 an empty list matches nothing', () => {
      const BOTH = 2;
      const inCode: readonly (readonly [object, number])[] = [
        [{ title: { $in: [] } }, 0],
        [{ title: { $notIn: [] } }, BOTH],
        [{ title: [] }, 0],
        [{ $or: [] }, 0],
        [{ $and: [] }, BOTH],
        [{ $not: { $or: [] } }, BOTH],
        [{ $not: { $and: [] } }, 0],
        [{ $not: { title: { $in: [] } } }, BOTH],
        [{ $and: [{ $or: [] }, { title: 'seen' }] }, 0],
        [{ $or: [{ $or: [] }, { title: 'seen' }] }, 1],
        [{ $or: [{ title: { $in: [] } }, { title: 'seen' }] }, 1],
        [{ author: { name: { $in: [] } } }, 0],
        [{ author: { $or: [] } }, 0],
        [{ seo: { title: { $in: [] } } }, 0],
        [{ id: { $in: [] } }, 0],
      ];

      it.each(inCode)('S9 %j in code', async (filters, count) => {
        const service = world.app.get<ContentService>(getContentToken('article'));
        expect((await service.find({ filters })).data).toHaveLength(count);
      });

      it('S9 in a query string', async () => {
        const count = async (query: string) => {
          const answer = await world.get('articles', query);
          return answer.status === 200 ? answer.body.data.length : answer.status;
        };
        // A query string has no empty list. The nearest form is a list with an empty entry, which must not
        // match everything.
        const spelled = [
          'filters[title][$in]=',
          'filters[title][$in][]=',
          'filters[id][$in][]=',
          'filters[id][$in]=',
          'filters[title][$in]',
          'filters[title][$in][]',
          'filters[$or]=',
          'filters[$or][]=',
          'filters[$or]',
          'filters[$and]=',
          'filters[$or][0]=',
          'filters[$or][0][title][$in][]=',
        ];
        for (const query of spelled)
          expect([query, [0, 400]]).toEqual([query, expect.arrayContaining([await count(query)])]);
      });

      it('S9 in grants', async () => {
        const grants = {
          'no actions': [{ actions: [], fields: ['title'] }],
          'no grants': [],
          'no fields': [{ actions: ['find', 'findOne', 'create', 'update'], fields: [] }],
        } as const;
        for (const [name, article] of Object.entries(grants)) {
          const own = await another({ public: { article } });
          expect([
            name,
            (await own.get('articles')).status >= 400 ||
              JSON.stringify((await own.get('articles', { populate: '*' })).body).includes('seen'),
          ]).toEqual([name, name !== 'no fields']);
          if (name === 'no fields') {
            // A caller with a grant on no attributes gets documents without attributes.
            expect(Object.keys((await own.get('articles', { populate: '*' })).body.data[0])).toEqual([
              'id',
              'documentId',
              'createdAt',
              'updatedAt',
              'publishedAt',
              'locale',
            ]);
            for (const query of [{ filters: { title: 'seen' } }, { sort: 'title' }, { fields: 'title' }])
              expect((await own.get('articles', query)).status).toBe(400);
            expect(idsOf(await own.get('articles', { _q: 'seen' }))).toEqual([]);
            expect((await own.send('post', 'articles', { data: { title: 'x' } })).status).toBe(400);
          } else {
            for (const [method, path] of [
              ['post', 'articles'],
              ['put', `articles/${own.ids.article}`],
              ['delete', `articles/${own.ids.article}`],
            ] as const)
              expect([401, 403]).toContain((await own.send(method, path, { data: {} })).status);
          }
        }
      });
    });

    it('S9 a grant on no attributes permits no deletion', async () => {
      const own = await another({ public: { article: [{ actions: ['delete'], fields: [] }] } });
      // The public without any grant gets 401.
      expect((await own.send('delete', `articles/${own.ids.article}`)).status).toBe(401);
    });

    it('S10 ignores grants on unknown names with a warning, and never applies them to others', async () => {
      const warnings: string[] = [];
      let grants: Record<string, unknown> = {};
      const own = await another({
        public: { person: ['find'] },
        source: { load: async () => ({ public: grants }) as Record<string, Grants> },
        maxAge: 0,
      });
      own.app.useLogger({
        log: () => undefined,
        error: () => undefined,
        warn: (message: string) => void warnings.push(message),
      });
      const statuses = async () => [
        (await own.get('articles')).status,
        (await own.get('vaults')).status,
        (await own.send('post', 'articles', { data: { title: 'x' } })).status,
      ];
      const wrongs: readonly (readonly [Record<string, unknown>, string])[] = [
        [{ gone: '*' }, ': "gone" is not'],
        [{ gone2: ['find'] }, ': "gone2" is not'],
        [{ '': '*' }, ': "" is not'],
        [JSON.parse('{"__proto__":"*"}') as Record<string, unknown>, ': "__proto__" is not'],
        [{ constructor: ['find'] }, ': "constructor" is not'],
        [
          { article: ['finds', 'FIND', 'read', '*', 'api::article.article.find'] },
          '.article: "finds" is not an action',
        ],
        [
          {
            article: [
              { actions: ['find'], fields: ['gone'] },
              { actions: '*', fields: ['title', 'gone'] },
            ],
          },
          '.article: "gone" is not an attribute',
        ],
        [
          { article: [{ actions: ['find', 'gone'], fields: ['title'] }] },
          '.article: "gone" is not an action',
        ],
        [
          {
            article: [
              { actions: ['find'], fields: '*' },
              { actions: ['find'], fields: null },
              { actions: ['find'], field: ['title'] },
              { fields: ['title'] },
              { actions: 'find', fields: ['title'] },
              null,
              5,
              [],
              ['find'],
            ],
          },
          '.article: expected an action',
        ],
        [{ '*': [{ actions: ['find'], fields: ['title'] }] }, '.*: "fields" needs'],
      ];
      for (const [wrong, named] of wrongs) {
        grants = wrong;
        expect([JSON.stringify(wrong), await statuses()]).toEqual([JSON.stringify(wrong), [403, 403, 403]]);
        expect([JSON.stringify(wrong), warnings.join('\n')]).toEqual([
          JSON.stringify(wrong),
          expect.stringContaining(`Ignored grant: role "public"${named}`),
        ]);
        // Other grants of the same source, and later ones, apply.
        grants = { ...wrong, vault: ['find'] };
        expect((await own.get('vaults')).status).toBe(200);
        grants = {
          article: [...(Array.isArray(wrong['article']) ? (wrong['article'] as unknown[]) : []), 'find'],
        };
        expect(await statuses()).toEqual([200, 403, 403]);
      }
    });

    it('S10 a role without grants in a source removes no permission of others', async () => {
      const own = await another({
        public: { person: ['find'] },
        source: { load: async () => ({ public: null }) as unknown as Record<string, Grants> },
        maxAge: 0,
      });
      expect((await own.get('people')).status).toBe(200);
    });

    it('S11 without permission on a type, existing and unknown documents get the same response', async () => {
      const { vault: there } = world.ids;
      for (const caller of [undefined, 'narrow', 'nobody']) {
        for (const query of [
          '',
          '?populate=*',
          '?filters[name][$startsWith]=match',
          '?nope[',
          '?status=draft',
        ]) {
          const asked = [
            await world.get(`vaults/${there}${query}`, '', caller),
            await world.get(`vaults/nobody${query}`, '', caller),
          ];
          for (const { status, body } of asked)
            expect({ status, body }).toEqual({
              status: 403,
              body: {
                data: null,
                error: { status: 403, name: 'ForbiddenError', message: 'Forbidden', details: {} },
              },
            });
        }
        for (const method of ['put', 'delete'] as const) {
          for (const body of [undefined, {}, { data: {} }, { data: { name: 'x', nope: 1 } }]) {
            expect(await world.send(method, `vaults/${there}`, body, caller)).toEqual(
              await world.send(method, 'vaults/nobody', body, caller),
            );
            expect((await world.send(method, 'vaults/nobody', body, caller)).status).toBe(403);
          }
        }
      }
      // Naming the document in a relation of a write reveals nothing either.
      for (const relation of [
        (id: string) => id,
        (id: string) => ({ connect: [id] }),
        (id: string) => ({ set: [{ documentId: id }] }),
        (id: string) => ({ connect: [{ documentId: id, position: { before: id } }] }),
      ]) {
        const [known, unknown] = [
          await world.send('post', 'articles', { data: { vault: relation(there) } }, 'writer'),
          await world.send('post', 'articles', { data: { vault: relation('nobody') } }, 'writer'),
        ];
        expect([known.status, known.body]).toEqual([400, unknown.body]);
      }
      expect((await world.get('nothings')).status).toBe(404);
    });
  }

  it('S12 treats hostile text in operators, JSON paths, ids and bodies only as a value (16.4)', async () => {
    const payloads = [
      "'",
      "' or '1'='1",
      "'; drop table articles; --",
      '") or 1=1 --',
      '1; select pg_sleep(5)',
      "'||pg_sleep(5)||'",
      '\\',
      "\\'",
      '$1',
      '$$',
      '{"$gt":""}',
      "a'->>'b",
      '%',
      '_',
      '*',
      "E'\\x27'",
      '\u02bc or 1=1',
      '\uff07',
      '/*',
      '#>>{}',
    ];
    const operators = [
      '$eq',
      '$ne',
      '$eqi',
      '$nei',
      '$lt',
      '$gte',
      '$in',
      '$notIn',
      '$contains',
      '$notContainsi',
      '$startsWith',
      '$startsWithi',
      '$endsWith',
      '$endsWithi',
      '$jsonSupersetOf',
    ];
    const start = performance.now();
    // Operators do not depend on the adapter: each payload runs with one half of them on Express and with the
    // other half on Fastify.
    const asked = (n: number): string[] =>
      dose(
        operators.filter((_, i) => (i + n) % 2 === ADAPTERS.indexOf(adapter)),
        operators,
      );
    for (const [n, payload] of payloads.entries()) {
      const queries = [
        ...asked(n).map((operator) => ({ filters: { title: { [operator]: payload } } })),
        { filters: { meta: { [payload]: 'x' } } },
        { filters: { meta: payload } },
        { filters: { [`meta.${payload}`]: 'x' } },
        { filters: { views: payload } },
        { filters: { [payload]: 'x' } },
        { sort: `title:${payload}` },
        { sort: payload },
        { fields: payload },
        { populate: payload },
        { _q: payload },
        { locale: payload },
        { pagination: { pageSize: payload } },
        { filters: { seo: { title: { $containsi: payload } } } },
      ];
      const statuses = await Promise.all(
        queries.map(async (query) => (await world.get('articles', query)).status),
      );
      expect([payload, statuses.filter((status) => status !== 200 && status !== 400)]).toEqual([payload, []]);
      const [equal, none] = [
        await world.get('articles', { filters: { title: payload } }),
        await world.get('articles', { filters: { title: { $in: [payload] } } }),
      ];
      expect([idsOf(equal), idsOf(none)]).toEqual([[], []]);
      expect([404, 400]).toContain((await world.get(`articles/${encodeURIComponent(payload)}`)).status);
      const stored = await world.send(
        'post',
        'articles',
        { data: { title: payload, meta: { [payload]: payload } } },
        'writer',
      );
      expect([stored.status, stored.body.data.title, stored.body.data.meta]).toEqual([
        201,
        payload,
        { [payload]: payload },
      ]);
      expect(idsOf(await world.get('articles', { filters: { title: payload } }))).toEqual([
        stored.body.data.documentId,
      ]);
    }
    expectSoon(performance.now() - start, 30_000);
    expect(idsOf(await world.get('articles', { pagination: { pageSize: 100 } }))).toHaveLength(
      2 + payloads.length,
    );
  });

  it('S13 no request changes the prototype of objects', async () => {
    const keys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
    const clean = (): void =>
      expect([Object.keys(Object.prototype), ({} as any).polluted, ([] as any).polluted]).toEqual([
        [],
        undefined,
        undefined,
      ]);
    for (const key of keys) {
      for (const query of [
        `${key}[polluted]=1`,
        `${key}.polluted=1`,
        `constructor[${key}][polluted]=1`,
        `filters[${key}][polluted]=1`,
        `filters[author][${key}][polluted]=1`,
        `filters[$and][0][${key}][polluted]=1`,
        `filters[${encodeURIComponent(key)}]=1`,
        `populate[${key}][polluted]=1`,
        `populate[author][${key}][polluted]=1`,
        `sort[${key}]=asc`,
        `fields[${key}]=1`,
        `pagination[${key}][polluted]=1`,
        `locale[${key}]=1`,
        `status[${key}]=1`,
      ]) {
        const { status } = await world.get('articles', query);
        expect([query, [200, 400]]).toEqual([query, expect.arrayContaining([status])]);
        if (query.startsWith('filters') || query.startsWith('populate'))
          expect([query, status]).toEqual([query, 400]);
      }
      clean();
      const text = (json: string) =>
        world.http
          .post('/api/articles')
          .set('authorization', 'Bearer writer')
          .set('content-type', 'application/json')
          .send(json);
      for (const json of [
        `{"${key}":{"polluted":1},"data":{}}`,
        `{"data":{"${key}":{"polluted":1}}}`,
        `{"data":{"meta":{"${key}":{"polluted":1}}}}`,
        `{"data":{"seo":{"${key}":{"polluted":1}}}}`,
        `{"data":{"author":{"${key}":{"polluted":1}}}}`,
        `{"data":{"constructor":{"prototype":{"polluted":1}}}}`,
        `{"data":{"zone":[{"__component":"${key}"}]}}`,
      ]) {
        const { status } = await text(json);
        expect([json, [201, 400]]).toEqual([json, expect.arrayContaining([status])]);
      }
      clean();
    }
  });

  it('S12 S13 changed nothing', async () => {
    const after = await snapshot(world);
    expect(after['people']).toEqual(before['people']);
    expect(after['vaults']).toEqual(before['vaults']);
    expect(Object.keys(after)).toEqual(Object.keys(before));
  });
});
