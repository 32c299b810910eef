/** Programs of the operating system that the files in `sample-app/deploy` configure. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const FOLDER = join(import.meta.dirname, '../../sample-app/deploy');

/** Returns the text of a file in `sample-app/deploy`. */
export const deployed = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
export const deployedPath = (file: string): string => join(FOLDER, file);

/** Returns the path of an installed program, or undefined. */
export const programAt = (name: string): string | undefined =>
  ['/usr/sbin', ...(process.env['PATH'] ?? '').split(delimiter)]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** Replaces each text, which must be in the file. */
export function replaced(file: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`${file} does not contain "${from}"`);
    return text.replaceAll(from, to);
  }, deployed(file));
}

/** Temporary folder that every user can read and write, as programs give up their rights. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'content-api-deploy-'));

  constructor() {
    chmodSync(this.path, 0o1777);
  }

  write(name: string, text: string): string {
    const path = join(this.path, name);
    writeFileSync(path, text, { mode: 0o644 });
    return path;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Milliseconds until a probe without a response has failed. */
const PROBE = 5000;

/** Process in the foreground. */
export class Program {
  private output = '';
  readonly child: ChildProcess;

  constructor(child: ChildProcess) {
    this.child = child;
    const add = (bytes: Buffer): void => void (this.output += String(bytes));
    child.stdout?.on('data', add);
    child.stderr?.on('data', add);
  }

  static spawn(program: string, args: readonly string[]): Program {
    return new Program(spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  get log(): string {
    return this.output;
  }

  /** Waits until the probe succeeds. Throws with the output of the process if it ends, or after a minute. */
  async ready(probe: () => Promise<boolean>): Promise<this> {
    const end = Date.now() + 60_000;
    while (Date.now() < end && this.child.exitCode === null) {
      // A foreign program on the port may accept the connection and never respond.
      if (await Promise.race([probe().catch(() => false), sleep(PROBE, false)])) return this;
      await sleep(50);
    }
    await this.stop();
    throw new Error(`${this.child.spawnfile} does not respond: ${this.output}`);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((done) => this.child.once('exit', done));
    this.child.kill(signal);
    await ended;
  }
}
