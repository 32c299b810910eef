import { startPostgres, type PostgresServer } from './postgres-server.ts';

export default async function globalSetup(): Promise<void> {
  // Databases come and go too quickly for it to be of use, and it would change plans in the middle of a suite.
  const server = await startPostgres({ autovacuum: 'off' }, 'in memory');
  (globalThis as { testPostgres?: PostgresServer }).testPostgres = server;
  process.env.TEST_DATABASE_URL = server.url;
}
