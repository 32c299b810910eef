/**
 * The driver itself, where it is node-postgres: named statements, a bound on all waiting, and transactions of
 * our own.
 */
import type { ContentSettings } from '../settings.js';
import type { Statement } from '../sql.js';
import { Admission, placesOf } from './admission.js';
import { overloaded, timedOut } from './database-errors.js';
import { requestCancel } from './cancel-request.js';
import { TimeoutList } from './timeout-list.js';
import { canFly } from './flight.js';
import type { Hangup } from './hangup.js';
import { type Done, Job, type JobOffice, RECOVERY } from './job.js';
import { LOCAL_NO_JIT, LONG, mayCompile } from './jit.js';
import { OwnConnection } from './own-connection.js';
import { OwnTransaction } from './own-transaction.js';
import type { Pool, PoolClient, QueryConfig } from './pool-types.js';
import type { Row, Runner } from './runner.js';
import { laneOf, learn, learnSize } from './slow-reads.js';
import { type KnownStatement, StatementNames } from './statement-names.js';
import { abandoned, Ticket } from './ticket.js';

/** What a read is like, and who waits for it. */
export interface ReadTraits {
  readonly hangup: Hangup | null;
  /** Whether it has to be taken for a slow one until it has shown how long it takes. */
  readonly heavy: boolean;
  /** Reads with the same turn are done one at a time. Null for a read that waits for no other. */
  readonly turn: string | null;
  /** Called once, when the statement is about to be sent: what is committed from here on, it may not see. */
  readonly begun: () => void;
}

/** A short statement of the library itself. */
const OWN: ReadTraits = { hangup: null, heavy: false, turn: null, begun: () => undefined };

/** What a transaction on somebody else's connection says of itself. Both throw when it was given up. */
export interface Hosting {
  /** Whose connection it is. */
  readonly begun: (processID: number) => void;
  /** Its work is done. */
  readonly committing: () => void;
}

/** Whose turn a write waits for, and who waits for it. */
export interface WriteTraits {
  readonly hangup: Hangup | null;
  /** The document that is written; writers of one document take turns without holding a connection. */
  readonly turn: string | null;
}

/** How a read is sent, and what becomes of the rows of each statement. */
interface Sending {
  readonly send: (on: { job: Job; client: PoolClient; config: QueryConfig }, landed: Done) => void;
  readonly done: (rows: readonly (readonly Row[])[]) => void;
  readonly fail: (error: Error) => void;
}

/** How long after the end of a connection its place may be somebody's, in milliseconds. */
const LOST_AFTER = 200;

/** Whether the server has ended a connection along with its statement: whoever is next must not get it. */
const hasEnded = (error: Error & { readonly severity?: string }): boolean => error.severity === 'FATAL';

export class NativePool {
  private readonly names: StatementNames;
  private readonly prepares: boolean;
  private readonly office: JobOffice;
  private readonly mayCompile: boolean;

  constructor(
    private readonly pool: Pool,
    settings: ContentSettings,
  ) {
    const { queueTimeout, queueLength, slowShare } = settings.load;
    const { statementTimeout } = settings.limits;
    this.prepares = settings.preparedStatements;
    this.mayCompile = mayCompile(pool);
    this.names = new StatementNames({
      count: settings.preparedStatements ? settings.maxPreparedStatements : 0,
      size: settings.maxPreparedSize,
    });
    this.office = {
      pool,
      admission: new Admission(placesOf(pool.options.max, slowShare, queueLength)),
      deadlines: new TimeoutList(statementTimeout),
      waits: new TimeoutList(queueTimeout),
      expired: () => timedOut(statementTimeout),
      waited: () => overloaded('queueTimeout', queueTimeout),
      crowded: () => overloaded('queueLength', queueLength),
    };
    for (const client of this.inside) this.watch(client);
    pool.on('connect', (client) => this.watch(client));
  }

  /**
   * Runs one statement on its own. In callbacks, because a read is nearly nothing else: promises here cost a
   * tenth of a request's time in Node.
   */
  run(statement: Statement, traits: ReadTraits | null): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      this.read(statement, traits, {
        send: ({ job, client, config }, landed) => {
          const before = this.before(config);
          if (before.length > 0 && canFly(client)) job.fly([...before, config], landed);
          else job.query(config, landed);
        },
        done: (rows) => resolve(rows.at(-1) ?? []),
        fail: reject,
      });
    });
  }

  /**
   * The same where the answer to a question, which is sent along with it, is `yes`; null where it is not, and
   * with a driver that cannot send both at once.
   */
  runIf(question: Statement, statement: Statement, traits: ReadTraits): Promise<readonly Row[] | null> {
    const asked = this.names.of(question.text);
    return new Promise((resolve, reject) => {
      this.read(statement, traits, {
        send: ({ job, client, config }, landed) => {
          const both = [this.configOf(question, asked, client), config];
          if (canFly(client)) job.fly([...this.before(config), ...both], landed);
          else landed(null, []);
        },
        done: (brought) => {
          const [answers = [], rows = []] = brought.slice(-2);
          resolve(answers[0]?.['yes'] === true ? rows : null);
        },
        fail: reject,
      });
    });
  }

  /** What is sent along before a statement that the server might compile. */
  private before({ text }: QueryConfig): readonly QueryConfig[] {
    return this.mayCompile && text.length > LONG ? [LOCAL_NO_JIT] : [];
  }

  private read(statement: Statement, traits: ReadTraits | null, { send, done, fail }: Sending): void {
    const { hangup, heavy, turn, begun } = traits ?? OWN;
    const known = this.names.of(statement.text);
    const landed =
      (job: Job, started: number): Done =>
      (error, rows) => {
        learn(known, performance.now() - started, heavy);
        learnSize(known, rows.at(-1) ?? []);
        if (error === null) done(rows);
        else fail(error);
        job.finish(error !== null && hasEnded(error));
      };
    const begin = (job: Job, client: PoolClient): void => {
      this.forget(client);
      begun();
      send({ job, client, config: this.configOf(statement, known, client) }, landed(job, performance.now()));
    };
    const lane = traits === null ? 'own' : laneOf(known, heavy);
    new Job(this.office, { lane, turn, hangup }, { begin, fail });
  }

  /** A connection beside the pool's. Throws where there is none to be had. */
  open(): Promise<OwnConnection> {
    return OwnConnection.open(this.pool, this.prepares);
  }

  /** A transaction that nobody joins. */
  transaction<T>(work: (runner: Runner) => Promise<T>, { turn, hangup }: WriteTraits): Promise<T> {
    return new Promise((resolve, reject) => {
      const begin = (job: Job, client: PoolClient): void => {
        this.forget(client);
        this.within(job, client, work).then(resolve, reject);
      };
      new Job(this.office, { lane: 'write', turn, hangup }, { begin, fail: reject });
    });
  }

  /**
   * A transaction on a connection that somebody else takes from the pool: it waits for a place and for its
   * turn like all others, and whoever waits for it is answered in time. Work that is given up meanwhile is
   * not committed, however long the host's code in it goes on.
   */
  hosted<T>(work: (hosting: Hosting) => Promise<T>, { turn, hangup }: WriteTraits): Promise<T> {
    return new Promise((resolve, reject) => {
      let processID: number | null = null;
      let isDone = false;
      const enter = (): void => {
        const leave = (): void => {
          isDone = true;
          ticket.end();
          ticket.leave();
        };
        const check = (): void => {
          if (ticket.isOver) throw abandoned();
        };
        const begun = (id: number): void => {
          check();
          processID = id;
        };
        const committing = (): void => {
          check();
          ticket.hold();
        };
        work({ begun, committing }).then(resolve, reject).finally(leave);
      };
      const fail = (error: Error): void => {
        reject(error);
        const client = this.inside.find((one) => one.processID === processID);
        if (processID === null || isDone || client === undefined) return;
        void requestCancel(client, RECOVERY).then(() => {
          // A statement that does not end is one whose connection is lost.
          setTimeout(() => isDone || client.connection?.stream?.destroy(), RECOVERY).unref();
        });
      };
      const ticket = new Ticket(this.office, { lane: 'write', turn, hangup }, { enter, fail });
      ticket.present();
    });
  }

  /**
   * Kysely keeps the place of a transaction whose connection died (kysely-org/kysely#1990), whether it was
   * begun here or by the host. Whoever does give one back has done so soon after its end.
   */
  private watch(client: InsideClient): void {
    client.once?.('end', () => setTimeout(() => this.releaseLost(), LOST_AFTER).unref());
  }

  /**
   * Gives back the places of lost connections. It looks into the pool's own lists, for want of another way,
   * and does nothing where they are not as expected. Who does give one back after that does nothing.
   */
  private releaseLost(): void {
    const { _idle: idle = [] } = this.pool as PoolInside;
    for (const client of [...this.inside]) {
      const isLost = client._queryable === false && !idle.some((item) => item.client === client);
      if (!isLost || typeof client.release !== 'function') continue;
      const { release } = client;
      client.release = () => undefined;
      release(true);
    }
  }

  private get inside(): readonly InsideClient[] {
    return (this.pool as PoolInside)._clients ?? [];
  }

  /** What the pool leaves open that a network which goes silent would use. */
  advice(): readonly string[] {
    if (this.pool.options.connectionTimeoutMillis) return [];
    return [
      'The database pool has no "connectionTimeoutMillis" (driverOptions): should the network go silent, connections under way are never given up',
    ];
  }

  private async within<T>(job: Job, client: PoolClient, work: (runner: Runner) => Promise<T>): Promise<T> {
    const transaction = new OwnTransaction({
      job,
      configOf: (statement) => this.configOf(statement, this.names.of(statement.text), client),
      flies: canFly(client),
      mayCompile: this.mayCompile,
    });
    try {
      const result = await work(transaction);
      await transaction.end();
      job.finish();
      return result;
    } catch (error) {
      job.finish(!(await transaction.undo()));
      throw error;
    }
  }

  /** Has a connection forget the statements that are no longer kept prepared. */
  private forget(client: PoolClient): void {
    const forgotten = this.names.release(client);
    if (forgotten === null) return;
    client.query(forgotten.statement, () => undefined);
    for (const name of forgotten.names) delete client.connection?.parsedStatements?.[name];
  }

  private configOf(statement: Statement, known: KnownStatement, client: PoolClient): QueryConfig {
    const { name } = known;
    if (name === null) return statement;
    this.names.note(client, name);
    const { text, values, silent = false } = statement;
    return { name, text, values, silent, described: known };
  }
}

interface InsideClient extends PoolClient {
  readonly _queryable?: boolean;
  once?(event: 'end', listener: () => void): unknown;
}

interface PoolInside {
  readonly _clients?: readonly InsideClient[];
  readonly _idle?: readonly { readonly client: unknown }[];
}
