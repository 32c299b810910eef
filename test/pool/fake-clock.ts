/** Clock of the process for tests: time stands still until a test advances it. */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/** Handle of a timer, with the methods of Node's that the library calls. */
class FakeTimer {
  isOver = false;

  constructor(
    readonly at: number,
    readonly call: () => void,
  ) {}

  unref(): this {
    return this;
  }
}

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setImmediate: globalThis.setImmediate,
  sleep: timers.setTimeout,
};

export class FakeClock {
  private time = 1000;
  private timers: FakeTimer[] = [];
  private immediates: (() => void)[] = [];
  /** Share of the time in which the event loop is busy, from 0 to 1. */
  utilization = 0;

  /** Replaces the clock of the process. */
  install(): void {
    Object.assign(globalThis, {
      setTimeout: (call: () => void, milliseconds = 0) => this.add(call, milliseconds),
      clearTimeout: (timer: unknown) => {
        if (timer instanceof FakeTimer) timer.isOver = true;
        else real.clearTimeout(timer as NodeJS.Timeout);
      },
      setImmediate: (call: () => void) => void this.immediates.push(call),
    });
    const sleep = (milliseconds: number): Promise<void> =>
      new Promise((done) => void this.add(done, milliseconds));
    timers.setTimeout = sleep as typeof timers.setTimeout;
    syncBuiltinESMExports();
    const replace = (name: 'now' | 'eventLoopUtilization', value: () => unknown): void =>
      void Object.defineProperty(performance, name, { value, configurable: true });
    replace('now', () => this.time);
    replace('eventLoopUtilization', () => ({ utilization: this.utilization, idle: 0, active: 0 }));
  }

  /** Restores the clock of the process. Pending timers of other suites go on in real time. */
  uninstall(): void {
    const { setTimeout, clearTimeout, setImmediate, sleep } = real;
    Object.assign(globalThis, { setTimeout, clearTimeout, setImmediate });
    timers.setTimeout = sleep;
    syncBuiltinESMExports();
    for (const name of ['now', 'eventLoopUtilization'] as const) Reflect.deleteProperty(performance, name);
    for (const call of this.immediates) setImmediate(call);
    for (const { isOver, at, call } of this.timers)
      if (!isOver) setTimeout(call, Math.max(0, at - this.time)).unref();
  }

  get now(): number {
    return this.time;
  }

  /** Lets time pass. Runs the timers that elapse, in order, and all that follows from each of them. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    await this.settle();
    for (let next = this.next(end); next !== undefined; next = this.next(end)) {
      this.time = Math.max(this.time, next.at);
      next.isOver = true;
      next.call();
      await this.settle();
    }
    this.time = end;
  }

  /** Suspends the process: time passes, and no timer runs before the end. */
  async suspend(milliseconds: number): Promise<void> {
    this.time += milliseconds;
    await this.advance(0);
  }

  /** Runs all that is due without the passing of time: promises and immediates. */
  async settle(): Promise<void> {
    do {
      for (const call of this.immediates.splice(0)) call();
      // Promises have no more to do when an immediate of the real event loop runs.
      await new Promise((done) => real.setImmediate(done));
    } while (this.immediates.length > 0);
  }

  private add(call: () => void, milliseconds: number): FakeTimer {
    const timer = new FakeTimer(this.time + milliseconds, call);
    this.timers.push(timer);
    return timer;
  }

  /** Returns the timer that elapses next, of those that elapse until `end`. */
  private next(end: number): FakeTimer | undefined {
    this.timers = this.timers.filter(({ isOver }) => !isOver);
    return this.timers
      .filter(({ at }) => at <= end)
      .reduce<FakeTimer | undefined>(
        (first, timer) => (first && first.at <= timer.at ? first : timer),
        undefined,
      );
  }
}

/** Replaces the clock for all tests of a suite. Time goes on from test to test, as modules of `src` expect. */
export function useFakeClock(): FakeClock {
  const clock = new FakeClock();
  beforeAll(() => clock.install());
  afterAll(() => clock.uninstall());
  return clock;
}
