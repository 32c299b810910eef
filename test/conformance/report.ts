/** The outcome as text. */
import type { Difference } from './compare.ts';
import type { Result } from './replay.ts';

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

/** Two long texts from shortly before the place where they part. */
function withoutCommonStart(recorded: unknown, ours: unknown): [unknown, unknown] {
  if (typeof recorded !== 'string' || typeof ours !== 'string' || recorded.length <= VALUE_LENGTH)
    return [recorded, ours];
  const parted = [...recorded].findIndex((character, index) => ours[index] !== character);
  const from = Math.max(0, (parted < 0 ? recorded.length : parted) - VALUE_LENGTH / 4);
  return [recorded, ours].map((text) => (from === 0 ? text : `…${text.slice(from)}`)) as [string, string];
}

/** One mismatch in a few lines. */
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
  return [...counts].map(([reason, numbers]) => `  ${reason}: ${numbers.join(', ')}`);
}

/** GETs that answered with documents, and how many statements the busiest took. */
export function statementsPerGet(results: readonly Result[]): { readonly max: number; readonly min: number } {
  // The list of locales comes from the settings and needs no statement.
  const counts = results
    .filter(
      ({ case: { method, path }, answer }) =>
        method === 'GET' && answer?.status === 200 && !path.startsWith('/api/i18n/'),
    )
    .map(({ statements }) => statements);
  return counts.length === 0 ? { max: 0, min: 0 } : { max: Math.max(...counts), min: Math.min(...counts) };
}

export function report(results: readonly Result[]): string {
  const lines: string[] = [];
  for (const group of new Set(results.map((result) => result.case.group))) {
    const own = results.filter((result) => result.case.group === group);
    const { matched, compared, skipped } = totals(own);
    lines.push(`${group}: ${matched} matched / ${compared} compared / ${skipped} skipped`);
    lines.push(...own.filter(({ outcome }) => outcome === 'mismatched').map(describeMismatch));
  }
  const improved = results.filter(({ outcome }) => outcome === 'improved');
  if (improved.length > 0) lines.push('', 'deliberate improvements:', ...counted(improved));
  const skipped = results.filter(({ outcome }) => outcome === 'skipped');
  if (skipped.length > 0) lines.push('', 'skipped:', ...counted(skipped));
  const { matched, compared, skipped: left } = totals(results);
  lines.push('', `statements per GET: max ${statementsPerGet(results).max}`);
  lines.push(`conformance: matched ${matched} of ${compared} compared, ${left} skipped`);
  return lines.join('\n');
}
