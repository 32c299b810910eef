/**
 * Replicas that pause, lag, are promoted by mistake, follow a former primary, or replace the primary. A
 * client that repeats its position always reads its writes, and the log names the replica.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { type INestApplication, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM, ContentModule, defineCollectionType } from 'nestjs-content-api';
import supertest from 'supertest';
import { Switch } from '../linearizable/world.ts';
import { PostgresNode } from '../support/postgres-node.ts';
import { textsOf } from '../support/upkeep.ts';
import { watchQueries } from '../support/watch-queries.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});

const LAG = 3000;
const LIST = '/api/notes?sort=title&pagination[pageSize]=5';
/** Rows of a table that no client reads, so that a log grows longer than those of the other servers. */
const UNRELATED = `create table if not exists unrelated as select n, repeat('x', 500) from generate_series(1, 5000) n;
  insert into unrelated select * from unrelated limit 5000`;

describe('replicas, and failover', () => {
  const nodes: PostgresNode[] = [];
  /** Addresses of the primary and of two replicas; each can lead to another server later. */
  let gates: { gate: Switch; port: number }[];
  let primary: PostgresNode;
  let app: INestApplication;
  let http: supertest.Agent;
  const warned: string[] = [];

  const standbyOf = async (node: PostgresNode): Promise<PostgresNode> => {
    const standby = await node.standby();
    nodes.push(standby);
    await standby.catchUp(node);
    return standby;
  };
  const direct = (place: number, node: PostgresNode): void => {
    gates[place]?.gate.turn(node.port);
    gates[place]?.gate.cut();
  };

  beforeAll(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line) => void warned.push(String(line)));
    primary = await PostgresNode.start();
    nodes.push(primary);
    const servers = [primary, await standbyOf(primary), await standbyOf(primary)];
    gates = await Promise.all(
      servers.map(async ({ port }) => {
        const gate = new Switch(port);
        return { gate, port: await gate.listen() };
      }),
    );
    const [clientUrl, ...replicas] = gates.map(({ port }) => {
      const url = new URL(primary.url);
      url.port = String(port);
      return url.href;
    });
    app = await NestFactory.create(
      ContentModule.forRoot({
        contentTypes: [note],
        access: { public: { note: '*' } },
        cache: false,
        limits: { statementTimeout: 4000 },
        maxReplicaLag: LAG,
        database: { clientUrl, replicas: replicas.map((url) => ({ clientUrl: url })) } as object,
      }),
      { logger: ['warn'] },
    );
    await app.listen(0, '127.0.0.1');
    await app.get<MikroORM>(CONTENT_ORM).schema.create();
    http = supertest.agent(await app.getUrl());
  });
  afterAll(async () => {
    await app.close();
    for (const { gate } of gates) gate.close();
    for (const node of nodes.toReversed()) await node.stop();
    jest.restoreAllMocks();
  });
  let thaw = (): void => undefined;
  beforeEach(() => void warned.splice(0));
  afterEach(() => thaw());

  interface Written {
    readonly path: string;
    readonly mark: string;
  }
  /** Writes, and retries while there is no primary. */
  const write = async (title: string, path?: string): Promise<Written> => {
    for (;;) {
      const sent = path === undefined ? http.post('/api/notes') : http.put(path);
      const { status, body, headers } = await sent.send({ data: { title } });
      if (status < 300)
        return { path: `/api/notes/${body.data.documentId}`, mark: String(headers['content-position']) };
      await sleep(100);
    }
  };
  const titleOf = async (path: string, mark?: string): Promise<unknown> => {
    const { body } = await (mark === undefined
      ? http.get(path)
      : http.get(path).set('Content-Position', mark));
    return body.data?.title ?? body.error?.status;
  };
  /** Returns the number of reads that each server receives during `work`. */
  const countReads = async (work: () => Promise<unknown>): Promise<number[]> => {
    const counts = gates.map(() => 0);
    await watchQueries((query, { port }) => {
      const at = gates.findIndex((gate) => gate.port === port);
      if (at >= 0 && textsOf(query).some((text) => text.includes('from "notes"')))
        counts[at] = (counts[at] ?? 0) + 1;
    }, work);
    return counts;
  };
  /** Reads until the condition is true; false after 30 s. */
  const until = async (isSo: (counts: number[]) => boolean): Promise<boolean> => {
    for (const end = Date.now() + 30_000; Date.now() < end; await sleep(50)) {
      const four = (): Promise<unknown> => Promise.all(Array.from({ length: 4 }, () => http.get(LIST)));
      if (isSo(await countReads(four))) return true;
    }
    return false;
  };
  const bothRead = ([, one = 0, other = 0]: number[]): boolean => one > 0 && other > 0;
  const lines = (about: RegExp): string[] => warned.filter((line) => about.test(line));
  const onlyPrimary = ([, ...replicas]: number[]): boolean => String(replicas) === '0,0';
  /** Reads until the log has this number of lines; returns their number. */
  const logged = async (about: RegExp, count: number): Promise<number> => {
    await until(() => lines(about).length >= count);
    return lines(about).length;
  };

  it('R3: a paused replica causes no 503, and a delay of about a second', async () => {
    const [, stopped] = nodes as [PostgresNode, PostgresNode];
    await write('first');
    expect(await until(bothRead)).toBe(true);
    stopped.signal('SIGSTOP');
    thaw = () => stopped.signal('SIGCONT');
    const took: number[] = [];
    const read = async (): Promise<number> => {
      const started = performance.now();
      const { status } = await http.get(LIST);
      took.push(performance.now() - started);
      return status;
    };
    const reads: Promise<number>[] = [];
    for (let i = 0; i < 120; i += 1) {
      reads.push(read());
      await sleep(50);
    }
    expect((await Promise.all(reads)).filter((status) => status !== 200)).toEqual([]);
    expect(Math.max(...took)).toBeLessThan(3000);
    expect(lines(/is not read until it responds again: it takes too long/)).toHaveLength(1);
    thaw();
    expect(await until(bothRead)).toBe(true);
  });

  it('R4: beyond "maxReplicaLag" reads use the primary, and one line is logged', async () => {
    const [, one, other] = nodes as [PostgresNode, PostgresNode, PostgresNode];
    for (const node of [one, other]) await node.sql('select pg_wal_replay_pause()');
    const resume = (): Promise<unknown> =>
      Promise.all([one, other].map((node) => node.sql('select pg_wal_replay_resume()')));
    const { path } = await write('while they are paused');
    expect(await until(onlyPrimary)).toBe(true);
    expect(await titleOf(path)).toBe('while they are paused');
    expect(await logged(/is not read until it catches up: it is more than 3000 ms behind/, 2)).toBe(2);
    expect(await until(onlyPrimary)).toBe(true);
    await resume();
    expect(await until(bothRead)).toBe(true);
  });

  it('R1: does not read a standby that was promoted by mistake and restarted, and logs one line', async () => {
    const [, mistaken] = nodes as [PostgresNode, PostgresNode];
    const { path } = await write('before');
    await mistaken.catchUp(primary);
    await mistaken.promote();
    await mistaken.sql(UNRELATED);
    await mistaken.halt('fast');
    await mistaken.resume();
    direct(1, mistaken);
    for (let i = 0; i < 4; i += 1) {
      const { mark } = await write(`after ${i}`, path);
      const titles = await Promise.all(Array.from({ length: 4 }, () => titleOf(path, mark)));
      expect(titles).toEqual(titles.map(() => `after ${i}`));
    }
    const { path: made, mark } = await write('new');
    for (let i = 0; i < 6; i += 1) expect(await titleOf(made, mark)).toBe('new');
    expect(await until(([, one = 0, other = 0]) => one === 0 && other > 0)).toBe(true);
    expect(await logged(/is not read because it is neither in recovery nor the primary/, 1)).toBe(1);
    const standby = await standbyOf(primary);
    direct(1, standby);
    expect(await until(bothRead)).toBe(true);
  });

  it('an orderly failover: a replica of the next timeline reaches positions before the fork', async () => {
    const former = primary;
    const [promoted, standby] = [await standbyOf(former), await standbyOf(former)];
    direct(1, standby);
    direct(2, promoted);
    const { path, mark } = await write('before the failover');
    for (const node of [promoted, standby]) await node.catchUp(primary);
    // A probe records the positions of the replicas.
    await sleep(600);
    expect(await until(bothRead)).toBe(true);
    await sleep(600);
    await former.halt('fast');
    await promoted.promote();
    primary = promoted;
    await standby.follow(promoted);
    direct(0, promoted);
    const { mark: later } = await write('after the failover', path);
    expect(later > mark && later.slice(0, 8) > mark.slice(0, 8)).toBe(true);
    for (let i = 0; i < 6; i += 1) expect(await titleOf(path, later)).toBe('after the failover');
    await promoted.sql(UNRELATED);
    await standby.catchUp(promoted);
    expect(await until(bothRead)).toBe(true);
    const readsWith = (position: string) =>
      countReads(async () => {
        for (let i = 0; i < 8; i += 1) expect(await titleOf(path, position)).toBe('after the failover');
      });
    // One of two reads tries the replica, and the primary is listed as the other one.
    expect((await readsWith(mark))[0]).toBe(0);
    expect((await readsWith(later))[0]).toBe(0);
    // After the fork, although the replica is further on the next timeline.
    const lost = mark.slice(0, 8) + later.slice(8);
    expect((await readsWith(lost))[0]).toBe(4);
  });

  it('R2: does not compare a position with the log of a server that follows the former primary', async () => {
    const former = primary;
    const [next, behind] = [await standbyOf(former), await standbyOf(former)];
    direct(1, behind);
    direct(2, behind);
    await next.catchUp(former);
    await next.promote();
    primary = next;
    direct(0, next);
    // The former primary is alive, and its log grows.
    await former.sql(UNRELATED);
    await behind.catchUp(former);
    const { path } = await write('old');
    for (let i = 0; i < 4; i += 1) {
      const { mark } = await write(`new ${i}`, path);
      const titles = await Promise.all(Array.from({ length: 4 }, () => titleOf(path, mark)));
      expect(titles).toEqual(titles.map(() => `new ${i}`));
    }
    const { path: made, mark } = await write('made');
    for (let i = 0; i < 6; i += 1) expect(await titleOf(made, mark)).toBe('made');
    expect(await until(onlyPrimary)).toBe(true);
    expect(await logged(/behind the primary .*and replays timeline \d+, not \d+/, 2)).toBe(2);
  });
});
