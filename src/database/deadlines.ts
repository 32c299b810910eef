/**
 * One timer for all statements under way, which all may take equally long: a timer for each would cost more
 * than the rest of a read.
 *
 * A list whose items let go of their neighbours, and not a Set: tables that a Set outgrows point to the next
 * one, and through that chain the garbage collector took the rows of every answer for alive.
 */
export class Deadlines {
  /** Before the first and after the last. */
  private readonly ends: Link = { previous: null, next: null };
  private timer: NodeJS.Timeout | null = null;

  /** `timeout` in milliseconds; 0 for none. */
  constructor(private readonly timeout: number) {}

  /** Calls `expire` once, unless what it returns is deleted in time. */
  add(expire: () => void): Deadline {
    const deadline: Deadline = { at: performance.now() + this.timeout, expire, previous: null, next: null };
    if (this.timeout === 0) return deadline;
    const last = this.ends.previous ?? this.ends;
    [deadline.previous, deadline.next, last.next, this.ends.previous] = [last, this.ends, deadline, deadline];
    this.timer ??= this.arm(this.timeout);
    return deadline;
  }

  delete(deadline: Deadline): void {
    const { previous, next } = deadline;
    if (previous === null || next === null) return;
    [previous.next, next.previous] = [next, previous];
    [deadline.previous, deadline.next] = [null, null];
  }

  private arm(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.timer = null;
      const now = performance.now();
      for (let first = this.ends.next; first !== null && first !== this.ends; first = this.ends.next) {
        const deadline = first as Deadline;
        if (deadline.at > now) {
          this.timer ??= this.arm(Math.ceil(deadline.at - now));
          return;
        }
        this.delete(deadline);
        deadline.expire();
      }
    }, milliseconds).unref();
  }
}

interface Link {
  previous: Link | null;
  next: Link | null;
}

export interface Deadline extends Link {
  readonly at: number;
  readonly expire: () => void;
}
