/**
 * The driver itself, where it is node-postgres: named statements, a bound on all waiting, and transactions of
 * our own.
 */
import type { ContentSettings } from '../settings.js';
import type { Statement } from '../sql.js';
import { Admission, slotLimitsOf } from './admission.js';
import { firstLine, isMisnamed, overloaded, timedOut } from './database-errors.js';
import { requestCancel } from './cancel-request.js';
import { TimeoutList } from './timeout-list.js';
import { canPipeline, closeLater } from './pipelined-batch.js';
import type { Hangup } from './hangup.js';
import { type Job, type JobContext, RECOVERY } from './job.js';
import { LOCAL_NO_JIT, LONG, mayCompile } from './jit.js';
import { clientsOf, releaseLost } from './lost-connections.js';
import { OwnConnection } from './own-connection.js';
import type { TransactionConnection } from './own-transaction.js';
import { isWire, type Pool, type PoolClient, type QueryConfig } from './pool-types.js';
import { checkPooler } from './pooler-check.js';
import { endBackend, type HostedBackend } from './process-id.js';
import type { Row, Runner } from './runner.js';
import { type KnownText, type PoolRead, ReadBatches, type Send } from './read-batches.js';
import { laneOf } from './slow-reads.js';
import { StatementNames } from './statement-names.js';
import { clientDisconnected, SlotRequest } from './slot-request.js';
import { type BatchTraits, WriteBatches } from './write-batches.js';

/** What a read is like, and who waits for it. */
export interface ReadTraits {
  readonly hangup: Hangup | null;
  /** Whether it has to be taken for a slow one until it has shown how long it takes. */
  readonly heavy: boolean;
  /** Reads with the same turn are done one at a time. Null for a read that waits for no other. */
  readonly turn: string | null;
  /** Called when the statement is about to be sent: what is committed from here on, it may not see. */
  readonly begun: () => void;
}

/** A short statement of the library itself. */
const OWN: ReadTraits = { hangup: null, heavy: false, turn: null, begun: () => undefined };

/** What a transaction on somebody else's connection says of itself. Both throw when it was given up. */
export interface Hosting {
  /** Names the server process that runs it, and since when. */
  readonly begun: (backend: HostedBackend) => void;
  /** Its work is done. */
  readonly committing: () => void;
}

/** Whose turn a write waits for, and who waits for it. */
export interface WriteTraits {
  readonly hangup: Hangup | null;
  /** The document that is written; writers of one document take turns without holding a connection. */
  readonly turn: string | null;
  /** Says that it may share its transaction with other writes; left out where it has one to itself. */
  readonly together?: BatchTraits | null;
}

const NO_CONNECT_TIMEOUT =
  'The database pool has no "connectionTimeoutMillis" (driverOptions): should the network go silent, ' +
  'connections under way are never given up';

const NAMES_LOST =
  'A connection pooler in transaction mode does not keep prepared statements, so none are used: ' +
  'set "preparedStatements: false"';

export class NativePool {
  private readonly names: StatementNames;
  private readonly context: JobContext;
  private mayCompile: boolean;
  private readonly reads: ReadBatches;
  private readonly writes: WriteBatches;

  constructor(
    private readonly pool: Pool,
    settings: ContentSettings,
    /** Logs one line for the operator. */
    private readonly warn: (message: string) => void,
  ) {
    const { queueTimeout, queueLength, slowShare } = settings.load;
    const { statementTimeout } = settings.limits;
    this.mayCompile = mayCompile(pool);
    this.names = new StatementNames({
      count: settings.preparedStatements ? settings.maxPreparedStatements : 0,
      size: settings.maxPreparedSize,
    });
    this.context = {
      pool,
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

  /**
   * Runs one statement. In callbacks, because a read is nearly nothing else: promises here cost a tenth of a
   * request's time in Node.
   */
  run(statement: Statement, traits: ReadTraits | null): Promise<readonly Row[]> {
    return new Promise((done, fail) => {
      const read = (failed: (error: unknown) => void): void =>
        this.reads.read({ ...this.readOf(statement, traits), condition: null, done, fail: failed });
      read(this.unnamed(() => read(fail), fail));
    });
  }

  /**
   * The same where the answer to a question, which is sent along with it, is `yes`; null where it is not, and
   * with a driver that cannot send both at once.
   */
  runIf(question: Statement, statement: Statement, traits: ReadTraits): Promise<readonly Row[] | null> {
    return new Promise((resolve, fail) => {
      const done: PoolRead['done'] = (rows, [answer]) => resolve(answer?.['yes'] === true ? rows : null);
      const read = (failed: (error: unknown) => void): void => {
        const asked = { statement: question, known: this.names.of(question.text) };
        this.reads.read({ ...this.readOf(statement, traits), condition: asked, done, fail: failed });
      };
      read(this.unnamed(() => read(fail), fail));
    });
  }

  private readOf(
    statement: Statement,
    traits: ReadTraits | null,
  ): Omit<PoolRead, 'condition' | 'done' | 'fail'> {
    const { hangup, heavy, turn, begun } = traits ?? OWN;
    const known = this.names.of(statement.text);
    const lane = traits === null ? 'own' : laneOf(known, heavy);
    return { statement, known, request: { lane, turn, hangup }, heavy, begun };
  }

  /** In one piece, with what has to come before them; several only where the driver can do that. */
  private readonly send: Send = ({ job, client }, texts, done) => {
    const flies = canPipeline(client);
    if (!flies && texts.length > 1) return done(null, []);
    this.closeObsolete(client);
    const configs = texts.map((text) => this.configOf(text, client));
    const isLong = this.mayCompile && configs.some(({ text }) => text.length > LONG);
    if (flies) job.pipeline(isLong ? [LOCAL_NO_JIT, ...configs] : configs, done);
    else for (const config of configs) job.query(config, done);
  };

  /** A connection beside the pool's. Throws where there is none to be had. */
  open(): Promise<OwnConnection> {
    return OwnConnection.open(this.pool, this.names.isOn);
  }

  /** A transaction that nobody of the host's joins. */
  transaction<T>(work: (runner: Runner) => Promise<T>, traits: WriteTraits): Promise<T> {
    const { turn, hangup, together = null } = traits;
    return new Promise((resolve, fail) => {
      const done = resolve as (value: unknown) => void;
      const write = (failed: (error: unknown) => void): void =>
        this.writes.write({ work, together, request: { lane: 'write', turn, hangup }, done, fail: failed });
      // The statement that failed came before the COMMIT, which the server has skipped: nothing is written.
      write(this.unnamed(() => write(fail), fail));
    });
  }

  /**
   * A transaction on a connection that somebody else takes from the pool: it waits for a place and for its
   * turn like all others, and whoever waits for it is answered in time. Work that is given up meanwhile is
   * not committed, however long the host's code in it goes on.
   */
  hosted<T>(work: (hosting: Hosting) => Promise<T>, { turn, hangup }: WriteTraits): Promise<T> {
    return new Promise((resolve, reject) => {
      let backend: HostedBackend | null = null;
      let isCommitting = false;
      let isDone = false;
      const enter = (): void => {
        const leave = (): void => {
          isDone = true;
          slot.end();
          slot.release();
        };
        const check = (): void => {
          if (slot.isOver) throw clientDisconnected();
        };
        const begun = (started: HostedBackend): void => {
          check();
          backend = started;
        };
        const committing = (): void => {
          check();
          isCommitting = true;
          slot.committing();
        };
        work({ begun, committing }).then(resolve, reject).finally(leave);
      };
      const fail = (error: Error): void => {
        // The result of a COMMIT under way is waited for, within bounds.
        if (!isCommitting) reject(error);
        if (backend === null || isDone) return;
        this.end(backend, () => {
          if (isDone) return;
          // A statement that does not end is one whose connection is lost.
          if (backend !== null) this.close(backend);
          reject(error);
        });
      };
      const slot = new SlotRequest(this.context, { lane: 'write', turn, hangup }, { granted: enter, fail });
      slot.start();
    });
  }

  /** Ends the statement of a transaction that the host's code has joined; calls back after a while. */
  private end(backend: HostedBackend, after: () => void): void {
    const client = clientsOf(this.pool).find(({ processID }) => processID === backend.pid);
    // A pooler gives its clients process ids of its own: the server itself has to end the statement.
    const ending: Promise<unknown> =
      client !== undefined
        ? requestCancel(client, RECOVERY)
        : this.open()
            .then((connection) => connection.run(endBackend(backend)).finally(() => connection.close()))
            .catch(() => undefined);
    void ending.then(() => setTimeout(after, RECOVERY).unref());
  }

  /** Closes the connection of a transaction, whatever it does; behind a pooler it is not known. */
  close({ pid }: HostedBackend): void {
    const client = clientsOf(this.pool).find(({ processID }) => processID === pid);
    client?.connection?.stream?.destroy();
  }

  /** What the host should know of its pool, one sentence each: a missing timeout, a pooler's mode. */
  async advice(): Promise<readonly string[]> {
    const { pooled, keepsNames, compiles } = await checkPooler(this.pool, this.names.isOn);
    // A pooler may have dropped the settings that came with the connection.
    if (pooled) this.mayCompile ||= compiles;
    if (!keepsNames) this.names.stop();
    return [
      ...(this.pool.options.connectionTimeoutMillis ? [] : [NO_CONNECT_TIMEOUT]),
      ...(keepsNames ? [] : [NAMES_LOST]),
    ];
  }

  /**
   * Wraps a failure callback: where a pooler has mixed up prepared statements, no statement is named from
   * then on, and the work is done once more.
   */
  private unnamed(again: () => void, fail: (error: unknown) => void): (error: unknown) => void {
    return (error) => {
      if (!isMisnamed(error)) return fail(error);
      if (this.names.isOn) this.warn(`${firstLine(error)}. ${NAMES_LOST}`);
      this.names.stop();
      again();
    };
  }

  private connectionOf(job: Job, client: PoolClient): TransactionConnection {
    this.closeObsolete(client);
    return {
      job,
      configOf: (statement) => this.configOf({ statement, known: this.names.of(statement.text) }, client),
      pipelines: canPipeline(client),
      mayCompile: this.mayCompile,
      elsewhere: (statement) => this.run(statement, null),
    };
  }

  /** Has a connection forget the statements that are no longer kept prepared. */
  private closeObsolete(client: PoolClient): void {
    const { connection } = client;
    if (isWire(connection)) closeLater(connection, this.names.release(client));
  }

  private configOf({ statement, known }: KnownText, client: PoolClient): QueryConfig {
    const { name } = known;
    if (name === null || !canPipeline(client)) return statement;
    this.names.note(client, name);
    const { text, values, silent = false } = statement;
    return { name, text, values, silent, described: known };
  }
}
