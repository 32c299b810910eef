/**
 * Connections that break in transactions of the application: MikroORM's driver does not return their pool
 * slots.
 */
import type { MikroORM, SqlEntityManager } from '@mikro-orm/postgresql';
import { CONTENT_ORM } from 'nestjs-content-api';
import pg from 'pg';
import type { Host } from '../http/helpers.ts';
import { readNotes, startNotes, writeNote } from '../support/notes.ts';
import { expectSoon } from '../support/dose.ts';

const PLACES = 3;

describe('connections that break in transactions of the application', () => {
  let host: Host;
  beforeAll(async () => {
    host = await startNotes({ database: { pool: { min: 0, max: PLACES } } });
  });
  afterAll(() => host.close());

  const em = (): SqlEntityManager => host.app.get<MikroORM>(CONTENT_ORM).em.fork();
  const killed = async (): Promise<boolean> => {
    const transaction = em().transactional(async (inside) => {
      const [row] = await inside.execute<{ pid: number }[]>('select pg_backend_pid() as pid');
      const killer = new pg.Client({ connectionString: host.database.url });
      await killer.connect();
      await killer.query('select pg_terminate_backend($1)', [row?.pid]);
      await killer.end();
      await new Promise((done) => setTimeout(done, 50));
      await inside.execute('select 1');
    });
    return transaction.then(
      () => false,
      () => true,
    );
  };

  it.each(['a read', 'a write'])('do not block %s', async (what) => {
    for (let i = 0; i < PLACES; i += 1) expect(await killed()).toBe(true);
    const started = performance.now();
    if (what === 'a read') expect(await readNotes(host)).toBe(200);
    else expect(await writeNote(host)).toBe(201);
    expectSoon(performance.now() - started, 2000);
    // The application also gets a connection.
    expect(await em().execute('select 1 as one')).toEqual([{ one: 1 }]);
  });
});
