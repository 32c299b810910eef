/** Names and URLs of files, never a client's text unchecked. */
import { randomBytes } from 'node:crypto';
import slugify from '@sindresorhus/slugify';
import { application } from '../../kernel/errors.js';

/** Maximum length of a file name in characters, with its extension. */
const MAX_LENGTH = 255;
/** Maximum length of the part of a name that a URL contains. */
const MAX_STEM_LENGTH = 100;

/**
 * Separators, control characters and bidirectional marks, which file systems reject or lists show wrongly.
 */
const DANGEROUS = /[/\\:*?"<>|\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;
/** Device names of Windows. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const EXTENSION = /\.[A-Za-z0-9]{1,16}$/;
const TAIL = /_[0-9a-f]{10}$/;

/** Whether a name is refused: it is empty, too long, or could be read as a path. */
const isDangerous = (name: string): boolean =>
  name.trim() === '' ||
  name.length > MAX_LENGTH ||
  !name.isWellFormed() ||
  /^\.+$/.test(name) ||
  DANGEROUS.test(name) ||
  RESERVED.test(name);

/** Returns the file name in NFC. Throws an ApplicationError for a dangerous name (20.11). */
export function checkedName(name: string): string {
  const normalized = name.normalize('NFC');
  if (isDangerous(name) || normalized.length > MAX_LENGTH)
    throw application('File name contains invalid characters');
  return normalized;
}

/** Returns the extension as the name spells it. */
export const spelledExtension = (name: string): string => EXTENSION.exec(name)?.[0] ?? '';

export const extensionOf = (name: string): string => spelledExtension(name).toLowerCase();

const newTail = (): string => randomBytes(5).toString('hex');

/** Returns a new hash for a name, for example `tiny_up_a4fc03705b` for `tiny-up.png` (20.3, 20.16). */
export function newHash(name: string): string {
  const stem = name.replace(EXTENSION, '').slice(0, MAX_STEM_LENGTH);
  // A transliterated letter can become several letters.
  const slug = slugify(stem, { separator: '_', lowercase: false, decamelize: false }).slice(
    0,
    MAX_STEM_LENGTH,
  );
  return `${slug === '' ? 'file' : slug}_${newTail()}`;
}

/** Returns a new hash for replaced content. The new URL keeps caches from serving the old content. */
export const renewedHash = (hash: string): string => `${hash.replace(TAIL, '')}_${newTail()}`;

export const urlOf = (hash: string, ext: string): string => `/uploads/${hash}${ext}`;
