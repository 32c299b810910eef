/** Archives that were unpacked, edited and packed again by other programs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as SourceRoom from '../../src/features/adopt/source.ts';
import { loadRoom } from '../support/rooms.ts';
import { type Entry, tarOf } from './generator/tar.ts';
import { entity, type Json, typeSchema } from './small-archive.ts';

const { openSource } = await loadRoom<typeof SourceRoom>('features/adopt/source');

const lines = (...values: readonly Json[]): string => values.map((value) => JSON.stringify(value)).join('\n');
const entry = (name: string, text: string): Entry => ({ name, body: Buffer.from(text) });
const row = (id: number): Json => entity('api::page.page', id, { documentId: `page${id}` });
const schema = lines(typeSchema('page', { title: { type: 'string' } }));

describe('an archive that was packed again', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packed-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function open(...entries: readonly Entry[]): ReturnType<typeof openSource> {
    const path = join(folder, 'archive.tar');
    await writeFile(path, tarOf(entries));
    return openSource(path, { work: folder, say: () => undefined });
  }

  it('is read in a further folder, with files of macOS, byte order marks and line breaks of Windows', async () => {
    const long = `${'long-'.repeat(30)}ü.png`;
    const { content, remarks } = await open(
      entry('./my export/._metadata.json', '\u0000\u0005'),
      entry('./my export/metadata.json', `\uFEFF{"createdAt":"when","strapi":{"version":"5.1.0"}}`),
      entry('./my export/schemas/schemas_00001.jsonl', `\uFEFF${schema}`),
      entry('./my export/entities/._entities_00001.jsonl', '\u0000'),
      entry('./my export/entities/entities_00001.jsonl', `${lines(row(1))}\r\n\r\n${lines(row(2))}\r\n`),
      entry('./my export/entities/entities_00002.jsonl', lines(row(3))),
      entry(`./my export/assets/uploads/${long}`, 'png'),
      entry('./my export/assets/.DS_Store', '\u0000'),
    );
    expect(content?.survey).toMatchObject({
      ...{ version: '5.1.0', createdAt: '1970-01-01T00:00:00.000Z' },
      ...{ rows: new Map([['api::page.page', 3]]), assets: new Set([long]) },
    });
    expect(remarks).toEqual([]);
  });

  it('has the locales of rows, also if the project does not list them any more', async () => {
    const localized = { pluginOptions: { i18n: { localized: true } } };
    const news = (id: number, locale: string): Json => entity('api::news.news', id, { locale });
    const { content, remarks } = await open(
      entry('entities/entities_00001.jsonl', lines(news(1, 'de'), news(2, 'en'), news(3, 'not one'))),
      entry('entities/entities_00002.jsonl', lines(entity('api::page.page', 1, { locale: 'own' }))),
      entry('schemas/schemas_00001.jsonl', `${schema}\n${lines(typeSchema('news', {}, localized))}`),
    );
    expect(content?.survey).toMatchObject({ defaultLocale: 'en', locales: ['en', 'de'] });
    expect(remarks.map(({ list, key }) => [list, key])).toEqual([
      ['changed', 'en'],
      ['changed', 'de'],
    ]);
  });

  it('names the file and the line of what cannot be read', async () => {
    const { content, remarks } = await open(
      entry('schemas/schemas_00001.jsonl', schema),
      entry('entities/entities_00001.jsonl', `${lines(row(1))}\n{"type":"api::pa\n[1]\n${lines(row(2))}`),
    );
    expect(content?.survey.rows).toEqual(new Map([['api::page.page', 2]]));
    expect(remarks).toMatchObject([{ subject: 'entities/entities_00001.jsonl', rows: ['2', '3'], count: 2 }]);
  });
});
