/**
 * Follows docs/start.md exactly: in an empty folder, with the packed package, on an empty database. Installs by
 * links, or really, with a version of Node that npm brings.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type InstalledNode, newcomer } from './nodes.ts';
import { ROOT } from './tarball.ts';

interface Step {
  /** File of a block; undefined for commands and responses. */
  readonly file: string | undefined;
  readonly kind: string;
  readonly text: string;
}

const stepsOf = (page: string): Step[] =>
  [...page.matchAll(/(?:^`(src\/[\w.]+)`[^\n]*\n\n)?```(\w+)\n([\s\S]*?)```/gm)].map(
    ([, file, kind = '', text = '']) => ({ file, kind, text }),
  );

/** Links instead of installing: the package is the packed one, all others are those of this repository. */
function install(app: string, tarball: string): void {
  const modules = join(app, 'node_modules');
  mkdirSync(join(modules, 'nestjs-content-api'), { recursive: true });
  mkdirSync(join(modules, '.bin'));
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  for (const name of readdirSync(join(ROOT, 'node_modules/.bin')))
    symlinkSync(join(ROOT, 'node_modules/.bin', name), join(modules, '.bin', name));
  symlinkSync('../nestjs-content-api/dist/cli.js', join(modules, '.bin/nestjs-content-api'));
  execFileSync('tar', ['xzf', tarball, '--strip-components=1', '-C', join(modules, 'nestjs-content-api')]);
  // The template names the types of a test runner that this test does not need.
  mkdirSync(join(modules, 'vitest'));
  writeFileSync(join(modules, 'vitest/globals.d.ts'), '');
}

/** The port of the page may be in use. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Replaces values that change on each run. */
const fixed = (text: string): unknown =>
  JSON.parse(text, (key, value: unknown) => (key === 'documentId' ? 'some' : value));

export interface Setup {
  readonly tarball: string;
  readonly databaseUrl: string;
  /** Node that a newcomer has. Default: this one, with links instead of an installation. */
  readonly node?: InstalledNode;
}

class Follower {
  private app: string;
  private readonly setup: Setup;
  private readonly env: NodeJS.ProcessEnv;
  private server: ChildProcess | undefined;
  /** Output of the last command. */
  private said = '';

  constructor(folder: string, setup: Setup, env: NodeJS.ProcessEnv) {
    this.app = folder;
    this.setup = setup;
    this.env = env;
  }

  async follow({ kind, text, file }: Step): Promise<void> {
    if (kind === 'ts') writeFileSync(join(this.app, file ?? assert.fail('a block without a file')), text);
    if (kind === 'json') assert.deepEqual(fixed(this.said), fixed(text));
    if (kind === 'sh')
      for (const command of text
        .replaceAll('\\\n', '')
        .replaceAll(':3000/', `:${this.env['PORT']}/`)
        .trim()
        .split(/\n+/))
        await this.run(command);
  }

  stop(): void {
    if (this.server?.pid !== undefined) process.kill(-this.server.pid);
  }

  private async run(command: string): Promise<void> {
    const { node, tarball } = this.setup;
    if (command.startsWith('npx @nestjs/cli new'))
      return node === undefined ? this.create(command) : void this.bash(command);
    if (command.startsWith('cd ')) return void (this.app = join(this.app, command.slice(3)));
    if (command.startsWith('npm install') && node === undefined) return install(this.app, tarball);
    if (command.startsWith('npm install'))
      return void this.bash(command.replace(' nestjs-content-api ', ` "${tarball}" `));
    if (command === 'npm start') return this.start(command);
    const [, variable] = /^(\w+)=/.exec(command) ?? [];
    if (variable === undefined) this.said = this.bash(command.replace(/^curl/, 'curl -sS --fail-with-body'));
    else this.env[variable] = this.bash(`${command}\nprintf %s "$${variable}"`);
  }

  private create(command: string): void {
    const bin = join(ROOT, 'node_modules/@nestjs/cli/bin/nest.js');
    this.bash(
      `${command.replace('npx @nestjs/cli', `"${process.execPath}" "${bin}"`)} --skip-install --skip-git`,
    );
  }

  private async start(command: string): Promise<void> {
    const { app: cwd, env } = this;
    this.server = spawn('bash', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 2, 2] });
    for (let tries = 0; tries < 240; tries += 1) {
      const isUp = await fetch(`http://localhost:${env['PORT']}/api/articles`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isUp) return;
      assert.equal(this.server.exitCode, null, 'the application runs');
      await sleep(250);
    }
    assert.fail('the application does not respond');
  }

  private bash(script: string): string {
    const { app: cwd, env } = this;
    return execFileSync('bash', ['-ec', script], {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 2],
    });
  }
}

/** Follows the page; throws if a result differs from it. */
export async function followStart(folder: string, setup: Setup): Promise<void> {
  const { databaseUrl, node } = setup;
  const page = readFileSync(join(ROOT, 'docs/start.md'), 'utf8');
  const steps = stepsOf(page);
  assert.equal(steps.filter(({ kind }) => kind === 'json').length, 1, 'the page has a response to compare');
  const start = { DATABASE_URL: databaseUrl, PORT: String(await freePort()), NO_COLOR: '1' };
  const env = node === undefined ? { ...process.env, ...start } : { ...newcomer(node), ...start };
  const follower = new Follower(folder, setup, env);
  try {
    for (const step of withNewNode(page, steps, node)) await follower.follow(step);
  } finally {
    follower.stop();
  }
}

/** Adds the command that the page gives to newcomers with an old Node. */
function withNewNode(page: string, steps: readonly Step[], node: InstalledNode | undefined): readonly Step[] {
  if (node === undefined || !node.isOld) return steps;
  const [command = assert.fail('no command for old versions of Node')] =
    /npm install node@\d+/.exec(page) ?? [];
  return steps.map((step) =>
    step.text.includes('\ncd ')
      ? { ...step, text: step.text.replace(/(\ncd .*\n)/, `$1${command}\n`) }
      : step,
  );
}
