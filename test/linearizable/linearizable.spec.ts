/** Checker of `npm run linearizable`: violations that it finds, and histories that it accepts. */
import { problemsOf } from './check-history.ts';
import type { Read, Value, Write } from './history.ts';

const write = (
  slot: number,
  seq: number,
  times: readonly [number, number],
  more: Partial<Write> = {},
): Write => ({
  slot,
  token: 100 * slot + seq,
  by: 'a writer',
  invoked: times[0],
  answered: times[1],
  seq,
  outcome: 'done',
  ...more,
});
/** A read of slots 0 and 1, or of the first alone, by the numbers of their writes. */
const read = (seqs: readonly number[], [invoked, answered]: readonly [number, number]): Read => ({
  by: 'a reader',
  invoked,
  answered,
  values: new Map(seqs.map((seq, slot): [number, Value] => [slot, { token: 100 * slot + seq, seq }])),
});
const before = new Map<number, Value>([
  [0, { token: 0, seq: 0 }],
  [1, { token: 100, seq: 0 }],
]);

interface Case {
  readonly writes: readonly Write[];
  readonly reads: readonly Read[];
  readonly together?: readonly (readonly Write[])[];
  /** Expected problem; none for a linearizable history. */
  readonly problem?: RegExp;
}

const first = write(0, 1, [10, 20]);
const second = write(1, 1, [30, 40]);
const both = [write(0, 1, [10, 50]), write(1, 1, [10, 50])];

const CASES: Readonly<Record<string, Case>> = {
  'either value while it is written': { writes: [first], reads: [read([0], [11, 12]), read([1], [13, 14])] },
  'the old value in a read that began before the response': { writes: [first], reads: [read([0], [19, 90])] },
  'the old value after the response': {
    writes: [first],
    reads: [read([0], [21, 22])],
    problem: /21\.00 ms.*has 0 in slot 0/,
  },
  'the old value after a read of the new one': {
    writes: [first],
    reads: [read([1], [11, 12]), read([0], [13, 14])],
    problem: /had been read by a reader/,
  },
  'the new value before its write began': {
    writes: [first],
    reads: [read([1], [1, 2])],
    problem: /not begun/,
  },
  'a value that was rolled back': {
    writes: [write(0, 1, [10, 20], { outcome: 'aborted' })],
    reads: [read([1], [30, 31])],
    problem: /rolled back/,
  },
  'a write with an unknown outcome, seen late or never': {
    writes: [
      write(0, 1, [10, Infinity], { outcome: 'unknown' }),
      write(1, 1, [10, Infinity], { outcome: 'unknown' }),
    ],
    reads: [read([0, 0], [20, 30]), read([1, 0], [40, 50])],
  },
  'a write with an unknown outcome, undone': {
    writes: [write(0, 1, [10, Infinity], { outcome: 'unknown' })],
    reads: [read([1], [20, 30]), read([0], [40, 50])],
    problem: /0 in slot 0/,
  },
  'a value that was replaced long ago': {
    writes: [],
    reads: [read([-7], [1, 2])],
    problem: /older than every/,
  },
  'a mixture of two versions': {
    writes: [first],
    reads: [{ ...read([1], [30, 31]), values: new Map([[0, { token: 1, seq: 9 }]]) }],
    problem: /mixes two/,
  },
  'two concurrent writes in either order, the same for all': {
    writes: [write(0, 1, [10, 50]), write(0, 2, [10, 50])],
    reads: [read([1], [20, 21]), read([2], [22, 23])],
  },
  'two concurrent writes in both orders': {
    writes: [write(0, 1, [10, 50]), write(0, 2, [10, 50])],
    reads: [read([1], [20, 21]), read([2], [22, 23]), read([1], [24, 25])],
    problem: /a reader/,
  },
  'concurrent lists that show different halves': {
    writes: [write(0, 1, [10, 50]), write(1, 1, [10, 50])],
    reads: [read([1, 0], [20, 40]), read([0, 1], [20, 40])],
    problem: /no common order/,
  },
  'half of a transaction': {
    writes: both,
    together: [both],
    reads: [read([0, 0], [11, 12]), read([1, 0], [13, 14]), read([1, 1], [60, 61])],
    problem: /half of a transaction/,
  },
  'a write without one that completed before it': {
    writes: [first, second],
    reads: [read([0, 1], [5, 35]), read([1, 1], [50, 60])],
    problem: /without 1 in slot 0/,
  },
  'a write together with one that completed before it': {
    writes: [first, second],
    reads: [read([0, 0], [5, 35]), read([1, 0], [31, 33]), read([1, 1], [50, 60])],
  },
};

describe('the checker', () => {
  it.each(Object.entries(CASES))('%s', (_name, { problem, together = [], ...seen }) => {
    // Each case needs its own copy, because the checker completes the writes.
    const problems = problemsOf({ before, together, ...structuredClone(seen) });
    if (problem === undefined) expect(problems).toEqual([]);
    else expect(problems.join('\n')).toMatch(problem);
  });
});
