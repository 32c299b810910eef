/** Classification of reads by their measured time, so that slow ones cannot occupy all connections. */
import type { Lane } from './admission.js';
import type { Row } from './runner.js';
import type { StatementProfile } from './statement-names.js';

/** Bounds above which a read is slow: milliseconds of heavy and light reads, characters of rows. */
const SLOW = { heavy: 50, light: 250, size: 128 * 1024 };

/** Factors per run: decay of a slow measurement of heavy reads, growth of a fast one of light reads. */
const DECAY = 0.9;
const GROWTH = 1.25;

/**
 * Updates the time of a statement. A heavy one counts with its slowest recent run, because values decide; a
 * light one with its fastest, because only the machine was slow.
 */
export function learn(profile: StatementProfile, took: number, heavy: boolean): void {
  const before = profile.milliseconds ?? took;
  profile.milliseconds = heavy ? Math.max(before * DECAY, took) : Math.min(before * GROWTH + 1, took);
}

export function learnSize(profile: StatementProfile, rows: readonly Row[]): void {
  const [row = {}] = rows;
  let size = 0;
  for (const value of Object.values(row)) if (typeof value === 'string') size += value.length;
  profile.size = Math.max(profile.size * DECAY, size);
}

export function laneOf({ milliseconds, size }: StatementProfile, heavy: boolean): Lane {
  const isSlow = milliseconds === null ? heavy : milliseconds > (heavy ? SLOW.heavy : SLOW.light);
  if (isSlow || size > SLOW.size) return 'slow';
  return heavy ? 'heavy' : 'read';
}
