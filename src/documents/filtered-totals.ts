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
    const known = filter === null ? undefined : this.totals.get(filter.key);
    return filter === null || known === undefined ? null : { known, statement: filter.page };
  }

  /** Keeps a total, if it took long. */
  keep(plan: ReadPlan, found: FilteredTotal): void {
    const filter = found.took < WORTH ? null : this.filterOf(plan);
    if (filter !== null) this.totals.set(filter.key, { ...found, slower: 0 });
  }

  /** Notes how long a page took alone, in milliseconds: a total that spares nothing is forgotten. */
  judge(plan: ReadPlan, known: Kept, took: number): void {
    known.slower = took > known.took ? known.slower + 1 : 0;
    const filter = known.slower < SLOWER ? null : this.filterOf(plan);
    if (filter !== null) this.totals.delete(filter.key);
  }

  /** What names a list's filter, and the statement of its page alone. */
  private filterOf(plan: ReadPlan): { readonly key: string; readonly page: Statement } | null {
    const { kept, page } = plan;
    if (kept === null || page === null || !isCounted(plan)) return null;
    kept.filter ??= {
      total: compileTotal(plan),
      page: this.compile({ ...plan, page: { ...page, withCount: false } }),
    };
    return { key: textOf(fill(kept.filter.total, plan)), page: fill(kept.filter.page, plan) };
  }
}
