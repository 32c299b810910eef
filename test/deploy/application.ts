/** The application of `sample-app/deploy`, and commands on it, in processes of their own. */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../src/module/command-line.ts';
import { deployedPath, freePort, Program } from './programs.ts';

const LOADER = ['--no-warnings', '--import', new URL('../support/from-source.mjs', import.meta.url).href];

export type Environment = Readonly<Record<string, string>>;

/** Runs a command of the library in this process, with environment variables, and returns its output. */
export async function command(args: readonly string[], env: Environment): Promise<string> {
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    return await run(args, { env: process.env, say: () => undefined });
  } finally {
    process.env = before;
  }
}

export const MODULE = deployedPath('app.module.ts');

export interface Instance {
  readonly port: number;
  readonly url: string;
  readonly program: Program;
}

const NOBODY = 65534;

/** Shell that makes all disks read-only except one folder, gives up all rights, and becomes a program. */
const CONFINE = `mount --make-rprivate / && mount --bind "$0" "$0" && mount -o remount,bind,ro / && \\
  exec setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups --no-new-privs --inh-caps=-all -- "$@"`;
const confined = (writable: string, command: readonly string[]): string[] => [
  ...['unshare', '--mount', 'sh', '-c', CONFINE, writable],
  ...command,
];

/** Returns whether this machine can run a process like the container: not root, with read-only disks. */
export function canConfine(writable: string): boolean {
  const [program = '', ...args] = confined(writable, ['test', '-r', MODULE]);
  return process.platform === 'linux' && spawnSync(program, args).status === 0;
}

/** Starts an instance, like the container if the machine can. */
export async function startInstance(env: Environment, writable: string): Promise<Instance> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const node = [process.execPath, ...LOADER, deployedPath('main.ts')];
  const isConfined = canConfine(writable);
  const [program = '', ...args] = isConfined ? confined(writable, node) : node;
  // The loader of the tests unpacks its compiler into a folder that belongs to its user.
  const compiler = mkdtempSync(join(writable, 'swc-'));
  if (isConfined) chownSync(compiler, NOBODY, NOBODY);
  const child = spawn(program, args, {
    env: {
      ...process.env,
      ...env,
      PORT: String(port),
      NODE_ENV: 'production',
      NO_COLOR: '1',
      TMPDIR: writable,
      SWC_NATIVE_BINDING_CACHE: compiler,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const started = new Program(child);
  await started.ready(async () => (await fetch(`${url}/api/articles`)).ok);
  return { port, url, program: started };
}
