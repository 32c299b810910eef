/**
 * Size of a proof that runs samples. `npm test` takes a small dose that covers every technique, caller and
 * route; `npm run proofs` and continuous integration run the same specs with the whole dose.
 */
export const dose = <T>(small: T, whole: T): T => (process.env['PROOFS'] === 'whole' ? whole : small);

/**
 * Expects a duration below a bound in milliseconds, only in `npm run proofs`: `npm test` runs suites
 * concurrently, so that durations vary.
 */
export function expectSoon(milliseconds: number, bound: number): void {
  if (dose(false, true)) expect(milliseconds).toBeLessThan(bound);
}
