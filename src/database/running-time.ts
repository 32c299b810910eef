/** How often it is looked whether this process still runs, in milliseconds. */
const TICK = 100;
/** A look that is later has been held up by more than other work of this process. */
const LATE = 100;

/**
 * Only the time in which this process runs. One that has stood still, because others had the processor, has
 * asked nothing and heard nothing meanwhile, so that nobody can have been slow.
 */
class RunningTime {
  /** For how many milliseconds it has stood still while anybody waited. */
  private stood = 0;
  /** When the next look is due; never, while nobody waits. */
  private due = Number.POSITIVE_INFINITY;
  private waiting = 0;
  private timer: NodeJS.Timeout | null = null;

  /** In milliseconds. Whoever asks first after it has stood still takes note of that. */
  now(): number {
    const now = performance.now();
    const late = now - this.due;
    if (late > LATE) {
      this.stood += late;
      this.due = now;
    }
    return now - this.stood;
  }

  /**
   * Calls back once after so many milliseconds, with what the time is then, when what has arrived by then has
   * been looked at.
   */
  after(milliseconds: number, look: (now: number) => void): NodeJS.Timeout {
    this.waiting += 1;
    this.timer ??= this.arm();
    const elapsed = (): void => {
      const now = this.now();
      setImmediate(() => {
        this.waiting -= 1;
        look(now);
      });
    };
    return setTimeout(elapsed, Math.ceil(milliseconds)).unref();
  }

  /** Looks from time to time whether it runs, as long as anybody waits. */
  private arm(): NodeJS.Timeout {
    this.due = performance.now() + TICK;
    const look = (): void => {
      this.now();
      this.due = Number.POSITIVE_INFINITY;
      this.timer = this.waiting > 0 ? this.arm() : null;
    };
    return setTimeout(look, TICK).unref();
  }
}

/** That of this process. */
export const runningTime = new RunningTime();
