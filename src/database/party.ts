/** Those who go over one connection together. */
import type { Pass, Ticket, TicketCalls } from './ticket.js';

/** Somebody who waits, with a place of its own. */
export interface Guest {
  readonly ticket: Ticket;
  /** Those it goes with; null as long as it waits for its place. */
  party: Pick<Party<never>, 'lose'> | null;
}

/** They hold one connection as one: it is over when nobody in it waits any more. */
export class Party<G extends Guest> implements Pass {
  private seats: G[] = [];
  private calls: TicketCalls | null = null;
  private left: (() => void) | null = null;
  isOver = false;

  constructor(readonly first: G) {
    this.take(first);
  }

  take(seat: G): void {
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

  get waiting(): readonly G[] {
    return this.seats.filter(({ ticket }) => !ticket.isOver);
  }

  /** Lets those go who still wait. */
  disband(): readonly G[] {
    const { waiting } = this;
    this.seats = this.seats.filter(({ ticket }) => ticket.isOver);
    return waiting;
  }

  /** Ends the work, whose result nobody takes; calls back once the connection is given back. */
  abort(error: Error, left: () => void): void {
    this.left = left;
    this.disband();
    this.lose(error);
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
    this.left?.();
    this.left = null;
  }

  fail(error: Error): void {
    for (const { ticket } of this.seats) ticket.fail(error);
  }
}

/** How parties are made up. */
interface Rules<K, G extends Guest> {
  /** So many go together at most. */
  readonly most: number;
  /** Only those with the same key go together. */
  readonly keyOf: (seat: G) => K;
  /** Whether a seat can go with those that have the same key. */
  readonly fits: (seat: G, others: Party<G>) => boolean;
  /** Called once with each party that is complete. */
  readonly depart: (party: Party<G>) => void;
}

/** Where those gather who go together, until all that has arrived was looked at. */
export class Gate<K, G extends Guest> {
  /** Those who go next, by their key. */
  private readonly boarding = new Map<K, Party<G>>();

  constructor(private readonly rules: Rules<K, G>) {}

  board(seat: G): void {
    const { most, keyOf, fits } = this.rules;
    const key = keyOf(seat);
    const others = this.boarding.get(key);
    if (others === undefined || !fits(seat, others)) return this.open(key, seat);
    others.take(seat);
    if (others.size === most) this.close(key, others);
  }

  private open(key: K, first: G): void {
    const before = this.boarding.get(key);
    if (before !== undefined) this.close(key, before);
    const party = new Party(first);
    this.boarding.set(key, party);
    setImmediate(() => {
      if (this.boarding.get(key) === party) this.close(key, party);
    });
  }

  private close(key: K, party: Party<G>): void {
    this.boarding.delete(key);
    this.rules.depart(party);
  }
}
