/** The checker of `npm run linearizable`: what it finds, and what it lets pass. */
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
  /** What is said; nothing where the history is linearizable. */
  readonly said?: RegExp;
}

const first = write(0, 1, [10, 20]);
const second = write(1, 1, [30, 40]);
const both = [write(0, 1, [10, 50]), write(1, 1, [10, 50])];

const CASES: Readonly<Record<string, Case>> = {
  'either value while it is written': { writes: [first], reads: [read([0], [11, 12]), read([1], [13, 14])] },
  'the old value in a read that began before the answer': { writes: [first], reads: [read([0], [19, 90])] },
  'the old value after the answer': {
    writes: [first],
    reads: [read([0], [21, 22])],
    said: /21\.00 ms.*has 0 in slot 0/,
  },
  'the old value after somebody has read the new one': {
    writes: [first],
    reads: [read([1], [11, 12]), read([0], [13, 14])],
    said: /had been read by a reader/,
  },
  'the new value before it was asked for': {
    writes: [first],
    reads: [read([1], [1, 2])],
    said: /not asked for yet/,
  },
  'what was rolled back': {
    writes: [write(0, 1, [10, 20], { outcome: 'aborted' })],
    reads: [read([1], [30, 31])],
    said: /rolled back/,
  },
  'a write of which nobody knows, seen late or never': {
    writes: [
      write(0, 1, [10, Infinity], { outcome: 'unknown' }),
      write(1, 1, [10, Infinity], { outcome: 'unknown' }),
    ],
    reads: [read([0, 0], [20, 30]), read([1, 0], [40, 50])],
  },
  'a write of which nobody knows, undone': {
    writes: [write(0, 1, [10, Infinity], { outcome: 'unknown' })],
    reads: [read([1], [20, 30]), read([0], [40, 50])],
    said: /0 in slot 0/,
  },
  'a value of long ago': { writes: [], reads: [read([-7], [1, 2])], said: /older than all/ },
  'a mixture of two versions': {
    writes: [first],
    reads: [{ ...read([1], [30, 31]), values: new Map([[0, { token: 1, seq: 9 }]]) }],
    said: /mixture/,
  },
  'two writes at once in either order, the same for all': {
    writes: [write(0, 1, [10, 50]), write(0, 2, [10, 50])],
    reads: [read([1], [20, 21]), read([2], [22, 23])],
  },
  'two writes at once in both orders': {
    writes: [write(0, 1, [10, 50]), write(0, 2, [10, 50])],
    reads: [read([1], [20, 21]), read([2], [22, 23]), read([1], [24, 25])],
    said: /a reader/,
  },
  'lists at the same time that show different halves': {
    writes: [write(0, 1, [10, 50]), write(1, 1, [10, 50])],
    reads: [read([1, 0], [20, 40]), read([0, 1], [20, 40])],
    said: /not of moments/,
  },
  'half of a transaction': {
    writes: both,
    together: [both],
    reads: [read([0, 0], [11, 12]), read([1, 0], [13, 14]), read([1, 1], [60, 61])],
    said: /half of a transaction/,
  },
  'a write without the one that was answered before it': {
    writes: [first, second],
    reads: [read([0, 1], [5, 35]), read([1, 1], [50, 60])],
    said: /and not 1 in slot 0/,
  },
  'a write after the one that was answered before it': {
    writes: [first, second],
    reads: [read([0, 0], [5, 35]), read([1, 0], [31, 33]), read([1, 1], [50, 60])],
  },
};

describe('the checker', () => {
  it.each(Object.entries(CASES))('%s', (_name, { said, together = [], ...seen }) => {
    // Each case stands alone: what a write is known by is filled in while it is looked at.
    const problems = problemsOf({ before, together, ...structuredClone(seen) });
    if (said === undefined) expect(problems).toEqual([]);
    else expect(problems.join('\n')).toMatch(said);
  });
});
