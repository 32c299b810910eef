/** Recipes that the host allows. They are checked before any file is opened (S25). */
import { ENCODERS, isPictureFormat, type PictureFormat } from './encoders.js';
import type { Focus } from './geometry.js';
import { LONGEST_SIDE, ownFormat, parseRecipe, type Recipe, recipeText, roundFocus } from './recipe.js';

/**
 * A size that clients may request. `{ width: 640, height: 360, fit: 'cover', format: 'webp' }`
 *
 * @publicApi
 */
export interface RecipeOptions {
  /** In pixels, 8192 at most. With `inside`, the default, one of the two sides is enough. */
  readonly width?: number;
  readonly height?: number;
  /** `inside` shows all of the picture; `cover` fills the box around the focal point. Default `inside`. */
  readonly fit?: 'inside' | 'cover';
  /**
   * `own` keeps the picture's format. `auto` uses AVIF or WebP if the client accepts it, and otherwise the
   * picture's own format. Default `own`.
   */
  readonly format?: PictureFormat | 'own' | 'auto';
  /** From 1 to 100; default 80, and 50 for AVIF. PNG and GIF have no quality. */
  readonly quality?: number;
}

export interface RecipeContext {
  readonly mime: string;
  readonly focus: Focus | null;
  readonly accept: string;
}

/** The formats that `auto` prefers, best first. */
const MODERN: readonly PictureFormat[] = ['avif', 'webp'];

function recipeOf(options: RecipeOptions, format: PictureFormat): Recipe {
  const { width = null, height = null, fit = 'inside' } = options;
  const usual = ENCODERS[format].quality;
  const quality = usual === null ? null : (options.quality ?? usual);
  return { width, height, fit, focus: null, format, quality };
}

function formatsOf({ format = 'own' }: RecipeOptions, own: PictureFormat): readonly PictureFormat[] {
  if (format === 'auto') return [own, ...MODERN];
  return format === 'own' ? [own] : [format];
}

function chosenFormat(
  { format = 'own' }: RecipeOptions,
  { mime, accept }: Omit<RecipeContext, 'focus'>,
): PictureFormat {
  if (format !== 'own' && format !== 'auto') return format;
  const read = format === 'auto' ? MODERN.find((one) => accept.includes(ENCODERS[one].mime)) : undefined;
  return read ?? ownFormat(mime);
}

const isSide = (side: number | undefined): boolean =>
  side === undefined || (Number.isInteger(side) && side >= 1 && side <= LONGEST_SIDE);

function fault(name: string, options: RecipeOptions): string | null {
  const { width, height, format = 'own', quality = 80 } = options;
  if (!/^[a-z][a-z0-9_]*$/.test(name)) return 'needs a name of lower-case letters, digits and _';
  if (!isSide(width) || !isSide(height)) return `needs sides from 1 to ${LONGEST_SIDE}`;
  if (format !== 'own' && format !== 'auto' && !isPictureFormat(format))
    return `has no format ${String(format)}`;
  if (!Number.isInteger(quality)) return 'needs a whole quality from 1 to 100';
  const text = recipeText(recipeOf(options, formatsOf(options, 'png')[0] ?? 'png'));
  return parseRecipe(text) === null ? 'needs a width or a height, and for cover both' : null;
}

export class AllowedRecipes {
  /** Throws for recipes that cannot be made. */
  constructor(private readonly recipes: Readonly<Record<string, RecipeOptions>>) {
    for (const [name, options] of Object.entries(recipes)) {
      const wrong = fault(name, options);
      if (wrong !== null) throw new Error(`The recipe "${name}" ${wrong}.`);
    }
  }

  allows(recipe: Recipe, mime: string): boolean {
    const text = recipeText({ ...recipe, focus: null });
    const own = ownFormat(mime);
    return Object.values(this.recipes).some((options) =>
      formatsOf(options, own).some((format) => recipeText(recipeOf(options, format)) === text),
    );
  }

  named(name: string, { mime, focus, accept }: RecipeContext): Recipe | null {
    const options = Object.hasOwn(this.recipes, name) ? this.recipes[name] : undefined;
    if (options === undefined) return null;
    const recipe = recipeOf(options, chosenFormat(options, { mime, accept }));
    return { ...recipe, focus: recipe.fit === 'cover' ? roundFocus(focus) : null };
  }
}
