/** Servers under test in production mode, each in its own process with a pool of ten connections. */
import { join } from 'node:path';
import { startReference } from '../reference/start.mjs';
import { spawnServer } from '../spawn-server.mjs';

const directory = join(import.meta.dirname, 'servers');
const env = { NODE_ENV: 'production' };

const start = (file, databaseUrl, ...args) =>
  spawnServer({ args: [join(directory, file), '--database-url', databaseUrl, ...args], env });

/**
 * Servers by key. `speaks` selects the paths of a shape; `answers` is the required similarity of their
 * responses to the library's.
 */
export const PEERS = {
  express: {
    title: 'this library, Express',
    speaks: 'paths',
    answers: 'same bytes',
    start: (urls) => start('library.mjs', urls.blog),
  },
  fastify: {
    title: 'this library, Fastify',
    speaks: 'paths',
    answers: 'same bytes',
    start: (urls) => start('library.mjs', urls.blog, '--adapter', 'fastify'),
  },
  limit: {
    title: 'hand-written limit',
    speaks: 'own',
    answers: 'same bytes',
    start: (urls) => start('hand-written.mjs', urls.blog),
  },
  mikroOrm: {
    title: 'MikroORM',
    speaks: 'own',
    answers: 'same data',
    start: (urls) => start('mikro-orm.mjs', urls.blog),
  },
  reference: {
    title: 'reference',
    speaks: 'paths',
    answers: 'same data',
    start: (urls) => startReference({ databaseUrl: urls.reference }),
  },
};

export const startLibrary = (databaseUrl, model, ...more) =>
  start('library.mjs', databaseUrl, '--model', model, ...more);

/** Creates the library's tables in an empty database. */
export const makeLibraryTables = (databaseUrl, model) =>
  runToEnd('library.mjs', databaseUrl, '--model', model);

/** Creates MikroORM's own tables from the rows of the library's. */
export const makeOrmTables = (databaseUrl) => runToEnd('mikro-orm.mjs', databaseUrl);

async function runToEnd(file, databaseUrl, ...args) {
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  await promisify(execFile)(process.execPath, [
    join(directory, file),
    '--database-url',
    databaseUrl,
    '--tables',
    ...args,
  ]);
}
