/** Those who go over one connection together. */
import type { Pass, Ticket, TicketCalls } from './ticket.js';

/** Somebody who waits, with a place of its own. */
export interface Guest {
  readonly ticket: Ticket;
}

/** They hold one connection as one: it is over when nobody in it waits any more. */
export class Party<G extends Guest> implements Pass {
  private seats: G[] = [];
  private calls: TicketCalls | null = null;
  isOver = false;

  constructor(readonly first: G) {
    this.take(first);
  }

  take(seat: G): void {
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
