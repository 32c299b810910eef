/**
 * Whether it pays to ask whether a kept answer still holds. Where it does not, a check and a read are done
 * where the read alone would have been enough: so what changes about as often as it is asked for is read
 * without a check for a while, and then tried again.
 */

/** How much the last one says of the next. */
const NEWS = 1 / 8;
/** A check never pays for what changes more often than this; and one change alone says nothing. */
const MOST = 0.9;
const LEAST = NEWS;
/** How much more than its time a check has to save: reads go on beside each other, and checks do not. */
const MARGIN = 1.3;
/**
 * For how many reads it is read without a check before it is tried again, and for how long: as these would
 * take one after another, however many ask at once.
 */
const REST = 32;
/** How much slower than before the fastest of late may have become since, in each run. */
const GROWTH = 1.01;

/** What it was of late, on the average. */
export const ofLate = (before: number, now: number): number => before + (now - before) * NEWS;

/** The fastest of late, in milliseconds: what is slower was kept waiting by others. */
const fastest = (before: number | null, took: number): number =>
  before === null ? took : Math.min(before * GROWTH, took);

/** What a check has found of an answer. */
export interface Finding {
  readonly isChanged: boolean;
  /** The number of the check. */
  readonly position: number;
  /** What checks of late have cost each of those who shared them, in milliseconds. */
  readonly cost: number;
}

/** Times are milliseconds of one clock. */
export class Odds {
  /** The part of the checks of late that found it changed. */
  private changed = 0;
  private judgedAt = -1;
  private restsUntil = 0;
  private restsFor = 0;
  private reading: number | null = null;

  /** Whether it is read without a check for now, and not kept. */
  rests(now: number): boolean {
    return this.restsFor > 0 || now < this.restsUntil;
  }

  /** Notes that it was read without a check. */
  passed(): void {
    this.restsFor -= 1;
  }

  /** Notes how long it took to read. */
  took(milliseconds: number): void {
    this.reading = fastest(this.reading, milliseconds);
  }

  /** Notes what a check has found, once for all who have shared it. */
  judge({ isChanged, position, cost }: Finding, now: number): void {
    if (position === this.judgedAt) return;
    this.judgedAt = position;
    this.changed = ofLate(this.changed, isChanged ? 1 : 0);
    if (!isChanged || this.reading === null) return;
    const limit = Math.min(MOST, Math.max(LEAST, 1 - (MARGIN * cost) / this.reading));
    if (this.changed <= limit) return;
    this.restsUntil = now + REST * this.reading;
    this.restsFor = REST;
    // Then one check that finds it unchanged is enough.
    this.changed = limit;
  }
}
