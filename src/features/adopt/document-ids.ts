/** Document ids for rows that have none, as those of Strapi 4. */
import { createHash } from 'node:crypto';

const LENGTH = 24;

/** Document ids that need no escape in a URL. */
const VALID = /^[A-Za-z0-9_.~-]{1,255}$/;

export const isDocumentId = (id: string): boolean => VALID.test(id);

/**
 * Returns the document id of a row without one: 24 lower-case letters and digits, a letter first. The same
 * type and row id always give the same one. `id` is the lowest row id of the locales of the document, or a
 * document id that is not valid.
 */
export function documentIdOf(uid: string, id: number | string): string {
  const digest = createHash('sha256').update(`${uid}:${id}`).digest('hex');
  const text = BigInt(`0x${digest}`).toString(36).padStart(50, '0');
  // The first character is a letter, as in the ids that the library makes.
  const letter = String.fromCharCode(97 + (Number.parseInt(digest.slice(0, 2), 16) % 26));
  return `${letter}${text.slice(-LENGTH + 1)}`;
}
