import { createHash, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { MEMORY } from './postgres-server.ts';

export interface TestDatabase {
  url: string;
  /** Releases the database and closes all connections to it. */
  drop(): Promise<void>;
}

/**
 * Name prefix of released, emptied databases that the next suite can use. On disk, `create database` takes
 * 250 ms.
 */
const FREE = 'free_test_';

/** SQL condition: all data is in memory, so that creating a database is fast. */
const QUICK = `exists (select from pg_settings where name = 'data_directory' and starts_with(setting, '${MEMORY}/'))`;

/** Restores the state of `template0`, with the privileges of `public` in a new database. */
const EMPTY = `do $$ declare name text; begin
    for name in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
      execute format('drop schema %I cascade', name);
    end loop;
  end $$;
  create schema public authorization pg_database_owner;
  grant usage on schema public to public;`;

/** Reserved name of a database that is created later: empty, or with the tables of `ddl`. */
export interface ReservedDatabase extends TestDatabase {
  make(ddl?: string): Promise<void>;
}

/** Opens an empty database on the test server; one per suite keeps suites apart. */
export async function createDatabase(serverUrl?: string): Promise<TestDatabase> {
  const database = reserveDatabase(serverUrl);
  await database.make();
  return database;
}

/** Drops everything in a database. This is faster than creating a database for each of many runs. */
export const emptyDatabase = ({ url }: TestDatabase): Promise<unknown> =>
  connected(url, (database) => database.query(EMPTY));

/** Returns the URL of a database before it exists, for an application that then provides its tables. */
export function reserveDatabase(serverUrl = process.env.TEST_DATABASE_URL): ReservedDatabase {
  if (!serverUrl) throw new Error('TEST_DATABASE_URL is not set: start a server with startPostgres() first.');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    make: (ddl = '') => connected(serverUrl, (server) => make(server, { name, url: url.href, ddl })),
    drop: () => connected(serverUrl, (server) => giveUp(server, name, url.href)),
  };
}

/** Copies a database that has no connections. */
export async function copyDatabase(original: string): Promise<TestDatabase> {
  const { href: serverUrl } = new URL('/postgres', original);
  const { url, drop } = reserveDatabase(serverUrl);
  await connected(serverUrl, (server) => copy(server, nameOf(original), nameOf(url)));
  return { url, drop };
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

const copy = (server: Client, from: string, to: string): Promise<unknown> =>
  server.query(`create database ${to} template ${from} encoding 'UTF8' strategy file_copy`);

async function make(
  server: Client,
  { name, url, ddl }: { readonly name: string; readonly url: string; readonly ddl: string },
): Promise<void> {
  const { rows } = await server.query<{ quick: boolean }>(`select ${QUICK} as quick`);
  const isQuick = rows[0]?.quick === true;
  const filled = `filled_test_${createHash('sha256').update(ddl).digest('hex').slice(0, 32)}`;
  if (isQuick && ddl !== '' && (await isDone(copy(server, filled, name)))) return;
  if (isQuick || !(await takeFree(server, name))) await copy(server, 'template0', name);
  if (ddl === '') return;
  await connected(url, (database) => database.query(`begin; ${ddl}; commit`));
  // Later databases with the same tables are copies of this one.
  if (isQuick) await isDone(copy(server, name, filled));
}

/** Renames a free database to `name`; returns false when none is free. */
async function takeFree(server: Client, name: string): Promise<boolean> {
  const { rows } = await server.query<{ datname: string }>(
    `select datname from pg_database where starts_with(datname, '${FREE}') order by random()`,
  );
  for (const { datname } of rows)
    if (await isDone(server.query(`alter database ${datname} rename to ${name}`))) return true;
  return false;
}

/** Returns true when the statement succeeds; false when the name exists, does not exist or is in use. */
async function isDone(statement: Promise<unknown>): Promise<boolean> {
  try {
    await statement;
    return true;
  } catch (error) {
    // Two processes that create the same name at once: the later one gets 23505 from the catalogue.
    if (!['23505', '3D000', '42P04', '55006'].includes((error as { code?: string }).code ?? '')) throw error;
    return false;
  }
}

async function giveUp(server: Client, name: string, url: string): Promise<void> {
  const { rows } = await server.query<{ kept: boolean }>(
    `select datallowconn and not exists (select from pg_db_role_setting where setdatabase = oid) and not ${QUICK} as kept
     from pg_database where datname = '${name}'`,
  );
  if (rows[0]?.kept !== true)
    return void (await server.query(`drop database if exists ${name} with (force)`));
  await server.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await connected(url, (database) => database.query(EMPTY));
  await server.query(`alter database ${name} rename to ${FREE}${name.slice('test_'.length)}`);
}

async function connected<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
