/**
 * Runs a server under test in its own process, so that CPU times are separate and the event loop is not
 * shared. The server prints `listening on <url>`.
 *
 * const server = await spawnServer({ args: ['server.mjs', '--port', '0'] });
 * server.url, server.pid, server.output(); await server.stop();
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const OUTPUT_KEPT = 16_000;
const LISTENING = /^listening on (https?:\/\/\S+)$/m;

export async function spawnServer({ command = process.execPath, args, cwd, env = {}, timeoutSeconds = 180 }) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const killWithParent = () => child.kill('SIGKILL');
  process.once('exit', killWithParent);
  const exited = once(child, 'close').finally(() => process.off('exit', killWithParent));

  let output = '';
  const listening = new Promise((resolve) => {
    const read = (chunk) => {
      output = (output + chunk).slice(-OUTPUT_KEPT);
      const url = LISTENING.exec(output)?.[1];
      if (url) resolve(url);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', read);
  });

  const stop = async () => {
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await exited.catch(() => undefined);
    clearTimeout(force);
  };
  const url = await Promise.race([
    listening,
    exited.then(() => undefined),
    sleep(timeoutSeconds * 1000, undefined, { ref: false }),
  ]);
  if (url) return { url, pid: child.pid, output: () => output, stop };
  await stop();
  throw new Error(`${command} ${args.join(' ')} did not start:\n${output}`);
}
