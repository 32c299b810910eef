/** The end of an application while work runs that no request waits for. */
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM } from 'nestjs-content-api';
import { UsersModule, userTypes } from 'nestjs-content-api/accounts';
import type * as WorkerRoom from '../../src/cache/change-log-worker.ts';
import { SECRET } from '../accounts/helpers.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { note } from '../support/notes.ts';
import { loadRoom } from '../support/rooms.ts';
import { watchQueries } from '../support/watch-queries.ts';

const { ChangeLogWorker } = await loadRoom<typeof WorkerRoom>('cache/change-log-worker');

/** Milliseconds in which an application that does not wait reaches the end of its pool. */
const GRACE = 500;

const sleep = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

interface Ending {
  /** Table that the work reads. */
  readonly table: string;
  readonly work: (test: TestApp) => Promise<unknown>;
}

/**
 * Closes the application while `work` waits for a table. Returns the number of statements that it sends to a
 * pool that is about to end.
 */
async function endDuring(test: TestApp, { table, work }: Ending): Promise<number> {
  const orm = test.app.get<MikroORM>(CONTENT_ORM, { strict: false });
  const blocker = await test.connect();
  await blocker.query(`begin; lock table ${table} in access exclusive mode`);
  await work(test);
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await blocker.query(waiting)).rows.length === 0) await sleep(10);
  const close = jest.spyOn(orm, 'close');
  let late = 0;
  await watchQueries(
    (_query, client) => {
      const isOfApplication = client !== blocker && client.database === blocker.database;
      if (isOfApplication && close.mock.calls.length > 0) late += 1;
    },
    async () => {
      const closing = test.close();
      for (const end = performance.now() + GRACE; close.mock.calls.length === 0 && performance.now() < end;)
        await sleep(10);
      await blocker.query('rollback');
      await blocker.end();
      await closing;
    },
  );
  return late;
}

describe('the end of an application', () => {
  const warned: string[] = [];
  const mailed: string[] = [];
  let test: TestApp;
  beforeEach(async () => {
    warned.length = 0;
    const ignore = (): void => undefined;
    const warn = (message: string): void => void warned.push(message);
    test = await createTestApp(
      {
        contentTypes: [note, ...userTypes()],
        access: { public: { note: '*' } },
        imports: [
          UsersModule.forRoot({
            secret: SECRET,
            mail: {
              send: ({ to }) => {
                mailed.push(to);
                return Promise.resolve();
              },
            },
          }),
        ],
      },
      'express',
      (app) => app.useLogger({ log: ignore, warn, error: warn }),
    );
  });

  it('waits for the maintenance of the change log, which then sends no more statements', async () => {
    const work = (): Promise<void> => {
      void test.app.get(ChangeLogWorker).maintain();
      return Promise.resolve();
    };
    expect(await endDuring(test, { table: 'content_total', work })).toBe(0);
    expect(warned).toEqual([]);
  });

  it('waits for a mail that a request has asked for', async () => {
    await test.http
      .post('/api/auth/local/register')
      .send({ username: 'ann', email: 'ann@example.org', password: 'secret1' })
      .expect(200);
    mailed.length = 0;
    const work = (): Promise<unknown> =>
      test.http.post('/api/auth/forgot-password').send({ email: 'ann@example.org' }).expect(200);
    expect(await endDuring(test, { table: 'content_users', work })).toBe(0);
    expect(warned).toEqual([]);
    expect(mailed).toEqual(['ann@example.org']);
  });
});
