/**
 * Resources of connections on the server: memory of prepared statements, and the time limit of statements.
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  CONTENT_ORM,
  ContentModule,
  type ContentService,
  defineCollectionType,
  getContentToken,
} from 'nestjs-content-api';
import type { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { type Host, startHost } from '../http/helpers.ts';
import { ADAPTERS } from '../support/app.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { dose, expectSoon } from '../support/dose.ts';
import { type LoadedApp, startLoadedApp, until, Watcher } from './loaded-app.ts';

const thing = defineCollectionType({
  singularApiId: 'thing',
  pluralApiId: 'things',
  attributes: Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [`a${i}`, { type: 'string' }] as const),
  ),
});

describe('prepared statements', () => {
  let database: TestDatabase;
  let host: Host;

  const open = async (options: object): Promise<void> => {
    database = await createDatabase();
    host = await startHost(
      () => ({
        imports: [
          ContentModule.forRoot({
            contentTypes: [thing],
            access: { public: { thing: ['find'] } },
            // One connection, so that queries for inspection run on the connection of the routes.
            database: { clientUrl: database.url, pool: { min: 0, max: 1 } },
            ...options,
          }),
        ],
      }),
      { database, ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.create() },
    );
  };
  afterEach(async () => {
    await host.close();
    await database.drop();
  });

  const onConnection = async (statement: string): Promise<Record<string, unknown>> => {
    const em = host.app.get<MikroORM>(CONTENT_ORM, { strict: false }).em as SqlEntityManager;
    const [row] = await em.getConnection().execute<Record<string, unknown>[]>(statement);
    return row ?? {};
  };
  const prepared = () =>
    onConnection(
      `select count(*)::int as names, coalesce(sum(length(statement)), 0)::int as size from pg_prepared_statements`,
    );
  /** Returns a query with a different template for every number. */
  const shape = (n: number): string => {
    const conditions = Array.from(
      { length: 12 },
      (_, i) => `filters[$or][${i}][a${i}][${n & (1 << i) ? '$eq' : '$ne'}]=x`,
    );
    return `${host.url}/api/things?${conditions.join('&')}`;
  };
  /** The same without a condition, which needs little memory. */
  const small = (n: number): string => {
    const fields = Array.from({ length: 12 }, (_, i) => i).filter((i) => n & (1 << i));
    return `${host.url}/api/things?${fields.map((i, at) => `fields[${at}]=a${i}`).join('&')}`;
  };
  const get = async (url: string): Promise<void> => {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    await response.text();
  };

  it('R6: are limited by their size', async () => {
    await open({ maxPreparedSize: 20_000 });
    for (let n = 0; n < 40; n += 1) for (let time = 0; time < 3; time += 1) await get(shape(n));
    const { names, size } = await prepared();
    expect(Number(names)).toBeGreaterThan(2);
    expect(Number(size)).toBeLessThanOrEqual(20_000);
  });

  it('R6: are replaced by others when they are no longer used, and the connection deallocates them', async () => {
    await open({ maxPreparedStatements: 20 });
    for (let n = 1; n < 31; n += 1) for (let time = 0; time < 2; time += 1) await get(small(n));
    const before = await onConnection('select array_agg(name) as names from pg_prepared_statements');
    // Two generations of other templates, and one that stays in use.
    for (let n = 1000; n < 2100; n += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, i) => get(small(n + i))));
      if (n % 50 === 0) await get(small(1));
    }
    await get(small(4000));
    await get(small(4000));
    const after = await onConnection('select array_agg(name) as names from pg_prepared_statements');
    const kept = (after['names'] as string[]).filter((name) => (before['names'] as string[]).includes(name));
    expect((before['names'] as string[]).length).toBe(20);
    expect(kept.length).toBe(1);
    // On a busy machine a slow read gives way and is repeated, which prepares its statement, too.
    expect((after['names'] as string[]).length).toBeLessThan(20);
  });

  it('R6: any number of large templates costs a connection at most 10 MB', async () => {
    await open({});
    for (let n = 0; n < 20; n += 1) await get(shape(n));
    const bytes = async (): Promise<number> =>
      Number(
        (await onConnection('select sum(total_bytes)::int8 as bytes from pg_backend_memory_contexts'))[
          'bytes'
        ],
      );
    const before = await bytes();
    for (let n = 0; n < dose(100, 400); n += 10)
      for (let time = 0; time < 2; time += 1)
        await Promise.all(Array.from({ length: 10 }, (_, i) => get(shape(n + i))));
    expect((await bytes()) - before).toBeLessThan(10 * 1024 * 1024);
  });

  it('R10: the server limits the time of a statement', async () => {
    await open({ limits: { statementTimeout: 4000 } });
    expect(await onConnection('show statement_timeout')).toEqual({ statement_timeout: '5s' });
  });

  it('R10: the server limits the time of a write without prepared statements', async () => {
    await open({ limits: { statementTimeout: 4000 }, preparedStatements: false });
    expect(await onConnection('show statement_timeout')).toEqual({ statement_timeout: '0' });
    await host.sql(`create function note_limit() returns trigger language plpgsql as $$ begin
      new.a0 := current_setting('statement_timeout'); return new; end $$`);
    await host.sql(
      'create trigger limits before insert on things for each row execute function note_limit()',
    );
    const things = host.app.get<ContentService>(getContentToken('thing'));
    expect(await things.create({})).toMatchObject({ a0: '5s' });
    expect(await onConnection('show statement_timeout')).toEqual({ statement_timeout: '0' });
  });
});

describe('a server without a free connection', () => {
  it('R10: ends statements after their requests timed out', async () => {
    const loaded = await startLoadedApp('express', { most: 3, limits: { statementTimeout: 800 } });
    const free = await loaded.hold('lock table members in access exclusive mode');
    const crowd = Array.from({ length: 3 }, (_, i) => loaded.ask(`/api/members?n=${i}`));
    await until(() => loaded.active(), 3);
    // Further connections are refused, also the one that would cancel a statement.
    const { rows } = await loaded.sql<{ name: string }>('select quote_ident(current_database()) as name');
    const database = rows[0]?.name ?? '';
    const server = new pg.Client(process.env.TEST_DATABASE_URL);
    await server.connect();
    await server.query(`alter database ${database} allow_connections false`);
    expect((await Promise.all(crowd)).map(({ status }) => status)).toEqual([503, 503, 503]);
    await until(() => loaded.active(), 0, dose(20_000, 700));
    await free();
    await server.query(`alter database ${database} allow_connections true`);
    await server.end();
    await loaded.close();
  });
});

describe('responses that the client does not read', () => {
  it.each(['express', 'fastify'] as const)('R21: do not fill the memory of %s', async (adapter) => {
    const loaded = await startLoadedApp(adapter, { load: { unsentBytes: 20_000_000 } });
    await loaded.sql(
      `insert into members (document_id, locale, published, created_at, updated_at, name, text)
       select 'm' || n, 'en', true, now(), now(), 'n', repeat('x', 80000) from generate_series(1, 100) n`,
    );
    const { port } = new URL(loaded.url);
    const whole = `${loaded.url}/api/members?pagination[pageSize]=100`;
    const etag = (await fetch(whole)).headers.get('etag') ?? '';
    const slow = Array.from({ length: 6 }, () => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.pause();
      socket.write('GET /api/members?pagination[pageSize]=100 HTTP/1.1\r\nHost: x\r\n\r\n');
      return socket;
    });
    let refused = await loaded.ask('/api/members?pagination[pageSize]=100');
    const end = performance.now() + 30_000;
    while (refused.status === 200 && performance.now() < end) {
      await sleep(100);
      refused = await loaded.ask('/api/members?pagination[pageSize]=100');
    }
    expect([refused.status, refused.body.error?.details['limit']]).toEqual([503, 'load.unsentBytes']);
    expect((await loaded.ask('/api/members?pagination[pageSize]=1')).status).toBe(200);
    expect((await fetch(whole, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await fetch(whole, { method: 'HEAD' })).status).toBe(200);
    for (const socket of slow) socket.destroy();
    await until(async () => (await loaded.ask('/api/members?pagination[pageSize]=100')).status, 200);
    await loaded.close();
  });
});

describe('connections without a response', () => {
  const LAST = [
    ['say nothing', ''],
    ['stop within a head', 'GET /api/notes HTTP/1.1\r\nHost: x\r\n'],
    [
      'stop within a body',
      'POST /api/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"da',
    ],
  ] as const;

  /** Returns the milliseconds that an application needs to close while such connections are open. */
  async function closing(loaded: LoadedApp, texts: readonly string[]): Promise<number> {
    for (const text of texts) {
      const socket = connect(Number(new URL(loaded.url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      if (text !== '') socket.write(text);
    }
    await sleep(100);
    const started = performance.now();
    await loaded.close();
    return performance.now() - started;
  }

  // All of them wait at the same time.
  it.each(LAST)('R24: do not delay the shutdown when they %s, on either adapter', async (_, text) => {
    const closed = ADAPTERS.map(async (adapter) => closing(await startLoadedApp(adapter, {}), [text]));
    for (const took of await Promise.all(closed)) expectSoon(took, 4000);
  });

  it('R24: are closed after the last response, however long it takes', async () => {
    const loaded = await startLoadedApp('express', {});
    Watcher.takes = 2000;
    const asked = loaded.ask('/api/hookeds', 'POST', { title: 'late' });
    const texts = LAST.map(([, text]) => text);
    const took = await closing(loaded, texts);
    Watcher.takes = 0;
    expect((await asked).status).toBe(201);
    expectSoon(took, 5000);
  });
});

describe('errors at start', () => {
  const warned: string[] = [];
  const start = async (clientUrl: string): Promise<void> => {
    warned.length = 0;
    const module = () => ({
      imports: [
        ContentModule.forRoot({
          contentTypes: [thing],
          access: { public: { thing: '*' } },
          database: { clientUrl },
        }),
      ],
    });
    const log = {
      log: () => undefined,
      error: () => undefined,
      warn: (message: string) => void warned.push(message),
    };
    const { Test } = await import('@nestjs/testing');
    const compiled = await Test.createTestingModule(module()).setLogger(log).compile();
    const app = compiled.createNestApplication();
    await app.init();
    await app.close();
  };

  it('M6: reports a missing database', async () => {
    await start('postgresql://nobody@127.0.0.1:1/nothing');
    expect(warned).toEqual([expect.stringMatching(/^The database cannot be used: .*ECONNREFUSED.*503$/)]);
  });

  it('M10: reports missing tables and columns, and how to create them', async () => {
    const database = await createDatabase();
    await start(database.url);
    expect(warned).toEqual([expect.stringMatching(/^The database lacks .*"things".*: .*run .*migration/)]);
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query('create table things (id int, a1 text)');
    await start(database.url);
    expect(warned).toEqual([expect.stringMatching(/"things"\."a2"/)]);
    await client.end();
    await database.drop();
  });
});
