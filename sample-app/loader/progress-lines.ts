import type { Progress } from './run.js';

/** Steps with fewer items log only one line. */
const LONG_STEP = 20;

/** Logs the progress of a step at every quarter and at its end. */
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
