/** Imports that are killed leave whole batches only, and the next import completes the rest. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ContentArchive } from 'nestjs-content-api';
import type { Host } from '../http/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { killImport } from './kill.ts';
import { answers, directoryOf, fill, startWorld } from './world.ts';

describe('an import', () => {
  let databases: TestDatabase[];
  let hosts: Host[];
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'archive-'));
    databases = [await createDatabase(), await createDatabase()];
    hosts = [];
    for (const database of databases) hosts.push(await startWorld(database));
  });
  afterAll(async () => {
    for (const host of hosts) await host.close();
    for (const { url } of databases) await rm(directoryOf(url), { recursive: true, force: true });
    for (const database of databases) await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('that was killed goes on where it ended', async () => {
    const [source, target] = hosts as [Host, Host];
    const url = databases[1]?.url ?? '';
    const file = join(folder, 'content.gz');
    await fill(source, 7);
    const before = await answers(source);
    await source.app.get(ContentArchive).export(createWriteStream(file));
    // Contents come before documents, so the first kill hits the contents.
    for (const after of [1, 12]) expect(await killImport({ url, file }, { after, wait: 3 })).toBe(true);
    expect(await target.sql('select done::int from content_import')).toMatchObject([
      { done: expect.any(Number) },
    ]);
    // Changes of documents that are already imported are not conflicts.
    await target.sql(`update content_files set caption = 'changed'`);
    const { imported, same } = await target.app.get(ContentArchive).import(() => createReadStream(file));
    await target.sql(`update content_files set caption = null`);
    expect(imported).toBeGreaterThan(0);
    const lines = gunzipSync(await readFile(file))
      .toString()
      .split('\n');
    expect(imported + same).toBeLessThan(lines.filter((line) => line.startsWith('{"doc')).length);
    expect(await answers(target)).toEqual(before);
    expect(await target.sql(`select to_regclass('content_import') as left`)).toEqual([{ left: null }]);
  });
});
