/** Settings of new connections: parameters in the URL, defaults, and log lines about them. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/core';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { jest } from '@jest/globals';
import { type DynamicModule, Injectable, Logger, type ModuleMetadata } from '@nestjs/common';
import {
  BeforeContent,
  CONTENT_ORM,
  contentEntities,
  ContentMetrics,
  ContentModule,
  type ContentModuleOptions,
  defineCollectionType,
  migrateContent,
} from 'nestjs-content-api';
import { types } from 'pg';
import supertest from 'supertest';
import { type Host, startHost } from '../http/helpers.ts';
import { recordBatches } from '../support/app.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { lookUntil } from '../support/look-until.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: {
    title: { type: 'string' },
    day: { type: 'date' },
    time: { type: 'time' },
    at: { type: 'datetime' },
    about: { type: 'relation', relation: 'manyToMany', target: 'note' },
  },
});

const watched = defineCollectionType({
  singularApiId: 'watched',
  pluralApiId: 'watcheds',
  attributes: { title: { type: 'string' } },
});

/** A hook makes each write a transaction that application code joins. */
@Injectable()
class Watcher {
  @BeforeContent('watched', 'create')
  look(): void {}
}

/** Code of the message that requests encryption, the first one of a connection. */
const SSL_REQUEST = 80_877_103;

describe('connections', () => {
  let database: TestDatabase;
  let folder: string;
  const servers: Server[] = [];
  beforeAll(async () => {
    database = await createDatabase();
    folder = await mkdtemp(join(tmpdir(), 'content-api-socket-'));
  });
  afterEach(async () => {
    MikroOrmModule.clearStorage();
    for (const server of servers.splice(0)) await new Promise((done) => server.close(done));
  });
  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const content = (options: Partial<ContentModuleOptions>): DynamicModule =>
    ContentModule.forRoot({
      contentTypes: [note, watched],
      access: { public: { note: '*', watched: '*' } },
      // Without the cache, replicas get every read.
      cache: false,
      ...options,
    });
  const start = (
    options: NonNullable<ContentModuleOptions['database']>,
    imports: ModuleMetadata['imports'] = [content({ database: options })],
  ): Promise<Host> =>
    startHost(() => ({ imports, providers: [Watcher] }), {
      database,
      ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.update({ safe: true }),
    });

  /** Starts a server on a free port or on the path of a socket. */
  async function listen(
    at: { port: number } | { path: string },
    take: (socket: Socket) => void,
  ): Promise<Server> {
    const server = createServer(take);
    servers.push(server);
    await new Promise<void>((done) => server.listen(at, done));
    return server;
  }

  const withQuery = (query: string, change: (url: URL) => void = () => undefined): string => {
    const url = new URL(database.url);
    change(url);
    return `${url.href}?${query}`;
  };

  it('to a URL with a socket folder use that socket', async () => {
    const { hostname, port } = new URL(database.url);
    let connections = 0;
    await listen({ path: join(folder, '.s.PGSQL.5432') }, (socket) => {
      connections += 1;
      const server = connect(Number(port), hostname);
      socket.pipe(server).pipe(socket);
      socket.on('error', () => server.destroy());
      server.on('error', () => socket.destroy());
    });
    const clientUrl = withQuery(`host=${encodeURIComponent(folder)}`, (url) => void (url.port = '5432'));
    const host = await start({ clientUrl });
    await supertest(host.url)
      .post('/api/notes')
      .send({ data: { title: 'a' } })
      .expect(201);
    await supertest(host.url).get('/api/notes').expect(200);
    await host.close();
    expect(connections).toBeGreaterThan(1);
  });

  it.each(['sslmode=no-verify', 'sslmode=verify-full', 'ssl=true'])(
    'with %s never send unencrypted data',
    async (query) => {
      const first: number[] = [];
      const server = await listen({ port: 0 }, (socket) =>
        socket.once('data', (data) => {
          first.push(data.readInt32BE(4));
          // The server has no encryption.
          socket.end('N');
        }),
      );
      const { port } = server.address() as { port: number };
      const clientUrl = withQuery(query, (url) => {
        url.hostname = '127.0.0.1';
        url.port = String(port);
      });
      await expect(start({ clientUrl })).rejects.toThrow('does not support SSL');
      expect(new Set(first)).toEqual(new Set([SSL_REQUEST]));
    },
  );

  const namesOf = async (host: Host): Promise<unknown[]> => {
    const rows = await host.sql(
      `select distinct application_name as name from pg_stat_activity where datname = current_database()`,
    );
    return rows.map(({ name }) => name);
  };

  it('to a pooler that rejects settings report the solution', async () => {
    const text = 'SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0';
    const refusal = Buffer.alloc(5 + text.length);
    refusal.write('E');
    refusal.writeInt32BE(4 + text.length, 1);
    refusal.write(text, 5);
    const server = await listen({ port: 0 }, (socket) => socket.once('data', () => socket.end(refusal)));
    const { port } = server.address() as { port: number };
    const clientUrl = withQuery('', (url) => void (url.host = `127.0.0.1:${port}`));
    const said = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const host = await startHost(() => ({ imports: own(clientUrl), providers: [Watcher] }), { database });
    await supertest(host.url).get('/api/notes').expect(503);
    await host.close();
    expect(said.mock.calls.map(([line]) => String(line))).toContainEqual(
      expect.stringMatching(/08P01 unsupported startup parameter.*"preparedStatements: false"/),
    );
    said.mockRestore();
  });

  it('have application names, on replicas too, unless the options set them', async () => {
    const replicas = [
      { clientUrl: withQuery('application_name=copy') },
      { clientUrl: withQuery('application_name=unheard'), driverOptions: { application_name: 'own copy' } },
    ];
    const host = await start({ clientUrl: withQuery('application_name=news%20desk'), replicas });
    for (let page = 1; page <= 4; page += 1)
      await supertest(host.url).get(`/api/notes?pagination[page]=${page}`).expect(200);
    // Replicas are probed in the background, and a session has no name while it connects.
    const expected = ['news desk', 'copy', 'own copy'];
    const names = await lookUntil(
      () => namesOf(host),
      (seen) => expected.every((name) => seen.includes(name)),
    );
    await host.close();
    expect(names).toEqual(expect.arrayContaining(expected));

    const clientUrl = withQuery('application_name=unheard');
    const other = await start({ clientUrl, driverOptions: { application_name: 'own' } });
    names.push(...(await namesOf(other)));
    await other.close();
    expect(names).toContain('own');
    expect(names).not.toContain('unheard');
  });

  it('have the settings of the module, unless the options set them', async () => {
    const options = encodeURIComponent('-c lock_timeout=4711');
    const settings = `select current_setting('jit') as jit, current_setting('lock_timeout') as locks`;
    for (const [driverOptions, expected] of [
      [{}, { jit: 'off', locks: '4711ms' }],
      [{ options: '-c jit=on' }, { jit: 'on', locks: '4711ms' }],
      [() => ({ options: '-c lock_timeout=12' }), { jit: 'off', locks: '12ms' }],
    ] as const) {
      const host = await start({ clientUrl: withQuery(`options=${options}`), driverOptions });
      const connection = host.app.get<MikroORM<PostgreSqlDriver>>(CONTENT_ORM).em.getConnection();
      expect(await connection.execute(settings)).toEqual([expected]);
      await host.close();
    }
  });

  it('with a missing certificate file stop the start', async () => {
    const missing = join(folder, 'missing.pem');
    await expect(start({ clientUrl: withQuery(`sslrootcert=${missing}`) })).rejects.toThrow('missing.pem');
  });

  type Imports = (clientUrl: string) => NonNullable<ModuleMetadata['imports']>;
  const own: Imports = (clientUrl) => [content({ database: { clientUrl } })];
  const pooled: Imports = (clientUrl) => [content({ database: { clientUrl }, preparedStatements: false })];
  const hosts: Imports = (clientUrl) => [
    MikroOrmModule.forRoot({ driver: PostgreSqlDriver, clientUrl, autoLoadEntities: true }),
    content({}),
  ];
  it.each([
    ['of its own', own, false],
    ['through a pooler', pooled, true],
    ["of the host's", hosts, true],
  ])('connections %s: JIT compilation is off', async (_whose, imports, says) => {
    const host = await start({ clientUrl: database.url }, imports(database.url));
    const http = supertest(host.url);
    const jitBatches = (work: () => Promise<unknown>): Promise<string[]> =>
      recordBatches(work).then((all) =>
        all.filter((texts) => texts.some((text) => /'jit'/.test(text))).flat(),
      );
    const deep = 'populate[about][populate][about][populate][about][populate]=*';
    expect(await jitBatches(() => http.get('/api/notes').expect(200))).toEqual([]);
    const sent = await jitBatches(() => http.get(`/api/notes?${deep}`).expect(200));
    const jit = "set_config('jit', 'off', true)";
    expect(sent).toEqual(says ? [`select ${jit}`, expect.stringContaining('"notes"')] : []);
    const written = await jitBatches(() =>
      http
        .post('/api/notes')
        .send({ data: { title: 'a' } })
        .expect(201),
    );
    expect(written.some((text) => text.includes(jit))).toBe(says);
    const joined = await jitBatches(() => http.post('/api/watcheds').send({ data: {} }).expect(201));
    expect(joined).toEqual([expect.stringContaining(jit)]);
    await host.close();
  });

  it.each([
    ['of its own', own],
    ["of the host's", hosts],
  ])('connections %s: other defaults of the database have no effect', async (_whose, imports) => {
    const name = new URL(database.url).pathname.slice(1);
    const before = await start({ clientUrl: database.url });
    await before.sql(
      [
        'datestyle to SQL, DMY',
        "timezone to 'America/New_York'",
        'default_transaction_isolation to serializable',
      ]
        .map((setting) => `alter database ${name} set ${setting}`)
        .join(';'),
    );
    await before.close();
    const host = await start({ clientUrl: database.url }, imports(database.url));
    const http = supertest(host.url);
    const values = { day: '2024-02-29', time: '23:59:01', at: '2024-05-06T23:30:00.000Z' };
    const { body } = await http
      .post('/api/notes')
      .send({ data: { title: 'x', ...values } })
      .expect(201);
    expect(body.data).toMatchObject(values);
    for (const filter of [
      '[day]=2024-02-29',
      '[day][$eqi]=2024-02-29',
      '[at][$gte]=2024-05-06T23:30:00Z',
      '[time][$eqi]=23:59:01',
    ]) {
      const found = await http.get(`/api/notes?filters[title]=x&filters${filter}`).expect(200);
      expect([filter, found.body.data]).toEqual([filter, [expect.objectContaining(values)]]);
    }
    // A transaction that waits for another must see its changes.
    await host.sql(
      `create function look() returns trigger language plpgsql as $$ begin
         if current_setting('transaction_isolation') <> 'read committed' then raise 'another isolation'; end if;
         return new; end $$;
       create trigger look before insert on notes for each row execute function look()`,
    );
    await http.post('/api/notes').send({ data: {} }).expect(201);
    await host.sql('drop function look() cascade');
    await host.sql(`delete from notes; alter database ${name} reset all`);
    await host.close();
  });

  it('the application may set type parsers of numbers and JSON', async () => {
    const kinds = [types.builtins.INT8, types.builtins.JSON, types.builtins.JSONB] as const;
    const usual = kinds.map((kind) => types.getTypeParser(kind));
    const other = await createDatabase();
    types.setTypeParser(types.builtins.INT8, BigInt);
    for (const kind of [types.builtins.JSON, types.builtins.JSONB]) types.setTypeParser(kind, String);
    try {
      const model = { contentTypes: [note, watched] };
      const entities = contentEntities(model);
      const orm = await MikroORM.init({ driver: PostgreSqlDriver, clientUrl: other.url, entities });
      for (let times = 0; times < 2; times += 1) await migrateContent({ orm, model });
      await orm.close();
      const clientUrl = other.url;
      const host = await startHost(() => ({ imports: own(clientUrl), providers: [Watcher] }), {
        database: other,
      });
      const http = supertest(host.url);
      const { body } = await http
        .post('/api/notes')
        .send({ data: { title: 'a' } })
        .expect(201);
      const path = `/api/notes/${body.data.documentId}?populate=about`;
      const about = [{ id: body.data.id }];
      const put = await http.put(path).send({ data: { about } }).expect(200);
      const [got, list] = [await http.get(path).expect(200), await http.get('/api/notes').expect(200)];
      expect([put.body.data.about, got.body]).toMatchObject([
        about,
        { data: { id: put.body.data.id, about } },
      ]);
      expect(list.body.meta.pagination.total).toBe(1);
      await host.close();
    } finally {
      kinds.forEach((kind, i) => types.setTypeParser(kind, usual[i] as (text: string) => unknown));
      await other.drop();
    }
  });

  it('a role that may only read and write rows is sufficient, except for migrations', async () => {
    const role = `writer_${randomBytes(6).toString('hex')}`;
    const before = await start({ clientUrl: database.url });
    await before.sql(
      `create role ${role} login password 'secret';
       grant select, insert, update, delete on all tables in schema public to ${role};
       grant usage, select on all sequences in schema public to ${role}`,
    );
    const said = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const url = new URL(database.url);
    [url.username, url.password] = [role, 'secret'];
    const host = await start({ clientUrl: url.href }, [
      content({ database: { clientUrl: url.href }, cache: { bytes: 1_000_000 } }),
    ]);
    const http = supertest(host.url);
    const { body } = await http
      .post('/api/notes')
      .send({ data: { title: 'a' } })
      .expect(201);
    const path = `/api/notes/${body.data.documentId}`;
    await http
      .put(path)
      .send({ data: { about: [body.data.documentId] } })
      .expect(200);
    for (let i = 0; i < 20; i += 1) await http.get(`${path}?populate=about`).expect(200);
    expect(host.app.get(ContentMetrics).cache.hits).toBeGreaterThan(0);
    await http.delete(path).expect(204);
    await http.get(path).expect(404);
    await host.app.get(ContentMetrics).recount();
    await host.close();
    expect(said.mock.calls).toEqual([]);
    said.mockRestore();
    await before.sql(`drop owned by ${role}; drop role ${role}`);
    await before.close();
  });

  it('reports missing settings of a pool of the application', async () => {
    const said = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    for (const [imports, expected] of [
      [own, []],
      [hosts, [expect.stringContaining('connectionTimeoutMillis')]],
    ] as const) {
      const host = await start({ clientUrl: database.url }, imports(database.url));
      await host.close();
      expect(said.mock.calls.map(([line]) => String(line))).toEqual(expected);
    }
    said.mockRestore();
  });
});
