/**
 * Work on one connection of the driver's own pool. It gives its place and its connection back exactly once,
 * whatever happens: an end of its time, a client that has hung up, others that wait.
 */
import { requestCancel } from './cancel-request.js';
import { isLateConnect } from './database-errors.js';
import { canFly, Flight, runAlone } from './flight.js';
import type { Pool, PoolClient, QueryConfig } from './pool-types.js';
import type { Row } from './runner.js';
import { abandoned, type Pass, type TicketCalls, type TicketOffice } from './ticket.js';

/** What jobs share. */
export interface JobOffice extends TicketOffice {
  readonly pool: Pool;
}

export interface JobCalls {
  /** Here is the connection. Called at most once. */
  readonly begin: (job: Job, client: PoolClient) => void;
  /** The job is over before it was finished. */
  readonly fail: (error: Error) => void;
}

/** Told how what was sent has ended: its rows, one list for each statement. */
export type Done = (error: Error | null, rows: readonly (readonly Row[])[]) => void;

/** How long a connection may take to be usable again, in milliseconds; then it is closed. */
export const RECOVERY = 1000;

export class Job {
  private readonly ticket: Pass;
  private client: PoolClient | null = null;
  /** Called with the result of the statements under way. */
  private done: Done | null = null;
  /** The flight under way, whose first rows may have come already. */
  private flight: Flight | null = null;
  /** Called when the connection has answered, whoever still wants to know. */
  private answered: (() => void) | null = null;
  private isBusy = false;
  private inTransaction = false;
  /** Whether what is under way decides the transaction. */
  private isDeciding = false;

  constructor(
    private readonly pool: Pool,
    pass: (calls: TicketCalls) => Pass,
    private readonly calls: JobCalls,
  ) {
    this.ticket = pass({ enter: () => this.connect(), fail: (error) => this.fail(error) });
    this.ticket.present();
  }

  /** Runs a statement. `done` is called once, with the job's failure where that comes first. */
  query(config: QueryConfig, done: Done): void {
    if (this.client !== null && canFly(this.client)) return this.fly([config], done);
    this.send(done, (client, answered) => runAlone(client, config, answered));
  }

  /**
   * Runs several statements at once. The first that fails is the failure of all; none after it has run. The
   * driver's own timeout ends the job, as its deadline does.
   */
  fly(configs: readonly QueryConfig[], done: Done): void {
    this.send(done, (client, answered) => {
      this.flight = new Flight(client, configs, answered);
      this.flight.timedOut = (error) => this.ticket.fail(error);
      client.query(this.flight);
    });
  }

  /** Says that a transaction begins, which has to be rolled back should the job fail. */
  begun(): void {
    this.inTransaction = true;
  }

  /** Says that COMMIT is sent next: from here on only `done` reports a failure of the job. */
  committing(): void {
    this.isDeciding = true;
  }

  /** Says that there is nothing to be rolled back any more. */
  committed(): void {
    this.inTransaction = false;
  }

  /** The work is done: the connection can be used by others, unless it is `broken`. */
  finish(broken = false): void {
    if (this.ticket.end()) this.giveBack(broken);
  }

  private send(done: Done, start: (client: PoolClient, answered: Done) => void): void {
    if (this.client === null || this.ticket.isOver) return done(abandoned(), []);
    this.isBusy = true;
    this.done = done;
    start(this.client, (error, rows) => {
      this.isBusy = false;
      this.flight = null;
      const told = this.done;
      this.done = null;
      told?.(error, rows);
      this.answered?.();
    });
  }

  /**
   * The driver's limit may be over before what the server says is looked at, where this process has stood
   * still or the server is short of time: so it is tried once more, as long as anybody waits.
   */
  private connect(isSecond = false): void {
    this.pool.connect((error, client, release) => {
      if (!isSecond && isLateConnect(error) && !this.ticket.isOver) return this.connect(true);
      if (client === undefined || this.ticket.isOver) {
        // Nobody waits any more, or there is no connection to be had.
        if (client !== undefined) release();
        this.ticket.leave();
        return this.ticket.fail(error ?? abandoned());
      }
      this.client = client;
      this.ticket.begin();
      this.calls.begin(this, client);
    });
  }

  /** Reports the failure, then recovers the connection. While COMMIT is under way, its result comes first. */
  private fail(error: Error): void {
    if (!(this.isDeciding && this.isBusy)) this.tell(error);
    if (this.client !== null) this.recover(this.client, error);
  }

  private tell(error: Error): void {
    const { done, flight } = this;
    this.done = null;
    done?.(error, flight?.received ?? []);
    if (!this.isDeciding) this.calls.fail(error);
  }

  /** Ends what the connection is doing. One that does not come back in time is closed. */
  private recover(client: PoolClient, failure: Error): void {
    let isBack = false;
    const back = (broken: boolean): void => {
      if (isBack) return;
      isBack = true;
      clearTimeout(timer);
      // Told already, unless the connection should have known.
      if (broken) this.tell(failure);
      this.giveBack(broken);
    };
    const timer = setTimeout(() => back(true), RECOVERY).unref();
    const clean = (): void => {
      if (isBack) return;
      if (!this.inTransaction) return back(false);
      client.query({ text: 'rollback', values: [] }, (error) => back(Boolean(error)));
    };
    if (!this.isBusy) return clean();
    // A request to cancel that is heard late would hit the next statement: both have to be over.
    let open = 2;
    const over = (): void => {
      open -= 1;
      if (open === 0) clean();
    };
    this.answered = over;
    void requestCancel(client, RECOVERY).then(over);
  }

  private giveBack(broken: boolean): void {
    const { client } = this;
    this.client = null;
    // Asked of the client, which knows whether somebody has taken its place from it meanwhile.
    client?.release(broken);
    this.ticket.leave();
  }
}
