/** Writers with the event log, as a ratio to the same without it. */
import { join } from 'node:path';
import { run } from '../load.mjs';
import { seedBlog } from '../models/seed.mjs';
import { ratio } from '../read/measure.mjs';
import { makeLibraryTables } from '../read/peers.mjs';
import { spawnServer } from '../spawn-server.mjs';
import { shapesOn } from '../write/requests.mjs';

const ROWS = 10_000;
const WARM_UP = 1500;
const SERVER = join(import.meta.dirname, '..', 'read', 'servers', 'library.mjs');

export async function measureWriters({ databases, seconds, rounds }) {
  const servers = [];
  try {
    for (const more of [[], ['--events']]) {
      const databaseUrl = await databases.create();
      await makeLibraryTables(databaseUrl, 'blog');
      await seedBlog({ databaseUrl, articles: ROWS });
      const server = await spawnServer({
        args: [SERVER, '--database-url', databaseUrl, ...more],
        env: { NODE_ENV: 'production' },
      });
      servers.push({ server, next: 1_000_000 });
    }
    console.log('| write | requests per second, with the log to without | p50 | p99 |');
    console.log('| --- | --: | --: | --: |');
    for (const { name, request } of shapesOn(ROWS)) {
      const results = servers.map(() => ({ rounds: [] }));
      const send = (entry, limits) =>
        run({ url: entry.server.url, connections: 10, request: () => request((entry.next += 1)), ...limits });
      for (const entry of servers) await send(entry, { seconds: 20, count: WARM_UP });
      for (let round = 0; round < rounds; round += 1)
        for (let i = 0; i < servers.length; i += 1) {
          const at = (i + round) % servers.length;
          const { rps, p50, p99, errors, statuses } = await send(servers[at], { seconds: seconds / rounds });
          if (errors > 0) throw new Error(`${name}: ${JSON.stringify(statuses)}`);
          results[at].rounds.push({ rps, p50, p99 });
        }
      const [without, withLog] = results;
      const cells = ['rps', 'p50', 'p99'].map((what) =>
        ratio(withLog, without, (round) => round[what]).toFixed(2),
      );
      console.log(`| ${[name, ...cells].join(' | ')} |`);
    }
  } finally {
    await Promise.all(servers.map(({ server }) => server.stop()));
  }
}
