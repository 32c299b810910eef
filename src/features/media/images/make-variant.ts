import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Sharp } from 'sharp';
import type { KeptFile } from '../file-images.js';
import { type FileStorage, scratchOf } from '../file-storage.js';
import { ENCODERS, type PictureFormat } from './encoders.js';
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
} from './picture.js';
import { type Recipe, resizeBy } from './recipe.js';

export interface VariantOrder {
  readonly file: KeptFile;
  readonly recipe: Recipe;
  readonly key: string;
}

const FILMS: readonly PictureFormat[] = ['gif', 'webp'];

interface Version {
  readonly make: () => Sharp;
  readonly pixels: number;
}

async function plan(tools: Tools, path: string, recipe: Recipe): Promise<Version> {
  const metadata = await attempt(tools, () => readHeader(tools, path));
  const isAnimated = FILMS.includes(recipe.format) && isFilm(tools, metadata);
  const source: Source = { path, isAnimated };
  const { scaled, crop } = resizeBy(recipe, shownSize(metadata));
  const make = (): Sharp => {
    const whole = openPicture(tools, source).resize({ ...scaled, fit: 'fill' });
    return ENCODERS[recipe.format].encode(crop === null ? whole : whole.extract(crop), recipe.quality ?? 100);
  };
  return { make, pixels: pixelsOf(metadata, isAnimated) };
}

/** Makes a variant and stores it. False if the original is missing. */
export async function makeVariant(
  tools: Tools,
  { file, recipe, key }: VariantOrder,
  storage: FileStorage,
): Promise<boolean> {
  const directory = scratchOf(storage);
  await mkdir(directory, { recursive: true });
  const files = new NewFiles(tools, directory);
  try {
    const path = files.newPath();
    const version = await tools.queue.begin(async () => {
      const original = await storage.get(file.key);
      if (original === null) return null;
      await pipeline(original, createWriteStream(path));
      return plan(tools, path, recipe);
    });
    if (version === null) return false;
    const { mime } = ENCODERS[recipe.format];
    const written = await tools.queue.goOn(() => files.write(mime, version.make), version.pixels);
    await storage.put(key, written.file);
    return true;
  } finally {
    await files.clear();
  }
}
