import { randomFrom } from '../../support/random.ts';

/** Random choices that a seed repeats. */
export class Dice {
  private readonly next: () => number;

  constructor(seed: number) {
    this.next = randomFrom(seed);
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

  /** Returns a list in a random order. */
  shuffled<T>(list: readonly T[]): T[] {
    const left = [...list];
    return list.flatMap(() => left.splice(this.below(left.length), 1));
  }
}
