/** SQL and results of every operator: case, NULL, and the special characters of LIKE. */
import {
  type ContentService,
  defineCollectionType,
  defineComponent,
  getContentToken,
  Permissions,
} from 'nestjs-content-api';
import { buildSchema, OPERATORS, resolveSettings, statementOf } from '../fuzz/internals.ts';
import { queryOf } from '../fuzz/query-text.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { squeeze } from './shelf.ts';

const part = defineComponent({
  uid: 'item.part',
  attributes: { name: { type: 'string' }, size: { type: 'integer' }, day: { type: 'date' } },
});

const item = defineCollectionType({
  singularApiId: 'item',
  pluralApiId: 'items',
  attributes: {
    name: { type: 'string' },
    size: { type: 'integer' },
    big: { type: 'biginteger' },
    price: { type: 'decimal' },
    ready: { type: 'boolean' },
    day: { type: 'date' },
    time: { type: 'time' },
    moment: { type: 'datetime' },
    stamp: { type: 'timestamp' },
    meta: { type: 'json' },
    part: { type: 'component', component: 'item.part' },
  },
});

const NAMES = ['Ant', 'ant', 'a%b', 'a_b', 'a\\b', 'axb', null, 'Bee'];
const ALL = [1, 2, 3, 4, 5, 6, 7, 8];
const NAMED = ALL.filter((n) => n !== 7);

/** Row `n` of the table; the seventh has only nulls. */
const row = (n: number): object | null => {
  const name = NAMES[n - 1];
  if (name === null || name === undefined) return {};
  return {
    name,
    size: n,
    big: String(9_007_199_254_740_992n + BigInt(n)),
    price: n + 0.5,
    ready: n % 2 === 0,
    day: `2024-01-0${n}`,
    time: `0${n}:30`,
    moment: `2024-01-0${n}T10:00:00.123Z`,
    stamp: 1_700_000_000_000 + n,
    meta: n === 1 ? { a: 1, b: ['x'] } : [n],
    part: { name, size: n, day: `2024-01-0${n}` },
  };
};

interface Case {
  readonly operator: keyof typeof OPERATORS | 'none';
  /** Attribute, or component.attribute. */
  readonly on: string;
  readonly operand: unknown;
  readonly sql: string;
  readonly values: readonly unknown[];
  /** Numbers of the matching rows. */
  readonly finds: readonly number[];
}

const CASES: readonly Case[] = [
  { operator: 'none', on: 'name', operand: 'ant', sql: `t0."name" = $1::text`, values: ['ant'], finds: [2] },
  {
    operator: 'none',
    on: 'name',
    operand: ['ant', 'Bee'],
    sql: `t0."name" = any($1::text[])`,
    values: [['ant', 'Bee']],
    finds: [2, 8],
  },
  { operator: 'none', on: 'name', operand: null, sql: `t0."name" is null`, values: [], finds: [7] },
  { operator: '$eq', on: 'name', operand: 'ant', sql: `t0."name" = $1::text`, values: ['ant'], finds: [2] },
  { operator: '$eq', on: 'name', operand: 'a%b', sql: `t0."name" = $1::text`, values: ['a%b'], finds: [3] },
  {
    operator: '$eq',
    on: 'size',
    operand: ['1', '8'],
    sql: `(t0."size" = $1::int4 or t0."size" = $2::int4)`,
    values: [1, 8],
    finds: [1, 8],
  },
  {
    operator: '$eq',
    on: 'big',
    operand: '9007199254740993',
    sql: `t0."big" = $1::int8`,
    values: ['9007199254740993'],
    finds: [1],
  },
  {
    operator: '$eq',
    on: 'price',
    operand: '2.50',
    sql: `t0."price" = $1::numeric`,
    values: [2.5],
    finds: [2],
  },
  {
    operator: '$eq',
    on: 'ready',
    operand: 't',
    sql: `t0."ready" = $1::boolean`,
    values: [true],
    finds: [2, 4, 6, 8],
  },
  {
    operator: '$eq',
    on: 'day',
    operand: '2024-01-03T11:00:00Z',
    sql: `t0."day" = $1::date`,
    values: ['2024-01-03'],
    finds: [3],
  },
  {
    operator: '$eq',
    on: 'time',
    operand: '03:30:00.000',
    sql: `t0."time" = $1::time`,
    values: ['03:30:00'],
    finds: [3],
  },
  {
    operator: '$eq',
    on: 'moment',
    operand: '2024-01-03T12:00:00.123+02:00',
    sql: `t0."moment" = $1::timestamptz`,
    values: ['2024-01-03T10:00:00.123Z'],
    finds: [3],
  },
  {
    operator: '$eq',
    on: 'stamp',
    operand: '1700000000005',
    sql: `t0."stamp" = $1::int8`,
    values: ['1700000000005'],
    finds: [5],
  },
  {
    operator: '$eq',
    on: 'meta',
    operand: '{"b":["x"],"a":1}',
    sql: `t0."meta" = $1::jsonb`,
    values: ['{"b":["x"],"a":1}'],
    finds: [1],
  },
  {
    operator: '$eq',
    on: 'part.size',
    operand: '4',
    sql: `(case when jsonb_typeof(t0."part"->'size') = 'number' then (t0."part"->'size')::numeric end) = $1::int4`,
    values: [4],
    finds: [4],
  },
  {
    operator: '$ne',
    on: 'name',
    operand: 'ant',
    sql: `t0."name" <> $1::text`,
    values: ['ant'],
    finds: [1, 3, 4, 5, 6, 8],
  },
  {
    operator: '$ne',
    on: 'name',
    operand: ['ant', 'Bee'],
    sql: `(t0."name" <> $1::text or t0."name" <> $2::text)`,
    values: ['ant', 'Bee'],
    finds: NAMED,
  },
  { operator: '$lt', on: 'size', operand: '3', sql: `t0."size" < $1::int4`, values: [3], finds: [1, 2] },
  { operator: '$lt', on: 'name', operand: 'a', sql: `t0."name" < $1::text`, values: ['a'], finds: [1, 8] },
  { operator: '$lte', on: 'size', operand: '3', sql: `t0."size" <= $1::int4`, values: [3], finds: [1, 2, 3] },
  {
    operator: '$lte',
    on: 'day',
    operand: '2024-01-02',
    sql: `t0."day" <= $1::date`,
    values: ['2024-01-02'],
    finds: [1, 2],
  },
  { operator: '$gt', on: 'size', operand: '5', sql: `t0."size" > $1::int4`, values: [5], finds: [6, 8] },
  {
    operator: '$gt',
    on: 'part.day',
    operand: '2024-01-05',
    sql: `((case when t0."part"->>'day' like '____-__-__' then t0."part"->>'day' end) collate "C") > $1::text`,
    values: ['2024-01-05'],
    finds: [6, 8],
  },
  { operator: '$gte', on: 'size', operand: '6', sql: `t0."size" >= $1::int4`, values: [6], finds: [6, 8] },
  {
    operator: '$in',
    on: 'name',
    operand: ['ant', 'Bee'],
    sql: `t0."name" = any($1::text[])`,
    values: [['ant', 'Bee']],
    finds: [2, 8],
  },
  {
    operator: '$in',
    on: 'name',
    operand: 'ant,Bee',
    sql: `t0."name" = any($1::text[])`,
    values: [['ant,Bee']],
    finds: [],
  },
  {
    operator: '$in',
    on: 'ready',
    operand: ['true', '1'],
    sql: `t0."ready" = any($1::boolean[])`,
    values: [[true, true]],
    finds: [2, 4, 6, 8],
  },
  {
    operator: '$notIn',
    on: 'name',
    operand: ['ant', 'Bee'],
    sql: `t0."name" <> all($1::text[])`,
    values: [['ant', 'Bee']],
    finds: [1, 3, 4, 5, 6],
  },
  {
    operator: '$between',
    on: 'size',
    operand: ['2', '4'],
    sql: `t0."size" between $1::int4 and $2::int4`,
    values: [2, 4],
    finds: [2, 3, 4],
  },
  {
    operator: '$between',
    on: 'moment',
    operand: ['2024-01-02', '2024-01-04'],
    sql: `t0."moment" between $1::timestamptz and $2::timestamptz`,
    values: ['2024-01-02T00:00:00.000Z', '2024-01-04T00:00:00.000Z'],
    finds: [2, 3],
  },
  { operator: '$null', on: 'name', operand: 'true', sql: `t0."name" is null`, values: [], finds: [7] },
  { operator: '$null', on: 'name', operand: 'false', sql: `t0."name" is not null`, values: [], finds: NAMED },
  {
    operator: '$null',
    on: 'part.name',
    operand: 'true',
    sql: `(t0."part"->>'name') is null`,
    values: [],
    finds: [7],
  },
  {
    operator: '$notNull',
    on: 'name',
    operand: 'true',
    sql: `t0."name" is not null`,
    values: [],
    finds: NAMED,
  },
  { operator: '$notNull', on: 'name', operand: '0', sql: `t0."name" is null`, values: [], finds: [7] },
  {
    operator: '$eqi',
    on: 'name',
    operand: 'ANT',
    sql: `lower(t0."name") = lower($1::text)`,
    values: ['ANT'],
    finds: [1, 2],
  },
  {
    operator: '$eqi',
    on: 'name',
    operand: 'A_B',
    sql: `lower(t0."name") = lower($1::text)`,
    values: ['A_B'],
    finds: [4],
  },
  {
    operator: '$eqi',
    on: 'day',
    operand: '2024-01-03',
    sql: `lower((to_char(t0."day", 'YYYY-MM-DD'))::text) = lower($1::text)`,
    values: ['2024-01-03'],
    finds: [3],
  },
  {
    operator: '$nei',
    on: 'name',
    operand: 'ANT',
    sql: `lower(t0."name") <> lower($1::text)`,
    values: ['ANT'],
    finds: [3, 4, 5, 6, 8],
  },
  {
    operator: '$contains',
    on: 'name',
    operand: 'n',
    sql: `t0."name" like $1::text`,
    values: ['%n%'],
    finds: [1, 2],
  },
  {
    operator: '$contains',
    on: 'name',
    operand: 'A',
    sql: `t0."name" like $1::text`,
    values: ['%A%'],
    finds: [1],
  },
  {
    operator: '$contains',
    on: 'name',
    operand: '%',
    sql: `t0."name" like $1::text`,
    values: ['%\\%%'],
    finds: [3],
  },
  {
    operator: '$contains',
    on: 'name',
    operand: '_',
    sql: `t0."name" like $1::text`,
    values: ['%\\_%'],
    finds: [4],
  },
  {
    operator: '$contains',
    on: 'name',
    operand: '\\',
    sql: `t0."name" like $1::text`,
    values: ['%\\\\%'],
    finds: [5],
  },
  {
    operator: '$contains',
    on: 'meta',
    operand: '"b"',
    sql: `(t0."meta")::text like $1::text`,
    values: ['%"b"%'],
    finds: [1],
  },
  {
    operator: '$contains',
    on: 'part.name',
    operand: '_',
    sql: `(t0."part"->>'name') like $1::text`,
    values: ['%\\_%'],
    finds: [4],
  },
  {
    operator: '$notContains',
    on: 'name',
    operand: 'n',
    sql: `t0."name" not like $1::text`,
    values: ['%n%'],
    finds: [3, 4, 5, 6, 8],
  },
  {
    operator: '$notContains',
    on: 'name',
    operand: '_',
    sql: `t0."name" not like $1::text`,
    values: ['%\\_%'],
    finds: [1, 2, 3, 5, 6, 8],
  },
  {
    operator: '$containsi',
    on: 'name',
    operand: 'N',
    sql: `lower(t0."name") like lower($1::text)`,
    values: ['%N%'],
    finds: [1, 2],
  },
  {
    operator: '$containsi',
    on: 'size',
    operand: '1',
    sql: `lower((t0."size")::text) like lower($1::text)`,
    values: ['%1%'],
    finds: [1],
  },
  {
    operator: '$containsi',
    on: 'part.size',
    operand: '1',
    sql: `lower((t0."part"->>'size')) like lower($1::text)`,
    values: ['%1%'],
    finds: [1],
  },
  {
    operator: '$notContainsi',
    on: 'name',
    operand: 'B',
    sql: `lower(t0."name") not like lower($1::text)`,
    values: ['%B%'],
    finds: [1, 2],
  },
  {
    operator: '$startsWith',
    on: 'name',
    operand: 'a',
    sql: `t0."name" like $1::text`,
    values: ['a%'],
    finds: [2, 3, 4, 5, 6],
  },
  {
    operator: '$startsWith',
    on: 'name',
    operand: 'a_',
    sql: `t0."name" like $1::text`,
    values: ['a\\_%'],
    finds: [4],
  },
  {
    operator: '$startsWithi',
    on: 'name',
    operand: 'AN',
    sql: `lower(t0."name") like lower($1::text)`,
    values: ['AN%'],
    finds: [1, 2],
  },
  {
    operator: '$startsWithi',
    on: 'name',
    operand: 'A\\',
    sql: `lower(t0."name") like lower($1::text)`,
    values: ['A\\\\%'],
    finds: [5],
  },
  {
    operator: '$endsWith',
    on: 'name',
    operand: 'b',
    sql: `t0."name" like $1::text`,
    values: ['%b'],
    finds: [3, 4, 5, 6],
  },
  {
    operator: '$endsWith',
    on: 'name',
    operand: '%b',
    sql: `t0."name" like $1::text`,
    values: ['%\\%b'],
    finds: [3],
  },
  {
    operator: '$endsWithi',
    on: 'name',
    operand: 'T',
    sql: `lower(t0."name") like lower($1::text)`,
    values: ['%T'],
    finds: [1, 2],
  },
  {
    operator: '$jsonSupersetOf',
    on: 'meta',
    operand: '{"a":1}',
    sql: `t0."meta" @> $1::jsonb`,
    values: ['{"a":1}'],
    finds: [1],
  },
];

describe('an operator', () => {
  const schema = buildSchema([item], [part]);
  const settings = resolveSettings({});
  let test: TestApp;
  const numbers = new Map<string, number>();

  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [item],
      components: [part],
      access: { public: { item: ['find'] } },
    });
    const items = test.app.get<ContentService>(getContentToken('item'), { strict: false });
    for (const n of ALL) numbers.set((await items.create(row(n) ?? {})).documentId, n);
  });
  afterAll(() => test.close());

  const find = async (query: string): Promise<number[]> => {
    const { body } = await test.http.get(`/api/items?fields=id&${query}`).expect(200);
    return (body.data as { documentId: string }[]).map(({ documentId }) => numbers.get(documentId) ?? 0);
  };

  /** Returns the condition in the statement of a filter. */
  const conditionOf = (query: string): { readonly sql: string; readonly values: readonly unknown[] } => {
    const { text, values } = statementOf(query, {
      schema,
      settings,
      permissions: Permissions.of({ item: ['find'] }),
      type: 'item',
    });
    return {
      sql:
        /from "items" t0 where t0\.published and t0\.locale = 'en' and (.*) order by t0\.id limit/.exec(
          squeeze(text),
        )?.[1] ?? text,
      values: values.slice(0, -1),
    };
  };

  const title = ({ operator, on, operand }: Case): string =>
    `${operator} on ${on} with ${JSON.stringify(operand)}`;
  const filter = ({ operator, on, operand }: Case): object =>
    on
      .split('.')
      .reduceRight<unknown>(
        (inner, name) => ({ [name]: inner }),
        operator === 'none' ? operand : { [operator]: operand },
      ) as object;

  it.each(CASES.map((one): [string, Case] => [title(one), one]))('%s', async (_, one) => {
    const query = queryOf({ filters: filter(one) });
    expect(conditionOf(query)).toEqual({ sql: squeeze(one.sql), values: one.values });
    expect(await find(query)).toEqual(one.finds);
  });

  it.each(
    CASES.filter(({ operand }) => !Array.isArray(operand)).map((one): [string, Case] => [title(one), one]),
  )('under $not: %s', async (_, one) => {
    const query = queryOf({ filters: { $not: filter(one) } });
    expect(conditionOf(query)).toEqual({ sql: squeeze(`not (${one.sql})`), values: one.values });
    // Rows without a value match neither a condition nor its negation, except tests for null.
    const rows = one.sql.endsWith('null') ? ALL : NAMED;
    expect(await find(query)).toEqual(rows.filter((n) => !one.finds.includes(n)));
  });

  it.each(Object.keys(OPERATORS))('has a case here: %s', (name) => {
    expect(CASES.filter(({ operator }) => operator === name).length).toBeGreaterThan(0);
  });

  it.each(['$EQ', '$Eq', '$like', '$regex', '$ilike', '$elemMatch', '$exists', '$nin', '$', '$and ', 'eq'])(
    'does not exist: %s',
    async (name) => {
      const { body } = await test.http
        .get(`/api/items?${queryOf({ filters: { name: { [name]: 'x' } } })}`)
        .expect(400);
      expect(body.error).toMatchObject({
        name: 'ValidationError',
        message: `Invalid key ${name} at name`,
        details: { key: name, source: 'query', param: 'filters' },
      });
    },
  );
});
