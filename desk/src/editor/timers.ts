/** Milliseconds until a change is saved by itself, and until a request without a response is repeated. */
export const AUTOSAVE = 2500;
export const RETRY = 3000;

type Name = 'save' | 'retry';

/** Delayed work by name. */
export class Timers {
  private readonly running = new Map<Name, ReturnType<typeof setTimeout>>();

  /** Starts work, instead of work of the same name that has not run. */
  start(name: Name, delay: number, work: () => void): void {
    this.stop(name);
    const timer = setTimeout(() => {
      this.running.delete(name);
      work();
    }, delay);
    this.running.set(name, timer);
  }

  stop(name: Name): void {
    clearTimeout(this.running.get(name));
    this.running.delete(name);
  }

  stopAll(): void {
    for (const timer of this.running.values()) clearTimeout(timer);
  }
}
