/** How keys name content: by its SHA-256, so that the same bytes are kept once. */

const CONTENT = /^([0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64})\.([a-z0-9]{1,16})$/;
const VARIANT = /^([0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64})_([a-z0-9]{1,16})\/[a-z0-9_-]+\.[a-z0-9]{1,16}$/;

/** `ab/cd/abcd….png`: bytes by their SHA-256 in hexadecimal digits and an extension with its dot. */
export const contentKey = (sha256: string, ext: string): string =>
  `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}${ext}`;

/** `ab/cd/abcd…_png/`: what the keys of all variants of a content begin with. */
export function variantsOf(key: string): string {
  const [, stem, ext] = CONTENT.exec(key) ?? [];
  if (stem === undefined || ext === undefined) throw new Error(`No key of content: ${key}`);
  return `${stem}_${ext}/`;
}

/** `ab/cd/abcd…_png/small.png`: a variant of the content with a key, by how it was made. */
export function variantKey(key: string, recipe: string, ext: string): string {
  if (!/^[a-z0-9_-]+$/.test(recipe)) throw new Error(`No name of a recipe: ${recipe}`);
  return `${variantsOf(key)}${recipe}${ext}`;
}

/** The key of the content that a key is of, as itself or as a variant; null for one of another making. */
export function contentOf(key: string): string | null {
  if (CONTENT.test(key)) return key;
  const [, stem, ext] = VARIANT.exec(key) ?? [];
  return stem === undefined || ext === undefined ? null : `${stem}.${ext}`;
}

/** The SHA-256 in the key of a content, in hexadecimal digits; null for a variant's, which names none. */
export const digestIn = (key: string): string | null => CONTENT.exec(key)?.[1]?.slice(6) ?? null;

/** The extension of a key, with its dot. */
export const extensionOfKey = (key: string): string => /\.[a-z0-9]{1,16}$/.exec(key)?.[0] ?? '';
