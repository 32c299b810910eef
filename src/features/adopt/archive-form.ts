/** Recognizes exports by their first bytes, and names what other files seem to be. */
import { createDecipheriv, scryptSync } from 'node:crypto';
import type { Transform } from 'node:stream';
import { AdoptError } from './adopt-error.js';
import { isTarHeader, TAR_BLOCK } from './tar-header.js';

/** Number of bytes that {@link formOf} needs. */
export const HEAD_BYTES = TAR_BLOCK;

export interface ArchiveForm {
  readonly isGzip: boolean;
  readonly isEncrypted: boolean;
}

const EXPECTED =
  'Expected a .tar, .tar.gz, .tar.enc or .tar.gz.enc file of "strapi export", or its unpacked folder';
const UNPACK = 'unpack it, and name the folder or the archive in it';
const EXPORT = 'run "strapi export" in the project, and name its archive';

/** First characters of files that are not exports, what the files are, and what to do. */
const OTHERS: readonly (readonly [starts: readonly string[], kind: string, advice: string])[] = [
  [['PK\x03\x04', 'PK\x05\x06'], 'a zip file', UNPACK],
  [['BZh', '\xfd7zXZ', '\x28\xb5\x2f\xfd', '7z\xbc\xaf', 'Rar!'], 'packed, but not by gzip', UNPACK],
  [['SQLite format 3'], 'an SQLite database', EXPORT],
  [['PGDMP'], 'a dump of PostgreSQL', EXPORT],
];
const OF_LIBRARY = /^\{"archive":"nestjs-content-api"/;
const JSON_START = /^\s*[[{]/;

/** Returns the text of the first bytes of a file; undefined for other bytes. */
function textIn(head: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    // eslint-disable-next-line no-control-regex
    return /[\x00-\x08\x0e-\x1f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Returns what a file seems to be, and what to do; undefined for unknown bytes. */
function otherKind(head: Buffer): readonly [kind: string, advice: string] | undefined {
  if (head.length === 0) return undefined;
  const start = head.toString('latin1');
  const [, kind, advice] = OTHERS.find(([starts]) => starts.some((one) => start.startsWith(one))) ?? [];
  if (kind !== undefined && advice !== undefined) return [kind, advice];
  const text = textIn(head);
  if (text === undefined) return undefined;
  if (OF_LIBRARY.test(text)) return ['an archive of this library', 'the command "import" reads it'];
  return [JSON_START.test(text) ? 'a JSON file' : 'a text file', EXPORT];
}

/** Deflate without reserved flags: other bytes rarely begin like this by chance. */
const isGzip = (head: Buffer): boolean =>
  head[0] === 0x1f && head[1] === 0x8b && head[2] === 8 && ((head[3] ?? 0) & 0xe0) === 0;
const isTar = (head: Buffer): boolean =>
  isTarHeader(head) || (head.length === TAR_BLOCK && head.every((byte) => byte === 0));

const CIPHER = 'aes-128-ecb';
const KEY_BYTES = 16;

export const decipher = (key: string): Transform & ReturnType<typeof createDecipheriv> =>
  createDecipheriv(CIPHER, scryptSync(key, '', KEY_BYTES), null);

function decrypted(head: Buffer, key: string): Buffer {
  const start = decipher(key);
  start.setAutoPadding(false);
  return start.update(head.subarray(0, head.length - (head.length % KEY_BYTES)));
}

interface Named {
  readonly path: string;
  /** First bytes of the file. */
  readonly head: Buffer;
}

function refusal({ path, head }: Named, key: string | undefined): string {
  const [kind, advice] = otherKind(head) ?? [];
  if (kind !== undefined && advice !== undefined) return `${path} is ${kind}: ${advice}. ${EXPECTED}`;
  if (key !== undefined)
    return `${path} cannot be decrypted: the key is wrong, or it is not an export. ${EXPECTED}`;
  if (path.endsWith('.enc')) return `${path} is encrypted: give the key of the export with --key`;
  return `${path} is neither tar nor gzip: if it is encrypted, give the key of the export with --key. ${EXPECTED}`;
}

/** Returns the form of an archive. Throws an AdoptError for other files, and without the right key. */
export function formOf(file: Named, key: string | undefined): ArchiveForm {
  const { head, path } = file;
  if (head.length === 0) throw new AdoptError(`${path} is empty: copy it or export it again`);
  if (isGzip(head) || isTar(head)) return { isGzip: isGzip(head), isEncrypted: false };
  const plain = key === undefined ? head : decrypted(head, key);
  if (key !== undefined && (isGzip(plain) || isTar(plain)))
    return { isGzip: isGzip(plain), isEncrypted: true };
  throw new AdoptError(refusal(file, key));
}

/** Error of a file whose unpacked bytes do not begin like a tar file. */
export function notTar({ path, head }: Named): AdoptError {
  const [kind, advice] = otherKind(head) ?? [head.length === 0 ? 'no files' : 'no tar file', EXPORT];
  return new AdoptError(`${path} is packed by gzip, but contains ${kind}: ${advice}. ${EXPECTED}`);
}

const after = (file: string): string => (file === '' ? '' : ` after ${file}`);

/** Error of an incomplete archive; `last` is the last file in it that could be read. */
export const endsEarly = (path: string, last = ''): AdoptError =>
  new AdoptError(`${path} ends too early${after(last)}: it is incomplete, copy it or export it again`);

/** Error of a damaged archive; `last` is the last file in it that could be read. */
export const isDamaged = (path: string, last = ''): AdoptError =>
  new AdoptError(`${path} is damaged${after(last)}: copy it or export it again`);
