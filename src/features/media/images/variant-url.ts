/** Where a variant is read. */
import { ENCODERS, type PictureFormat } from './encoders.js';
import type { Focus } from './geometry.js';
import { parseRecipe, type Recipe, recipeText, roundFocus } from './recipe.js';
import { signRecipe } from './recipe-signature.js';

/**
 * A variant as code asks for it: sides in pixels, `inside` by default, in WebP by default.
 *
 * @publicApi
 */
export interface VariantUrl {
  readonly width?: number;
  readonly height?: number;
  readonly fit?: 'inside' | 'cover';
  /** Default `webp`. */
  readonly format?: PictureFormat;
  /** Default 80, and 50 for AVIF. */
  readonly quality?: number;
  /** Signs the URL: one of `signingKeys`. Not needed for what one of the `recipes` makes. */
  readonly key?: string;
}

/** A file as answers have it. */
interface AnsweredFile {
  readonly hash: string;
  readonly focalPoint?: Focus | null;
}

/**
 * The URL of a variant of a file, `/uploads/tiny_up_a4fc03705b/w640-inside-q80.webp`, around the file's focal
 * point where it covers a box. It stands for the same bytes for ever. Throws an Error for a variant that
 * cannot be made.
 *
 * @publicApi
 */
export function variantUrl({ hash, focalPoint = null }: AnsweredFile, wanted: VariantUrl): string {
  const { width = null, height = null, fit = 'inside', format = 'webp', key } = wanted;
  const usual = ENCODERS[format].quality;
  const quality = usual === null ? null : (wanted.quality ?? usual);
  const recipe: Recipe = {
    width,
    height,
    fit,
    focus: fit === 'cover' ? roundFocus(focalPoint) : null,
    format,
    quality,
  };
  const text = recipeText(recipe);
  if (parseRecipe(text) === null) throw new Error(`No variant can be made by ${text}.`);
  const query = key === undefined ? '' : `?s=${signRecipe(key, { hash, recipe: text })}`;
  return `/uploads/${hash}/${text}${query}`;
}
