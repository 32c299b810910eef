/**
 * Transactions of MikroORM on connections of the pool, which code of the host joins. They have a slot and
 * timeouts like all others. After a timeout they are not committed, however long the host's code runs.
 */
import { param, print, type Statement, sql } from '../kernel/sql.js';
import { requestCancel } from './cancel-request.js';
import { confirmCommit, IDENTITY, idOf, type RunElsewhere, type TransactionId } from './commit-outcome.js';
import type { Disconnect } from '../kernel/disconnect.js';
import { type JobContext, RECOVERY } from './job.js';
import { busyClients } from './lost-connections.js';
import type { Row, Runner } from './runner.js';
import { withoutJit, withTimeout } from './session-settings.js';
import { clientDisconnected, SlotRequest } from './slot-request.js';

/** The server process of a transaction. Behind a pooler, other transactions have it before and after. */
interface HostedBackend extends TransactionId {
  readonly pid: number;
}

type Client = ReturnType<typeof busyClients>[number];

export interface HostedTransactionCalls<T> {
  /** Runs a function in a transaction of MikroORM, which sends COMMIT after it. */
  readonly transact: (inside: (runner: Runner) => Promise<T>) => Promise<T>;
  readonly work: (runner: Runner) => Promise<T>;
  /** Called if the transaction is committed although the response to its COMMIT was lost. */
  readonly confirmed: () => void;
}

interface HostedContext extends JobContext {
  readonly statementTimeout: number;
  readonly run: RunElsewhere;
  readonly runApart: (statement: Statement) => Promise<unknown>;
}

interface Request {
  readonly mutex: string | null;
  readonly disconnect: Disconnect | null;
}

/** Configures a hosted transaction and returns its process. */
const beginHosted = (statementTimeout: number): Statement =>
  print(sql`select pg_backend_pid() as pid, ${IDENTITY}, ${withoutJit}, ${withTimeout(statementTimeout)}`);

const backendOf = ([row = {}]: readonly Row[]): HostedBackend => ({ pid: Number(row['pid']), ...idOf(row) });

/** Cancels the statement of a backend if it is still in that transaction. */
const endBackend = ({ pid, started }: HostedBackend): Statement =>
  print(
    sql`select pg_cancel_backend(a.pid) from pg_stat_activity a
      where a.pid = ${param(pid)} and a.xact_start = ${param(started)}::timestamptz`,
  );

export class HostedTransaction<T> {
  private backend: HostedBackend | null = null;
  /** Function of the pool that returns the connection, another one for each user of a connection. */
  private release: unknown = null;
  private isCommitting = false;
  private isDone = false;
  private result: { readonly value: T } | null = null;

  constructor(
    private readonly hosted: HostedTransactionCalls<T>,
    private readonly context: HostedContext,
  ) {}

  run({ mutex, disconnect }: Request): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const onSlot = (): void => {
        const leave = (): void => {
          this.isDone = true;
          slot.end();
          slot.release();
        };
        this.hosted
          .transact((runner) => this.inside(runner, slot))
          .finally(leave)
          .then(resolve, reject);
      };
      const fail = (error: Error): void => {
        // A COMMIT under way has RECOVERY milliseconds to return its result.
        if (!this.isCommitting) reject(error);
        this.end(() => reject(error));
      };
      const slot = new SlotRequest(
        this.context,
        { lane: 'write', mutex, disconnect },
        { granted: onSlot, fail },
      );
      slot.start();
    }).catch((error: unknown) => this.outcomeOf(error));
  }

  private async inside(runner: Runner, slot: SlotRequest): Promise<T> {
    const { statementTimeout } = this.context;
    const backend = backendOf(await runner.run(beginHosted(statementTimeout)));
    if (slot.isOver) throw clientDisconnected();
    this.backend = backend;
    this.release = busyClients(this.context.pool).find(({ processID }) => processID === backend.pid)?.release;
    const value = await this.hosted.work(runner);
    if (slot.isOver) throw clientDisconnected();
    this.isCommitting = true;
    slot.committing();
    this.result = { value };
    return value;
  }

  private async outcomeOf(error: unknown): Promise<T> {
    const { backend, result } = this;
    if (backend === null || result === null) throw error;
    const { run } = this.context;
    await confirmCommit({ error, transaction: backend, run, close: () => this.close() });
    this.hosted.confirmed();
    return result.value;
  }

  /** Cancels the statement. If it runs RECOVERY milliseconds later, closes the connection and calls back. */
  private end(after: () => void): void {
    const { backend } = this;
    if (backend === null || this.isDone) return;
    const client = this.client();
    // Behind a pooler the client's process id is the pooler's: cancel by SQL.
    const ending: Promise<unknown> =
      client !== undefined
        ? requestCancel(client, RECOVERY)
        : this.context.runApart(endBackend(backend)).catch(() => undefined);
    const expire = (): void => {
      if (this.isDone) return;
      this.close();
      after();
    };
    void ending.then(() => setTimeout(expire, RECOVERY).unref());
  }

  /** Closes the connection. Does nothing behind a pooler, which hides the process id. */
  private close(): void {
    this.client()?.connection?.stream?.destroy();
  }

  /** The connection, until the transaction returns it to the pool. */
  private client(): Client | undefined {
    const { backend, release } = this;
    return busyClients(this.context.pool).find(
      (client) => client.processID === backend?.pid && client.release === release,
    );
  }
}
