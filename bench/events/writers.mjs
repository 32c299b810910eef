/** Writers of a server with a feature, as ratios to the same without it. */
import { join } from 'node:path';
import pg from 'pg';
import { measure, report, reportHead, start } from '../compare/bench.mjs';
import { postmasterPid } from '../cpu.mjs';
import { seedBlog } from '../models/seed.mjs';
import { makeLibraryTables } from '../read/peers.mjs';
import { shapesOn } from '../write/requests.mjs';

const ROWS = 10_000;
const FOLDER = join(import.meta.dirname, '..', '..');

/** Does what autovacuum, which is off here, does for tables that were empty: plans for them read every row. */
async function vacuum({ databaseUrl }) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('vacuum (analyze)');
  await client.end();
}

/**
 * Measures writers with the event log, or with the feature of `flag`. `visit` gets the server with the feature
 * and its database before both stop.
 */
export async function measureWriters({ databases, seconds, rounds, flag = '--events', visit = () => {} }) {
  const postgres = await postmasterPid(databases.url);
  const servers = [];
  try {
    for (const [version, more] of Object.entries({ before: [], now: [flag] })) {
      const databaseUrl = await databases.create();
      await makeLibraryTables(databaseUrl, 'blog');
      await seedBlog({ databaseUrl, articles: ROWS });
      const server = await start(FOLDER, ['--database-url', databaseUrl, ...more]);
      servers.push({ adapter: 'express', version, server, databaseUrl, next: 1_000_000 });
    }
    reportHead();
    const warmedUp = () => Promise.all(servers.map(vacuum));
    for (const shape of shapesOn(ROWS))
      report(shape, await measure(shape, servers, { seconds, rounds, connections: 10, postgres, warmedUp }));
    await visit(servers[1]);
  } finally {
    await Promise.all(servers.map(({ server }) => server.stop()));
  }
}
