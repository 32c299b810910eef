/**
 * Repeatedly kills a process that uploads and replaces: every file has its bytes, and leftovers are removed.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CONTENT_ORM } from 'nestjs-content-api';
import { FileCheck } from 'nestjs-content-api/files';
import pg from 'pg';
import { createDatabase } from '../support/database.ts';
import { lookUntil } from '../support/look-until.ts';
import { startFiles } from './file-app.ts';

const script = fileURLToPath(new URL('./file-kill-child.ts', import.meta.url));
const LOADER = fileURLToPath(new URL('../support/from-source.mjs', import.meta.url));

/** Results of all kills together. */
export interface FileKills {
  readonly problems: readonly string[];
  /** Number of files, and of removed leftovers. */
  readonly files: number;
  readonly mended: number;
}

const BUSY = `select count(*)::int as n from pg_stat_activity
  where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`;

/** Waits until the server has closed the sessions of the killed process. */
async function settled(client: pg.Client): Promise<void> {
  const count = async (): Promise<number | undefined> => (await client.query<{ n: number }>(BUSY)).rows[0]?.n;
  await lookUntil(count, (busy) => busy === 0, 4000);
}

async function lookAt(url: string, check: FileCheck): Promise<FileKills> {
  const found = await check.run();
  const { orphans, unfinished } = await check.run({ mend: true, abandoned: 0 });
  const after = await check.run({ abandoned: 0 });
  const left = [...after.orphans, ...after.unfinished, ...after.missing];
  const files = (await (await fetch(`${url}/api/upload/files?limit=100`)).json()) as {
    url: string;
    size: number;
  }[];
  const torn: string[] = [];
  for (const file of files) {
    const bytes = Buffer.from(await (await fetch(url + file.url)).arrayBuffer());
    if (bytes.length / 1000 !== file.size || new Set(bytes).size !== 1) torn.push(file.url);
  }
  return {
    problems: [
      ...found.missing.map(({ key }) => `a row without its bytes: ${key}`),
      ...left.map((one) => `left after the repair: ${JSON.stringify(one)}`),
      ...torn.map((path) => `incomplete: ${path}`),
    ],
    files: files.length,
    mended: orphans.length + unfinished.length,
  };
}

/** Kills a process `times` times, each time at another point. */
export async function killUploads(times: number, random: () => number): Promise<FileKills> {
  const database = await createDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'killed-'));
  const place = { databaseUrl: database.url, directory };
  const { app, url } = await startFiles(place);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const all: FileKills[] = [];
  try {
    await app.get<{ schema: { create(): Promise<void> } }>(CONTENT_ORM, { strict: false }).schema.create();
    for (let i = 0; i < times; i += 1) {
      const child = fork(script, [database.url, directory], {
        execArgv: ['--no-warnings', '--import', LOADER],
      });
      const gone = once(child, 'exit');
      const [message] = (await Promise.race([once(child, 'message'), gone])) as unknown[];
      if (message !== 'ready') throw new Error(`The process that uploads has ended: ${String(message)}`);
      await sleep(100 + random() * 600);
      child.kill('SIGKILL');
      await gone;
      await settled(client);
      all.push(await lookAt(url, app.get(FileCheck, { strict: false })));
      await client.query('delete from content_files where id not in (select id from content_files limit 20)');
    }
  } finally {
    await client.end();
    await app.close();
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  }
  return {
    problems: all.flatMap(({ problems }) => problems),
    files: all.reduce((sum, { files }) => sum + files, 0),
    mended: all.reduce((sum, { mended }) => sum + mended, 0),
  };
}
