/** Equality inside components with `index: true` uses the index and finds the same rows as without one. */
import {
  type ContentService,
  defineCollectionType,
  defineComponent,
  getContentToken,
  Permissions,
} from 'nestjs-content-api';
import { buildSchema, resolveSettings, statementOf } from '../fuzz/internals.ts';
import { queryOf } from '../fuzz/query-text.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const inner = defineComponent({ uid: 'box.inner', attributes: { word: { type: 'string' } } });
const part = defineComponent({
  uid: 'box.part',
  attributes: {
    name: { type: 'string' },
    size: { type: 'integer' },
    on: { type: 'boolean' },
    day: { type: 'date' },
    inner: { type: 'component', component: 'box.inner' },
  },
});
const box = defineCollectionType({
  singularApiId: 'box',
  pluralApiId: 'boxes',
  attributes: {
    parts: { type: 'component', component: 'box.part', repeatable: true, index: true },
    part: { type: 'component', component: 'box.part', index: true },
    plain: { type: 'component', component: 'box.part', repeatable: true },
  },
});
const made = (name: string, size: number): object => ({
  name,
  size,
  on: size > 1,
  day: `2024-01-0${size}`,
  inner: { word: `w${size}` },
});

const FILTERS: readonly [object, string | null, readonly number[]][] = [
  [{ parts: { name: 'a"b' } }, '[{"name":"a\\"b"}]', [2]],
  [{ parts: { size: { $eq: 2 } } }, '[{"size":2}]', [1, 2]],
  [{ parts: { on: true } }, '[{"on":true}]', [1, 2]],
  [{ parts: { name: 'x', size: 1 } }, '[{"name":"x","size":1}]', [1]],
  [{ parts: { name: 'y', size: 1 } }, '[{"name":"y","size":1}]', []],
  [{ parts: { inner: { word: 'w2' } } }, '[{"inner":{"word":"w2"}}]', [1, 2]],
  [{ parts: { name: 'y', day: { $gt: '2024-01-01' } } }, '[{"name":"y"}]', [1]],
  [{ part: { name: 'p1' } }, '{"name":"p1"}', [1]],
  [{ parts: { day: '2024-01-02' } }, null, [1, 2]],
  [{ parts: { name: { $ne: 'x' } } }, null, [1, 2]],
  [{ parts: { name: { $null: true } } }, null, [3]],
  [{ parts: { $or: [{ name: 'x' }, { size: 2 }] } }, null, [1, 2]],
  [{ $not: { parts: { name: 'x' } } }, null, [1, 2]],
  [{ plain: { name: 'x' } }, null, [1]],
];

/** Enough other boxes for PostgreSQL to prefer the index. */
const MANY = `insert into boxes (document_id, created_at, updated_at, published_at, published, locale, parts, part)
  select 'b' || n, now(), now(), now(), true, 'en', jsonb_build_array(jsonb_build_object('name', 'n' || n)), jsonb_build_object('name', 'n' || n) from generate_series(1, 2000) n`;

describe('an indexed component', () => {
  const schema = buildSchema([box], [part, inner]);
  let test: TestApp;
  const numbers = new Map<string, number>();
  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [box],
      components: [part, inner],
      access: { public: { box: ['find'] } },
    });
    const boxes = test.app.get<ContentService>(getContentToken('box'), { strict: false });
    const data = [
      { parts: [made('x', 1), made('y', 2)], part: made('p1', 1), plain: [made('x', 1)] },
      { parts: [made('a"b', 2)], part: made('p2', 2) },
      {},
    ];
    for (const [i, one] of data.entries()) numbers.set((await boxes.create(one)).documentId, i + 1);
  });
  afterAll(() => test.close());

  it.each(FILTERS)('%j', async (filters, pattern, finds) => {
    const query = queryOf({ filters });
    const { text, values } = statementOf(query, {
      schema,
      settings: resolveSettings({}),
      permissions: Permissions.of({ box: ['find'] }),
      type: 'box',
    });
    expect(values.filter((value) => typeof value === 'string' && /^[[{]/.test(value))).toEqual(
      pattern === null ? [] : [pattern],
    );
    const { body } = await test.http.get(`/api/boxes?${query}`).expect(200);
    expect((body.data as { documentId: string }[]).map(({ documentId }) => numbers.get(documentId))).toEqual(
      finds,
    );
    if (pattern === null) return;
    await test.sql('begin');
    await test.sql(MANY);
    await test.sql('analyze boxes');
    const plan = await test.sql(
      `explain (format text) ${text.replace(/\$(\d+)/g, (_, n: string) => literal(values[Number(n) - 1]))}`,
    );
    await test.sql('rollback');
    expect(JSON.stringify(plan)).toMatch(/Bitmap Index Scan on boxes_parts?_\w*index/);
  });
});

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
