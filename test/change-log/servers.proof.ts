/**
 * Servers that stop, restart, lose committed data, follow others or replace them. A response always shows the
 * state of the server that was read, or the request fails.
 */
import { jest } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM, ContentMetrics, ContentModule, defineCollectionType } from 'nestjs-content-api';
import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChangeLogWorker } from '../../src/cache/change-log-worker.ts';
import { Switch } from '../linearizable/world.ts';
import { PostgresNode } from '../support/postgres-node.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});

describe('the cache, and servers', () => {
  let server: PostgresNode;
  let gate: Switch;
  let app: INestApplication;
  let url: string;
  const standbys: PostgresNode[] = [];
  const said = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);

  beforeAll(async () => {
    // Commits reach the disk seconds later, so that a crash loses them.
    server = await PostgresNode.start({
      synchronous_commit: 'off',
      wal_writer_delay: '10s',
      wal_level: 'logical',
    });
    gate = new Switch(server.port);
    const behind = new URL(server.url);
    behind.port = String(await gate.listen());
    app = await NestFactory.create(
      ContentModule.forRoot({
        contentTypes: [note],
        access: { public: { note: '*' } },
        database: { clientUrl: behind.href, pool: { min: 0, max: 4 } },
      }),
      { logger: ['warn'] },
    );
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
    await app.get<MikroORM>(CONTENT_ORM).schema.create();
    await app.get(ChangeLogWorker).maintain();
    await fetch(`${url}/api/notes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: { title: 'first' } }),
    });
  });
  afterAll(async () => {
    await app.close();
    gate.close();
    for (const node of [...standbys, server]) await node.stop();
    said.mockRestore();
  });

  const sql = async (text: string, from: PostgresNode = server): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: from.url });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(text);
    await client.end();
    return rows;
  };
  /** Returns the titles in the response; waits for an unreachable server. */
  async function titles(): Promise<string> {
    for (let tries = 0; tries < 200; tries += 1) {
      const response = await fetch(`${url}/api/notes?sort=title`);
      const body = (await response.json()) as { readonly data: readonly { readonly title: string }[] };
      if (response.status === 200) return body.data.map(({ title }) => title).join();
      await sleep(50);
    }
    throw new Error('the server does not restart');
  }
  const hits = (): number => app.get(ContentMetrics).cache.hits;
  /** Reads until responses are cached; false if they never are. */
  async function isKept(tries = 100): Promise<boolean> {
    for (let i = 0; i < tries; i += 1) {
      const before = hits();
      await titles();
      if (hits() > before) return true;
      await sleep(20);
    }
    return false;
  }
  const warnings = (about: RegExp): string[] =>
    said.mock.calls.map(([line]) => String(line)).filter((line) => about.test(line));
  beforeEach(() => said.mockClear());

  it('a restart: logs that the cache is off, then reads everything again', async () => {
    expect(await isKept()).toBe(true);
    await server.halt('fast');
    expect((await fetch(`${url}/api/notes?sort=title`)).status).toBe(503);
    await server.resume();
    await sql(`update notes set title = 'restarted'`);
    expect(await titles()).toBe('restarted');
    expect(await isKept()).toBe(true);
    expect(warnings(/answered from the cache/).length).toBeLessThanOrEqual(1);
  });

  it('a crash that loses commits, after which transactions have the same ids again', async () => {
    await sql('checkpoint');
    const [{ xid: before } = {}] = await sql(
      `with u as (update notes set title = 'lost' returning 1) select pg_current_xact_id()::text as xid from u`,
    );
    expect(await titles()).toBe('lost');
    expect(await isKept()).toBe(true);
    await server.halt('crash');
    await server.resume();
    const stored = String((await sql('select title from notes'))[0]?.['title']);
    expect([stored, await titles()]).toEqual(['restarted', 'restarted']);
    const [{ xid: after } = {}] = await sql(
      `with u as (update notes set title = 'again' returning 1) select pg_current_xact_id()::text as xid from u`,
    );
    expect(Number(after)).toBeLessThanOrEqual(Number(before) + 1);
    expect(await titles()).toBe('again');
    expect(await isKept()).toBe(true);
  });

  it('a server in recovery: responds without the cache, and logs one line', async () => {
    const standby = await server.standby();
    standbys.push(standby);
    gate.turn(standby.port);
    gate.cut();
    expect(await titles()).toBe('again');
    // After a lost connection, no query is sent for a second.
    await sleep(1100);
    expect(await isKept(5)).toBe(false);
    expect(warnings(/in recovery/)).toHaveLength(1);
  });

  it('a standby that replaces the primary', async () => {
    const [standby] = standbys as [PostgresNode];
    await server.halt('fast');
    await sql('select pg_promote()', standby);
    await sql(`update notes set title = 'promoted'`, standby);
    expect(await titles()).toBe('promoted');
    await sleep(1100);
    expect(await isKept()).toBe(true);
    await sql(`update notes set title = 'after'`, standby);
    expect(await titles()).toBe('after');
    await server.resume();
  });

  it('a pooler that directs some connections to another server: sends its responses, and does not cache them', async () => {
    const [standby] = standbys as [PostgresNode];
    expect(await isKept()).toBe(true);
    // The connection of the change log stays open; those of reads are new.
    gate.turn(server.port);
    await sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend'
       and pid <> pg_backend_pid() and query not like '%pg_is_in_recovery%'`,
      standby,
    );
    await sql(`update notes set title = 'here'`, standby);
    await sql(`update notes set title = 'there'`);
    expect(await titles()).toBe('there');
    expect(await isKept(5)).toBe(false);
    gate.turn(standby.port);
    gate.cut();
    expect(await titles()).toBe('here');
  });

  it('a table that a subscription fills: caches nothing, logs one line, and shows its changes', async () => {
    const [standby] = standbys as [PostgresNode];
    await sleep(1100);
    expect(await isKept()).toBe(true);
    await sql(`create publication notes for table notes`);
    await sql(`truncate notes`, standby);
    await sql(`create subscription notes connection '${server.url}' publication notes`, standby);
    await app.get(ChangeLogWorker).maintain();
    expect(warnings(/subscription/)).toHaveLength(1);
    expect(await isKept(3)).toBe(false);
    // Only flushed changes are sent to the standby, and this server flushes only after seconds.
    await sql(`begin; set local synchronous_commit = on; update notes set title = 'subscribed'; commit`);
    // A worker that copies the table, and fails once, starts again after five seconds.
    for (let tries = 0; tries < 500 && (await titles()) !== 'subscribed'; tries += 1) await sleep(50);
    expect(await titles()).toBe('subscribed');
    await sql('drop subscription notes', standby);
    await app.get(ChangeLogWorker).maintain();
    expect(await isKept()).toBe(true);
  });
});
