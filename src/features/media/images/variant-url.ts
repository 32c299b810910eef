import { ENCODERS, type PictureFormat } from './encoders.js';
import type { Focus } from './geometry.js';
import { parseRecipe, type Recipe, recipeText, roundFocus } from './recipe.js';
import { signRecipe } from './recipe-signature.js';

/**
 * A variant for `variantUrl`: sides in pixels, `inside` by default, in WebP by default.
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
  /** One of `signingKeys`, which signs the URL. Not needed for variants of `recipes`. */
  readonly key?: string;
}

interface AnsweredFile {
  readonly hash: string;
  readonly focalPoint?: Focus | null;
}

/**
 * Returns the URL of a variant of a file, `/uploads/tiny_up_a4fc03705b/w640-inside-q80.webp`. `cover` is
 * around the file's focal point. The URL always serves the same bytes. Throws an Error for an impossible
 * variant.
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
