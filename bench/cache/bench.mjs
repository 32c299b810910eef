/**
 * `npm run bench -- cache [--seconds 6] [--rounds 5] [--rows 10000] [--connections 1,32] [--writes
 * 0,10,100,400] [--only list]`: repeated reads during writes to the same type. Compares the hand-written
 * limit, and this library with and without its cache. Writes bench/results/cache.{md,json}.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { describePostgres, startDatabases } from '../databases.mjs';
import { run } from '../load.mjs';
import { seedBlog } from '../models/seed.mjs';
import { median, memoryOf } from '../read/measure.mjs';
import { makeLibraryTables, PEERS, startLibrary } from '../read/peers.mjs';
import { comparedShapes } from '../read/shapes.mjs';

const results = join(import.meta.dirname, '..', 'results');
const WANTED = ['list-populated', 'one', 'one-populated'];

/** Writes articles at a rate, one after another, while `work` runs. Resolves with the achieved rate. */
async function beside(databaseUrl, perSecond, work) {
  if (perSecond === 0) return { done: await work(), writes: 0 };
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  let [writes, isOver] = [0, false];
  const started = performance.now();
  const writing = (async () => {
    while (!isOver) {
      const ahead = (writes / perSecond) * 1000 - (performance.now() - started);
      if (ahead > 0) await sleep(ahead);
      await client.query('update articles set views = views + 1 where id = $1', [1 + (writes % 1000)]);
      writes += 1;
    }
  })();
  const done = await work();
  isOver = true;
  await writing;
  const seconds = (performance.now() - started) / 1000;
  await client.end();
  return { done, writes: writes / seconds };
}

/** Returns the requests of a shape: unconditional, or conditional as of clients that have the response. */
async function requestOf(server, paths, isKnown) {
  if (!isKnown) return paths;
  const tags = [];
  for (const path of paths) {
    await fetch(server.url + path).then((response) => response.text());
    const response = await fetch(server.url + path);
    await response.text();
    tags.push({ path, headers: { 'if-none-match': response.headers.get('etag') ?? '"none"' } });
  }
  return tags;
}

const table = (head, rows) =>
  [head, head.map((_cell, i) => (i < 3 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

export async function bench(args) {
  const option = (value) => ({ type: 'string', default: value });
  const { values } = parseArgs({
    args,
    options: {
      seconds: option('6'),
      rounds: option('5'),
      rows: option('10000'),
      connections: option('1,32'),
      writes: option('0,10,100,400'),
      only: option(WANTED.join(',')),
    },
  });
  const [seconds, rounds, rows] = [values.seconds, values.rounds, values.rows].map(Number);
  const databases = await startDatabases();
  const servers = [];
  try {
    const databaseUrl = await databases.create();
    await makeLibraryTables(databaseUrl, 'blog');
    await seedBlog({ databaseUrl, articles: rows });
    const fastify = ['--adapter', 'fastify'];
    const contestants = [
      { key: 'limit', server: await PEERS.limit.start({ blog: databaseUrl }), isOwn: true },
      { key: 'express uncached', server: await startLibrary(databaseUrl, 'blog') },
      { key: 'express', server: await startLibrary(databaseUrl, 'blog', '--cache') },
      { key: 'fastify uncached', server: await startLibrary(databaseUrl, 'blog', ...fastify) },
      { key: 'fastify', server: await startLibrary(databaseUrl, 'blog', ...fastify, '--cache') },
      { key: 'express 304', server: null, of: 'express', isKnown: true },
      { key: 'fastify 304', server: null, of: 'fastify', isKnown: true },
    ];
    servers.push(...contestants.flatMap(({ server }) => server ?? []));
    for (const one of contestants) one.server ??= contestants.find(({ key }) => key === one.of).server;
    const lines = [];
    for (const shape of comparedShapes(rows).filter(({ name }) => values.only.split(',').includes(name)))
      for (const connections of values.connections.split(',').map(Number))
        for (const writes of values.writes.split(',').map(Number)) {
          const figures = contestants.map(() => []);
          let reached = 0;
          for (let round = -1; round < rounds; round += 1)
            for (let i = 0; i < contestants.length; i += 1) {
              const place = (i + Math.max(round, 0)) % contestants.length;
              const { server, isOwn, isKnown } = contestants[place];
              const requests = await requestOf(
                server,
                (isOwn ? shape.own : shape.paths).slice(0, 200),
                isKnown,
              );
              const request = (n) => requests[n % requests.length];
              const turn = () => run({ url: server.url, request, connections, seconds: seconds / rounds });
              const { done, writes: rate } = await beside(databaseUrl, writes, turn);
              if (done.errors > 0) throw new Error(JSON.stringify(done.statuses));
              if (round >= 0) figures[place].push(done.rps);
              reached = rate;
            }
          const [limit] = figures;
          const ratios = Object.fromEntries(
            contestants.map(({ key }, i) => [key, median(figures[i].map((rps, n) => rps / limit[n]))]),
          );
          lines.push({ shape: shape.title, connections, writes, reached, limit: median(limit), ratios });
          const shown = Object.entries(ratios).map(([key, ratio]) => `${key} ${ratio.toFixed(2)}`);
          console.error(`${shape.name}, ${connections} connections, ${writes} writes/s: ${shown.join(', ')}`);
        }
    const keys = contestants.slice(1).map(({ key }) => key);
    const markdown = `# Cache bench

\`npm run bench -- ${['cache', ...args].join(' ')}\`, ${new Date().toISOString().slice(0, 10)}: requests per second as a multiple of the hand-written limit's,
median of ${rounds} rounds that take turns. Writes are of one session, to the same type.
Resident memory after the run: ${contestants
      .slice(0, 5)
      .map(({ key, server }) => `${key} ${memoryOf(server.pid)?.toFixed(0)} MB`)
      .join(', ')}.

${table(
  ['request', 'connections', 'writes/s', 'limit, requests/s', ...keys],
  lines.map(({ shape, connections, writes, limit, ratios }) => [
    shape,
    connections,
    writes,
    limit.toFixed(0),
    ...keys.map((key) => `${ratios[key].toFixed(2)}×`),
  ]),
)}
`;
    console.log(markdown);
    if (values.only === WANTED.join(',')) {
      await mkdir(results, { recursive: true });
      await writeFile(join(results, 'cache.md'), markdown);
      const machine = await describePostgres(databases.url);
      await writeFile(join(results, 'cache.json'), `${JSON.stringify({ machine, lines }, null, 1)}\n`);
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await databases.stop();
  }
}
