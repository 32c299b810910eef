/** What triggers note: each document once in a transaction, what comes and goes by state and locale, few rows for many. */
import pg from 'pg';
import { LedgerWorker } from '../../src/cache/ledger-worker.ts';
import { stories } from '../fixtures/stories.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

/** Documents `prefix1` … `prefixN`, published or not. */
const insert = (prefix: string, count: number, published = true): string =>
  `insert into stories (document_id, created_at, updated_at, published, locale, title, revision)
    select '${prefix}' || i, now(), now(), ${published}, 'en', 'x', 0 from generate_series(1, ${count}) i`;
const links = (owner: string): string =>
  `insert into stories_topics_links (owner_document_id, published, locale, target_document_id, position, inverse_position)
    select '${owner}', p, '', 't' || i, i, i from generate_series(1, 3) i, unnest(array[true, false]) p`;

const TOPIC = `insert into topics (document_id, created_at, updated_at, published, locale, name, revision)
  values ('a1', now(), now(), true, 'en', 'x', 0)`;

describe('what is noted', () => {
  let test: TestApp;
  let client: pg.Client;
  beforeAll(async () => {
    test = await createTestApp({ ...stories, access: { public: { '*': '*' } } });
    const server = new URL(process.env.TEST_DATABASE_URL ?? '');
    server.pathname = `/${String((await test.sql('select current_database() as name'))[0]?.['name'])}`;
    client = new pg.Client({ connectionString: server.href });
    await client.connect();
    await client.query(`${insert('a', 2)}; ${insert('b', 250)}; ${insert('b', 1, false)}; ${links('a1')}`);
  });
  afterAll(async () => {
    await client.end();
    await test.close();
  });

  /** The changes of a transaction that does this: document, delta, locale and state. */
  async function noted(statements: readonly string[]): Promise<readonly string[]> {
    await client.query('begin');
    try {
      for (const statement of statements) await client.query(statement);
      const { rows } = await client.query<{ told: string }>(
        `select concat_ws(' ', type, coalesce(document_id, '*'), delta, nullif(locale, ''), case when delta <> 0 then published end) as told
          from content_change where xid = pg_current_xact_id_if_assigned() order by n`,
      );
      return rows.map(({ told }) => told);
    } finally {
      await client.query('rollback');
    }
  }

  const update = (where: string): string => `update stories set title = title || '!' where ${where}`;
  it.each<[string, readonly string[], readonly string[]]>([
    ['nothing of what changes nothing', [update('false'), `delete from stories where false`], []],
    [
      'a document once, however often',
      [update(`document_id = 'a1'`), update(`document_id = 'a1'`)],
      ['story a1 0'],
    ],
    ['both of two', [update(`document_id like 'a%'`)], ['story a1 0', 'story a2 0']],
    ['a document and its links once', [links('a2'), update(`document_id = 'a2'`)], ['story a2 0']],
    [
      'what comes by state and locale, and its links once',
      [insert('c', 1), insert('c', 1, false), links('c1')],
      ['story c1 1 en t', 'story c1 1 en f', 'story c1 0'],
    ],
    ['what goes', [`delete from stories where document_id = 'a1'`], ['story a1 -1 en t']],
    [
      'what has come and gone',
      [insert('c', 1), `delete from stories where document_id = 'c1'`],
      ['story c1 1 en t', 'story c1 -1 en t'],
    ],
    [
      'a version that is another one, as gone and come',
      [`update stories set locale = 'fr' where document_id = 'a1'`],
      ['story * -1 en t', 'story * 1 fr t'],
    ],
    [
      'links that another document gets, as changes of all',
      [`update stories_topics_links set owner_document_id = 'a2' where owner_document_id = 'a1'`],
      ['story * 0'],
    ],
    [
      'again what a savepoint has taken back',
      ['savepoint a', update(`document_id = 'a1'`), 'rollback to savepoint a', update(`document_id = 'a1'`)],
      ['story a1 0'],
    ],
    [
      'what was noted before a savepoint, once',
      [
        update(`document_id = 'a1'`),
        'savepoint a',
        update(`document_id = 'a1'`),
        'rollback to savepoint a',
        update(`document_id = 'a1'`),
      ],
      ['story a1 0'],
    ],
    [
      'another type between',
      [TOPIC, update(`document_id = 'a1'`), `update topics set name = 'y'`, update(`document_id = 'a1'`)],
      ['topic a1 1 en t', 'story a1 0', 'topic a1 0', 'story a1 0'],
    ],
    ['all that is truncated', ['truncate stories, stories_topics_links'], ['story * 0', 'story * 0']],
  ])('is %s', async (_what, statements, changes) => {
    expect(await noted(statements)).toEqual(changes);
  });

  it('is little of many: eight that come one by one and the rest together, a hundred that change and then all', async () => {
    const come = await noted([insert('many', 3000), insert('many', 4, false)]);
    expect(come).toHaveLength(8 + 1 + 4);
    expect(come.filter((told) => told.includes('*'))).toEqual(['story * 2992 en t']);
    const changed = await noted([update('true'), update('true'), links('a2'), update(`document_id = 'b7'`)]);
    expect(changed).toHaveLength(101);
    expect(changed.at(-1)).toBe('story * 0');
    expect(new Set(changed).size).toBe(101);
    const gone = await noted([`delete from stories where document_id like 'b%'`]);
    expect(gone.slice(8).toSorted()).toEqual(['story * -242 en t', 'story b1 -1 en f'].toSorted());
  });

  it('is the next transaction told anew, on the same connection', async () => {
    const once = await noted([update(`document_id = 'a1'`)]);
    expect([once, await noted([update(`document_id = 'a1'`)])]).toEqual([['story a1 0'], ['story a1 0']]);
    await client.query(update(`document_id = 'a2'`));
    await client.query(update(`document_id = 'a2'`));
    const { rows } = await client.query(
      `select count(*)::int as n from content_change where document_id = 'a2' and delta = 0`,
    );
    expect(rows).toEqual([{ n: 2 }]);
  });

  it('is right in the totals', async () => {
    const total = async (query: string): Promise<number> =>
      (await test.http.get(`/api/stories?pagination[pageSize]=1&${query}`).expect(200)).body.meta.pagination
        .total;
    await client.query(`${insert('t', 20)}; delete from stories where document_id like 'b%' and published;
      update stories set locale = 'fr' where document_id in ('t1', 't2')`);
    expect(await test.app.get(LedgerWorker).recount()).toEqual([]);
    expect([await total(''), await total('status=draft'), await total('locale=fr')]).toEqual([20, 1, 2]);
  });
});
