/** Reads from servers that follow the primary: as new as the client asks for, and from the primary where they are not. */
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
import { LedgerWorker } from '../../src/cache/ledger-worker.ts';
import { createNetwork } from '../crowd/network.ts';
import { failure } from '../http/helpers.ts';
import { dose } from '../support/dose.ts';
import { type Replicated, startReplicated } from '../support/replicas.ts';
import { textsOf } from '../support/upkeep.ts';
import { watchQueries } from '../support/watch-queries.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  draftAndPublish: true,
  attributes: { title: { type: 'string' } },
});

/** Clients, and how often each reads what it has written, in four ways: in the proofs, 1,000 reads in all. */
const [CLIENTS, WRITES] = dose([5, 10], [10, 25]);
const LIST = '/api/notes?pagination[pageSize]=5';
/** The beginning of the first timeline. */
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
      // However busy the machine is.
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
  }, 60_000);
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
  /** Waits until the replicas have all that there is. */
  const arrive = async (): Promise<void> => {
    await primary.query(`select pg_logical_emit_message(false, 'test', 'here', true)`);
    const { rows } = await primary.query<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn');
    const hasArrived = `select pg_last_wal_replay_lsn() >= '${rows[0]?.lsn}' as yes`;
    while (!(await onAll(hasArrived)).every((result) => result.rows[0].yes)) await sleep(10);
  };
  /** Runs while the replicas stand still. */
  const standing = async (work: () => Promise<unknown>): Promise<void> => {
    await arrive();
    await onAll('select pg_wal_replay_pause()');
    try {
      await work();
    } finally {
      await onAll('select pg_wal_replay_resume()');
      await arrive();
    }
  };
  /** How often each server is sent a statement about notes meanwhile: the primary, then the replicas. */
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

  /** Reads until both replicas are known to be fresh: the first read of an application goes to the primary. */
  const warm = async (agent: supertest.Agent): Promise<void> => {
    const twice = async (): Promise<void> => {
      for (let i = 0; i < 2; i += 1) await agent.get(LIST).expect(200);
    };
    while (String(await countReads(twice)) !== '0,1,1') await sleep(20);
  };

  it('answer whoever presents no position, in turns, whatever they have', async () => {
    const { path } = await make('one');
    await arrive();
    const reads = async (): Promise<void> => {
      for (let i = 0; i < 4; i += 1) await get(path).expect(200);
    };
    expect(await countReads(reads)).toEqual([0, 2, 2]);
    let later = '';
    await standing(async () => {
      later = (await make('two')).path;
      await get(later).expect(404);
    });
    await get(later).expect(200);
  });

  it('every write reports its position, and so does every read of the primary (R4)', async () => {
    const { path, mark } = await make('one');
    const marks = [mark];
    const note = async (asked: supertest.Test): Promise<void> =>
      void marks.push(String((await asked).headers['content-position']));
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
    await keeping.get(LedgerWorker).look();
    const readers = [await agentOf(keeping), http];
    await warm(http);
    await standing(async () => {
      const { path } = await make('one');
      let known = 'primary';
      for (const title of ['two', 'three', 'four']) {
        await http.put(path).send({ data: { title } }).expect(200);
        await readers[0]?.get(path).expect(200);
        // In turns from the cache of one instance, and from the servers that another one reads.
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
    for (const asked of ['primary', mark.slice(8), `${ZERO}, primary`, `${mark}, 00000002${mark.slice(8)}`])
      expect(await countReads(() => get(LIST, asked).expect(200))).toEqual([1, 0, 0]);
    expect((await countReads(() => get(LIST, `${ZERO}, ${mark}`).expect(200)))[0]).toBe(0);
  });

  it('the description of the API has the header, and only where there are replicas', async () => {
    const described = async (one: supertest.Agent) => {
      const { body } = await one.get('/api/openapi.json').expect(200);
      const { get: read, post: write } = body.paths['/api/notes'];
      const asked = read.parameters.map(({ $ref = '' }: { $ref?: string }) => $ref.split('/').at(-1));
      return [asked.includes('position'), Object.keys(write.responses[201].headers as object)];
    };
    expect(await described(http)).toEqual([true, ['ETag', 'Idempotency-Replayed', 'Content-Position']]);
    expect(await described(await agentOf(await start([])))).toEqual([
      false,
      ['ETag', 'Idempotency-Replayed'],
    ]);
  });

  it('a client that presents its position never reads older than it wrote', async () => {
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
    // The replicas had come as far more often than never, or were asked at least.
    for (const count of counts) expect(count).toBeGreaterThan(0);
  }, 120_000);

  it('while they stand still, reads with a position that they have not reached go to the primary', async () => {
    const { path: before } = await make('before');
    await standing(async () => {
      const { path, mark } = await make('late');
      expect(await countReads(() => get(path, mark).expect(200))).toEqual([1, ANY, ANY]);
      // Of several positions the latest counts.
      await get(path, `${mark}, ${ZERO}`).expect(200);
      const [atPrimary] = await countReads(() => get(before, ZERO).expect(200));
      expect(atPrimary).toBe(0);
    });
  });

  it('a position that is none is refused', async () => {
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

  it('a session whose statements all see the same is never taken for new enough', async () => {
    const frozen = await start(undefined, {
      database: { driverOptions: { options: '-c default_transaction_isolation=repeatable\\ read' } },
    });
    const agent = await agentOf(frozen);
    await warm(agent);
    const [atPrimary] = await countReads(() => agent.get(LIST).set('Content-Position', ZERO).expect(200));
    expect(atPrimary).toBe(1);
  });

  it('services read the primary, and so does what decides a write', async () => {
    const notes = app.get<ContentService>(getContentToken('note'), { strict: false });
    await standing(async () => {
      const { path } = await make('now');
      expect((await notes.find({ filters: { title: 'now' } })).data).toHaveLength(1);
      await http
        .put(path)
        .send({ data: { title: 'then' } })
        .expect(200);
      await http.delete(path).expect(204);
    });
  });

  it('what is kept is read from the primary, so that it is never old', async () => {
    const keeping = await start(undefined, { cache: { bytes: 1_000_000 } });
    const worker = keeping.get(LedgerWorker);
    await worker.look();
    const agent = await agentOf(keeping);
    await standing(async () => {
      for (const title of ['a', 'b', 'c']) {
        const { body } = await agent.post('/api/notes').send({ data: { title } }).expect(201);
        for (let i = 0; i < 3; i += 1) {
          const answer = await agent.get(`/api/notes/${body.data.documentId}`).expect(200);
          expect(answer.body.data.title).toBe(title);
        }
      }
    });
    expect(worker.ledger.server).not.toBeNull();
  });

  it('none is read where MikroORM is told so', async () => {
    const one = await start(undefined, { database: { preferReadReplicas: false } });
    const agent = await agentOf(one);
    const { headers } = await agent.post('/api/notes').send({ data: { title: 'x' } });
    expect(headers).not.toHaveProperty('content-position');
    expect(await countReads(() => agent.get(LIST).expect(200))).toEqual([1, 0, 0]);
  });

  it('one that is down is no error, logged once, and read again once it is back', async () => {
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
    /** Reads until so many of eight reads go to the primary: none, or all of them. */
    const until = async (atPrimary: number): Promise<void> => {
      while ((await countReads(reads))[0] !== atPrimary) await sleep(50);
    };
    const linesOf = (url: string): string[] =>
      warned.filter((line) => line.startsWith(`Replica ${new URL(url).host} is not read until it answers`));
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
