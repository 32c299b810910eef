/** Kills imports while they run; the next import resumes. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('./import-child.ts', import.meta.url));
const LOADER = fileURLToPath(new URL('../support/from-source.mjs', import.meta.url));

/**
 * Starts an import and kills it some milliseconds after its n-th document. Returns whether it was still
 * running.
 */
export async function killImport(
  { url, file }: { url: string; file: string },
  { after, wait }: { after: number; wait: number },
): Promise<boolean> {
  const child = fork(CHILD, [url, file], {
    execArgv: ['--no-warnings', '--import', LOADER],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  let [imported, done] = [0, false];
  const reached = new Promise<void>((resolve) => {
    child.on('message', (word) => {
      if (word === 'done') done = true;
      else imported += 1;
      if (done || imported >= after) resolve();
    });
  });
  await Promise.race([reached, gone]);
  await sleep(wait);
  child.kill('SIGKILL');
  await gone;
  return imported > 0 && !done;
}
