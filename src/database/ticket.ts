/**
 * A place in the house and the clocks that run with it: how long one may wait for it, how long everything
 * may take, and whether anybody still wants the answer.
 */
import { unavailable } from '../errors.js';
import type { Admission, Lane, Visitor } from './admission.js';
import { runningTime } from './running-time.js';
import type { Timeout, TimeoutList } from './timeout-list.js';
import type { Hangup, HangupListener } from './hangup.js';

/** What all tickets share. */
export interface TicketOffice {
  readonly admission: Admission;
  /** The end of all time, waiting included; and of the time in the queue. */
  readonly deadlines: TimeoutList;
  readonly waits: TimeoutList;
  readonly expired: () => Error;
  readonly waited: () => Error;
  readonly crowded: () => Error;
}

/** What somebody asks for. */
export interface TicketRequest {
  readonly lane: Lane;
  /** Work with the same turn is done one at a time. Null for work that needs none. */
  readonly turn: string | null;
  readonly hangup: Hangup | null;
}

/** What work holds as long as it goes on. */
export interface Pass {
  readonly isOver: boolean;
  /** Asks for the place. */
  present(): void;
  /** There is a connection: the time until now was not the work's. */
  begin(): void;
  /** The work is done, or given up; false when it was over before. The place is kept until `leave`. */
  end(): boolean;
  /** Gives the place back. */
  leave(): void;
  /** Gives the work up. */
  fail(error: Error): void;
}

/** What happens to a ticket. */
export interface TicketCalls {
  /** There is a place. Called at most once. */
  readonly enter: () => void;
  /** It is over before its work was done. Called at most once, and never after `end`. */
  readonly fail: (error: Error) => void;
  /** Others wait while it holds a place beyond the share of slow reads. Only reads are called. */
  readonly yield?: () => void;
}

export const abandoned = (): Error => unavailable('Nobody waits for the answer any more');

export class Ticket implements HangupListener, Pass {
  private readonly deadline: Timeout;
  private wait: Timeout | null = null;
  private place: Visitor | null = null;
  private isHeld = false;
  /** Whether the place was given back, perhaps before it was known which it is. */
  private isLeft = false;
  isOver = false;

  constructor(
    private readonly office: TicketOffice,
    private readonly request: TicketRequest,
    private readonly calls: TicketCalls,
  ) {
    this.deadline = office.deadlines.add(() => this.fail(office.expired()));
    request.hangup?.add(this);
  }

  present(lane = this.request.lane): void {
    const { office, request } = this;
    if (request.hangup?.happened === true) return this.fail(abandoned());
    const enter = (): void => this.enter();
    const place = office.admission.admit(lane, request.turn, {
      enter,
      bounce: () => this.calls.yield?.(),
    });
    if (place === null) return this.fail(office.crowded());
    this.place = place;
    if (place.state === 'waiting') this.wait = office.waits.add(() => this.fail(office.waited()));
    // It was over before it had been handed out.
    else if (place.state === 'inside' && this.isLeft) this.leave();
  }

  begin(): void {
    if (this.place !== null) this.place.since = runningTime.now();
  }

  /** From here on only the end of its time stops it: what it does may have happened already. */
  hold(): void {
    this.isHeld = true;
  }

  hungUp(): void {
    this.stop(abandoned());
  }

  end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    this.office.deadlines.delete(this.deadline);
    if (this.wait !== null) this.office.waits.delete(this.wait);
    this.request.hangup?.delete(this);
    return true;
  }

  leave(): void {
    this.isLeft = true;
    if (this.place !== null) this.office.admission.leave(this.place);
  }

  /** Gives the place back, and waits for another one among the slow reads with the time that is left. */
  requeue(): void {
    this.leave();
    this.isLeft = false;
    this.place = null;
    if (!this.isOver) this.present('slow');
  }

  fail(error: Error): void {
    if (!this.end()) return;
    if (this.place?.state === 'waiting') this.leave();
    this.calls.fail(error);
  }

  private stop(error: Error): void {
    if (!this.isHeld) this.fail(error);
  }

  private enter(): void {
    if (this.wait !== null) this.office.waits.delete(this.wait);
    this.calls.enter();
  }
}
