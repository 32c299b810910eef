import { LinkedList, type Link } from './linked-list.js';
import { runningTime } from './running-time.js';

/**
 * Timeouts of equal length on one timer: a timer for each would cost more than the rest of a read. Counts
 * running time, and expires after the event loop has processed all pending input.
 */
export class TimeoutList {
  private readonly pending = new LinkedList<Timeout>();
  private timer: NodeJS.Timeout | null = null;

  /** `timeout` in milliseconds; 0 for none. */
  constructor(private readonly timeout: number) {}

  /** Calls `expire` once, unless the returned timeout is deleted before. */
  add(expire: () => void): Timeout {
    const at = runningTime.now() + this.timeout;
    const deadline: Timeout = { at, expire, previous: null, next: null };
    if (this.timeout === 0) return deadline;
    this.pending.add(deadline);
    this.timer ??= this.arm(this.timeout);
    return deadline;
  }

  delete(deadline: Timeout): void {
    this.pending.delete(deadline);
  }

  private arm(milliseconds: number): NodeJS.Timeout {
    return runningTime.after(milliseconds, (now) => this.expire(now));
  }

  private expire(now: number): void {
    this.timer = null;
    for (let first = this.pending.first; first !== null; first = this.pending.first) {
      if (first.at > now) {
        this.timer ??= this.arm(first.at - now);
        return;
      }
      this.pending.delete(first);
      first.expire();
    }
  }
}

export interface Timeout extends Link {
  readonly at: number;
  readonly expire: () => void;
}
