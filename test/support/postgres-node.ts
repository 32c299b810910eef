/** PostgreSQL server for one spec, which can stop, crash, restart and have streaming replicas. */
import type { ChildProcess } from 'node:child_process';
import {
  copyFileSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  createCluster,
  endServer,
  type RunningServer,
  startOnFreePort,
  startPostgres,
  startServer,
  startWatchdog,
  urlOf,
} from './postgres-server.ts';

/**
 * Files that a base copy leaves out: those of the running server, and those that the replica gets by
 * streaming.
 */
const OWN = ['postmaster.pid', 'postmaster.opts'];
const EMPTY = ['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_stat_tmp', 'pg_subtrans'];
const WAL_FOLDERS = ['archive_status', 'summaries'];

export class PostgresNode {
  private running: RunningServer;
  private readonly clean: () => Promise<void>;

  private constructor(running: RunningServer, clean: () => Promise<void>) {
    this.running = running;
    this.clean = clean;
  }

  /** Starts a server even if TEST_DATABASE_URL is set. By default, acknowledged commits survive its crash. */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<PostgresNode> {
    const shared = process.env.TEST_DATABASE_URL;
    delete process.env.TEST_DATABASE_URL;
    try {
      const server = await startPostgres({ synchronous_commit: 'on', ...settings });
      if (server.running === null) throw new Error('The server did not start in this process');
      return new PostgresNode(server.running, () => server.stop());
    } finally {
      if (shared !== undefined) process.env.TEST_DATABASE_URL = shared;
    }
  }

  get url(): string {
    return urlOf(this.running);
  }

  get port(): number {
    return this.running.port;
  }

  /**
   * Stops the server: at once as in a crash, or with a fast shutdown that closes sessions and writes a
   * checkpoint.
   */
  async halt(how: 'crash' | 'fast'): Promise<void> {
    const { process: server } = this.running;
    if (how === 'crash' || server.exitCode !== null) return endServer(server);
    server.kill('SIGINT');
    while (server.exitCode === null && server.signalCode === null) await sleep(10);
  }

  /** Restarts the server with the same data and port. */
  async resume(): Promise<void> {
    const started = await startServer(this.running);
    if (started === null) throw new Error('PostgreSQL did not start again');
    this.running = started;
  }

  /** Starts a standby that follows this server and accepts reads; `promote()` makes it accept writes. */
  async standby(settings: Readonly<Record<string, string>> = {}): Promise<PostgresNode> {
    const { cluster: from, binary, port } = this.running;
    const cluster = { ...createCluster(), password: from.password };
    const watchdog: ChildProcess = startWatchdog(cluster.dir);
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    await client.query(`select pg_backup_start('standby', true)`);
    copyFolder(from.data, cluster.data);
    const { rows } = await client.query<{ labelfile: string }>('select * from pg_backup_stop(false)');
    await client.end();
    const write = (name: string, text: string): void =>
      writeFileSync(join(cluster.data, name), text, { flag: 'a' });
    write('backup_label', rows[0]?.labelfile ?? '');
    write('standby.signal', '');
    write(
      'postgresql.auto.conf',
      `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres password=${from.password} application_name=standby'\n`,
    );
    if (cluster.account !== undefined) giveTo(cluster.data, cluster.account);
    const own = { ...this.running.settings, ...settings };
    const running = await startOnFreePort(binary, cluster, own);
    return new PostgresNode(running, () => {
      rmSync(cluster.dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
      watchdog.kill('SIGKILL');
      return Promise.resolve();
    });
  }

  async sql(text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Promotes a standby, which starts a new timeline. */
  async promote(): Promise<void> {
    await this.sql('select pg_promote()');
  }

  /** Makes a standby follow another server. */
  async follow({ running: { port, cluster } }: PostgresNode): Promise<void> {
    const address = `host=127.0.0.1 port=${port} user=postgres password=${cluster.password}`;
    await this.sql(`alter system set primary_conninfo = '${address} application_name=standby'`);
    await this.sql('select pg_reload_conf()');
  }

  /** Waits until a standby has replayed all WAL of another server. */
  async catchUp(other: PostgresNode): Promise<void> {
    const [{ lsn } = {}] = await other.sql('select pg_current_wal_flush_lsn()::text as lsn');
    const query = `select coalesce(pg_last_wal_replay_lsn() >= '${String(lsn)}', false) as yes`;
    while ((await this.sql(query))[0]?.['yes'] !== true) await sleep(20);
  }

  /** Suspends (SIGSTOP) or resumes (SIGCONT) all processes of the server. Linux only. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const pid = Number(this.running.process.pid);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    for (const one of [pid, ...children.map(Number)]) process.kill(one, signal);
  }

  /** Stops the server and removes its files. */
  async stop(): Promise<void> {
    await endServer(this.running.process);
    await this.clean();
  }
}

/**
 * Copies the files of a running server. Files that change or vanish during the copy are repaired by
 * streaming.
 */
function copyFolder(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (OWN.includes(entry.name)) continue;
    if (EMPTY.includes(entry.name)) {
      mkdirSync(target, { mode: 0o700 });
      if (entry.name === 'pg_wal')
        for (const folder of WAL_FOLDERS) mkdirSync(join(target, folder), { mode: 0o700 });
    } else if (entry.isDirectory()) copyFolder(source, target);
    else copyIfThere(source, target);
  }
}

function copyIfThere(source: string, target: string): void {
  try {
    copyFileSync(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function giveTo(path: string, account: { readonly uid: number; readonly gid: number }): void {
  lchownSync(path, account.uid, account.gid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) giveTo(join(path, entry.name), account);
    else lchownSync(join(path, entry.name), account.uid, account.gid);
  }
}
