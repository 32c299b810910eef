import type { Progress } from './run.js';

/** Lines for people: where a step begins, how far it is at every quarter, and its end. */
export function progressLines(log: (line: string) => void): (progress: Progress) => void {
  let last = '';
  return ({ step, done, total }) => {
    const quarter = Math.floor((done * 4) / total);
    const mark = `${step} ${quarter}`;
    if (mark === last) return;
    last = mark;
    log(`  ${step.padEnd(14)} ${String(done).padStart(3)} of ${total}`);
  };
}
