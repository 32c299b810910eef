/**
 * How much of a proof by samples is run. `npm test` takes a small dose, which every technique, caller and route has its
 * part in; `npm run proofs` runs the same specs with the whole one, as continuous integration does.
 */
export const dose = <T>(small: T, whole: T): T => (process.env['PROOFS'] === 'whole' ? whole : small);
