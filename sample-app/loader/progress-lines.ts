import type { Progress } from './run.js';

/** Steps with fewer items than this are one line. */
const LONG_STEP = 20;

/** Lines for people: how far a step is at every quarter, and at its end. */
export function progressLines(log: (line: string) => void): (progress: Progress) => void {
  let last = '';
  return ({ step, done, total }) => {
    const quarter = Math.floor((done * 4) / total);
    const mark = `${step} ${quarter}`;
    if (mark === last || quarter === 0 || (total < LONG_STEP && done < total)) return;
    last = mark;
    log(`  ${step.padEnd(14)} ${String(done).padStart(3)} of ${total}`);
  };
}
