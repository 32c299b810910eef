/** The bytes of files in archives: each content once, checked, and into any storage. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { CONTENT_SCHEMA, ContentArchive, type ContentSchema } from 'nestjs-content-api';
import { CONTENT_SETTINGS, type ContentSettings } from '../../src/kernel/settings.ts';
import { FileCheck } from '../../src/features/media/file-check.ts';
import { ArchiveParts } from '../../src/content/documents/archive-parts.ts';
import { Database } from '../../src/content/store/database.ts';
import { importArchive } from '../../src/features/archive/import-archive.ts';
import { S3Storage } from '../../src/features/media/s3-storage.ts';
import { formOf, picture } from '../files/helpers.ts';
import { snapshot } from '../http/helpers.ts';
import type { Host } from '../http/helpers.ts';
import { type RunningS3, startS3 } from '../storage/s3-server.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { answers, directoryOf, downloads, fill, startWorld } from './world.ts';

describe('files in an archive', () => {
  const databases: TestDatabase[] = [];
  const hosts: Host[] = [];
  let folder: string;
  let file: string;
  let source: Host;
  let target: Host;
  let bucket: RunningS3;
  let storage: S3Storage;

  const start = async (kept?: S3Storage): Promise<Host> => {
    const database = await createDatabase();
    databases.push(database);
    const host = await startWorld(database, kept);
    hosts.push(host);
    return host;
  };
  const archive = ({ app }: Host): ContentArchive => app.get(ContentArchive);
  const check = ({ app }: Host) => app.get(FileCheck, { strict: false }).run();
  const open = () => createReadStream(file);
  const lines = async (): Promise<string[]> =>
    gunzipSync(await readFile(file))
      .toString()
      .split('\n');
  /** Changes the contents part of the archive and recomputes its checksum. */
  const changed = async (change: (line: string) => string): Promise<() => Readable> => {
    const digest = createHash('sha256');
    let [inside, done] = [false, false];
    const all = (await lines()).map((line) => {
      inside ||= !done && line.startsWith('{"part":"contents"');
      if (!inside) return line;
      const ends = line.startsWith('{"end"');
      if (ends) [inside, done] = [false, true];
      const now = ends
        ? line.replace(/"sha256":"\w+"/, () => `"sha256":"${digest.digest('hex')}"`)
        : change(line);
      if (!ends) digest.update(`${now}\n`);
      return now;
    });
    return () => Readable.from([gzipSync(all.join('\n'))]);
  };
  const png = (await_: Host) =>
    await_.sql(`select storage_key as key, format_keys as formats from content_files where ext = '.png'`);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'archive-files-'));
    file = join(folder, 'content.gz');
    bucket = await startS3('fauxqs');
    storage = new S3Storage(bucket.options);
    source = await start();
    await fill(source, 1);
    target = await start(storage);
  });
  afterAll(async () => {
    for (const host of hosts) await host.close();
    storage.close();
    bucket.stop();
    for (const { url } of databases) await rm(directoryOf(url), { recursive: true, force: true });
    for (const database of databases) await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('each content is there once, whatever the number of its files, formats included', async () => {
    const result = await archive(source).export(createWriteStream(file));
    expect(result).toMatchObject({ contents: 4, missing: [] });
    const rows = await png(source);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toEqual(rows[1]);
    const keys = (await lines())
      .filter((line) => line.startsWith('{"content"'))
      .map((line) => JSON.parse(line).content);
    expect(new Set(keys).size).toBe(4);
    expect(keys).toEqual(
      expect.arrayContaining([rows[0]?.['key'], ...Object.values(rows[0]?.['formats'] as object)]),
    );
  });

  it('a content whose bytes are others, or whose key is a path, is refused with nothing written', async () => {
    const rows = await snapshot(target);
    const other = await changed((line) =>
      line.replace(/^\{"bytes":"(.)/, (all, first: string) => all.slice(0, -1) + (first === 'A' ? 'B' : 'A')),
    );
    await expect(archive(target).import(other)).rejects.toThrow(
      /^The archive is damaged: the bytes of \S+ do not match its size or checksum$/,
    );
    const path = await changed((line) =>
      line.replace(/^\{"content":"[^"]+"/, '{"content":"../../etc/passwd"'),
    );
    await expect(archive(target).import(path)).rejects.toThrow('not a content archive, or it is damaged');
    expect(await snapshot(target)).toEqual(rows);
    expect(await check(target)).toMatchObject({ orphans: [], unfinished: [] });
  });

  it('goes into another storage: all downloads and answers are the same, but for the provider', async () => {
    expect(await archive(target).import(open, { dryRun: true })).toMatchObject({
      conflicts: [],
      contents: 0,
    });
    expect(await archive(target).import(open)).toMatchObject({ contents: 4, skipped: 0 });
    const before = await answers(source);
    expect(Object.keys(await downloads(target))).toHaveLength(7);
    const plain = (all: Record<string, string>) =>
      Object.entries(all).map(([path, answer]) => [path, answer.replaceAll(/"provider":"\w+",/g, '')]);
    expect(plain(await answers(target))).toEqual(plain(before));
    expect(await target.sql('select distinct provider from content_files order by 1')).toEqual([
      { provider: 'elsewhere' },
      { provider: 's3' },
    ]);
    const rows = await snapshot(target);
    expect(await archive(target).import(open)).toMatchObject({ imported: 0, contents: 0, skipped: 0 });
    expect(await snapshot(target)).toEqual(rows);
  });

  it('what was left out, or replaced, leaves no bytes without a file', async () => {
    const [row] = await png(target);
    const text = `select document_id as id from content_files where ext = '.txt'`;
    const [{ id } = {}] = await target.sql(text);
    const form = new FormData();
    form.append('files', new Blob(['something else'], { type: 'text/plain' }), 'long.txt');
    await fetch(`${target.url}/api/upload?id=${String(id)}`, { method: 'POST', body: form });
    const { conflicts } = await archive(target).import(open, { dryRun: true });
    expect(conflicts).toEqual([{ kind: 'content', type: 'file', documentId: id }]);
    // The import stores the old content for a row that it then skips, so it removes the content again.
    expect(await archive(target).import(open, { onConflict: 'skip' })).toMatchObject({
      skipped: 1,
      contents: 1,
    });
    expect(await check(target)).toMatchObject({ orphans: [], missing: [] });
    expect(await archive(target).import(open, { onConflict: 'replace' })).toMatchObject({
      replaced: 1,
      contents: 1,
    });
    expect(await check(target)).toMatchObject({ orphans: [], missing: [] });
    expect(await downloads(target)).toEqual(await downloads(source));
    expect(row?.['key']).toBeDefined();
  });

  it('bytes that somebody removes while they are imported are put again', async () => {
    const other = await start();
    const [row] = await png(source);
    let removed = 0;
    // A check that repairs removes contents that no row references yet.
    const progress = (what: string, count: number): void => {
      if (what !== 'contents' || count !== 4) return;
      removed += 1;
      rmSync(join(directoryOf(other.database.url), String(row?.['key'])));
    };
    expect(await archive(other).import(open, { progress })).toMatchObject({ contents: 5, imported: 13 });
    expect(removed).toBe(1);
    expect(await check(other)).toMatchObject({ orphans: [], missing: [] });
    expect(await downloads(other)).toEqual(await downloads(source));
  });

  describe('without bytes', () => {
    let bare: string;
    let empty: Host;
    const without = () => createReadStream(bare);
    beforeAll(async () => {
      bare = join(folder, 'bare.gz');
      empty = await start();
      expect(await archive(source).export(createWriteStream(bare), { files: false })).toMatchObject({
        contents: 0,
      });
    });

    it('lists files whose bytes are nowhere, and refuses them; "skip" leaves them out', async () => {
      const rows = await snapshot(empty);
      const { conflicts } = await archive(empty).import(without, { dryRun: true });
      expect(conflicts).toHaveLength(3);
      expect(conflicts).toContainEqual({
        kind: 'bytes',
        type: 'file',
        documentId: expect.any(String),
        other: expect.any(String),
      });
      for (const onConflict of ['refuse', 'replace'] as const)
        await expect(archive(empty).import(without, { onConflict })).rejects.toMatchObject({ conflicts });
      expect(await snapshot(empty)).toEqual(rows);
      expect(await archive(empty).import(without, { onConflict: 'skip' })).toMatchObject({ skipped: 3 });
      expect(await check(empty)).toMatchObject({ files: 1, missing: [] });
    });

    it('"no files" asks for no bytes, neither of an archive with them nor of one without', async () => {
      expect(await archive(empty).import(without, { files: false })).toMatchObject({
        imported: 3,
        contents: 0,
      });
      expect((await check(empty)).missing).toHaveLength(7);
      const whole = await start();
      expect(await archive(whole).import(open, { files: false })).toMatchObject({ contents: 0 });
      expect((await check(whole)).missing).toHaveLength(7);
    });

    it('an application without files reports the bytes that an import would lose', async () => {
      const { app } = empty;
      const bareSource = {
        database: app.get<Database>(Database, { strict: false }),
        schema: app.get<ContentSchema>(CONTENT_SCHEMA, { strict: false }),
        settings: app.get<ContentSettings>(CONTENT_SETTINGS, { strict: false }),
        parts: new ArchiveParts(),
      };
      const { conflicts } = await importArchive(bareSource, open, { dryRun: true });
      expect(conflicts).toContainEqual({ kind: 'bytes', type: 'file' });
      expect((await importArchive(bareSource, open, { dryRun: true, files: false })).conflicts).toEqual([]);
    });
  });

  it('bytes that are gone before the export are told, and are in the way of an import', async () => {
    const [row] = await source.sql(`select storage_key as key from content_files where ext = '.txt'`);
    await rm(join(directoryOf(source.database.url), String(row?.['key'])));
    const part = join(folder, 'part.gz');
    const result = await archive(source).export(createWriteStream(part));
    expect(result).toMatchObject({ contents: 3, missing: [row?.['key']] });
    const other = await start();
    const { conflicts } = await archive(other).import(() => createReadStream(part), { dryRun: true });
    expect(conflicts).toEqual([
      { kind: 'bytes', type: 'file', documentId: expect.any(String), other: row?.['key'] },
    ]);
    await archive(other).import(() => createReadStream(part), { onConflict: 'skip' });
    expect(await check(other)).toMatchObject({ orphans: [], missing: [] });
  });

  it('20.6 all former URLs of a replaced file lead to it after an import', async () => {
    const [from, to] = [await start(), await start()];
    const upload = async (query = ''): Promise<{ readonly id: number; readonly url: string }> => {
      const body = formOf([{ name: 'often.png', bytes: picture() }]);
      const response = await fetch(`${from.url}/api/upload${query}`, { method: 'POST', body });
      const shown: any = await response.json();
      return Array.isArray(shown) ? shown[0] : shown;
    };
    const { id, url } = await upload();
    const former = [url, (await upload(`?id=${id}`)).url, (await upload(`?id=${id}`)).url];
    const current = (await upload(`?id=${id}`)).url;
    const moved = join(folder, 'moved.gz');
    await archive(from).export(createWriteStream(moved));
    await archive(to).import(() => createReadStream(moved));
    for (const one of former) {
      const { status, headers } = await fetch(to.url + one, { redirect: 'manual' });
      expect([status, headers.get('location')]).toEqual([302, current]);
    }
  });
});
