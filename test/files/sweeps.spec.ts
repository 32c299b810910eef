/**
 * Removals of bytes with a slow bucket, a lost session or a late delete must not affect files of other
 * instances.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM } from 'nestjs-content-api';
import { FileCheck, LocalStorage } from 'nestjs-content-api/files';
import pg from 'pg';
import { contentOf, type FilesInstance, sendFile, startFiles } from '../faults/file-app.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { GatedStorage } from './gated-storage.ts';

describe('removals and uploads of the same bytes by two instances', () => {
  let database: TestDatabase;
  let directory: string;
  let storage: GatedStorage;
  let others: GatedStorage;
  /** Instance whose removals time out while the storage is paused. */
  let hasty: FilesInstance;
  /** Instance on the same storage, with the default limits. */
  let patient: FilesInstance;
  let other: FilesInstance;

  beforeAll(async () => {
    database = await createDatabase();
    directory = await mkdtemp(join(tmpdir(), 'swept-'));
    const place = { databaseUrl: database.url, directory };
    [storage, others] = [new GatedStorage(directory), new GatedStorage(directory)];
    hasty = await startFiles({ ...place, storage, limits: { statementTimeout: 2000 } });
    patient = await startFiles({ ...place, storage });
    other = await startFiles({ ...place, storage: others });
    await hasty.app.get<MikroORM>(CONTENT_ORM, { strict: false }).schema.create();
    await sendFile(patient.url, contentOf(25, 10));
  });

  afterEach(() => storage.release());

  afterAll(async () => {
    await hasty.app.close();
    await patient.app.close();
    await other.app.close();
    await database.drop();
    await rm(directory, { recursive: true });
  });

  const remove = async (id: number, from = patient): Promise<number> => {
    const response = await fetch(`${from.url}/api/upload/files/${id}`, { method: 'DELETE' });
    await response.arrayBuffer();
    return response.status;
  };

  const bytesAt = async (path: string): Promise<string> => {
    const response = await fetch(other.url + path);
    return `${response.status} ${await response.text()}`;
  };

  /** Ends the sessions that have the lock of a content. */
  const endSweeps = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock'
       and granted and database = (select oid from pg_database where datname = current_database())`,
    );
    await client.end();
  };

  it.each(['list', 'delete'] as const)(
    'S1: keep the bytes when the bucket responds to %s after statementTimeout',
    async (step) => {
      const bytes = contentOf(1, 100);
      const file = await sendFile(patient.url, bytes);
      storage.hold(step);
      expect(await remove(file.id, hasty)).toBe(200);
      await storage.arrived;
      const uploading = sendFile(other.url, bytes);
      // The upload failed to get the lock twice, or did not request it.
      await Promise.race([uploading, others.headsReach(3)]);
      await storage.release();
      const { url, id } = await uploading;
      expect(await bytesAt(url)).toBe(`200 ${bytes.toString()}`);
      await remove(id);
    },
  );

  it('S1: keep the bytes when the session of the sweep ends while the bucket is slow', async () => {
    const bytes = contentOf(2, 100);
    const file = await sendFile(patient.url, bytes);
    storage.hold('list');
    const removing = remove(file.id);
    await storage.arrived;
    await endSweeps();
    const { url } = await sendFile(other.url, bytes);
    await storage.release();
    await removing;
    // A sweep that still runs would end before a later one.
    await remove((await sendFile(patient.url, contentOf(3, 100))).id);
    expect(await bytesAt(url)).toBe(`200 ${bytes.toString()}`);
  });

  it('S2: leave connections to other writes while the bucket responds to no LIST', async () => {
    const files = await Promise.all(
      Array.from({ length: 12 }, (_, n) => sendFile(patient.url, contentOf(n, 300 + n))),
    );
    const kept = await sendFile(patient.url, contentOf(4, 50));
    storage.hold('list');
    const removing = files.map(({ id }) => remove(id));
    await storage.arrived;
    expect(await describeFile(patient.url, kept.id)).toBe(200);
    expect(new Set(await Promise.all(removing))).toEqual(new Set([200]));
    await storage.release();
    // Sweeps that no request waited for have also ended.
    const check = patient.app.get(FileCheck, { strict: false });
    await check.run({ mend: true });
    expect((await check.run()).orphans).toEqual([]);
  });

  it('N4, S2: leave connections to other writes while uploads check their bytes', async () => {
    const kept = await sendFile(patient.url, contentOf(6, 50));
    storage.hold('head');
    const uploading = Array.from({ length: 12 }, (_, n) => sendFile(patient.url, contentOf(n, 400 + n)));
    const settled = Promise.allSettled(uploading);
    await storage.arrived;
    expect(await describeFile(patient.url, kept.id)).toBe(200);
    await storage.release();
    await settled;
  });
});

async function describeFile(url: string, id: number): Promise<number> {
  const body = JSON.stringify({ fileInfo: { caption: 'x' } });
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/api/upload?id=${id}`, { method: 'POST', body, headers });
  await response.arrayBuffer();
  return response.status;
}

/** Removes bytes right after the check inside the transaction of their upload, as a late delete does. */
class LateDelete extends LocalStorage {
  isArmed = false;

  override async head(key: string): ReturnType<LocalStorage['head']> {
    const found = await super.head(key);
    if (found === null || !this.isArmed) return found;
    this.isArmed = false;
    await this.delete(key);
    return found;
  }
}

it('S1: an upload stores its bytes again when a late delete removes them at its commit', async () => {
  const database = await createDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'late-'));
  const storage = new LateDelete(directory);
  const { app, url } = await startFiles({ databaseUrl: database.url, directory, storage });
  try {
    await app.get<MikroORM>(CONTENT_ORM, { strict: false }).schema.create();
    storage.isArmed = true;
    const file = await sendFile(url, contentOf(5, 100));
    expect(storage.isArmed).toBe(false);
    expect(await (await fetch(url + file.url)).text()).toBe(contentOf(5, 100).toString());
  } finally {
    await app.close();
    await database.drop();
    await rm(directory, { recursive: true });
  }
});
