/**
 * Short reads with the same text that are asked for at the same moment go over one connection in one piece,
 * and what they bring comes back in one: most of what a short read costs is being sent, and being woken up.
 * Each keeps its own place, deadline and client; only the connection is shared. With the same text they take
 * the same locks and about as long, so that none waits behind another kind of work.
 */
import { unavailable } from '../errors.js';
import type { Statement } from '../sql.js';
import { hasEnded } from './database-errors.js';
import { Job, type JobOffice } from './job.js';
import type { PoolClient, QueryConfig } from './pool-types.js';
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
  readonly request: TicketRequest;
  /** As in `ReadTraits`. */
  readonly heavy: boolean;
  readonly begun: () => void;
  /** Told what its statements have brought, a list of rows for each. */
  readonly done: (brought: readonly (readonly Row[])[]) => void;
  readonly fail: (error: Error) => void;
}

/** What the pool does for those who share one of its connections. */
export interface SharedCalls {
  /** How statements are sent on a connection, with what has to come before them. */
  readonly configsOf: (reads: readonly KnownText[], client: PoolClient) => readonly QueryConfig[];
  /** Has a connection of its own for a read. */
  readonly alone: (read: PoolRead) => void;
}

interface Seat {
  readonly read: PoolRead;
  readonly ticket: Ticket;
}

/** The tickets of those who go together, as one: it is over when nobody waits for any of them. */
class Party implements Pass {
  readonly seats: Seat[] = [];
  private calls: TicketCalls | null = null;

  constructor(
    readonly known: KnownStatement,
    readonly heavy: boolean,
  ) {}

  /** What a job holds, which is told when nobody waits any more. */
  as(calls: TicketCalls): Pass {
    this.calls = calls;
    return this;
  }

  get isOver(): boolean {
    return this.seats.every(({ ticket }) => ticket.isOver);
  }

  get waiting(): readonly Seat[] {
    return this.seats.filter(({ ticket }) => !ticket.isOver);
  }

  /** Somebody does not wait any more. */
  lose(error: Error): void {
    if (this.isOver) this.calls?.fail(error);
  }

  present(): void {
    this.calls?.enter();
  }

  begin(): void {
    for (const { ticket } of this.seats) ticket.begin();
  }

  end(): boolean {
    return this.seats.filter(({ ticket }) => ticket.end()).length > 0;
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
export function mayShare({ known, request }: PoolRead): boolean {
  const { columns, milliseconds, size } = known;
  if (columns === null || milliseconds === null) return false;
  const isRead = request.lane === 'read' || request.lane === 'heavy';
  return isRead && milliseconds <= SHORT.milliseconds && size <= SHORT.size;
}

const tooLong = (): Error => unavailable('Others have taken too long');

export class SharedFlights {
  /** Those who go next, by what they read. */
  private readonly boarding = new Map<KnownStatement, Party>();
  private readonly waits = new TimeoutList(PATIENCE);

  constructor(
    private readonly office: JobOffice,
    private readonly calls: SharedCalls,
  ) {}

  /** Reads along with whoever comes until this process has looked at all that has arrived. */
  read(read: PoolRead): void {
    let party: Party | null = null;
    const ticket = new Ticket(this.office, read.request, {
      enter: () => {
        party = this.board({ read, ticket });
      },
      fail: (error) => {
        read.fail(error);
        party?.lose(error);
      },
    });
    ticket.present();
  }

  private board(seat: Seat): Party {
    const party = this.boarding.get(seat.read.known) ?? this.open(seat.read);
    party.seats.push(seat);
    if (party.seats.length === MOST) this.depart(party);
    return party;
  }

  private open({ known, heavy }: PoolRead): Party {
    const party = new Party(known, heavy);
    this.boarding.set(known, party);
    setImmediate(() => {
      if (this.boarding.get(known) === party) this.depart(party);
    });
    return party;
  }

  private depart(party: Party): void {
    this.boarding.delete(party.known);
    new Job(this.office.pool, (calls) => party.as(calls), {
      begin: (job, client) => this.fly(job, client, party),
      fail: () => undefined,
    });
  }

  private fly(job: Job, client: PoolClient, party: Party): void {
    const { known, heavy, waiting: seats } = party;
    const reads = seats.map(({ read }) => read);
    const started = performance.now();
    const wait = this.waits.add(() => this.part(party, seats));
    for (const { begun } of reads) begun();
    job.fly(this.calls.configsOf(reads, client), (error, brought) => {
      this.waits.delete(wait);
      if (error !== null) return this.fail(job, seats, error);
      learn(known, performance.now() - started, heavy);
      const rows = brought.slice(-seats.length);
      for (const each of rows) learnSize(known, each);
      for (const [i, { read, ticket }] of seats.entries()) if (!ticket.isOver) read.done([rows[i] ?? []]);
      job.finish();
    });
  }

  /** One of them takes long, and nobody can tell which: who still waits is sent alone. */
  private part(party: Party, sent: readonly Seat[]): void {
    if (sent.length < 2) return;
    const { known, heavy, waiting } = party;
    learn(known, PATIENCE, heavy);
    party.end();
    party.lose(tooLong());
    for (const { read } of waiting) this.calls.alone(read);
  }

  /** Which of them has failed shows when each is sent alone: to read again changes nothing. */
  private fail(job: Job, sent: readonly Seat[], error: Error): void {
    const isLost = hasEnded(error);
    const isTold = sent.length === 1 || isLost;
    const waiting = sent.filter(({ ticket }) => !ticket.isOver);
    job.finish(isLost);
    for (const { read } of waiting) {
      if (isTold) read.fail(error);
      else this.calls.alone(read);
    }
  }
}
