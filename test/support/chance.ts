import { dose } from './dose.ts';

let state = 1;

/** Next number of a fixed sequence (mulberry32), from 0 up to 1. */
function next(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** Returns a number from 0 up to 1: a random one in proofs, and the next of a fixed sequence in `npm test`. */
export const chance: () => number = dose(next, Math.random);
