/**
 * Rules of docs/protocol.md that no test can show, each with the reason. Remove a rule from this list when it
 * is built.
 */

const WEBHOOKS = 'hooks run in the application; there are no webhooks';

const all = (rules: readonly string[], reason: string): [string, string][] =>
  rules.map((rule) => [rule, reason]);

export const UNBUILT: ReadonlyMap<string, string> = new Map([
  ...all(['21.1', '21.2', '21.3', '21.4', '21.5', '21.6', '21.7', '21.8', '21.9'], WEBHOOKS),
  ['14.23', 'says what there is not: a definition has no place for a condition of visibility'],
]);
