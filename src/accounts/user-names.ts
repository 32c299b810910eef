/** User names as people read them: two that look alike to a reader are one. */
import { type ContentError, issuesError } from '../errors.js';

/**
 * Controls, invisible and undirected characters, unassigned and private ones, halves of characters, and the
 * empty Braille pattern.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]/u;

const WORD = /[\p{L}\p{M}]+/gu;
const LATIN = /\p{Script=Latin}/u;
/** Scripts with letters that cannot be told from Latin ones. */
const LATIN_LIKE = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;

const LONGEST = 255;

const refused = (message: string): ContentError =>
  issuesError([{ path: ['username'], message: `username ${message}`, name: 'ValidationError' }]);

/**
 * What names are compared by, when they are looked up and when they are taken: without case, and the same for
 * every spelling that Unicode holds to be compatible (full-width letters, ligatures, kinds of space).
 */
export const nameKey = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC').replace(/\s+/g, ' ').trim();

/**
 * A name as it is stored: trimmed, in one normal form. Throws a ValidationError for one with characters that
 * nobody sees, or with a word of Latin letters and others that look like them.
 */
export function userName(text: string): string {
  const name = text.trim();
  if (UNSEEN.test(name)) throw refused('must not contain control characters or invisible ones');
  const mixed = (word: string): boolean => LATIN.test(word) && LATIN_LIKE.test(word);
  const composed = name.normalize('NFC');
  if ((composed.match(WORD) ?? []).some(mixed)) throw refused('must not mix scripts in one word');
  if (nameKey(composed).length > LONGEST) throw refused(`must be at most ${LONGEST} characters`);
  return composed;
}
