/** Variants that a host signs for one file, beside those that anybody may ask for. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a signature holds for: one recipe of one file. */
export interface Signed {
  /** The `hash` of the file, as its URL has it. */
  readonly hash: string;
  /** The text of the recipe, `w640-inside-q80.webp`. */
  readonly recipe: string;
}

const SHORTEST_KEY = 32;

const digest = (key: string, { hash, recipe }: Signed): Buffer =>
  createHmac('sha256', key).update(`${hash}/${recipe}`).digest();

/** Throws for keys that are too short to keep a secret. */
export function checkSigningKeys(keys: readonly string[]): void {
  if (keys.some((key) => Buffer.byteLength(key) < SHORTEST_KEY))
    throw new Error(`Keys that sign variants need at least ${SHORTEST_KEY} bytes.`);
}

/** The signature of a variant, in 43 characters for a URL. */
export const signRecipe = (key: string, signed: Signed): string => digest(key, signed).toString('base64url');

/**
 * Whether one of the keys made the signature. The first key signs and all of them are believed, so that a key
 * is changed by putting the new one before it, and taking the old one away when its URLs are gone.
 */
export function isSigned(keys: readonly string[], signed: Signed, signature: string): boolean {
  const given = Buffer.from(signature, 'base64url');
  return keys.some((key) => {
    const expected = digest(key, signed);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
