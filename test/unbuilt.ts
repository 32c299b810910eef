/**
 * Rules of docs/protocol.md that no test can show, each with the reason. Remove a rule from this list when it
 * is built.
 */

export const UNBUILT: ReadonlyMap<string, string> = new Map([
  ['14.23', 'says what there is not: a definition has no place for a condition of visibility'],
]);
