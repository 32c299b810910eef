/** Immutable state that components of React subscribe to. */
export class Observed<T extends object> {
  private readonly listeners = new Set<() => void>();

  constructor(public snapshot: T) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly current = (): T => this.snapshot;

  protected show(change: Partial<T>): void {
    this.snapshot = { ...this.snapshot, ...change };
    for (const listener of [...this.listeners]) listener();
  }
}
