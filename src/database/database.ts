/** The connection: one statement in, its rows out; and transactions that the host's own work can share. */
import type { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Schema } from '../schema/model.js';
import type { ContentSettings } from '../settings.js';
import type { Statement } from '../sql.js';
import { Commits } from './commits.js';
import { isRetryable, isViolationOf, mapDatabaseError, timedOut } from './database-errors.js';
import { isPool, NativePool, StatementTimeout } from './native-pool.js';
import { type Row, type Runner, runnerOf } from './runner.js';

const ATTEMPTS = 5;
const pause = (attempt: number): Promise<void> =>
  new Promise((done) => setTimeout(done, Math.random() * 10 * 2 ** attempt));

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
  private readonly commits = new Commits();
  private native: NativePool | null = null;

  constructor(
    private readonly orm: MikroORM,
    private readonly schema: Schema,
    private readonly settings: ContentSettings,
  ) {
    orm.em.getEventManager().registerSubscriber(this.commits);
  }

  private get em(): SqlEntityManager {
    return this.orm.em as SqlEntityManager;
  }

  /**
   * The driver's own pool where it is node-postgres; null for PGlite and dialects that the host passed in.
   */
  private async nativePool(): Promise<NativePool | null> {
    if (this.native !== null) return this.native;
    const connection = this.em.getConnection() as unknown as { getNativeClient(): Promise<unknown> };
    const client = await connection.getNativeClient().catch(() => null);
    // Somebody else may have been here meanwhile.
    this.native ??= isPool(client) ? new NativePool(client, this.settings) : null;
    return this.native;
  }

  /**
   * Runs one statement on its own. Named and prepared where the driver can; cancelled in the database when it
   * takes too long.
   */
  async run(statement: Statement): Promise<readonly Row[]> {
    const native = this.native ?? (await this.nativePool());
    try {
      return await (native ?? runnerOf(this.em.fork())).run(statement);
    } catch (error) {
      throw this.mapped(error);
    }
  }

  /**
   * Runs `work` in one transaction: all of it or nothing (D15). Deadlocks, serialization failures and
   * violations of `retryOn` are tried again a few times, unless `joined` is a transaction of the host's,
   * whose fate is the host's.
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

  private async attempt<T>(
    work: (runner: Runner) => Promise<T>,
    { joined, shared }: TransactionOptions,
  ): Promise<T> {
    if (joined !== undefined) return work(runnerOf(joined));
    const native = await this.nativePool();
    if (native !== null && !shared) return native.transaction(work);
    try {
      return await this.em.fork().transactional((em) => work(runnerOf(em)));
    } catch (error) {
      // Whoever else held a connection that died with this one has let go of it by then.
      setTimeout(() => native?.releaseLost(), LOST_AFTER).unref();
      throw error;
    }
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
