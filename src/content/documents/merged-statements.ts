/** Statements of several writes, merged so that as few as possible are sent. */
import type { Statement } from '../../kernel/sql.js';
import type { Row } from '../../pool/runner.js';

type Rows = readonly (readonly Row[])[];

interface MergedStatements {
  readonly statements: readonly Statement[];
  /** Returns the rows of each list's statements, from the rows of the merged ones. */
  readonly split: (rows: Rows) => readonly Rows[];
}

/** Whether two lists have statements of the same templates at the same places. */
const isAlike = (a: readonly Statement[], b: readonly Statement[]): boolean =>
  a.length === b.length && a.every(({ merger }, i) => merger === b[i]?.merger);

/** Splits lists into runs of similar ones, which keeps their order. */
function runsOf(lists: readonly (readonly Statement[])[]): (readonly Statement[])[][] {
  const runs: (readonly Statement[])[][] = [];
  for (const list of lists) {
    const run = runs.at(-1);
    if (run?.[0] !== undefined && isAlike(run[0], list)) run.push(list);
    else runs.push([list]);
  }
  return runs;
}

/** Splits the rows of a merged statement by their number. */
function rowsByItem(rows: readonly Row[], count: number): Row[][] {
  const lists: Row[][] = Array.from({ length: count }, () => []);
  for (const row of rows) lists[Number(row['item']) - 1]?.push(row);
  return lists;
}

/**
 * Merges the statements of lists that do not depend on each other. Similar lists that follow each other send
 * one statement instead of one each.
 */
export function mergeStatements(lists: readonly (readonly Statement[])[]): MergedStatements {
  const statements: Statement[] = [];
  const splits: ((rows: Rows) => readonly Rows[])[] = [];
  for (const run of runsOf(lists)) {
    const places = (run[0] ?? []).map((first, at) => {
      const start = statements.length;
      const { merger } = first;
      const all = run.flatMap((list) => list[at] ?? []);
      const isMerged = merger !== undefined && run.length > 1;
      statements.push(...(isMerged ? [merger.merge(all)] : all));
      return (rows: Rows): Rows =>
        isMerged ? rowsByItem(rows[start] ?? [], run.length) : rows.slice(start, start + run.length);
    });
    splits.push((rows) => {
      const split = places.map((of) => of(rows));
      return run.map((_list, i) => split.map((of) => of[i] ?? []));
    });
  }
  return { statements, split: (rows) => splits.flatMap((split) => split(rows)) };
}
