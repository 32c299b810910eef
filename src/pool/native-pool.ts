/** Pool of node-postgres with admission control, prepared statements, batching and cancellation. */
import type { ContentSettings } from '../kernel/settings.js';
import { NO_TELEMETRY, type Telemetry } from '../kernel/telemetry.js';
import type { Statement } from '../kernel/sql.js';
import { Admission, type LaneLoad, slotLimitsOf } from './admission.js';
import { firstLine, isStatementMismatch, overloaded, timedOut } from '../kernel/postgres-errors.js';
import { TimeoutList } from '../kernel/timeout-list.js';
import { type Copy, copyOn } from './copy-rows.js';
import { canPipeline, closeLater } from './pipelined-batch.js';
import type { Disconnect } from '../kernel/disconnect.js';
import { type HostedTransactionCalls, HostedTransaction } from './hosted-transaction.js';
import type { Job, JobContext } from './job.js';
import { LOCAL_NO_JIT, LONG, mayCompile } from './session-settings.js';
import { releaseLost } from './lost-connections.js';
import { OwnConnection } from './own-connection.js';
import { startOf, type TransactionConnection } from './own-transaction.js';
import { isPool, isWire, type Pool, type PoolClient, type QueryConfig } from './pool-types.js';
import { checkPooler } from './pooler-check.js';
import type { Row, Runner } from './runner.js';
import { type ProfiledStatement, type PoolRead, ReadBatches, type Send } from './read-batches.js';
import { laneOf } from './slow-reads.js';
import { statementName, StatementNames } from './statement-names.js';
import { type ReadCalls, tracedRead, tracedWork } from './traced.js';
import { type BatchTraits, WriteBatches } from './write-batches.js';

export interface ReadTraits {
  readonly disconnect: Disconnect | null;
  /** Whether the read counts as slow until it has run. */
  readonly heavy: boolean;
  /** Reads with the same text run one at a time. Null for no such bound. */
  readonly mutex: string | null;
  /** Called before the statement is sent: it may miss commits from here on. */
  readonly begun: () => void;
}

/** Traits of a short statement of the library itself. */
const OWN: ReadTraits = { disconnect: null, heavy: false, mutex: null, begun: () => undefined };

export interface WriteTraits {
  readonly disconnect: Disconnect | null;
  /** Document that is written: its writers run one at a time, and wait without a connection. */
  readonly mutex: string | null;
  /** Allows the write to share its transaction with others. */
  readonly together?: BatchTraits | null;
}

/** Current connections and queues of a pool. */
export interface PoolLoad {
  readonly pool: { readonly max: number; readonly used: number; readonly idle: number };
  readonly queues: readonly LaneLoad[];
}

export interface PoolBase {
  readonly settings: ContentSettings;
  readonly warn: (message: string) => void;
  /** Reports waits and statements as spans. Default: none. */
  readonly telemetry?: Telemetry;
}

const NO_CONNECT_TIMEOUT =
  'The database pool has no "connectionTimeoutMillis" (driverOptions): should the network go silent, ' +
  'connections under way are never given up';

const NAMES_LOST =
  'A connection pooler in transaction mode does not keep prepared statements, so none are used: ' +
  'set "preparedStatements: false"';

export class NativePool {
  private readonly settings: ContentSettings;
  private readonly warn: (message: string) => void;
  private readonly telemetry: Telemetry;
  private readonly names: StatementNames;
  private readonly context: JobContext;
  private mayCompile: boolean;
  private start: readonly Statement[];
  private readonly reads: ReadBatches;
  private readonly writes: WriteBatches;

  private constructor(
    private readonly pool: Pool,
    { settings, warn, telemetry = NO_TELEMETRY }: PoolBase,
  ) {
    this.settings = settings;
    this.warn = warn;
    this.telemetry = telemetry;
    const { queueTimeout, queueLength, slowShare } = settings.load;
    const { statementTimeout } = settings.limits;
    this.mayCompile = mayCompile(pool);
    this.start = startOf(statementTimeout, this.mayCompile);
    this.names = new StatementNames({
      count: settings.preparedStatements ? settings.maxPreparedStatements : 0,
      size: settings.maxPreparedSize,
    });
    this.context = {
      pool,
      activity: { respondedAt: Number.NEGATIVE_INFINITY },
      admission: new Admission(slotLimitsOf(pool.options.max, slowShare, queueLength)),
      deadlines: new TimeoutList(statementTimeout),
      waits: new TimeoutList(queueTimeout),
      expired: () => timedOut(statementTimeout),
      waitExpired: () => overloaded('queueTimeout', queueTimeout),
      queueFull: () => overloaded('queueLength', queueLength),
    };
    this.reads = new ReadBatches(this.context, this.send);
    this.writes = new WriteBatches(this.context, (job, client) => this.connectionOf(job, client));
    releaseLost(pool);
  }

  /** Returns a pool over a client of MikroORM's driver; null unless that is a pool of node-postgres. */
  static over(client: unknown, base: PoolBase): NativePool | null {
    return isPool(client) ? new NativePool(client, base) : null;
  }

  /** Name under which a text is prepared. */
  static nameOf(text: string): string {
    return statementName(text);
  }

  get load(): PoolLoad {
    const { totalCount, idleCount, options } = this.pool;
    const pool = { max: options.max, used: totalCount - idleCount, idle: idleCount };
    return { pool, queues: this.context.admission.load };
  }

  /** Time of the last response to any statement, by `performance.now()`. */
  get respondedAt(): number {
    return this.context.activity.respondedAt;
  }

  get name(): string {
    const { host = 'localhost', port = 5432 } = this.pool.options;
    return `${host}:${port}`;
  }

  /**
   * Runs one statement. The path from here to the driver uses callbacks: promises cost a tenth of a request's
   * CPU time in Node.
   */
  run(statement: Statement, traits: ReadTraits | null): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      const { begun, done, fail } = this.withTrace(statement, {
        begun: (traits ?? OWN).begun,
        done: resolve,
        fail: reject,
      });
      const read = (failed: (error: unknown) => void): void =>
        this.reads.read({ ...this.readOf(statement, traits), begun, condition: null, done, fail: failed });
      read(this.retryUnnamed(() => read(fail), fail));
    });
  }

  /**
   * Runs a statement after a condition in the same pipelined batch. Returns null unless the condition's row
   * has `yes`, and for a driver without pipelining.
   */
  runIf(condition: Statement, statement: Statement, traits: ReadTraits): Promise<readonly Row[] | null> {
    return new Promise((resolve, reject) => {
      const { begun, done, fail } = this.withTrace(statement, {
        begun: traits.begun,
        done: (rows, [row]) => resolve(row?.['yes'] === true ? rows : null),
        fail: reject,
      });
      const read = (failed: (error: unknown) => void): void => {
        const profile = this.names.of(condition.text);
        const first = { statement: condition, profile };
        this.reads.read({ ...this.readOf(statement, traits), begun, condition: first, done, fail: failed });
      };
      read(this.retryUnnamed(() => read(fail), fail));
    });
  }

  private withTrace(statement: Statement, calls: ReadCalls): ReadCalls {
    return this.telemetry.isOn ? tracedRead(this.telemetry, statement, calls) : calls;
  }

  private readOf(
    statement: Statement,
    traits: ReadTraits | null,
  ): Omit<PoolRead, 'condition' | 'done' | 'fail'> {
    const { disconnect, heavy, mutex, begun } = traits ?? OWN;
    const profile = this.names.of(statement.text);
    const lane = traits === null ? 'own' : laneOf(profile, heavy);
    return { statement, profile, request: { lane, mutex, disconnect }, heavy, begun };
  }

  private readonly send: Send = ({ job, client }, texts, done) => {
    const pipelines = canPipeline(client);
    if (!pipelines && texts.length > 1) return done(null, []);
    this.closeObsolete(client);
    const configs = texts.map((text) => this.configOf(text, client));
    const isLong = this.mayCompile && configs.some(({ text }) => text.length > LONG);
    if (pipelines) job.pipeline(isLong ? [LOCAL_NO_JIT, ...configs] : configs, done);
    else for (const config of configs) job.query(config, done);
  };

  /** Opens a connection outside the pool. Throws if the server accepts none. */
  open(): Promise<OwnConnection> {
    return OwnConnection.open(this.pool, this.names.isOn);
  }

  /** Returns COPY on the connection of a transaction; null behind a pooler, which hides the connection. */
  copyOn(transaction: Runner): Promise<Copy | null> {
    return copyOn(this.pool, transaction);
  }

  /** Runs a transaction that code of the host cannot join. */
  transaction<T>(work: (runner: Runner) => Promise<T>, traits: WriteTraits): Promise<T> {
    const { mutex, disconnect, together = null } = traits;
    const traced = tracedWork(this.telemetry, work);
    return new Promise((resolve, reject) => {
      const done = resolve as (value: unknown) => void;
      const fail = traced.failing(reject);
      const write = (failed: (error: unknown) => void): void =>
        this.writes.write({
          work: traced.work,
          together,
          request: { lane: 'write', mutex, disconnect },
          done,
          fail: failed,
        });
      // A misnamed statement fails before the COMMIT, which the server skips: nothing is written.
      write(this.retryUnnamed(() => write(fail), fail));
    });
  }

  /** Runs a transaction of MikroORM, which code of the host joins. */
  hosted<T>(
    hosted: HostedTransactionCalls<T>,
    request: Pick<WriteTraits, 'mutex' | 'disconnect'>,
  ): Promise<T> {
    const context = {
      ...this.context,
      statementTimeout: this.settings.limits.statementTimeout,
      run: (statement: Statement) => this.run(statement, null),
      runApart: async (statement: Statement) => {
        const connection = await this.open();
        return connection.run(statement).finally(() => connection.close());
      },
    };
    const traced = tracedWork(this.telemetry, hosted.work);
    const running = new HostedTransaction({ ...hosted, work: traced.work }, context).run(request);
    if (this.telemetry.isOn) running.catch(traced.failing(() => undefined));
    return running;
  }

  /** Returns advice on the pool, one sentence each: a missing timeout, a pooler's mode. */
  async advice(): Promise<readonly string[]> {
    const { pooled, keepsNames, compiles } = await checkPooler(this.pool, this.names.isOn);
    // A pooler may have dropped the settings that came with the connection.
    if (pooled) this.mayCompile ||= compiles;
    this.start = startOf(this.settings.limits.statementTimeout, this.mayCompile);
    if (!keepsNames) this.names.stop();
    return [
      ...(this.pool.options.connectionTimeoutMillis ? [] : [NO_CONNECT_TIMEOUT]),
      ...(keepsNames ? [] : [NAMES_LOST]),
    ];
  }

  /** Wraps an error callback: stops naming and repeats the work when a pooler has lost a statement. */
  private retryUnnamed(again: () => void, fail: (error: unknown) => void): (error: unknown) => void {
    return (error) => {
      if (!isStatementMismatch(error)) return fail(error);
      if (this.names.isOn) this.warn(`${firstLine(error)}. ${NAMES_LOST}`);
      this.names.stop();
      again();
    };
  }

  private connectionOf(job: Job, client: PoolClient): TransactionConnection {
    this.closeObsolete(client);
    return {
      job,
      configOf: (statement) => this.configOf({ statement, profile: this.names.of(statement.text) }, client),
      pipelines: canPipeline(client),
      start: this.start,
      elsewhere: (statement) => this.run(statement, null),
    };
  }

  private closeObsolete(client: PoolClient): void {
    const { connection } = client;
    if (isWire(connection)) closeLater(connection, this.names.release(client));
  }

  private configOf({ statement, profile }: ProfiledStatement, client: PoolClient): QueryConfig {
    const { name } = profile;
    if (name === null || !canPipeline(client)) return statement;
    this.names.note(client, name);
    const { text, values, silent = false } = statement;
    return { name, text, values, silent, described: profile };
  }
}
