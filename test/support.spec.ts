import { Client } from 'pg';
import { createDatabase } from './support/database.js';

const exists = 'select count(*)::int as count from pg_database where datname = $1';

describe('test database', () => {
  it('is a fresh UTF-8 PostgreSQL database that goes away when dropped', async () => {
    const server = new Client({ connectionString: process.env.TEST_DATABASE_URL });
    await server.connect();
    const database = await createDatabase();
    const name = new URL(database.url).pathname.slice(1);
    const client = new Client({ connectionString: database.url });
    client.on('error', () => undefined); // the drop below closes this connection
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
});
