/** How long reads take, learnt from each run, so that slow ones cannot take all connections. */
import type { Lane } from './admission.js';
import type { Row } from './runner.js';
import type { KnownStatement } from './statement-names.js';

/**
 * Reads that took longer lately, in milliseconds, or brought more, in characters, share the places for slow
 * ones.
 */
const SLOW = { heavy: 50, light: 250, size: 128 * 1024 };

/**
 * How much a slow run is forgotten by the next faster one; and a fast one by slower ones, where a statement
 * is light.
 */
const DECAY = 0.9;
const GROWTH = 1.25;

/**
 * A heavy statement is as slow as its slowest run lately, because its values decide; a light one as its
 * fastest, because only the machine can have been slow.
 */
export function learn(known: KnownStatement, took: number, heavy: boolean): void {
  const before = known.milliseconds ?? took;
  known.milliseconds = heavy ? Math.max(before * DECAY, took) : Math.min(before * GROWTH + 1, took);
}

/** What an answer costs this process, which has to take it in and to send it on. */
export function learnSize(known: KnownStatement, rows: readonly Row[]): void {
  const [row = {}] = rows;
  let size = 0;
  for (const value of Object.values(row)) if (typeof value === 'string') size += value.length;
  known.size = Math.max(known.size * DECAY, size);
}

/** Where it waits for its turn. */
export function laneOf({ milliseconds, size }: KnownStatement, heavy: boolean): Lane {
  const isSlow = milliseconds === null ? heavy : milliseconds > (heavy ? SLOW.heavy : SLOW.light);
  if (isSlow || size > SLOW.size) return 'slow';
  return heavy ? 'heavy' : 'read';
}
