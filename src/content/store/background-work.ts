import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, Optional } from '@nestjs/common';
import { TELEMETRY, type Telemetry } from '../../kernel/telemetry.js';

/** Time that a shutdown waits for work, in milliseconds. */
const SHUTDOWN_WAIT = 5000;
/** Milliseconds until repeated work first runs, at most: some processes live shorter than an interval. */
const FIRST_RUN = 60_000;

/** Injection token: true in a process that runs one command, and leaves repeated work to those that serve. */
export const RUNS_COMMAND = Symbol('ContentRunsCommand');

/** Work that no request waits for. A shutdown waits for it while the database is open. */
@Injectable()
export class BackgroundWork implements BeforeApplicationShutdown {
  private readonly running = new Set<Promise<void>>();
  private readonly timers: NodeJS.Timeout[] = [];
  private isOver = false;

  constructor(
    @Inject(TELEMETRY) private readonly telemetry: Telemetry,
    @Optional() @Inject(RUNS_COMMAND) readonly runsCommand = false,
  ) {}

  /** Whether the application shuts down: work of several statements ends after the current one. */
  get isStopping(): boolean {
    return this.isOver;
  }

  /** Runs work in a separate trace, named `name`. Returns its result. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const result = this.telemetry.background(name, work);
    const over = (): boolean => this.running.delete(ended);
    const ended: Promise<void> = result.then(over, over).then(() => undefined);
    this.running.add(ended);
    return result;
  }

  /**
   * Repeats work, which never throws, at an interval in milliseconds until the shutdown. The first run comes
   * after a minute at most. Commands repeat nothing.
   */
  repeat(name: string, milliseconds: number, work: () => Promise<unknown>): void {
    if (this.runsCommand) return;
    const run = (): void => void this.run(name, work);
    this.timers.push(setInterval(run, milliseconds).unref());
    if (milliseconds > FIRST_RUN) this.timers.push(setTimeout(run, FIRST_RUN).unref());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isOver = true;
    for (const timer of this.timers) clearInterval(timer);
    await this.waitForAll();
  }

  /** Waits for the running work, at most 5 s. */
  async waitForAll(): Promise<void> {
    if (this.running.size === 0) return;
    const stop = new AbortController();
    const timeout = sleep(SHUTDOWN_WAIT, undefined, { signal: stop.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.running), timeout]);
    stop.abort();
  }
}
