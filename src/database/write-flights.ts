/**
 * Writes, on the way to the database and back. Those that come at the same moment and need no lock that
 * another one of them has to itself share a transaction: most of what a short write costs is being sent,
 * being woken up, and committed. Each keeps its own place, deadline, client and answer. All others go alone.
 */
import type { Lock } from '../plan/locks.js';
import { Job, type JobOffice } from './job.js';
import { type Carrier, OwnTransaction } from './own-transaction.js';
import { Gate, type Guest, Party } from './party.js';
import type { PoolClient } from './pool-types.js';
import type { Runner } from './runner.js';
import { runningTime } from './running-time.js';
import { Apart, type Member, SharedTransaction } from './shared-transaction.js';
import { Ticket, type TicketRequest } from './ticket.js';

/** So many share a transaction at most: the database has other processors, too. */
const MOST = 6;
/** What takes longer, in milliseconds, is better done beside others. */
const SHORT = 250;
/** So many of a kind go alone after one of them had to. */
const PROBATION = 100;

/** What a write says of itself that may share its transaction. */
export interface Together {
  /** Held before anything is looked at. */
  readonly locks: readonly Lock[];
  /** The lock whose exclusive holder may change rows of the written document; null for a new document. */
  readonly rows: string | null;
  /** Writes that do the same things: when one of them has to go alone, all do. */
  readonly kind: string;
}

/** A write, for one who waits for it. */
export interface PoolWrite {
  readonly work: (runner: Runner) => Promise<unknown>;
  /** Null where it has its transaction to itself. */
  readonly together: Together | null;
  readonly request: TicketRequest;
  /** One of both is called once; what comes after it says nothing. */
  readonly done: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/** How statements get to a connection that somebody has got. */
type CarrierOf = (job: Job, client: PoolClient) => Carrier;

/** Somebody who waits for a write. */
interface Seat extends Guest {
  readonly write: PoolWrite;
  /** Whether its end is told by what carries it, which alone knows what has been written. */
  isCarried: boolean;
}

const locksOf = ({ write }: Seat): readonly Lock[] => write.together?.locks ?? [];

/** Whether one write may change rows of the other's document. */
const reaches = (one: Seat, { write: { together } }: Seat): boolean =>
  locksOf(one).some(({ name, exclusive }) => exclusive && name === together?.rows);

/**
 * Whether two writes could not hold their locks at the same time, or may change the same row: the stamp of a
 * row tells transactions apart, not the writes of one (`stampOf` in compile/changes.ts).
 */
const conflict = (one: Seat, other: Seat): boolean =>
  reaches(one, other) ||
  reaches(other, one) ||
  locksOf(one).some(({ name, exclusive }) =>
    locksOf(other).some((lock) => lock.name === name && (lock.exclusive || exclusive)),
  );

export class WriteFlights {
  private readonly gate = new Gate<null, Seat>({
    most: MOST,
    keyOf: () => null,
    fits: (seat, { waiting }) => !waiting.some((other) => conflict(seat, other)),
    depart: (party) => this.depart(party),
  });
  /** Kinds of which one has taken longer than others should wait for, and how many go alone for that. */
  private readonly loners = new Map<string, number>();

  constructor(
    private readonly office: JobOffice,
    private readonly carrierOf: CarrierOf,
  ) {}

  /** Writes once there is a place: alone, or with whoever comes until all that has arrived was looked at. */
  write(write: PoolWrite): void {
    const { together } = write;
    const isLoner = together === null || this.isLoner(together.kind);
    const ticket = new Ticket(this.office, write.request, {
      enter: () => (isLoner ? this.alone(seat) : this.gate.board(seat)),
      fail: (error) => this.leave(seat, error),
    });
    const seat: Seat = { write, ticket, party: null, isCarried: false };
    ticket.present();
  }

  private isLoner(kind: string): boolean {
    const left = this.loners.get(kind);
    if (left === undefined) return false;
    if (left > 1) this.loners.set(kind, left - 1);
    else this.loners.delete(kind);
    return true;
  }

  /** Has writes like this one go alone for a while. */
  private distrust({ together }: PoolWrite): void {
    if (together !== null) this.loners.set(together.kind, PROBATION);
  }

  private alone(seat: Seat): void {
    seat.isCarried = false;
    this.depart(new Party(seat));
  }

  private depart(party: Party<Seat>): void {
    const { waiting } = party;
    if (waiting.length === 0) return party.leave();
    new Job(this.office.pool, (calls) => party.as(calls), {
      begin: (job, client) => this.begin(party, job, this.carrierOf(job, client)),
      fail: (error) => {
        for (const { write } of waiting) write.fail(error);
      },
    });
  }

  /** Nobody waits for one of them any more. What is under way for it alone ends with it. */
  private leave(seat: Seat, error: Error): void {
    seat.party?.lose(error);
    if (!seat.isCarried) seat.write.fail(error);
  }

  private begin(party: Party<Seat>, job: Job, carrier: Carrier): void {
    const [first, ...others] = party.waiting;
    if (first !== undefined && others.length === 0) void this.run(first, job, carrier);
    else if (carrier.flies) void this.share(party, job, carrier);
    else this.part(party, job);
  }

  private async run(seat: Seat, job: Job, carrier: Carrier): Promise<void> {
    const { write } = seat;
    seat.isCarried = true;
    const transaction = new OwnTransaction(carrier);
    try {
      const value = await write.work(transaction);
      await transaction.end();
      job.finish();
      write.done(value);
    } catch (error) {
      job.finish(!(await transaction.undo()));
      write.fail(error);
    }
  }

  private async share(party: Party<Seat>, job: Job, carrier: Carrier): Promise<void> {
    const { waiting } = party;
    const started = runningTime.now();
    const transaction = new OwnTransaction(carrier);
    const shared = new SharedTransaction(
      transaction,
      waiting.map((seat) => this.memberOf(seat)),
    );
    try {
      await shared.run(() => {
        for (const seat of waiting) seat.isCarried = true;
      });
      job.finish();
      const isLong = runningTime.now() - started > SHORT;
      if (isLong) for (const { write } of waiting) this.distrust(write);
    } catch (error) {
      const isUndone = await transaction.undo();
      // Only what is certainly not written is done again.
      const again = isUndone || error instanceof Apart;
      for (const { write, ticket } of waiting) if (!again || ticket.isOver) write.fail(error);
      if (again) this.part(party, job, !isUndone);
      else job.finish(true);
    }
  }

  private memberOf({ write, ticket }: Seat): Member {
    const { work, together } = write;
    return {
      work,
      locks: together?.locks ?? [],
      isOver: () => ticket.isOver,
      done: (value) => {
        ticket.end();
        write.done(value);
      },
      fail: (error) => {
        ticket.end();
        write.fail(error);
      },
      stray: () => this.distrust(write),
    };
  }

  /** Nothing has been written: who still waits goes alone, with what time is left. */
  private part(party: Party<Seat>, job: Job, broken = false): void {
    const seats = party.disband();
    job.finish(broken);
    for (const seat of seats) this.alone(seat);
  }
}
