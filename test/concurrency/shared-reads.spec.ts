/** Equal reads at the same time are one statement, and nobody's answer is older than their request. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type House, openHouse, until } from '../crowd/house.ts';
import { adaptersFor } from '../support/adapters.ts';
import { countStatements } from '../support/app.ts';
import { dose } from '../support/dose.ts';

const LOCK = 'lock table members in access exclusive mode';
const reads = (texts: readonly string[]): number => texts.filter((text) => text.includes('"members"')).length;

describe.each(adaptersFor(import.meta.url))('equal reads on %s', (adapter) => {
  let house: House;
  beforeEach(async () => {
    house = await openHouse(adapter, { limits: { statementTimeout: 5000 } });
    await house.ask('/api/members', 'POST', { name: 'old' });
  });
  afterEach(() => house.close());

  it('are two statements however many ask: one under way, one that all others wait for', async () => {
    const free = await house.hold(LOCK);
    const seen = await countStatements(async () => {
      const first = house.ask('/api/members');
      await until(() => house.active(), 1);
      const others = Array.from({ length: 20 }, () => house.ask('/api/members'));
      await sleep(200);
      expect(await house.active()).toBe(1);
      await free();
      const answers = await Promise.all([first, ...others]);
      expect(answers.map(({ status }) => status)).toEqual(Array(21).fill(200));
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    });
    expect(reads(seen)).toBe(2);
  });

  it('are only those whose filters name the same values, though one plan serves all', async () => {
    await house.ask('/api/members', 'POST', { name: 'new' });
    const names = ['old', 'new', 'nobody', 'old', 'new'];
    const free = await house.hold(LOCK);
    const answers = names.map((name) => house.ask(`/api/members?filters[name]=${name}`));
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

  it('never join one that was sent before: the answer has what was committed meanwhile', async () => {
    // Its rows are those of its beginning, and it takes a while.
    await house.sql(`alter table members rename to kept;
      create view members as select k.* from kept k cross join lateral (select pg_sleep(.1)) s`);
    const first = house.ask('/api/members');
    await until(() => house.active(), 1);
    await house.sql(`update kept set name = 'new'`);
    const second = house.ask('/api/members');
    expect((await first).body).toMatchObject({ data: [{ name: 'old' }] });
    expect((await second).body).toMatchObject({ data: [{ name: 'new' }] });
  });

  it('go on for the others when one who asked hangs up, and end when all have', async () => {
    const free = await house.hold(LOCK);
    const [first, ...rest] = Array.from({ length: 3 }, () => house.ask('/api/members'));
    await until(() => house.active(), 1);
    first?.catch(() => undefined);
    first?.hangUp();
    await sleep(100);
    await free();
    expect((await Promise.all(rest)).map(({ status }) => status)).toEqual([200, 200]);

    const held = await house.hold(LOCK);
    const gone = Array.from({ length: 4 }, () => house.ask('/api/members'));
    await until(() => house.active(), 1);
    for (const one of gone) {
      one.catch(() => undefined);
      one.hangUp();
    }
    await until(() => house.active(), 0, dose(20_000, 1000));
    await held();
    expect((await house.ask('/api/members')).status).toBe(200);
  });

  it('fail only with the statement that they share', async () => {
    await house.ask('/api/members');
    const free = await house.hold(LOCK);
    const first = house.ask('/api/members');
    await until(() => house.active(), 1);
    const others = Array.from({ length: 3 }, () => house.ask('/api/members'));
    await sleep(100);
    await house.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'house' and state = 'active'`,
    );
    await free();
    expect((await first).status).toBe(503);
    // Those who came after it was sent have a statement of their own, on another connection.
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
