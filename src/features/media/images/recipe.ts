/**
 * How a variant is made, as a value and as the text that names it in a URL and in a key:
 * `w640-h360-cover-x30-y20-q80.webp`. One recipe has one text, so one variant has one URL.
 */
import { ENCODERS, formatOf, isPictureFormat, type PictureFormat } from './encoders.js';
import { fitCover, fitInside, type Fit, type Focus, type Resize, type Size } from './geometry.js';

/** All that decides what a variant looks like. */
export interface Recipe {
  readonly width: number | null;
  readonly height: number | null;
  readonly fit: Fit;
  /** What `cover` keeps in the middle; null for the centre, and for `inside`. */
  readonly focus: Focus | null;
  readonly format: PictureFormat;
  /** Null for formats that lose nothing. */
  readonly quality: number | null;
}

/** The longest side that can be asked for, in pixels. */
export const LONGEST_SIDE = 8192;

const TEXT =
  /^(?:w([1-9]\d{0,3})-)?(?:h([1-9]\d{0,3})-)?(inside|cover)(?:-x(\d{1,3})-y(\d{1,3}))?(?:-q([1-9]\d{0,2}))?\.([a-z]{3,4})$/;

/** What names a recipe in a key: its text without the extension. */
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

/** The recipe that a text names; null for any text that `recipeText` does not print. */
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

/** Percents as a recipe has them: whole ones. The centre is what `cover` shows anyway, and has no text. */
export function roundFocus(focus: Focus | null): Focus | null {
  if (focus === null) return null;
  const [x, y] = [focus.x, focus.y].map((percent) => Math.min(100, Math.max(0, Math.round(percent))));
  return x === 50 && y === 50 ? null : { x: x ?? 50, y: y ?? 50 };
}

/** What a recipe makes of a picture of some size. */
export function resizeBy({ width, height, fit, focus }: Recipe, size: Size): Resize {
  if (fit === 'cover' && width !== null && height !== null) return fitCover(size, { width, height }, focus);
  return { scaled: fitInside(size, { width, height }), crop: null };
}

/** The format that stands for a picture's own: what browsers cannot show becomes PNG. */
export const ownFormat = (mime: string): PictureFormat => formatOf(mime) ?? 'png';
