/** Registry of numbers that features add to the metrics. */
import { Injectable } from '@nestjs/common';

/** Numbers by name in camelCase. */
export type Counters = Readonly<Record<string, number>>;

/** Readers of the totals since the start, and of the current values, if there are any. */
interface Part {
  readonly totals: () => Counters;
  readonly present?: () => Counters;
}

@Injectable()
export class MetricParts {
  private readonly parts = new Map<string, Part>();

  /** Adds the numbers of a feature. `name` is a word of lower-case letters. */
  add(name: string, totals: () => Counters, present?: () => Counters): void {
    this.parts.set(name, present === undefined ? { totals } : { totals, present });
  }

  /** Returns the totals of all features. */
  read(): Readonly<Record<string, Counters>> {
    return Object.fromEntries([...this.parts].map(([name, { totals }]) => [name, totals()]));
  }

  /** Returns the current values of the features that have some. */
  present(): Readonly<Record<string, Counters>> {
    return Object.fromEntries(
      [...this.parts].flatMap(([name, { present }]) => (present === undefined ? [] : [[name, present()]])),
    );
  }
}
