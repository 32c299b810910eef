/** What a file is called, and what its URL is: never a client's text as it came. */
import { randomBytes } from 'node:crypto';
import slugify from '@sindresorhus/slugify';
import { application } from '../errors.js';

/** The longest name that is kept, in characters, its extension included. */
const LONGEST = 255;
/** The longest part of a name that stands in a URL. */
const LONGEST_STEM = 100;

/** Separators, controls and signs that turn text around: what no file system and no list should meet. */
// eslint-disable-next-line no-control-regex
const DANGEROUS = /[/\\:*?"<>|\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
/** Names that Windows gives to devices. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const EXTENSION = /\.[A-Za-z0-9]{1,16}$/;
const TAIL = /_[0-9a-f]{10}$/;

/** Whether a name is refused: one that leads elsewhere, or is none. */
const isDangerous = (name: string): boolean =>
  name.trim() === '' ||
  name.length > LONGEST ||
  !name.isWellFormed() ||
  /^\.+$/.test(name) ||
  DANGEROUS.test(name) ||
  RESERVED.test(name);

/** The name that a client gives to a file. Throws an ApplicationError for a dangerous one (20.11). */
export function checkedName(name: string): string {
  const normalized = name.normalize('NFC');
  if (isDangerous(name) || normalized.length > LONGEST)
    throw application('File name contains invalid characters');
  return normalized;
}

/** The extension of a name in lower case, with its dot; empty where there is none that is one. */
export const extensionOf = (name: string): string => (EXTENSION.exec(name)?.[0] ?? '').toLowerCase();

/** Ten hexadecimal digits that tell a hash from others with the same name. */
const newTail = (): string => randomBytes(5).toString('hex');

/** `tiny_up_a4fc03705b` for `tiny-up.png`: another one each time (20.3, 20.16). */
export function newHash(name: string): string {
  const stem = name.replace(EXTENSION, '').slice(0, LONGEST_STEM);
  // A letter can become several.
  const slug = slugify(stem, { separator: '_', lowercase: false, decamelize: false }).slice(0, LONGEST_STEM);
  return `${slug === '' ? 'file' : slug}_${newTail()}`;
}

/** The hash of new content in the place of old: its URL is another, so that no cache shows the old one. */
export const renewedHash = (hash: string): string => `${hash.replace(TAIL, '')}_${newTail()}`;

/** Where a file is read. */
export const urlOf = (hash: string, ext: string): string => `/uploads/${hash}${ext}`;
