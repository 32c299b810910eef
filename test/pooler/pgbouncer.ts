/** PgBouncer, Debian's package or the program that `PGBOUNCER` names, as a process in front of a test server. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const program = [
  process.env.PGBOUNCER ?? '',
  ...['/usr/sbin', ...(process.env.PATH ?? '').split(delimiter)].map((folder) => join(folder, 'pgbouncer')),
].find((path) => existsSync(path));

/** Whether PgBouncer is installed on this machine. */
export const hasPgBouncer = program !== undefined;

/** True for PgBouncer 1.21 and newer, which can keep prepared statements in transaction mode. */
export const keepsStatements = program !== undefined && minorVersion(program) >= 21;

/** The second number of a version 1.x. */
function minorVersion(path: string): number {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return Number(/PgBouncer 1\.(\d+)/.exec(stdout)?.[1] ?? 0);
}

export interface PgBouncerOptions {
  readonly mode: 'session' | 'transaction';
  /** Server connections for all clients together. */
  readonly size: number;
  /** Settings of clients that it drops instead of refusing the client. */
  readonly ignores: readonly string[];
  /** Prepared statements kept for each server connection. Default: 0. More than 0 needs `keepsStatements`. */
  readonly prepared?: number;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

export class PgBouncer {
  readonly url: string;
  private readonly folder: string;
  private readonly process: ChildProcess;

  private constructor(url: string, folder: string, child: ChildProcess) {
    this.url = url;
    this.folder = folder;
    this.process = child;
  }

  /** Starts PgBouncer in front of a database. Throws if it does not respond within ten seconds. */
  static async start(databaseUrl: string, options: PgBouncerOptions): Promise<PgBouncer> {
    if (program === undefined) throw new Error('pgbouncer is not installed');
    const { mode, size, ignores, prepared = 0 } = options;
    const target = new URL(databaseUrl);
    const folder = mkdtempSync(join(tmpdir(), 'content-api-pgbouncer-'));
    const url = new URL(databaseUrl);
    url.port = String(await freePort());
    url.hostname = '127.0.0.1';
    const user = decodeURIComponent(target.username);
    const password = decodeURIComponent(target.password);
    writeFileSync(join(folder, 'users.txt'), `"${user}" "${password}"\n`);
    writeFileSync(
      join(folder, 'pgbouncer.ini'),
      `[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${url.port}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, 'users.txt')}
pool_mode = ${mode}
default_pool_size = ${size}
ignore_startup_parameters = ${['extra_float_digits', ...ignores].join(', ')}
log_connections = 0
log_disconnections = 0
${keepsStatements ? `max_prepared_statements = ${prepared}` : ''}
`,
    );
    for (const path of [folder, join(folder, 'users.txt'), join(folder, 'pgbouncer.ini')])
      chmodSync(path, 0o755);
    // It does not run as root.
    const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    const child = spawn(program, ['-q', ...asUser, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
    const bouncer = new PgBouncer(url.href, folder, child);
    await bouncer.ready();
    return bouncer;
  }

  private async ready(): Promise<void> {
    for (let i = 0; i < 100; i += 1) {
      const client = new pg.Client({ connectionString: this.url });
      try {
        await client.connect();
        return await client.end();
      } catch {
        await sleep(100);
      }
    }
    await this.stop();
    throw new Error('pgbouncer does not respond');
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null) {
      const ended = new Promise((done) => this.process.once('exit', done));
      this.process.kill('SIGTERM');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
