/** Classification of reads by measured time and size. */
import { laneOf, learn, learnSize } from '../../src/pool/slow-reads.ts';
import type { StatementProfile } from '../../src/pool/statement-names.ts';

const known = (milliseconds: number | null, size = 0): StatementProfile => ({
  name: null,
  milliseconds,
  size,
  length: 10,
  columns: null,
});

describe('the lane of a read', () => {
  it.each([
    ['read', 'a light read that has not run', known(null), false],
    ['slow', 'a heavy read that has not run', known(null), true],
    ['heavy', 'a heavy read of 50 ms', known(50), true],
    ['slow', 'a heavy read of more than 50 ms', known(51), true],
    ['read', 'a light read of 250 ms', known(250), false],
    ['slow', 'a light read of more than 250 ms', known(251), false],
    ['slow', 'a light read with more than 128 KiB of rows', known(1, 128 * 1024 + 1), false],
  ])('is %s for %s', (lane, _title, statement, heavy) => {
    expect(laneOf(statement, heavy)).toBe(lane);
  });
});

describe('the measured time', () => {
  it('of a heavy read is that of its slowest recent run', () => {
    const statement = known(null);
    for (const took of [10, 100, 10]) learn(statement, took, true);
    expect(statement.milliseconds).toBeCloseTo(90);
  });

  it('of a light read is that of its fastest recent run', () => {
    const statement = known(null);
    for (const took of [100, 10, 400]) learn(statement, took, false);
    expect(statement.milliseconds).toBeCloseTo(10 * 1.25 + 1);
  });

  it('of a light read that stays slow grows to its new time', () => {
    const statement = known(10);
    for (let run = 0; run < 20; run += 1) learn(statement, 400, false);
    expect(statement.milliseconds).toBe(400);
  });
});

describe('the measured size', () => {
  it('counts the characters of the first row, and decreases slowly', () => {
    const statement = known(1);
    learnSize(statement, [{ a: 'x'.repeat(100), b: 'y', n: 7 }]);
    expect(statement.size).toBe(101);
    learnSize(statement, []);
    expect(statement.size).toBeCloseTo(101 * 0.9);
  });
});
