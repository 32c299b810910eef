/** Pictures by `sharp`, which is loaded with the first picture. */
import type { FileImages, ImageFacts, KeptFile, ServedBytes, VariantRequest } from '../file-images.js';
import { variantKey } from '../../../content/model/content-keys.js';
import type { FileStorage, LocalFile } from '../file-storage.js';
import { AllowedRecipes } from './allowed-recipes.js';
import { chooseVariant, type Offer } from './choose-variant.js';
import { ENCODERS } from './encoders.js';
import { firstBytes, svgSize } from './headers.js';
import { type ImageOptions, imageOptions } from './image-options.js';
import { kindOf } from './kinds.js';
import { makeVariant } from './make-variant.js';
import type { Tools } from './picture.js';
import { readPicture } from './read-picture.js';
import { type Recipe, recipeStem } from './recipe.js';
import { type LoadSharp, loadSharp } from './sharp-library.js';
import { PictureQueue } from './picture-queue.js';

/**
 * Reads pictures with `sharp` 0.35 or later, an optional peer. Without it, files are stored with a `width`,
 * `height` and `formats` of null.
 *
 * Throws an Error for invalid options. A picture that cannot be read, exceeds `maxPixels` or `maxSide`, or
 * takes longer than `timeout` is refused with a 400. If the queue is full, the response is a 503. Protocol
 * 20.10.
 *
 * @publicApi
 */
export class SharpImages implements FileImages {
  private readonly options: Required<ImageOptions>;
  private readonly offer: Offer;
  private readonly queue: PictureQueue;
  private tools: Promise<Tools | null> | undefined;

  constructor(
    options: ImageOptions = {},
    private readonly load?: LoadSharp,
  ) {
    this.options = imageOptions(options);
    const { recipes, signingKeys } = this.options;
    this.offer = { recipes: new AllowedRecipes(recipes), signingKeys };
    this.queue = new PictureQueue(this.options);
  }

  async read(file: LocalFile, scratch: string, isUnchanged = false): Promise<ImageFacts | null> {
    if (file.mime === 'image/svg+xml') return readDrawing(file);
    if (kindOf(file.mime) === null) return null;
    const tools = await this.ready();
    const options: Required<ImageOptions> = isUnchanged
      ? { ...this.options, original: 'asSent' }
      : this.options;
    return tools === null ? null : readPicture({ tools, options }, file, scratch);
  }

  async variant(file: KeptFile, request: VariantRequest, storage: FileStorage): Promise<ServedBytes | null> {
    if (kindOf(file.mime) === null) return null;
    const chosen = chooseVariant(this.offer, file, request);
    if (chosen === null) return null;
    const { recipe, isLasting, instead } = chosen;
    if (instead === null) return this.serve({ file, recipe, isLasting }, storage);
    const stored = await storage.head(keyOf(file, recipe));
    if (stored !== null) return { key: stored.key, mime: ENCODERS[recipe.format].mime, isLasting };
    return this.serve({ file, recipe: instead, isLasting: false }, storage);
  }

  private async serve(
    { file, recipe, isLasting }: Served,
    storage: FileStorage,
  ): Promise<ServedBytes | null> {
    const key = keyOf(file, recipe);
    const served = { key, mime: ENCODERS[recipe.format].mime, isLasting };
    if ((await storage.head(key)) !== null) return served;
    const tools = await this.ready();
    if (tools === null) return null;
    const make = (): Promise<boolean> => makeVariant(tools, { file, recipe, key }, storage);
    return (await this.queue.once(key, make)) ? { ...served, isNew: true } : null;
  }

  private ready(): Promise<Tools | null> {
    this.tools ??= loadSharp(this.load).then((sharp) =>
      sharp === null ? null : { sharp, queue: this.queue, limits: this.options },
    );
    return this.tools;
  }
}

interface Served {
  readonly file: KeptFile;
  readonly recipe: Recipe;
  readonly isLasting: boolean;
}

const keyOf = ({ key }: KeptFile, recipe: Recipe): string =>
  variantKey(key, recipeStem(recipe), `.${recipe.format}`);

/** Measures an SVG; no versions are made of it. */
async function readDrawing({ path }: LocalFile): Promise<ImageFacts | null> {
  const size = svgSize(await firstBytes(path));
  return size === null ? null : { ...size, formats: [] };
}
