/** Order of a list by numbers: the fewest numbers that change when a row moves. */

export interface Numbered {
  readonly documentId: string;
  /** Null for a document without a place, which the list shows after all others. */
  readonly number: number | null;
}

export interface Limits {
  readonly min: number;
  readonly max: number;
}

/** Integers of PostgreSQL. */
export const INTEGERS: Limits = { min: -(2 ** 31), max: 2 ** 31 - 1 };

/** Distance between numbers at the end of a list, so that later moves find room between them. */
const STEP = 100;

/** Numbers of the documents before and after some rows. Null: there is none, or it has no number. */
export interface Neighbours {
  readonly low: number | null;
  readonly high: number | null;
}

/** Returns rising numbers between those of the neighbours; null if there is no room. */
function numbersBetween({ low, high }: Neighbours, count: number, limits: Limits): readonly number[] | null {
  const last = high ?? limits.max + 1;
  const least = limits.min - 1;
  // The numbers of a whole list are positive if they can be.
  const first = low ?? (high === null && Math.max(least, 0) + count < last ? Math.max(least, 0) : least);
  if (last - first <= count) return null;
  const step = Math.min(STEP, Math.floor((last - first) / (count + 1)));
  const start = low === null && high !== null ? high - step * (count + 1) : first;
  return Array.from({ length: count }, (_, at) => start + step * (at + 1));
}

/**
 * Returns the rows with their new numbers, so that the row at `at` stays where it is. `rows` are in their new
 * order. Null if there is no room, or if a document before them has no number.
 */
export function renumbered<Row extends Numbered>(
  rows: readonly Row[],
  at: number,
  { low, high, limits }: Neighbours & { readonly limits: Limits },
): readonly Row[] | null {
  const numberAt = (index: number): number | null => rows[index]?.number ?? null;
  for (let count = 1; count <= rows.length; count += 1)
    for (let from = Math.min(at, rows.length - count); from >= 0 && from + count > at; from -= 1) {
      const to = from + count;
      // Rows without a number come last, so those before the moved one need numbers as well.
      if (from > 0 && numberAt(from - 1) === null) continue;
      const neighbours = {
        low: from > 0 ? numberAt(from - 1) : low,
        high: to < rows.length ? numberAt(to) : high,
      };
      const numbers = numbersBetween(neighbours, count, limits);
      if (numbers !== null)
        return rows
          .slice(from, to)
          .map((row, i) => ({ ...row, number: numbers[i] ?? null }))
          .filter(({ number }, i) => number !== numberAt(from + i));
    }
  return null;
}
