/** Exports and imports that a signal stops, in processes of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { Host } from '../http/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { answers, directoryOf, fill, startWorld } from './world.ts';

const pathTo = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const COMMAND = [
  '--no-warnings',
  '--import',
  pathTo('../support/from-source.mjs'),
  pathTo('../../src/cli.ts'),
];

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

describe('a signal', () => {
  const databases: TestDatabase[] = [];
  const hosts: Host[] = [];
  let folder: string;
  let source: Host;
  let target: Host;

  const start = async (): Promise<Host> => {
    const database = await createDatabase();
    databases.push(database);
    hosts.push(await startWorld(database));
    return hosts.at(-1) as Host;
  };

  /** Starts a command; `stop` sends a signal and waits for its end. */
  const begin = (...args: readonly string[]) => {
    const env = {
      ...process.env,
      ARCHIVE_SOURCE: source.database.url,
      ARCHIVE_TARGET: target.database.url,
    };
    const child = spawn(process.execPath, [...COMMAND, ...args], { env });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, said }));
    const stop = (signal: NodeJS.Signals): Promise<Ended> => {
      child.kill(signal);
      return ended;
    };
    return { ended, stop };
  };

  /** Locks a table, and waits until a statement of the command waits for it. */
  const lock = async ({ database }: Host, table: string, mode: string) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(`begin; lock table ${table} in ${mode} mode`);
    const isAwaited = async (): Promise<boolean> => {
      const { rows } = await client.query(
        `select 1 from pg_locks where not granted and relation = $1::regclass`,
        [table],
      );
      return rows.length > 0;
    };
    return {
      awaited: async (): Promise<void> => {
        while (!(await isAwaited())) await wait(20);
      },
      release: () => client.end(),
    };
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'archive-interrupted-'));
    source = await start();
    target = await start();
    await fill(source, 3);
  });
  afterAll(async () => {
    for (const host of hosts) await host.close();
    for (const { url } of databases) await rm(directoryOf(url), { recursive: true, force: true });
    for (const database of databases) await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const app = (name: string): readonly string[] => ['--module', `${pathTo('app.ts')}#${name}`];

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends an export with the code %i and leaves no file', async (signal, code) => {
    const file = join(folder, 'stopped');
    const { awaited, release } = await lock(source, 'home_tags_links', 'access exclusive');
    try {
      const { stop } = begin('export', file, ...app('Source'));
      await awaited();
      expect(await readdir(folder)).toEqual(['stopped.unfinished']);
      const { said, ...ended } = await stop(signal);
      expect(ended).toEqual({ code });
      expect(said).toMatch(new RegExp(`\nInterrupted: ${file} was not written\n$`));
      expect(await readdir(folder)).toEqual([]);
    } finally {
      await release();
    }
  });

  it('says that a file is written if it is complete', async () => {
    const file = join(folder, 'complete');
    const { stop } = begin('export', file, ...app('Slow'));
    while (!(await readdir(folder)).includes('complete')) await wait(20);
    const { code, said } = await stop('SIGTERM');
    expect(code).toBe(143);
    expect(said).toMatch(new RegExp(`\nInterrupted after the end: ${file} is complete\n$`));
    await rm(file);
  });

  it('stops an import, which continues where it was', async () => {
    const file = join(folder, 'whole');
    expect(await begin('export', file, ...app('Source')).ended).toMatchObject({ code: 0 });
    const command = ['import', file, ...app('Target')];
    const checking = await lock(target, 'home_tags_links', 'access exclusive');
    try {
      const { stop } = begin(...command);
      await checking.awaited();
      expect(await stop('SIGINT')).toEqual({ code: 130, said: 'Interrupted: nothing was imported\n' });
    } finally {
      await checking.release();
    }
    const writing = await lock(target, 'home', 'share');
    try {
      const { stop } = begin(...command);
      await writing.awaited();
      const { code, said } = await stop('SIGTERM');
      expect(code).toBe(143);
      expect(said).toMatch(/\nInterrupted: run the same command again\n$/);
    } finally {
      await writing.release();
    }
    expect(await begin(...command).ended).toMatchObject({ code: 0 });
    expect(await answers(target)).toEqual(await answers(source));
  });
});
