/** Sizes and crops of pictures, in whole pixels. */

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A point in percent of width and height, from the upper left corner. */
export interface Focus {
  readonly x: number;
  readonly y: number;
}

interface Crop extends Size {
  readonly left: number;
  readonly top: number;
}

export interface Resize {
  readonly scaled: Size;
  readonly crop: Crop | null;
}

/** Bounds of a resize; a side that is null follows from the other. One of them is a number. */
export interface Box {
  readonly width: number | null;
  readonly height: number | null;
}

/** `inside` shows the whole picture; `cover` fills the box and cuts off the rest. */
export type Fit = 'inside' | 'cover';

const CENTRE: Focus = Object.freeze({ x: 50, y: 50 });

const scaledBy = ({ width, height }: Size, scale: number): Size => ({
  width: Math.max(1, Math.round(width * scale)),
  height: Math.max(1, Math.round(height * scale)),
});

/** Whether a picture exceeds a box on at least one side (D7). */
export const isLarger = ({ width, height }: Size, box: Size): boolean =>
  width > box.width || height > box.height;

/** Largest size inside a box that keeps the aspect ratio; a picture is never enlarged. */
export function fitInside(size: Size, { width, height }: Box): Size {
  const scale = Math.min((width ?? Infinity) / size.width, (height ?? Infinity) / size.height, 1);
  return scaledBy(size, scale);
}

/** Start of a part of a length, with the point as near to its middle as the edges allow. */
function startOf(whole: number, part: number, percent: number): number {
  const start = Math.round((whole * percent) / 100 - part / 2);
  return Math.min(Math.max(start, 0), whole - part);
}

/** Fills a box around the focus. A box that is larger than the picture shrinks, in its aspect ratio. */
export function fitCover(size: Size, box: Size, focus: Focus | null): Resize {
  const scale = Math.max(box.width / size.width, box.height / size.height);
  const shown = scale > 1 ? scaledBy(box, 1 / scale) : box;
  const whole = scaledBy(size, Math.min(scale, 1));
  const width = Math.min(shown.width, whole.width);
  const height = Math.min(shown.height, whole.height);
  const { x, y } = focus ?? CENTRE;
  const crop = { left: startOf(whole.width, width, x), top: startOf(whole.height, height, y), width, height };
  return { scaled: whole, crop: width === whole.width && height === whole.height ? null : crop };
}
