/** Clients read and write in rounds; each round has a disturbance, and a check of the recorded history. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type * as CompileTotals from '../../src/content/compile/compile-totals.ts';
import type { Identifier } from '../../src/kernel/sql.ts';
import { randomFrom } from '../support/random.ts';
import type { PostgresNode } from '../support/postgres-node.ts';
import { problemsOf } from './check-history.ts';
import type { History, Read, Value, Write } from './history.ts';
import { LASTING, NOTIFYING, NUMBERING, SLOTS } from './model.ts';
import { Reader } from './readers.ts';
import { Instance, Switch } from './world.ts';
import { Writer, type WriterBase } from './writers.ts';

const underJest = process.env.JEST_WORKER_ID !== undefined;
const { compileFold, compileSettle } = (await import(
  underJest ? '../../src/content/compile/compile-totals.ts' : '../../dist/content/compile/compile-totals.js'
)) as typeof CompileTotals;

/** Disturbances in the middle of a round. */
export const HARMS = ['none', 'fold', 'kill', 'long', 'recount', 'restart', 'crash', 'promote'] as const;
export type Harm = (typeof HARMS)[number];

export interface Running {
  readonly seed: number;
  /** Reads and writes of all rounds. */
  readonly operations: number;
  /** By the clock, as `Date.now()`. */
  readonly until: number;
  readonly operationsPerRound: number;
  readonly by: 'ledger' | 'notify';
  /** One per round, in turn. */
  readonly harms: readonly Harm[];
  /** The database; on a separate server if a disturbance stops it. */
  readonly databaseUrl: string;
  readonly server: PostgresNode | null;
  readonly say: (line: string) => void;
}

export interface Outcome {
  readonly operations: number;
  readonly reads: number;
  readonly writes: number;
  /** Failed requests in rounds without a disturbance of the server. */
  readonly unanswered: number;
  readonly problems: readonly string[];
  /** Responses from the cache of all instances, and those without a body. */
  readonly hits: number;
  readonly stale: number;
  readonly passed: number;
}

const READERS = 12;
const WRITERS = 5;
/** Longest pauses between two writes in milliseconds: rounds take turns. */
const PAUSES = [10, 100, 1000];
const TABLES = { change: 'content_change' as Identifier, total: 'content_total' as Identifier };
/** Number of problems after which a run stops: one if the check must fail. */
const ENOUGH = { ledger: 200, notify: 1 };

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Retries until it succeeds, for as long as a server restart takes. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1)
    try {
      return await work();
    } catch (error) {
      if (tries === 200) throw error;
      await sleep(50);
    }
}

export class LinearizableRun {
  private readonly options: Running;
  private readonly random: () => number;
  private readonly began = performance.now();
  private readonly instances: Instance[] = [];
  private readonly servers: PostgresNode[] = [];
  private server: PostgresNode | null;
  private readonly gate: Switch | null;
  private databaseUrl: string;
  private documentIds: string[] = [];
  private columns: string[] = [];
  private token = 0;
  private readonly done = { operations: 0, reads: 0, writes: 0, unanswered: 0 };
  private readonly problems: string[] = [];

  constructor(options: Running) {
    this.options = options;
    this.random = randomFrom(options.seed);
    this.server = options.server;
    this.databaseUrl = options.databaseUrl;
    this.gate = options.server === null ? null : new Switch(options.server.port);
  }

  private readonly now = (): number => performance.now() - this.began;

  async run(): Promise<Outcome> {
    try {
      await this.start();
      let before = await this.stored();
      for (let round = 0; this.goesOn(); round += 1) {
        const harm = this.options.harms[round % this.options.harms.length] ?? 'none';
        before = await this.round(before, harm, PAUSES[round % PAUSES.length] ?? 10);
        this.options.say(
          `round ${round + 1} (${harm}): ${this.done.operations} operations, ${this.problems.length} problems`,
        );
      }
      return await this.outcome();
    } finally {
      await this.close();
    }
  }

  private goesOn(): boolean {
    const { operations, until } = this.options;
    return (
      this.done.operations < operations &&
      Date.now() < until &&
      this.problems.length < ENOUGH[this.options.by]
    );
  }

  private async start(): Promise<void> {
    if (this.gate !== null) {
      const url = new URL(this.databaseUrl);
      url.port = String(await this.gate.listen());
      this.databaseUrl = url.href;
    }
    const { databaseUrl } = this;
    const { by } = this.options;
    const [first, second] = await Promise.all([
      Instance.start('the first instance', { databaseUrl, by, adapter: 'express' }),
      Instance.start('the second instance', { databaseUrl, by, adapter: 'fastify' }),
    ]);
    this.instances.push(first, second);
    await first.ask({ do: 'makeTables' });
    await second.ask({ do: 'look' });
    await connected(databaseUrl, (client) => client.query(`${NUMBERING}; ${NOTIFYING}`));
    for (const slot of SLOTS) this.documentIds.push(await this.create(first, slot));
    for (const name of ['a', 'b']) {
      const items = this.documentIds
        .slice(0, LASTING)
        .filter((_id, slot) => (slot % 2 === 0) === (name === 'a'));
      await first.http('POST', '/api/shelves', { body: { data: { name, items } } });
    }
    this.columns = await connected(databaseUrl, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select column_name as name from information_schema.columns where table_name = 'items' and column_name <> 'id'`,
      );
      return rows.map(({ name }) => name);
    });
  }

  private async create(instance: Instance, slot: number): Promise<string> {
    this.token += 1;
    const data = { slot, token: this.token, seq: 1 };
    const { body } = await instance.http('POST', '/api/items', { body: { data } });
    return (JSON.parse(body) as { readonly data: { readonly documentId: string } }).data.documentId;
  }

  /** Returns the values in the tables while no write runs. */
  private stored(): Promise<ReadonlyMap<number, Value>> {
    return patiently(() =>
      connected(this.databaseUrl, async (client) => {
        const { rows } = await client.query<Value & { slot: number }>('select slot, token, seq from items');
        return new Map(rows.map(({ slot, token, seq }) => [slot, { token, seq }]));
      }),
    );
  }

  private async round(before: History['before'], harm: Harm, pause: number): Promise<History['before']> {
    const { operationsPerRound } = this.options;
    const [writes, reads, together] = [[] as Write[], [] as Read[], [] as (readonly Write[])[]];
    const count = (): number => writes.length + reads.length;
    const until = Math.min(this.options.until, Date.now() + 120_000);
    const goesOn = (): boolean => count() < operationsPerRound && Date.now() < until;
    const { random, now, instances, documentIds, databaseUrl, columns } = this;
    const nextToken = (): number => (this.token += 1);
    const base: WriterBase = { instances, databaseUrl, documentIds, random, now, nextToken, columns };

    const writing = async (): Promise<void> => {
      const writer = new Writer(base);
      while (goesOn()) {
        await writer.step(
          (write) => writes.push(write),
          (all) => together.push(all),
        );
        await sleep(random() * pause);
      }
      await writer.drop();
    };
    const reading = async (): Promise<void> => {
      const reader = new Reader({ instances, documentIds, random, now });
      while (goesOn()) {
        const seen = await reader.step();
        if (typeof seen === 'string') this.problems.push(seen);
        else if (seen !== null) reads.push(seen);
        else {
          this.done.unanswered += 1;
          await sleep(20);
        }
        if (this.problems.length > ENOUGH.ledger) return;
      }
    };
    const harming = async (): Promise<void> => {
      while (goesOn() && count() < operationsPerRound / 3) await sleep(5);
      await this.harm(harm, goesOn);
    };
    const clients = [
      ...Array.from({ length: WRITERS }, writing),
      ...Array.from({ length: READERS }, reading),
      harming(),
    ];
    await Promise.all(clients);
    await this.settle();
    const invoked = now();
    const after = await this.stored();
    reads.push({ by: 'a query of the table', invoked, answered: now(), values: after });
    this.problems.push(...problemsOf({ before, writes, reads, together }));
    this.done.operations += count();
    this.done.reads += reads.length;
    this.done.writes += writes.length;
    return after;
  }

  /** Waits until no write runs, and ends abandoned prepared transactions. */
  private async settle(): Promise<void> {
    await patiently(() =>
      connected(this.databaseUrl, async (client) => {
        const { rows } = await client.query<{ gid: string }>(
          'select gid from pg_prepared_xacts where database = current_database()',
        );
        for (const { gid } of rows) await client.query(`rollback prepared '${gid}'`);
        const { rows: busy } = await client.query(
          'select 1 from pg_stat_activity where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()',
        );
        if (busy.length > 0) throw new Error('a write is still running');
      }),
    );
  }

  private async harm(harm: Harm, goesOn: () => boolean): Promise<void> {
    const harms: Readonly<Record<Harm, () => Promise<unknown>>> = {
      none: () => Promise.resolve(),
      fold: () => this.fold(goesOn),
      kill: () => this.kill(),
      long: () => this.writeForLong(goesOn),
      recount: () => this.instances[0]?.ask({ do: 'recount' }) ?? Promise.resolve(),
      restart: () => this.restart('fast'),
      crash: () => this.restart('crash'),
      promote: () => this.promote(),
    };
    await harms[harm]();
  }

  /** Folds changes before all instances have read them. */
  private async fold(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      await connected(this.databaseUrl, async (client) => {
        const { rows } = await client.query<{ xmin: string }>(
          'select pg_snapshot_xmin(pg_current_snapshot())::text as xmin',
        );
        await client.query('begin');
        await client.query(`select pg_advisory_xact_lock(hashtextextended('content-ledger', 0))`);
        await client.query(compileSettle(TABLES).text);
        await client.query(compileFold(TABLES, '0').text, [rows[0]?.xmin]);
        await client.query('commit');
      });
      await sleep(100);
    }
  }

  /** Ends half of all sessions, with or without that of the check. */
  private async kill(): Promise<void> {
    for (let i = 0; i < 3; i += 1) {
      await connected(this.databaseUrl, (client) =>
        client.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and random() < 0.5',
        ),
      );
      await sleep(300);
    }
  }

  /** A transaction that stays open during many others, and commits at the end. */
  private async writeForLong(goesOn: () => boolean): Promise<void> {
    await connected(this.databaseUrl, async (client) => {
      await client.query(`begin; update shelves set name = name`);
      while (goesOn()) await sleep(20);
      await client.query('commit');
    });
  }

  private async restart(how: 'fast' | 'crash'): Promise<void> {
    await this.server?.halt(how);
    await sleep(100);
    await this.server?.resume();
  }

  /** Replaces the server by a standby that has all acknowledged writes. */
  private async promote(): Promise<void> {
    const { server, gate } = this;
    if (server === null || gate === null) return;
    const standby = await server.standby();
    this.servers.push(standby);
    await connected(server.url, async (client) => {
      await client.query(`alter system set synchronous_standby_names = '*'`);
      await client.query('select pg_reload_conf()');
      await patiently(async () => {
        const { rows } = await client.query(`select 1 from pg_stat_replication where sync_state = 'sync'`);
        if (rows.length === 0) throw new Error('the standby does not follow');
      });
    });
    await sleep(500);
    await server.halt('crash');
    await connected(standby.url, (client) => client.query('select pg_promote()'));
    gate.turn(standby.port);
    gate.cut();
    this.server = standby;
  }

  private async outcome(): Promise<Outcome> {
    const metrics = await Promise.all(this.instances.map((one) => one.metrics()));
    const sum = (name: 'hits' | 'stale' | 'passed'): number =>
      metrics.reduce((all, one) => all + one[name], 0);
    return {
      ...this.done,
      problems: this.problems,
      hits: sum('hits'),
      stale: sum('stale'),
      passed: sum('passed'),
    };
  }

  private async close(): Promise<void> {
    await Promise.all(this.instances.map((one) => one.close()));
    this.gate?.close();
    for (const server of this.servers) await server.stop();
  }
}
