/**
 * How much of a proof by samples is run. `npm test` takes a small dose, which every technique, caller and route has its
 * part in; `npm run proofs` runs the same specs with the whole one, as continuous integration does.
 */
export const dose = <T>(small: T, whole: T): T => (process.env['PROOFS'] === 'whole' ? whole : small);

/**
 * Expects a duration below a bound, in milliseconds, in `npm run proofs` alone: `npm test` runs several suites at the
 * same time, and one waits for another.
 */
export function expectSoon(milliseconds: number, bound: number): void {
  if (dose(false, true)) expect(milliseconds).toBeLessThan(bound);
}
