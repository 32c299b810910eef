/** The total of a filter is counted once for all its pages and orders, and fits the page in its response. */
import { defineCollectionType } from 'nestjs-content-api';
import { ChangeLogWorker } from '../../src/cache/change-log-worker.ts';
import { countStatements, createTestApp, type TestApp } from '../support/app.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: {
    title: { type: 'string' },
    rank: { type: 'integer' },
    labels: { type: 'relation', relation: 'manyToMany', target: 'label' },
  },
});
const label = defineCollectionType({
  singularApiId: 'label',
  pluralApiId: 'labels',
  attributes: { name: { type: 'string' } },
});

/** Enough rows for a slow count; a tenth of them match. */
const ROWS = 30_000;
const HITS = 'filters[title][$containsi]=HIT';

describe('totals of filters', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [note, label],
      cache: { bytes: 10_000_000 },
      access: { public: { '*': '*' } },
    });
    await test.sql(
      `insert into notes (document_id, created_at, updated_at, published, locale, title, rank, revision)
       select 'n' || i, now(), now(), true, 'en', case when i % 10 = 0 then 'hit ' else 'miss ' end || i, i, 0
       from generate_series(1, ${ROWS}) i`,
    );
    await test.sql('analyze notes');
    await test.app.get(ChangeLogWorker).maintain();
    // From here on, reads query the changes.
    for (let i = 0; i < 3; i += 1) await test.http.get('/api/notes?pagination[pageSize]=1').expect(200);
  });
  afterAll(() => test.close());

  const total = async (query: string): Promise<number> =>
    (await test.http.get(`/api/notes?${query}`).expect(200)).body.meta.pagination.total;
  /** Whether a list runs a count, which no other read of it does. */
  const counts = async (query: string): Promise<boolean> =>
    (await countStatements(() => total(query))).some((text) => text.includes('count(*)'));

  it('are counted once for all pages and orders', async () => {
    expect(await counts(`${HITS}&pagination[pageSize]=5`)).toBe(true);
    for (const more of [
      'pagination[page]=2',
      'sort=rank:desc',
      'fields=title',
      'pagination[start]=90',
      'populate=labels',
    ]) {
      // A page without a match is still a page of the same filter.
      expect([more, await counts(`${HITS}&${more}`)]).toEqual([more, false]);
      expect([more, await total(`${HITS}&${more}`)]).toEqual([more, ROWS / 10]);
    }
    expect(await total(`${HITS}&pagination[page]=100000`)).toBe(ROWS / 10);
  });

  it('differ between filters, also if only a value differs', async () => {
    for (const [filter, expected] of [
      ['filters[title][$containsi]=MISS', (ROWS / 10) * 9],
      ['filters[title][$containsi]=HIT 1', 1111],
      [`${HITS}&filters[rank][$gt]=${ROWS / 2}`, ROWS / 20],
      ['filters[title][$in][0]=hit 10&filters[title][$in][1]=hit 20', 2],
      ['filters[title][$in][0]=hit 10,hit 20', 0],
      ['_q=hit 2999', 1],
    ] as const)
      for (const more of ['', '&sort=rank'])
        expect([filter, await total(filter + more)]).toEqual([filter, expected]);
  });

  it('are counted again after a change', async () => {
    expect(await total(HITS)).toBe(ROWS / 10);
    await test.sql(`delete from notes where title = 'hit 10'`);
    expect(await total(`${HITS}&sort=title`)).toBe(ROWS / 10 - 1);
    expect(await total(`${HITS}&sort=title:desc`)).toBe(ROWS / 10 - 1);
    await test.http
      .post('/api/notes')
      .send({ data: { title: 'hit again' } })
      .expect(201);
    expect(await total(`${HITS}&sort=title&pagination[page]=3`)).toBe(ROWS / 10);
  });

  it('fit the page in the same response during concurrent writes', async () => {
    let isOver = false;
    const write = async (): Promise<void> => {
      for (let i = 0; !isOver; i += 1) {
        await test.sql(
          i % 2 === 0
            ? `insert into notes (document_id, created_at, updated_at, published, locale, title, rank, revision)
               select 'rare' || i, now(), now(), true, 'en', 'rare', i, 0 from generate_series(1, 20) i on conflict do nothing`
            : `delete from notes where title = 'rare' and rank > ${i % 20}`,
        );
        await test.sql(`delete from notes where title = 'rare' and random() < 0.3`);
        await new Promise((done) => setTimeout(done, 10 * (i % 7)));
      }
    };
    const orders = ['', '&sort=rank', '&sort=rank:desc', '&sort=title', '&fields=rank'];
    const differing: unknown[] = [];
    const read = async (n: number): Promise<void> => {
      for (let i = 0; i < 60; i += 1) {
        const path = `/api/notes?filters[title]=rare&pagination[pageSize]=100${orders[(i + n) % orders.length]}`;
        const { body } = await test.http.get(path).expect(200);
        if (body.data.length !== body.meta.pagination.total)
          differing.push([path, body.data.length, body.meta]);
      }
    };
    const writing = write();
    const statements = await countStatements(() => Promise.all([0, 1, 2, 3].map(read)));
    isOver = true;
    await writing;
    expect(differing).toEqual([]);
    // Both kinds of read occurred.
    const lists = statements.filter((text) => /from "notes"/.test(text));
    const counting = lists.filter((text) => text.includes('count(*)'));
    expect(counting.length).toBeGreaterThan(0);
    expect(lists.length).toBeGreaterThan(counting.length);
  });
});
