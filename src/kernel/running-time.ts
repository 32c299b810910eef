/** Milliseconds between two checks whether this process runs. */
const TICK = 100;
/** Milliseconds of delay above which the process counts as suspended. */
const LATE = 100;

/**
 * Clock that stops while the process is suspended or starved of CPU. A database timeout must not count time
 * in which this process could not read a response.
 */
class RunningTime {
  /** Milliseconds of suspension so far. */
  private suspended = 0;
  private due = Number.POSITIVE_INFINITY;
  private waiting = 0;
  private timer: NodeJS.Timeout | null = null;

  /** Returns milliseconds. The first call after a suspension records it. */
  now(): number {
    const now = performance.now();
    const late = now - this.due;
    if (late > LATE) {
      this.suspended += late;
      this.due = now;
    }
    return now - this.suspended;
  }

  /** Calls `callback` once after the time, and after the event loop has processed all pending input. */
  after(milliseconds: number, callback: (now: number) => void): NodeJS.Timeout {
    this.waiting += 1;
    this.timer ??= this.arm();
    const elapsed = (): void => {
      const now = this.now();
      setImmediate(() => {
        this.waiting -= 1;
        callback(now);
      });
    };
    return setTimeout(elapsed, Math.ceil(milliseconds)).unref();
  }

  /** Starts the checks, which repeat while a timeout is pending. */
  private arm(): NodeJS.Timeout {
    this.due = performance.now() + TICK;
    const check = (): void => {
      this.now();
      this.due = Number.POSITIVE_INFINITY;
      this.timer = this.waiting > 0 ? this.arm() : null;
    };
    return setTimeout(check, TICK).unref();
  }
}

export const runningTime = new RunningTime();
