/**
 * Table locks of 0.1 to 2 seconds under concurrent reads of that table and another one: no read is rejected.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadedApp, startLoadedApp } from './loaded-app.ts';

const READERS = 10;

describe('reads during a lock', () => {
  let loaded: LoadedApp;
  const ids: string[] = [];
  beforeAll(async () => {
    loaded = await startLoadedApp('express', { limits: { statementTimeout: 10_000 } });
    for (const type of ['notes', 'members'])
      for (let i = 0; i < 3; i += 1) {
        const { body } = await loaded.ask(`/api/${type}`, 'POST', {});
        ids.push(`/api/${type}/${(body as { data: { documentId: string } }).data.documentId}`);
      }
  });
  afterAll(() => loaded.close());

  it.each([0.1, 0.3, 1, 2])('R4: all succeed while a table is locked for %s s', async (seconds) => {
    let isOver = false;
    const statuses = new Map<number, number>();
    const read = async (n: number): Promise<void> => {
      for (let i = n; !isOver; i += 1) {
        const path = i % 3 === 0 ? '/api/members' : (ids[i % ids.length] as string);
        const { status } = await loaded.ask(`${path}?n=${i * READERS + n}`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const readers = Array.from({ length: READERS }, (_, n) => read(n));
    for (let times = 0; times < 3; times += 1) {
      await sleep(300);
      const free = await loaded.hold('lock table members in access exclusive mode');
      await sleep(seconds * 1000);
      await free();
    }
    await sleep(300);
    isOver = true;
    await Promise.all(readers);
    console.log(`locked for ${seconds} s: ${JSON.stringify([...statuses])}`);
    expect([...statuses.keys()]).toEqual([200]);
  });
});
