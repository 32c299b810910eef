/** How large a picture becomes, and what of it is shown: whole numbers of pixels. */

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A point in percent of width and height, from the upper left corner. */
export interface Focus {
  readonly x: number;
  readonly y: number;
}

/** A part of a picture. */
interface Crop extends Size {
  readonly left: number;
  readonly top: number;
}

/** The whole picture made as large as `scaled`; then, where there is a crop, only that part of it. */
export interface Resize {
  readonly scaled: Size;
  readonly crop: Crop | null;
}

/** What a picture is fitted into; a side that is null follows from the other. One is a number. */
export interface Box {
  readonly width: number | null;
  readonly height: number | null;
}

/** `inside` shows all of the picture, `cover` fills the box and cuts off what is over. */
export type Fit = 'inside' | 'cover';

const CENTRE: Focus = Object.freeze({ x: 50, y: 50 });

const scaledBy = ({ width, height }: Size, scale: number): Size => ({
  width: Math.max(1, Math.round(width * scale)),
  height: Math.max(1, Math.round(height * scale)),
});

/** Whether a picture is larger than a box, on one side at least (D7). */
export const isLarger = ({ width, height }: Size, box: Size): boolean =>
  width > box.width || height > box.height;

/** The largest size inside a box that keeps the shape; a picture is never made larger. */
export function fitInside(size: Size, { width, height }: Box): Size {
  const scale = Math.min((width ?? Infinity) / size.width, (height ?? Infinity) / size.height, 1);
  return scaledBy(size, scale);
}

/** Where a part of some length begins so that the point is in its middle, or as near as the edges allow. */
function startOf(whole: number, part: number, percent: number): number {
  const start = Math.round((whole * percent) / 100 - part / 2);
  return Math.min(Math.max(start, 0), whole - part);
}

/** Fills a box, around the focus. A box that is larger than the picture is made smaller, in its shape. */
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
