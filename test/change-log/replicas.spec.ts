/** Reads from replicas: as recent as the client requires, and from the primary if no replica is. */
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { type INestApplication, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MikroORM } from '@mikro-orm/core';
import {
  CONTENT_ORM,
  ContentModule,
  type ContentModuleOptions,
  type ContentService,
  defineCollectionType,
  getContentToken,
} from 'nestjs-content-api';
import pg from 'pg';
import supertest from 'supertest';
import { ChangeLogWorker } from '../../src/cache/change-log-worker.ts';
import { createNetwork } from '../crowd/network.ts';
import { failure } from '../http/helpers.ts';
import { dose } from '../support/dose.ts';
import { lookUntil } from '../support/look-until.ts';
import { type Replicated, startReplicated } from '../support/replicas.ts';
import { textsOf } from '../support/upkeep.ts';
import { watchQueries } from '../support/watch-queries.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  draftAndPublish: true,
  attributes: { title: { type: 'string' } },
});

/** Number of clients, and of their reads in each of four ways: 1,000 reads in all in the proofs. */
const [CLIENTS, WRITES] = dose([5, 10], [10, 25]);
const LIST = '/api/notes?pagination[pageSize]=5';
/** Start of the first timeline. */
const ZERO = `00000001${'0'.repeat(16)}`;
const MARK = /^[0-9a-f]{24}$/;
const ANY: unknown = expect.any(Number);

describe('replicas', () => {
  let servers: Replicated;
  let app: INestApplication;
  let http: ReturnType<typeof supertest.agent>;
  let primary: pg.Client;
  let followers: pg.Client[];
  const apps: INestApplication[] = [];
  const warned: string[] = [];

  const connect = async ({ url }: { url: string }): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client;
  };
  const start = async (
    replicas = servers.replicas.map(({ url }) => url),
    more: Partial<ContentModuleOptions> = {},
  ): Promise<INestApplication> => {
    const database = {
      clientUrl: servers.primary.url,
      replicas: replicas.map((clientUrl) => ({ clientUrl })),
      ...more.database,
    };
    const options = {
      contentTypes: [note],
      access: { public: { note: '*' } },
      cache: false,
      // The machine may be busy.
      maxReplicaLag: 60_000,
      ...more,
      database,
    } as const;
    const started = await NestFactory.create(ContentModule.forRoot(options), { logger: ['warn'] });
    await started.listen(0, '127.0.0.1');
    apps.push(started);
    return started;
  };
  const agentOf = async (one: INestApplication) => supertest.agent(await one.getUrl());

  beforeAll(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line) => void warned.push(String(line)));
    servers = await startReplicated();
    primary = await connect(servers.primary);
    followers = await Promise.all(servers.replicas.map(connect));
    app = await start();
    await app.get<MikroORM>(CONTENT_ORM).schema.create();
    http = await agentOf(app);
    await make('first');
    await arrive();
    await warm(http);
  });
  afterAll(async () => {
    for (const one of apps) await one.close();
    for (const client of [primary, ...followers]) await client.end();
    await servers.stop();
    jest.restoreAllMocks();
  });

  const make = async (title: string): Promise<{ path: string; mark: string }> => {
    const { body, headers } = await http.post('/api/notes').send({ data: { title } }).expect(201);
    return { path: `/api/notes/${body.data.documentId}`, mark: String(headers['content-position']) };
  };
  const get = (path: string, mark?: string) =>
    mark === undefined ? http.get(path) : http.get(path).set('Content-Position', mark);
  const onAll = (text: string) => Promise.all(followers.map((client) => client.query(text)));
  /** Waits until the replicas have replayed everything. */
  const arrive = async (): Promise<void> => {
    await primary.query(`select pg_logical_emit_message(false, 'test', 'here', true)`);
    const { rows } = await primary.query<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn');
    const hasArrived = `select pg_last_wal_replay_lsn() >= '${rows[0]?.lsn}' as yes`;
    const haveAll = async (): Promise<boolean> =>
      (await onAll(hasArrived)).every((result) => result.rows[0].yes);
    expect(await lookUntil(haveAll, Boolean)).toBe(true);
  };
  /** Runs while the replicas are paused. */
  const whilePaused = async (work: () => Promise<unknown>): Promise<void> => {
    await arrive();
    await onAll('select pg_wal_replay_pause()');
    try {
      await work();
    } finally {
      await onAll('select pg_wal_replay_resume()');
      await arrive();
    }
  };
  /**
   * Returns the number of statements about notes that each server receives during `work`: the primary, then
   * the replicas.
   */
  const countReads = async (work: () => Promise<unknown>): Promise<number[]> => {
    const ports = [servers.primary, ...servers.replicas].map(({ url }) => Number(new URL(url).port));
    const counts = ports.map(() => 0);
    await watchQueries((query, { port }) => {
      const at = ports.indexOf(port);
      if (at >= 0 && textsOf(query).some((text) => text.includes('from "notes"')))
        counts[at] = (counts[at] ?? 0) + 1;
    }, work);
    return counts;
  };

  /**
   * Reads until both replicas are known to be fresh, because the first read of an application uses the
   * primary.
   */
  const warm = async (agent: supertest.Agent): Promise<void> => {
    const twice = async (): Promise<void> => {
      for (let i = 0; i < 2; i += 1) await agent.get(LIST).expect(200);
    };
    while (String(await countReads(twice)) !== '0,1,1') await sleep(20);
  };

  it('serve requests without a position in turn, with any lag', async () => {
    const { path } = await make('one');
    await arrive();
    const reads = async (): Promise<void> => {
      for (let i = 0; i < 4; i += 1) await get(path).expect(200);
    };
    expect(await countReads(reads)).toEqual([0, 2, 2]);
    let later = '';
    await whilePaused(async () => {
      later = (await make('two')).path;
      await get(later).expect(404);
    });
    await get(later).expect(200);
  });

  it('every write reports its position, and so does every read of the primary (R4)', async () => {
    const { path, mark } = await make('one');
    const marks = [mark];
    const note = async (request: supertest.Test): Promise<void> =>
      void marks.push(String((await request).headers['content-position']));
    await note(http.put(path).send({ data: { title: 'two' } }));
    for (const url of [path, LIST, `${LIST}&filters[title]=two`, `${path}?populate=*`])
      await note(get(url, 'primary').expect(200));
    await note(http.head(path).set('Content-Position', 'primary').expect(200));
    const { headers } = await get(path, 'primary');
    await note(get(path, 'primary').set('If-None-Match', String(headers['etag'])).expect(304));
    await note(http.delete(path));
    for (const one of marks) expect(one).toMatch(MARK);
    expect(marks).toEqual([...marks].sort());
    const read = await get(LIST);
    expect(read.headers['vary']).toContain('Content-Position');
  });

  it('a response of a replica reports the position of that replica, which another one may not have reached', async () => {
    const [paused, other] = followers as [pg.Client, pg.Client];
    const { path } = await make('old');
    await arrive();
    await paused.query('select pg_wal_replay_pause()');
    try {
      const { headers } = await http.put(path).send({ data: { title: 'new' } });
      const { rows } = await primary.query<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn');
      const hasArrived = `select pg_last_wal_replay_lsn() >= '${rows[0]?.lsn}' as yes`;
      while ((await other.query<{ yes: boolean }>(hasArrived)).rows[0]?.yes !== true) await sleep(10);
      const seen = new Map<unknown, string>();
      for (let i = 0; i < 4; i += 1) {
        const { body, headers: own } = await get(path).expect(200);
        seen.set(body.data.title, String(own['content-position']));
      }
      expect([...seen.keys()].sort()).toEqual(['new', 'old']);
      for (const position of seen.values()) expect(position).toMatch(MARK);
      expect(String(seen.get('old')) < String(headers['content-position'])).toBe(true);
      for (let i = 0; i < 4; i += 1)
        expect((await get(path, seen.get('new')).expect(200)).body.data.title).toBe('new');
    } finally {
      await paused.query('select pg_wal_replay_resume()');
    }
  });

  it('a reader that repeats the positions of its reads is never shown anything older (R4)', async () => {
    const keeping = await start(undefined, { cache: { bytes: 1_000_000 } });
    await keeping.get(ChangeLogWorker).maintain();
    const readers = [await agentOf(keeping), http];
    await warm(http);
    await whilePaused(async () => {
      const { path } = await make('one');
      let known = 'primary';
      for (const title of ['two', 'three', 'four']) {
        await http.put(path).send({ data: { title } }).expect(200);
        await readers[0]?.get(path).expect(200);
        // Alternates between the cache of one instance and the servers that another one reads.
        for (let i = 0; i < 6; i += 1) {
          const reader = readers[i % 2] as supertest.Agent;
          const { body, headers } = await reader.get(path).set('Content-Position', known).expect(200);
          expect(body.data.title).toBe(title);
          const position = String(headers['content-position']);
          expect(known === 'primary' || position >= known).toBe(true);
          known = position;
        }
      }
    });
  });

  it('the primary responds to a position of an earlier version, and to "primary" (R4)', async () => {
    const { mark } = await make('known');
    await arrive();
    for (const position of [
      'primary',
      mark.slice(8),
      `${ZERO}, primary`,
      `${mark}, 00000002${mark.slice(8)}`,
    ])
      expect(await countReads(() => get(LIST, position).expect(200))).toEqual([1, 0, 0]);
    expect((await countReads(() => get(LIST, `${ZERO}, ${mark}`).expect(200)))[0]).toBe(0);
  });

  it('the OpenAPI document has the header, only with replicas', async () => {
    const described = async (one: supertest.Agent) => {
      const { body } = await one.get('/api/openapi.json').expect(200);
      const { get: read, post: write } = body.paths['/api/notes'];
      const parameters = read.parameters.map(({ $ref = '' }: { $ref?: string }) => $ref.split('/').at(-1));
      return [parameters.includes('position'), Object.keys(write.responses[201].headers as object)];
    };
    expect(await described(http)).toEqual([true, ['ETag', 'Idempotency-Replayed', 'Content-Position']]);
    expect(await described(await agentOf(await start([])))).toEqual([
      false,
      ['ETag', 'Idempotency-Replayed'],
    ]);
  });

  it('a client that sends its position never reads older than its writes', async () => {
    const client = async (): Promise<void> => {
      const { path } = await make('0');
      for (let i = 1; i <= WRITES; i += 1) {
        const title = `${path} ${i}`;
        const { headers } = await http.put(path).send({ data: { title } }).expect(200);
        const mark = String(headers['content-position']);
        const list = `/api/notes?filters[title]=${encodeURIComponent(title)}`;
        const reads = [path, `${path}?fields=title`, list, `${list}&sort=title`].map((url) => get(url, mark));
        for (const { body } of await Promise.all(reads))
          expect([body.data].flat()).toMatchObject([{ title }]);
      }
    };
    const counts = await countReads(() => Promise.all(Array.from({ length: CLIENTS }, client)));
    // Each server received reads.
    for (const count of counts) expect(count).toBeGreaterThan(0);
  });

  it('while they are paused, reads with a position that they have not reached use the primary', async () => {
    const { path: before } = await make('before');
    await whilePaused(async () => {
      const { path, mark } = await make('late');
      expect(await countReads(() => get(path, mark).expect(200))).toEqual([1, ANY, ANY]);
      // Of several positions the latest applies.
      await get(path, `${mark}, ${ZERO}`).expect(200);
      const [atPrimary] = await countReads(() => get(before, ZERO).expect(200));
      expect(atPrimary).toBe(0);
    });
  });

  it('refuses an invalid position with 400', async () => {
    for (const wrong of [
      'yesterday',
      '0/16B374D8',
      'F'.repeat(16),
      '',
      `${ZERO},`,
      `${ZERO}; drop table notes`,
    ]) {
      const { body } = await get(LIST, wrong).expect(400);
      expect(body).toEqual(
        failure(400, 'ValidationError', 'Content-Position must be a position from a response, or "primary"', {
          key: 'Content-Position',
        }),
      );
    }
  });

  it('a session in repeatable read is never considered recent enough', async () => {
    const frozen = await start(undefined, {
      database: { driverOptions: { options: '-c default_transaction_isolation=repeatable\\ read' } },
    });
    const agent = await agentOf(frozen);
    await warm(agent);
    const [atPrimary] = await countReads(() => agent.get(LIST).set('Content-Position', ZERO).expect(200));
    expect(atPrimary).toBe(1);
  });

  it('services read the primary, and so do the checks of a write', async () => {
    const notes = app.get<ContentService>(getContentToken('note'), { strict: false });
    await whilePaused(async () => {
      const { path } = await make('now');
      expect((await notes.find({ filters: { title: 'now' } })).data).toHaveLength(1);
      await http
        .put(path)
        .send({ data: { title: 'then' } })
        .expect(200);
      await http.delete(path).expect(204);
    });
  });

  it('cached responses are read from the primary, so that they are never stale', async () => {
    const keeping = await start(undefined, { cache: { bytes: 1_000_000 } });
    const worker = keeping.get(ChangeLogWorker);
    await worker.maintain();
    const agent = await agentOf(keeping);
    await whilePaused(async () => {
      for (const title of ['a', 'b', 'c']) {
        const { body } = await agent.post('/api/notes').send({ data: { title } }).expect(201);
        for (let i = 0; i < 3; i += 1) {
          const answer = await agent.get(`/api/notes/${body.data.documentId}`).expect(200);
          expect(answer.body.data.title).toBe(title);
        }
      }
    });
    expect(worker.changeLog.server).not.toBeNull();
  });

  // Here, because it concerns all databases of a server, and those of other suites are on one server.
  it('an instance with a cache reads everything again from a server that has lost commits', async () => {
    const keeping = await start([], { cache: { bytes: 1_000_000 } });
    const worker = keeping.get(ChangeLogWorker);
    await worker.maintain();
    const agent = await agentOf(keeping);
    const reads = (): Promise<number[]> => countReads(() => agent.get(LIST).expect(200));
    while ((await reads())[0] !== 0) await sleep(10);
    const before = worker.changeLog.server;
    // Looks like a crash.
    await primary.query(`select pg_stat_reset_shared('bgwriter')`);
    expect(await reads()).toEqual([1, 0, 0]);
    expect(worker.changeLog.server).not.toBe(before);
  });

  it('none is read if MikroORM is configured without them', async () => {
    const one = await start(undefined, { database: { preferReadReplicas: false } });
    const agent = await agentOf(one);
    const { headers } = await agent.post('/api/notes').send({ data: { title: 'x' } });
    expect(headers).not.toHaveProperty('content-position');
    expect(await countReads(() => agent.get(LIST).expect(200))).toEqual([1, 0, 0]);
  });

  it('one that is down causes no error, is logged once, and is read again after its return', async () => {
    const network = await createNetwork(servers.replicas[0]?.url ?? '');
    const agent = await agentOf(await start([network.url, 'postgresql://nobody:x@127.0.0.1:9/none']));
    const { mark } = await make('here');
    await arrive();
    const reads = async (): Promise<void> => {
      for (let i = 0; i < 4; i += 1) {
        await agent.get(LIST).expect(200);
        await agent.get(LIST).set('Content-Position', mark).expect(200);
      }
    };
    /** Reads until this number of eight reads uses the primary: none, or all of them. */
    const until = async (atPrimary: number): Promise<void> => {
      const present = async (): Promise<number | undefined> => (await countReads(reads))[0];
      expect(await lookUntil(present, (count) => count === atPrimary)).toBe(atPrimary);
    };
    const linesOf = (url: string): string[] =>
      warned.filter((line) => line.startsWith(`Replica ${new URL(url).host} is not read until it responds`));
    await until(0);
    network.cut();
    await until(8);
    await until(8);
    network.restore();
    await until(0);
    expect(linesOf(network.url)).toHaveLength(1);
    expect(linesOf('postgresql://127.0.0.1:9')).toHaveLength(1);
    await network.close();
  });
});
