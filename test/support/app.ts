import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModule } from '@nestjs/testing';
import pg from 'pg';
import { CONTENT_ORM, ContentModule, type ContentModuleOptions } from 'nestjs-content-api';
import type { MikroORM } from '@mikro-orm/core';
import supertest from 'supertest';
import type * as ChangeLogRoom from '../../src/cache/change-log-worker.ts';
import { type ReservedDatabase, reserveDatabase } from './database.ts';
import { loadRoom } from './rooms.ts';
import { isUpkeep, textsOf } from './upkeep.ts';
import { watchQueries } from './watch-queries.ts';
import { keepIdleConnections } from './idle-connections.ts';

const { ChangeLogWorker } = await loadRoom<typeof ChangeLogRoom>('cache/change-log-worker');

export const ADAPTERS = ['express', 'fastify'] as const;
export type Adapter = (typeof ADAPTERS)[number];

export interface TestApp {
  readonly app: INestApplication;
  readonly url: string;
  readonly http: ReturnType<typeof supertest.agent>;
  /** Runs SQL on a separate connection, to inspect stored rows. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Opens another connection, which the caller ends. */
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
}

type Options = Omit<ContentModuleOptions, 'database'> & {
  /** Modules in addition to the content module. */
  readonly imports?: ModuleMetadata['imports'];
  readonly providers?: ModuleMetadata['providers'];
};

/** Creates the tables of a model for an application that is not initialised yet. */
export const makeTables = async (module: TestingModule, database: ReservedDatabase): Promise<void> =>
  database.make(await module.get<MikroORM>(CONTENT_ORM, { strict: false }).schema.getCreateSchemaSQL());

/** Starts an application with a content model on a fresh database, on either HTTP adapter. */
export async function createTestApp(
  { imports = [], providers = [], ...options }: Options,
  adapter: Adapter = 'express',
  prepare?: (app: INestApplication) => void,
): Promise<TestApp> {
  const database = reserveDatabase();
  const module = await Test.createTestingModule({
    imports: [ContentModule.forRoot({ ...options, database: { clientUrl: database.url } }), ...imports],
    providers,
  }).compile();
  await makeTables(module, database);
  const app =
    adapter === 'fastify'
      ? module.createNestApplication<NestFastifyApplication>(new FastifyAdapter())
      : module.createNestApplication();
  app.useLogger(['fatal']);
  prepare?.(app);
  await app.init();
  if (adapter === 'fastify') await (app as NestFastifyApplication).getHttpAdapter().getInstance().ready();
  await app.get(ChangeLogWorker).maintain();
  await app.listen(0, '127.0.0.1');
  keepIdleConnections(app);
  const url = await app.getUrl();
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database.url });
    // Dropping the database ends connections that the server has not read the end of.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const client = await connect();
  return {
    app,
    url,
    http: supertest.agent(url),
    sql: async (text, values = []) => (await client.query<Record<string, unknown>>(text, values)).rows,
    connect,
    close: async () => {
      await client.end();
      await app.close();
      await database.drop();
    },
  };
}

/** Comment with type and action before a statement. */
const LABEL = /^\/\* \S+ \*\/ /;

/**
 * Returns the statements that requests send while `work` runs, grouped by pipelined batch, without their
 * labels.
 */
export async function recordBatches(work: () => Promise<unknown>): Promise<string[][]> {
  const batches: string[][] = [];
  await watchQueries((query, client) => {
    const texts = textsOf(query);
    if (!isUpkeep(client, texts)) batches.push(texts.map((text) => text.replace(LABEL, '')));
  }, work);
  return batches;
}

/** Counts the statements that requests send while `work` runs. */
export const countStatements = async (work: () => Promise<unknown>): Promise<string[]> =>
  (await recordBatches(work)).flat();
