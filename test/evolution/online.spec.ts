/** Migrations of a running site: what they lock and rewrite, and attempts that end early. */
import type { AbstractSqlConnection } from '@mikro-orm/postgresql';
import { type ContentMigration, contentMigration, migrateContent } from 'nestjs-content-api';
import type { Host } from '../http/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { collection } from './cases.ts';
import { ADMIN, type Model, ormOf, start } from './run.ts';

const tag = collection('tag', { name: { type: 'string' } });
const drafts = { draftAndPublish: true } as const;
const NUMBERS: Model = { contentTypes: [collection('note', { score: { type: 'string' } }), tag] };
const WHOLE: Model = { contentTypes: [collection('note', { score: { type: 'integer' } }), tag] };
const DRAFTS: Model = { contentTypes: [collection('note', { score: { type: 'string' } }, drafts), tag] };

describe('a migration of a running site', () => {
  let database: TestDatabase;
  let host: Host;

  const open = async (model: Model): Promise<void> => {
    database = await createDatabase();
    host = await start(database, model);
    await migrateContent({ orm: ormOf(host), model });
  };
  const send = async (method: string, path: string, data: object): Promise<any> => {
    const answer = await fetch(`${host.url}/api/${path}`, {
      method,
      headers: { ...ADMIN, 'content-type': 'application/json' },
      body: JSON.stringify({ data }),
    });
    expect(answer.status).toBeLessThan(300);
    return ((await answer.json()) as { data: unknown }).data;
  };
  const get = async (path: string): Promise<any> =>
    ((await (await fetch(`${host.url}/api/${path}`, { headers: ADMIN })).json()) as { data: unknown }).data;
  const connection = (): AbstractSqlConnection => ormOf(host).em.getConnection() as AbstractSqlConnection;
  const run = async (statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await connection().execute(statement);
  };
  /** Runs the backfills of a migration, and then stops as if the process had been killed. */
  async function stopAhead(model: Model): Promise<ContentMigration> {
    const migration = await contentMigration({ orm: ormOf(host), model });
    const { begin, backfills } = migration.online;
    expect(backfills.length).toBeGreaterThan(0);
    await run(begin);
    for (const { prepare, batch } of backfills) await run([...prepare, batch(0, 1_000_000)]);
    return migration;
  }
  const restart = async (model: Model): Promise<void> => {
    await host.close();
    host = await start(database, model);
  };
  const leftovers = async (): Promise<unknown[]> =>
    host.sql(
      `select attname as name from pg_attribute where attrelid = 'notes'::regclass and attname like 'content_ahead%'
       union all select tgname from pg_trigger where tgname like 'content_ahead%'
       union all select proname from pg_proc where proname like '%content_ahead%'
       union all select document_id from notes where not published
       union all select digest from content_model where id <> 1`,
    );

  afterEach(async () => {
    await host.close();
    await database.drop();
  });

  it('rewrites no row for a new name and for a new attribute with a default', async () => {
    await open({ contentTypes: [collection('note', { score: { type: 'string' } }, drafts), tag] });
    for (const score of ['a', 'b']) await send('POST', 'notes', { score });
    const rows = () => host.sql('select id, xmin::text, revision::text from notes order by id');
    const before = await rows();
    const kind = { type: 'string', required: true, default: 'plain' } as const;
    const points = { type: 'string', previousName: 'score' } as const;
    const model: Model = { contentTypes: [collection('note', { points, kind }, drafts), tag] };
    await migrateContent({ orm: ormOf(host), model });
    expect(await rows()).toEqual(before);
    await restart(model);
    expect((await get('notes?sort=id')).map(({ points: one, kind: two }: any) => [one, two])).toEqual([
      ['a', 'plain'],
      ['b', 'plain'],
    ]);
  });

  it('8.18 compares versions of before and after it by their content', async () => {
    await open({ contentTypes: [collection('note', { score: { type: 'string' } }, drafts), tag] });
    const same = (await send('POST', 'notes', { score: 'a' })).documentId as string;
    const other = (await send('POST', 'notes', { score: 'b' })).documentId as string;
    await send('PUT', `notes/${other}?status=draft`, { score: 'changed' });
    const points = { type: 'string', previousName: 'score' } as const;
    const model: Model = { contentTypes: [collection('note', { points }, drafts), tag] };
    await migrateContent({ orm: ormOf(host), model });
    await restart(model);
    const modified = async (): Promise<string[]> =>
      (await get('notes?status=draft&publicationFilter=modified&sort=id')).map((one: any) => one.documentId);
    const states = async (): Promise<unknown[]> =>
      (await get('notes?status=draft&sort=id&withState=true')).map((one: any) => one.__state?.status);
    expect(await modified()).toEqual([other]);
    expect(await states()).toEqual(['published', 'modified']);
    await send('PUT', `notes/${same}?status=draft`, { points: 'x' });
    expect(await modified()).toEqual([same, other]);
    await send('PUT', `notes/${same}?status=draft`, { points: 'a' });
    expect(await modified()).toEqual([other]);
    await send('PUT', `notes/${other}?status=draft`, { points: 'b' });
    expect(await modified()).toEqual([]);
    expect(await states()).toEqual(['published', 'published']);
  });

  it('8.18 compares them if the migration fills in a default or converts values', async () => {
    const title = { type: 'string' } as const;
    const kind = { type: 'enumeration', enum: ['news', 'essay'] } as const;
    const rank = { type: 'integer' } as const;
    await open({ contentTypes: [collection('note', { title, kind, rank }, drafts), tag] });
    const ids: string[] = [];
    for (const at of ['a', 'b', 'c'])
      ids.push((await send('POST', 'notes', { title: at, kind: 'news' })).documentId as string);
    const later = {
      title,
      kind: { ...kind, enum: ['report', 'essay'], convert: { news: 'report' } },
      rank: { ...rank, required: true, default: 5 },
    } as const;
    const model: Model = { contentTypes: [collection('note', later, drafts), tag] };
    await migrateContent({ orm: ormOf(host), model });
    await restart(model);
    const modified = async (): Promise<string[]> =>
      (await get('notes?status=draft&publicationFilter=modified&sort=id')).map((one: any) => one.documentId);
    const [same, empty, other] = ids;
    expect(await modified()).toEqual([]);
    await send('PUT', `notes/${same}?status=draft`, { title: 'x' });
    await send('PUT', `notes/${empty}?status=draft`, { rank: null });
    await send('PUT', `notes/${other}?status=draft`, { kind: 'essay' });
    expect(await modified()).toEqual(ids);
    await send('PUT', `notes/${same}?status=draft`, { title: 'a' });
    await send('PUT', `notes/${other}?status=draft`, { kind: 'report' });
    expect(await modified()).toEqual([empty]);
  });

  it('locks only the tables whose rows it reads or changes', async () => {
    await open(NUMBERS);
    const { up, online } = await contentMigration({ orm: ormOf(host), model: WHOLE });
    for (const statements of [up, online.step]) {
      const text = statements.filter((one) => one.includes('lock table')).join('\n');
      expect(text).toContain('lock table "notes" in access exclusive mode');
      expect(text).not.toContain('"tags"');
    }
  });

  it('creates indexes that no value depends on without a lock, outside the transaction', async () => {
    await open(NUMBERS);
    const model: Model = {
      contentTypes: [collection('note', { score: { type: 'string', index: true } }), tag],
    };
    const { up, online } = await contentMigration({ orm: ormOf(host), model });
    expect(online.step.join('\n')).not.toMatch(/lock table|notes_score/);
    expect(online.after.join('\n')).toContain('create index concurrently if not exists "notes_score_index"');
    expect(up.join('\n')).toContain('create index if not exists "notes_score_index"');
  });

  it('converts values that the earlier release writes meanwhile, and continues after an interruption', async () => {
    await open(NUMBERS);
    const { documentId } = await send('POST', 'notes', { score: '1' });
    await stopAhead(WHOLE);
    await send('PUT', `notes/${documentId}`, { score: '22' });
    await send('POST', 'notes', { score: '3' });
    await migrateContent({ orm: ormOf(host), model: WHOLE });
    expect(await leftovers()).toEqual([]);
    await restart(WHOLE);
    expect((await get('notes?sort=id')).map(({ score }: any) => score)).toEqual([22, 3]);
  });

  it.each([
    ['another type', { type: 'decimal' }, [7, 1.5], 'numeric'],
    ['other replacements', { type: 'integer', convert: { word: '8', '1.5': '2' } }, [8, 2], 'integer'],
    ['no replacements', { type: 'integer', convert: 'empty' }, [null, 2], 'integer'],
  ] as const)('uses no values of an interrupted conversion: %s', async (_what, score, scores, type) => {
    const first = { type: 'integer', convert: { word: '7', '1.5': '1' } } as const;
    const then = score.type === 'decimal' ? { ...score, convert: { word: '7' } } : score;
    const whole = (one: typeof first | typeof then): Model => ({
      contentTypes: [collection('note', { score: one }), tag],
    });
    await open(NUMBERS);
    for (const value of ['word', '1.5']) await send('POST', 'notes', { score: value });
    await stopAhead(whole(first));
    await migrateContent({ orm: ormOf(host), model: whole(then) });
    expect(await leftovers()).toEqual([]);
    expect(
      await host.sql(`select atttypid::regtype::text as type from pg_attribute
        where attrelid = 'notes'::regclass and attname = 'score'`),
    ).toEqual([{ type }]);
    await restart(whole(then));
    expect((await get('notes?sort=id')).map(({ score: one }: any) => one)).toEqual(scores);
  });

  it('begins no backfill after another process has migrated', async () => {
    await open(NUMBERS);
    await send('POST', 'notes', { score: '1' });
    const first = await contentMigration({ orm: ormOf(host), model: WHOLE });
    const { begin, backfills } = (await contentMigration({ orm: ormOf(host), model: WHOLE })).online;
    await run(begin);
    await run(first.online.begin);
    for (const { prepare, batch } of first.online.backfills) await run([...prepare, batch(0, 1_000_000)]);
    await connection().transactional(async (context) => {
      for (const one of first.online.step) await connection().execute(one, [], 'run', context);
    });
    await expect(run(backfills[0]?.prepare ?? [])).rejects.toThrow(/another content model/);
    await restart(WHOLE);
    await send('POST', 'notes', { score: 2 });
    expect(await leftovers()).toEqual([]);
  });

  it('stops if the earlier release has written a value that would be lost, and changes nothing', async () => {
    await open(NUMBERS);
    await send('POST', 'notes', { score: '1' });
    const { online } = await stopAhead(WHOLE);
    await send('POST', 'notes', { score: 'word' });
    const step = connection().transactional(async (context) => {
      for (const statement of online.step) await connection().execute(statement, [], 'run', context);
    });
    await expect(step).rejects.toThrow(/note\.score changes from string to integer; .* lost?.*: 1 \(/);
    expect((await get('notes?sort=id')).map(({ score }: any) => score)).toEqual(['1', 'word']);
  });

  it.each([
    ['a conversion', { type: 'integer' }, 'access exclusive'],
    ['an index', { type: 'string', index: true }, 'share update exclusive'],
  ] as const)('may take longer than statements of requests: %s', async (_what, score, lock) => {
    await open({ ...NUMBERS, limits: { statementTimeout: 200 } } as Model);
    await send('POST', 'notes', { score: '1' });
    const model: Model = { contentTypes: [collection('note', { score }), tag] };
    await host.sql(`begin`);
    await host.sql(`lock table notes in ${lock} mode`);
    const migration = migrateContent({ orm: ormOf(host), model });
    setTimeout(() => void host.sql('commit'), 4000);
    await migration;
    const timeouts = await Promise.all(
      Array.from({ length: 5 }, () => connection().execute('show statement_timeout')),
    );
    expect(timeouts.flat()).toEqual(Array(5).fill({ statement_timeout: '1200ms' }));
    expect((await contentMigration({ orm: ormOf(host), model })).online.after).toEqual([]);
  });

  it('creates outdated drafts again', async () => {
    await open(NUMBERS);
    const [one, two] = [
      (await send('POST', 'notes', { score: '1' })).documentId as string,
      (await send('POST', 'notes', { score: '2' })).documentId as string,
    ];
    await stopAhead(DRAFTS);
    await send('PUT', `notes/${one}`, { score: 'later' });
    await host.sql(`update notes set score = 'by SQL' where document_id = $1 and published`, [two]);
    await send('POST', 'notes', { score: '3' });
    await migrateContent({ orm: ormOf(host), model: DRAFTS });
    await restart(DRAFTS);
    for (const status of ['draft', 'published'])
      expect((await get(`notes?status=${status}&sort=score`)).map(({ score }: any) => score)).toEqual([
        '3',
        'by SQL',
        'later',
      ]);
    expect(await get('notes?status=draft&publicationFilter=modified')).toEqual([]);
  });

  it('a migration that was written before another one was interrupted refuses to run, there and back', async () => {
    await open(NUMBERS);
    await send('POST', 'notes', { score: '1' });
    const more: Model = {
      contentTypes: [collection('note', { score: { type: 'string' }, kind: { type: 'string' } }), tag],
    };
    const written = await contentMigration({ orm: ormOf(host), model: more });
    await stopAhead(DRAFTS);
    await expect(run(written.up)).rejects.toThrow(/data of an interrupted migration/);
    const { up } = await contentMigration({ orm: ormOf(host), model: more });
    await run(up);
    expect(await leftovers()).toEqual([]);
    await stopAhead(WHOLE);
    await expect(run(written.down ?? [])).rejects.toThrow(/data of an interrupted migration/);
    await migrateContent({ orm: ormOf(host), model: more });
    await run(written.down ?? []);
    expect(await leftovers()).toEqual([]);
  });

  it.each([
    ['a conversion', WHOLE],
    ['drafts', DRAFTS],
  ])('removes the rest of a migration that is given up: %s', async (_what, model) => {
    await open(NUMBERS);
    await send('POST', 'notes', { score: '1' });
    await stopAhead(model);
    expect((await leftovers()).length).toBeGreaterThan(0);
    const { changes } = await contentMigration({ orm: ormOf(host), model: NUMBERS });
    expect(changes).toEqual(['The data of an interrupted migration to another model is removed']);
    await migrateContent({ orm: ormOf(host), model: NUMBERS });
    expect(await leftovers()).toEqual([]);
    expect((await get('notes')).map(({ score }: any) => score)).toEqual(['1']);
    expect((await contentMigration({ orm: ormOf(host), model: NUMBERS })).up).toEqual([]);
  });
});
