/** Recorded reads and writes of clients, with invocation and response times of one clock. */

/** A stored value: no two writes have the same token, and each write of a slot has the next `seq`. */
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
  /** Time of the response; infinite for a write with an unknown outcome or time. */
  answered: number;
  /** Null if the response does not contain it. */
  seq: number | null;
  /** `aborted`: it was never done. */
  outcome: 'done' | 'unknown' | 'aborted';
}

/** A read of several slots in one snapshot. */
export interface Read {
  readonly by: string;
  readonly invoked: number;
  readonly answered: number;
  readonly values: ReadonlyMap<number, Value>;
}

type Together = readonly Write[];

/** Operations between two points in time without a running operation. */
export interface History {
  /** Values of all slots at the beginning. */
  readonly before: ReadonlyMap<number, Value>;
  readonly writes: readonly Write[];
  readonly reads: readonly Read[];
  readonly together: readonly Together[];
}
