/**
 * CPU time of a server and of PostgreSQL, to see what a request costs where:
 *
 *   const postgres = await postmasterPid(databaseUrl);
 *   const before = cpuOf([server.pid]);
 *   await run(...);
 *   const cpuSeconds = cpuOf([server.pid]) - before;   // the same with [postgres]
 *
 * Linux only, from /proc; elsewhere both answer null.
 */
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

const TICKS_PER_SECOND = 100; // USER_HZ, fixed by the kernel's interface

/**
 * Seconds of CPU (user and system) used so far by these processes with their descendants: the living ones and
 * those that were waited for. So PostgreSQL's first process stands for all its backends, also for the ones
 * that come and go between two readings.
 */
export function cpuOf(pids) {
  if (process.platform !== 'linux') return null;
  const processes = readProcesses();
  const family = new Set(pids);
  // A Set's iteration visits what is added meanwhile: children, then their children.
  for (const pid of family)
    for (const child of processes.values()) if (child.parent === pid) family.add(child.pid);
  let ticks = 0;
  for (const pid of family) ticks += processes.get(pid)?.ticks ?? 0;
  return ticks / TICKS_PER_SECOND;
}

/** The first process of the server behind `databaseUrl`, or null when it does not run on this machine. */
export async function postmasterPid(databaseUrl) {
  if (process.platform !== 'linux') return null;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const backend = readProcess(rows[0].pid);
    return backend?.name === 'postgres' ? backend.parent : null;
  } finally {
    await client.end();
  }
}

function readProcesses() {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return new Map(
    pids
      .map(readProcess)
      .filter(Boolean)
      .map((read) => [read.pid, read]),
  );
}

function readProcess(pid) {
  let stat;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined; // it ended
  }
  // "pid (name) state parent …": the name may hold spaces and parentheses. Fields 14 to 17 are utime, stime,
  // cutime, cstime.
  const end = stat.lastIndexOf(')');
  const fields = stat.slice(end + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid, name: stat.slice(stat.indexOf('(') + 1, end), parent: Number(fields[1]), ticks };
}
