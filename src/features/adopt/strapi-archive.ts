/** Reads archives of `strapi export`: tar files, gzipped or encrypted, and unpacked folders. */
import { messageOf } from '../../kernel/errors.js';
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isObject, isText } from '../../kernel/json.js';
import { linesOf, MAX_LINE_BYTES } from '../../kernel/lines.js';
import { AdoptError } from './adopt-error.js';
import { decipher, endsEarly, formOf, HEAD_BYTES, isDamaged, notTar } from './archive-form.js';
import { readTar, type TarErrors, type TarFile } from './read-tar.js';

export type StrapiObject = Readonly<Record<string, unknown>>;

/** Parts of an archive whose files contain one JSON object per line. */
const LINE_PARTS = ['schemas', 'entities', 'links', 'configuration'] as const;

export type StrapiPart = (typeof LINE_PARTS)[number];

/** Item of an archive, in the order of the file. `name` is the path of its file in the archive. */
export type StrapiItem =
  | {
      readonly part: StrapiPart | 'metadata' | 'assetMetadata';
      readonly name: string;
      readonly value: StrapiObject;
    }
  /** Line or file that is not a JSON object. */
  | { readonly part: 'damaged'; readonly name: string; readonly line: number }
  | {
      readonly part: 'asset';
      readonly name: string;
      readonly size: number;
      readonly bytes: AsyncIterable<Buffer>;
    };

export interface StrapiArchive {
  /** Opens the archive and reads it once. Read the bytes of an asset before the next item. */
  readonly items: () => AsyncGenerator<StrapiItem>;
  readonly path: string;
}

/** Mark at the start of files that some editors of Windows have saved. */
const BYTE_ORDER_MARK = /^\uFEFF/;

/** Levels of lists and objects that are read, which is more than a value may have. */
const MAX_LEVELS = 1000;

/** Replaces what is deeper by null: functions such as `JSON.stringify` would exhaust the stack. */
function cutBelow(value: object, left = MAX_LEVELS): void {
  for (const [key, one] of Object.entries(value) as [string, unknown][]) {
    if (typeof one !== 'object' || one === null) continue;
    if (left === 0) Reflect.set(value, key, null);
    else cutBelow(one, left - 1);
  }
}

const OBJECT_START = /^\uFEFF?\s*\{/;

const objectIn = (line: string): StrapiObject | null => {
  if (!OBJECT_START.test(line)) return null;
  try {
    const value: unknown = JSON.parse(line.replace(BYTE_ORDER_MARK, ''));
    if (!isObject(value)) return null;
    if (line.length > 2 * MAX_LEVELS) cutBelow(value);
    return value;
  } catch {
    return null;
  }
};

async function* objectsIn(part: StrapiPart, { name, bytes }: TarFile): AsyncGenerator<StrapiItem> {
  let line = 0;
  const tooLong = (): AdoptError => new AdoptError(`${name}: line ${line + 1} is too long`);
  for await (const text of linesOf(bytes, { tooLong })) {
    line += 1;
    if (text.trim() === '') continue;
    const value = objectIn(text);
    yield value === null ? { part: 'damaged', name, line } : { part, name, value };
  }
}

async function* wholeFile(
  part: 'metadata' | 'assetMetadata',
  { name, size, bytes }: TarFile,
): AsyncGenerator<StrapiItem> {
  if (size > MAX_LINE_BYTES) {
    yield { part: 'damaged', name, line: 1 };
    return;
  }
  const pieces: Buffer[] = [];
  for await (const piece of bytes) pieces.push(piece);
  const value = objectIn(Buffer.concat(pieces).toString('utf8'));
  yield value === null ? { part: 'damaged', name, line: 1 } : { part, name, value };
}

const isPart = (word: string): word is StrapiPart => LINE_PARTS.some((one) => one === word);

/** Path in an export, which may be in one more folder if it was packed again. */
const PATH = /^(?:[^/]+\/)?((?:schemas|entities|links|configuration|assets)\/.+|metadata\.json)$/;
/** Files that macOS adds to a folder when it packs it. */
const MACOS_FILES = /(?:^|\/)(?:\._[^/]*|\.DS_Store)$/;

/** Returns the path of a file without the folder around it; null for files that are not part of an export. */
function pathIn(name: string): string | null {
  const path = name.replace(/\\/g, '/').replace(/^(?:\.?\/+)+/, '');
  return MACOS_FILES.test(path) ? null : (PATH.exec(path)?.[1] ?? null);
}

async function* itemsIn(file: TarFile): AsyncGenerator<StrapiItem> {
  const path = pathIn(file.name);
  if (path === null) return;
  const [first = '', second, third] = path.split('/');
  const named = { ...file, name: path };
  if (path === 'metadata.json') yield* wholeFile('metadata', named);
  else if (isPart(first) && path.endsWith('.jsonl')) yield* objectsIn(first, named);
  else if (first === 'assets' && second === 'metadata' && path.endsWith('.json'))
    yield* wholeFile('assetMetadata', named);
  else if (first === 'assets' && second === 'uploads' && third !== undefined)
    yield { part: 'asset', name: path.slice('assets/uploads/'.length), size: file.size, bytes: file.bytes };
}

/** Returns the first bytes of a file. */
async function headOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Codes of errors of streams that end too early. With another last block, the padding is wrong. */
const EARLY: readonly string[] = ['Z_BUF_ERROR', 'ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH', 'ERR_OSSL_BAD_DECRYPT'];

function streamError(path: string, error: unknown): AdoptError {
  const code = isObject(error) && isText(error['code']) ? error['code'] : '';
  if (EARLY.includes(code)) return endsEarly(path);
  return code.startsWith('Z_')
    ? isDamaged(path)
    : new AdoptError(`${path} cannot be read (${messageOf(error)})`);
}

/** Yields the bytes of the tar file. Throws an AdoptError for a wrong key or a damaged file. */
async function* tarBytes(path: string, key: string | undefined): AsyncGenerator<Buffer> {
  const { isGzip, isEncrypted } = formOf({ path, head: await headOf(path) }, key);
  const steps: Transform[] = [];
  if (isEncrypted && key !== undefined) steps.push(decipher(key));
  if (isGzip) steps.push(createGunzip());
  const source: Readable = createReadStream(path);
  const last: Readable = steps.at(-1) ?? source;
  const piped = steps.length === 0 ? Promise.resolve() : pipeline([source, ...steps]);
  const failed = piped.then(
    () => null,
    (error: unknown) => error,
  );
  try {
    for await (const piece of last) if (Buffer.isBuffer(piece)) yield piece;
  } catch (error) {
    throw streamError(path, error);
  } finally {
    source.destroy();
    await failed;
  }
}

async function* filesBelow(directory: string, prefix = ''): AsyncGenerator<TarFile> {
  const entries = await readdir(join(directory, prefix), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(directory, name);
    else if (entry.isFile()) {
      const path = join(directory, name);
      const { size } = await stat(path);
      const bytes: AsyncIterable<Buffer> = { [Symbol.asyncIterator]: () => piecesOf(path) };
      yield { name, size, bytes };
    }
  }
}

async function* piecesOf(path: string): AsyncGenerator<Buffer> {
  for await (const piece of createReadStream(path)) if (Buffer.isBuffer(piece)) yield piece;
}

const errorsOf = (path: string): TarErrors => ({
  foreign: (head) => notTar({ path, head }),
  damaged: (last) => isDamaged(path, last),
  early: (last) => endsEarly(path, last),
});

/**
 * Reads an export of Strapi 4 or 5: `.tar`, `.tar.gz`, the same with `.enc`, or an unpacked folder. Reading
 * throws an AdoptError for a wrong key or a damaged file.
 */
export function readStrapiArchive(path: string, options: { readonly key?: string } = {}): StrapiArchive {
  return {
    path,
    items: async function* () {
      const isFolder = (await stat(path)).isDirectory();
      const files = isFolder ? filesBelow(path) : readTar(tarBytes(path, options.key), errorsOf(path));
      for await (const file of files) yield* itemsIn(file);
    },
  };
}
