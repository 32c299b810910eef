/** What clients have seen: every read and write, when it was asked and answered, by one clock. */

/** A value as it is stored: no two writes write the same token, and each write of a slot has the next `seq`. */
export interface Value {
  readonly token: number;
  readonly seq: number;
}

/** A write of one slot. */
export interface Write {
  readonly slot: number;
  readonly token: number;
  readonly by: string;
  readonly invoked: number;
  /** When it was answered; infinite where nobody knows whether it was done, or when. */
  answered: number;
  /** Null where its answer did not say. */
  seq: number | null;
  /** `aborted`: it was never done. */
  outcome: 'done' | 'unknown' | 'aborted';
}

/** A read of some slots at one moment. */
export interface Read {
  readonly by: string;
  readonly invoked: number;
  readonly answered: number;
  readonly values: ReadonlyMap<number, Value>;
}

/** Writes of one transaction. */
type Together = readonly Write[];

/** What happened from one moment at which nothing was under way to the next. */
export interface History {
  /** What every slot held at the beginning. */
  readonly before: ReadonlyMap<number, Value>;
  readonly writes: readonly Write[];
  readonly reads: readonly Read[];
  readonly together: readonly Together[];
}
