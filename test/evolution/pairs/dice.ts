/** Random choices that a seed repeats. */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A number from 0 to 1 (mulberry32). */
  private next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number below `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(percent: number): boolean {
    return this.next() < percent / 100;
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new Error('The list is empty');
    return found;
  }

  /** Returns some of a list, at most `most`, in a random order. */
  some<T>(list: readonly T[], most = list.length): T[] {
    const left = [...list];
    const count = this.below(Math.min(most, left.length) + 1);
    return Array.from({ length: count }, () => left.splice(this.below(left.length), 1)).flat();
  }
}
