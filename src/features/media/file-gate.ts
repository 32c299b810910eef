/** Checks the uploads of every route: name, declared type, bytes and the allowed types. */
import { open } from 'node:fs/promises';
import { fileTypeFromFile, supportedMimeTypes } from 'file-type';
import { type ContentError, validationError } from '../../kernel/errors.js';
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

export interface Arrived {
  /** File name in the form, unchecked. */
  readonly fileName: string;
  /** Content type in the form, unchecked. */
  readonly contentType: string;
  readonly path: string;
}

export interface Admitted {
  readonly name: string;
  readonly mime: string;
  readonly ext: string;
}

/** Bytes of a text that are searched for markup. */
const HEAD_BYTES = 4096;
const BEFORE_ROOT = /^(\s|<!--[^]*?-->|<\?(?!xml)[^]*?\?>)+/;
const DECLARATION = /^<\?xml[^]*?\?>/i;
const SVG = /^(<!doctype\s+svg|<(\w+:)?svg[\s>/])/i;
const HTML =
  /^<(!doctype\s+html|html|head|body|script|iframe|style|link|meta|title|object|embed|form)\b[^]*/i;

const withoutNoise = (text: string): string => text.replace(BEFORE_ROOT, '');

/** Returns the type of a text by its first element; null for plain text. */
function kindOfText(text: string): string | null {
  const start = withoutNoise(text);
  const isXml = DECLARATION.test(start);
  const root = withoutNoise(start.replace(DECLARATION, ''));
  if (SVG.test(root) || /^<!doctype[^>[]*\[[^]*<(\w+:)?svg[\s>/]/i.test(root)) return 'image/svg+xml';
  if (HTML.test(root)) return 'text/html';
  // A prologue longer than {@link HEAD_BYTES} hides the root element.
  return isXml || /^<[!?]/.test(start) ? 'application/xml' : null;
}

async function headOf(path: string): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Decodes text by its byte order mark. */
function textOf(bytes: Buffer): string {
  const encoding = bytes[0] === 0xff || bytes[0] === 0xfe ? 'utf-16' : 'utf-8';
  const bigEndian = bytes[0] === 0xfe && bytes[1] === 0xff;
  return new TextDecoder(bigEndian ? 'utf-16be' : encoding).decode(bytes);
}

async function kindOfBytes(path: string): Promise<string | null> {
  const found = (await fileTypeFromFile(path))?.mime;
  if (found !== undefined && found !== 'application/xml') return found;
  return kindOfText(textOf(await headOf(path))) ?? found ?? null;
}

const describe = (parts: readonly (readonly [string, string | null])[]): string =>
  parts.flatMap(([what, type]) => (type === null ? [] : [`${type} by its ${what}`])).join(', ');

interface FileTypes {
  readonly declared: string | null;
  readonly named: string | null;
  readonly found: string | null;
}

/** Whether the declared type and the type of the name can describe the same file. */
const isOneName = (declared: string, named: string, ext: string): boolean =>
  isSameKind(declared, named) ||
  isSameKind(named, declared) ||
  hasExtension(declared, ext) ||
  // Browsers declare CSV so if Excel is installed.
  (declared === 'application/vnd.ms-excel' && named === 'text/csv') ||
  (isText(declared) && isText(named));

/** Whether the bytes match the declared or named type. A type that bytes can prove requires that proof. */
function matchesClaim(claimed: string | null, found: string | null, ext: string): boolean {
  if (claimed === null) return found === null || !isActive(found) || hasExtension(found, ext);
  if (found !== null) return isSameKind(found, claimed);
  return !supportedMimeTypes.has(claimed) || isActive(claimed);
}

function agrees({ declared, named, found }: FileTypes, ext: string): boolean {
  if (declared !== null && named !== null && !isOneName(declared, named, ext)) return false;
  // An unknown extension must not hide bytes of a known type.
  if (ext !== '' && named === null && found !== null && !hasExtension(found, ext)) return false;
  return matchesClaim(named ?? declared, found, ext);
}

/**
 * Whether a type is allowed. A type that a browser could run needs its exact name; a wildcard does not allow
 * it.
 */
const isAllowed = (type: string, allowed: readonly string[]): boolean =>
  allowed.some((one) => isSynonym(one, type)) ||
  (!isActive(type) && (allowed.includes('*') || allowed.includes(type.replace(/\/.*/, '/*'))));

const refusal = (message: string, index: number): ContentError =>
  validationError(message, { key: 'files', path: `files.${index}`, source: 'body' });

/**
 * Checks a file and returns its name and type. Throws an ApplicationError for a dangerous name (20.11).
 * Throws a ValidationError if name, declared type and bytes disagree, or the type is not allowed.
 */
export async function admit(file: Arrived, allowed: readonly string[], index: number): Promise<Admitted> {
  const name = checkedName(file.fileName);
  const ext = extensionOf(name);
  const claims = { declared: declaredKind(file.contentType), named: kindOfExtension(ext) };
  const types = { ...claims, found: await kindOfBytes(file.path) };
  const { declared, named, found } = types;
  const mime = named ?? found ?? declared ?? UNKNOWN;
  const kinds = [declared, named, found].filter((type) => type !== null);
  const refused = [...kinds.filter(isActive), mime].find((type) => !isAllowed(type, allowed));
  if (refused !== undefined) throw refusal(`Files of type ${refused} are not allowed: "${name}"`, index);
  if (!agrees(types, ext)) {
    const described = describe([
      ['name', named],
      ['declared type', declared],
      ['content', found ?? (isText(named ?? declared ?? '') ? null : 'another type')],
    ]);
    throw refusal(`The file "${name}" has conflicting types: ${described}`, index);
  }
  return { name, mime, ext: ext === '' ? extensionOfKind(mime) : ext };
}
