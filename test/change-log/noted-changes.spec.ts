/**
 * Changes logged by triggers: each document once per transaction, inserts and deletes by state and locale,
 * few rows for many documents.
 */
import pg from 'pg';
import { ChangeLogWorker } from '../../src/cache/change-log-worker.ts';
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

describe('the change log', () => {
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

  /** Returns the logged changes of a transaction with these statements: document, delta, locale and state. */
  async function noted(statements: readonly string[]): Promise<readonly string[]> {
    await client.query('begin');
    try {
      for (const statement of statements) await client.query(statement);
      const { rows } = await client.query<{ change: string }>(
        `select concat_ws(' ', type, coalesce(document_id, '*'), delta, nullif(locale, ''), case when delta <> 0 then published end) as change
          from content_change where xid = pg_current_xact_id_if_assigned() order by n`,
      );
      return rows.map(({ change }) => change);
    } finally {
      await client.query('rollback');
    }
  }

  const update = (where: string): string => `update stories set title = title || '!' where ${where}`;
  it.each<[string, readonly string[], readonly string[]]>([
    ['nothing for statements without a change', [update('false'), `delete from stories where false`], []],
    [
      'one row for a document that changes several times',
      [update(`document_id = 'a1'`), update(`document_id = 'a1'`)],
      ['story a1 0'],
    ],
    ['one row for each of two documents', [update(`document_id like 'a%'`)], ['story a1 0', 'story a2 0']],
    ['one row for a document and its links', [links('a2'), update(`document_id = 'a2'`)], ['story a2 0']],
    [
      'inserts by state and locale, and one row for links',
      [insert('c', 1), insert('c', 1, false), links('c1')],
      ['story c1 1 en t', 'story c1 1 en f', 'story c1 0'],
    ],
    ['deletes', [`delete from stories where document_id = 'a1'`], ['story a1 -1 en t']],
    [
      'an insert and its delete',
      [insert('c', 1), `delete from stories where document_id = 'c1'`],
      ['story c1 1 en t', 'story c1 -1 en t'],
    ],
    [
      'a version that changes its locale, as delete and insert',
      [`update stories set locale = 'fr' where document_id = 'a1'`],
      ['story * -1 en t', 'story * 1 fr t'],
    ],
    [
      'links that change their owner, as a change of all documents',
      [`update stories_topics_links set owner_document_id = 'a2' where owner_document_id = 'a1'`],
      ['story * 0'],
    ],
    [
      'again after a rollback to a savepoint',
      ['savepoint a', update(`document_id = 'a1'`), 'rollback to savepoint a', update(`document_id = 'a1'`)],
      ['story a1 0'],
    ],
    [
      'one row for a change before a savepoint',
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
      'rows of another type in between',
      [TOPIC, update(`document_id = 'a1'`), `update topics set name = 'y'`, update(`document_id = 'a1'`)],
      ['topic a1 1 en t', 'story a1 0', 'topic a1 0', 'story a1 0'],
    ],
    [
      'a truncate, as a change of all documents',
      ['truncate stories, stories_topics_links'],
      ['story * 0', 'story * 0'],
    ],
  ])('contains %s', async (_what, statements, changes) => {
    expect(await noted(statements)).toEqual(changes);
  });

  it('has few rows for many documents: eight inserts, a hundred updates, and then one row for all', async () => {
    const come = await noted([insert('many', 3000), insert('many', 4, false)]);
    expect(come).toHaveLength(8 + 1 + 4);
    expect(come.filter((change) => change.includes('*'))).toEqual(['story * 2992 en t']);
    const changed = await noted([update('true'), update('true'), links('a2'), update(`document_id = 'b7'`)]);
    expect(changed).toHaveLength(101);
    expect(changed.at(-1)).toBe('story * 0');
    expect(new Set(changed).size).toBe(101);
    const gone = await noted([`delete from stories where document_id like 'b%'`]);
    expect(gone.slice(8).toSorted()).toEqual(['story * -242 en t', 'story b1 -1 en f'].toSorted());
  });

  it('logs the same document again in the next transaction of a connection', async () => {
    const once = await noted([update(`document_id = 'a1'`)]);
    expect([once, await noted([update(`document_id = 'a1'`)])]).toEqual([['story a1 0'], ['story a1 0']]);
    await client.query(update(`document_id = 'a2'`));
    await client.query(update(`document_id = 'a2'`));
    const { rows } = await client.query(
      `select count(*)::int as n from content_change where document_id = 'a2' and delta = 0`,
    );
    expect(rows).toEqual([{ n: 2 }]);
  });

  it('gives exact totals', async () => {
    const total = async (query: string): Promise<number> =>
      (await test.http.get(`/api/stories?pagination[pageSize]=1&${query}`).expect(200)).body.meta.pagination
        .total;
    await client.query(`${insert('t', 20)}; delete from stories where document_id like 'b%' and published;
      update stories set locale = 'fr' where document_id in ('t1', 't2')`);
    expect(await test.app.get(ChangeLogWorker).recount()).toEqual([]);
    expect([await total(''), await total('status=draft'), await total('locale=fr')]).toEqual([20, 1, 2]);
  });
});
