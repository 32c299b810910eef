import { startPostgres, type PostgresServer } from './postgres-server.ts';

export default async function globalSetup(): Promise<void> {
  const server = await startPostgres();
  (globalThis as { testPostgres?: PostgresServer }).testPostgres = server;
  process.env.TEST_DATABASE_URL = server.url;
}
