/** Registry of counters that features add to the metrics. */
import { Injectable } from '@nestjs/common';

/** Totals since the start, by name in camelCase. */
export type Counters = Readonly<Record<string, number>>;

@Injectable()
export class MetricParts {
  private readonly parts = new Map<string, () => Counters>();

  /** Adds the counters of a feature. `name` is a word of lower-case letters. */
  add(name: string, read: () => Counters): void {
    this.parts.set(name, read);
  }

  read(): Readonly<Record<string, Counters>> {
    return Object.fromEntries([...this.parts].map(([name, read]) => [name, read()]));
  }
}
