/**
 * Triggers write the change log for every writer, in the same transaction. The migrations of the tables
 * create them.
 */
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM, migrateContent } from 'nestjs-content-api';
import { ChangeLogWorker } from '../../src/cache/change-log-worker.ts';
import { stories } from '../fixtures/stories.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { lookUntil } from '../support/look-until.ts';

const TRIGGERS = `select tgname as name, tgrelid::regclass::text as table, regexp_replace(p.prosrc, '\\s+', ' ', 'g') as text
  from pg_trigger join pg_proc p on p.oid = tgfoid where tgname like 'content_ledger%' order by 2, 1`;

/** Gives triggers the names of an earlier release, and a function that logs nothing. */
const formerTriggers = (release: number): string => `
  create or replace function content_note_updates() returns trigger language plpgsql as 'begin return new; end';
  do $$ declare one record; begin
    for one in select tgname as name, tgrelid::regclass as called from pg_trigger where tgname like 'content_ledger%' loop
      execute format('alter trigger %I on %s rename to %I', one.name, one.called, replace(one.name, '_3', '_${release}'));
    end loop;
  end $$`;

/** Statements that restore the change log of an earlier release, by its number. */
const EARLIER: Readonly<Record<number, string>> = {
  1: `alter table content_total drop column settled, drop column writer;
    create index content_change_by_total on content_change (type, locale, published) where delta <> 0;
    ${formerTriggers(1)}`,
  2: formerTriggers(2),
};

describe('the change log', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({ ...stories, access: { public: { '*': '*' } } });
  });
  afterAll(() => test.close());

  it('is part of the schema: after its creation, no statement is left', async () => {
    const { schema } = test.app.get<MikroORM>(CONTENT_ORM);
    expect(await schema.getUpdateSchemaSQL()).toBe('');
    const triggers = await test.sql(
      `select count(*)::int as n, bool_and(tgenabled = 'A') as always from pg_trigger where tgname like 'content_ledger%'`,
    );
    expect(triggers).toEqual([{ n: expect.any(Number), always: true }]);
    expect(Number(triggers[0]?.['n']) % 4).toBe(0);
  });

  const model = { ...stories, locales: ['en', 'fr', 'de'] };
  const migrations: readonly [string, (orm: MikroORM) => Promise<unknown>][] = [
    ["MikroORM's own migrations", (orm) => orm.schema.update()],
    ['migrations that drop nothing', (orm) => orm.schema.update({ safe: true })],
    ['migrations of content', (orm) => migrateContent({ orm, model })],
  ];
  it.each(
    [1, 2].flatMap((release) => migrations.map(([whose, migrate]) => [release, whose, migrate] as const)),
  )('of release %i is replaced by %s', async (release, whose, migrate) => {
    const orm = test.app.get<MikroORM>(CONTENT_ORM);
    await migrateContent({ orm, model });
    const triggers = await test.sql(TRIGGERS);
    await test.sql(EARLIER[release] ?? '');
    expect(await test.sql(TRIGGERS)).not.toEqual(triggers);
    await migrate(orm);
    expect(await test.sql(TRIGGERS)).toEqual(triggers);
    // Objects that a migration without drops leaves behind have a small cost and cause no error.
    if (!whose.includes('drop nothing')) expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
    expect(await migrateContent({ orm, model })).toMatchObject({ up: [], changes: [] });
    const worker = test.app.get(ChangeLogWorker);
    await worker.maintain();
    const total = async (): Promise<number> =>
      (await test.http.get('/api/stories').expect(200)).body.meta.pagination.total;
    const before = await total();
    await test.http
      .post('/api/stories')
      .send({ data: { title: 'one more' } })
      .expect(201);
    expect(await total()).toBe(before + 1);
    // A request that finds the tables altered starts another check.
    expect(await lookUntil(() => worker.isWhole, Boolean)).toBe(true);
    await test.sql('drop index if exists content_change_by_total');
  });
});
