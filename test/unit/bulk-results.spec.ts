/** Results of a bulk whose database goes away: written, not written, or unknown. */
import { Answer } from '../../src/content/documents/answer.ts';
import { BulkResults } from '../../src/content/documents/bulk-results.ts';
import { notFound, outcomeUnknown, unavailable } from '../../src/kernel/errors.ts';
import { timedOut } from '../../src/kernel/postgres-errors.ts';

const ITEM = {
  action: 'delete',
  documentId: 'a',
  locale: null,
  status: null,
  match: null,
  data: null,
} as const;
const resultsOf = (count: number): BulkResults => new BulkResults(Array(count).fill(ITEM));
const namesIn = (results: BulkResults): unknown => {
  const errors = results.answer().meta['errors'];
  return Array.isArray(errors) ? errors.map(({ index, error }) => [index, error.name]) : null;
};

describe('results of a bulk', () => {
  it('24.9 tell the items whose commit was not confirmed from those that were not tried', () => {
    const results = resultsOf(4);
    results.add(new Answer('{}'));
    results.stop(outcomeUnknown(null), 2);
    expect(namesIn(results)).toEqual([
      [1, 'OutcomeUnknownError'],
      [2, 'OutcomeUnknownError'],
      [3, 'ServiceUnavailableError'],
    ]);
    expect(results.answer().data).toBe('[{},null,null,null]');
  });

  it('24.9 tell an unknown outcome also if nothing else is written', () => {
    const results = resultsOf(2);
    results.stop(outcomeUnknown(null), 1);
    expect(namesIn(results)).toEqual([
      [0, 'OutcomeUnknownError'],
      [1, 'ServiceUnavailableError'],
    ]);
  });

  it('24.3 go on after a timeout and a deadlock of one item, 24.9 but not after a second timeout', () => {
    const deadlock = unavailable('too many requests');
    deadlock.cause = { code: '40P01' };
    const results = resultsOf(4);
    expect([deadlock, timedOut(10)].map((error) => results.mustStop(error, 1))).toEqual([false, false]);
    results.add(timedOut(10));
    expect([4, 1].map((tried) => results.mustStop(timedOut(10), tried))).toEqual([false, true]);
    expect(results.mustStop(deadlock, 1)).toBe(false);
    expect(results.mustStop(unavailable('away'), 1)).toBe(true);
    expect(results.mustStop(outcomeUnknown(null), 4)).toBe(true);
  });

  it('24.9 are the error itself if it is true of all items', () => {
    expect(() => resultsOf(2).stop(outcomeUnknown(null), 2)).toThrow('did not confirm');
    expect(() => resultsOf(2).stop(unavailable('away'), 1)).toThrow('away');
    const failed = resultsOf(2);
    failed.add(notFound());
    expect(() => failed.stop(unavailable('away'), 1)).toThrow('away');
  });
});
