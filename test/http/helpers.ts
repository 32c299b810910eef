/**
 * Helpers of the HTTP specs: the error shape, raw requests, a snapshot of all tables, and a configurable
 * application.
 */
import { request as httpRequest } from 'node:http';
import type { DynamicModule, INestApplication, ModuleMetadata } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM, ContentModule, type ContentModuleOptions } from 'nestjs-content-api';
import pg from 'pg';
import { type Adapter, makeTables, type TestApp } from '../support/app.ts';
import { createDatabase, reserveDatabase, type TestDatabase } from '../support/database.ts';

/** Error response in the standard shape (protocol 2.1). */
export const failure = (status: number, name: string, message: unknown, details: unknown = {}) => ({
  data: null,
  error: { status, name, message, details },
});

export const NOT_FOUND = failure(404, 'NotFoundError', 'Not Found');

/** Error with one problem: the error repeats its message, and its path is in the details (protocol 2.4). */
export const problem = (path: string[], message: string, value?: unknown) =>
  failure(400, 'ValidationError', message, {
    errors: [{ path, message, name: 'ValidationError', ...(value === undefined ? {} : { value }) }],
  });

/** Error for an invalid key of a body, without `path` if the protocol has none (15.1). */
export const badKey = (key: string, at = '', path?: string | null) =>
  failure(400, 'ValidationError', at === '' ? `Invalid key ${key}` : `Invalid key ${key} at ${at}`, {
    key,
    ...(path === undefined ? {} : { path }),
    source: 'body',
  });

/** Error for a `__type` that is not among the types of a relation (11.30). */
export const badType = (at: string, types: readonly string[]) =>
  failure(400, 'ValidationError', `${at}.__type must be one of the following values: ${types.join(', ')}`, {
    key: '__type',
    path: at,
    source: 'body',
  });

export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** Sends a request exactly as written: without additional headers, without normalising the path. */
export const raw = (
  url: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = httpRequest({ hostname, port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.on('error', reject).end(body);
  });

/**
 * Returns every row of every content table as text, by table. Equal snapshots mean that nothing was written.
 */
export async function snapshot(test: Pick<TestApp, 'sql'>): Promise<Record<string, unknown>> {
  const tables = await test.sql(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'
     and tablename not in ('content_change', 'content_total') order by 1`,
  );
  const rows = tables.map(
    ({ name }) =>
      `select '${String(name)}' as name, count(*)::int as rows, md5(string_agg(t::text, '|' order by t::text)) as sum from ${String(name)} t`,
  );
  return Object.fromEntries(
    (await test.sql(rows.join(' union all '))).map(({ name, ...rest }) => [String(name), rest]),
  );
}

/** Returns the statements of the single transaction among `statements`, without BEGIN and COMMIT. */
export function withinTransaction(statements: readonly string[]): string[] {
  const is = (word: RegExp) => (text: string) => word.test(text);
  const begin = statements.findIndex(is(/^(begin|start transaction)/i));
  const end = statements.findLastIndex(is(/^commit/i));
  if (begin < 0 || end < 0)
    throw new Error(`There is no committed transaction in:\n${statements.join('\n')}`);
  // A select after BEGIN configures the transaction.
  return statements.slice(begin + 1, end).filter((text) => !/'plan_cache_mode'/.test(text));
}

export interface Host {
  readonly app: INestApplication;
  readonly url: string;
  readonly database: TestDatabase;
  sql: TestApp['sql'];
  close(): Promise<void>;
}

interface HostOptions {
  readonly adapter?: Adapter;
  readonly fastify?: ConstructorParameters<typeof FastifyAdapter>[0];
  readonly database?: TestDatabase;
  /** Runs before `init`: prefixes, global pipes, CORS. */
  readonly prepare?: (app: INestApplication) => void;
  /** Creates the tables of the model first, in a new database. */
  readonly tables?: boolean;
  /** Runs after `init`: updates the tables. */
  readonly ready?: (app: INestApplication) => Promise<unknown>;
}

/** Starts an application with additional controllers, providers and modules. */
export async function startHost(
  metadata: (database: TestDatabase) => ModuleMetadata,
  options: HostOptions = {},
): Promise<Host> {
  const reserved = options.tables === true ? reserveDatabase() : null;
  const database = reserved ?? options.database ?? (await createDatabase());
  const module = await Test.createTestingModule(metadata(database)).compile();
  if (reserved !== null) await makeTables(module, reserved);
  const fastify = options.adapter === 'fastify';
  const app = fastify
    ? module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(options.fastify))
    : module.createNestApplication();
  app.useLogger(['fatal']);
  options.prepare?.(app);
  try {
    await app.init();
    await options.ready?.(app);
    await app.listen(0, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return {
    app,
    database,
    url: await app.getUrl(),
    sql: async (text, values = []) => (await client.query<Record<string, unknown>>(text, values)).rows,
    close: async () => {
      await client.end();
      await app.close();
      if (options.database === undefined) await database.drop();
    },
  };
}

/** A model, and the settings that select its visible rows. */
export type Model = Pick<ContentModuleOptions, 'contentTypes' | 'components' | 'locales' | 'defaultLocale'>;

/** Content module of a model on a database, with all permissions for the public. */
export const contentOn = (
  { url }: Pick<TestDatabase, 'url'>,
  model: Model,
  more: Partial<ContentModuleOptions> = {},
): DynamicModule =>
  ContentModule.forRoot({
    ...model,
    access: { public: { '*': '*' } },
    database: { clientUrl: url },
    ...more,
  });

/** Starts an application with a model on an existing database and updates its tables. */
export const startModel = (database: TestDatabase, model: Model, adapter: Adapter): Promise<Host> =>
  startHost(
    () => ({
      imports: [contentOn(database, model)],
    }),
    {
      adapter,
      database,
      ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.update({ safe: true }),
    },
  );
