/** Load on a small pool: queueing, time limits, and clients that disconnect. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ADAPTERS } from '../support/app.ts';
import { dose, expectSoon } from '../support/dose.ts';
import { type LoadedApp, startLoadedApp, until, Watcher } from './loaded-app.ts';

const POPULATED = '/api/groups?populate=members';
const LOCK_MEMBERS = 'lock table members in access exclusive mode';
/** Adds a number to the query, because equal reads would share a statement. */
let asked = 0;
const anew = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}n=${(asked += 1)}`;
const statuses = (answers: readonly { status: number }[]): number[] =>
  answers.map(({ status }) => status).sort();

describe.each(ADAPTERS)('load on %s', (adapter) => {
  /** Runs tests that do not depend on the adapter on the first one only. */
  const once = (name: string, test: () => Promise<void>, timeout?: number): void => {
    if (adapter === ADAPTERS[0]) it(name, test, timeout);
  };
  let loaded: LoadedApp;
  let free: () => Promise<void>;

  beforeEach(async () => {
    loaded = await startLoadedApp(adapter, {
      limits: { statementTimeout: 10_000 },
      load: { queueTimeout: 8000, queueLength: 20 },
    });
    await loaded.ask('/api/notes', 'POST', { title: 'a note' });
  });
  afterEach(async () => {
    await free?.();
    await loaded.close();
  });

  once('R4: slow templates use no more than their share of the pool', async () => {
    free = await loaded.hold(LOCK_MEMBERS);
    const crowd = Array.from({ length: 12 }, () => loaded.ask(anew(POPULATED)));
    await until(() => loaded.active(), 2);
    const note = await loaded.ask('/api/notes');
    expect(note.status).toBe(200);
    expectSoon(note.milliseconds, 1000);
    expect(await loaded.active()).toBe(2);
    await free();
    expect(statuses(await Promise.all(crowd))).toEqual(Array(12).fill(200));
  });

  once('R4: reads that turn out to be slow release their slots when others wait', async () => {
    const { body } = await loaded.ask('/api/members', 'POST', { name: 'one' });
    const { documentId } = (body as { data: { documentId: string } }).data;
    // The template is known to be fast, so that all of them get a slot.
    await loaded.ask(`/api/members/${documentId}`);
    free = await loaded.hold(LOCK_MEMBERS);
    const crowd = Array.from({ length: 5 }, () => loaded.ask(anew(`/api/members/${documentId}`)));
    await until(() => loaded.active(), 5);
    // Responds during the lock: one of the five reads has released its connection.
    expect((await loaded.ask('/api/notes')).status).toBe(200);
    await free();
    expect(statuses(await Promise.all(crowd))).toEqual(Array(5).fill(200));
  });

  once('R4: a full queue rejects at once', async () => {
    free = await loaded.hold(LOCK_MEMBERS);
    const crowd = Array.from({ length: 22 }, () => loaded.ask(anew(POPULATED)));
    await until(() => loaded.active(), 2);
    const last = await loaded.ask(anew(POPULATED));
    expect(last.status).toBe(503);
    expect(last.body.error?.details).toEqual({ limit: 'load.queueLength', allowed: 20, retryAfter: 1 });
    expectSoon(last.milliseconds, 1000);
    await free();
    await Promise.all(crowd);
  });

  it('R4: a client that disconnects frees its slot, and its statement is cancelled', async () => {
    free = await loaded.hold(LOCK_MEMBERS);
    const crowd = Array.from({ length: 6 }, () => loaded.ask(anew(POPULATED)));
    await until(() => loaded.active(), 2);
    for (const one of crowd) {
      one.catch(() => undefined);
      one.hangUp();
    }
    await until(() => loaded.active(), 0, dose(8000, 500));
    const waiting = loaded.ask(anew(POPULATED));
    await until(() => loaded.active(), 1);
    await free();
    expect((await waiting).status).toBe(200);
  });

  it('R4: a write whose client disconnected is not written', async () => {
    free = await loaded.hold('lock table notes in exclusive mode');
    const write = loaded.ask('/api/notes', 'POST', { title: 'gone' });
    write.catch(() => undefined);
    await until(() => loaded.active(), 1);
    write.hangUp();
    await until(() => loaded.active(), 0, dose(8000, 500));
    await free();
    const { rows } = await loaded.sql('select title from notes');
    expect(rows).toEqual([{ title: 'a note' }]);
  });

  once('R4: writers of one document wait without a connection', async () => {
    const { rows } = await loaded.sql<{ document_id: string }>('select document_id from notes');
    const path = `/api/notes/${rows[0]?.document_id ?? ''}`;
    free = await loaded.hold('select * from notes for update');
    const writers = Array.from({ length: 15 }, (_, i) => loaded.ask(path, 'PUT', { title: `title ${i}` }));
    await until(() => loaded.active(), 1);
    const read = await loaded.ask('/api/notes');
    expect([read.status, await loaded.active()]).toEqual([200, 1]);
    await free();
    expect(statuses(await Promise.all(writers))).toEqual(Array(15).fill(200));
  });

  it('R9, D30: an unreachable database is a 503 with Retry-After, and recovers without a restart', async () => {
    loaded.network.cut();
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => loaded.ask(anew('/api/notes'))),
      loaded.ask('/api/notes', 'POST', { title: 'lost' }),
      loaded.ask('/api/hookeds', 'POST', { title: 'lost' }),
    ]);
    expect(answers.map(({ status, retryAfter }) => [status, retryAfter])).toEqual(Array(8).fill([503, '1']));
    expect(answers[0]?.body.error).toEqual({
      status: 503,
      name: 'ServiceUnavailableError',
      message: 'The database is not available',
      details: { retryAfter: 1 },
    });
    loaded.network.restore();
    expect((await loaded.ask('/api/notes')).status).toBe(200);
  });

  once('R9: connections that end during a request are a 503', async () => {
    free = await loaded.hold(LOCK_MEMBERS);
    const crowd = Array.from({ length: 2 }, () => loaded.ask(anew(POPULATED)));
    await until(() => loaded.active(), 2);
    await loaded.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'loaded app' and state = 'active'`,
    );
    expect(statuses(await Promise.all(crowd))).toEqual([503, 503]);
  });

  once('M10: a missing table is a 503', async () => {
    await loaded.sql('drop table members cascade');
    expect((await loaded.ask('/api/members')).status).toBe(503);
  });
});

describe('load with short time limits', () => {
  const STATEMENT = 1200;
  let loaded: LoadedApp;
  let free: (() => Promise<void>) | undefined;

  beforeEach(async () => {
    loaded = await startLoadedApp('express', {
      limits: { statementTimeout: STATEMENT },
      load: { queueTimeout: 500, queueLength: 20 },
    });
  });
  afterEach(async () => {
    await free?.();
    await loaded.close();
  });

  it('R4: no request waits forever: 503 with Retry-After, and its statement is ended', async () => {
    free = await loaded.hold(LOCK_MEMBERS);
    const crowd = await Promise.all(Array.from({ length: 6 }, () => loaded.ask(anew(POPULATED))));
    expect(crowd.map(({ status, retryAfter }) => [status, retryAfter])).toEqual(Array(6).fill([503, '1']));
    const limits = crowd.map(({ body }) => body.error?.details['limit']).sort();
    expect(limits).toEqual([...Array(4).fill('load.queueTimeout'), ...Array(2).fill('statementTimeout')]);
    // The lock is still active, so that only cancelled statements lead to this.
    await until(() => loaded.active(), 0);
  });

  it('R5: a silent network path: every request gets a response in time, and afterwards everything works', async () => {
    await Promise.all(Array.from({ length: 8 }, () => loaded.ask(anew('/api/notes'))));
    loaded.network.silence();
    const asked = [
      ...Array.from({ length: 15 }, () => loaded.ask(anew('/api/notes'))),
      ...Array.from({ length: 3 }, () => loaded.ask('/api/notes', 'POST', { title: 'lost' })),
      ...Array.from({ length: 3 }, () => loaded.ask('/api/hookeds', 'POST', { title: 'lost' })),
    ];
    const answers = await Promise.all(asked);
    expect(statuses(answers)).toEqual(Array(21).fill(503));
    expectSoon(Math.max(...answers.map(({ milliseconds }) => milliseconds)), STATEMENT + 1000);
    loaded.network.restore();
    await until(async () => (await loaded.ask('/api/notes')).status, 200);
    const works = [
      ...Array.from({ length: 12 }, () => loaded.ask(anew('/api/notes'))),
      loaded.ask('/api/hookeds', 'POST', { title: 'back' }),
      loaded.ask('/api/notes', 'POST', { title: 'back' }),
    ];
    expect(statuses(await Promise.all(works))).toEqual([...Array(12).fill(200), 201, 201]);
  });

  it('R5: a write that timed out during a hook is not committed', async () => {
    Watcher.takes = STATEMENT + 400;
    const ended = Watcher.ended;
    const answer = await loaded.ask('/api/hookeds', 'POST', { title: 'late' });
    Watcher.takes = 0;
    expect(answer.status).toBe(503);
    expectSoon(answer.milliseconds, STATEMENT + 1000);
    await until(async () => (await loaded.ask('/api/hookeds', 'POST', { title: 'next' })).status, 201);
    await until(() => Promise.resolve(Watcher.ended - ended), 2);
    await sleep(300);
    expect((await loaded.sql('select distinct title from hookeds')).rows).toEqual([{ title: 'next' }]);
  });
});
