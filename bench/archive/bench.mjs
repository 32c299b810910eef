/**
 * `npm run bench -- archive [--documents 60000] [--rounds 3]`
 *
 * Measures the export of an archive and its import into an empty database. The limit is COPY of PostgreSQL:
 * the same rows into the same tables, with their indexes and triggers, without checks.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { cpuOf, postmasterPid } from '../cpu.mjs';
import { startDatabases } from '../databases.mjs';
import { median } from '../read/measure.mjs';
import { makeLibraryTables } from '../read/peers.mjs';
import { fill } from '../scale/fill.mjs';

const TABLES = ['categories', 'notes', 'articles', 'articles_tags_links'];
/** Index whose cost would hide the cost of the rows. */
const TRIGRAMS = 'articles_document_id_title_text_plain_trigram';

async function move(args) {
  const file = join(import.meta.dirname, 'move.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args], {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return JSON.parse(stdout);
}

async function onDatabase(connectionString, work) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Copies the tables through files of the database server; returns the seconds of the second half. */
async function copy(source, target, folder) {
  const file = (table) => `'${join(folder, table)}'`;
  await onDatabase(source, async (client) => {
    for (const table of TABLES) await client.query(`copy ${table} to ${file(table)} (format binary)`);
  });
  return onDatabase(target, async (client) => {
    const started = performance.now();
    for (const table of TABLES) await client.query(`copy ${table} from ${file(table)} (format binary)`);
    return (performance.now() - started) / 1000;
  });
}

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: {
      documents: { type: 'string', default: '60000' },
      rounds: { type: 'string', default: '3' },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), 'bench-archive-'));
  await chmod(folder, 0o777); // The database server may run as another user.
  const databases = await startDatabases();
  try {
    const postgres = await postmasterPid(databases.url);
    const create = async () => {
      const databaseUrl = await databases.create();
      await onDatabase(databaseUrl, (client) => client.query('create extension if not exists pg_trgm'));
      await makeLibraryTables(databaseUrl, 'scale');
      await onDatabase(databaseUrl, (client) => client.query(`drop index ${TRIGRAMS}`));
      return databaseUrl;
    };
    const source = await create();
    await fill(source, (Number(values.documents) * 4) / 5);
    const [file, rounds] = [join(folder, 'archive'), []];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const exported = await move(['--database-url', source, '--file', file]);
      const target = await create();
      const before = cpuOf([postgres]);
      const imported = await move(['--database-url', target, '--file', file, '--import']);
      const postgresCpu = cpuOf([postgres]) - before;
      rounds.push({ exported, imported, postgresCpu, limit: await copy(source, await create(), folder) });
    }
    const documents = rounds[0].imported.documents;
    const seconds = (of) => median(rounds.map(of));
    console.log(`${documents} documents, documents per second:`);
    console.log(`export ${Math.round(documents / seconds(({ exported }) => exported.seconds))}`);
    console.log(`import ${Math.round(documents / seconds(({ imported }) => imported.seconds))}`);
    console.log(`COPY   ${Math.round(documents / seconds(({ limit }) => limit))}`);
    const [node, server] = [seconds(({ imported }) => imported.cpu), seconds((round) => round.postgresCpu)];
    console.log(`CPU seconds of the import: ${node.toFixed(1)} in Node, ${server.toFixed(1)} in PostgreSQL`);
  } finally {
    await databases.stop();
    await rm(folder, { recursive: true });
  }
}
