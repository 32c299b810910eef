/**
 * Totals are exact: the change log and a count give the same number in one snapshot, with concurrent writes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ChangeLogKeeper } from '../../src/cache/change-log-keeper.ts';
import { Database } from '../../src/content/store/database.ts';
import { compileFold, compileSettle, countedTotal } from '../../src/content/compile/compile-totals.ts';
import { changeLogTablesOf } from '../../src/content/model/change-log-tables.ts';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../src/content/model/model.ts';
import { constant, join, print, sql, union } from '../../src/kernel/sql.ts';
import { stories } from '../fixtures/stories.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

/** Number of comparisons; a longer run is TOTALS=100000. */
const COMPARISONS = Number(process.env.TOTALS ?? 800);

const STATES = [true, false];
const LOCALES = ['en', 'fr', 'de'];

/** Query of the totals that reads use, for every state and locale, with counts of the same snapshot. */
function comparison(type: ContentType): string {
  const comparisons = STATES.flatMap((state) =>
    [...LOCALES, null].map((locale) => {
      const published = state ? sql`t.published` : sql`not t.published`;
      const conditions = locale === null ? [published] : [published, sql`t.locale = ${constant(locale)}`];
      const from = join(conditions, ' and ');
      // A fallback to counting would hide an error.
      return sql`${countedTotal(type, conditions, sql`-1`)} as stored, (select count(*) from stories t where ${from}) as n`;
    }),
  );
  return print(
    sql`select json_agg(q.*)::text as rows from (${union(comparisons.map((one) => sql`select ${one}`))}) q`,
  ).text;
}

describe('totals', () => {
  let test: TestApp;
  let url: string;
  beforeAll(async () => {
    test = await createTestApp({ ...stories, access: { public: { '*': '*' } } });
    const server = new URL(process.env.TEST_DATABASE_URL ?? '');
    server.pathname = `/${String((await test.sql('select current_database() as name'))[0]?.['name'])}`;
    url = server.href;
  });
  afterAll(() => test.close());

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client;
  };

  it('equal a count during concurrent inserts, moves, publications, deletes, rollbacks, folds and recounts', async () => {
    let isOver = false;
    const differing: unknown[] = [];
    const schema = test.app.get<Schema>(CONTENT_SCHEMA);
    const writer = async (n: number): Promise<void> => {
      const client = await connect();
      for (let i = 0; !isOver; i += 1) {
        const id = `w${n}-${i % 40}`;
        const insert = `insert into stories (document_id, created_at, updated_at, published, locale, title, revision)
          select $1, now(), now(), p, l, 'x', 0 from unnest(array[true, false]) p, unnest(array['en', 'fr']) l
          where random() < 0.6 and not exists (
            select 1 from stories s where s.document_id = $1 and s.locale = l and s.published = p)`;
        await client.query('begin');
        await client.query(insert, [id]);
        await client.query('savepoint a');
        await client
          .query(`update stories set locale = 'de' where document_id = $1 and locale = 'fr' and published`, [
            id,
          ])
          .catch(() => null);
        await client.query(i % 3 === 0 ? 'rollback to savepoint a' : 'select 1').catch(() => null);
        await client
          .query('delete from stories where document_id = $1 and random() < 0.3', [`w${n}-${(i * 7) % 40}`])
          .catch(() => null);
        await client.query(i % 5 === 0 ? 'rollback' : 'commit');
      }
      await client.end();
    };
    const folder = async (): Promise<void> => {
      const client = await connect();
      const keeper = new ChangeLogKeeper({
        database: test.app.get(Database),
        schema,
        warn: () => undefined,
        isStopping: () => false,
      });
      for (let i = 0; !isOver; i += 1) {
        const { rows } = await client.query('select pg_snapshot_xmin(pg_current_snapshot())::text as xmin');
        await client.query(`begin; select pg_advisory_xact_lock(hashtextextended('content-ledger', 0))`);
        const tables = changeLogTablesOf(schema.file);
        if (i % 3 > 0) await client.query(compileSettle(tables).text);
        // Also folds changes that are not folded yet, which stays correct.
        else await client.query(compileFold(tables, '0').text, [rows[0].xmin]);
        await client.query('commit');
        // A recount finds nothing wrong, also during writes.
        if (i % 4 === 0) differing.push(...(await keeper.recount('story')));
      }
      await client.end();
    };
    /** Through the API, where each write is a transaction of several statements. */
    const publisher = async (): Promise<void> => {
      while (!isOver) {
        const { body } = await test.http.post('/api/stories?status=draft').send({ data: { title: 'http' } });
        const path = `/api/stories/${body.data.documentId}`;
        await test.http.put(`${path}?locale=fr`).send({ data: { title: 'published' } });
        await test.http.put(path).send({ data: { title: 'published' } });
        await test.http.delete(`${path}?locale=fr`);
        await test.http.delete(`${path}?locale=*`);
      }
    };
    const working = [writer(1), writer(2), writer(3), publisher(), folder()];
    const [reader, text] = [await connect(), comparison(schema.types.get('story') as ContentType)];
    const seen = new Set<string>();
    let compared = 0;
    while (compared < COMPARISONS) {
      const { rows } = await reader.query<{ rows: string }>(text);
      const totals = JSON.parse(rows[0]?.rows ?? '[]') as { stored: number; n: number }[];
      compared += totals.length;
      seen.add(totals.map(({ n }) => n).join());
      if (totals.some(({ stored, n }) => stored !== n)) differing.push(totals);
      if (process.env.TOTALS !== undefined && compared % 8000 === 0)
        process.stderr.write(`${compared} compared, ${differing.length} differ\n`);
    }
    isOver = true;
    await Promise.all(working);
    await reader.end();
    expect(differing).toEqual([]);
    // The compared totals differ from one another.
    expect(seen.size).toBeGreaterThan(compared / 80);
    for (const query of ['', 'locale=fr', 'status=draft', 'locale=*', 'locale[0]=en&locale[1]=de']) {
      const { body } = await test.http.get(`/api/stories?pagination[pageSize]=1&${query}`).expect(200);
      const locales = /\*/.test(query)
        ? `'en','fr','de'`
        : /de/.test(query)
          ? `'en','de'`
          : /fr/.test(query)
            ? `'fr'`
            : `'en'`;
      const state = query.includes('draft') ? 'not published' : 'published';
      const [row] = await test.sql(
        `select count(*)::int as n from stories where ${state} and locale in (${locales})`,
      );
      expect([query, body.meta.pagination.total]).toEqual([query, row?.['n']]);
    }
  }, 3_600_000);

  it('are folded soon after a read, without an update of a change row', async () => {
    const pending = async (): Promise<unknown> =>
      (
        await test.sql(`select count(*)::int as n from content_change c, content_total s where s.type = '' and (
          c.xid >= pg_snapshot_xmax(s.settled) or c.xid in (select pg_snapshot_xip(s.settled)))`)
      )[0]?.['n'];
    await test.sql(`do $$ begin for i in 1..150 loop
      insert into stories (document_id, created_at, updated_at, published, locale, title, revision)
      values ('s' || i, now(), now(), true, 'en', 'x', 0); end loop; end $$`);
    const rows = (): Promise<unknown> =>
      test.sql(
        `select n, delta, ctid::text, xmin from content_change where document_id like 's%' order by n`,
      );
    const read = async (): Promise<unknown> =>
      (await test.http.get('/api/stories?fields=title').expect(200)).body.meta.pagination.total;
    // Counted before the read, which folds them in the background.
    expect(await pending()).toBeGreaterThanOrEqual(150);
    const [before, changes] = [await read(), await rows()];
    for (let i = 0; i < 100 && Number(await pending()) > 0; i += 1) await sleep(100);
    expect([await pending(), await read(), await rows()]).toEqual([0, before, changes]);
    await test.sql(`delete from stories where document_id = 's1'`);
    expect(await read()).toBe(Number(before) - 1);
  });

  it('are counted without a stored total, and stored after the next poll', async () => {
    const counted = `select total::int from content_total where type = 'story' and locale = '' and published`;
    await test.sql('truncate stories');
    // Until the next read: it detects the other table, and recounts it.
    expect(await test.sql(counted)).toEqual([{ total: 0 }]);
    await test.http
      .post('/api/stories')
      .send({ data: { title: 'one' } })
      .expect(201);
    const total = async (): Promise<number> =>
      (await test.http.get('/api/stories')).body.meta.pagination.total;
    expect(await total()).toBe(1);
    const { ChangeLogWorker } = await import('../../src/cache/change-log-worker.ts');
    await test.app.get(ChangeLogWorker).maintain();
    expect([await test.sql(counted), await total()]).toEqual([[{ total: 1 }], 1]);
  });

  /** A restored dump: rows of transactions of another server. */
  const COPIED = `create temp table kept as select * from content_total;
    delete from content_total;
    insert into content_total select type, locale, published, total, '900000', '900000:900000:', writer from kept;
    insert into content_change values ('800000', 1, 'story', null, 'en', true, 5), ('3', 1, 'story', null, 'en', true, 5);
    drop table kept`;
  it.each([
    ['copied from another server', COPIED],
    [
      'written within a savepoint',
      `begin; savepoint a; update content_total set horizon = '900000', writer = concat(pg_current_xact_id()::xid, ' ', tableoid)
        where type = ''; release savepoint a; commit`,
    ],
    ['empty', `delete from content_total where type = ''`],
    ['of an earlier release', `update content_total set settled = null where type = ''`],
  ])('are counted if the change log is %s, and stored after one poll', async (_how, change) => {
    const client = await connect();
    const { ChangeLogWorker } = await import('../../src/cache/change-log-worker.ts');
    const worker = test.app.get(ChangeLogWorker);
    const add = (id: string): Promise<unknown> =>
      client.query(
        `insert into stories (document_id, created_at, updated_at, published, locale, title, revision)
        values ($1, now(), now(), true, 'en', 'x', 0)`,
        [id],
      );
    const total = async (): Promise<number> =>
      (await test.http.get('/api/stories')).body.meta.pagination.total;
    /** State of the row without a type, and the writer of each total: neither changes without need. */
    const state = (): Promise<unknown> =>
      test.sql(`select type, locale, total, xmin from content_total where locale = '' order by 1`);
    await worker.maintain();
    await test.sql('delete from stories');
    await add('before');
    expect(await total()).toBe(1);
    await client.query(change);
    await add('after');
    expect(await total()).toBe(2);
    await worker.maintain();
    const known = await state();
    await add('later');
    await worker.maintain();
    expect([await total(), await state()]).toEqual([3, known]);
    expect(known).toContainEqual(expect.objectContaining({ type: 'story', total: '1' }));
    // The total comes from an earlier count.
    await test.sql(
      `update content_total set total = total + 7 where type = 'story' and locale = 'en' and published`,
    );
    expect(await worker.recount('story')).toMatchObject([{ noted: 10, counted: 3 }]);
    expect(
      await test.sql(
        `select count(*)::int as n from content_change where xid > pg_snapshot_xmax(pg_current_snapshot())`,
      ),
    ).toEqual([{ n: 0 }]);
    await client.end();
  });
});
