/**
 * Application on a small pool, with separate sessions whose locks make statements wait as long as a test
 * needs.
 */
import { request as httpRequest } from 'node:http';
import { Injectable } from '@nestjs/common';
import {
  AfterContent,
  CONTENT_ORM,
  ContentModule,
  type ContentModuleOptions,
  defineCollectionType,
} from 'nestjs-content-api';
import type { MikroORM } from '@mikro-orm/core';
import pg from 'pg';
import { startHost } from '../http/helpers.ts';
import type { Adapter } from '../support/app.ts';
import { createDatabase } from '../support/database.ts';
import { lookUntil } from '../support/look-until.ts';
import { createNetwork, type Network } from './network.ts';

const group = defineCollectionType({
  singularApiId: 'group',
  pluralApiId: 'groups',
  attributes: {
    title: { type: 'string' },
    members: { type: 'relation', relation: 'manyToMany', target: 'member' },
  },
});
const member = defineCollectionType({
  singularApiId: 'member',
  pluralApiId: 'members',
  attributes: { name: { type: 'string' }, text: { type: 'text' } },
});
const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});
const hooked = defineCollectionType({
  singularApiId: 'hooked',
  pluralApiId: 'hookeds',
  attributes: { title: { type: 'string' } },
});

/** Writes of this type run in a transaction of MikroORM. */
@Injectable()
export class Watcher {
  /** Duration of the hook in milliseconds. */
  static takes = 0;
  /** Number of hooks that ran to their end. */
  static ended = 0;

  @AfterContent('hooked', 'create')
  async seen(): Promise<void> {
    await new Promise((done) => setTimeout(done, Watcher.takes));
    Watcher.ended += 1;
  }
}

interface Answered {
  readonly status: number;
  readonly body: { readonly error?: { readonly name: string; readonly details: Record<string, unknown> } };
  readonly retryAfter: string | undefined;
  readonly milliseconds: number;
}

export interface LoadedApp {
  readonly network: Network;
  readonly url: string;
  /** Sends a request; `hangUp` closes its connection. */
  ask(path: string, method?: string, data?: object): Promise<Answered> & { hangUp(): void };
  sql: pg.Client['query'];
  /** Acquires a lock and returns a function that releases it. */
  hold(lock: string): Promise<() => Promise<void>>;
  /** Number of running statements of the application. */
  active(): Promise<number>;
  close(): Promise<void>;
}

const GRANTS = ['find', 'findOne', 'create', 'update', 'delete'] as const;

type Options = Pick<ContentModuleOptions, 'limits' | 'load' | 'maxPreparedSize' | 'maxPreparedStatements'> & {
  readonly most?: number;
};

export async function startLoadedApp(
  adapter: Adapter,
  { most = 5, ...options }: Options,
): Promise<LoadedApp> {
  const database = await createDatabase();
  const network = await createNetwork(database.url);
  const host = await startHost(
    () => ({
      imports: [
        ContentModule.forRoot({
          contentTypes: [group, member, note, hooked],
          access: {
            public: { group: [...GRANTS], member: [...GRANTS], note: [...GRANTS], hooked: [...GRANTS] },
          },
          database: {
            clientUrl: network.url,
            pool: { min: 0, max: most },
            driverOptions: { application_name: 'loaded app' },
          },
          ...options,
        }),
      ],
      providers: [Watcher],
    }),
    { adapter, database, ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.create() },
  );
  const client = new pg.Client(database.url);
  await client.connect();
  const running = `select count(*)::int as n from pg_stat_activity
    where datname = current_database() and application_name = 'loaded app' and state = 'active'`;
  return {
    network,
    url: host.url,
    ask: (path, method = 'GET', data) => ask(host.url + path, method, data),
    sql: client.query.bind(client),
    hold: async (lock) => {
      const holder = new pg.Client(database.url);
      await holder.connect();
      await holder.query(`begin; ${lock}`);
      return () => holder.end();
    },
    active: async () => Number((await client.query<{ n: number }>(running)).rows[0]?.n),
    close: async () => {
      await client.end();
      await host.close();
      await network.close();
      await database.drop();
    },
  };
}

function ask(url: string, method: string, data?: object): Promise<Answered> & { hangUp(): void } {
  const started = performance.now();
  const body = data === undefined ? undefined : JSON.stringify({ data });
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = httpRequest(url, { method, headers, agent: false });
  const answered = new Promise<Answered>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: text === '' ? {} : (JSON.parse(text) as Answered['body']),
          retryAfter: response.headers['retry-after'],
          milliseconds: performance.now() - started,
        }),
      );
    });
  });
  sent.end(body);
  return Object.assign(answered, { hangUp: () => void sent.destroy() });
}

/** Waits until `look` returns the expected value; fails with the last value. */
export async function until<T>(look: () => Promise<T>, expected: T, milliseconds = 60_000): Promise<void> {
  expect(await lookUntil(look, (seen) => seen === expected, milliseconds)).toBe(expected);
}
