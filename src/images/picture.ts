/** A picture that was uploaded, while versions of it are made. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputInfo, Sharp } from 'sharp';
import type { LocalFile } from '../files/file-storage.js';
import { pictureError, type PictureLimits } from './picture-errors.js';
import type { SharpLibrary } from './sharp-library.js';
import type { Workshop } from './workshop.js';

/** What pictures are worked on with. */
export interface Tools {
  readonly sharp: SharpLibrary;
  readonly workshop: Workshop<unknown>;
  readonly limits: PictureLimits;
}

/** Where a picture is, and how much of it is read. */
export interface Source {
  readonly path: string;
  /** All frames, or the first alone. */
  readonly isAnimated: boolean;
}

/** A version that was written. */
export interface Written {
  readonly file: LocalFile;
  readonly width: number;
  /** Of one frame. */
  readonly height: number;
}

/** A picture as it is shown: orientation applied. */
export function openPicture({ sharp, limits }: Tools, { path, isAnimated }: Source): Sharp {
  const picture = sharp(path, {
    failOn: 'error',
    limitInputPixels: limits.maxPixels,
    animated: isAnimated,
    autoOrient: true,
  });
  return picture.timeout({ seconds: Math.ceil(limits.timeout / 1000) });
}

/** Works on a picture when there is a place; what it cannot do is a 400. */
export async function work<T>({ workshop, limits }: Tools, job: () => Promise<T>): Promise<T> {
  try {
    return await workshop.run(job);
  } catch (error) {
    throw pictureError(error, limits);
  }
}

/** Versions of pictures in a directory. What one has written is removed together, unless it is taken away. */
export class Bench {
  private readonly paths: string[] = [];

  constructor(
    private readonly tools: Tools,
    private readonly directory: string,
  ) {}

  /** Writes a version. The picture is opened when there is a place for it. */
  write(mime: string, version: () => Sharp): Promise<Written> {
    const path = join(this.directory, randomUUID());
    this.paths.push(path);
    return work(this.tools, async () => {
      const { width, height, pageHeight = height, size }: OutputInfo = await version().toFile(path);
      return { file: { path, size, mime }, width, height: pageHeight };
    });
  }

  /** Removes all that was written. */
  async clear(): Promise<void> {
    await Promise.all(this.paths.map((path) => rm(path, { force: true })));
  }
}
