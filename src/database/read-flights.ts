/**
 * Reads, on the way to the database and back. Short ones with the same text that are asked for at the same
 * moment go over one connection in one piece, and what they bring comes back in one: most of what a short
 * read costs is being sent, and being woken up. Each keeps its own place, deadline and client; only the
 * connection is shared. With the same text they take the same locks and about as long, so that none waits
 * behind another kind of work. All others go alone, at once.
 */
import { unavailable } from '../errors.js';
import type { Statement } from '../sql.js';
import { hasEnded } from './database-errors.js';
import { type Done, Job, type JobOffice } from './job.js';
import type { PoolClient } from './pool-types.js';
import type { Row } from './runner.js';
import { learn, learnSize } from './slow-reads.js';
import type { KnownStatement } from './statement-names.js';
import { TimeoutList } from './timeout-list.js';
import { type Pass, Ticket, type TicketCalls, type TicketRequest } from './ticket.js';

/** So many share a connection at most: the database has other processors, too. */
const MOST = 4;
/** What takes longer, in milliseconds, or brings more, in characters, is better read beside others. */
const SHORT = { milliseconds: 20, size: 16 * 1024 };
/** How long those who share a connection wait for each other, in milliseconds. */
const PATIENCE = 200;

/** A statement, and what is known of its text. */
export interface KnownText {
  readonly statement: Statement;
  readonly known: KnownStatement;
}

/** A read, for one who waits for it. */
export interface PoolRead extends KnownText {
  /** What is asked along with it, or null. Both bring nothing with a driver that cannot send both at once. */
  readonly question: KnownText | null;
  readonly request: TicketRequest;
  /** As in `ReadTraits`. */
  readonly heavy: boolean;
  readonly begun: () => void;
  /** Told what it has brought, and what the question has. Called at most once, and not after `fail`. */
  readonly done: (rows: readonly Row[], answers: readonly Row[]) => void;
  readonly fail: (error: Error) => void;
}

/** Work, and the connection that it has. */
export interface Connected {
  readonly job: Job;
  readonly client: PoolClient;
}

/** How statements are sent in one piece. */
export type Send = (on: Connected, texts: readonly KnownText[], done: Done) => void;

/** Somebody who waits for a read. */
interface Seat {
  readonly read: PoolRead;
  readonly ticket: Ticket;
  party: Party | null;
}

/** Those who go together, as one: it is over when nobody in it waits any more. */
class Party implements Pass {
  private seats: Seat[] = [];
  private calls: TicketCalls | null = null;
  isOver = false;

  /** All others have the text of the first. */
  constructor(readonly first: PoolRead) {}

  take(seat: Seat): void {
    seat.party = this;
    this.seats.push(seat);
  }

  /** What a job holds, which is told when nobody waits any more. */
  as(calls: TicketCalls): Pass {
    this.calls = calls;
    return this;
  }

  get size(): number {
    return this.seats.length;
  }

  get waiting(): readonly Seat[] {
    return this.seats.filter(({ ticket }) => !ticket.isOver);
  }

  /** Lets those go who still wait. */
  disband(): readonly Seat[] {
    const { waiting } = this;
    this.seats = this.seats.filter(({ ticket }) => ticket.isOver);
    return waiting;
  }

  /** Somebody does not wait any more. Who comes before it goes is taken along. */
  lose(error: Error): void {
    if (this.calls !== null && this.waiting.length === 0 && this.end()) this.calls.fail(error);
  }

  present(): void {
    this.calls?.enter();
  }

  begin(): void {
    for (const { ticket } of this.seats) ticket.begin();
  }

  end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    for (const { ticket } of this.seats) ticket.end();
    return true;
  }

  leave(): void {
    for (const { ticket } of this.seats) ticket.leave();
  }

  fail(error: Error): void {
    for (const { ticket } of this.seats) ticket.fail(error);
  }
}

/**
 * Whether a read goes with others: it has shown that it is short, and that the driver can send several. That
 * of short ones one takes long, by its values, is seen when it does.
 */
function mayShare({ question, known, request }: PoolRead): boolean {
  const { columns, milliseconds, size } = known;
  if (question !== null || columns === null || milliseconds === null) return false;
  const isRead = request.lane === 'read' || request.lane === 'heavy';
  return isRead && milliseconds <= SHORT.milliseconds && size <= SHORT.size;
}

const tooLong = (): Error => unavailable('Others have taken too long');

export class ReadFlights {
  /** Those who go next, by what they read. */
  private readonly boarding = new Map<KnownStatement, Party>();
  private readonly waits = new TimeoutList(PATIENCE);

  constructor(
    private readonly office: JobOffice,
    private readonly sendOn: Send,
  ) {}

  /** Reads once there is a place: alone, or with whoever comes until all that has arrived was looked at. */
  read(read: PoolRead): void {
    const ticket = new Ticket(this.office, read.request, {
      enter: () => (mayShare(read) ? this.board(seat) : this.alone(seat)),
      fail: (error) => {
        read.fail(error);
        seat.party?.lose(error);
      },
    });
    const seat: Seat = { read, ticket, party: null };
    ticket.present();
  }

  private alone(seat: Seat): void {
    const party = new Party(seat.read);
    party.take(seat);
    this.depart(party);
  }

  private board(seat: Seat): void {
    const party = this.boarding.get(seat.read.known) ?? this.open(seat.read);
    party.take(seat);
    if (party.size === MOST) this.close(party);
  }

  private open(first: PoolRead): Party {
    const party = new Party(first);
    this.boarding.set(first.known, party);
    setImmediate(() => {
      if (this.boarding.get(first.known) === party) this.close(party);
    });
    return party;
  }

  private close(party: Party): void {
    this.boarding.delete(party.first.known);
    this.depart(party);
  }

  private depart(party: Party): void {
    if (party.waiting.length === 0) return party.leave();
    new Job(this.office.pool, (calls) => party.as(calls), {
      begin: (job, client) => this.send({ job, client }, party),
      fail: () => undefined,
    });
  }

  private send(on: Connected, party: Party): void {
    const { waiting: seats, first } = party;
    const texts = seats.flatMap(({ read }) => (read.question === null ? [read] : [read.question, read]));
    for (const { read } of seats) read.begun();
    const started = performance.now();
    const wait = seats.length > 1 ? this.waits.add(() => this.part(party)) : null;
    this.sendOn(on, texts, (error, brought) => {
      if (wait !== null) this.waits.delete(wait);
      learn(first.known, performance.now() - started, first.heavy);
      if (error !== null) return this.fail(on.job, party, { error, isAlone: seats.length === 1 });
      land(seats, brought.slice(-texts.length));
      on.job.finish();
    });
  }

  /** One of them takes long, nobody can tell which: who still waits goes alone, with what time is left. */
  private part(party: Party): void {
    const seats = party.disband();
    party.lose(tooLong());
    for (const seat of seats) this.alone(seat);
  }

  /** Which of several has failed shows when each goes alone: to read again changes nothing. */
  private fail(job: Job, party: Party, { error, isAlone }: { error: Error; isAlone: boolean }): void {
    const isLost = hasEnded(error);
    const isTold = isAlone || isLost;
    const seats = isTold ? party.waiting : party.disband();
    if (isTold) for (const { read } of seats) read.fail(error);
    job.finish(isLost);
    if (!isTold) for (const seat of seats) this.alone(seat);
  }
}

/** Gives those who still wait what there is for them. */
function land(seats: readonly Seat[], brought: readonly (readonly Row[])[]): void {
  let next = 0;
  const take = (): readonly Row[] => brought[next++] ?? [];
  for (const { read, ticket } of seats) {
    const answers = read.question === null ? [] : take();
    const rows = take();
    learnSize(read.known, rows);
    if (!ticket.isOver) read.done(rows, answers);
  }
}
