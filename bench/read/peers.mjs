/**
 * The servers under test, each in a process of its own with a pool of ten connections, in production mode.
 */
import { join } from 'node:path';
import { startReference } from '../reference/start.mjs';
import { spawnServer } from '../spawn-server.mjs';

const directory = join(import.meta.dirname, 'servers');
const env = { NODE_ENV: 'production' };

const start = (file, databaseUrl, ...args) =>
  spawnServer({ args: [join(directory, file), '--database-url', databaseUrl, ...args], env });

/**
 * `speaks`: whose paths of a shape it answers. `answers`: how much like the library's its answers have to be.
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

/** Makes the library's tables in an empty database. */
export const makeLibraryTables = (databaseUrl, model) =>
  runToEnd('library.mjs', databaseUrl, '--model', model);

/** Makes MikroORM's own tables beside the library's, from their rows. */
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
