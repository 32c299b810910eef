/** One timer for all statements under way, which all may take equally long: a timer for each would cost more than the rest of a read. */
export class Deadlines {
  private readonly waiting = new Set<Deadline>();
  private timer: NodeJS.Timeout | null = null;

  /** `timeout` in milliseconds; 0 for none. */
  constructor(private readonly timeout: number) {}

  /** Calls `expire` once, unless what it returns is deleted in time. */
  add(expire: () => void): Deadline {
    const deadline = { at: performance.now() + this.timeout, expire };
    if (this.timeout > 0) this.waiting.add(deadline);
    this.timer ??= this.timeout > 0 ? this.arm(this.timeout) : null;
    return deadline;
  }

  delete(deadline: Deadline): void {
    this.waiting.delete(deadline);
  }

  private arm(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.timer = null;
      const now = performance.now();
      for (const deadline of this.waiting) {
        if (deadline.at > now) {
          this.timer ??= this.arm(Math.ceil(deadline.at - now));
          return;
        }
        this.waiting.delete(deadline);
        deadline.expire();
      }
    }, milliseconds).unref();
  }
}

export interface Deadline {
  readonly at: number;
  readonly expire: () => void;
}
