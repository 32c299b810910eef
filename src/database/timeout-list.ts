import { Chain, type Link } from './chain.js';

/**
 * One timer for everything that may take equally long: a timer for each would cost more than the rest of a
 * read. What has arrived by then is looked at first: a process that has stood still, because others had the
 * processor, finds its timers over before it finds its answers.
 */
export class TimeoutList {
  private readonly pending = new Chain<Timeout>();
  private timer: NodeJS.Timeout | null = null;

  /** `timeout` in milliseconds; 0 for none. */
  constructor(private readonly timeout: number) {}

  /** Calls `expire` once, unless what it returns is deleted in time. */
  add(expire: () => void): Timeout {
    const deadline: Timeout = { at: performance.now() + this.timeout, expire, previous: null, next: null };
    if (this.timeout === 0) return deadline;
    this.pending.add(deadline);
    this.timer ??= this.arm(this.timeout);
    return deadline;
  }

  delete(deadline: Timeout): void {
    this.pending.delete(deadline);
  }

  private arm(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => setImmediate(() => this.expire()), milliseconds).unref();
  }

  private expire(): void {
    this.timer = null;
    const now = performance.now();
    for (let first = this.pending.first; first !== null; first = this.pending.first) {
      if (first.at > now) {
        this.timer ??= this.arm(Math.ceil(first.at - now));
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
