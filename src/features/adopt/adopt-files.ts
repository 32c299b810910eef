/** Bytes of files: from the assets of an archive to the contents of the library's own archive. */
import mime from 'mime';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { ArchivedContents } from '../../content/documents/archive-parts.js';
import { isObject, isText } from '../../kernel/json.js';
import type { ArchiveSink } from './archive-sink.js';
import type { FactsFile } from './facts-file.js';
import { FILE_UID } from './names.js';
import type { Remarks } from './remark.js';
import { objectOf, textOf } from './source-schema.js';
import type { StrapiArchive, StrapiObject } from './strapi-archive.js';
import { assetName, type Survey } from './survey.js';

export interface FilesTask {
  readonly archive: StrapiArchive;
  readonly survey: Survey;
  /** Or the reason why no bytes are stored. */
  readonly contents: ArchivedContents | string | undefined;
  readonly sink: ArchiveSink;
  readonly facts: FactsFile;
  readonly remarks: Remarks;
  readonly directory: string;
  readonly progress: (what: string, count: number, total: number) => void;
}

interface Saved {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

async function save(bytes: AsyncIterable<Buffer>, path: string): Promise<Saved> {
  const digest = createHash('sha256');
  let size = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of bytes) {
      digest.update(piece);
      size += piece.length;
      yield Buffer.from(piece);
    }
  };
  await pipeline(Readable.from(counted()), createWriteStream(path));
  return { path, size, sha256: digest.digest('hex') };
}

/** Reports assets that belong to no row. The name of a format is that of its file, with a prefix. */
function reportUnused({ survey, remarks }: FilesTask): void {
  const { assets, fileNames } = survey;
  const text = 'Bytes that no row of the media library has: they are not stored';
  for (const name of assets)
    if (!fileNames.has(name) && !fileNames.has(name.slice(name.indexOf('_') + 1)))
      remarks.add({ list: 'none', subject: 'assets', text }, name);
}

/** Returns the extension that a file without one gets: that of its media type. */
function extensionFor(name: string, { plainFiles }: Survey): string {
  const found = mime.getExtension(plainFiles.get(name) ?? '') ?? '';
  return found === '' ? '' : `.${found}`;
}

/** Writes the contents of the assets that rows need. Assets that are formats are made again. */
export async function adoptFiles(task: FilesTask): Promise<void> {
  const { archive, survey, contents, sink, facts, directory, progress } = task;
  reportUnused(task);
  if (contents === undefined || isText(contents)) return;
  const folder = join(directory, 'files');
  await mkdir(folder, { recursive: true });
  const written = new Set<string>();
  let done = 0;
  await sink.part({ part: 'contents' });
  for await (const item of archive.items()) {
    if (item.part !== 'asset') continue;
    const name = assetName(item.name, survey.fileNames);
    if (!survey.fileNames.has(name)) continue;
    const saved = await save(item.bytes, join(folder, 'asset'));
    const full = `${name}${extensionFor(name, survey)}`;
    const prepared = await contents.prepare({ ...saved, name: full, directory: folder });
    if (typeof prepared === 'string') facts.set(name, { refused: prepared });
    else {
      facts.set(name, { ...prepared.values, unprocessed: prepared.unprocessed });
      for (const { key, path, size, mime: type } of prepared.bytes) {
        if (written.has(key)) continue;
        written.add(key);
        await sink.content({ content: key, size, mime: type });
        for await (const piece of createReadStream(path)) if (Buffer.isBuffer(piece)) await sink.bytes(piece);
      }
    }
    progress('files', (done += 1), survey.fileNames.size);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
  }
  await sink.endPart();
}

/** Returns formats with their names, which contain that of the file. */
const namedFormats = (formats: unknown, name: string): unknown =>
  isObject(formats)
    ? Object.fromEntries(
        Object.entries(formats).map(([format, one]) => [
          format,
          { ...objectOf(one), name: `${format}_${name}` },
        ]),
      )
    : null;

const GIVEN_EXTENSION = 'Files without an extension: they get that of their media type';
const OTHER_EXTENSION = 'Files whose extension did not match their bytes: it is changed';

/** Completes the row of a file with the facts of its stored bytes, such as size, type and formats. */
export function fileValues(
  data: StrapiObject,
  row: string,
  { facts, survey, contents, remarks }: Pick<FilesTask, 'facts' | 'survey' | 'contents' | 'remarks'>,
): StrapiObject {
  const asset = `${textOf(data['hash'])}${textOf(data['ext'])}`;
  const folder = textOf(data['folderPath']);
  const folderPath = survey.folders.get(folder) ?? null;
  const row0 = { ...data, folderPath };
  const fact = facts.get(asset);
  const say = (text: string): void =>
    remarks.add({ list: 'none', subject: FILE_UID, text }, `${row}: ${textOf(data['name'])}`);
  if (folderPath === null && folder !== '' && folder !== '/')
    say('Files in folders that the archive does not contain: they are in none');
  if (fact !== null && fact['refused'] === undefined) {
    if (fact['ext'] !== data['ext'])
      remarks.add(
        {
          list: 'changed',
          subject: FILE_UID,
          text: textOf(data['ext']) === '' ? GIVEN_EXTENSION : OTHER_EXTENSION,
        },
        `${row}: ${textOf(data['name'])}`,
      );
    if (isText(data['url']) && data['url'] !== fact['url'])
      remarks.add(
        {
          list: 'changed',
          subject: FILE_UID,
          key: 'url',
          text: 'Files whose URL changes: texts that contain the old URL keep it',
        },
        `${row}: ${data['url']}`,
      );
    const { unprocessed, ...values } = fact;
    if (isText(unprocessed)) say(`No formats are made of the picture: ${unprocessed}`);
    return { ...row0, ...values, formats: namedFormats(fact['formats'], textOf(data['name'])) };
  }
  if (fact !== null) say(`The bytes are not stored: ${textOf(fact['refused'])}`);
  else if (isText(contents)) say(`The bytes are not stored: ${contents}`);
  else if (!survey.assets.has(asset))
    say('The archive has no bytes of the file: its URL stays, and works only if it leads elsewhere');
  return row0;
}
