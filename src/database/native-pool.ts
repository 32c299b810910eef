/**
 * The driver itself, where it is node-postgres: named statements, a bound on their time, and transactions of
 * our own.
 */
import { Logger } from '@nestjs/common';
import type { ContentSettings } from '../settings.js';
import type { Statement } from '../sql.js';
import { Deadlines } from './deadlines.js';
import type { Row, Runner } from './runner.js';
import { StatementNames } from './statement-names.js';

/** The part of node-postgres that this room uses. */
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
  connect(
    done: (
      error: Error | undefined,
      client: PoolClient | undefined,
      release: (error?: unknown) => void,
    ) => void,
  ): void;
}

interface QueryConfig {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Nobody waits for the statement any more. */
export class StatementTimeout extends Error {}

/** Whether a client of MikroORM's is the pool of node-postgres. */
export const isPool = (client: unknown): client is Pool =>
  typeof client === 'object' && client !== null && 'connect' in client && 'totalCount' in client;

export class NativePool {
  private readonly logger = new Logger('ContentDatabase');
  private readonly names: StatementNames;
  private readonly deadlines: Deadlines;

  constructor(
    private readonly pool: Pool,
    private readonly settings: ContentSettings,
  ) {
    this.names = new StatementNames(settings.maxPreparedStatements);
    this.deadlines = new Deadlines(settings.limits.statementTimeout);
  }

  /**
   * Runs one statement on its own. In callbacks, because a read is nearly nothing else: promises here cost a
   * tenth of a request's time in Node.
   */
  run(statement: Statement): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      this.pool.connect((lost, client, release) => {
        if (client === undefined) return reject(lost ?? new Error('No connection'));
        this.send(client, statement, (error, rows) => {
          if (error instanceof StatementTimeout) {
            void this.cancel(client).finally(() => {
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

  /** A transaction that nobody joins. */
  async transaction<T>(work: (runner: Runner) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: unknown;
    try {
      await client.query({ text: 'begin', values: [] });
      const result = await work({ em: null, run: (statement) => this.query(client, statement) });
      await client.query({ text: 'commit', values: [] });
      return result;
    } catch (error) {
      if (error instanceof StatementTimeout) {
        broken = error;
        await this.cancel(client);
      } else
        await client.query({ text: 'rollback', values: [] }).catch((failure: unknown) => (broken = failure));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /**
   * Kysely keeps the slot of a transaction whose connection died (kysely-org/kysely#1990); this gives such
   * slots back. It looks into the pool's own lists, for want of another way, and does nothing where they are
   * not as expected.
   */
  releaseLost(): void {
    const { _clients: clients = [], _idle: idle = [] } = this.pool as PoolInside;
    for (const client of [...clients]) {
      if (
        client._queryable === false &&
        typeof client.release === 'function' &&
        !idle.some((item) => item.client === client)
      )
        client.release(true);
    }
  }

  /**
   * Runs a statement on a connection. `done` is called once; with a StatementTimeout when nobody should wait
   * longer.
   */
  private send(
    client: PoolClient,
    statement: Statement,
    done: (error: Error | null, rows: readonly Row[]) => void,
  ): void {
    let settled = false;
    const settle = (error: Error | null, rows: readonly Row[]): void => {
      if (settled) return;
      settled = true;
      this.deadlines.delete(deadline);
      done(error, rows);
    };
    const deadline = this.deadlines.add(() => settle(new StatementTimeout(), []));
    client.query(this.configOf(statement), (error, result) =>
      settle(error ?? null, error ? [] : result.rows),
    );
  }

  private query(client: PoolClient, statement: Statement): Promise<readonly Row[]> {
    return new Promise((resolve, reject) =>
      this.send(client, statement, (error, rows) => (error === null ? resolve(rows) : reject(error))),
    );
  }

  private configOf({ text, values }: Statement): QueryConfig {
    const name = this.settings.preparedStatements ? this.names.nameOf(text) : undefined;
    return name === undefined ? { text, values } : { name, text, values };
  }

  /**
   * Ends a statement that nobody waits for any more, over a connection of its own, because the pool may be
   * full of such statements. The slot stays taken until then, so that they cannot pile up beside the pool.
   */
  private async cancel(client: PoolClient): Promise<void> {
    const other = new client.constructor(this.pool.options);
    try {
      await other.connect();
      await other.query('select pg_cancel_backend($1)', [client.processID]);
    } catch (error) {
      this.logger.warn(`Cancelling a slow statement failed: ${String(error)}`);
    } finally {
      await other.end().catch(() => undefined);
    }
  }
}

interface PoolInside {
  readonly _clients?: readonly {
    readonly _queryable?: boolean;
    readonly release?: (destroy: boolean) => void;
  }[];
  readonly _idle?: readonly { readonly client: unknown }[];
}
