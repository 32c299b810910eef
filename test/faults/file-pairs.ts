/**
 * Two instances with one unreliable bucket: one removes a file while the other uploads the same bytes.
 * Sessions of sweeps end in between. Every row must have its bytes; leftovers of sweeps are removed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONTENT_ORM } from 'nestjs-content-api';
import { FileCheck } from 'nestjs-content-api/files';
import pg from 'pg';
import { createDatabase } from '../support/database.ts';
import { sendFile, startFiles } from './file-app.ts';
import { FaultyStorage } from './faulty-storage.ts';

export interface FilePairs {
  /** Files at the end, and the number without bytes. */
  readonly files: number;
  readonly missing: number;
  /** Contents without a file, before and after repair. */
  readonly orphans: number;
  readonly left: number;
  /** Responses by status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly endedSessions: number;
  readonly seconds: number;
}

/** Ends the session that holds the lock of a content while its sweep waits for the bucket. */
const END_SWEEP = `select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and mode = 'ExclusiveLock' and granted
  and (classid::bigint << 32 | objid::bigint) = hashtextextended('file content ' || $1, 0)`;

const statusOf = (error: unknown): string => /^\d{3}/.exec((error as Error).message)?.[0] ?? String(error);

/** Content of a prefix; all contents here are texts. */
const contentAt = (prefix: string): string => prefix.replace(/_txt\/$/, '.txt');

export async function runPairs(pairs: number, random: () => number, parallel = 12): Promise<FilePairs> {
  const database = await createDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'pairs-'));
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  let endedSessions = 0;
  const atList = async (prefix: string): Promise<void> => {
    if (random() < 0.9) return;
    const { rowCount } = await client.query(END_SWEEP, [contentAt(prefix)]);
    endedSessions += rowCount ?? 0;
    await sleep(random() * 60);
  };
  const storage = new FaultyStorage({ directory, random, atList });
  const instances = [
    await startFiles({ databaseUrl: database.url, directory, storage }),
    await startFiles({ databaseUrl: database.url, directory, storage }),
  ] as const;
  const statuses: Record<string, number> = {};
  const count = (status: string | number): void => void (statuses[status] = (statuses[status] ?? 0) + 1);

  const upload = async (at: 0 | 1, bytes: Buffer): Promise<number | null> => {
    try {
      const { id } = await sendFile(instances[at].url, bytes);
      count(201);
      return id;
    } catch (error) {
      count(statusOf(error));
      return null;
    }
  };
  const remove = async (at: 0 | 1, id: number): Promise<void> => {
    const response = await fetch(`${instances[at].url}/api/upload/files/${id}`, { method: 'DELETE' });
    await response.arrayBuffer();
    count(response.status);
  };
  const pair = async (n: number): Promise<void> => {
    const bytes = Buffer.from(`the bytes of pair ${n}`);
    const [first, second] = n % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    const id = await upload(first, bytes);
    if (id === null) return;
    await Promise.all([remove(first, id), sleep(random() * 40).then(() => upload(second, bytes))]);
  };

  try {
    await instances[0].app
      .get<{ schema: { create(): Promise<void> } }>(CONTENT_ORM, { strict: false })
      .schema.create();
    storage.isFaulty = true;
    const started = performance.now();
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < pairs) await pair((next += 1));
    };
    await Promise.all(Array.from({ length: parallel }, work));
    const seconds = (performance.now() - started) / 1000;
    storage.isFaulty = false;
    const check = instances[0].app.get(FileCheck, { strict: false });
    const { missing, orphans } = await check.run({ mend: true });
    const after = await check.run();
    return {
      files: after.files,
      missing: Math.max(missing.length, after.missing.length),
      orphans: orphans.length,
      left: after.orphans.length,
      statuses,
      faults: storage.faults,
      endedSessions,
      seconds,
    };
  } finally {
    await client.end();
    for (const { app } of instances) await app.close();
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  }
}
