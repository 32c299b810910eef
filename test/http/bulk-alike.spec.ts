/** Bulk writes of alike items, which share statements: their state is that of the same single writes. */
import type { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import fc from 'fast-check';
import {
  CONTENT_ORM,
  type ContentService,
  defineCollectionType,
  defineComponent,
  getContentToken,
} from 'nestjs-content-api';
import { ADAPTERS, countStatements, createTestApp, type TestApp } from '../support/app.ts';
import { dose } from '../support/dose.ts';
import { lookUntil } from '../support/look-until.ts';

const note = defineComponent({
  uid: 'parts.note',
  attributes: {
    text: { type: 'string' },
    rank: { type: 'integer' },
    about: { type: 'relation', relation: 'oneToMany', target: 'label' },
  },
});
const key = defineComponent({ uid: 'parts.key', attributes: { code: { type: 'string', unique: true } } });
const sheet = defineCollectionType({
  singularApiId: 'sheet',
  pluralApiId: 'sheets',
  draftAndPublish: true,
  localized: true,
  actions: true,
  attributes: {
    title: { type: 'string', localized: true },
    slug: { type: 'uid', targetField: 'title' },
    code: { type: 'string', unique: true },
    size: { type: 'integer' },
    price: { type: 'decimal' },
    big: { type: 'biginteger' },
    ratio: { type: 'float' },
    isOpen: { type: 'boolean' },
    day: { type: 'date' },
    hour: { type: 'time' },
    at: { type: 'datetime' },
    more: { type: 'json' },
    kind: { type: 'enumeration', enum: ['a', 'b'] },
    note: { type: 'component', component: 'parts.note', localized: true },
    notes: { type: 'component', component: 'parts.note', repeatable: true },
    lead: { type: 'relation', relation: 'manyToOne', target: 'label', inversedBy: 'led' },
    labels: { type: 'relation', relation: 'manyToMany', target: 'label', inversedBy: 'sheets' },
    others: { type: 'relation', relation: 'oneToMany', target: 'sheet', localized: true },
    any: { type: 'relation', relation: 'morphToMany' },
  },
});
const label = defineCollectionType({
  singularApiId: 'label',
  pluralApiId: 'labels',
  attributes: {
    name: { type: 'string' },
    rank: { type: 'integer' },
    key: { type: 'component', component: 'parts.key' },
    keys: { type: 'component', component: 'parts.key', repeatable: true },
    led: { type: 'relation', relation: 'oneToMany', target: 'sheet', mappedBy: 'lead' },
    sheets: { type: 'relation', relation: 'manyToMany', target: 'sheet', mappedBy: 'labels' },
  },
});
const shelf = defineCollectionType({
  singularApiId: 'shelf',
  pluralApiId: 'shelves',
  attributes: { rank: { type: 'integer' }, key: { type: 'component', component: 'parts.key' } },
});

const COUNT = 4;
const TEXT = fc
  .oneof(
    fc.constantFrom('', 'null', '{}', '"', '\\', ',', "'", '$1', '\n', 'é😀', '{"a": null}', ' a "b" \\"c '),
    fc.string({ maxLength: 5 }),
  )
  .map((text) => text.replaceAll('\0', ''));
const nullable = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(one, { nil: null, freq: 4 });
const label0 = fc.integer({ min: 0, max: 2 });
const noteOf = fc.record({ text: TEXT, rank: fc.integer(), about: fc.array(label0, { maxLength: 2 }) });
/** Values by attribute. Numbers of relations are places in the lists of documents. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  title: nullable(TEXT),
  size: nullable(fc.integer({ min: -9, max: 9 })),
  price: nullable(fc.constantFrom(-12.5, 0.1, 1e6)),
  big: nullable(fc.constantFrom('9007199254740993', '-1')),
  ratio: nullable(fc.constantFrom(1 / 3, -0.5, 1e300)),
  isOpen: nullable(fc.boolean()),
  day: nullable(fc.constantFrom('2024-02-29', '0044-03-15')),
  hour: nullable(fc.constant('23:59:59.999')),
  at: nullable(fc.constant('2024-02-29T12:00:00.123Z')),
  more: nullable(
    fc.oneof(
      fc.json({ maxDepth: 1 }).map((text) => JSON.parse(text) as unknown),
      TEXT,
    ),
  ),
  kind: nullable(fc.constantFrom('a', 'b')),
  note: nullable(noteOf),
  notes: fc.array(noteOf, { maxLength: 2 }),
  lead: nullable(label0),
  labels: fc.uniqueArray(label0, { maxLength: 3 }),
  others: fc.uniqueArray(fc.integer({ min: 0, max: COUNT - 1 }), { maxLength: 3 }),
  any: fc.uniqueArray(label0, { maxLength: 2 }),
};
const valuesOf = (names: readonly string[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(names.map((name) => [name, VALUES[name] as fc.Arbitrary<unknown>])));

interface Change {
  readonly action: 'create' | 'update' | 'publish' | 'discard';
  readonly locale: 'en' | 'fr';
  readonly status: 'draft' | null;
  /** Values for each document. */
  readonly each: readonly Record<string, unknown>[];
}
const change: fc.Arbitrary<Change> = fc
  .record({
    action: fc.constantFrom('create', 'update', 'update', 'update', 'publish', 'discard'),
    locale: fc.constantFrom('en', 'en', 'fr'),
    status: fc.constantFrom('draft', null),
    names: fc.uniqueArray(fc.constantFrom(...Object.keys(VALUES)), { minLength: 1, maxLength: 6 }),
  })
  .chain(({ names, ...one }) =>
    fc.array(valuesOf(names), { minLength: COUNT, maxLength: COUNT }).map((each) => ({ ...one, each })),
  );

describe('bulk writes of alike items', () => {
  let test: TestApp;
  let labels: string[];
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [sheet, label, shelf],
        components: [note, key],
        locales: ['fr'],
        access: {
          public: {
            sheet: '*',
            label: '*',
            shelf: [{ actions: ['find', 'create'], where: { rank: { $lt: 99 } } }],
          },
        },
      },
      ADAPTERS[0],
    );
  });
  afterAll(() => test.close());

  const idsOf = (data: readonly { readonly documentId: string }[]): string[] =>
    data.map(({ documentId }) => documentId);
  const bulk = (data: unknown, type = 'sheets') => test.http.post(`/api/${type}/bulk`).send({ data });
  const created = async (count: number, type: string): Promise<string[]> =>
    idsOf((await bulk(Array(count).fill({ action: 'create', data: {} }), type).expect(200)).body.data);

  /** Replaces places by document ids. */
  function bodyOf(values: Readonly<Record<string, unknown>>, sheets: readonly string[]): object {
    const among = (ids: readonly string[], at: unknown): unknown =>
      Array.isArray(at) ? at.map((one: number) => ids[one]) : at === null ? null : ids[at as number];
    const noted = (one: any): unknown => (one === null ? null : { ...one, about: among(labels, one.about) });
    const row: Readonly<Record<string, (value: any) => unknown>> = {
      lead: (at) => among(labels, at),
      labels: (at) => among(labels, at),
      others: (at) => among(sheets, at),
      any: (at) =>
        (among(labels, at) as string[]).map((documentId) => ({ __type: 'api::label.label', documentId })),
      note: noted,
      notes: (list) => list.map(noted),
    };
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, (row[name] ?? ((same: unknown) => same))(value)]),
    );
  }

  /** Content of documents in all versions, with places instead of ids, and the order on the other side. */
  async function stateOf(sheets: readonly string[]): Promise<unknown> {
    const show = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(show);
      if (typeof value !== 'object' || value === null) return value;
      const {
        id: _id,
        createdAt: _c,
        updatedAt: _u,
        publishedAt,
        documentId,
        slug: _s,
        ...rest
      } = value as any;
      const at = [sheets.indexOf(documentId), labels.indexOf(documentId)];
      return [at, typeof publishedAt, Object.entries(rest).map(([name, one]) => [name, show(one)])];
    };
    const reads = ['en', 'fr'].flatMap((locale) =>
      ['draft', 'published'].flatMap((status) => [
        ...sheets.map(
          (id) =>
            `/api/sheets/${id}?locale=${locale}&status=${status}&populate[note][populate]=*&populate[notes][populate]=*&populate[lead]=true&populate[labels]=true&populate[others]=true&populate[any]=true`,
        ),
        ...labels.map((id) => `/api/labels/${id}?locale=${locale}&status=${status}&populate=*`),
      ]),
    );
    const shown = [];
    for (const path of reads) {
      const { body } = await test.http.get(path);
      shown.push(show(body.data ?? null));
    }
    const equal = await test.sql(
      `select document_id, locale, count(distinct revision)::int as n, count(*)::int as all from sheets
       where document_id = any('{${sheets.join()}}') group by 1, 2`,
    );
    const inOrder = equal
      .map(({ document_id: id, locale, n, all }: any) => [sheets.indexOf(id), locale, n, all].join())
      .sort();
    return [shown, inOrder];
  }

  const alone: Readonly<Record<Change['action'], (id: string, query: string, data: object) => Promise<any>>> =
    {
      create: (_id, query, data) => test.http.post(`/api/sheets?${query}`).send({ data }),
      update: (id, query, data) => test.http.put(`/api/sheets/${id}?${query}`).send({ data }),
      publish: (id, query) => test.http.post(`/api/sheets/${id}/actions/publish?${query}`).send({}),
      discard: (id, query) => test.http.post(`/api/sheets/${id}/actions/discard?${query}`).send({}),
    };

  /** Runs changes by bulks or by single requests. Returns the outcomes and the state. */
  async function outcome(changes: readonly Change[], together: boolean): Promise<unknown> {
    labels = await created(3, 'labels');
    const sheets = await created(COUNT, 'sheets');
    const outcomes: unknown[] = [];
    for (const { action, locale, status, each } of changes) {
      const items = each.map((values, i) => ({
        action,
        ...(action === 'create' ? {} : { documentId: sheets[i] }),
        locale,
        ...(status === null || action === 'publish' || action === 'discard' ? {} : { status }),
        ...(action === 'create' || action === 'update' ? { data: bodyOf(values, sheets) } : {}),
      }));
      const made: string[] = [];
      if (together) {
        const { body } = await test.http
          .post('/api/sheets/bulk')
          .send({ data: items, atomic: false })
          .expect(200);
        if (action === 'create') made.push(...idsOf(body.data.filter((one: unknown) => one !== null)));
        outcomes.push(body.data.map((one: unknown) => one !== null));
      } else {
        const done: boolean[] = [];
        for (const item of items) {
          const query = `locale=${locale}${'status' in item ? `&status=${item.status}` : ''}`;
          const { body, status: code } = await alone[action](item.documentId ?? '', query, item.data ?? {});
          done.push(code < 300);
          if (code < 300 && action === 'create') made.push(body.data.documentId);
        }
        outcomes.push(done);
      }
      if (action === 'create' && made.length === COUNT) sheets.splice(0, COUNT, ...made);
    }
    return [outcomes, await stateOf(sheets)];
  }

  it('24.8 ends like the same single writes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        expect(await outcome(changes, true)).toEqual(await outcome(changes, false));
      }),
      { numRuns: dose(10, 50) },
    );
  });

  it('sends one statement to load and one to write a hundred documents', async () => {
    const ids = await created(100, 'sheets');
    labels = await created(3, 'labels');
    const items = ids.map((documentId, i) => ({
      action: 'update',
      documentId,
      data: { title: `title ${i}`, size: i, lead: labels[i % 3], labels: [labels[i % 2]] },
    }));
    const statements = await countStatements(() => bulk(items).expect(200));
    const sent = statements.filter((text) => /sheets/.test(text) && !/advisory/.test(text));
    expect(sent).toHaveLength(2);
    const { body } = await test.http.get(`/api/sheets/${ids[99]}?populate=*`).expect(200);
    expect(body.data).toMatchObject({ title: 'title 99', size: 99, lead: { documentId: labels[0] } });
  });

  it('24.2 tells the item whose value is taken', async () => {
    const ids = await created(5, 'sheets');
    const items = ids.map((documentId, i) => ({
      action: 'update',
      documentId,
      data: { code: i === 3 ? 'code 1' : `code ${i}` },
    }));
    const { body } = await bulk(items).expect(400);
    expect(body.error.details).toMatchObject({ index: 3, errors: [{ path: ['code'] }] });
  });

  const advisoryLocks = (): Promise<Record<string, unknown>[]> =>
    test.sql(
      `select concat(classid, ':', objid) as name, mode from pg_locks where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())`,
    );

  /** Creates labels, and returns the locks that they have before their rows are inserted. */
  async function lockedBy(data: readonly object[]) {
    const holder = await test.connect();
    // Inserts wait for this lock, after the values are locked.
    await holder.query('begin; lock table labels in share mode');
    const reply = bulk(data, 'labels').expect(200);
    const done = reply.then(({ body }) => idsOf(body.data));
    const waiting = (): Promise<unknown[]> =>
      test.sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'relation'`,
      );
    expect(await lookUntil(waiting, (rows) => rows.length > 0)).not.toEqual([]);
    const locks = await advisoryLocks();
    await holder.end();
    return { written: await done, locks };
  }

  it('D14 acquires few locks for the unique values of many components', async () => {
    const data = Array.from({ length: 100 }, (_, n) => ({
      action: 'create',
      data: { key: { code: `locked-${n}` } },
    }));
    const { written, locks } = await lockedBy(data);
    expect(written).toHaveLength(100);
    expect(locks.length).toBeLessThan(20);
  });

  it('D14 acquires no lock first shared and then exclusively', async () => {
    const keys = (n: number): object[] => Array.from({ length: n }, (_, i) => ({ code: `many ${n} ${i}` }));
    const data = [1, 40].map((n) => ({ action: 'create', data: { keys: keys(n) } }));
    const { written, locks } = await lockedBy(data);
    expect(written).toHaveLength(2);
    expect(new Set(locks.map(({ name }) => name)).size).toBe(locks.length);
  });

  it('D14 acquires few locks in a transaction of the application', async () => {
    const { em } = test.app.get<MikroORM>(CONTENT_ORM, { strict: false });
    const service = test.app.get<ContentService>(getContentToken('label'), { strict: false });
    await em.fork().transactional(async (inner) => {
      for (let n = 0; n < 300; n += 1)
        await service.create({ key: { code: `host ${n}` } }, {}, { em: inner as SqlEntityManager });
      expect((await advisoryLocks()).length).toBeLessThan(270);
    });
  });

  it.each(['labels', 'shelves'])(
    'creates rows in the order of the items, also if some need more statements: %s',
    async (type) => {
      const data = Array.from({ length: 12 }, (_, n) => ({
        action: 'create',
        data: { rank: n, ...(n % 3 === 0 ? {} : { key: { code: `in-order-${n}` } }) },
      }));
      const ids = idsOf((await bulk(data, type).expect(200)).body.data);
      const list = await test.http.get(`/api/${type}?sort=id:desc&pagination[pageSize]=12`).expect(200);
      expect(idsOf(list.body.data)).toEqual(ids.reverse());
    },
  );
});
