/**
 * Work on one connection of the driver's pool. Slot and connection are released exactly once, also after a
 * timeout, a disconnect or a preemption.
 */
import { requestCancel } from './cancel-request.js';
import { isLateConnect } from '../kernel/postgres-errors.js';
import { canPipeline, PipelinedBatch, runAlone } from './pipelined-batch.js';
import type { Pool, PoolClient, QueryConfig } from './pool-types.js';
import type { Row } from './runner.js';
import { clientDisconnected, type SlotHolder, type SlotCallbacks, type PoolContext } from './slot-request.js';

export interface JobContext extends PoolContext {
  readonly pool: Pool;
  /** Time of the last response to any statement, by `performance.now()`. */
  readonly activity: { respondedAt: number };
}

export interface JobCalls {
  readonly begin: (job: Job, client: PoolClient) => void;
  readonly fail: (error: Error) => void;
}

/** Receives the result of statements: an error or null, and the rows of each statement. */
export type Done = (error: Error | null, rows: readonly (readonly Row[])[]) => void;

/** Milliseconds that a connection has to become usable again; then it is closed. */
export const RECOVERY = 1000;

export class Job {
  private readonly slot: SlotHolder;
  private client: PoolClient | null = null;
  private done: Done | null = null;
  private batch: PipelinedBatch | null = null;
  /** Called when the connection has responded, also after the job has ended. */
  private responded: (() => void) | null = null;
  private isBusy = false;
  private inTransaction = false;
  private isCommitting = false;

  constructor(
    private readonly context: Pick<JobContext, 'pool' | 'activity'>,
    request: (calls: SlotCallbacks) => SlotHolder,
    private readonly calls: JobCalls,
  ) {
    this.slot = request({ granted: () => this.connect(), fail: (error) => this.fail(error) });
    this.slot.start();
  }

  /**
   * Runs a statement. Calls `done` once: with the result, or with the failure of the job if the job fails
   * first.
   */
  query(config: QueryConfig, done: Done): void {
    if (this.client !== null && canPipeline(this.client)) return this.pipeline([config], done);
    this.send(done, (client, responded) => runAlone(client, config, responded));
  }

  /**
   * Runs several statements at once. The first error fails all of them, and later statements do not run. The
   * driver's own timeout ends the job, as its deadline does.
   */
  pipeline(configs: readonly QueryConfig[], done: Done): void {
    this.send(done, (client, responded) => {
      const timedOut = (error: Error): void => this.slot.fail(error);
      this.batch = new PipelinedBatch(client, configs, { done: responded, timedOut });
      client.query(this.batch);
    });
  }

  /** Notes that a transaction begins, so that a failure of the job rolls it back. */
  markBegun(): void {
    this.inTransaction = true;
  }

  /** Notes that COMMIT is sent next: from here on only `done` reports a failure of the job. */
  markCommitting(): void {
    this.isCommitting = true;
  }

  markCommitted(): void {
    this.inTransaction = false;
  }

  /** Ends the job and returns the connection to the pool, which closes it if it is `broken`. */
  finish(broken = false): void {
    if (this.slot.end()) this.returnConnection(broken);
  }

  private send(done: Done, start: (client: PoolClient, responded: Done) => void): void {
    if (this.client === null || this.slot.isOver) return done(clientDisconnected(), []);
    this.isBusy = true;
    this.done = done;
    start(this.client, (error, rows) => {
      this.isBusy = false;
      this.batch = null;
      if (error === null) this.context.activity.respondedAt = performance.now();
      const callback = this.done;
      this.done = null;
      callback?.(error, rows);
      this.responded?.();
    });
  }

  /**
   * Connects, twice if the driver's timeout elapses first: a process that was suspended reads the server's
   * response too late.
   */
  private connect(isSecond = false): void {
    this.context.pool.connect((error, client, release) => {
      if (!isSecond && isLateConnect(error) && !this.slot.isOver) return this.connect(true);
      if (client === undefined || this.slot.isOver) {
        // The request has ended, or the pool has no connection.
        if (client !== undefined) release();
        this.slot.release();
        return this.slot.fail(error ?? clientDisconnected());
      }
      this.client = client;
      this.slot.connected();
      this.calls.begin(this, client);
    });
  }

  /** Reports the failure, then recovers the connection. While COMMIT is under way, its result comes first. */
  private fail(error: Error): void {
    if (!(this.isCommitting && this.isBusy)) this.report(error);
    if (this.client !== null) this.recover(this.client, error);
  }

  private report(error: Error): void {
    const { done, batch } = this;
    this.done = null;
    done?.(error, batch?.received ?? []);
    if (!this.isCommitting) this.calls.fail(error);
  }

  /**
   * Cancels the statement of the connection, and closes the connection if it does not become usable in time.
   */
  private recover(client: PoolClient, failure: Error): void {
    let isBack = false;
    const back = (broken: boolean): void => {
      if (isBack) return;
      isBack = true;
      clearTimeout(timer);
      // A connection that is usable again reports nothing: the failure was reported when the job ended.
      if (broken) this.report(failure);
      this.returnConnection(broken);
    };
    const timer = setTimeout(() => back(true), RECOVERY).unref();
    const clean = (): void => {
      if (isBack) return;
      if (!this.inTransaction) return back(false);
      client.query({ text: 'rollback', values: [] }, (error) => back(Boolean(error)));
    };
    if (!this.isBusy) return clean();
    // A late cancel request would end the next statement, so wait for both.
    let open = 2;
    const over = (): void => {
      open -= 1;
      if (open === 0) clean();
    };
    this.responded = over;
    void requestCancel(client, RECOVERY).then(over);
  }

  private returnConnection(broken: boolean): void {
    const { client } = this;
    this.client = null;
    // The client knows whether the pool has already removed it.
    client?.release(broken);
    this.slot.release();
  }
}
