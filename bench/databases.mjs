/** PostgreSQL server for all compared programs, with the durability of production. */
import pg from 'pg';
import { createDatabase } from '../test/support/database.ts';
import { startPostgres } from '../test/support/postgres-server.ts';

const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '1GB',
  max_wal_size: '4GB',
  autovacuum: 'off',
};

/** Starts the server, with further settings. `create()` creates an empty database; `stop()` drops them all. */
export async function startDatabases(more = {}) {
  const server = await startPostgres({ ...SETTINGS, ...more });
  const created = [];
  return {
    url: server.url,
    create: async () => {
      const database = await createDatabase(server.url);
      created.push(database);
      return database.url;
    },
    stop: async () => {
      for (const database of created) await database.drop().catch(() => undefined);
      await server.stop();
    },
  };
}

/** Returns the description of the server for the report. */
export async function describePostgres(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      "select current_setting('server_version') as version, current_setting('shared_buffers') as shared_buffers, current_setting('fsync') as fsync",
    );
    return rows[0];
  } finally {
    await client.end();
  }
}
