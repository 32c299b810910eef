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

it('has the whole response to every case that an improvement lists', () => {
  expect([...EXACT.keys()].sort()).toEqual(IMPROVEMENTS.flatMap(({ cases }) => cases).sort());
});

it('names the item of the protocol for every improvement', () => {
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
  });

  it('responds to every case as recorded', () => {
    if (having('mismatched').length > 0)
      throw new Error(having('mismatched').map(describeMismatch).join('\n'));
    expect(results.length).toBe(575);
  });

  it('differs only for listed improvements', () => {
    expect(named('improved')).toEqual(listed);
  });

  it('skips nothing, and compares two cases without a document', () => {
    expect(named('skipped')).toEqual([]);
    expect(named('partly')).toEqual([
      '1601 shows artxxxxxxxxxxxxxxxxx0004 as changed by a case outside these files',
      '1804 shows iwzkmfs8qh8a2ysavoesw17g as changed by a case outside these files',
    ]);
  });

  it('needs one SQL statement per GET', () => {
    // After an upload, a read may be the first statement of its connection, which sends its settings.
    const settled = results.filter(({ case: { group } }) => group !== 'upload');
    expect(statementsPerGet(settled)).toEqual({ min: 1, max: 1 });
  });
});
