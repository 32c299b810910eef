/** Storage keys. They contain the SHA-256 of the content, so that equal bytes are stored once. */

const CONTENT = /^([0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64})\.([a-z0-9]{1,16})$/;
const VARIANT = /^([0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64})_([a-z0-9]{1,16})\/[a-z0-9_-]+\.[a-z0-9]{1,16}$/;

/**
 * Returns the key of a content: SHA-256 in hexadecimal, and the extension with its dot (`ab/cd/abcd….png`).
 */
export const contentKey = (sha256: string, ext: string): string =>
  `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}${ext}`;

/** Returns the key prefix of all variants of a content: `ab/cd/abcd…_png/`. */
export function variantsOf(key: string): string {
  const [, stem, ext] = CONTENT.exec(key) ?? [];
  if (stem === undefined || ext === undefined) throw new Error(`Invalid content key: ${key}`);
  return `${stem}_${ext}/`;
}

/** Returns the key of a variant of a content: `ab/cd/abcd…_png/small.png`. */
export function variantKey(key: string, recipe: string, ext: string): string {
  if (!/^[a-z0-9_-]+$/.test(recipe)) throw new Error(`Invalid recipe name: ${recipe}`);
  return `${variantsOf(key)}${recipe}${ext}`;
}

/** Returns the content key of a content or variant key; null for a key that this library did not create. */
export function contentOf(key: string): string | null {
  if (CONTENT.test(key)) return key;
  const [, stem, ext] = VARIANT.exec(key) ?? [];
  return stem === undefined || ext === undefined ? null : `${stem}.${ext}`;
}

/** Returns the SHA-256 in a content key, in hexadecimal; null for a variant key, which has none. */
export const digestIn = (key: string): string | null => CONTENT.exec(key)?.[1]?.slice(6) ?? null;

export const extensionOfKey = (key: string): string => /\.[a-z0-9]{1,16}$/.exec(key)?.[0] ?? '';
