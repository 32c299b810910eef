/** Signatures of variants for one file, in addition to the recipes that every client may request. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface Signed {
  readonly hash: string;
  readonly recipe: string;
}

export const SHORTEST_KEY = 32;

const digest = (key: string, { hash, recipe }: Signed): Buffer =>
  createHmac('sha256', key).update(`${hash}/${recipe}`).digest();

/** Whether a key is long enough to be secret. */
export const isSigningKey = (key: unknown): key is string =>
  typeof key === 'string' && Buffer.byteLength(key) >= SHORTEST_KEY;

/** Returns the signature of a variant: 43 characters for a URL. */
export const signRecipe = (key: string, signed: Signed): string => digest(key, signed).toString('base64url');

/**
 * Whether one of the keys made the signature. The first key signs and all are accepted. To change a key, put
 * the new one first, and remove the old one when its URLs are no longer used.
 */
export function isSigned(keys: readonly string[], signed: Signed, signature: string): boolean {
  const actual = Buffer.from(signature, 'base64url');
  return keys.some((key) => {
    const expected = digest(key, signed);
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  });
}
