/** Kills imports while they run; the next import resumes. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('./import-child.ts', import.meta.url));
const LOADER = fileURLToPath(new URL('../support/from-source.mjs', import.meta.url));

/**
 * Starts an import that kills itself some milliseconds after its n-th content or document. Returns whether it
 * was still running.
 */
export async function killImport(
  { url, file }: { url: string; file: string },
  { after, wait }: { after: number; wait: number },
): Promise<boolean> {
  const child = fork(CHILD, [url, file, String(after), String(wait)], {
    execArgv: ['--no-warnings', '--import', LOADER],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== null && code > 0) throw new Error(`The import ended with the code ${code}`);
  return signal === 'SIGKILL';
}
