import { fileURLToPath } from 'node:url';
import { conformance } from './conformance.ts';
import { EXACT, IMPROVEMENTS } from './improvements.ts';
import { describeMismatch, statementsPerGet } from './report.ts';
import type { Outcome, Result } from './replay.ts';

const file = (name: string): string => fileURLToPath(new URL(`./cases/${name}`, import.meta.url));
const FILES = {
  model: file('model.json'),
  seed: file('seed.json'),
  cases: [file('reads.jsonl'), file('writes.jsonl'), file('uploads.jsonl')],
};
const listed = IMPROVEMENTS.flatMap(({ id, cases }) => cases.map((n) => `${n} ${id}`)).sort();

it('knows the whole answer to every case that an improvement lists', () => {
  expect([...EXACT.keys()].sort()).toEqual(IMPROVEMENTS.flatMap(({ cases }) => cases).sort());
});

it('gives the item of the protocol for every improvement', () => {
  expect(IMPROVEMENTS.filter(({ reason }) => !/\((protocol )?(D?\d[\d.]*(, )?)+\)/.test(reason))).toEqual([]);
});

describe.each(['express', 'fastify'] as const)('on %s', (adapter) => {
  let results: Result[];
  const having = (outcome: Outcome): Result[] => results.filter((result) => result.outcome === outcome);
  const named = (outcome: Outcome): string[] =>
    having(outcome)
      .map(({ case: { n }, reason }) => `${n} ${reason}`)
      .sort();

  beforeAll(async () => {
    results = await conformance(FILES, { serverUrl: process.env.TEST_DATABASE_URL, adapter });
  }, 180_000);

  it('answers every case as recorded', () => {
    if (having('mismatched').length > 0)
      throw new Error(having('mismatched').map(describeMismatch).join('\n'));
    expect(results.length).toBe(575);
  });

  it('differs on purpose only where the list of improvements says so', () => {
    expect(named('improved')).toEqual(listed);
  });

  it('skips nothing, and compares two cases without a document', () => {
    expect(named('skipped')).toEqual([]);
    expect(named('partly')).toEqual([
      '1601 shows artxxxxxxxxxxxxxxxxx0004 as a case that is not in these files left it',
      '1804 shows iwzkmfs8qh8a2ysavoesw17g as a case that is not in these files left it',
    ]);
  });

  it('takes one SQL statement per GET', () => {
    // Right after an upload a read may be the first on its connection, which sets itself up.
    const settled = results.filter(({ case: { group } }) => group !== 'upload');
    expect(statementsPerGet(settled)).toEqual({ min: 1, max: 1 });
  });
});
