/** What pictures can be written as, and how each kind is written. */
import type { Sharp } from 'sharp';

/** A kind of picture, by the extension of its files. */
export type PictureFormat = 'jpg' | 'png' | 'webp' | 'avif' | 'gif';

interface Encoder {
  readonly mime: string;
  /** Quality unless a recipe names one, from 1 to 100; null where nothing is lost. */
  readonly quality: number | null;
  readonly encode: (picture: Sharp, quality: number) => Sharp;
}

/** Adding a kind is adding a row. */
export const ENCODERS: Readonly<Record<PictureFormat, Encoder>> = Object.freeze({
  jpg: { mime: 'image/jpeg', quality: 80, encode: (picture, quality) => picture.jpeg({ quality }) },
  png: { mime: 'image/png', quality: null, encode: (picture) => picture.png() },
  webp: { mime: 'image/webp', quality: 80, encode: (picture, quality) => picture.webp({ quality }) },
  avif: { mime: 'image/avif', quality: 50, encode: (picture, quality) => picture.avif({ quality }) },
  gif: { mime: 'image/gif', quality: null, encode: (picture) => picture.gif() },
});

export const isPictureFormat = (text: string): text is PictureFormat => Object.hasOwn(ENCODERS, text);

/** The format that a media type names; null for all others. */
export const formatOf = (mime: string): PictureFormat | null =>
  (Object.keys(ENCODERS) as PictureFormat[]).find((format) => ENCODERS[format].mime === mime) ?? null;
