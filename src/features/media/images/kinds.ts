/** Kinds of pictures by media type, and the versions that are made of each. */
import type { Metadata, Sharp } from 'sharp';
import type { OriginalKept } from './image-options.js';

/** A kind of picture. Files of other kinds are stored without a size. */
export interface Kind {
  readonly ext: string;
  readonly isResized: boolean;
  readonly isFilm: boolean;
  /** Originals that are re-encoded, unless the option is `asSent`. */
  readonly rewritten: 'always' | 'metadata' | 'onePage' | 'never';
  /** Re-encodes in its own format. A quality of 100 is lossless if the format supports it. */
  readonly rewrite: (picture: Sharp, quality: number) => Sharp;
}

/** Quality of the reference for re-encoded pictures, and a quality without visible loss. */
const OPTIMIZED = 80;
const UNSEEN = 92;

const PNG = (picture: Sharp, quality: number): Sharp =>
  quality === UNSEEN ? picture.png() : picture.png({ quality });

const KINDS: Readonly<Record<string, Kind>> = Object.freeze({
  'image/jpeg': {
    ext: '.jpg',
    isResized: true,
    isFilm: false,
    rewritten: 'always',
    rewrite: (picture, quality) => picture.jpeg({ quality }),
  },
  'image/png': { ext: '.png', isResized: true, isFilm: false, rewritten: 'always', rewrite: PNG },
  'image/webp': {
    ext: '.webp',
    isResized: true,
    isFilm: true,
    rewritten: 'always',
    rewrite: (picture, quality) => picture.webp({ quality }),
  },
  // An animation of 256 colours loses quality with each encoding, and has no location metadata.
  'image/gif': {
    ext: '.gif',
    isResized: true,
    isFilm: true,
    rewritten: 'never',
    rewrite: (picture) => picture,
  },
  // Further pages would be lost.
  'image/tiff': {
    ext: '.tiff',
    isResized: true,
    isFilm: false,
    rewritten: 'onePage',
    rewrite: (picture) => picture.tiff({ compression: 'deflate' }),
  },
  // Slow to encode, so only if metadata has to be removed.
  'image/avif': {
    ext: '.avif',
    isResized: false,
    isFilm: false,
    rewritten: 'metadata',
    rewrite: (picture, quality) => picture.avif({ quality: quality - 20 }),
  },
});

export const kindOf = (mime: string): Kind | null => (Object.hasOwn(KINDS, mime) && KINDS[mime]) || null;

const hasMetadata = ({ exif, xmp, iptc, orientation = 1, comments = [] }: Metadata): boolean =>
  exif !== undefined || xmp !== undefined || iptc !== undefined || orientation > 1 || comments.length > 0;

export function rewriteQuality(kind: Kind, original: OriginalKept, metadata: Metadata): number | null {
  if (original === 'asSent' || kind.rewritten === 'never') return null;
  if (kind.rewritten === 'onePage') return (metadata.pages ?? 1) > 1 ? null : UNSEEN;
  if (kind.rewritten === 'metadata' || original === 'stripped') return hasMetadata(metadata) ? UNSEEN : null;
  return OPTIMIZED;
}
