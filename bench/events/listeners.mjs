/**
 * Live reads: memory and CPU for each listener, and the time from the response to a write to its event. Counts
 * the statements that an idle server runs without listeners, and with them.
 */
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { exactCpuOf } from '../cpu.mjs';
import { seedBlog } from '../models/seed.mjs';
import { memoryOf } from '../read/measure.mjs';
import { makeLibraryTables } from '../read/peers.mjs';
import { spawnServer } from '../spawn-server.mjs';

const ARTICLES = 100;
/** Connections that are opened at the same time. */
const OPENED = 50;
const IDLE_SECONDS = 30;
const SERVER = join(import.meta.dirname, '..', 'read', 'servers', 'library.mjs');
const agent = new http.Agent({ keepAlive: true });

/** Opens a stream; `arrived` is called for each event, with its time. */
const open = (url, arrived) =>
  new Promise((resolve, reject) => {
    const request = http.get(url, { agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${url}: ${response.statusCode}`));
      response.on('data', (bytes) => {
        if (bytes.includes('\ndata: {"id"') || bytes.includes('event: stale')) arrived(performance.now());
      });
      response.on('error', () => undefined);
      resolve(request);
    });
    request.on('error', reject);
  });

const write = (url, i) =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({ data: { title: `Listeners ${i}` } });
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const request = http.request(`${url}/api/articles`, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    request.on('error', reject);
    request.end(body);
  });

const percentile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];

/** Returns the CPU use of a server, and the statements in its database, per second while nothing changes. */
async function idleOf({ server, database }) {
  const calls = async () => {
    const { rows } = await database.query(
      `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements
        where dbid = (select oid from pg_database where datname = current_database())
          and query not like '%pg_stat_statements%'`,
    );
    return rows[0].calls;
  };
  const [cpu, statements] = [exactCpuOf(server.pid), await calls()];
  await sleep(IDLE_SECONDS * 1000);
  return {
    cpu: (exactCpuOf(server.pid) - cpu) / IDLE_SECONDS,
    statements: ((await calls()) - statements) / IDLE_SECONDS,
  };
}

async function measure({ databases, listeners, writes, path }) {
  const databaseUrl = await databases.create();
  await makeLibraryTables(databaseUrl, 'blog');
  await seedBlog({ databaseUrl, articles: ARTICLES });
  const server = await spawnServer({
    args: [SERVER, '--database-url', databaseUrl, '--live'],
    env: { NODE_ENV: 'production' },
  });
  const requests = [];
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query('create extension pg_stat_statements');
  try {
    await sleep(2000);
    for (let i = 0; i < 50; i += 1) await write(server.url, i);
    await sleep(2000);
    const alone = await idleOf({ server, database });
    const before = memoryOf(server.pid);
    let times = [];
    while (requests.length < listeners) {
      const some = Math.min(OPENED, listeners - requests.length);
      const opened = Array.from({ length: some }, () =>
        open(`${server.url}/api/live${path}`, (at) => times.push(at)),
      );
      requests.push(...(await Promise.all(opened)));
    }
    await sleep(2000);
    const after = memoryOf(server.pid);
    const idle = await idleOf({ server, database });
    const delays = [];
    const busy = exactCpuOf(server.pid);
    for (let i = 0; i < writes; i += 1) {
      times = [];
      const status = await write(server.url, i);
      if (status !== 201) throw new Error(`POST: ${status}`);
      const written = performance.now();
      while (times.length < listeners && performance.now() - written < 20_000) await sleep(2);
      if (times.length < listeners) throw new Error(`${listeners - times.length} listeners got no event`);
      delays.push(...times.map((at) => Math.max(0, at - written)));
    }
    const each = ((exactCpuOf(server.pid) - busy) / writes / listeners) * 1e6;
    delays.sort((a, b) => a - b);
    return {
      memory: (1024 * (after - before)) / listeners,
      idle: [alone, idle].map(({ cpu }) => (100 * cpu).toFixed(1)).join(' → '),
      statements: [alone, idle].map((one) => one.statements.toFixed(1)).join(' → '),
      each: each.toFixed(0),
      median: percentile(delays, 0.5).toFixed(0),
      last: percentile(delays, 0.99).toFixed(0),
    };
  } finally {
    for (const request of requests) request.destroy();
    await database.end();
    await server.stop();
  }
}

export async function measureListeners({ databases, listeners, writes }) {
  console.log(`${listeners} listeners of one process, ${writes} writes`);
  console.log('Idle: without listeners → with them.');
  console.log('| stream | kB for each | idle CPU, % | idle statements/s | CPU for each event | p50 | p99 |');
  console.log('| --- | --: | --: | --: | --: | --: | --: |');
  for (const path of ['', '/articles']) {
    const { memory, idle, statements, each, median, last } = await measure({
      databases,
      listeners,
      writes,
      path,
    });
    console.log(
      `| /api/live${path} | ${memory.toFixed(1)} | ${idle} | ${statements} | ${each} µs | ${median} ms | ${last} ms |`,
    );
  }
}
