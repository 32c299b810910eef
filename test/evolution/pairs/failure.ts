/** Kinds of failures of a pair of models. */
export const FAULTS = ['lost', 'exposed', 'doubled', '5xx', 'raw', 'totals', 'other'] as const;

export type Fault = (typeof FAULTS)[number];

export class PairFailure extends Error {
  readonly fault: Fault;

  constructor(fault: Fault, message: string) {
    super(`${fault}: ${message}`);
    this.fault = fault;
  }
}
