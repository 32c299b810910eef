/**
 * Cache admission of one entry. A stale entry costs a poll and a read instead of the read alone. Entries that
 * change about as often as they are read therefore bypass the cache for a while.
 */

/** Weight of the newest sample in the moving average. */
const EWMA_WEIGHT = 1 / 8;
/**
 * Largest and smallest share of changed polls that is tolerated: above the largest, polls never pay off; a
 * single change proves nothing.
 */
const MAX_CHANGED = 0.9;
const MIN_CHANGED = EWMA_WEIGHT;
/** Factor by which a poll must be cheaper than a read, because reads run in parallel and polls do not. */
const MARGIN = 1.3;
/** Number of reads that bypass the cache, and the time limit as a multiple of a read's duration. */
const BYPASSED_READS = 32;
/** Growth per read of the fastest known duration, so that it adapts to slower reads. */
const GROWTH = 1.01;

export const ofLate = (before: number, now: number): number => before + (now - before) * EWMA_WEIGHT;

/** Returns the shortest recent duration in milliseconds; longer ones include waiting. */
const fastest = (before: number | null, took: number): number =>
  before === null ? took : Math.min(before * GROWTH, took);

export interface Finding {
  readonly isChanged: boolean;
  readonly position: number;
  /** Moving average of a poll's duration per request that shared it, in milliseconds. */
  readonly cost: number;
}

/** Times are milliseconds of `performance.now()`. */
export class Odds {
  /** Moving average of the polls that found a change. */
  private changed = 0;
  private judgedAt = -1;
  private restsUntil = 0;
  private restsFor = 0;
  private reading: number | null = null;

  /** Whether reads bypass the cache for now. */
  rests(now: number): boolean {
    return this.restsFor > 0 || now < this.restsUntil;
  }

  passed(): void {
    this.restsFor -= 1;
  }

  took(milliseconds: number): void {
    this.reading = fastest(this.reading, milliseconds);
  }

  /** Records the result of a poll, once per poll. */
  judge({ isChanged, position, cost }: Finding, now: number): void {
    if (position === this.judgedAt) return;
    this.judgedAt = position;
    this.changed = ofLate(this.changed, isChanged ? 1 : 0);
    if (!isChanged || this.reading === null) return;
    const limit = Math.min(MAX_CHANGED, Math.max(MIN_CHANGED, 1 - (MARGIN * cost) / this.reading));
    if (this.changed <= limit) return;
    this.restsUntil = now + BYPASSED_READS * this.reading;
    this.restsFor = BYPASSED_READS;
    // After the bypass, one poll without a change suffices.
    this.changed = limit;
  }
}
