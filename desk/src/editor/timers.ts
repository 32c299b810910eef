type Name = 'keep' | 'save' | 'retry';

/** Delayed work by name: starting it again replaces what has not run. */
export class Timers {
  private readonly running = new Map<Name, ReturnType<typeof setTimeout>>();

  start(name: Name, delay: number, work: () => void): void {
    this.stop(name);
    this.running.set(name, setTimeout(work, delay));
  }

  stop(name: Name): void {
    clearTimeout(this.running.get(name));
  }

  stopAll(): void {
    for (const timer of this.running.values()) clearTimeout(timer);
  }
}
