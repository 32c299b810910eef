/** The one gate for uploads of every route: what a file says it is, what it is, and what the policy has. */
import { open } from 'node:fs/promises';
import { fileTypeFromFile, supportedMimeTypes } from 'file-type';
import { type ContentError, validationError } from '../errors.js';
import {
  declaredKind,
  extensionOfKind,
  hasExtension,
  isActive,
  isSameKind,
  isSynonym,
  isText,
  kindOfExtension,
  UNKNOWN,
} from './file-kinds.js';
import { checkedName, extensionOf } from './file-names.js';

/** A file as it came in. */
export interface Arrived {
  /** Its name in the form, a client's text. */
  readonly fileName: string;
  /** Its content type in the form, a client's text. */
  readonly contentType: string;
  /** Where its bytes are. */
  readonly path: string;
}

/** What a file is, once it has passed. */
export interface Admitted {
  readonly name: string;
  readonly mime: string;
  /** In lower case, with its dot. */
  readonly ext: string;
}

/** How much of a text is looked at. */
const HEAD = 4096;
const BEFORE_ROOT = /^(\s|<!--[^]*?-->|<\?(?!xml)[^]*?\?>)+/;
const DECLARATION = /^<\?xml[^]*?\?>/i;
const SVG = /^(<!doctype\s+svg|<(\w+:)?svg[\s>/])/i;
const HTML =
  /^<(!doctype\s+html|html|head|body|script|iframe|style|link|meta|title|object|embed|form)\b[^]*/i;

const withoutNoise = (text: string): string => text.replace(BEFORE_ROOT, '');

/** What text is by its first element; null for plain text. */
function kindOfText(text: string): string | null {
  const start = withoutNoise(text);
  const isXml = DECLARATION.test(start);
  const root = withoutNoise(start.replace(DECLARATION, ''));
  if (SVG.test(root) || /^<!doctype[^>[]*\[[^]*<(\w+:)?svg[\s>/]/i.test(root)) return 'image/svg+xml';
  if (HTML.test(root)) return 'text/html';
  // A prologue longer than what was looked at hides what it is.
  return isXml || /^<[!?]/.test(start) ? 'application/xml' : null;
}

async function headOf(path: string): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Text in the encoding that its first bytes tell. */
function textOf(bytes: Buffer): string {
  const encoding = bytes[0] === 0xff || bytes[0] === 0xfe ? 'utf-16' : 'utf-8';
  const bigEndian = bytes[0] === 0xfe && bytes[1] === 0xff;
  return new TextDecoder(bigEndian ? 'utf-16be' : encoding).decode(bytes);
}

/** What the bytes are; null for text and for what nothing is known of. */
async function kindOfBytes(path: string): Promise<string | null> {
  const found = (await fileTypeFromFile(path))?.mime;
  if (found !== undefined && found !== 'application/xml') return found;
  return kindOfText(textOf(await headOf(path))) ?? found ?? null;
}

const sayings = (parts: readonly (readonly [string, string | null])[]): string =>
  parts.flatMap(([what, type]) => (type === null ? [] : [`its ${what} says ${type}`])).join(', ');

/** Everything that is said of a file's kind. */
interface Sayings {
  readonly declared: string | null;
  readonly named: string | null;
  readonly found: string | null;
}

/** Whether the type that a form declares and the one that a name stands for can be one. */
const isOneName = (declared: string, named: string, ext: string): boolean =>
  isSameKind(declared, named) ||
  isSameKind(named, declared) ||
  hasExtension(declared, ext) ||
  (isText(declared) && isText(named));

/** Whether the bytes are what the file is called; what can be told from its bytes has to be. */
function isWhatItSays(said: string | null, found: string | null, ext: string): boolean {
  if (said === null) return found === null || !isActive(found) || hasExtension(found, ext);
  if (found !== null) return isSameKind(found, said);
  return !supportedMimeTypes.has(said) || isActive(said);
}

/** Whether all that is said of a file can be true of one file. */
function agrees({ declared, named, found }: Sayings, ext: string): boolean {
  if (declared !== null && named !== null && !isOneName(declared, named, ext)) return false;
  // An extension that stands for nothing does not hide what stands for something.
  if (ext !== '' && named === null && found !== null && !hasExtension(found, ext)) return false;
  return isWhatItSays(named ?? declared, found, ext);
}

/** Whether the policy has a type: what a browser could run by its very name alone. */
const isAllowed = (type: string, allowed: readonly string[]): boolean =>
  allowed.some((one) => isSynonym(one, type)) ||
  (!isActive(type) && (allowed.includes('*') || allowed.includes(type.replace(/\/.*/, '/*'))));

const refusal = (message: string, index: number): ContentError =>
  validationError(message, { key: 'files', path: `files.${index}`, source: 'body' });

/**
 * What a file is. Throws an ApplicationError for a dangerous name (20.11), a ValidationError where name,
 * declared type and bytes tell different things, or the policy has no such files (S23).
 */
export async function admit(file: Arrived, allowed: readonly string[], index: number): Promise<Admitted> {
  const name = checkedName(file.fileName);
  const ext = extensionOf(name);
  const said = { declared: declaredKind(file.contentType), named: kindOfExtension(ext) };
  const sayingsOf = { ...said, found: await kindOfBytes(file.path) };
  const { declared, named, found } = sayingsOf;
  const mime = named ?? found ?? declared ?? UNKNOWN;
  const known = [declared, named, found].filter((type) => type !== null);
  const refused = [...known.filter(isActive), mime].find((type) => !isAllowed(type, allowed));
  if (refused !== undefined) throw refusal(`Files of type ${refused} are not allowed: "${name}"`, index);
  if (!agrees(sayingsOf, ext)) {
    const told = sayings([
      ['name', named],
      ['declared type', declared],
      ['content', found ?? (isText(named ?? declared ?? '') ? null : 'something else')],
    ]);
    throw refusal(`The file "${name}" is not what it says it is: ${told}`, index);
  }
  return { name, mime, ext: ext === '' ? extensionOfKind(mime) : ext };
}
