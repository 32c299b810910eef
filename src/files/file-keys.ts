/** How keys name content: by its SHA-256, so that the same bytes are kept once. */

const CONTENT = /^([0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64})(\.[a-z0-9]{1,16})$/;
const KEPT = /^([0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64})(?:\/[a-z0-9_-]+)?\.[a-z0-9]{1,16}$/;

/** `ab/cd/abcd….png`: bytes by their SHA-256 in hexadecimal digits and an extension with its dot. */
export const contentKey = (sha256: string, ext: string): string =>
  `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}${ext}`;

/** `ab/cd/abcd…/small.png`: a variant of the content with a key, by how it was made. */
export function variantKey(key: string, recipe: string, ext: string): string {
  const stem = CONTENT.exec(key)?.[1];
  if (stem === undefined || !/^[a-z0-9_-]+$/.test(recipe)) throw new Error(`No key of content: ${key}`);
  return `${stem}/${recipe}${ext}`;
}

/** What the keys of all variants of a content begin with. */
export const variantsOf = (key: string): string => `${CONTENT.exec(key)?.[1] ?? key}/`;

/** The digits by which content and its variants are told from others; null for a key of another making. */
export const contentOf = (key: string): string | null => KEPT.exec(key)?.[1]?.slice('ab/cd/'.length) ?? null;
