import { availableParallelism } from 'node:os';
import { checkModuleOptions, FLAG, option, type OptionsOf } from '../../../content/model/option-table.js';
import { isListOf, isObject, isRecordOf, isText, withDefaults } from '../../../kernel/json.js';
import { isSigningKey, SHORTEST_KEY } from './recipe-signature.js';
import type { RecipeOptions } from './allowed-recipes.js';
import type { Size } from './geometry.js';

/**
 * The stored original of an uploaded picture:
 *
 * - `optimized`, the default: re-encoded in its own format at quality 80, as the reference does; orientation
 *   applied, colours in sRGB, all metadata removed.
 * - `stripped`: re-encoded without visible loss, and only if it has metadata or an orientation.
 * - `asSent`: byte for byte. All its metadata is public with it, including the place of a photograph.
 *
 * @publicApi
 */
export type OriginalKept = 'optimized' | 'stripped' | 'asSent';

/**
 * Reading of pictures, and the versions that are made of them.
 *
 * @publicApi
 */
export interface ImageOptions {
  /** The stored original. Default `optimized`. */
  readonly original?: OriginalKept;
  /**
   * The boxes of `formats`, by name, in pixels; each is made only if the picture is larger. Default:
   * `thumbnail` 245 × 156, `small` 500, `medium` 750, `large` 1000 (protocol 20.10).
   */
  readonly formats?: Readonly<Record<string, Size>>;
  /** Further sizes that clients may request, by name. Default: none. */
  readonly recipes?: Readonly<Record<string, RecipeOptions>>;
  /** Keys of 32 bytes or more for signed variants: the first signs, all are accepted. Default: none. */
  readonly signingKeys?: readonly string[];
  /**
   * Largest picture that is read, in pixels, all frames of an animation included. Also bounds the pixels of
   * all versions in progress. Larger pictures are refused. A pixel of WebP and AVIF counts as 2, one of
   * progressive JPEG and interlaced PNG as 1.5. A counted pixel takes up to 12 bytes. Default 25 million.
   */
  readonly maxPixels?: number;
  /** Longest side of a picture that is read, in pixels. Default 16,384. */
  readonly maxSide?: number;
  /**
   * Longest time for one version of a picture, in milliseconds; the picture is refused after it. Default
   * 20,000.
   */
  readonly timeout?: number;
  /** Concurrent versions. Default: one more than processors, 3 at most. */
  readonly parallel?: number;
  /** Versions that may wait in the queue; beyond it the response is a 503. Default 1000. */
  readonly queueLength?: number;
  /** Adds a `thumbhash` to each picture; needs the package `thumbhash`. Default false. */
  readonly thumbhash?: boolean;
}

const DEFAULT_IMAGE_OPTIONS: Required<ImageOptions> = Object.freeze({
  original: 'optimized',
  formats: Object.freeze({
    thumbnail: Object.freeze({ width: 245, height: 156 }),
    small: Object.freeze({ width: 500, height: 500 }),
    medium: Object.freeze({ width: 750, height: 750 }),
    large: Object.freeze({ width: 1000, height: 1000 }),
  }),
  recipes: Object.freeze({}),
  signingKeys: Object.freeze([]),
  maxPixels: 25_000_000,
  maxSide: 16_384,
  timeout: 20_000,
  parallel: Math.min(3, availableParallelism() + 1),
  queueLength: 1000,
  thumbhash: false,
});

const NUMBER = option('a number, 1 or more', (value) => typeof value === 'number' && value >= 1);
const ORIGINALS: readonly string[] = ['optimized', 'stripped', 'asSent'] satisfies readonly OriginalKept[];
const isSize = (value: unknown): value is object => isObject(value);
const isSide = (side: number): boolean => Number.isInteger(side) && side > 0;

const OPTIONS: OptionsOf<ImageOptions> = {
  original: option(`one of ${ORIGINALS.join(', ')}`, (value) => isText(value) && ORIGINALS.includes(value)),
  formats: option('an object with a size by name', isRecordOf(isSize)),
  recipes: option('an object with a size by name', isRecordOf(isSize)),
  signingKeys: option(`a list of strings of at least ${SHORTEST_KEY} bytes`, isListOf(isSigningKey)),
  maxPixels: NUMBER,
  maxSide: NUMBER,
  timeout: NUMBER,
  parallel: NUMBER,
  queueLength: NUMBER,
  thumbhash: FLAG,
};

/** Merges the options with the defaults. Throws for values that would fail only at the first request. */
export function imageOptions(input: ImageOptions): Required<ImageOptions> {
  checkModuleOptions('SharpImages', input, OPTIONS);
  const options = Object.freeze(withDefaults(DEFAULT_IMAGE_OPTIONS, input));
  for (const [name, { width, height }] of Object.entries(options.formats))
    if (!/^[a-z][a-z0-9]*$/.test(name) || !isSide(width) || !isSide(height))
      throw new Error(
        `SharpImages: formats.${name} needs a name of letters, and a width and height in pixels.`,
      );
  return options;
}
