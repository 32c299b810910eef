/**
 * Totals of filters. All pages and orders of a filter have the same, so it is counted once, and then only
 * their rows are read, as long as nothing has changed that decides it.
 */
import QuickLRU from 'quick-lru';
import { compileTotal } from '../compile/compile-read.js';
import type { ReadPlan } from '../plan/plan.js';
import { fill, type Statement, type Template } from '../sql.js';

/** A total that was right at a position of the ledger. */
export interface FilteredTotal {
  readonly total: number;
  readonly position: number;
  /** How long it took to read a page along with it, in milliseconds. */
  readonly took: number;
}

interface Kept extends FilteredTotal {
  /** How many pages in a row took longer without it. */
  slower: number;
}

/** A page whose total is known. */
export interface KnownPage {
  readonly known: Kept;
  /** Reads its rows. */
  readonly statement: Statement;
}

/** How many totals are kept. */
const MOST = 1000;
/** What is counted sooner, in milliseconds, is not worth asking again what has changed. */
const WORTH = 2;
/** So many pages in a row that took longer without counting are no accident. */
const SLOWER = 3;

const textOf = ({ text, values }: Statement): string =>
  `${JSON.stringify(values, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value))} ${text}`;

type Filter = NonNullable<NonNullable<ReadPlan['kept']>['filter']>;

/** What names a filter: what counts it. */
const keyOf = ({ total }: Filter, plan: ReadPlan): string => textOf(fill(total, plan));

/** A list that counts what its filter finds, by a plan that is used again. */
const isCounted = ({ kept, page, where, search }: ReadPlan): boolean =>
  kept !== null && page?.withCount === true && (where !== null || search !== null);

export class FilteredTotals {
  private readonly totals = new QuickLRU<string, Kept>({ maxSize: MOST });

  /** `compile` prints the statement of a plan. */
  constructor(private readonly compile: (plan: ReadPlan) => Template<ReadPlan>) {}

  /** What is known of a page's total; null where nothing is, or it would not pay. */
  find(plan: ReadPlan): KnownPage | null {
    const filter = this.filterOf(plan);
    const known = filter === null ? undefined : this.totals.get(keyOf(filter, plan));
    return filter === null || known === undefined ? null : { known, statement: fill(filter.page, plan) };
  }

  /** Keeps a total, if it took long. */
  keep(plan: ReadPlan, found: FilteredTotal): void {
    const filter = found.took < WORTH ? null : this.filterOf(plan);
    if (filter !== null) this.totals.set(keyOf(filter, plan), { ...found, slower: 0 });
  }

  /** Notes how long a page took alone, in milliseconds: a total that spares nothing is forgotten. */
  judge(plan: ReadPlan, known: Kept, took: number): void {
    known.slower = took > known.took ? known.slower + 1 : 0;
    const filter = known.slower < SLOWER ? null : this.filterOf(plan);
    if (filter !== null) this.totals.delete(keyOf(filter, plan));
  }

  /** What counts a list's filter, and reads its page alone; null where it counts none. */
  private filterOf(plan: ReadPlan): Filter | null {
    const { kept, page } = plan;
    if (kept === null || page === null || !isCounted(plan)) return null;
    return (kept.filter ??= {
      total: compileTotal(plan),
      page: this.compile({ ...plan, page: { ...page, withCount: false } }),
    });
  }
}
