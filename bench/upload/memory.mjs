/** Memory of a process, in bytes. Linux only, from /proc. */
import { readFile, writeFile } from 'node:fs/promises';

async function field(pid, name) {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) * 1024;
}

/** How much it holds now. */
export const residentOf = (pid) => field(pid, 'VmRSS');

/** From here on the peak is counted anew. */
export const forgetPeak = (pid) => writeFile(`/proc/${pid}/clear_refs`, '5');

/** The most that it held since then. */
export const peakOf = (pid) => field(pid, 'VmHWM');
