/** Formats the outcome as text. */
import type { Case } from './cases.ts';
import type { Difference } from './compare.ts';
import { EXACT } from './improvements.ts';
import type { Outcome, Result } from './replay.ts';

const DIFFERENCES_SHOWN = 3;
const VALUE_LENGTH = 200;

const shorten = (text: string): string =>
  text.length > VALUE_LENGTH ? `${text.slice(0, VALUE_LENGTH)}…` : text;
const print = (value: unknown): string => (value === undefined ? 'absent' : shorten(JSON.stringify(value)));

export interface Totals {
  readonly matched: number;
  readonly compared: number;
  readonly skipped: number;
  /** Percentage of the compared cases that matched. */
  readonly percent: number;
}

export function totals(results: readonly Result[]): Totals {
  const skipped = results.filter(({ outcome }) => outcome === 'skipped').length;
  const compared = results.length - skipped;
  const matched = compared - results.filter(({ outcome }) => outcome === 'mismatched').length;
  return { matched, compared, skipped, percent: compared === 0 ? 100 : (100 * matched) / compared };
}

function difference({ path, recorded, ours }: Difference): string {
  const [theirs, own] = withoutCommonStart(recorded, ours);
  return `    ${path || '(all)'}: recorded ${print(theirs)}, ours ${print(own)}`;
}

/** Returns two long texts from shortly before their first difference. */
function withoutCommonStart(recorded: unknown, ours: unknown): [unknown, unknown] {
  if (typeof recorded !== 'string' || typeof ours !== 'string' || recorded.length <= VALUE_LENGTH)
    return [recorded, ours];
  const parted = [...recorded].findIndex((character, index) => ours[index] !== character);
  const from = Math.max(0, (parted < 0 ? recorded.length : parted) - VALUE_LENGTH / 4);
  return [recorded, ours].map((text) => (from === 0 ? text : `…${text.slice(from)}`)) as [string, string];
}

/** Describes one mismatch in a few lines. */
export function describeMismatch({ case: { n, name, method, path, body }, differences }: Result): string {
  const sent = body === null || body === undefined ? '' : `\n    body ${print(body)}`;
  const more =
    differences.length > DIFFERENCES_SHOWN
      ? [`    … and ${differences.length - DIFFERENCES_SHOWN} more`]
      : [];
  return [
    `  ${n} ${shorten(name)}\n    ${method} ${shorten(path)}${sent}`,
    ...differences.slice(0, DIFFERENCES_SHOWN).map(difference),
    ...more,
  ].join('\n');
}

function counted(results: readonly Result[]): string[] {
  const counts = new Map<string, number[]>();
  for (const {
    reason = '',
    case: { n },
  } of results)
    counts.set(reason, [...(counts.get(reason) ?? []), n]);
  return [...counts].map(([reason, numbers]) => `  ${reason}: ${numbers.length} (${numbers.join(', ')})`);
}

/** Authenticating a token takes one statement in addition to the response's own. */
const forCaller = ({ auth }: Case): number => (auth === 'public' ? 0 : 1);

/** Returns GETs that responded with documents, and their highest number of statements. */
export function statementsPerGet(results: readonly Result[]): { readonly max: number; readonly min: number } {
  // The list of locales comes from the settings and needs no statement.
  const counts = results
    .filter(
      ({ case: { method, path }, answer }) =>
        method === 'GET' && answer?.status === 200 && !path.startsWith('/api/i18n/'),
    )
    .map(({ statements, case: recorded }) => statements - forCaller(recorded));
  return counts.length === 0 ? { max: 0, min: 0 } : { max: Math.max(...counts), min: Math.min(...counts) };
}

const byOutcome = (results: readonly Result[], outcome: Outcome): Result[] =>
  results.filter((result) => result.outcome === outcome);

const LISTED: readonly (readonly [Outcome, string])[] = [
  ['improved', 'deliberate improvements, each with its reason in improvements.ts'],
  ['partly', 'compared without the values of a document'],
  ['skipped', 'skipped'],
];

function group(results: readonly Result[]): string[] {
  const { matched, compared, skipped } = totals(results);
  const line = `${results[0]?.case.group}: ${matched} matched / ${compared} compared / ${skipped} skipped`;
  return [line, ...byOutcome(results, 'mismatched').map(describeMismatch)];
}

export function report(results: readonly Result[]): string {
  const { matched, compared, skipped } = totals(results);
  const count = (outcome: Outcome): number => byOutcome(results, outcome).length;
  const byRule = byOutcome(results, 'improved').filter(({ case: { n } }) => !EXACT.has(n));
  const groups = new Set(results.map((result) => result.case.group));
  return [
    ...[...groups].flatMap((name) => group(results.filter((result) => result.case.group === name))),
    ...LISTED.flatMap(([outcome, title]) => {
      const own = byOutcome(results, outcome);
      return own.length === 0 ? [] : ['', `${title}:`, ...counted(own)];
    }),
    '',
    `statements per GET: max ${statementsPerGet(results).max}, and 1 to authenticate a token`,
    `${results.length} cases: ${count('identical')} identical, ${count('partly')} except a document, ` +
      `${count('improved')} improved (${byRule.length} by rule alone), ${count('mismatched')} mismatched, ${skipped} skipped`,
    `conformance: matched ${matched} of ${compared} compared, ${skipped} skipped`,
  ].join('\n');
}
