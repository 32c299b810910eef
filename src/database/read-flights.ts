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
import { Gate, type Guest, Party } from './party.js';
import { Ticket, type TicketRequest } from './ticket.js';

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
interface Seat extends Guest {
  readonly read: PoolRead;
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
  private readonly gate = new Gate<KnownStatement, Seat>({
    most: MOST,
    keyOf: ({ read }) => read.known,
    fits: () => true,
    depart: (party) => this.depart(party),
  });
  private readonly waits = new TimeoutList(PATIENCE);

  constructor(
    private readonly office: JobOffice,
    private readonly sendOn: Send,
  ) {}

  /** Reads once there is a place: alone, or with whoever comes until all that has arrived was looked at. */
  read(read: PoolRead): void {
    const ticket = new Ticket(this.office, read.request, {
      enter: () => (mayShare(read) ? this.gate.board(seat) : this.alone(seat)),
      fail: (error) => {
        read.fail(error);
        seat.party?.lose(error);
      },
      yield: () => this.giveWay(seat),
    });
    const seat: Seat = { read, ticket, party: null };
    ticket.present();
  }

  private alone(seat: Seat): void {
    this.depart(new Party(seat));
  }

  private depart(party: Party<Seat>): void {
    if (party.waiting.length === 0) return party.leave();
    new Job(this.office.pool, (calls) => party.as(calls), {
      begin: (job, client) => this.send({ job, client }, party),
      fail: () => undefined,
    });
  }

  private send(on: Connected, party: Party<Seat>): void {
    const { waiting: seats } = party;
    const { known, heavy } = party.first.read;
    const texts = seats.flatMap(({ read }) => (read.question === null ? [read] : [read.question, read]));
    for (const { read } of seats) read.begun();
    const started = performance.now();
    const wait = seats.length > 1 ? this.waits.add(() => this.part(party)) : null;
    this.sendOn(on, texts, (error, brought) => {
      if (wait !== null) this.waits.delete(wait);
      learn(known, performance.now() - started, heavy);
      if (error !== null) return this.fail(on.job, party, { error, isAlone: seats.length === 1 });
      land(seats, brought.slice(-texts.length));
      on.job.finish();
    });
  }

  /**
   * Ends the statement and sends it again later: reads change nothing. Several that share a connection part
   * by themselves before they are slow.
   */
  private giveWay(seat: Seat): void {
    const { party, ticket } = seat;
    if (!(party instanceof Party) || party.size > 1) return;
    seat.party = null;
    party.abort(tooLong(), () => ticket.requeue());
  }

  /** One of them takes long, nobody can tell which: who still waits goes alone, with what time is left. */
  private part(party: Party<Seat>): void {
    const seats = party.disband();
    party.lose(tooLong());
    for (const seat of seats) this.alone(seat);
  }

  /** Which of several has failed shows when each goes alone: to read again changes nothing. */
  private fail(job: Job, party: Party<Seat>, { error, isAlone }: { error: Error; isAlone: boolean }): void {
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
