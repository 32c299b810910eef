/**
 * `npm run bench -- ledger [--seconds 10] [--connections 10] [--rounds 7] [--rows 10000]`: cost of the change
 * log for writers. Compares the same writes on the same tables with and without its triggers. `--totals
 * 10000,1000000` measures exact totals in tables of these sizes.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { cpuOf, postmasterPid } from '../cpu.mjs';
import { startDatabases } from '../databases.mjs';
import { run } from '../load.mjs';
import { seedBlog } from '../models/seed.mjs';
import { median } from '../read/measure.mjs';
import { makeLibraryTables, startLibrary } from '../read/peers.mjs';
import { benchTotals } from './totals.mjs';
import { shapesOn } from '../write/requests.mjs';

async function withoutTriggers(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    "select distinct tgrelid::regclass::text as name from pg_trigger where tgname like 'content_ledger%'",
  );
  for (const { name } of rows) await client.query(`alter table ${name} disable trigger user`);
  await client.end();
}

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '10' },
      connections: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '7' },
      rows: { type: 'string', default: '10000' },
      totals: { type: 'string' },
    },
  });
  const [seconds, connections, rounds, rows] = ['seconds', 'connections', 'rounds', 'rows'].map((name) =>
    Number(values[name]),
  );
  const databases = await startDatabases();
  const contestants = [];
  if (values.totals !== undefined) {
    const sizes = values.totals.split(',').map(Number);
    return benchTotals(databases, { sizes, seconds, connections, rounds }).finally(() => databases.stop());
  }
  try {
    const postgres = await postmasterPid(databases.url);
    for (const key of ['with', 'without']) {
      const databaseUrl = await databases.create();
      await makeLibraryTables(databaseUrl, 'blog');
      await seedBlog({ databaseUrl, articles: rows });
      if (key === 'without') await withoutTriggers(databaseUrl);
      contestants.push({
        key,
        server: await startLibrary(databaseUrl, 'blog'),
        next: 1_000_000,
        results: {},
      });
    }
    for (const shape of shapesOn(rows)) {
      for (let round = -1; round < rounds; round += 1)
        for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
          const before = cpuOf([postgres, contestant.server.pid]);
          const request = () => shape.request((contestant.next += 1));
          const { rps, errors, requests } = await run({
            url: contestant.server.url,
            request,
            connections,
            seconds: seconds / rounds,
          });
          if (errors > 0) throw new Error(`${contestant.key} failed ${errors} of ${requests} requests`);
          const cpu = ((cpuOf([postgres, contestant.server.pid]) - before) * 1000) / requests;
          if (round >= 0) (contestant.results[shape.name] ??= []).push({ rps, cpu });
        }
      const [ours, bare] = contestants.map(({ results }) => results[shape.name]);
      const ratio = (what) => median(ours.map((one, i) => one[what] / bare[i][what])).toFixed(3);
      console.log(`${shape.name}: requests/s ${ratio('rps')} of those without, CPU ${ratio('cpu')}`);
    }
  } finally {
    await Promise.all(contestants.map(({ server }) => server.stop()));
    await databases.stop();
  }
}
