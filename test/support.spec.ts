import { Client } from 'pg';
import { createDatabase, type TestDatabase } from './support/database.js';

const exists = 'select count(*)::int as count from pg_database where datname = $1';

describe('test database', () => {
  it('is a fresh UTF-8 PostgreSQL database that disappears when dropped', async () => {
    const server = new Client({ connectionString: process.env.TEST_DATABASE_URL });
    await server.connect();
    const database = await createDatabase();
    const name = new URL(database.url).pathname.slice(1);
    const client = new Client({ connectionString: database.url });
    client.on('error', () => undefined); // The drop below closes this connection.
    await client.connect();

    const {
      rows: [row],
    } = await client.query(
      `select version(), lower('ÜNÏ') as lower, current_database() as name, current_setting('server_encoding') as encoding`,
    );
    expect(row).toEqual({
      version: expect.stringMatching(/^PostgreSQL \d+/),
      lower: 'ünï',
      name,
      encoding: 'UTF8',
    });
    expect((await server.query(exists, [name])).rows).toEqual([{ count: 1 }]);

    await database.drop();
    expect((await server.query(exists, [name])).rows).toEqual([{ count: 0 }]);
    await server.end();
  });

  it('is empty after any earlier use', async () => {
    const first = await createDatabase();
    const old = new Client({ connectionString: first.url });
    await old.connect();
    old.on('error', () => undefined);
    await old.query(
      'create table left_over (id serial); create schema other; create view other.seen as select 1',
    );
    await first.drop();
    const next: TestDatabase[] = [];
    for (let i = 0; i < 3; i += 1) next.push(await createDatabase());
    for (const { url, drop } of next) {
      const client = new Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query(
        `select (select count(*)::int from pg_class where oid >= 16384 and relnamespace <> 'pg_toast'::regnamespace) as tables,
           (select array_agg(nspname::text order by nspname::text) from pg_namespace where nspname !~ '^pg_') as schemas,
           has_schema_privilege('public', 'public', 'usage') as seen`,
      );
      expect(rows).toEqual([{ tables: 0, schemas: ['information_schema', 'public'], seen: true }]);
      await client.end();
      await drop();
    }
  });
});
