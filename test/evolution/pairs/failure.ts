/** The ways in which a pair of models may fail. */
export const FAULTS = ['lost', 'exposed', 'doubled', '5xx', 'raw', 'totals', 'other'] as const;

export type Fault = (typeof FAULTS)[number];

/** A failure of one kind. */
export class PairFailure extends Error {
  readonly fault: Fault;

  constructor(fault: Fault, message: string) {
    super(`${fault}: ${message}`);
    this.fault = fault;
  }
}
