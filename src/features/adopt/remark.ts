/** Remarks of a move, for its report. */

/** Fate of a part of the source: moved, changed on purpose, or without a counterpart. */
export type Fate = 'moved' | 'changed' | 'none';

export interface Remark {
  readonly list: Fate;
  /** Type, component or part of the source, by its name there. */
  readonly subject: string;
  /** Attribute or option. */
  readonly key?: string;
  readonly text: string;
  /** Number of a rule in `docs/protocol.md`. */
  readonly rule?: string;
  /** Path of the schema file. */
  readonly file?: string;
  /** Rows concerned: document ids or row ids of the source, at most {@link MAX_NAMED}. */
  readonly rows?: readonly string[];
  /** Number of rows concerned. */
  readonly count?: number;
}

/** Maximum number of rows that a remark names. */
const MAX_NAMED = 100_000;

interface Open {
  readonly remark: Remark;
  readonly rows: string[];
  count: number;
}

/** Collects remarks. Rows with the same remark are listed together. */
export class Remarks {
  private readonly open = new Map<string, Open>();

  add(remark: Remark, row?: string): void {
    const { list, subject, key = '', text, file = '' } = remark;
    const id = [list, subject, key, text, file].join('\n');
    const found = this.open.get(id) ?? { remark, rows: [], count: 0 };
    this.open.set(id, found);
    if (row === undefined) return;
    found.count += 1;
    if (found.rows.length < MAX_NAMED) found.rows.push(row);
  }

  addAll(remarks: readonly Remark[]): void {
    for (const remark of remarks) this.add(remark);
  }

  /** Returns the remarks in the order of their first row. */
  all(): readonly Remark[] {
    return [...this.open.values()].map(({ remark, rows, count }) =>
      count === 0 ? remark : { ...remark, rows, count },
    );
  }
}
