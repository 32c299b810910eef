/** Upper bounds of the buckets, in milliseconds. Longer durations count only in the total. */
export const BOUNDS: readonly number[] = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];

/** Durations in buckets. Recording allocates nothing. */
export class Histogram {
  private readonly counts = new Float64Array(BOUNDS.length + 1);
  private total = 0;

  record(milliseconds: number): void {
    let at = 0;
    while (at < BOUNDS.length && milliseconds > (BOUNDS[at] ?? 0)) at += 1;
    this.counts[at] = (this.counts[at] ?? 0) + 1;
    this.total += milliseconds;
  }

  get milliseconds(): number {
    return this.total;
  }

  /** Number of durations at or below each bound, and of all of them as the last element. */
  get cumulative(): readonly number[] {
    let sum = 0;
    return Array.from(this.counts, (count) => (sum += count));
  }
}
