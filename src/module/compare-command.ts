/** Command `adopt --compare`: the same queries to a Strapi server and to this application. */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { CONTENT_SCHEMA, type Schema } from '../content/model/model.js';
import type { ComparedQuery, ServerComparison } from '../features/compare/compare-servers.js';
import { compareServers } from '../features/compare/compare-servers.js';
import { isObject } from '../kernel/json.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../kernel/settings.js';
import { type Surroundings, UsageError, withApplication } from './command.js';

export const COMPARE_USAGE = `adopt --compare <API of Strapi> --with <API> --module <module> [--queries 500]
        [--report adopt-compare] [--adopted adopt-report]
      Sends generated queries to a Strapi server and to your running application, after a move.
      Lists the differences by the rules of docs/protocol.md that decide them. Fails if a rule decides none.
      --adopted is the report of the move, for names that changed.
      The URLs contain the prefix: https://old.example.org/api. STRAPI_TOKEN and CONTENT_TOKEN are API tokens.`;

const OPTIONS = {
  compare: { type: 'string' },
  with: { type: 'string' },
  module: { type: 'string' },
  queries: { type: 'string', default: '500' },
  report: { type: 'string', default: 'adopt-compare' },
  adopted: { type: 'string' },
} as const;

/** Minimum time in milliseconds between two lines of progress. */
const EVERY = 2000;
/** Longest value in the report, in characters. */
const SHOWN = 200;

const apiOf = (option: string, value: string | undefined): string => {
  if (value === undefined || !URL.canParse(value) || !/^https?:/.test(value))
    throw new UsageError(`--${option} is a URL such as https://example.org/api`);
  return value.replace(/\/+$/, '');
};

function progressOf(say: Surroundings['say']): (done: number, total: number) => void {
  let at = Date.now();
  return (done, total) => {
    if (Date.now() - at < EVERY) return;
    at = Date.now();
    say(`queries: ${done} of ${total}`);
  };
}

/** Number of differences by rule. */
function countsOf(differing: readonly ComparedQuery[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { differences } of differing)
    for (const { rule } of differences) if (rule !== null) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return counts;
}

const undecidedOf = ({ differing }: ServerComparison): ComparedQuery[] =>
  differing.flatMap(({ path, differences }) => {
    const left = differences.filter(({ rule }) => rule === null);
    return left.length === 0 ? [] : [{ path, differences: left }];
  });

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, SHOWN);

/** Longest value in the JSON, in characters; longer ones become a text with their beginning. */
const STORED = 2000;

function stored(value: unknown): unknown {
  const text = JSON.stringify(value) ?? '';
  return text.length > STORED ? `${text.slice(0, STORED)}…` : value;
}

/** Yields the JSON of the differences, one query per line: all of them can be too long for one text. */
function* jsonOf(differing: readonly ComparedQuery[]): Generator<string> {
  for (const [i, { path, differences }] of differing.entries()) {
    const short = differences.map(({ path: at, rule, former, now }) => ({
      ...{ path: at, rule },
      ...{ former: stored(former), now: stored(now) },
    }));
    yield `${i === 0 ? '[' : ',\n'}${JSON.stringify({ path, differences: short })}`;
  }
  yield differing.length === 0 ? '[]\n' : ']\n';
}

/** Advice for requests that Strapi permits and this application does not. */
const REFUSED =
  '. Some responses are 401 or 403 here: set CONTENT_TOKEN, which drafts need, or check the grants in access.ts';

const isRefused = ({ differences }: ComparedQuery): boolean =>
  differences.some(({ path, now }) => path.join('.') === 'status' && (now === 401 || now === 403));

function markdownOf(comparison: ServerComparison, undecided: readonly ComparedQuery[]): string {
  const counts = [...countsOf(comparison.differing)].map(([rule, count]) => `| ${rule} | ${count} |`);
  const open = undecided.flatMap(({ path, differences }) => [
    `- \`${path}\``,
    ...differences.map(
      (one) => `  - ${one.path.join('.')}: \`${shown(one.former)}\` became \`${shown(one.now)}\``,
    ),
  ]);
  return [
    `# ${comparison.queries} queries, ${comparison.differing.length} responses differ`,
    ['| rule | differences |', '|---|---|', ...counts].join('\n'),
    '## Differences without a rule',
    open.length === 0 ? 'None.' : open.join('\n'),
    '',
  ].join('\n\n');
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** Returns the changed names in the report of a move. Only the default report may be missing. */
async function changedNames(given: string | undefined): Promise<unknown> {
  const file = `${(given ?? 'adopt-report').replace(/\.(json|md)$/, '')}.json`;
  const report = parsed(await readFile(file, 'utf8').catch(() => ''));
  if (isObject(report) && isObject(report['names'])) return report['names'];
  if (given === undefined) return {};
  throw new UsageError(`${file} is not a report of "adopt" with names: write it with "adopt --dry-run"`);
}

export async function runCompare(args: readonly string[], { env, say }: Surroundings): Promise<string> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const former = { api: apiOf('compare', values.compare), token: env['STRAPI_TOKEN'] ?? null };
  const now = { api: apiOf('with', values.with), token: env['CONTENT_TOKEN'] ?? null };
  const count = Number(values.queries);
  if (!Number.isSafeInteger(count) || count < 1) throw new UsageError('--queries is a number above 0');
  const names = await changedNames(values.adopted);
  return withApplication(values.module, async (app) => {
    const schema = app.get<Schema>(CONTENT_SCHEMA, { strict: false });
    const { locales } = app.get<ContentSettings>(CONTENT_SETTINGS, { strict: false });
    const comparison = await compareServers({ former, now, schema, locales, names }, count, progressOf(say));
    const undecided = undecidedOf(comparison);
    await writeFile(`${values.report}.md`, markdownOf(comparison, undecided));
    await writeFile(`${values.report}.json`, jsonOf(comparison.differing));
    const rules = [...countsOf(comparison.differing)].map(([rule, number]) => `${rule}: ${number}`);
    const byRules = rules.length === 0 ? '' : ` by rules (${rules.join(', ')})`;
    const summary =
      `${comparison.queries} queries, ${comparison.differing.length} responses differ${byRules},` +
      ` ${undecided.length} without a rule; see ${values.report}.md` +
      (undecided.some(isRefused) ? REFUSED : '');
    if (undecided.length > 0) throw new UsageError(summary);
    return summary;
  });
}
