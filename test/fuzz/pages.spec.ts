/**
 * Compares random filters and sorts over relations of every kind with an evaluation in memory. The total is
 * the number of distinct documents, pages are disjoint and complete, and every order is total.
 */
import fc from 'fast-check';
import {
  type ContentService,
  defineCollectionType,
  defineComponent,
  getContentToken,
} from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';
import { dose } from '../support/dose.ts';
import { Client } from './apps.ts';
import { randomFrom } from '../support/random.ts';
import { queryOf } from './query-text.ts';

const part = defineComponent({
  uid: 'page.part',
  attributes: {
    label: { type: 'string' },
    size: { type: 'integer' },
    tag: { type: 'relation', relation: 'manyToOne', target: 'tag' },
  },
});

const book = defineCollectionType({
  singularApiId: 'book',
  pluralApiId: 'books',
  attributes: {
    title: { type: 'string' },
    rank: { type: 'integer' },
    author: { type: 'relation', relation: 'manyToOne', target: 'person', inversedBy: 'books' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'books' },
    related: { type: 'relation', relation: 'manyToMany', target: 'book' },
    editions: { type: 'relation', relation: 'oneToMany', target: 'tag' },
    parts: { type: 'component', component: 'page.part', repeatable: true },
    cover: { type: 'component', component: 'page.part' },
  },
});

const person = defineCollectionType({
  singularApiId: 'person',
  pluralApiId: 'people',
  attributes: {
    name: { type: 'string' },
    age: { type: 'integer' },
    books: { type: 'relation', relation: 'oneToMany', target: 'book', mappedBy: 'author' },
    spouse: { type: 'relation', relation: 'oneToOne', target: 'person' },
  },
});

const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: {
    name: { type: 'string' },
    weight: { type: 'integer' },
    books: { type: 'relation', relation: 'manyToMany', target: 'book', mappedBy: 'tags' },
  },
});

/** Scalars and relations of each model. */
const MODELS: Readonly<
  Record<string, { readonly scalars: readonly string[]; readonly hops: Readonly<Record<string, string>> }>
> = {
  book: {
    scalars: ['title', 'rank', 'id'],
    hops: { author: 'person', tags: 'tag', related: 'book', editions: 'tag', parts: 'part', cover: 'part' },
  },
  person: { scalars: ['name', 'age', 'id'], hops: { books: 'book', spouse: 'person' } },
  tag: { scalars: ['name', 'weight', 'id'], hops: { books: 'book' } },
  part: { scalars: ['label', 'size'], hops: { tag: 'tag' } },
};

const NUMBERS = ['rank', 'age', 'weight', 'size', 'id'];
const WORDS = ['ant', 'Ant', 'bee', 'a%b', 'a_b', 'a\\b', 'cat', 'antler'];

interface Row {
  readonly [name: string]: string | number | null | Row | readonly Row[];
}

/** Filter in the long form: every condition names its operator. */
interface Filter {
  readonly [key: string]: unknown;
}

type Truth = boolean | null;

const not = (value: Truth): Truth => (value === null ? null : !value);
const all = (values: readonly Truth[]): Truth =>
  values.includes(false) ? false : values.includes(null) ? null : true;
const any = (values: readonly Truth[]): Truth =>
  values.includes(true) ? true : values.includes(null) ? null : false;

type Value = string | number | null;

const COMPARE: Readonly<Record<string, (left: string | number, right: string | number) => boolean>> = {
  $eq: (l, r) => l === r,
  $ne: (l, r) => l !== r,
  $lt: (l, r) => l < r,
  $lte: (l, r) => l <= r,
  $gt: (l, r) => l > r,
  $gte: (l, r) => l >= r,
  $eqi: (l, r) => String(l).toLowerCase() === String(r).toLowerCase(),
  $nei: (l, r) => String(l).toLowerCase() !== String(r).toLowerCase(),
  $contains: (l, r) => String(l).includes(String(r)),
  $notContains: (l, r) => !String(l).includes(String(r)),
  $containsi: (l, r) => String(l).toLowerCase().includes(String(r).toLowerCase()),
  $startsWith: (l, r) => String(l).startsWith(String(r)),
  $endsWithi: (l, r) => String(l).toLowerCase().endsWith(String(r).toLowerCase()),
};

function compare(value: Value, operator: string, operand: unknown): Truth {
  if (operator === '$null') return (value === null) === operand;
  if (operator === '$notNull') return (value !== null) === operand;
  if (value === null) return null;
  if (operator === '$in') return (operand as Value[]).includes(value);
  if (operator === '$notIn') return !(operand as Value[]).includes(value);
  if (operator === '$between') {
    const [low, high] = operand as [string | number, string | number];
    return value >= low && value <= high;
  }
  const made = COMPARE[operator];
  if (made === undefined) throw new Error(`no rule for ${operator}`);
  return made(value, operand as string | number);
}

/** Evaluates a filter. Null represents a missing row, whose attributes are all null. */
function judge(filter: Filter, row: Row | null, negated: boolean): Truth {
  const parts = Object.entries(filter).map(([key, value]): Truth => {
    if (key === '$not') return judge(value as Filter, row, !negated);
    if (key === '$and' || key === '$or') {
      const each = (value as Filter[]).map((one) => judge(one, row, negated));
      return (key === '$and') === !negated ? all(each) : any(each);
    }
    const held = row?.[key] ?? null;
    if (
      Object.keys(value as object).every(
        (name) => name.startsWith('$') && !['$and', '$or', '$not'].includes(name),
      ) &&
      (held === null || typeof held !== 'object')
    ) {
      if (!Object.values(MODELS).some(({ hops }) => key in hops)) {
        const each = Object.entries(value as object).map(([operator, operand]) =>
          compare(held, operator, operand),
        );
        return negated ? any(each.map(not)) : all(each);
      }
    }
    // A single component is part of its row. A relation without a matching row satisfies only conditions
    // that nulls satisfy.
    if (key === 'cover') return judge(value as Filter, held as Row | null, negated);
    const rows = Array.isArray(held)
      ? (held as readonly Row[])
      : held === null
        ? []
        : [held as unknown as Row];
    const some = rows.some((related) => judge(value as Filter, related, negated) === true);
    return some || (rows.length === 0 && judge(value as Filter, null, negated) === true);
  });
  return negated ? any(parts) : all(parts);
}

const operand = (name: string, operator: string): fc.Arbitrary<unknown> => {
  const one: fc.Arbitrary<string | number> = NUMBERS.includes(name)
    ? fc.integer({ min: 0, max: 6 })
    : fc.constantFrom(...WORDS, 'a', '%', '_', '\\');
  if (operator === '$null' || operator === '$notNull') return fc.boolean();
  if (operator === '$in' || operator === '$notIn') return fc.array(one, { minLength: 1, maxLength: 3 });
  return operator === '$between' ? fc.tuple(one, one) : one;
};

const TEXT_ONLY = ['$contains', '$notContains', '$containsi', '$startsWith', '$endsWithi', '$eqi', '$nei'];
const OPERATORS = [...Object.keys(COMPARE), '$null', '$notNull', '$in', '$notIn', '$between'];

function filters(model: string, depth: number): fc.Arbitrary<Filter> {
  const { scalars, hops } = MODELS[model] as (typeof MODELS)[string];
  const scalar = fc
    .constantFrom(...scalars)
    .chain((name) =>
      fc
        .constantFrom(
          ...OPERATORS.filter((operator) => !NUMBERS.includes(name) || !TEXT_ONLY.includes(operator)),
        )
        .chain((operator) =>
          operand(name, operator).map((value): Filter => ({ [name]: { [operator]: value } })),
        ),
    );
  if (depth === 0) return scalar;
  const hop = fc
    .constantFrom(...Object.entries(hops))
    .chain(([name, target]) => filters(target, depth - 1).map((inner): Filter => ({ [name]: inner })));
  const inner = filters(model, depth - 1);
  const group = fc
    .tuple(fc.constantFrom('$and', '$or'), fc.array(inner, { minLength: 1, maxLength: 3 }))
    .map(([op, parts]): Filter => ({ [op]: parts }));
  return fc.oneof(
    { weight: 2, arbitrary: scalar },
    { weight: 4, arbitrary: hop },
    { weight: 2, arbitrary: group },
    { weight: 1, arbitrary: inner.map((one): Filter => ({ $not: one })) },
    { weight: 1, arbitrary: fc.tuple(scalar, hop).map(([a, b]): Filter => ({ ...a, ...b })) },
  );
}

const SORTS = [
  'title',
  'rank',
  'author.name',
  'author.age',
  'tags.name',
  'tags.weight',
  'related.rank',
  'related.tags.name',
  'parts.size',
  'parts.tag.weight',
  'cover.label',
  'editions.weight',
  'author.books.rank',
];

/** Returns all values at the end of a sort path. */
function reach(row: Row, path: readonly string[]): Value[] {
  const [name = '', ...rest] = path;
  const held = row[name] ?? null;
  if (rest.length === 0) return [held as Value];
  const rows = Array.isArray(held) ? (held as readonly Row[]) : held === null ? [] : [held as unknown as Row];
  return rows.flatMap((one) => reach(one, rest));
}

const isToMany = (path: string): boolean => /tags|related|parts|editions|books/.test(path);

/** Sorts rows by their best value for the direction, with nulls placed as in PostgreSQL, and then by id. */
function ordered(rows: readonly Row[], sort: readonly { path: string; descending: boolean }[]): Row[] {
  const keys = new Map(
    rows.map((row) => [
      row,
      sort.map(({ path, descending }) => {
        const values = reach(row, path.split('.')).filter((value) => value !== null);
        return values.length === 0
          ? null
          : values.reduce((best, value) => ((descending ? value > best : value < best) ? value : best));
      }),
    ]),
  );
  return [...rows].sort((a, b) => {
    for (const [i, { path, descending }] of sort.entries()) {
      const [left = null, right = null] = [keys.get(a)?.[i], keys.get(b)?.[i]];
      if (left === right) continue;
      if (left === null || right === null) {
        const nullsFirst = descending && !isToMany(path);
        return (left === null) === nullsFirst ? -1 : 1;
      }
      return left < right === descending ? 1 : -1;
    }
    return (a['id'] as number) - (b['id'] as number);
  });
}

describe('pages of a filtered and sorted list', () => {
  let test: TestApp;
  let client: Client;
  const books: Row[] = [];

  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [book, person, tag],
      components: [part],
      access: { public: { '*': ['find', 'findOne'] } },
    });
    client = new Client(test.url);
    const next = randomFrom(99);
    const chance = <T>(list: readonly T[]): T | null =>
      next() < 0.2 ? null : (list[Math.floor(next() * list.length)] as T);
    const few = <T>(list: readonly T[], most: number): T[] =>
      [
        ...new Set(
          Array.from(
            { length: Math.floor(next() * (most + 1)) },
            () => list[Math.floor(next() * list.length)],
          ),
        ),
      ].filter((one) => one !== undefined);
    const number = (): number | null => chance([0, 1, 2, 3, 4, 5]);
    const make = (type: string): ContentService =>
      test.app.get<ContentService>(getContentToken(type), { strict: false });
    const rows = new Map<string, Record<string, any>>();
    const create = async (
      type: string,
      data: Record<string, unknown>,
      links: Record<string, unknown> = {},
    ): Promise<string> => {
      const made = await make(type).create({ ...data, ...links });
      rows.set(made.documentId, { ...data, id: made.id, documentId: made.documentId });
      return made.documentId;
    };
    const row = (id: string | null): Record<string, any> | null =>
      id === null ? null : (rows.get(id) ?? null);
    const tags: string[] = [];
    for (let i = 0; i < 7; i += 1) tags.push(await create('tag', { name: chance(WORDS), weight: number() }));
    const people: string[] = [];
    for (let i = 0; i < 6; i += 1) {
      const spouse = people.length === 0 ? null : chance(people);
      const id = await create('person', { name: chance(WORDS), age: number() }, { spouse });
      Object.assign(rows.get(id) ?? {}, { spouse: row(spouse), books: [] });
      people.push(id);
    }
    const ids: string[] = [];
    for (let i = 0; i < 26; i += 1) {
      const links = {
        author: chance(people),
        tags: few(tags, 3),
        related: few(ids, 3),
        editions: few(tags, 2),
      };
      const parts = Array.from({ length: Math.floor(next() * 3) }, () => ({
        label: chance(WORDS),
        size: number(),
        tag: chance(tags),
      }));
      const cover = next() < 0.5 ? null : { label: chance(WORDS), size: number(), tag: chance(tags) };
      const id = await create('book', { title: chance(WORDS), rank: number() }, { ...links, parts, cover });
      const shown = (one: (typeof parts)[number]): object => ({ ...one, tag: row(one.tag) });
      const mine = Object.assign(rows.get(id) ?? {}, {
        author: row(links.author),
        tags: links.tags.map(row),
        related: links.related.map(row),
        editions: links.editions.map(row),
        parts: parts.map(shown),
        cover: cover === null ? null : shown(cover),
      });
      (row(links.author)?.['books'] as unknown[] | undefined)?.push(mine);
      for (const one of links.tags) {
        const held = row(one) as Record<string, any>;
        held['books'] = [...((held['books'] as unknown[] | undefined) ?? []), mine];
      }
      ids.push(id);
      books.push(mine as Row);
    }
    for (const one of tags) Object.assign(rows.get(one) ?? {}, { books: rows.get(one)?.['books'] ?? [] });
  });
  afterAll(async () => {
    client.close();
    await test.close();
  });

  interface Answer {
    readonly data: readonly { readonly id: number }[];
    readonly meta: { readonly pagination: Record<string, number> };
  }

  const get = async (query: object): Promise<Answer> => {
    const { status, body } = await client.get(`/api/books?${queryOf(query)}`);
    expect([status, queryOf(query), status === 200 ? '' : body]).toEqual([200, queryOf(query), '']);
    return JSON.parse(body) as Answer;
  };
  const idsOf = ({ data }: Answer): number[] => data.map(({ id }) => id);

  it('D10 7.24 are disjoint, complete and in order, and the total counts distinct documents', async () => {
    const sorts = fc.array(fc.record({ path: fc.constantFrom(...SORTS), descending: fc.boolean() }), {
      maxLength: 2,
    });
    const property = fc.asyncProperty(
      filters('book', 2),
      sorts,
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      async (filter, sort, size, offsets) => {
        const expected = ordered(
          books.filter((row) => judge(filter, row, false) === true),
          sort,
        ).map(({ id }) => id as number);
        const base = {
          filters: filter,
          sort: sort.map(({ path, descending }) => `${path}:${descending ? 'desc' : 'asc'}`),
          fields: ['id'],
        };
        const whole = await get({ ...base, pagination: { pageSize: 100 } });
        expect(idsOf(whole)).toEqual(expected);
        expect(whole.meta.pagination['total']).toBe(expected.length);

        const pageCount = Math.ceil(expected.length / size);
        const pages = await Promise.all(
          Array.from({ length: pageCount + 1 }, (_, i) =>
            get({
              ...base,
              pagination: offsets ? { start: i * size, limit: size } : { page: i + 1, pageSize: size },
              ...(i % 2 === 0
                ? {
                    populate: {
                      tags: { sort: 'weight:desc' },
                      related: { populate: ['author'], filters: { rank: { $gt: 2 } } },
                    },
                  }
                : {}),
            }),
          ),
        );
        for (const [i, page] of pages.entries()) {
          expect(idsOf(page)).toEqual(expected.slice(i * size, (i + 1) * size));
          expect(page.meta.pagination).toEqual(
            offsets
              ? { start: i * size, limit: size, total: expected.length }
              : { page: i + 1, pageSize: size, pageCount, total: expected.length },
          );
        }
        const uncounted = await get({ ...base, pagination: { page: 1, pageSize: size, withCount: false } });
        expect(idsOf(uncounted)).toEqual(expected.slice(0, size));
        expect(uncounted.meta.pagination).toEqual({ page: 1, pageSize: size });
      },
    );
    await fc.assert(property, { seed: 3, numRuns: dose(50, 150) });
  });

  it('have the same number of populated rows in counts and lists', async () => {
    const property = fc.asyncProperty(
      fc.constantFrom('tags', 'related', 'editions', 'parts'),
      fc.nat({ max: 20 }),
      async (name, n) => {
        const target = (MODELS['book'] as (typeof MODELS)[string]).hops[name] ?? '';
        const [inner] = fc.sample(filters(target, 1), { seed: n, numRuns: 1 }) as [Filter];
        const listed = await get({
          populate: { [name]: { filters: inner, fields: ['id'] } },
          pagination: { pageSize: 100 },
        });
        const counted = await get({
          populate: { [name]: { filters: inner, count: true } },
          pagination: { pageSize: 100 },
        });
        const lengths = listed.data.map(
          (row) => ((row as unknown as Record<string, unknown[]>)[name] ?? []).length,
        );
        expect(
          counted.data.map((row) => (row as unknown as Record<string, { count: number }>)[name]?.count),
        ).toEqual(lengths);
        expect(lengths).toEqual(
          books.map(
            (row) => (row[name] as readonly Row[]).filter((one) => judge(inner, one, false) === true).length,
          ),
        );
      },
    );
    await fc.assert(property, { seed: 4, numRuns: dose(20, 40) });
  });
});
