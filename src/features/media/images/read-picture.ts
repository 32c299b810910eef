/** What an upload is as a picture, and the versions of it that are kept from the start (protocol 20.10). */
import type { Metadata, Sharp } from 'sharp';
import type { ImageFacts, MadeFormat } from '../file-images.js';
import type { LocalFile } from '../file-storage.js';
import { isLarger, type Size } from './geometry.js';
import { firstBytes, isAnimatedPng } from './headers.js';
import type { ImageOptions } from './image-options.js';
import { type Kind, kindOf, rewriteQuality } from './kinds.js';
import {
  Bench,
  isFilm,
  openPicture,
  pixelsOf,
  readHeader,
  shownSize,
  type Source,
  type Tools,
  work,
  type Written,
} from './picture.js';
import { thumbhashOf } from './thumbhash.js';

/** An upload that has been looked at. */
interface Seen {
  readonly file: LocalFile;
  readonly kind: Kind;
  readonly metadata: Metadata;
  readonly source: Source;
  /** As it is shown. */
  readonly size: Size;
  /** Pixels that one version of it counts as. */
  readonly pixels: number;
}

/** How pictures are read. */
export interface Reading {
  readonly tools: Tools;
  readonly options: Required<ImageOptions>;
}

/** Reads the header of a picture; throws for one that is too large. */
async function look({ tools }: Reading, file: LocalFile, kind: Kind): Promise<Seen> {
  const metadata = await work(tools, () => readHeader(tools, file.path));
  const source = { path: file.path, isAnimated: kind.isFilm && isFilm(tools, metadata) };
  const pixels = pixelsOf(metadata, source.isAnimated);
  return { file, kind, metadata, source, pixels, size: shownSize(metadata) };
}

/** Whether frames would be lost by writing a picture anew. */
async function losesFrames({ file, metadata, source }: Seen): Promise<boolean> {
  if (file.mime === 'image/png') return isAnimatedPng(await firstBytes(file.path));
  return file.mime === 'image/webp' && (metadata.pages ?? 1) > 1 && !source.isAnimated;
}

async function rewrite({ tools, options }: Reading, seen: Seen, bench: Bench): Promise<LocalFile | null> {
  const quality = rewriteQuality(seen.kind, options.original, seen.metadata);
  if (quality === null || (await losesFrames(seen))) return null;
  const version = (): Sharp => seen.kind.rewrite(openPicture(tools, seen.source), quality);
  const { file } = await tools.workshop.run(() => bench.write(seen.file.mime, version), seen.pixels);
  return file;
}

/** Names the box as well as the format: another box is another recipe. */
const recipeOf = (name: string, { width, height }: Size): string => `${name}-w${width}-h${height}`;

async function makeFormat(
  { tools }: Reading,
  { file, kind, source, pixels }: Seen,
  { bench, name, box }: { readonly bench: Bench; readonly name: string; readonly box: Size },
): Promise<MadeFormat> {
  const inside = { ...box, fit: 'inside' } as const;
  const version = (): Sharp => openPicture(tools, source).resize(inside);
  const written: Written = await tools.workshop.run(() => bench.write(file.mime, version), pixels);
  return { name, recipe: recipeOf(name, box), ext: kind.ext, ...written };
}

function boxesFor({ kind, size }: Seen, { formats }: Required<ImageOptions>): readonly [string, Size][] {
  return kind.isResized ? Object.entries(formats).filter(([, box]) => isLarger(size, box)) : [];
}

/** Waits for all, and only then throws what went wrong first: nothing is written after that. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/**
 * A picture's size, its formats, and what is kept in its place, all in a directory. Null for what is not of
 * a kind that is looked at. Throws a 400 for a picture that cannot be read, or is too large; nothing is left
 * then.
 */
export async function readPicture(
  reading: Reading,
  file: LocalFile,
  directory: string,
): Promise<ImageFacts | null> {
  const { tools, options } = reading;
  const kind = kindOf(file.mime);
  if (kind === null) return null;
  const seen = await look(reading, file, kind);
  const bench = new Bench(tools, directory);
  const kept = rewrite(reading, seen, bench);
  const hash = options.thumbhash ? thumbhashOf(tools, seen.source, seen.pixels) : Promise.resolve(null);
  const made = boxesFor(seen, options).map(([name, box]) => makeFormat(reading, seen, { bench, name, box }));
  try {
    await allOf<unknown>([kept, hash, ...made]);
    const [rewritten, thumbhash, formats] = await Promise.all([kept, hash, Promise.all(made)]);
    return {
      ...seen.size,
      formats,
      ...(rewritten === null ? {} : { rewritten }),
      ...(thumbhash === null ? {} : { thumbhash }),
    };
  } catch (error) {
    await bench.clear();
    throw error;
  }
}
