/**
 * Process that postgres-server.ts starts with the server's folder as its argument. Its standard input closes
 * when the parent process ends, even by SIGKILL. It then stops the server and removes the folder and its
 * data.
 */
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const dir = process.argv[2];
process.stdin.on('error', () => undefined);
process.stdin.resume();
process.stdin.once('close', () => void cleanUp());

async function cleanUp() {
  const pid = serverPid();
  if (pid !== undefined && signal(pid, 'SIGQUIT')) {
    // The server removes its pid file as it ends; its process can remain as a zombie.
    for (let waited = 0; waited < 5000 && serverPid() === pid && signal(pid, 0); waited += 20)
      await sleep(20);
    if (serverPid() === pid) signal(pid, 'SIGKILL');
  }
  for (const folder of [dataFolder(), dir])
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** The data can be in another folder, in memory. */
function dataFolder() {
  const data = join(dir, 'data');
  return existsSync(data) ? realpathSync(data) : data;
}

function serverPid() {
  try {
    return Number.parseInt(readFileSync(join(dir, 'data', 'postmaster.pid'), 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
