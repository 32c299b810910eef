/** Memory of a process, in bytes. Linux only, from /proc. */
import { readFile, writeFile } from 'node:fs/promises';

async function field(pid, name) {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) * 1024;
}

/** Returns the resident memory. */
export const residentOf = (pid) => field(pid, 'VmRSS');

/** Resets the peak. */
export const forgetPeak = (pid) => writeFile(`/proc/${pid}/clear_refs`, '5');

/** Returns the peak of the resident memory since the reset. */
export const peakOf = (pid) => field(pid, 'VmHWM');
