import { startPostgres, type PostgresServer } from './postgres-server.ts';

export default async function globalSetup(): Promise<void> {
  // Autovacuum is off: test databases are too short-lived to need it, and it would change plans in a running
  // suite.
  const server = await startPostgres({ autovacuum: 'off' }, 'in memory');
  (globalThis as { testPostgres?: PostgresServer }).testPostgres = server;
  process.env.TEST_DATABASE_URL = server.url;
}
