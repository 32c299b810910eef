/**
 * `npm run bench -- write [--seconds 10] [--connections 10] [--rounds 7] [--rows 10000] [--only post|put]
 * [--no-reference]`: writes of this library beside a hand-written statement and the reference. Writes
 * bench/results/write.{md,json}.
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
import { SHAPES } from './requests.mjs';
import { startCounter } from './statements.mjs';

const directory = import.meta.dirname;
const results = join(directory, '..', 'results');
const log = (line) => console.error(line);

const startHandWritten = (databaseUrl) =>
  spawnServer({
    args: [join(directory, 'hand-written.mjs'), '--database-url', databaseUrl],
    env: { NODE_ENV: 'production' },
  });

/** The servers, each on tables of its own with the same articles. */
const CONTESTANTS = {
  library: { start: (databaseUrl) => startLibrary(databaseUrl, 'blog'), seed: seedLibrary },
  limit: { start: startHandWritten, seed: seedLibrary },
  reference: { start: (databaseUrl) => startReference({ databaseUrl }), seed: seedReference },
};

async function seedLibrary(databaseUrl, rows) {
  await makeLibraryTables(databaseUrl, 'blog');
  await seedBlog({ databaseUrl, articles: rows });
}

async function seedReference(databaseUrl, rows) {
  const server = await startReference({ databaseUrl }); // makes the tables and the base data
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
  const shapes = SHAPES.filter(({ name }) => values.only === undefined || values.only === name);
  const databases = await startDatabases();
  const contestants = [];
  try {
    const machine = {
      ...(await describePostgres(databases.url)),
      date: new Date().toISOString().slice(0, 10),
    };
    const postgres = await postmasterPid(databases.url);
    for (const [key, { start, seed }] of Object.entries(CONTESTANTS)) {
      if (key === 'reference' && !withReference) continue;
      log(`preparing ${options.rows} articles for ${key}`);
      const databaseUrl = await databases.create();
      await seed(databaseUrl, options.rows);
      contestants.push({ key, databaseUrl, start, server: await start(databaseUrl), next: 1_000_000 });
    }
    for (const shape of shapes) await checkAnswers(shape, contestants);
    log('all answer the same');
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
    const outcome = { machine, options, shapes: measured };
    const markdown = report(outcome);
    console.log(markdown);
    // A run of a part does not replace the numbers of the whole.
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

/** What differs from one server to the next, or from one request to the next. */
const OWN = new Set(['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale', 'localizations']);

/**
 * Throws when a server does not answer as the first one does, or does not show everywhere what it was sent.
 */
async function checkAnswers({ request, status, title }, contestants) {
  let wanted;
  for (const { key, server } of contestants) {
    const sent = request(999);
    const answer = await send(server.url, sent);
    if (answer.status !== status)
      throw new Error(`${key} answers ${title} with ${answer.status}: ${answer.text.slice(0, 500)}`);
    const documentId = JSON.parse(answer.text).data.documentId;
    const read = await send(server.url, {
      method: 'GET',
      path: `/api/articles/${documentId}?populate=*`,
      headers: {},
    });
    const shown = [comparable(answer.text), key === 'limit' ? undefined : comparable(read.text)];
    wanted ??= shown;
    for (const [i, text] of shown.entries()) {
      if (text !== undefined && text !== wanted[i])
        throw new Error(`${key} answers ${title} otherwise than the library:\n${text}\n${wanted[i]}`);
    }
  }
}

/**
 * An answer without what is each server's own; unset values of components are null in one and left out in the
 * other.
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

/** Rounds, in which every server has its turn; who comes first changes. Failures are counted, not hidden. */
async function measure(shape, contestants, { seconds, connections, rounds, postgres }) {
  const results = contestants.map(({ key }) => ({ key, rounds: [] }));
  const turn = (contestant, duration) =>
    run({
      url: contestant.server.url,
      connections,
      seconds: duration,
      request: () => shape.request((contestant.next += 1)),
    });
  for (const contestant of contestants) await turn(contestant, 2);
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

/** Runs a server once more, behind something that counts; one request at a time, all shapes known already. */
async function countStatements(shape, { key, databaseUrl, start }, measured) {
  const counter = await startCounter(databaseUrl);
  const server = await start(counter.url);
  try {
    let n = 5_000_000;
    const one = async () => send(server.url, shape.request((n += 1)));
    for (let i = 0; i < COUNTED; i += 1) await one();
    counter.reset();
    for (let i = 0; i < COUNTED; i += 1) await one();
    const result = measured.find(({ name }) => name === shape.name).results.find((item) => item.key === key);
    for (const what of ['statements', 'parsed', 'roundTrips']) result[what] = counter.counts[what] / COUNTED;
  } finally {
    await server.stop();
    await counter.stop();
  }
}
