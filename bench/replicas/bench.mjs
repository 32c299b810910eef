/**
 * `npm run bench -- replicas [--tries 100000] [--seconds 14] [--connections 10] [--rounds 7] [--rows 10000]`:
 * measures reads with two replicas and with none. Then clients write and read through two instances, and
 * stale reads are counted. With the position of the write there must be none; without it there are some.
 */
import http from 'node:http';
import { parseArgs } from 'node:util';
import { availableParallelism } from 'node:os';
import { createDatabase } from '../../test/support/database.ts';
import { startReplicated } from '../../test/support/replicas.ts';
import { cpuOf, postmasterPid } from '../cpu.mjs';
import { run } from '../load.mjs';
import { seedBlog } from '../models/seed.mjs';
import { median } from '../read/measure.mjs';
import { makeLibraryTables, startLibrary } from '../read/peers.mjs';

const SHAPES = {
  list: '/api/articles?pagination[pageSize]=25',
  populated: '/api/articles?pagination[pageSize]=25&populate[author]=true&populate[categories]=true',
};
const SETTINGS = { shared_buffers: '256MB', fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
/** Number of clients. Each writes one document, and reads it repeatedly after each write. */
const CLIENTS = 10;
const READS = 20;

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

/** Sends one request. Returns status, headers and JSON. */
function ask(url, method, path, { headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const type = payload === undefined ? {} : { 'content-type': 'application/json' };
    const request = http.request(new URL(path, url), { method, agent, headers: { ...type, ...headers } });
    request.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.on('end', () => {
        if (response.statusCode >= 400)
          reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
        else resolve({ headers: response.headers, data: JSON.parse(text).data });
      });
    });
    request.end(payload);
  });
}

/** Client that writes increasing numbers to a document. A read must not be older than its last write. */
async function client(urls, documentId, { tries, presents }) {
  const path = `/api/authors/${documentId}`;
  const found = { tries: 0, older: 0 };
  for (let n = 1; found.tries < tries; n += 1) {
    const body = { data: { email: `n${n}@example.com` } };
    const { headers } = await ask(urls[n % urls.length], 'PUT', path, { body });
    const position = presents ? { 'content-position': headers['content-position'] } : {};
    const reads = Array.from({ length: READS }, (_, i) =>
      ask(urls[i % urls.length], 'GET', `${path}?fields=${i % 4 < 2 ? 'email' : 'name&fields=email'}`, {
        headers: position,
      }),
    );
    for (const { data } of await Promise.all(reads)) {
      found.tries += 1;
      if (Number(/\d+/.exec(data.email)) < n) found.older += 1;
    }
  }
  return found;
}

async function tryOut(urls, { tries, presents }) {
  const clients = Array.from({ length: CLIENTS }, (_, i) =>
    client(urls, `autxxxxxxxxxxxxxxxxx${String(i + 1).padStart(4, '0')}`, {
      tries: tries / CLIENTS,
      presents,
    }),
  );
  const found = await Promise.all(clients);
  const sum = (what) => found.reduce((all, one) => all + one[what], 0);
  console.log(
    `${presents ? 'with' : 'without'} a position: ${sum('tries')} reads, ${sum('older')} older than their client's last write`,
  );
  return sum('older');
}

async function measure(contestants, servers, { seconds, connections, rounds }) {
  for (const [name, path] of Object.entries(SHAPES)) {
    const results = contestants.map(() => []);
    for (let round = -1; round < rounds; round += 1)
      for (let i = 0; i < contestants.length; i += 1) {
        const place = (i + round + 1) % contestants.length;
        const { server } = contestants[place];
        const before = cpuOf([server.pid, ...servers]);
        const { rps, errors, requests } = await run({
          url: server.url,
          path,
          connections,
          seconds: seconds / rounds,
        });
        if (errors > 0) throw new Error(`${errors} of ${requests} requests failed`);
        const cpu = ((cpuOf([server.pid, ...servers]) - before) * 1000) / requests;
        if (round >= 0) results[place].push({ rps, cpu });
      }
    const [none, two] = results;
    const ratio = (what) => median(two.map((one, i) => one[what] / none[i][what])).toFixed(2);
    console.log(
      `${name}: requests/s with two replicas ${ratio('rps')} of those with none, CPU per request ${ratio('cpu')}`,
    );
  }
}

export async function bench(args) {
  const text = (value) => ({ type: 'string', default: value });
  const { values } = parseArgs({
    args,
    options: {
      tries: text('100000'),
      seconds: text('14'),
      connections: text('10'),
      rounds: text('7'),
      rows: text('10000'),
    },
  });
  const { tries, seconds, connections, rounds, rows } = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Number(value)]),
  );
  const servers = await startReplicated(SETTINGS);
  const contestants = [];
  try {
    const { url: databaseUrl } = await createDatabase(servers.primary.url);
    await makeLibraryTables(databaseUrl, 'blog');
    await seedBlog({ databaseUrl, articles: rows });
    const replicas = servers.replicas.flatMap(({ url }) => {
      const replica = new URL(url);
      replica.pathname = new URL(databaseUrl).pathname;
      return ['--replica', replica.href];
    });
    const pids = await Promise.all(
      [servers.primary, ...servers.replicas].map(({ url }) => postmasterPid(url)),
    );
    for (const more of [[], replicas, replicas])
      contestants.push({ server: await startLibrary(databaseUrl, 'blog', ...more) });
    const [none, two, other] = contestants;
    console.log(`${availableParallelism()} cores for the servers, the application and the clients`);
    if (seconds > 0) await measure([none, two], pids, { seconds, connections, rounds });
    const urls = [two.server.url, other.server.url];
    await tryOut(urls, { tries: Math.min(tries, 10_000), presents: false });
    if ((await tryOut(urls, { tries, presents: true })) > 0) process.exitCode = 1;
  } finally {
    await Promise.all(contestants.map(({ server }) => server.stop()));
    await servers.stop();
  }
}
