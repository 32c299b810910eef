/** SQL injection: tests every operator, every position of a name and every value with hostile text. */
import fc from 'fast-check';
import { Permissions } from 'nestjs-content-api';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { dose } from '../support/dose.ts';
import { Client, type RunningApp, withSql } from './apps.ts';
import { valueOf } from './content.ts';
import {
  type Attribute,
  buildSchema,
  OPERATORS,
  resolveSettings,
  type ScalarAttribute,
  statementOf,
} from './internals.ts';
import { model } from './model.ts';
import { problemOf } from './oracle.ts';
import { queryOf, tree } from './query-text.ts';
import { documentsOf, startFilled } from './server.ts';

const PAYLOADS = [
  "'",
  "''",
  '"',
  '""',
  '\\',
  "\\'",
  "'; drop table articles; --",
  '"; drop table articles; --',
  "' or '1'='1",
  '1) or (1=1',
  '1; select pg_sleep(1)',
  '/* */',
  '--',
  '$1',
  '$1::text',
  '$$x$$',
  '${1}',
  '\u0000',
  'a\u0000b',
  '%00',
  '%',
  '_',
  '\\%',
  '{}',
  '[]',
  '{"a":1}',
  "{'a':1}",
  "->>'a'",
  "meta->>'a'",
  "#>>'{a}'",
  '@> {}',
  '::text',
  'title::text',
  'articles.title',
  't0.title',
  't0."title"',
  '*',
  ';--',
  "E'\\x'",
  'é',
  'ｆｕｌｌ',
  '🙂',
  '\ud83d',
  '\u202e',
  '\ufeff',
  '\u2019',
  '\u02bc',
  'ʼ or 1=1',
  '＇',
  '\r\n',
  '\t',
  '\u0085',
  '\u2028',
  'x'.repeat(10_000),
  "'".repeat(3000),
  '\\'.repeat(3001),
  '🙂'.repeat(800),
  '((((',
  'NULL',
  'true',
  '__proto__',
  'constructor',
];

/**
 * Divides the payloads between the positions: each gets every n-th one, and the next position the following
 * ones.
 */
const TURNS = dose(2, 1);
const inTurns = (place: number): string[] => PAYLOADS.filter((_, i) => (i + place) % TURNS === 0);

const schema = buildSchema(model.contentTypes, model.components);
const ALL_OPERATORS = Object.keys(OPERATORS);

describe('hostile text over HTTP', () => {
  let database: TestDatabase;
  let running: RunningApp;
  let client: Client;
  let documentId: string;
  let before: Record<string, unknown>[];

  /** Reads all tables with a digest of their rows. */
  const contents = (): Promise<Record<string, unknown>[]> =>
    withSql(database.url, async (sql) => {
      const tables = await sql(
        // Maintenance changes the change log concurrently.
        `select table_name as name from information_schema.tables where table_schema = 'public'
         and table_name not in ('content_change', 'content_total') order by 1`,
      );
      const digests: Record<string, unknown>[] = [];
      for (const { name } of tables) {
        const [digest] = await sql(
          `select count(*)::int as rows, md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest from "${String(name)}" t`,
        );
        digests.push({ name, ...digest });
      }
      return digests;
    });

  beforeAll(async () => {
    database = await createDatabase();
    running = await startFilled(database.url, 'express');
    client = new Client(running.url);
    documentId = (await documentsOf(database.url))['article']?.[0] ?? '';
    before = await contents();
  });
  afterAll(async () => {
    client.close();
    await running.close();
    await database.drop();
  });
  const ask = async (
    path: string,
    query: object | string,
    headers: Record<string, string> = {},
  ): Promise<number> => {
    const text = typeof query === 'string' ? query : queryOf(query);
    if (text.length > 15_000) return 0;
    const reply = await client.get(`/api/${path}?${text}`, { authorization: 'Bearer all', ...headers });
    expect([problemOf(reply), path, text.slice(0, 500)]).toEqual([null, path, text.slice(0, 500)]);
    return reply.status;
  };

  const NAMED = [
    'title',
    'meta',
    'views',
    'big',
    'price',
    'featured',
    'kind',
    'day',
    'time',
    'moment',
    'stamp',
    'list',
    'body',
    'id',
    'documentId',
    'locale',
    'createdAt',
  ];

  it.each(ALL_OPERATORS)('as the operand of %s on every type of attribute', async (operator) => {
    for (const [i, payload] of PAYLOADS.entries()) {
      const others = dose([7 * ALL_OPERATORS.indexOf(operator)], [0, 7]);
      const names = ['title', ...others.map((offset) => NAMED[(i + offset) % NAMED.length] as string)];
      const query = (name: string): object => ({
        filters: { [name]: { [operator]: operator === '$between' ? [payload, payload] : payload } },
        fields: ['id'],
        pagination: { pageSize: 1 },
      });
      await Promise.all(names.map((name) => ask('articles', query(name))));
    }
  });

  const PLACES: Record<string, (payload: string) => object> = {
    'a filter name': (name) => ({ filters: { [name]: 'x' } }),
    'a nested filter name': (name) => ({ filters: { author: { [name]: { $eq: 'x' } } } }),
    'an operator': (name) => ({ filters: { title: { [name]: 'x' } } }),
    'a JSON path': (name) => ({ filters: { meta: { [name]: { $eq: 'x' } } } }),
    'a JSON path after a dot': (name) => ({ filters: { [`meta.${name}`]: 'x' } }),
    'a filter name in a component': (name) => ({ filters: { seo: { [name]: 'x' } } }),
    'a filter value in a component': (text) => ({
      filters: { sections: { heading: { $containsi: text } }, seo: { title: text } },
    }),
    'a filter value below relations': (text) => ({
      filters: { author: { articles: { title: { $contains: text } } } },
    }),
    'a filter value in a group': (text) => ({
      filters: { $or: [{ title: text }, { $not: { author: { name: { $eqi: text } } } }] },
    }),
    'a list of values': (text) => ({ filters: { title: { $in: [text, 'x', text] }, slug: [text] } }),
    'JSON to compare with': (text) => ({ filters: { meta: { $eq: JSON.stringify({ [text]: text }) } } }),
    'a sort key': (name) => ({ sort: name }),
    'a sort key in a list': (name) => ({ sort: ['title', `${name}:desc`] }),
    'a sort key of an object': (name) => ({ sort: { [name]: 'asc' } }),
    'a deep sort key': (name) => ({ sort: `author.${name}` }),
    'a sort direction': (text) => ({ sort: `title:${text}` }),
    'a sort direction of an object': (text) => ({ sort: { title: text } }),
    'a field': (name) => ({ fields: [name] }),
    'a list of fields': (name) => ({ fields: `id,${name}` }),
    'a populated name': (name) => ({ populate: name }),
    'a populated path': (name) => ({ populate: `author.${name}` }),
    'a populate key': (name) => ({ populate: { [name]: true } }),
    'a populate value': (text) => ({ populate: { author: text } }),
    'a nested populate key': (name) => ({
      populate: { author: { populate: { [name]: { fields: ['id'] } } } },
    }),
    'a key inside populate': (name) => ({ populate: { author: { [name]: 'x' } } }),
    'a nested field': (name) => ({ populate: { author: { fields: [name] } } }),
    'a nested sort': (name) => ({ populate: { categories: { sort: [name] } } }),
    'a filter name below populate': (name) => ({ populate: { categories: { filters: { [name]: 'x' } } } }),
    'a filter value below populate': (text) => ({
      populate: { categories: { filters: { name: { $startsWith: text } } } },
    }),
    'a component uid': (name) => ({ populate: { zone: { on: { [name]: true } } } }),
    'a filter below on': (text) => ({
      populate: { zone: { on: { 'shared.quote': { filters: { text: { $containsi: text } } } } } },
    }),
    'a count': (text) => ({ populate: { categories: { count: text } } }),
    'a locale': (text) => ({ locale: text }),
    'a list of locales': (text) => ({ locale: ['en', text], populate: ['localizations', 'author'] }),
    'a status': (text) => ({ status: text }),
    'a publication filter': (text) => ({ publicationFilter: text }),
    'a deprecated publication filter': (text) => ({ hasPublishedVersion: text }),
    'a search': (text) => ({ _q: text }),
    'a page': (text) => ({ pagination: { page: text } }),
    'a page size': (text) => ({ pagination: { pageSize: text } }),
    'a start': (text) => ({ pagination: { start: text } }),
    'a limit': (text) => ({ pagination: { limit: text } }),
    'a count of a page': (text) => ({ pagination: { withCount: text } }),
    'a pagination key': (name) => ({ pagination: { [name]: 1 } }),
    'a parameter': (name) => ({ [name]: 'x' }),
  };

  it.each(Object.entries(PLACES))('as %s', async (place, make) => {
    const payloads = inTurns(Object.keys(PLACES).indexOf(place));
    for (let i = 0; i < payloads.length; i += 4) {
      const some = payloads.slice(i, i + 4);
      await Promise.all(
        some.map((payload, j) =>
          ask(j === (i / 4) % 4 ? `articles/${documentId}` : 'articles', make(payload)),
        ),
      );
    }
  });

  it('as an id in the path', async () => {
    for (const payload of PAYLOADS.filter((text) => text.length < 4000 && text.isWellFormed())) {
      const path = `articles/${encodeURIComponent(payload)}`;
      const status = await ask(path, '');
      expect([path, status >= 400 && status < 500]).toEqual([path, true]);
      await ask(`articles/${encodeURIComponent(documentId + payload)}`, { populate: '*' });
    }
  });

  it('as a header that chooses the format', async () => {
    for (const payload of PAYLOADS.filter((text) => /^[\x20-\x7e]{1,2000}$/.test(text))) {
      expect(await ask('articles', '', { 'strapi-response-format': payload })).toBe(200);
    }
  });

  it('changes no row', async () => expect(await contents()).toEqual(before));
});

describe('the text of a statement', () => {
  const settings = resolveSettings({ locales: model.locales });
  const open = (attribute: Attribute): boolean =>
    !attribute.private && (attribute.kind !== 'scalar' || attribute.type.readable);
  const MARK = 'zq7x';

  /** Paths to scalars, with the attribute at the end. */
  const scalars = new Map<string, ScalarAttribute>();
  const collect = (attributes: ReadonlyMap<string, Attribute>, path: readonly string[]): void => {
    for (const attribute of attributes.values()) {
      if (!open(attribute)) continue;
      const here = [...path, attribute.name];
      if (attribute.kind === 'scalar') scalars.set(here.join('.'), attribute);
      else if (attribute.kind !== 'zone' && attribute.kind !== 'morph' && path.length < 2)
        collect((attribute.kind === 'component' ? attribute.component : attribute.target).attributes, here);
    }
  };
  collect(schema.types.get('article')?.attributes ?? new Map(), []);

  const scalarAt = (path: string): ScalarAttribute => scalars.get(path) as ScalarAttribute;

  interface Shape {
    readonly conditions: readonly {
      readonly at: string;
      readonly operator: string;
      readonly where: string;
    }[];
    readonly extras: readonly string[];
  }

  const applies = (operator: string, { type }: ScalarAttribute): boolean => {
    const { applies: to } = OPERATORS[operator as keyof typeof OPERATORS];
    return to === 'all' || (to === 'json' ? type.column === 'jsonb' : type.textual);
  };

  const shapes: fc.Arbitrary<Shape> = fc.record({
    conditions: fc
      .array(
        fc.record({
          at: fc.constantFrom(...scalars.keys()),
          operator: fc.constantFrom(...ALL_OPERATORS.filter((name) => !name.endsWith('ull'))),
          where: fc.constantFrom('root', 'or', 'not', 'populate'),
        }),
        { maxLength: 4 },
      )
      .map((all) => all.filter(({ at, operator }) => applies(operator, scalarAt(at)))),
    extras: fc.subarray(['search', 'first page', 'later page', 'locale', 'sort']),
  });

  /** Builds a query of the given shape; `pick` chooses its values. */
  function build({ conditions, extras }: Shape, pick: (max: number) => number): object {
    const value = ({ def, name, system, type }: ScalarAttribute): string => {
      if (system)
        return def.type === 'integer'
          ? String(pick(1e6))
          : def.type === 'datetime'
            ? new Date(pick(1e12)).toISOString()
            : `${MARK}${pick(1e9)}`;
      const made = valueOf({ def, name }, pick(100), pick(2) === 0 ? 'alpha' : 'omega');
      if (type.column === 'jsonb') return JSON.stringify({ [`${MARK}${pick(99)}`]: made });
      return def.type === 'boolean'
        ? String(made)
        : typeof made === 'string' && type.textual && def.type !== 'enumeration'
          ? `${MARK}'"\\;--$1${made}`
          : String(made);
    };
    const condition = ({ at, operator }: Shape['conditions'][number]): object => {
      const one = (): string => value(scalarAt(at));
      const operand =
        operator === '$between'
          ? [one(), one()]
          : operator === '$in' || operator === '$notIn'
            ? Array.from({ length: 1 + pick(5) }, one)
            : one();
      return at.split('.').reduceRight<object>((inner, name) => ({ [name]: inner }), { [operator]: operand });
    };
    const of = (where: string): object[] => conditions.filter((one) => one.where === where).map(condition);
    const [nested] = of('populate');
    return {
      filters: {
        $and: [
          ...of('root'),
          ...(of('or').length > 0 ? [{ $or: of('or') }] : []),
          ...of('not').map((inner) => ({ $not: inner })),
        ],
      },
      ...(nested === undefined ? {} : { populate: { related: { filters: nested } } }),
      ...(extras.includes('search') ? { _q: `${MARK} '${pick(1e6)}` } : {}),
      // The first page is a separate shape, because it has no offset.
      ...(extras.includes('first page') ? { pagination: { pageSize: 1 + pick(200) } } : {}),
      ...(extras.includes('later page')
        ? { pagination: { page: 2 + pick(1000), pageSize: 1 + pick(200) } }
        : {}),
      ...(extras.includes('locale') ? { locale: `${MARK}${pick(1e6)}'` } : {}),
      ...(extras.includes('sort') ? { sort: 'title:desc,author.name' } : {}),
    };
  }

  const compile = (query: object, documentId?: string): { text: string; values: readonly unknown[] } =>
    statementOf(queryOf(query), {
      schema,
      settings,
      permissions: Permissions.ALL,
      type: 'article',
      ...(documentId === undefined ? {} : { documentId }),
    });

  it('depends only on the shape of a query, not on its values', () => {
    fc.assert(
      fc.property(
        shapes,
        fc.infiniteStream(fc.nat()),
        fc.infiniteStream(fc.nat()),
        (shape, first, second) => {
          const from = (stream: Iterator<number>) => (max: number) => (stream.next().value as number) % max;
          const one = compile(build(shape, from(first)));
          const other = compile(build(shape, from(second)));
          expect(other.text).toBe(one.text);
          expect(one.text).not.toContain(MARK);
          expect(other.values).toHaveLength(one.values.length);
        },
      ),
      { seed: 5, numRuns: dose(200, 600) },
    );
  });

  it('has a parameter for every value, and only the quotes of the compiler', () => {
    const { text, values } = compile(
      {
        filters: { title: MARK, author: { name: { $containsi: MARK } }, seo: { title: { $in: [MARK] } } },
        locale: MARK,
        _q: MARK,
        populate: { categories: { filters: { name: MARK } } },
      },
      MARK,
    );
    expect(text).not.toContain(MARK);
    expect(JSON.stringify(values).split(MARK)).toHaveLength(8);
    const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n));
    expect([...new Set(numbers)].sort((a, b) => a - b)).toEqual(values.map((_, i) => i + 1));
  });

  it('is the same for different ids', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (id) =>
        expect(compile({}, id).text).toBe(compile({}, 'x').text),
      ),
      { seed: 5, numRuns: dose(100, 200) },
    );
  });

  it('is tested with trees that contain the given values', () => {
    expect(tree({ a: [undefined, 1, null] })).toEqual({ entries: [['a', [undefined, '1', null]]] });
  });
});
