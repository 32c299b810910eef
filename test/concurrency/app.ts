/** Application with a pool that interleaves transactions, and a client that sends many concurrent writes. */
import { Agent, request } from 'node:http';
import type { DynamicModule, INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM, ContentModule, type ContentModuleOptions } from 'nestjs-content-api';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { keepIdleConnections } from '../support/idle-connections.ts';

/** Connections of the application to PostgreSQL, and of the client to the application. */
const POOL = 20;
const SOCKETS = 40;

export interface Reply {
  readonly status: number;
  readonly text: string;
  /** Parsed body; null if there is none. */
  readonly body: any;
}

/** Keep-alive client for JSON bodies or raw text. */
export class Client {
  private readonly agent: Agent;
  private readonly base: URL;

  constructor(url: string, sockets = SOCKETS) {
    this.base = new URL(url);
    this.agent = new Agent({ keepAlive: true, maxSockets: sockets });
  }

  send(method: string, path: string, body?: unknown, contentType = 'application/json'): Promise<Reply> {
    const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const headers =
      payload === undefined
        ? {}
        : { 'content-type': contentType, 'content-length': Buffer.byteLength(payload) };
    return new Promise((resolve, reject) => {
      const sent = request(
        { host: this.base.hostname, port: this.base.port, agent: this.agent, method, path, headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve(replyOf(response.statusCode ?? 0, Buffer.concat(chunks).toString('utf8'))),
          );
        },
      );
      sent.setTimeout(60_000, () =>
        sent.destroy(new Error(`no response within a minute to ${method} ${path}`)),
      );
      sent.on('error', reject);
      sent.end(payload);
    });
  }

  get = (path: string): Promise<Reply> => this.send('GET', path);
  post = (path: string, data: unknown): Promise<Reply> => this.send('POST', path, { data });
  put = (path: string, data: unknown): Promise<Reply> => this.send('PUT', path, { data });
  delete = (path: string): Promise<Reply> => this.send('DELETE', path);

  close(): void {
    this.agent.destroy();
  }
}

function replyOf(status: number, text: string): Reply {
  if (text === '') return { status, text, body: null };
  try {
    return { status, text, body: JSON.parse(text) };
  } catch {
    return { status, text, body: null };
  }
}

export interface BusyApp {
  readonly app: INestApplication;
  readonly client: Client;
  readonly database: TestDatabase;
  sql(text: string, values?: unknown[]): Promise<Record<string, any>[]>;
  close(): Promise<void>;
}

export interface BusyOptions extends Omit<ContentModuleOptions, 'database'> {
  readonly providers?: readonly Type[];
  /** Additional controllers of the application. */
  readonly hostControllers?: readonly Type[];
  /** Further modules of the application. */
  readonly modules?: readonly DynamicModule[];
  readonly pool?: number;
  /** An existing database, which is not dropped at the end. */
  readonly database?: TestDatabase;
  /** False if the tables exist. */
  readonly makeTables?: boolean;
}

class Host {}

/** Starts the application on a new or an existing database. */
export async function startBusy({
  providers = [],
  hostControllers = [],
  modules = [],
  pool = POOL,
  database: existing,
  makeTables = true,
  ...options
}: BusyOptions): Promise<BusyApp> {
  const database = existing ?? (await createDatabase());
  const content = ContentModule.forRoot({
    ...options,
    database: { clientUrl: database.url, pool: { min: 0, max: pool } },
  });
  const module: DynamicModule = {
    module: Host,
    imports: [content, ...modules],
    providers: [...providers],
    controllers: [...hostControllers],
  };
  const app = await NestFactory.create(module, { logger: ['fatal'], abortOnError: false });
  await app.init();
  if (makeTables) await app.get<MikroORM>(CONTENT_ORM, { strict: false }).schema.create();
  await app.listen(0, '127.0.0.1');
  keepIdleConnections(app);
  const client = new Client(await app.getUrl());
  const look = new pg.Client({ connectionString: database.url });
  look.on('error', () => undefined);
  await look.connect();
  return {
    app,
    client,
    database,
    sql: async (text, values = []) => (await look.query<Record<string, any>>(text, values)).rows,
    close: async () => {
      client.close();
      await look.end();
      await app.close();
      if (existing === undefined) await database.drop();
    },
  };
}

/** Counts replies by status. */
export const statuses = (replies: readonly Reply[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

/** Makes `count` concurrent calls. */
export const parallel = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));
