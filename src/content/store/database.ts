/** Database access: single statements, and transactions that code of the host can join. */
import { IsolationLevel, type MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { compileMark } from '../compile/compile-mark.js';
import { type Mark, markIn, PRIMARY } from '../query/mark.js';
import type { Schema } from '../model/model.js';
import type { ContentSettings } from '../../kernel/settings.js';
import type { Statement } from '../../kernel/sql.js';
import type { Telemetry } from '../../kernel/telemetry.js';
import { checkTables, PING, type TableProblems } from './check-tables.js';
import { checkText } from './check-text.js';
import { AfterCommitQueue } from './after-commit-queue.js';
import { mapDatabaseError, type UniqueValues } from './database-errors.js';
import { isModelMismatch, isRetryable, isViolationOf, outageReason } from '../../kernel/postgres-errors.js';
import { ContentError } from '../../kernel/errors.js';
import type { Disconnect } from '../../kernel/disconnect.js';
import { NativePool, type ReadTraits } from '../../pool/native-pool.js';
import type { OwnConnection } from '../../pool/own-connection.js';
import { Replicas } from './replicas.js';
import { retrying } from './retrying.js';
import { type Row, type Runner, runnerOf } from '../../pool/runner.js';
import type { BatchTraits } from '../../pool/write-batches.js';

/**
 * Explicit, because the default may differ: after a wait for a lock, a statement must see the newest rows.
 */
const READ_COMMITTED = { isolationLevel: IsolationLevel.READ_COMMITTED };
const ONE_SNAPSHOT = { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true };

export interface TransactionOptions {
  readonly values: UniqueValues;
  /** Unique indexes whose violation means that another writer was faster, so that a retry helps. */
  readonly retryOn: readonly string[];
  readonly shared: boolean;
  /** Document that is written: its writers run one at a time, and wait without a connection. */
  readonly mutex: string | null;
  readonly disconnect: Disconnect | null;
  readonly together?: BatchTraits | null;
  readonly joined?: SqlEntityManager;
}

/** Options of a transaction of the library's own, without a document. */
export const OWN_TRANSACTION: TransactionOptions = Object.freeze({
  values: new Map(),
  retryOn: [],
  shared: false,
  mutex: null,
  disconnect: null,
});

export interface DatabaseBase {
  readonly orm: MikroORM;
  readonly schema: Schema;
  readonly settings: ContentSettings;
  readonly warn: (message: string) => void;
  /** Reports statements as spans. Default: none. */
  readonly telemetry?: Telemetry;
  /** Whether error messages mention missing tables; in production only the log does. */
  readonly namesTables: boolean;
}

/** Problems of the database, in sentences. */
export interface DatabaseProblems extends TableProblems {
  readonly away: string | null;
}

/** Returns the client behind a connection of MikroORM, or null if it is unknown. */
const nativeClientOf = (connection: object): Promise<unknown> =>
  (connection as { getNativeClient(): Promise<unknown> }).getNativeClient().catch(() => null);

export class Database {
  private readonly commits = new AfterCommitQueue();
  private native: NativePool | null = null;
  private replicas: Promise<Replicas> | null = null;
  private isOutdated = false;

  readonly hasReplicas: boolean;

  constructor(private readonly base: DatabaseBase) {
    const { config } = base.orm;
    this.hasReplicas = config.get('replicas', []).length > 0 && config.get('preferReadReplicas');
    base.orm.em.getEventManager().registerSubscriber(this.commits);
  }

  private get em(): SqlEntityManager {
    return this.base.orm.em as SqlEntityManager;
  }

  private async nativePool(): Promise<NativePool | null> {
    if (this.native !== null) return this.native;
    const client = await nativeClientOf(this.em.getConnection());
    // A concurrent call may have set it.
    this.native ??= NativePool.over(client, this.base);
    return this.native;
  }

  /**
   * Runs one statement, prepared if the driver supports it. A timeout or a disconnect cancels it in the
   * database. Throws ServiceUnavailableError if it could not run.
   */
  async run(statement: Statement, traits: ReadTraits | null = null): Promise<readonly Row[]> {
    const native = this.native ?? (await this.nativePool());
    try {
      if (native !== null) return await native.run(statement, traits);
      traits?.begun();
      return await runnerOf(this.em.fork()).run(statement);
    } catch (error) {
      throw this.mapError(error);
    }
  }

  /**
   * Runs a read on a replica that has replayed the position `since`, or on any if that is null. Without such
   * a replica it runs on the primary.
   */
  async read(statement: Statement, traits: ReadTraits, since: Mark | null): Promise<readonly Row[]> {
    if (since === PRIMARY) return this.run(statement, traits);
    this.replicas ??= this.openReplicas();
    return (await this.replicas).read(statement, traits, since);
  }

  /** Throws the error that a request would get now. */
  async ping(): Promise<void> {
    await this.run(PING);
  }

  /** Connections and queues of the primary's pool; null if the driver is not node-postgres. */
  get load(): NativePool['load'] | null {
    return this.native?.load ?? null;
  }

  /** Name under which a statement is prepared. */
  nameOf({ text }: Statement): string {
    return NativePool.nameOf(text);
  }

  /** Time of the last response of the primary to any statement, by `performance.now()`. */
  get respondedAt(): number {
    return this.native?.respondedAt ?? Number.NEGATIVE_INFINITY;
  }

  /** Number of transactions that this process has committed, including those of the host's MikroORM. */
  get committed(): number {
    return this.commits.count;
  }

  /** Returns the position that includes all commits until now. Never throws. */
  async mark(): Promise<Mark> {
    const rows = await this.run(compileMark()).catch(() => []);
    return markIn(rows[0]?.['mark']) ?? PRIMARY;
  }

  /** Collects the replicas of MikroORM, which returns a random one per call. */
  private async openReplicas(): Promise<Replicas> {
    const { orm, settings, warn } = this.base;
    const count = this.hasReplicas ? orm.config.get('replicas', []).length : 0;
    const connections = new Set<object>();
    while (connections.size < count) connections.add(this.em.getConnection('read'));
    const clients = await Promise.all([...connections].map(nativeClientOf));
    return new Replicas({
      servers: clients
        .flatMap((client) => NativePool.over(client, this.base) ?? [])
        .map((pool) => ({ pool, name: pool.name })),
      warn,
      maxLag: settings.maxReplicaLag,
      primary: (statement, traits) => this.run(statement, traits),
      query: async (statement) => (await (await this.nativePool())?.run(statement, null)) ?? [],
    });
  }

  /**
   * Runs `work` in one transaction: all of it or nothing (D15). Retries deadlocks, serialization failures and
   * violations of `retryOn`, except in a transaction of the host (`joined`), which only the host can repeat.
   * A disconnect before the COMMIT rolls back.
   */
  async transaction<T>(work: (runner: Runner) => Promise<T>, options: TransactionOptions): Promise<T> {
    const { values, retryOn, joined } = options;
    const again = (error: unknown): boolean =>
      joined === undefined && (isRetryable(error) || retryOn.some((index) => isViolationOf(error, index)));
    return retrying(() => this.attempt(work, options), again).catch((error: unknown) => {
      throw this.mapError(error, values);
    });
  }

  private async attempt<T>(work: (runner: Runner) => Promise<T>, options: TransactionOptions): Promise<T> {
    const { joined, shared } = options;
    if (joined !== undefined) return work(runnerOf(joined));
    const native = await this.nativePool();
    if (native === null) return this.em.fork().transactional((em) => work(runnerOf(em)), READ_COMMITTED);
    if (shared) return this.runHosted(work, options, native);
    const done = await native.transaction(work, options);
    this.commits.note();
    return done;
  }

  private async runHosted<T>(
    work: (runner: Runner) => Promise<T>,
    options: TransactionOptions,
    native: NativePool,
  ): Promise<T> {
    let committed = (): Promise<void> => Promise.resolve();
    const hosted = {
      work,
      transact: (inside: (runner: Runner) => Promise<T>) =>
        this.em.fork().transactional((em) => {
          committed = this.commits.hold(em);
          return inside(runnerOf(em));
        }, READ_COMMITTED),
      confirmed: () => this.commits.note(),
    };
    const done = await native.hosted(hosted, options);
    // The work may write, so the slot and the turn of the document are free by now.
    await committed();
    return done;
  }

  /**
   * Runs `work` in one transaction outside the request queue, for commands. Each statement has the timeout of
   * the session, unless the transaction sets another one. With `snapshot`, it reads one consistent snapshot
   * and cannot write. Retries deadlocks, but no snapshot: its work may have passed on what it has read.
   */
  async runAlone<T>(work: (runner: Runner) => Promise<T>, { snapshot }: { snapshot: boolean }): Promise<T> {
    const options = snapshot ? ONE_SNAPSHOT : READ_COMMITTED;
    const attempt = () => this.em.fork().transactional((em) => work(runnerOf(em)), options);
    return retrying(attempt, (error) => !snapshot && isRetryable(error));
  }

  /** Returns COPY in a transaction of `runAlone`; null for other drivers, and behind a pooler. */
  async copyOn(runner: Runner): ReturnType<NativePool['copyOn']> {
    return (await (await this.nativePool())?.copyOn(runner)) ?? null;
  }

  /**
   * Opens a connection outside the pool; null if the driver is not node-postgres. Throws if the server
   * accepts none.
   */
  async open(): Promise<OwnConnection | null> {
    return (await (await this.nativePool())?.open()) ?? null;
  }

  /**
   * Runs `work` in one transaction on a connection outside the pool, which no timeout of requests ends.
   * Throws when the connection is lost: a statement that succeeds shows that its locks are still held.
   */
  async apart<T>(work: (run: Runner['run']) => Promise<T>): Promise<T> {
    const connection = await this.open();
    if (connection === null)
      return this.runAlone((runner) => work((statement) => runner.run(statement)), { snapshot: false });
    try {
      return await connection.transaction(work);
    } finally {
      connection.close();
    }
  }

  /** Runs `work` once the transaction of `em` is committed, and never when it is rolled back. */
  afterCommit(em: SqlEntityManager, work: () => Promise<void>): void {
    this.commits.add(em, work);
  }

  /**
   * Returns problems at the start: the database is unreachable, or lacks tables of the model. Never throws.
   */
  async problems(): Promise<DatabaseProblems> {
    try {
      const native = await this.nativePool();
      return { away: null, ...(await checkTables(this.base.orm, this.runOn(native))) };
    } catch (error) {
      const why = outageReason(error) ?? String(error);
      const away = `The database cannot be used: ${why}. Until it can, content routes respond with 503`;
      return { away, tables: [], isNew: false };
    }
  }

  /** Returns advice on connection, encoding and locale. Without a database, there is none on the last two. */
  async advice(): Promise<readonly string[]> {
    const native = await this.nativePool();
    // First the pool: behind a pooler, it may have to stop naming statements.
    const ofPool = (await native?.advice()) ?? [];
    return [...ofPool, ...(await checkText(this.runOn(native)).catch(() => []))];
  }

  private runOn(native: NativePool | null): Runner['run'] {
    return (statement) => (native ?? runnerOf(this.em.fork())).run(statement, null);
  }

  private mapError(error: unknown, values: UniqueValues = new Map()): unknown {
    const { schema, settings, namesTables } = this.base;
    const reason = outageReason(error);
    // Log missing tables once: only a migration adds them.
    const isKnown = isModelMismatch(error) && this.isOutdated;
    this.isOutdated ||= isModelMismatch(error);
    if (reason !== null && !isKnown) this.base.warn(reason);
    const { statementTimeout } = settings.limits;
    const mapped = mapDatabaseError(error, { schema, values, statementTimeout, namesTables });
    // A transaction that this one has joined may be repeated because of the cause.
    if (mapped instanceof ContentError && mapped !== error) mapped.cause ??= error;
    return mapped;
  }
}
