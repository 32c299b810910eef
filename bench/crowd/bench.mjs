/**
 * `npm run bench -- crowd [--seconds 10] [--rows 200000]`: latency of a trivial GET under load, and memory of
 * PostgreSQL. The load is 30 concurrent requests for all members of 100 groups of 2,000, completed or aborted
 * after half a second. Memory is measured after 2,000 different expensive shapes. Writes
 * bench/results/crowd.{md,json}.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { describePostgres, startDatabases } from '../databases.mjs';
import { spawnServer } from '../spawn-server.mjs';
import { get } from './get.mjs';
import { report } from './report.mjs';

const directory = import.meta.dirname;
const results = join(directory, '..', 'results');
const TRIVIAL = '/api/notes?pagination[pageSize]=5';
/** All members of 100 items exceed the limit of a response; those of one item fit a page. */
const EXPENSIVE = {
  'all members of 100 items': '/api/items?pagination[pageSize]=100&populate[members]=true',
  'the 2,000 members of one item': '/api/items?pagination[pageSize]=1&populate[members]=true',
};
const CROWD = 30;
const PATIENCE = 500;
const SHAPES = 2000;

const seed = (rows) => [
  `insert into items (document_id, locale, published, created_at, updated_at, published_at, title)
   select 'i' || n, 'en', true, now(), now(), now(), 'item ' || n from generate_series(1, ${rows / 2000}) n`,
  `insert into members (document_id, locale, published, created_at, updated_at, published_at, name, text, item_document_id)
   select 'm' || n, 'en', true, now(), now(), now(), 'member ' || n, md5(n::text), 'i' || (1 + n / 2000)
   from generate_series(0, ${rows - 1}) n`,
  `insert into notes (document_id, locale, published, created_at, updated_at, published_at, title)
   select 'n' || n, 'en', true, now(), now(), now(), 'note ' || n from generate_series(1, 20) n`,
  'vacuum analyze',
];

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

function summary(answers) {
  const sorted = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const statuses = Object.groupBy(answers, ({ status }) => status);
  return {
    requests: answers.length,
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    max: sorted.at(-1),
    statuses: Object.fromEntries(Object.entries(statuses).map(([status, list]) => [status, list.length])),
  };
}

/** Sends trivial GETs for the given seconds, one every 20 ms. */
async function trivial(url, seconds) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 50 });
  const requests = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    requests.push(get(url + TRIVIAL, { agent }));
    await sleep(20);
  }
  const answers = await Promise.all(requests);
  agent.destroy();
  return summary(answers);
}

/** Sends trivial GETs under load. The load comes from its own process. */
async function beside(url, path, { seconds, hangUpAfter, active }) {
  const args = [url + path, String(CROWD), String(hangUpAfter ?? 0)];
  const child = fork(join(directory, 'crowd.mjs'), args);
  const message = once(child, 'message');
  await sleep(500);
  const small = await trivial(url, seconds);
  child.send('stop');
  const [crowd] = await message;
  const gone = performance.now();
  if (hangUpAfter !== undefined) while ((await active()) > 0) await sleep(10);
  child.disconnect();
  return { small, crowd: summary(crowd), stillRunning: performance.now() - gone };
}

/** Returns the private memory of the application's backends in bytes. */
async function memory(client) {
  const { rows } = await client.query(
    `select pid from pg_stat_activity where application_name = 'crowd' and datname = current_database()`,
  );
  const sizes = await Promise.all(
    rows.map(async ({ pid }) => {
      const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
      return [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)].reduce(
        (sum, [, kB]) => sum + Number(kB) * 1024,
        0,
      );
    }),
  );
  return { backends: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

const OPERATORS = ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte', '$eqi', '$nei'];

/**
 * Returns a different shape for every number, expensive to plan: many conditions over a relation, and
 * populates.
 */
function shape(n) {
  const conditions = Array.from({ length: 24 }, (_, i) => {
    const operator = OPERATORS[(n >> (i % 4)) % OPERATORS.length];
    return `filters[$or][${i}][${(n >> (i % 11)) % 2 ? 'related][title' : 'title'}][${operator}]=x${i}`;
  });
  const populate = 'populate[related][populate][related][populate][related]=true';
  return `/api/notes?${conditions.join('&')}&${populate}&sort=title`;
}

/** Requests many shapes, three times each, over ten connections. */
async function shapes(url, client) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 10 });
  const ask = (n) => get(url + shape(n), { agent });
  await Promise.all(
    Array.from({ length: 200 }, (_, i) => get(url + TRIVIAL, { agent }).then(() => ask(i % 10))),
  );
  const before = await memory(client);
  const statuses = {};
  let next = 0;
  const worker = async () => {
    while (next < SHAPES * 3) {
      const { status } = await ask(Math.floor(next++ / 3));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  const after = await memory(client);
  agent.destroy();
  return { before, after, grown: after.bytes - before.bytes, statuses };
}

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: { seconds: { type: 'string', default: '10' }, rows: { type: 'string', default: '200000' } },
  });
  const [seconds, rows] = [Number(values.seconds), Number(values.rows)];
  const databases = await startDatabases();
  let server;
  let client;
  try {
    const databaseUrl = await databases.create();
    server = await spawnServer({
      args: [join(directory, 'server.mjs'), '--database-url', databaseUrl],
      env: { NODE_ENV: 'production' },
    });
    const { url } = server;
    client = new pg.Client(databaseUrl);
    await client.connect();
    for (const statement of seed(rows)) await client.query(statement);
    const active = async () => {
      const { rows: found } = await client.query(
        `select count(*)::int as n from pg_stat_activity
         where application_name = 'crowd' and state = 'active' and datname = current_database()`,
      );
      return found[0].n;
    };
    await trivial(url, 2);
    const idle = await trivial(url, seconds);
    const crowds = [];
    for (const [name, path] of Object.entries(EXPENSIVE)) {
      for (const hangUpAfter of [undefined, PATIENCE]) {
        crowds.push({ name, hangUpAfter, ...(await beside(url, path, { seconds, hangUpAfter, active })) });
        await sleep(1000);
      }
    }
    const prepared = await shapes(url, client);
    const machine = {
      ...(await describePostgres(databases.url)),
      date: new Date().toISOString().slice(0, 10),
    };
    const outcome = { machine, options: { seconds, rows }, idle, crowds, prepared };
    await mkdir(results, { recursive: true });
    await writeFile(join(results, 'crowd.json'), `${JSON.stringify(outcome, null, 2)}\n`);
    const text = report(outcome);
    await writeFile(join(results, 'crowd.md'), text);
    console.log(text);
  } finally {
    await client?.end();
    await server?.stop();
    await databases.stop();
  }
}
