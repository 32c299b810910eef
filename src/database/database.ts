/** The connection: one statement in, its rows out; and transactions that the host's own work can share. */
import type { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import type { Schema } from '../schema/model.js';
import type { ContentSettings } from '../settings.js';
import type { Statement } from '../sql.js';
import { Commits } from './commits.js';
import { isRetryable, isViolationOf, mapDatabaseError, timedOut } from './database-errors.js';
import { Deadlines } from './deadlines.js';
import { StatementNames } from './statement-names.js';

/** A row: column → value, JSON as text and counts as numbers. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs statements on one handle: the pool, or a transaction's connection. */
export interface Runner {
  run(statement: Statement): Promise<readonly Row[]>;
  /** The transaction's entity manager, for hooks and host code that join in; null where nobody asked for one. */
  readonly em: SqlEntityManager | null;
}

/** The part of node-postgres that reads use. */
interface PoolClient {
  readonly constructor: new (options: unknown) => OwnConnection;
  readonly processID: number | null;
  query(config: QueryConfig): Promise<{ rows: Row[] }>;
  query(config: QueryConfig, done: (error: Error | null | undefined, result: { rows: Row[] }) => void): void;
  release(error?: unknown): void;
}

interface OwnConnection {
  connect(): Promise<unknown>;
  query(text: string, values: readonly unknown[]): Promise<unknown>;
  end(): Promise<void>;
}

interface Pool {
  readonly options: unknown;
  connect(): Promise<PoolClient>;
  connect(done: (error: Error | undefined, client: PoolClient | undefined, release: (error?: unknown) => void) => void): void;
}

interface QueryConfig {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The part of Kysely that this room needs; the query builder itself is not used. */
interface RawExecutor {
  executeQuery(query: unknown): Promise<{ rows: Row[] }>;
}

const isPool = (client: unknown): client is Pool => typeof client === 'object' && client !== null && 'connect' in client && 'totalCount' in client;

/** A finished query in the form that Kysely's executors take. */
const compiled = (statement: Statement): unknown => ({
  sql: statement.text,
  parameters: statement.values,
  query: { kind: 'RawNode', sqlFragments: [statement.text], parameters: [] },
  queryId: { queryId: 'content' },
});

/** Nobody waits for the statement any more. */
class StatementTimeout extends Error {}

const ATTEMPTS = 5;
const pause = (attempt: number): Promise<void> => new Promise((done) => setTimeout(done, Math.random() * 10 * 2 ** attempt));

const LOST_AFTER = 200;

/** How a transaction runs. */
export interface TransactionOptions {
  /** The values being written, for messages about them. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Unique indexes whose violation means that another writer was faster, so that a second look helps. */
  readonly retryOn: readonly string[];
  /** Whether hooks will want the transaction's entity manager. */
  readonly shared: boolean;
  /** A transaction of the host's to join. */
  readonly joined?: SqlEntityManager;
}

export class Database {
  private readonly logger = new Logger('ContentDatabase');
  private readonly names: StatementNames;
  private readonly deadlines: Deadlines;
  private readonly commits = new Commits();
  private pool: Pool | null = null;

  constructor(
    private readonly orm: MikroORM,
    private readonly schema: Schema,
    private readonly settings: ContentSettings,
  ) {
    this.names = new StatementNames(settings.maxPreparedStatements);
    this.deadlines = new Deadlines(settings.limits.statementTimeout);
    orm.em.getEventManager().registerSubscriber(this.commits);
  }

  private get em(): SqlEntityManager {
    return this.orm.em as SqlEntityManager;
  }

  /** The driver's own pool where it is node-postgres; null for PGlite and dialects that the host passed in. */
  private async nativePool(): Promise<Pool | null> {
    const connection = this.em.getConnection() as unknown as { getNativeClient(): Promise<unknown> };
    this.pool ??= await connection.getNativeClient().then(
      (client) => (isPool(client) ? client : null),
      () => null,
    );
    return this.pool;
  }

  /** Runs one statement on its own. Named and prepared where the driver can; cancelled in the database when it takes too long. */
  async run(statement: Statement): Promise<readonly Row[]> {
    const pool = this.pool ?? (await this.nativePool());
    try {
      return await (pool === null ? execute(this.em.fork().getKysely(), statement) : this.readFromPool(pool, statement));
    } catch (error) {
      throw this.mapped(error);
    }
  }

  /** In callbacks, because a read is nearly nothing else: promises here cost a tenth of a request's time in Node. */
  private readFromPool(pool: Pool, statement: Statement): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      pool.connect((lost, client, release) => {
        if (client === undefined) return reject(lost ?? new Error('No connection'));
        this.send(client, statement, (error, rows) => {
          if (error instanceof StatementTimeout) {
            void this.cancel(pool, client).finally(() => {
              release(error);
              reject(error);
            });
            return;
          }
          release();
          if (error === null) resolve(rows);
          else reject(error);
        });
      });
    });
  }

  /** Runs a statement on a connection. `done` is called once; with a StatementTimeout when nobody should wait longer. */
  private send(client: PoolClient, statement: Statement, done: (error: Error | null, rows: readonly Row[]) => void): void {
    let settled = false;
    const settle = (error: Error | null, rows: readonly Row[]): void => {
      if (settled) return;
      settled = true;
      this.deadlines.delete(deadline);
      done(error, rows);
    };
    const deadline = this.deadlines.add(() => settle(new StatementTimeout(), []));
    client.query(this.configOf(statement), (error, result) => settle(error ?? null, error ? [] : result.rows));
  }

  /**
   * Ends a statement that nobody waits for any more, over a connection of its own, because the pool may be full of
   * such statements. The slot stays taken until then, so that they cannot pile up beside the pool.
   */
  private async cancel(pool: Pool, client: PoolClient): Promise<void> {
    const other = new client.constructor(pool.options);
    try {
      await other.connect();
      await other.query('select pg_cancel_backend($1)', [client.processID]);
    } catch (error) {
      this.logger.warn(`Cancelling a slow statement failed: ${String(error)}`);
    } finally {
      await other.end().catch(() => undefined);
    }
  }

  /**
   * Runs `work` in one transaction: all of it or nothing (D15). Deadlocks, serialization failures and violations of
   * `retryOn` are tried again a few times, unless `joined` is a transaction of the host's, whose fate is the host's.
   */
  async transaction<T>(work: (runner: Runner) => Promise<T>, options: TransactionOptions): Promise<T> {
    const { values, retryOn, joined } = options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt(work, options);
      } catch (error) {
        const again = isRetryable(error) || retryOn.some((index) => isViolationOf(error, index));
        if (joined !== undefined || attempt >= ATTEMPTS || !again) throw this.mapped(error, values);
        await pause(attempt);
      }
    }
  }

  private async attempt<T>(work: (runner: Runner) => Promise<T>, { joined, shared }: TransactionOptions): Promise<T> {
    if (joined !== undefined) return work(runnerOf(joined));
    const pool = shared ? null : await this.nativePool();
    if (pool !== null) return this.ownTransaction(pool, work);
    try {
      return await this.em.fork().transactional((em) => work(runnerOf(em)));
    } catch (error) {
      const native = await this.nativePool();
      // Whoever else held a connection that died with this one has let go of it by then.
      setTimeout(() => releaseLost(native), LOST_AFTER).unref();
      throw error;
    }
  }

  /** A transaction that nobody joins: on the driver itself, with prepared statements. */
  private async ownTransaction<T>(pool: Pool, work: (runner: Runner) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let broken: unknown;
    try {
      await client.query({ text: 'begin', values: [] });
      const result = await work({ em: null, run: (statement) => this.query(client, statement) });
      await client.query({ text: 'commit', values: [] });
      return result;
    } catch (error) {
      if (error instanceof StatementTimeout) {
        broken = error;
        await this.cancel(pool, client);
      } else await client.query({ text: 'rollback', values: [] }).catch((failure: unknown) => (broken = failure));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  private query(client: PoolClient, statement: Statement): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => this.send(client, statement, (error, rows) => (error === null ? resolve(rows) : reject(error))));
  }

  private configOf({ text, values }: Statement): QueryConfig {
    const name = this.settings.preparedStatements ? this.names.nameOf(text) : undefined;
    return name === undefined ? { text, values } : { name, text, values };
  }

  /** Runs `work` once the transaction of `em` is committed, and never when it is rolled back. */
  afterCommit(em: SqlEntityManager, work: () => Promise<void>): void {
    this.commits.add(em, work);
  }

  private mapped(error: unknown, values: ReadonlyMap<string, unknown> = new Map()): unknown {
    if (error instanceof StatementTimeout) return timedOut(this.settings.limits.statementTimeout);
    return mapDatabaseError(error, this.schema, values, this.settings.limits.statementTimeout);
  }
}

/**
 * Kysely keeps the slot of a transaction whose connection died (kysely-org/kysely#1990); this gives such slots back.
 * It looks into the pool's own lists, for want of another way, and does nothing where they are not as expected.
 */
function releaseLost(pool: Pool | null): void {
  const { _clients: clients = [], _idle: idle = [] } = (pool ?? {}) as PoolInside;
  for (const client of [...clients]) {
    if (client._queryable === false && typeof client.release === 'function' && !idle.some((item) => item.client === client)) client.release(true);
  }
}

interface PoolInside {
  readonly _clients?: readonly { readonly _queryable?: boolean; readonly release?: (destroy: boolean) => void }[];
  readonly _idle?: readonly { readonly client: unknown }[];
}

const execute = async (executor: RawExecutor, statement: Statement): Promise<readonly Row[]> => (await executor.executeQuery(compiled(statement))).rows;

const runnerOf = (em: SqlEntityManager): Runner => ({
  em,
  run: (statement) => execute(em.getKysely(), statement),
});
