/** Content in one file: out of one system, into another, the same from every side. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ContentArchive } from 'nestjs-content-api';
import { snapshot } from '../http/helpers.ts';
import type { Host } from '../http/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { answers, fill, send, startWorld } from './world.ts';

describe('an archive', () => {
  const databases: TestDatabase[] = [];
  const hosts: Host[] = [];
  let folder: string;
  let file: string;
  let source: Host;
  let target: Host;
  let before: Record<string, string>;

  const start = async (): Promise<Host> => {
    const database = await createDatabase();
    databases.push(database);
    const host = await startWorld(database);
    hosts.push(host);
    return host;
  };
  const archive = ({ app }: Host): ContentArchive => app.get(ContentArchive);
  const from = (path: string) => () => createReadStream(path);
  const lines = async (): Promise<string[]> =>
    gunzipSync(await readFile(file))
      .toString()
      .split('\n');
  const made = (text: string) => () => Readable.from([gzipSync(text)]);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'archive-'));
    file = join(folder, 'content.gz');
    source = await start();
    await fill(source, 7);
    before = await answers(source);
    await archive(source).export(createWriteStream(file));
    target = await start();
  });
  afterAll(async () => {
    for (const host of hosts) await host.close();
    for (const database of databases) await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('holds no password, no token and no session', async () => {
    const text = (await lines()).join('\n');
    for (const word of [
      'argon2',
      'sessions',
      'reset_password',
      'confirmation_token',
      'api_token',
      '"key"',
      '"pin"',
    ])
      expect(text.includes(word)).toBe(false);
    expect(text).toContain('ann@example.com');
  });

  it('a dry run says that nothing is in the way, and writes nothing', async () => {
    const rows = await snapshot(target);
    expect(await archive(target).import(from(file), { dryRun: true })).toMatchObject({
      conflicts: [],
      imported: 0,
    });
    expect(await snapshot(target)).toEqual(rows);
  });

  it('makes an empty system answer the same, byte for byte, on all routes, in all states and locales', async () => {
    const result = await archive(target).import(from(file));
    expect(result).toMatchObject({ replaced: 0, same: 0, skipped: 0, conflicts: [] });
    expect(result.imported).toBeGreaterThan(10);
    expect(await answers(target)).toEqual(before);
    expect(Object.values(before).filter((answer) => answer.startsWith('200')).length).toBeGreaterThan(20);
  });
});
