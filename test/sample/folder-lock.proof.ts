/** Concurrent processes that lock the data folder of the sample. */
import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TAKER = fileURLToPath(new URL('./lock-taker.ts', import.meta.url));
const NODE_OPTIONS = [
  '--no-warnings',
  '--import',
  fileURLToPath(new URL('../support/from-source.mjs', import.meta.url)),
];
const PROCESSES = 4;
const ROUNDS = 25;

/** Command that runs another one as process 1 of a new pid namespace. */
const UNSHARE = ['unshare', '--pid', '--fork', '--kill-child'] as const;
const canUnshare = spawnSync(UNSHARE[0], [...UNSHARE.slice(1), 'true']).status === 0;

describe("the lock of the sample's folder", () => {
  let root: string;
  const started: ChildProcess[] = [];
  const ready = async (child: ChildProcess): Promise<ChildProcess> => {
    started.push(child);
    await once(child, 'message');
    return child;
  };
  const start = (): Promise<ChildProcess> => ready(fork(TAKER, { execArgv: NODE_OPTIONS }));
  const startApart = (): Promise<ChildProcess> =>
    ready(
      spawn(UNSHARE[0], [...UNSHARE.slice(1), process.execPath, ...NODE_OPTIONS, TAKER], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      }),
    );
  const take = async (child: ChildProcess, folder: string): Promise<unknown> => {
    const told = once(child, 'message');
    child.send(folder);
    return ((await told) as unknown[])[0];
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'lock-'));
  });
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true });
  });

  it(`is acquired by exactly one of ${PROCESSES} processes, ${ROUNDS} times, after a killed process had it`, async () => {
    const stale = join(root, 'stale');
    const killed = await start();
    expect(await take(killed, stale)).toBe(true);
    const exited = once(killed, 'exit');
    killed.kill('SIGKILL');
    await exited;
    const takers = await Promise.all(Array.from({ length: PROCESSES }, start));
    const holders: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const folder = join(root, String(round));
      cpSync(stale, folder, { recursive: true });
      const taken = await Promise.all(takers.map((child) => take(child, folder)));
      holders.push(taken.filter((one) => one === true).length);
    }
    expect(holders).toEqual(Array.from({ length: ROUNDS }, () => 1));
  });

  (canUnshare ? it : it.skip)('is acquired by one of two processes that are both number 1', async () => {
    const [one, other] = [await startApart(), await startApart()];
    expect([await take(one, root), await take(other, root)]).toEqual([true, false]);
  });
});
