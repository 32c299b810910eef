/**
 * Recipe of a variant, as a value and as its text in a URL and in a storage key:
 * `w640-h360-cover-x30-y20-q80.webp`. One recipe has one text, so one variant has one URL.
 */
import { ENCODERS, formatOf, isPictureFormat, type PictureFormat } from './encoders.js';
import { fitCover, fitInside, type Fit, type Focus, type Resize, type Size } from './geometry.js';

export interface Recipe {
  readonly width: number | null;
  readonly height: number | null;
  readonly fit: Fit;
  /** Point in the middle of `cover`; null for the centre, and for `inside`. */
  readonly focus: Focus | null;
  readonly format: PictureFormat;
  /** Null for lossless formats. */
  readonly quality: number | null;
}

/** Longest side of a variant, in pixels. */
export const LONGEST_SIDE = 8192;

const SIDES = /(?:w([1-9]\d{0,3})-)?(?:h([1-9]\d{0,3})-)?/;
const FOCUS = /(?:-x(\d{1,3})-y(\d{1,3}))?/;
const QUALITY = /(?:-q([1-9]\d{0,2}))?/;
const TEXT = new RegExp(`^${SIDES.source}(inside|cover)${FOCUS.source}${QUALITY.source}\\.([a-z]{3,4})$`);

/** Recipe in a storage key: its text without the extension. */
export function recipeStem({ width, height, fit, focus, quality }: Recipe): string {
  const parts = [
    ...(width === null ? [] : [`w${width}`]),
    ...(height === null ? [] : [`h${height}`]),
    fit,
    ...(focus === null ? [] : [`x${focus.x}-y${focus.y}`]),
    ...(quality === null ? [] : [`q${quality}`]),
  ];
  return parts.join('-');
}

export const recipeText = (recipe: Recipe): string => `${recipeStem(recipe)}.${recipe.format}`;

const numberOf = (text: string | undefined): number | null => (text === undefined ? null : Number(text));

function isPossible({ width, height, fit, focus, format, quality }: Recipe): boolean {
  const sides = [width, height].filter((side) => side !== null);
  const hasSides = fit === 'cover' ? sides.length === 2 : sides.length > 0;
  const hasFocus = focus === null || (fit === 'cover' && focus.x <= 100 && focus.y <= 100);
  const hasQuality = ENCODERS[format].quality === null ? quality === null : quality !== null;
  return (
    hasSides && sides.every((side) => side <= LONGEST_SIDE) && hasFocus && hasQuality && (quality ?? 1) <= 100
  );
}

/** Returns the recipe of a text; null for any text that `recipeText` does not print. */
export function parseRecipe(text: string): Recipe | null {
  const [, width, height, fit, x, y, quality, format = ''] = TEXT.exec(text) ?? [];
  if (!isPictureFormat(format)) return null;
  const recipe: Recipe = {
    width: numberOf(width),
    height: numberOf(height),
    fit: fit as Fit,
    focus: x === undefined ? null : { x: Number(x), y: Number(y) },
    format,
    quality: numberOf(quality),
  };
  return isPossible(recipe) && recipeText(recipe) === text ? recipe : null;
}

/** Rounds to whole percents. The centre is the default of `cover`, and has no text. */
export function roundFocus(focus: Focus | null): Focus | null {
  if (focus === null) return null;
  const [x, y] = [focus.x, focus.y].map((percent) => Math.min(100, Math.max(0, Math.round(percent))));
  return x === 50 && y === 50 ? null : { x: x ?? 50, y: y ?? 50 };
}

export function resizeBy({ width, height, fit, focus }: Recipe, size: Size): Resize {
  if (fit === 'cover' && width !== null && height !== null) return fitCover(size, { width, height }, focus);
  return { scaled: fitInside(size, { width, height }), crop: null };
}

/** Format of `own`: formats that browsers cannot show become PNG. */
export const ownFormat = (mime: string): PictureFormat => formatOf(mime) ?? 'png';
