/** Properties of an uploaded picture, and the versions that are stored with it (protocol 20.10). */
import type { Metadata, Sharp } from 'sharp';
import type { ImageFacts, MadeFormat } from '../file-images.js';
import type { LocalFile } from '../file-storage.js';
import { isLarger, type Size } from './geometry.js';
import { firstBytes, isAnimatedPng } from './headers.js';
import type { ImageOptions } from './image-options.js';
import { type Kind, kindOf, rewriteQuality } from './kinds.js';
import {
  attempt,
  NewFiles,
  isFilm,
  openPicture,
  pixelsOf,
  readHeader,
  shownSize,
  type Source,
  type Tools,
  type Written,
} from './picture.js';
import { thumbhashOf } from './thumbhash.js';

interface Inspected {
  readonly file: LocalFile;
  readonly kind: Kind;
  readonly metadata: Metadata;
  readonly source: Source;
  readonly size: Size;
  readonly pixels: number;
}

export interface Reading {
  readonly tools: Tools;
  readonly options: Required<ImageOptions>;
}

async function inspect({ tools }: Reading, file: LocalFile, kind: Kind): Promise<Inspected> {
  const metadata = await tools.queue.begin(() => attempt(tools, () => readHeader(tools, file.path)));
  const source = { path: file.path, isAnimated: kind.isFilm && isFilm(tools, metadata) };
  const pixels = pixelsOf(metadata, source.isAnimated);
  return { file, kind, metadata, source, pixels, size: shownSize(metadata) };
}

async function losesFrames({ file, metadata, source }: Inspected): Promise<boolean> {
  if (file.mime === 'image/png') return isAnimatedPng(await firstBytes(file.path));
  return file.mime === 'image/webp' && (metadata.pages ?? 1) > 1 && !source.isAnimated;
}

async function rewrite(
  { tools, options }: Reading,
  inspected: Inspected,
  files: NewFiles,
): Promise<LocalFile | null> {
  const quality = rewriteQuality(inspected.kind, options.original, inspected.metadata);
  if (quality === null || (await losesFrames(inspected))) return null;
  const version = (): Sharp => inspected.kind.rewrite(openPicture(tools, inspected.source), quality);
  const { file } = await tools.queue.goOn(() => files.write(inspected.file.mime, version), inspected.pixels);
  return file;
}

/** Names the box as well as the format, because another box is another recipe. */
const recipeOf = (name: string, { width, height }: Size): string => `${name}-w${width}-h${height}`;

async function makeFormat(
  { tools }: Reading,
  { file, kind, source, pixels }: Inspected,
  { files, name, box }: { readonly files: NewFiles; readonly name: string; readonly box: Size },
): Promise<MadeFormat> {
  const inside = { ...box, fit: 'inside' } as const;
  const version = (): Sharp => openPicture(tools, source).resize(inside);
  const written: Written = await tools.queue.goOn(() => files.write(file.mime, version), pixels);
  return { name, recipe: recipeOf(name, box), ext: kind.ext, ...written };
}

function boxesFor({ kind, size }: Inspected, { formats }: Required<ImageOptions>): readonly [string, Size][] {
  return kind.isResized ? Object.entries(formats).filter(([, box]) => isLarger(size, box)) : [];
}

/** Waits for all promises before it throws the first error, so that no write follows the error. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/**
 * Returns the size, the formats and the stored original of a picture, all in one directory. Returns null for
 * other kinds. Throws a 400 for an unreadable or too large picture, and removes its files.
 */
export async function readPicture(
  reading: Reading,
  file: LocalFile,
  directory: string,
): Promise<ImageFacts | null> {
  const { tools, options } = reading;
  const kind = kindOf(file.mime);
  if (kind === null) return null;
  const inspected = await inspect(reading, file, kind);
  const files = new NewFiles(tools, directory);
  const original = rewrite(reading, inspected, files);
  const hash = options.thumbhash
    ? thumbhashOf(tools, inspected.source, inspected.pixels)
    : Promise.resolve(null);
  const making = boxesFor(inspected, options).map(([name, box]) =>
    makeFormat(reading, inspected, { files, name, box }),
  );
  try {
    await allOf<unknown>([original, hash, ...making]);
    const [rewritten, thumbhash, formats] = await Promise.all([original, hash, Promise.all(making)]);
    return {
      ...inspected.size,
      formats,
      ...(rewritten === null ? {} : { rewritten }),
      ...(thumbhash === null ? {} : { thumbhash }),
    };
  } catch (error) {
    await files.clear();
    throw error;
  }
}
