/** Imports into empty tables: one transaction, which leaves nothing if it cannot write everything. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ContentArchive } from 'nestjs-content-api';
import type { Host } from '../http/helpers.ts';
import { createDatabase, emptyDatabase, type TestDatabase } from '../support/database.ts';
import { type Change, rewritten } from './rewritten.ts';
import { answers, directoryOf, fill, send, startWorld } from './world.ts';

const TABLES = ['things', 'stories', 'stories_tags_links', 'tags', 'home', 'content_files'];

/** Values whose text has characters that COPY escapes, or that end its input, and odd numbers. */
const THINGS = [
  { text: 'tab\tbed', plain: '\\.' },
  { text: 'two\r\nlines', plain: '\\N' },
  { text: 'back\\slash \\N \\t', plain: '' },
  { text: 'é \u{1F600} "quoted" {a,b}', plain: 'NULL' },
  { meta: { text: 'tab\t, line\n, "quoted" \\', at: 1e21, list: [null, true, 0.1, 'x'] }, real: 1e300 },
  { meta: null, list: [], whole: -5, big: '-9007199254740993', dec: -0.01, flag: false },
  { meta: 'only a text', moment: '0001-01-01T00:00:00.000Z', day: '9999-12-31', time: '23:59:59.999' },
];

describe('an import into empty tables', () => {
  let databases: TestDatabase[];
  let source: Host;
  let target: Host;
  let folder: string;
  let file: string;
  const open = (): Readable => createReadStream(file);
  const archive = (): ContentArchive => target.app.get(ContentArchive);
  const apiAnswers = async (host: Host): Promise<readonly (readonly [string, string])[]> =>
    Object.entries(await answers(host)).filter(([path]) => !path.startsWith('/'));
  /** Transactions that have written the rows of the target. */
  const transactions = (): Promise<readonly object[]> =>
    target.sql(TABLES.map((table) => `select xmin::text from ${table}`).join(' union '));
  /** Last row ids. Triggers count changes, also those that are rolled back. */
  const sequences = (): Promise<readonly object[]> =>
    target.sql(`select sequencename, last_value from pg_sequences
      where sequencename <> 'content_counts_id_seq' order by 1`);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'archive-'));
    file = join(folder, 'content.gz');
    databases = [await createDatabase(), await createDatabase()];
    source = await startWorld(databases[0] as TestDatabase);
    await fill(source, 5);
    for (const data of THINGS) await send(source, 'POST', 'things', { data: { name: 'odd', ...data } });
    await source.app.get(ContentArchive).export(createWriteStream(file), { files: false });
  });
  beforeEach(async () => {
    target = await startWorld(databases[1] as TestDatabase);
  });
  afterEach(async () => {
    await target.close();
    await emptyDatabase(databases[1] as TestDatabase);
  });
  afterAll(async () => {
    await source.close();
    for (const { url } of databases) await rm(directoryOf(url), { recursive: true, force: true });
    for (const database of databases) await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('stores everything in one transaction, and then responds as the source does', async () => {
    const counts: string[] = [];
    const result = await archive().import(open, {
      files: false,
      progress: (type, documents) => counts.push(`${type} ${documents}`),
    });
    expect(result).toMatchObject({ replaced: 0, skipped: 0, contents: 0, conflicts: [], notes: [] });
    expect(counts).toEqual(expect.arrayContaining(['story 5', 'tag 3', `thing ${1 + THINGS.length}`]));
    expect(await transactions()).toHaveLength(1);
    expect(await apiAnswers(target)).toEqual(await apiAnswers(source));
    expect(await archive().import(open, { files: false })).toMatchObject({ imported: 0, skipped: 0 });
    const { id } = await send(target, 'POST', 'things', { data: { name: 'new' } });
    expect(id).toBeGreaterThan(1 + THINGS.length);
  });

  it('stores nothing if it is stopped, and everything when it is repeated', async () => {
    const progress = (type: string): void => {
      if (type === 'story') throw new Error('stopped');
    };
    await expect(archive().import(open, { files: false, progress })).rejects.toThrow('stopped');
    expect(await transactions()).toHaveLength(0);
    await archive().import(open, { files: false });
    expect(await apiAnswers(target)).toEqual(await apiAnswers(source));
  });

  it.each<readonly [string, Change, object]>([
    [
      'a value that no request can send',
      (line, part) => (part === 'home' ? line.replace('"locale":"en"', '"locale":"xx"') : line),
      { conflicts: [expect.objectContaining({ kind: 'rule', type: 'home', attribute: 'locale' })] },
    ],
    [
      'an unknown attribute',
      (line, part) => (part === 'home' ? line.replaceAll('"headline"', '"motto"') : line),
      { conflicts: [expect.objectContaining({ kind: 'attribute', type: 'home' })] },
    ],
    [
      'a document twice',
      (line, part) => (part === 'tag' && line.startsWith('{"doc') ? doubled(line) : line),
      { message: expect.stringContaining('damaged') },
    ],
  ])('stores nothing of an archive with %s', async (_what, change, error) => {
    const before = await sequences();
    const changed = await rewritten(file, change);
    await expect(archive().import(changed, { files: false })).rejects.toMatchObject(error);
    expect(await transactions()).toHaveLength(0);
    expect(await sequences()).toEqual(before);
  });

  /** Gives all documents of the tags the id of the first one. */
  let first = '';
  const doubled = (line: string): string => {
    const id = (JSON.parse(line) as { documentId: string }).documentId;
    first ||= id;
    return line.replaceAll(id, first);
  };

  it('lets other writers wait until its end', async () => {
    const others: Promise<unknown>[] = [];
    const isWaiting = async (): Promise<boolean> =>
      (await target.sql(`select 1 from pg_locks where not granted and relation = 'tags'::regclass`)).length >
      0;
    const slowly = (): Readable =>
      Readable.from(
        (async function* () {
          const bytes = await readFile(file);
          yield bytes.subarray(0, -20);
          others.push(send(target, 'POST', 'tags', { data: { name: 'later' } }));
          while (!(await isWaiting())) await sleep(10);
          yield bytes.subarray(-20);
        })(),
      );
    await archive().import(slowly, { files: false });
    expect(await Promise.all(others)).toMatchObject([{ name: 'later' }]);
    expect(await send(target, 'GET', 'tags')).toHaveLength(4);
  });

  it('imports next to stored documents in more than one transaction', async () => {
    await send(target, 'POST', 'tags', { data: { name: 'mine' } });
    await archive().import(open, { files: false });
    expect(await send(target, 'GET', 'tags')).toHaveLength(4);
    expect((await transactions()).length).toBeGreaterThan(2);
  });
});
