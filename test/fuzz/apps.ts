/** Applications on a given database, with one bearer token per set of grants. */
import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { MikroORM } from '@mikro-orm/core';
import {
  type AuthStrategy,
  type Caller,
  CONTENT_ORM,
  ContentModule,
  type ContentModuleOptions,
  type Grants,
  Permissions,
} from 'nestjs-content-api';
import { DeskModule } from 'nestjs-content-api/desk';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { bodyOf, DescriptionOracle } from '../openapi/oracle.ts';
import type { RunSql } from './content.ts';
import { isFromNode } from './oracle.ts';
import { keepIdleConnections } from '../support/idle-connections.ts';

export class NamedCallers implements AuthStrategy {
  readonly name = 'named-callers';
  private readonly callers: ReadonlyMap<string, Caller>;

  constructor(grants: Readonly<Record<string, Grants>>) {
    this.callers = new Map(
      Object.entries(grants).map(([id, granted]) => [
        id,
        { kind: 'token', id, permissions: Permissions.of(granted) },
      ]),
    );
  }

  authenticate({ bearer }: { readonly bearer: string | null }): Caller | null {
    return this.callers.get(bearer ?? '') ?? null;
  }
}

export interface RunningApp {
  readonly app: INestApplication;
  readonly url: string;
  close(): Promise<void>;
}

type Options = Omit<ContentModuleOptions, 'database'> & {
  /** Adds a media library in a temporary directory. */
  readonly library?: boolean;
  /** Further modules. */
  readonly imports?: NonNullable<ModuleMetadata['imports']>;
};

class Root {}

export async function startApp(
  { library = false, imports = [], ...options }: Options,
  databaseUrl: string,
  adapter: 'express' | 'fastify' = 'express',
): Promise<RunningApp> {
  const content = ContentModule.forRoot({
    ...options,
    // Content has passwords at every depth.
    limits: { passwords: 1000, ...options.limits },
    // Many applications open connections at once, and a busy machine must not look like an outage.
    database: { clientUrl: databaseUrl, driverOptions: { connectionTimeoutMillis: 60_000 } },
  });
  const directory = library ? await mkdtemp(join(tmpdir(), 'fuzz-files-')) : null;
  const files =
    directory === null ? [] : [FilesModule.forRoot({ storage: new LocalStorage(directory), images: null })];
  const module = {
    module: Root,
    imports: [content, DeskModule.forRoot({ path: '/api/desk' }), ...files, ...imports],
  };
  const app =
    adapter === 'fastify'
      ? await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
          logger: ['error', 'fatal'],
          abortOnError: false,
        })
      : await NestFactory.create(module, { logger: ['error', 'fatal'], abortOnError: false });
  await app.listen(0, '127.0.0.1');
  keepIdleConnections(app);
  const close = async (): Promise<void> => {
    await app.close();
    if (directory !== null) await rm(directory, { recursive: true, force: true });
  };
  return { app, url: await app.getUrl(), close };
}

export const createTables = (app: INestApplication): Promise<void> =>
  app.get<MikroORM>(CONTENT_ORM, { strict: false }).schema.create();

/** Runs SQL on a separate connection. */
export async function withSql<T>(databaseUrl: string, work: (sql: RunSql) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(
      async (text, values = []) => (await client.query<Record<string, unknown>>(text, values)).rows,
    );
  } finally {
    await client.end();
  }
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly milliseconds: number;
}

/** Keep-alive client that sends a request target without changes. */
export class Client {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 16 });
  private readonly host: string;
  private readonly port: number;
  /** Compares responses with the API description; null without a description. */
  readonly described: DescriptionOracle | null;

  constructor(url: string, { described = false }: { readonly described?: boolean } = {}) {
    const { hostname, port } = new URL(url);
    this.host = hostname;
    this.port = Number(port);
    this.described = described
      ? new DescriptionOracle((path, headers) => this.describe(path, headers))
      : null;
  }

  private async describe(
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const reply = await this.attempt(path, headers, 'GET');
    // A parser error of the request before may be answered on the connection that this request reuses.
    const { status, body } = isFromNode(reply) ? await this.attempt(path, headers, 'GET') : reply;
    return { status, body: bodyOf(body) };
  }

  /** Sends a request. Throws if the response does not match the API description of its caller. */
  async get(
    path: string,
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
    body?: string,
  ): Promise<Reply> {
    const reply = await this.attempt(path, headers, method, body);
    if (this.described === null || isFromNode(reply)) return reply;
    const { status } = reply;
    const problem = await this.described.problem({ method, path, headers, status, body: bodyOf(reply.body) });
    if (problem !== null) throw new Error(problem);
    return reply;
  }

  /** Repeats a request whose idle connection the server closed when it was reused. */
  private async attempt(
    path: string,
    headers: Readonly<Record<string, string>>,
    method: string,
    body?: string,
  ): Promise<Reply> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.send(
          path,
          body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
          method,
          body,
        );
      } catch (error) {
        // Invalid HTTP bytes make the parser close the connection, sometimes before the client can read the
        // response.
        if (/[^\x21-\x7e]/.test(path)) return { status: 400, headers: {}, body: '', milliseconds: 0 };
        if (attempt > 3 || !(error as { reused?: boolean }).reused) throw error;
      }
    }
  }

  private send(
    path: string,
    headers: Readonly<Record<string, string>>,
    method: string,
    body: string | undefined,
  ): Promise<Reply> {
    const start = performance.now();
    return new Promise((resolve, reject) => {
      const sent = request(
        { host: this.host, port: this.port, path, method, headers, agent: this.agent },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: text,
              milliseconds: performance.now() - start,
            });
          });
        },
      );
      sent.setTimeout(30_000, () =>
        sent.destroy(new Error(`no answer within 30 s to ${path.slice(0, 300)}`)),
      );
      sent.on('error', (error) => reject(sent.reusedSocket ? Object.assign(error, { reused: true }) : error));
      sent.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
