import { fileURLToPath } from 'node:url';
import { conformance } from './conformance.ts';
import { IMPROVEMENTS } from './improvements.ts';
import { describeMismatch, statementsPerGet, totals } from './report.ts';
import type { Result } from './replay.ts';

const file = (name: string): string => fileURLToPath(new URL(`./cases/${name}`, import.meta.url));

describe.each(['reads', 'writes'])('%s', (name) => {
  let results: Result[];

  beforeAll(async () => {
    const files = { model: file('model.json'), seed: file('seed.json'), cases: [file(`${name}.jsonl`)] };
    results = await conformance(files, { serverUrl: process.env.TEST_DATABASE_URL });
  }, 180_000);

  it('answers at least 98 % of the cases as recorded', () => {
    const mismatches = results.filter(({ outcome }) => outcome === 'mismatched');
    if (totals(results).percent < 98) throw new Error(mismatches.map(describeMismatch).join('\n'));
  });

  it('differs on purpose only where the list of improvements says so', () => {
    const improved = results
      .filter(({ outcome }) => outcome === 'improved')
      .map(({ case: { n }, reason }) => `${n} ${reason}`);
    const numbers = new Set(results.map((result) => result.case.n));
    const listed = IMPROVEMENTS.flatMap(({ id, cases }) =>
      cases.filter((n) => numbers.has(n)).map((n) => `${n} ${id}`),
    );
    expect(improved.sort()).toEqual(listed.sort());
  });

  it('takes one SQL statement per GET', () => {
    expect(statementsPerGet(results)).toEqual({ min: 1, max: 1 });
  });
});
