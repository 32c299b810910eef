/** Immutable state that components of React subscribe to. */
export class Observed<T extends object> {
  private readonly listeners = new Set<() => void>();

  constructor(public snapshot: T) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly current = (): T => this.snapshot;

  /** Changes the state. Subscribers are called only if a member has another value. */
  protected show(change: Partial<T>): void {
    const names = Object.keys(change) as (keyof T)[];
    if (names.every((name) => Object.is(change[name], this.snapshot[name]))) return;
    this.snapshot = { ...this.snapshot, ...change };
    for (const listener of [...this.listeners]) listener();
  }
}
