/** Archives that were made to do harm: nothing outside of the named folders is read or written. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Adopted, adoptedModel, startAdopted } from './app.ts';
import { type Entry, entryBytes } from './generator/tar.ts';
import { entity, fileLink, type Json, typeSchema } from './small-archive.ts';

const PAGE = 'api::page.page';
const FILE = 'plugin::upload.file';
const lines = (values: readonly Json[]): Buffer =>
  Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const file = (id: number, [hash, ext]: readonly [string, string], more: Json = {}): Json =>
  entity(FILE, id, {
    documentId: `file${id}`,
    name: `${id}${ext}`,
    hash,
    ext,
    mime: 'text/plain',
    size: 1,
    url: `/uploads/${hash}${ext}`,
    provider: 'local',
    folderPath: '/',
    ...more,
  });
const page = (id: number, data: Json): Json =>
  entity(PAGE, id, { documentId: `page${id}`, publishedAt: null, ...data });
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

const ENTITIES: readonly Json[] = [
  page(1, { title: 'one', data: { ['__proto__x']: 1, constructor: 2 } }),
  file(1, ['../../../evil', '.txt']),
  file(2, ['link', '.txt']),
  file(3, ['none', '.txt']),
  file(4, ['picture', '.png'], { mime: 'image/png', size: 1e9, width: 'wide', formats: 'all' }),
  file(5, ['text', '.txt'], { mime: 'text/plain', size: -1, width: 4 }),
  file(6, ['..', '']),
  file(7, ['/tmp/evil', '.txt']),
  file(8, ['markup', '.png'], { mime: 'image/png' }),
  file(9, ['twice', '.txt']),
];
const deep = Buffer.from(
  `{"type":"${PAGE}","id":9,"data":{"documentId":"page9","title":"deep","data":${nested(100_000)},"gone":${nested(100_000)}}}\n`,
);

/** Header of a link in a tar file. */
function linkBytes(name: string, target: string): Buffer {
  const block = entryBytes({ name, body: Buffer.alloc(0) });
  block.write('2', 156);
  block.write(target, 157);
  block.write(' '.repeat(8), 148);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148);
  return block;
}

const ENTRIES: readonly Entry[] = [
  { name: 'metadata.json', body: lines([{ strapi: { version: '5.44.0' } }]) },
  {
    name: 'schemas/schemas_00001.jsonl',
    body: lines([
      typeSchema('page', {
        title: { type: 'string' },
        data: { type: 'json' },
        photos: { type: 'media', multiple: true },
      }),
    ]),
  },
  { name: 'entities/entities_00001.jsonl', body: Buffer.concat([lines(ENTITIES), deep]) },
  {
    name: 'links/links_00001.jsonl',
    body: Buffer.concat([
      lines([4, 5].map((id) => fileLink(id, [PAGE, 1, 'photos'], id))),
      Buffer.from(`{"kind":${nested(100_000)}}\n`),
    ]),
  },
  { name: 'assets/uploads/../../../evil.txt', body: Buffer.from('evil') },
  { name: '../../assets/uploads/..', body: Buffer.from('evil') },
  { name: '/assets/uploads//tmp/evil.txt', body: Buffer.from('evil') },
  { name: 'assets/uploads/none.txt', body: Buffer.alloc(0) },
  { name: 'assets/uploads/picture.png', body: Buffer.from('no picture') },
  { name: 'assets/uploads/text.txt', body: png },
  {
    name: 'assets/uploads/markup.png',
    body: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
  },
  { name: 'assets/uploads/twice.txt', body: Buffer.from('first') },
  { name: 'assets/uploads/twice.txt', body: Buffer.from('second') },
];

describe('a hostile archive', () => {
  let folder: string;
  let host: Adopted;
  let output: string;
  let report: { changed: Json[]; none: Json[] };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hostile-'));
    const archive = join(folder, 'a/b/c/hostile.tar');
    await mkdir(join(folder, 'a/b/c'), { recursive: true });
    await writeFile(
      archive,
      Buffer.concat([
        linkBytes('assets/uploads/link.txt', '/etc/passwd'),
        ...ENTRIES.map(entryBytes),
        Buffer.alloc(1024),
      ]),
    );
    host = await startAdopted(await adoptedModel(archive));
    output = await host.adopt(archive);
    report = JSON.parse(await readFile(join(host.folder, 'report.json'), 'utf8'));
  });
  afterAll(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });

  const rowsOf = (text: string): unknown =>
    [...report.none, ...report.changed].find((remark) => String(remark['text']).startsWith(text))?.['rows'];

  it('moves, and writes nothing outside of its folders', async () => {
    expect(output).toContain('Moved: 11 new, 0 replaced, 0 unchanged, 0 left out');
    expect(await readdir(folder, { recursive: true })).toEqual(['a', 'a/b', 'a/b/c', 'a/b/c/hostile.tar']);
    const stored = await readdir(host.folder, { recursive: true });
    expect(stored.filter((path) => /evil|twice|link/.test(path))).toEqual([]);
  });

  it('leaves out JSON that is too deep for the stack, and names its row', async () => {
    const response = await fetch(`${host.url}/api/pages/page9?status=draft`);
    const { data } = (await response.json()) as Json;
    expect(data).toMatchObject({ title: 'deep', data: null });
    expect(rowsOf('The value is left out: it has more than 500 levels')).toEqual(['page9 (row 9)']);
  });

  it('does not follow links of a tar file', () => {
    expect(rowsOf('The archive has no bytes of the file')).toEqual(['file2: 2.txt', 'file6: 6']);
  });

  it('trusts the bytes of a file, not what its row says about them', async () => {
    const files = (await (await fetch(`${host.url}/api/upload/files`)).json()) as Json[];
    const named = (id: string) => files.find(({ documentId }) => documentId === id);
    expect(named('file3')).toMatchObject({ size: 0 });
    expect(named('file5')).toMatchObject({ ext: '.png', mime: 'image/png', size: 0.07, width: 1 });
    expect(rowsOf('The bytes are not stored: The file "file.png" has conflicting types')).toEqual([
      'file4: 4.png',
    ]);
    expect(rowsOf('The bytes are not stored: Files of type image/svg+xml are not allowed')).toEqual([
      'file8: 8.png',
    ]);
  });
});
