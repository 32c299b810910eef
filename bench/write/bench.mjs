/**
 * `npm run bench -- write [--seconds 10] [--connections 10] [--rounds 7] [--rows 10000] [--only post|put]
 * [--no-reference]`
 *
 * Compares writes of this library with two hand-written servers, one honest and one unchecked, and with the
 * reference. Writes bench/results/write.{md,json}.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cpuOf, postmasterPid } from '../cpu.mjs';
import { describePostgres, startDatabases } from '../databases.mjs';
import { run } from '../load.mjs';
import { seedBlog } from '../models/seed.mjs';
import { makeLibraryTables, startLibrary } from '../read/peers.mjs';
import { seedBench } from '../reference/seed-bench.mjs';
import { isInstalled, startReference } from '../reference/start.mjs';
import { spawnServer } from '../spawn-server.mjs';
import { report } from './report.mjs';
import { shapesOn } from './requests.mjs';
import { startCounter } from './statements.mjs';

const directory = import.meta.dirname;
const results = join(directory, '..', 'results');
const log = (line) => console.error(line);

const startByHand = (file) => (databaseUrl) =>
  spawnServer({
    args: [join(directory, file), '--database-url', databaseUrl],
    env: { NODE_ENV: 'production' },
  });
const startBlog = (databaseUrl) => startLibrary(databaseUrl, 'blog');
const startFastify = (databaseUrl) => startLibrary(databaseUrl, 'blog', '--adapter', 'fastify');

/**
 * Servers, each on its own tables with the same articles. The library on the same tables is the `reader` of
 * servers that only write. Servers without checks receive no wrong requests.
 */
const CONTESTANTS = {
  library: { start: startBlog, seed: seedLibrary, checks: true },
  fastify: { start: startFastify, seed: seedLibrary, checks: true },
  honest: { start: startByHand('honest.mjs'), seed: seedLibrary, reader: startBlog, checks: true },
  limit: { start: startByHand('hand-written.mjs'), seed: seedLibrary, reader: startBlog, checks: false },
  reference: { start: (databaseUrl) => startReference({ databaseUrl }), seed: seedReference, checks: false },
};

async function seedLibrary(databaseUrl, rows) {
  await makeLibraryTables(databaseUrl, 'blog');
  await seedBlog({ databaseUrl, articles: rows });
}

async function seedReference(databaseUrl, rows) {
  const server = await startReference({ databaseUrl }); // creates the tables and the base data
  await server.stop();
  await seedBench({ databaseUrl, articles: rows });
}

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '10' },
      connections: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '7' },
      rows: { type: 'string', default: '10000' },
      only: { type: 'string' },
      'no-reference': { type: 'boolean', default: false },
    },
  });
  const options = {
    seconds: Number(values.seconds),
    connections: Number(values.connections),
    rounds: Number(values.rounds),
    rows: Number(values.rows),
  };
  const withReference = !values['no-reference'];
  if (withReference && !isInstalled())
    throw new Error(
      'The reference is not installed: `npm install --prefix bench/reference`, or --no-reference.',
    );
  const shapes = shapesOn(options.rows).filter(
    ({ name }) => values.only === undefined || values.only === name,
  );
  const databases = await startDatabases();
  const contestants = [];
  try {
    const machine = {
      ...(await describePostgres(databases.url)),
      date: new Date().toISOString().slice(0, 10),
    };
    const postgres = await postmasterPid(databases.url);
    for (const [key, peer] of Object.entries(CONTESTANTS)) {
      if (key === 'reference' && !withReference) continue;
      log(`preparing ${options.rows} articles for ${key}`);
      const databaseUrl = await databases.create();
      await peer.seed(databaseUrl, options.rows);
      const server = await peer.start(databaseUrl);
      contestants.push({ ...peer, key, databaseUrl, server, next: 1_000_000 });
    }
    await check(shapes, contestants);
    log('all servers respond alike');
    const measured = [];
    for (const shape of shapes) {
      measured.push({
        name: shape.name,
        title: shape.title,
        results: await measure(shape, contestants, { ...options, postgres }),
      });
      log(`measured ${shape.name}`);
    }
    await Promise.all(contestants.map(({ server }) => server.stop()));
    for (const contestant of contestants)
      for (const shape of shapes) await countStatements(shape, contestant, measured);
    const wrong = shapes.reduce((sum, shape) => sum + shape.wrong(CHECKED).length, 0);
    const outcome = { machine, options, shapes: measured, wrong };
    const markdown = report(outcome);
    console.log(markdown);
    // A partial run does not replace the numbers of a full one.
    if (values.only === undefined && withReference) {
      await mkdir(results, { recursive: true });
      await writeFile(join(results, 'write.md'), markdown);
      await writeFile(join(results, 'write.json'), `${JSON.stringify(outcome, null, 1)}\n`);
    }
  } finally {
    await Promise.all(contestants.map(({ server }) => server.stop()));
    await databases.stop();
  }
}

async function send(url, { method, path, headers, body }) {
  const response = await fetch(url + path, { method, headers, body });
  return { status: response.status, text: await response.text() };
}

/** Members that differ between servers or between requests. */
const OWN = new Set(['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale', 'localizations']);

/** Checks all servers. The reader of a server that only writes runs during its check alone. */
async function check(shapes, contestants) {
  const readers = new Map();
  try {
    for (const { key, databaseUrl, server, reader } of contestants)
      readers.set(key, reader === undefined ? server : await reader(databaseUrl));
    for (const shape of shapes) {
      await checkAnswers(shape, contestants, readers);
      for (const contestant of contestants) if (contestant.checks) await checkRefusals(shape, contestant);
    }
  } finally {
    for (const { key, server } of contestants)
      if (readers.has(key) && readers.get(key) !== server) await readers.get(key).stop();
  }
}

/** Number of the request that the checks send. */
const CHECKED = 999;

/** Throws if a server accepts a wrong request, or fails on one. */
async function checkRefusals({ wrong, title }, { key, server }) {
  for (const request of wrong(CHECKED)) {
    const { status, text } = await send(server.url, request);
    if (status !== 400 && status !== 404)
      throw new Error(`${key} responds to a wrong ${title} with ${status}:\n${request.body}\n${text}`);
  }
}

/**
 * Throws if a server's response differs from the first server's, or if a read does not return the written
 * data.
 */
async function checkAnswers({ request, status, title }, contestants, readers) {
  let wanted;
  for (const { key, server } of contestants) {
    const sent = request(CHECKED);
    const answer = await send(server.url, sent);
    if (answer.status !== status)
      throw new Error(`${key} responds to ${title} with ${answer.status}: ${answer.text.slice(0, 500)}`);
    const documentId = JSON.parse(answer.text).data.documentId;
    const read = await send(readers.get(key).url, {
      method: 'GET',
      path: `/api/articles/${documentId}?populate=*`,
      headers: {},
    });
    const shown = [comparable(answer.text), comparable(read.text)];
    wanted ??= shown;
    for (const [i, text] of shown.entries()) {
      if (text !== wanted[i])
        throw new Error(`${key} responds to ${title} unlike the library:\n${text}\n${wanted[i]}`);
    }
  }
}

/**
 * Returns a response without members that differ per server. Unset values of components are null in one
 * response and absent in the other.
 */
function comparable(text) {
  const { data } = JSON.parse(text, (_key, value) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name, item]) => !OWN.has(name) && item !== null)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  });
  return JSON.stringify(data);
}

/** Warm-up until the JIT compiler has compiled the hot code, or for this time at most. */
const WARM_UP = { requests: 10_000, seconds: 20 };

/** Measures in rounds in which every server has a turn; the first server rotates. Counts failures. */
async function measure(shape, contestants, { seconds, connections, rounds, postgres }) {
  const results = contestants.map(({ key }) => ({ key, rounds: [] }));
  const turn = (contestant, duration, count = Infinity) =>
    run({
      url: contestant.server.url,
      connections,
      seconds: duration,
      count,
      request: () => shape.request((contestant.next += 1)),
    });
  for (const contestant of contestants) await turn(contestant, WARM_UP.seconds, WARM_UP.requests);
  for (let round = 0; round < rounds; round += 1) {
    for (let i = 0; i < contestants.length; i += 1) {
      const place = (i + round) % contestants.length;
      const contestant = contestants[place];
      await turn(contestant, 0.15);
      const before = cpu(contestant, postgres);
      const { rps, p50, p99, errors, statuses, requests } = await turn(contestant, seconds / rounds);
      const after = cpu(contestant, postgres);
      const used = (what) => (after[what] === null ? null : ((after[what] - before[what]) * 1000) / requests);
      results[place].rounds.push({
        rps,
        p50,
        p99,
        errors,
        statuses,
        requests,
        serverMs: used('server'),
        postgresMs: used('postgres'),
      });
    }
  }
  return results;
}

const cpu = ({ server }, postgres) => ({
  server: cpuOf([server.pid]),
  postgres: postgres === null ? null : cpuOf([postgres]),
});

const COUNTED = 20;

/**
 * Runs a server behind a proxy that counts statements. Sends one request at a time, with all shapes prepared.
 */
async function countStatements(shape, { key, databaseUrl, start }, measured) {
  const counter = await startCounter(databaseUrl);
  const server = await start(counter.url);
  try {
    let n = 5_000_000;
    const one = async () => send(server.url, shape.request((n += 1)));
    for (let i = 0; i < COUNTED; i += 1) await one();
    counter.reset();
    const before = await counter.customPlans();
    for (let i = 0; i < COUNTED; i += 1) await one();
    const customPlans = (await counter.customPlans()) - before;
    const result = measured.find(({ name }) => name === shape.name).results.find((item) => item.key === key);
    for (const what of ['statements', 'parsed', 'roundTrips']) result[what] = counter.counts[what] / COUNTED;
    result.customPlans = customPlans / COUNTED;
  } finally {
    await server.stop();
    await counter.stop();
  }
}
