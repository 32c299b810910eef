/** Numbers of a list that editors order: the fewest that change when a row moves. */
import fc from 'fast-check';
import {
  INTEGERS,
  type Limits,
  type Neighbours,
  type Numbered,
  renumbered,
} from '../../../desk/src/model/list-order.ts';

const rowsOf = (numbers: readonly (number | null)[]): Numbered[] =>
  numbers.map((number, at) => ({ documentId: `d${at}`, number }));

const ALONE: Neighbours & { readonly limits: Limits } = { low: null, high: null, limits: INTEGERS };

/** Numbers after the row at `at` has got its place. */
const after = (
  numbers: readonly (number | null)[],
  at: number,
  beside: Partial<typeof ALONE> = {},
): readonly (number | null)[] | null => {
  const rows = rowsOf(numbers);
  const changed = renumbered(rows, at, { ...ALONE, ...beside });
  if (changed === null) return null;
  const next = new Map(changed.map(({ documentId, number }) => [documentId, number]));
  return rows.map(({ documentId, number }) => next.get(documentId) ?? number);
};

describe('the order of a list', () => {
  it.each<
    [string, readonly (number | null)[], number, Partial<typeof ALONE>, readonly (number | null)[] | null]
  >([
    ['one number changes if there is room', [100, 300, 200, 400], 2, {}, [100, 300, 350, 400]],
    ['a row at the start is before the first number', [300, 100, 200], 0, {}, [0, 100, 200]],
    ['a row at the end is after the last number', [200, 300, 100], 2, {}, [200, 300, 400]],
    ['without room, neighbours change as well', [1, 3, 2], 1, {}, [1, 101, 201]],
    ['rows before the moved one get numbers', [null, null, null], 1, {}, [100, 200, null]],
    ['numbers stay between those of other pages', [10, 12, 11], 1, { low: 9, high: 14 }, [10, 11, 12]],
    ['numbers are between those of other pages', [10, 20, 15], 1, { low: 9, high: 40 }, [10, 12, 15]],
    ['there may be no room between other pages', [10, 12, 11], 1, { low: 9, high: 12 }, null],
    ['limits of the attribute hold', [2, 3, 1], 2, { limits: { min: 1, max: 3 } }, [1, 2, 3]],
    ['limits without room', [2, 1], 0, { limits: { min: 1, max: 1 } }, null],
  ])('%s', (_name, numbers, at, beside, expected) => {
    expect(after(numbers, at, beside)).toEqual(expected);
  });

  it('rises after any move in any list, and only the moved row changes if its neighbours leave room', () => {
    const numbers = fc.uniqueArray(fc.integer({ min: -500, max: 500 }), { maxLength: 12 });
    fc.assert(
      fc.property(numbers, fc.nat(4), fc.nat(), fc.nat(), (some, unnumbered, from, to) => {
        const sorted = [...some.sort((a, b) => a - b), ...Array<null>(unnumbered).fill(null)];
        fc.pre(sorted.length > 0);
        const [source, target] = [from % sorted.length, to % sorted.length];
        const moved = [...sorted];
        moved.splice(target, 0, ...moved.splice(source, 1));
        const result = after(moved, target) ?? [];
        const firstNull = result.indexOf(null);
        const known = (firstNull === -1 ? result : result.slice(0, firstNull)) as number[];
        expect(known).toEqual([...new Set(known)].sort((a, b) => a - b));
        expect(result.slice(known.length).every((one) => one === null)).toBe(true);
        expect(known.length).toBeGreaterThan(target);
        const [low, high] = [moved[target - 1], moved[target + 1]];
        if (typeof low === 'number' && typeof high === 'number' && high - low > 1)
          expect(result.filter((one, i) => one !== moved[i])).toHaveLength(
            moved[target] === result[target] ? 0 : 1,
          );
      }),
    );
  });
});
