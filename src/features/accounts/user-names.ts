/** User names: two names that look the same are the same name. */
import { type ContentError, issuesError } from '../../kernel/errors.js';

/**
 * Control, invisible, unassigned and private-use characters, lone surrogates, and the empty Braille pattern.
 */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]/u;

const WORD = /[\p{L}\p{M}]+/gu;
const LATIN = /\p{Script=Latin}/u;
/** Scripts with letters that look like Latin ones. */
const LATIN_LIKE = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;

const MAX_LENGTH = 255;
const TOO_LONG = `must be at most ${MAX_LENGTH} characters`;

/** No name is longer, even before NFC, which makes texts at most four times shorter. */
const MAX_NORMALISED = 1024;

/** Whether a text is too long for a name. It is not normalised: NFKC can make it 18 times as long. */
export const isTooLong = (text: string): boolean => text.length > MAX_NORMALISED;

const refused = (message: string): ContentError =>
  issuesError([{ path: ['username'], message: `username ${message}`, name: 'ValidationError' }]);

/**
 * Returns the form in which names are compared: without case, and equal for all Unicode-compatible spellings
 * (full-width letters, ligatures, kinds of space).
 */
export function nameKey(name: string): string {
  const text = name.trim();
  if (isTooLong(text)) return text;
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC').replace(/\s+/g, ' ').trim();
}

/**
 * Returns a name as it is stored: trimmed, in NFC. Throws a ValidationError for invisible characters, or a
 * word that mixes Latin letters with look-alikes.
 */
export function userName(text: string): string {
  const name = text.trim();
  if (isTooLong(name)) throw refused(TOO_LONG);
  if (INVISIBLE.test(name)) throw refused('must not contain control characters or invisible ones');
  const mixed = (word: string): boolean => LATIN.test(word) && LATIN_LIKE.test(word);
  const composed = name.normalize('NFC');
  if ((composed.match(WORD) ?? []).some(mixed)) throw refused('must not mix scripts in one word');
  if (nameKey(composed).length > MAX_LENGTH) throw refused(TOO_LONG);
  return composed;
}
