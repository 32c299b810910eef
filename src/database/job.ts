/**
 * Work on one connection of the driver's own pool. It gives its place and its connection back exactly once,
 * whatever happens: an end of its time, a client that has hung up, others that wait.
 */
import { requestCancel } from './cancel-request.js';
import type { Pool, PoolClient, QueryConfig, Release } from './pool-types.js';
import type { Row } from './runner.js';
import { abandoned, Ticket, type TicketOffice, type TicketRequest } from './ticket.js';

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

type Done = (error: Error | null, rows: readonly Row[]) => void;

/** How long a connection may take to be usable again, in milliseconds; then it is closed. */
export const RECOVERY = 1000;

export class Job {
  private readonly ticket: Ticket;
  private client: PoolClient | null = null;
  private release: Release | null = null;
  /** Told how the statement under way ended. */
  private done: Done | null = null;
  /** Called when the connection has answered, whoever still wants to know. */
  private answered: (() => void) | null = null;
  private isBusy = false;
  private inTransaction = false;

  constructor(
    private readonly office: JobOffice,
    request: TicketRequest,
    private readonly calls: JobCalls,
  ) {
    this.ticket = new Ticket(office, request, {
      enter: () => this.connect(),
      fail: (error) => this.fail(error),
    });
    this.ticket.present();
  }

  /** Runs a statement. `done` is called once, with the job's failure where that comes first. */
  query(config: QueryConfig, done: Done): void {
    if (this.client === null || this.ticket.isOver) return done(abandoned(), []);
    this.isBusy = true;
    this.done = done;
    this.client.query(config, (error, result) => {
      this.isBusy = false;
      const told = this.done;
      this.done = null;
      told?.(error ?? null, error ? [] : result.rows);
      this.answered?.();
    });
  }

  /** Says that a transaction has begun, which has to be rolled back should the job fail. */
  begun(): void {
    this.inTransaction = true;
  }

  /** Says that the transaction is being committed, which nobody may stop. */
  committing(): void {
    this.ticket.hold();
  }

  /** The work is done: the connection can be used by others, unless it is `broken`. */
  finish(broken = false): void {
    if (this.ticket.end()) this.giveBack(broken);
  }

  private connect(): void {
    this.office.pool.connect((error, client, release) => {
      if (client === undefined || this.ticket.isOver) {
        // Nobody waits any more, or there is no connection to be had.
        if (client !== undefined) release();
        this.ticket.leave();
        return this.ticket.fail(error ?? abandoned());
      }
      this.client = client;
      this.release = release;
      this.ticket.begin();
      this.calls.begin(this, client);
    });
  }

  /** Tells whoever waits, and only then sees to the connection. */
  private fail(error: Error): void {
    const { done, client } = this;
    this.done = null;
    done?.(error, []);
    this.calls.fail(error);
    if (client !== null) this.recover(client);
  }

  /** Ends what the connection is doing. One that does not come back in time is closed. */
  private recover(client: PoolClient): void {
    let isBack = false;
    const back = (broken: boolean): void => {
      if (isBack) return;
      isBack = true;
      clearTimeout(timer);
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
    this.client = null;
    this.release?.(broken);
    this.ticket.leave();
  }
}
