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
 * Returns the CPU seconds (user and system) of these processes and their descendants. Includes living ones
 * and those that were waited for. So PostgreSQL's first process covers all its backends, also short-lived
 * ones.
 */
export function cpuOf(pids) {
  if (process.platform !== 'linux') return null;
  const processes = readProcesses();
  const family = new Set(pids);
  // The iteration of a Set visits items added during it: children, then their children.
  for (const pid of family)
    for (const child of processes.values()) if (child.parent === pid) family.add(child.pid);
  let ticks = 0;
  for (const pid of family) ticks += processes.get(pid)?.ticks ?? 0;
  return ticks / TICKS_PER_SECOND;
}

/** Returns the CPU seconds of all threads of one process, exact to the nanosecond; Linux only. */
export function exactCpuOf(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = tasks.map((task) => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      return 0; // The thread ended.
    }
  });
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9;
}

/** Returns the first process of the server behind `databaseUrl`; null if it runs on another machine. */
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
  // Fields: "pid (name) state parent …". The name may contain spaces and parentheses. Fields 14 to 17 are
  // utime, stime, cutime, cstime.
  const end = stat.lastIndexOf(')');
  const fields = stat.slice(end + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid, name: stat.slice(stat.indexOf('(') + 1, end), parent: Number(fields[1]), ticks };
}
