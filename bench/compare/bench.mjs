/**
 * `npm run bench -- compare --before FOLDER [--only read|write|post|one|…] [--adapters express,fastify]
 * [--seconds 6] [--rounds 7] [--connections 10] [--rows 10000] [--metrics]`
 *
 * Compares this commit with another checkout in one run. FOLDER is a built checkout. Each server has its own
 * tables; the servers take turns within a round. A figure is the median over the rounds of the ratio within a
 * round. With `--metrics`, this commit records durations and the other one does not.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { cpuOf, postmasterPid } from '../cpu.mjs';
import { startDatabases } from '../databases.mjs';
import { run } from '../load.mjs';
import { seedBlog } from '../models/seed.mjs';
import { ratio } from '../read/measure.mjs';
import { makeLibraryTables } from '../read/peers.mjs';
import { comparedShapes } from '../read/shapes.mjs';
import { spawnServer } from '../spawn-server.mjs';
import { shapesOn } from '../write/requests.mjs';

/** Number of requests after which the JIT compiler has compiled the hot code. */
const WARM_UP = 1500;

const shapesOf = (rows) => [
  ...comparedShapes(rows).map(({ name, paths }) => ({
    kind: 'read',
    name,
    request: (n) => paths[n % paths.length],
  })),
  ...shapesOn(rows).map(({ name, request }) => ({ kind: 'write', name, request })),
];

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: {
      before: { type: 'string' },
      only: { type: 'string' },
      adapters: { type: 'string', default: 'express,fastify' },
      seconds: { type: 'string', default: '6' },
      rounds: { type: 'string', default: '7' },
      connections: { type: 'string', default: '10' },
      rows: { type: 'string', default: '10000' },
      metrics: { type: 'boolean', default: false },
    },
  });
  if (values.before === undefined) throw new Error('--before FOLDER is required: a built checkout.');
  const [seconds, rounds, connections, rows] = ['seconds', 'rounds', 'connections', 'rows'].map((name) =>
    Number(values[name]),
  );
  const options = { seconds, rounds, connections };
  const shapes = shapesOf(rows).filter(({ kind, name }) => [undefined, kind, name].includes(values.only));
  const flags = { before: [], now: values.metrics ? ['--metrics'] : [] };
  const folders = { before: resolve(values.before), now: join(import.meta.dirname, '..', '..') };
  const databases = await startDatabases();
  const servers = [];
  try {
    const postgres = await postmasterPid(databases.url);
    for (const adapter of values.adapters.split(','))
      for (const [version, folder] of Object.entries(folders)) {
        const databaseUrl = await databases.create();
        await makeLibraryTables(databaseUrl, 'blog');
        await seedBlog({ databaseUrl, articles: rows });
        servers.push({
          adapter,
          version,
          server: await start(folder, [
            '--database-url',
            databaseUrl,
            '--adapter',
            adapter,
            ...flags[version],
          ]),
          next: 1_000_000,
        });
      }
    reportHead();
    for (const shape of shapes) report(shape, await measure(shape, servers, { ...options, postgres }));
  } finally {
    await Promise.all(servers.map(({ server }) => server.stop()));
    await databases.stop();
  }
}

export const start = (folder, args) =>
  spawnServer({
    args: [join(folder, 'bench', 'read', 'servers', 'library.mjs'), ...['--model', 'blog', ...args]],
    cwd: folder,
    env: { NODE_ENV: 'production' },
  });

/**
 * Measures a request on servers in turns. Returns the figures of each server by round. `warmedUp` runs after
 * the requests that warm the servers up.
 */
export async function measure({ name, request }, servers, { warmedUp = () => {}, ...options }) {
  const { seconds, rounds, connections, postgres } = options;
  const results = servers.map(({ adapter, version }) => ({ adapter, version, rounds: [] }));
  const send = (entry, limits) =>
    run({ url: entry.server.url, connections, request: () => request((entry.next += 1)), ...limits });
  for (const entry of servers) await send(entry, { seconds: 20, count: WARM_UP });
  await warmedUp();
  for (let round = 0; round < rounds; round += 1)
    for (let i = 0; i < servers.length; i += 1) {
      const at = (i + round) % servers.length;
      const pids = [[servers[at].server.pid], [postgres]];
      const before = pids.map(cpuOf);
      const { rps, p50, p99, errors, requests, statuses } = await send(servers[at], {
        seconds: seconds / rounds,
      });
      if (errors > 0) throw new Error(`${name}: ${JSON.stringify(statuses)}`);
      const [serverMs, postgresMs] = pids.map((pid, n) => ((cpuOf(pid) - before[n]) * 1000) / requests);
      results[at].rounds.push({ rps, p50, p99, serverMs, postgresMs });
    }
  return results;
}

export function reportHead() {
  console.log('| request | adapter | requests per second | p50 | p99 | CPU, server | CPU, PostgreSQL |');
  console.log('| --- | --- | --: | --: | --: | --: | --: |');
}

/**
 * Prints the ratios of this commit to the other one. More is better in the first column, less in the rest.
 */
export function report({ name }, results) {
  for (const adapter of new Set(results.map((result) => result.adapter))) {
    const [before, now] = ['before', 'now'].map((version) =>
      results.find((result) => result.adapter === adapter && result.version === version),
    );
    const cells = ['rps', 'p50', 'p99', 'serverMs', 'postgresMs'].map((what) =>
      ratio(now, before, (round) => round[what]).toFixed(2),
    );
    console.log(`| ${[name, adapter, ...cells].join(' | ')} |`);
  }
}
