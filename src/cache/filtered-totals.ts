/**
 * Cache of totals by filter. All pages and orders of a filter have the same total, so later pages read only
 * their rows until a dependency changes.
 */
import { LRUCache } from 'lru-cache';
import { compileTotal } from '../content/compile/compile-read.js';
import { PerPlan } from '../content/plan/per-plan.js';
import type { ReadPlan } from '../content/plan/plan.js';
import { fill, type Statement, type Template } from '../kernel/sql.js';

export interface FilteredTotal {
  readonly total: number;
  readonly position: number;
  /** Duration of the read of a page with its total, in milliseconds. */
  readonly took: number;
}

interface CachedTotal extends FilteredTotal {
  slower: number;
}

export interface CountedPage {
  readonly cached: CachedTotal;
  readonly statement: Statement;
}

const MAX_TOTALS = 1000;
const MIN_MILLISECONDS = 2;
const MAX_SLOWER = 3;

const textOf = ({ text, values }: Statement): string =>
  `${JSON.stringify(values, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value))} ${text}`;

interface Filter {
  readonly total: Template<ReadPlan>;
  readonly page: Template<ReadPlan>;
}

const keyOf = ({ total }: Filter, plan: ReadPlan): string => textOf(fill(total, plan));

const isCounted = ({ shared, page, where, search }: ReadPlan): boolean =>
  shared !== null && page?.withCount === true && (where !== null || search !== null);

export class FilteredTotals {
  private readonly filters = new PerPlan<Filter>();
  private readonly totals = new LRUCache<string, CachedTotal>({ max: MAX_TOTALS });

  constructor(private readonly compile: (plan: ReadPlan) => Template<ReadPlan>) {}

  find(plan: ReadPlan): CountedPage | null {
    const filter = this.filterOf(plan);
    const cached = filter === null ? undefined : this.totals.get(keyOf(filter, plan));
    return filter === null || cached === undefined ? null : { cached, statement: fill(filter.page, plan) };
  }

  keep(plan: ReadPlan, found: FilteredTotal): void {
    const filter = found.took < MIN_MILLISECONDS ? null : this.filterOf(plan);
    if (filter !== null) this.totals.set(keyOf(filter, plan), { ...found, slower: 0 });
  }

  /** Records the duration of a page without its count, in milliseconds; drops a total that saves no time. */
  noteDuration(plan: ReadPlan, cached: CachedTotal, took: number): void {
    cached.slower = took > cached.took ? cached.slower + 1 : 0;
    const filter = cached.slower < MAX_SLOWER ? null : this.filterOf(plan);
    if (filter !== null) this.totals.delete(keyOf(filter, plan));
  }

  private filterOf(plan: ReadPlan): Filter | null {
    const { page } = plan;
    if (page === null || !isCounted(plan)) return null;
    return this.filters.of(plan, () => ({
      total: compileTotal(plan),
      page: this.compile({ ...plan, page: { ...page, withCount: false } }),
    }));
  }
}
