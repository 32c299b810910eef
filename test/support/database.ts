import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export interface TestDatabase {
  url: string;
  /** Gives the database up, closing whatever is still connected to it. */
  drop(): Promise<void>;
}

/** Databases that their suites have given up, empty again: making one anew costs PostgreSQL a quarter of a second. */
const FREE = 'free_test_';

/** Back to what `template0` holds. The privileges of `public` are those of a new database. */
const EMPTY = `do $$ declare name text; begin
    for name in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
      execute format('drop schema %I cascade', name);
    end loop;
  end $$;
  create schema public authorization pg_database_owner;
  grant usage on schema public to public;`;

/** Opens an empty database on the test server; one per suite keeps suites apart. */
export async function createDatabase(serverUrl = process.env.TEST_DATABASE_URL): Promise<TestDatabase> {
  if (!serverUrl) throw new Error('TEST_DATABASE_URL is not set: start a server with startPostgres() first.');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await connected(serverUrl, async (server) => {
    if (!(await takeFree(server, name)))
      await server.query(`create database ${name} template template0 encoding 'UTF8'`);
  });
  const drop = (): Promise<void> => connected(serverUrl, (server) => giveUp(server, name, url.href));
  return { url: url.href, drop };
}

/** Whether a database that nobody uses was to be had under this name. */
async function takeFree(server: Client, name: string): Promise<boolean> {
  const { rows } = await server.query<{ datname: string }>(
    `select datname from pg_database where starts_with(datname, '${FREE}') order by random()`,
  );
  for (const { datname } of rows)
    try {
      await server.query(`alter database ${datname} rename to ${name}`);
      return true;
    } catch {
      // Another process was faster.
    }
  return false;
}

async function giveUp(server: Client, name: string, url: string): Promise<void> {
  await server.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  const { rows } = await server.query<{ usual: boolean }>(
    `select datallowconn and not exists (select from pg_db_role_setting where setdatabase = oid) as usual
     from pg_database where datname = '${name}'`,
  );
  if (rows[0]?.usual !== true)
    return void (await server.query(`drop database if exists ${name} with (force)`));
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
