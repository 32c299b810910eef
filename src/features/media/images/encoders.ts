/** Output formats of pictures and their encoders. To add a format, add a row. */
import type { Sharp } from 'sharp';
import { keysOf } from '../../../kernel/json.js';

export type PictureFormat = 'jpg' | 'png' | 'webp' | 'avif' | 'gif';

interface Encoder {
  readonly mime: string;
  /** Default quality, from 1 to 100; null for lossless formats. */
  readonly quality: number | null;
  readonly encode: (picture: Sharp, quality: number) => Sharp;
}

export const ENCODERS: Readonly<Record<PictureFormat, Encoder>> = Object.freeze({
  jpg: { mime: 'image/jpeg', quality: 80, encode: (picture, quality) => picture.jpeg({ quality }) },
  png: { mime: 'image/png', quality: null, encode: (picture) => picture.png() },
  webp: { mime: 'image/webp', quality: 80, encode: (picture, quality) => picture.webp({ quality }) },
  avif: { mime: 'image/avif', quality: 50, encode: (picture, quality) => picture.avif({ quality }) },
  gif: { mime: 'image/gif', quality: null, encode: (picture) => picture.gif() },
});

export const isPictureFormat = (text: string): text is PictureFormat => Object.hasOwn(ENCODERS, text);

export const formatOf = (mime: string): PictureFormat | null =>
  keysOf(ENCODERS).find((format) => ENCODERS[format].mime === mime) ?? null;
