/** Pictures that are looked at, by media type, and what of each kind may be made. */
import type { Metadata, Sharp } from 'sharp';
import type { OriginalKept } from './image-options.js';

/** A kind of picture. What a file is not of a kind here is stored, and nothing is said of its size. */
export interface Kind {
  /** Of the formats made of it, with its dot. */
  readonly ext: string;
  /** Whether smaller versions are made of it. */
  readonly isResized: boolean;
  /** Whether its frames are a film. */
  readonly isFilm: boolean;
  /** Which originals are written anew where the host does not say `asSent`. */
  readonly rewritten: 'always' | 'metadata' | 'onePage' | 'never';
  /** Written anew in its own format. A quality of 100 stands for no loss, where the format can do without. */
  readonly rewrite: (picture: Sharp, quality: number) => Sharp;
}

/** The reference's quality of what it writes anew, and one at which nobody sees a difference. */
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
  // A film of 256 colours loses with each writing, and has no place for where it was taken.
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
  // Slow to write, so only where something has to go.
  'image/avif': {
    ext: '.avif',
    isResized: false,
    isFilm: false,
    rewritten: 'metadata',
    rewrite: (picture, quality) => picture.avif({ quality: quality - 20 }),
  },
});

/** The kind of a media type; null for what is not looked at. */
export const kindOf = (mime: string): Kind | null => (Object.hasOwn(KINDS, mime) && KINDS[mime]) || null;

const hasMetadata = ({ exif, xmp, iptc, orientation = 1, comments = [] }: Metadata): boolean =>
  exif !== undefined || xmp !== undefined || iptc !== undefined || orientation > 1 || comments.length > 0;

/** At which quality an original is written anew; null where it is kept as it was sent. */
export function rewriteQuality(kind: Kind, kept: OriginalKept, metadata: Metadata): number | null {
  if (kept === 'asSent' || kind.rewritten === 'never') return null;
  if (kind.rewritten === 'onePage') return (metadata.pages ?? 1) > 1 ? null : UNSEEN;
  if (kind.rewritten === 'metadata' || kept === 'stripped') return hasMetadata(metadata) ? UNSEEN : null;
  return OPTIMIZED;
}
