/** Files that are not an export of Strapi, or only a part of one: the command says what they seem to be. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type * as CommandRoom from '../../src/module/command-line.ts';
import { loadRoom } from '../support/rooms.ts';
import { sealed, tarOf } from './generator/tar.ts';
import { entity, type Json, typeSchema } from './small-archive.ts';

const { run } = await loadRoom<typeof CommandRoom>('module/command-line');

const line = (value: Json): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
const KEY = 'secret';
const random = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, i) => (i * i * 37 + 129) % 256));
const content = tarOf([
  { name: 'metadata.json', body: line({ strapi: { version: '5.44.0' } }) },
  { name: 'schemas/schemas_00001.jsonl', body: line(typeSchema('page', { title: { type: 'string' } })) },
  { name: 'entities/entities_00001.jsonl', body: line(entity('api::page.page', 1, { documentId: 'one' })) },
  { name: 'assets/uploads/a.bin', body: random(5000) },
]);
const packed = gzipSync(content);
const encrypted = sealed(content, '.tar.gz.enc', KEY);
const halfOf = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length >> 1);
/** Returns bytes with one changed in the middle. */
function spoiled(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}
const ends = Buffer.alloc(1024);

/** Name and bytes of a file, the key, and the message about it. */
const REFUSED: readonly (readonly [name: string, bytes: Buffer | string, key: string, message: string])[] = [
  ['empty.tar.gz', '', '', 'is empty: copy it or export it again'],
  ['empty.tar.gz.enc', '', KEY, 'is empty: copy it or export it again'],
  [
    'export.zip',
    'PK\u0003\u0004\u0014',
    '',
    'is a zip file: unpack it, and name the folder or the archive in it',
  ],
  ['named.tar.gz', 'PK\u0003\u0004\u0014', KEY, 'is a zip file: unpack it'],
  ['export.tar.bz2', 'BZh91AY', '', 'is packed, but not by gzip: unpack it'],
  ['data.db', 'SQLite format 3\u0000', '', 'is an SQLite database: run "strapi export" in the project'],
  ['dump.pg', 'PGDMP\u0001', '', 'is a dump of PostgreSQL: run "strapi export"'],
  ['data.json', '\uFEFF\n {"api::page.page": []}', '', 'is a JSON file: run "strapi export"'],
  ['data.jsonl.gz', gzipSync('[1]'), '', 'is packed by gzip, but contains a JSON file: run "strapi export"'],
  ['notes.txt', 'ünexpected'.repeat(100), '', 'is a text file: run "strapi export"'],
  ['dump.sql.gz', gzipSync('create table'), '', 'is packed by gzip, but contains a text file'],
  ['nothing.gz', gzipSync(''), '', 'is packed by gzip, but contains no files'],
  ['bytes.gz', gzipSync(random(2000)), '', 'is packed by gzip, but contains no tar file'],
  [
    'own.gz',
    gzipSync('{"archive":"nestjs-content-api"}'),
    '',
    'contains an archive of this library: the command "import" reads it',
  ],
  [
    'image.bin',
    random(2000),
    '',
    'is neither tar nor gzip: if it is encrypted, give the key of the export with --key',
  ],
  ['image.tar.enc', random(2000), KEY, 'cannot be decrypted: the key is wrong, or it is not an export'],
  ['export.tar.gz.enc', encrypted, '', 'is encrypted: give the key of the export with --key'],
  ['renamed.tar.gz', encrypted, '', 'if it is encrypted, give the key of the export with --key'],
  ['export.tar.gz.enc', encrypted, 'wrong', 'cannot be decrypted: the key is wrong'],
  ['export.tar.enc', sealed(content, '.tar.enc', KEY), 'wrong', 'cannot be decrypted: the key is wrong'],
  ['cut.tar', halfOf(content), '', 'ends too early after entities/entities_00001.jsonl: it is incomplete'],
  [
    'whole.tar',
    content.subarray(0, content.length - 1024),
    '',
    'ends too early after assets/uploads/a.bin: it is incomplete',
  ],
  ['cut.tar.gz', halfOf(packed), '', 'ends too early: it is incomplete, copy it or export it again'],
  ['cut.tar.gz.enc', encrypted.subarray(0, 401), KEY, 'ends too early: it is incomplete'],
  ['block.tar.gz.enc', encrypted.subarray(0, 400), KEY, 'ends too early: it is incomplete'],
  ['bad.tar', spoiled(content, 1030), '', 'is damaged after metadata.json: copy it or export it again'],
  ['bad.tar.gz', spoiled(packed, 60), '', 'is damaged'],
  [
    'other.tar',
    tarOf([{ name: 'readme.md', body: ends }]),
    '',
    'is not an export of Strapi: it contains neither schemas nor entities',
  ],
  [
    'types.tar',
    tarOf([{ name: 'entities/entities_00001.jsonl', body: line(entity('api::page.page', 1, {})) }]),
    '',
    'contains entities, but no schemas: copy it or export it again',
  ],
  [
    'zeros.tar',
    Buffer.alloc(2048),
    '',
    'is not an export of Strapi: it contains neither schemas nor entities',
  ],
];

/** Exports whose name does not say whether they are encrypted. */
const READ: readonly (readonly [name: string, bytes: Buffer, key: string])[] = [
  ['plain.tar', content, KEY],
  ['plain.tar.gz', packed, KEY],
  ['plain.tar.gz.enc', packed, ''],
  ['plain.tar.enc', content, KEY],
  ['renamed.tar.gz', encrypted, KEY],
  ['export.tar.gz.enc', encrypted, KEY],
];

describe('a file that the command cannot read', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'no-archive-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function adopt(name: string, bytes: Buffer | string, key: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, bytes);
    const places = [
      '--out',
      join(folder, 'out'),
      '--report',
      join(folder, 'report'),
      '--work',
      join(folder, 'work'),
    ];
    const given = key === '' ? [] : ['--key', key];
    return run(['adopt', path, ...given, ...places], { env: {}, say: () => undefined });
  }

  it.each(REFUSED)(
    '%s: the message says what it seems to be, and nothing is written',
    async (name, bytes, key, message) => {
      await expect(adopt(name, bytes, key)).rejects.toThrow(`${join(folder, name)} `);
      await expect(adopt(name, bytes, key)).rejects.toThrow(message);
      expect(await readdir(folder)).toEqual([name]);
    },
  );

  it('an unpacked export without its schemas is not a project', async () => {
    await mkdir(join(folder, 'export', 'entities'), { recursive: true });
    await writeFile(join(folder, 'export', 'metadata.json'), line({ strapi: { version: '5.44.0' } }));
    await writeFile(
      join(folder, 'export', 'entities', 'entities_00001.jsonl'),
      line(entity('api::page.page', 1, {})),
    );
    await expect(run(['adopt', join(folder, 'export')], { env: {}, say: () => undefined })).rejects.toThrow(
      'contains entities, but no schemas: copy it or export it again',
    );
  });

  it.each(READ)('%s is read, encrypted or not', async (name, bytes, key) => {
    expect(await adopt(name, bytes, key)).toContain('Definitions: ');
  });
});
