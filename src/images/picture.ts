/** A picture that was uploaded, while versions of it are made. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metadata, OutputInfo, Sharp } from 'sharp';
import type { LocalFile } from '../files/file-storage.js';
import type { Size } from './geometry.js';
import { pictureError, type PictureLimits } from './picture-errors.js';
import type { SharpLibrary } from './sharp-library.js';
import type { Workshop } from './workshop.js';

/** What pictures are worked on with. */
export interface Tools {
  readonly sharp: SharpLibrary;
  readonly workshop: Workshop;
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

/** The size of a picture as it is shown, of one frame. */
export const shownSize = ({ autoOrient: { width, height } }: Metadata): Size => ({ width, height });

/** What the header of a picture says. Fails for one that is too large. */
export const readHeader = (tools: Tools, path: string): Promise<Metadata> =>
  openPicture(tools, { path, isAnimated: false }).metadata();

/** Whether a picture has several frames, and all of them together are few enough pixels. */
export function isFilm({ limits }: Tools, metadata: Metadata): boolean {
  const { width, height } = shownSize(metadata);
  const { pages = 1 } = metadata;
  return pages > 1 && width * height * pages <= limits.maxPixels;
}

/** Does something with a picture; what cannot be done because of the picture is a 400. */
export async function attempt<T>({ limits }: Tools, job: () => Promise<T>): Promise<T> {
  try {
    return await job();
  } catch (error) {
    throw pictureError(error, limits);
  }
}

/** The same when there is a place for it. */
export const work = <T>(tools: Tools, job: () => Promise<T>): Promise<T> =>
  tools.workshop.run(() => attempt(tools, job));

/** New files in a directory, which are removed together unless they are taken away. */
export class Bench {
  private readonly paths: string[] = [];

  constructor(
    private readonly tools: Tools,
    private readonly directory: string,
  ) {}

  /** The path of a file that is not there yet. */
  newPath(): string {
    const path = join(this.directory, randomUUID());
    this.paths.push(path);
    return path;
  }

  /** Writes a version of a picture. */
  write(mime: string, version: () => Sharp): Promise<Written> {
    const path = this.newPath();
    return attempt(this.tools, async () => {
      const { width, height, pageHeight = height, size }: OutputInfo = await version().toFile(path);
      return { file: { path, size, mime }, width, height: pageHeight };
    });
  }

  /** Removes all that was written. */
  async clear(): Promise<void> {
    await Promise.all(this.paths.map((path) => rm(path, { force: true })));
  }
}
