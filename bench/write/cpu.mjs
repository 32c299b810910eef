/**
 * `npm run bench -- write-cpu [--requests 1200] [--rounds 7] [--connections 10] [--rows 10000] [--only
 * post|put] [--library] [--profile FOLDER]`
 *
 * CPU time of a write, in the server and in PostgreSQL. It hardly depends on other load of the machine. A
 * round is a fixed number of writes to each server in turn. A figure is the lower quartile of the rounds,
 * because other load only increases it. `--library` omits the hand-written peers. With `--profile` each
 * server writes a profile of its last rounds.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cpuOf, postmasterPid } from '../cpu.mjs';
import { startDatabases } from '../databases.mjs';
import { run } from '../load.mjs';
import { seedBlog } from '../models/seed.mjs';
import { makeLibraryTables } from '../read/peers.mjs';
import { spawnServer } from '../spawn-server.mjs';
import { shapesOn } from './requests.mjs';

const directory = import.meta.dirname;
const LIBRARY = [join(directory, '..', 'read', 'servers', 'library.mjs'), '--model', 'blog'];
const SERVERS = {
  express: LIBRARY,
  fastify: [...LIBRARY, '--adapter', 'fastify'],
  honest: [join(directory, 'honest.mjs')],
  'honest in Nest': [join(directory, 'honest-nest.mjs')],
  unchecked: [join(directory, 'hand-written.mjs')],
};
const OURS = ['express', 'fastify'];
/** Writes until the JIT compiler has compiled the hot code. */
const WARM_UP = 1000;

const quartile = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 4)];

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: {
      requests: { type: 'string', default: '1200' },
      rounds: { type: 'string', default: '7' },
      connections: { type: 'string', default: '10' },
      rows: { type: 'string', default: '10000' },
      only: { type: 'string' },
      library: { type: 'boolean', default: false },
      profile: { type: 'string' },
    },
  });
  const [requests, rounds, connections, rows] = ['requests', 'rounds', 'connections', 'rows'].map((name) =>
    Number(values[name]),
  );
  const shapes = shapesOn(rows).filter(({ name }) => values.only === undefined || values.only === name);
  const names = Object.keys(SERVERS).filter((name) => !values.library || OURS.includes(name));
  const databases = await startDatabases();
  const servers = [];
  try {
    const postgres = await postmasterPid(databases.url);
    for (const name of names) servers.push(await start(name, await seeded(databases, rows), values.profile));
    for (const shape of shapes) {
      const send = (server, count) =>
        run({
          url: server.url,
          connections,
          seconds: Infinity,
          count,
          request: () => shape.request((server.next += 1)),
        });
      for (const server of servers) await send(server, WARM_UP);
      if (values.profile !== undefined) for (const { pid } of servers) process.kill(pid, 'SIGUSR2');
      for (let round = 0; round < rounds; round += 1)
        for (let i = 0; i < servers.length; i += 1) {
          const server = servers[(i + round) % servers.length];
          const before = [cpuOf([server.pid]), cpuOf([postgres])];
          const { errors } = await send(server, requests);
          const after = [cpuOf([server.pid]), cpuOf([postgres])];
          if (errors > 0) throw new Error(`${server.name} failed on ${errors} of ${requests}`);
          server.used.push(after.map((seconds, n) => ((seconds - before[n]) * 1000) / requests));
        }
      if (values.profile !== undefined) for (const { pid } of servers) process.kill(pid, 'SIGUSR2');
      console.log(reportOf(shape, servers));
      for (const server of servers) server.used = [];
    }
    // The servers write their profiles in this time.
    if (values.profile !== undefined) await sleep(3000);
  } finally {
    for (const server of servers) await server.stop();
    await databases.stop();
  }
}

async function seeded(databases, articles) {
  const databaseUrl = await databases.create();
  await makeLibraryTables(databaseUrl, 'blog');
  await seedBlog({ databaseUrl, articles });
  return databaseUrl;
}

async function start(name, databaseUrl, profile) {
  const folder = profile === undefined ? null : resolve(profile, name);
  if (folder !== null) mkdirSync(folder, { recursive: true });
  const before = folder === null ? [] : ['--import', join(directory, 'profile.mjs')];
  const [file, ...more] = SERVERS[name];
  const server = await spawnServer({
    args: [...before, file, '--database-url', databaseUrl, ...more],
    env: { NODE_ENV: 'production', ...(folder === null ? {} : { PROFILES: folder }) },
  });
  return { ...server, name, next: 1_000_000, used: [] };
}

function reportOf({ title }, servers) {
  const rows = servers.map(({ name, used }) => ({
    server: name,
    'server, ms': quartile(used.map(([server]) => server)).toFixed(3),
    'PostgreSQL, ms': quartile(used.map(([, postgres]) => postgres)).toFixed(3),
  }));
  const head = Object.keys(rows[0]);
  const lines = [head, head.map(() => '---'), ...rows.map((row) => Object.values(row))];
  return `${title}\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}
