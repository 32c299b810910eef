/** Snapshots of PostgreSQL: which transactions they include. */
import { covers, sees } from '../../src/kernel/snapshots.ts';

describe('sees', () => {
  it.each([
    ['10:10:', '9', true],
    ['10:10:', '10', false],
    ['5:10:5,7', '4', true],
    ['5:10:5,7', '7', false],
    ['5:10:5,7', '6', true],
    ['5:10:5,7', '10', false],
    ['99999999999999999998:99999999999999999999:', '99999999999999999998', true],
  ])('%s includes transaction %s: %s', (snapshot, transaction, expected) => {
    expect(sees(snapshot, transaction)).toBe(expected);
  });
});

describe('covers', () => {
  it.each([
    ['10:10:', '10:10:', true],
    ['10:10:', '9:9:', true],
    ['9:9:', '10:10:', false],
    // Transaction 5 runs in the outer snapshot, and is committed in the inner one.
    ['5:10:5', '9:9:', false],
    ['5:10:5', '5:9:5,7', true],
    ['5:10:5,7', '5:9:5', false],
    ['9:12:9,11', '9:9:', true],
    ['5:10:5', '4:5:4', true],
    ['99999999999999999998:99999999999999999998:', '99999999999999999999:99999999999999999999:', false],
  ])('%s includes all of %s: %s', (outer, inner, expected) => {
    expect(covers(outer, inner)).toBe(expected);
  });
});
