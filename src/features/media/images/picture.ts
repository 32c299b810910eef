import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metadata, OutputInfo, Sharp } from 'sharp';
import { overLimit } from '../../../kernel/errors.js';
import type { LocalFile } from '../file-storage.js';
import type { Size } from './geometry.js';
import { pictureError, type PictureLimits, tooManyPixels } from './picture-errors.js';
import type { SharpLibrary } from './sharp-library.js';
import type { PictureQueue } from './picture-queue.js';

export interface Tools {
  readonly sharp: SharpLibrary;
  readonly queue: PictureQueue;
  readonly limits: PictureLimits;
}

export interface Source {
  readonly path: string;
  readonly isAnimated: boolean;
}

export interface Written {
  readonly file: LocalFile;
  readonly width: number;
  readonly height: number;
}

export function openPicture({ sharp, limits }: Tools, { path, isAnimated }: Source): Sharp {
  const picture = sharp(path, {
    failOn: 'error',
    limitInputPixels: limits.maxPixels,
    animated: isAnimated,
    autoOrient: true,
    sequentialRead: true,
  });
  return picture.timeout({ seconds: Math.ceil(limits.timeout / 1000) });
}

/** Size of one frame, with the orientation applied. */
export const shownSize = ({ autoOrient: { width, height } }: Metadata): Size => ({ width, height });

/** Reads the header of a picture. Throws a ValidationError if a side or the area exceeds the limits. */
export async function readHeader(tools: Tools, path: string): Promise<Metadata> {
  const metadata = await openPicture(tools, { path, isAnimated: false }).metadata();
  const { maxSide, maxPixels } = tools.limits;
  if (Math.max(metadata.width, metadata.height) > maxSide)
    throw overLimit('images.maxSide', maxSide, 'An image is too wide or too high');
  if (pixelsOf(metadata, false) > maxPixels) throw tooManyPixels(maxPixels, weightOf(metadata));
  return metadata;
}

/** Bytes of a decoded sample. */
const SAMPLE_BYTES: Readonly<Record<string, number>> = { ushort: 2, short: 2, uint: 4, int: 4, float: 4 };
/** Bytes of a decoded pixel that count as one pixel: four samples of 16 bits. */
const PIXEL_BYTES = 8;
/**
 * Weight of a pixel for codecs that decode the whole picture at once. Interlaced pictures have `progressive`
 * before the format. `test/images/memory.proof.ts` measures them.
 */
const WEIGHTS: Readonly<Record<string, number>> = {
  webp: 2,
  heif: 2,
  'progressive jpeg': 1.5,
  'progressive png': 1.5,
};

function weightOf({ channels, depth, format, isProgressive }: Metadata): number {
  const bytes = channels * (depth === 'uchar' ? 1 : (SAMPLE_BYTES[depth] ?? PIXEL_BYTES));
  const weight = WEIGHTS[isProgressive ? `progressive ${format}` : format] ?? 1;
  return weight * Math.max(1, bytes / PIXEL_BYTES);
}

/** Weighted pixels of a picture, including all frames of an animation. */
export function pixelsOf(metadata: Metadata, isAnimated: boolean): number {
  const { width, height, pages = 1 } = metadata;
  return width * height * (isAnimated ? pages : 1) * weightOf(metadata);
}

/** Whether a picture has several frames that together are within the limit. */
export const isFilm = ({ limits }: Tools, metadata: Metadata): boolean =>
  (metadata.pages ?? 1) > 1 && pixelsOf(metadata, true) <= limits.maxPixels;

/** Runs a job on a picture; a failure caused by the picture becomes a 400. */
export async function attempt<T>({ limits }: Tools, job: () => Promise<T>): Promise<T> {
  try {
    return await job();
  } catch (error) {
    throw pictureError(error, limits);
  }
}

/** New files in a directory, which are removed together unless they are claimed. */
export class NewFiles {
  private readonly paths: string[] = [];

  constructor(
    private readonly tools: Tools,
    private readonly directory: string,
  ) {}

  newPath(): string {
    const path = join(this.directory, randomUUID());
    this.paths.push(path);
    return path;
  }

  write(mime: string, version: () => Sharp): Promise<Written> {
    const path = this.newPath();
    return attempt(this.tools, async () => {
      const { width, height, pageHeight = height, size }: OutputInfo = await version().toFile(path);
      return { file: { path, size, mime }, width, height: pageHeight };
    });
  }

  async clear(): Promise<void> {
    await Promise.all(this.paths.map((path) => rm(path, { force: true })));
  }
}
