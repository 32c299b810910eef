/**
 * `npm run bench -- read`: reads of this library against its peers, and as the table grows. Writes
 * bench/results/read.{md,json}.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { postmasterPid } from '../cpu.mjs';
import { describePostgres, startDatabases } from '../databases.mjs';
import { seedAtlas, seedBlog } from '../models/seed.mjs';
import { seedBench } from '../reference/seed-bench.mjs';
import { isInstalled, startReference } from '../reference/start.mjs';
import { checkAnswers } from './check.mjs';
import { measure, memoryOf } from './measure.mjs';
import { makeLibraryTables, makeOrmTables, PEERS, startLibrary } from './peers.mjs';
import { report } from './report.mjs';
import { atlasScalingShapes, blogScalingShapes, comparedShapes } from './shapes.mjs';

const results = join(import.meta.dirname, '..', 'results');
const log = (line) => console.error(line);

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '8' },
      connections: { type: 'string', default: '10' },
      rows: { type: 'string', default: '10000,1000000' },
      only: { type: 'string' },
      'no-reference': { type: 'boolean', default: false },
    },
  });
  const options = {
    seconds: Number(values.seconds),
    connections: Number(values.connections),
    rows: values.rows.split(',').map(Number),
    wanted: ({ name }) => values.only === undefined || values.only === name,
    reference: !values['no-reference'],
  };
  if (options.reference && !isInstalled())
    throw new Error(
      'The reference is not installed: `npm install --prefix bench/reference`, or --no-reference.',
    );

  const databases = await startDatabases();
  try {
    const postgres = await postmasterPid(databases.url);
    const machine = {
      ...(await describePostgres(databases.url)),
      date: new Date().toISOString().slice(0, 10),
    };
    const compared = await comparePeers(databases, { ...options, postgres });
    const scaled =
      options.rows.length < 2
        ? []
        : [
            await scale(databases, 'blog', seedScalingBlog, blogScalingShapes, { ...options, postgres }),
            await scale(databases, 'atlas', seedAtlas, atlasScalingShapes, { ...options, postgres }),
          ];
    const outcome = { machine, options: { ...options, wanted: undefined }, compared, scaled };
    const markdown = report(outcome);
    console.log(markdown);
    // A partial run does not replace the committed numbers of a full one.
    if (values.only === undefined && options.reference) await save(outcome, markdown);
  } finally {
    await databases.stop();
  }
}

async function save(outcome, markdown) {
  await mkdir(results, { recursive: true });
  await writeFile(join(results, 'read.md'), markdown);
  await writeFile(join(results, 'read.json'), `${JSON.stringify(outcome, null, 1)}\n`);
}

/** Compares all peers on the same articles, on the smallest table. */
async function comparePeers(databases, options) {
  const [rows] = options.rows;
  const shapes = comparedShapes(rows).filter(options.wanted);
  if (shapes.length === 0) return { rows, shapes: [] };
  log(`preparing ${rows} articles for all peers`);
  const urls = { blog: await databases.create() };
  await makeLibraryTables(urls.blog, 'blog');
  await seedBlog({ databaseUrl: urls.blog, articles: rows });
  await makeOrmTables(urls.blog);
  if (options.reference) urls.reference = await seedReference(databases, rows);

  const keys = Object.keys(PEERS).filter((key) => key !== 'reference' || options.reference);
  const peers = await startAll(
    keys.map((key) => ({ key, ...PEERS[key], start: () => PEERS[key].start(urls) })),
  );
  try {
    for (const shape of shapes) await checkAnswers(shape, peers);
    log('all peers send the same responses');
    const measured = [];
    for (const { name, title, ...shape } of shapes) {
      const contestants = peers.map(({ key, server, speaks }) => ({ key, server, paths: shape[speaks] }));
      measured.push({ name, title, results: await measure(contestants, options) });
      log(`measured ${name}`);
    }
    return {
      rows,
      shapes: measured,
      memory: Object.fromEntries(peers.map(({ key, server }) => [key, memoryOf(server.pid)])),
    };
  } finally {
    await stopAll(peers);
  }
}

async function seedReference(databases, articles) {
  const databaseUrl = await databases.create();
  const server = await startReference({ databaseUrl }); // makes the tables and the base data
  await server.stop();
  await seedBench({ databaseUrl, articles });
  return databaseUrl;
}

const seedScalingBlog = ({ databaseUrl, rows }) =>
  seedBlog({ databaseUrl, articles: rows, authors: rows / 40, categories: rows / 20 });

/** Measures only the library, on tables of different sizes. */
async function scale(databases, model, seed, shapesOf, options) {
  const shapes = shapesOf(Math.min(...options.rows)).filter(options.wanted);
  if (shapes.length === 0) return { model, shapes: [] };
  const servers = [];
  try {
    for (const rows of options.rows) {
      log(`preparing the ${model} with ${rows} rows`);
      const databaseUrl = await databases.create();
      await makeLibraryTables(databaseUrl, model);
      await seed({ databaseUrl, rows });
      servers.push({ key: String(rows), server: await startLibrary(databaseUrl, model) });
    }
    const measured = [];
    for (const { name, title, inTarget } of shapes) {
      const contestants = servers.map(({ key, server }) => ({
        key,
        server,
        paths: shapesOf(Number(key)).find((shape) => shape.name === name).paths,
      }));
      measured.push({ name, title, inTarget, results: await measure(contestants, options) });
      log(`measured ${name}`);
    }
    return { model, shapes: measured };
  } finally {
    await stopAll(servers);
  }
}

async function startAll(peers) {
  const running = [];
  try {
    for (const peer of peers) running.push({ ...peer, server: await peer.start() });
    return running;
  } catch (error) {
    await stopAll(running);
    throw error;
  }
}

const stopAll = (peers) => Promise.all(peers.map(({ server }) => server.stop()));
