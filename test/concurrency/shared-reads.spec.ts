/** Equal concurrent reads share a statement, and no response is older than its request. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadedApp, startLoadedApp, until } from '../crowd/loaded-app.ts';
import { adaptersFor } from '../support/adapters.ts';
import { countStatements } from '../support/app.ts';
import { dose } from '../support/dose.ts';

const LOCK = 'lock table members in access exclusive mode';
const reads = (texts: readonly string[]): number => texts.filter((text) => text.includes('"members"')).length;

describe.each(adaptersFor('fastify'))('equal reads on %s', (adapter) => {
  let loaded: LoadedApp;
  beforeEach(async () => {
    loaded = await startLoadedApp(adapter, { limits: { statementTimeout: 5000 } });
    await loaded.ask('/api/members', 'POST', { name: 'old' });
  });
  afterEach(() => loaded.close());

  it('are two statements for any number of requests: a running one, and one that all others wait for', async () => {
    const free = await loaded.hold(LOCK);
    const seen = await countStatements(async () => {
      const first = loaded.ask('/api/members');
      await until(() => loaded.active(), 1);
      const others = Array.from({ length: 20 }, () => loaded.ask('/api/members'));
      await sleep(200);
      expect(await loaded.active()).toBe(1);
      await free();
      const answers = await Promise.all([first, ...others]);
      expect(answers.map(({ status }) => status)).toEqual(Array(21).fill(200));
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    });
    expect(reads(seen)).toBe(2);
  });

  it('share only for filters with equal values, although one plan serves all', async () => {
    await loaded.ask('/api/members', 'POST', { name: 'new' });
    const names = ['old', 'new', 'nobody', 'old', 'new'];
    const free = await loaded.hold(LOCK);
    const answers = names.map((name) => loaded.ask(`/api/members?filters[name]=${name}`));
    await sleep(200);
    await free();
    const shown = (await Promise.all(answers)).map(({ body }) => body);
    expect(shown).toMatchObject(
      names.map((name) => ({
        data: name === 'nobody' ? [] : [{ name }],
        meta: { pagination: { total: name === 'nobody' ? 0 : 1 } },
      })),
    );
  });

  it('never join a statement that was already sent: the response has all earlier commits', async () => {
    // Returns the rows of its snapshot once it gets the lock.
    await loaded.sql(`alter table members rename to kept;
      create view members as
        select k.* from kept k cross join lateral (select pg_advisory_xact_lock_shared(1)) s`);
    const free = await loaded.hold('select pg_advisory_xact_lock(1)');
    const first = loaded.ask('/api/members');
    // Other statements of the application may run, too.
    const awaited = `select 1 from pg_locks where locktype = 'advisory' and not granted`;
    await until(async () => (await loaded.sql(awaited)).rows.length, 1);
    await loaded.sql(`update kept set name = 'new'`);
    const second = loaded.ask('/api/members');
    await free();
    expect((await first).body).toMatchObject({ data: [{ name: 'old' }] });
    expect((await second).body).toMatchObject({ data: [{ name: 'new' }] });
  });

  it('continue for the others when a client disconnects, and end when all have', async () => {
    const free = await loaded.hold(LOCK);
    const [first, ...rest] = Array.from({ length: 3 }, () => loaded.ask('/api/members'));
    await until(() => loaded.active(), 1);
    first?.catch(() => undefined);
    first?.hangUp();
    await sleep(100);
    await free();
    expect((await Promise.all(rest)).map(({ status }) => status)).toEqual([200, 200]);

    const held = await loaded.hold(LOCK);
    const gone = Array.from({ length: 4 }, () => loaded.ask('/api/members'));
    await until(() => loaded.active(), 1);
    for (const one of gone) {
      one.catch(() => undefined);
      one.hangUp();
    }
    await until(() => loaded.active(), 0, dose(20_000, 1000));
    await held();
    expect((await loaded.ask('/api/members')).status).toBe(200);
  });

  it('fail only with the statement that they share', async () => {
    await loaded.ask('/api/members');
    const free = await loaded.hold(LOCK);
    const first = loaded.ask('/api/members');
    await until(() => loaded.active(), 1);
    const others = Array.from({ length: 3 }, () => loaded.ask('/api/members'));
    await sleep(100);
    await loaded.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'loaded app' and state = 'active'`,
    );
    await free();
    expect((await first).status).toBe(503);
    // Requests after it was sent have another statement, on another connection.
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
