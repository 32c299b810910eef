/**
 * Whether it pays to ask whether a kept answer still holds. Where it does not, a check and a read are done
 * where the read alone would have been enough: so what changes about as often as it is asked for is read
 * without a check for a while, and then tried again.
 */

/** How much the last check says of the next: an eighth. */
const NEWS = 1 / 8;
/** A check never pays for what changes more often than this, and always for what changes more seldom. */
const MOST = 0.9;
const LEAST = 0.2;
/** How many reads go without a check before it is tried again. */
const REST = 32;
/** How much slower than before the fastest of late may have become since, in each run. */
const GROWTH = 1.05;

/** The fastest of late, in milliseconds: what is slower was kept waiting by others. */
export const fastest = (before: number | null, took: number): number =>
  before === null ? took : Math.min(before * GROWTH, took);

export class Odds {
  /** The part of the checks of late that found it changed. */
  private changed = 0;
  private judgedAt = -1;
  private left = 0;
  private reading: number | null = null;

  /** Whether this read should do without a check, because it would hardly pay. */
  passes(): boolean {
    if (this.left === 0) return false;
    this.left -= 1;
    return this.left > 0;
  }

  /** Notes how long it took to read. */
  took(milliseconds: number): void {
    this.reading = fastest(this.reading, milliseconds);
  }

  /** Notes what a check has found, once for all who have asked it; `cost` is its share in milliseconds. */
  judge(isChanged: boolean, position: number, cost: number): void {
    if (position === this.judgedAt) return;
    this.judgedAt = position;
    this.changed += ((isChanged ? 1 : 0) - this.changed) * NEWS;
    const pays = this.reading === null ? MOST : 1 - cost / this.reading;
    const limit = Math.min(MOST, Math.max(LEAST, pays));
    if (!isChanged || this.changed <= limit) return;
    this.left = REST;
    // The next check that finds it unchanged is enough.
    this.changed = limit;
  }

  /** Whether the next reads go without a check. */
  get rests(): boolean {
    return this.left > 0;
  }
}
