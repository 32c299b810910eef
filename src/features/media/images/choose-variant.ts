/** Which variant a URL stands for. Nothing is opened before that is known (S25). */
import type { KeptFile, VariantRequest } from '../file-images.js';
import type { AllowedRecipes } from './allowed-recipes.js';
import type { Focus } from './geometry.js';
import { parseRecipe, type Recipe, roundFocus } from './recipe.js';
import { isSigned } from './recipe-signature.js';

/** What may be asked for. */
export interface Offer {
  readonly recipes: AllowedRecipes;
  readonly signingKeys: readonly string[];
}

/** A variant that may be made. */
export interface Chosen {
  readonly recipe: Recipe;
  /** Whether the URL names all of the recipe, so that it never stands for another. */
  readonly isLasting: boolean;
  /**
   * For a focus that the file has no longer: what is made instead, unless the variant is there from before.
   */
  readonly instead: Recipe | null;
}

const isSame = (a: Focus | null, b: Focus | null): boolean => a?.x === b?.x && a?.y === b?.y;

/** A recipe that names its arguments: one of the host's, around the centre or the focus that the file has. */
function byArguments(recipe: Recipe, file: KeptFile): Chosen {
  const focus = roundFocus(file.focalPoint);
  const isCurrent = recipe.focus === null || isSame(recipe.focus, focus);
  return { recipe, isLasting: true, instead: isCurrent ? null : { ...recipe, focus } };
}

/** The variant that is asked for; null where it may not be, or is none. */
export function chooseVariant(offer: Offer, file: KeptFile, asked: VariantRequest): Chosen | null {
  const { rest, query, accept } = asked;
  const named = offer.recipes.named(rest, { mime: file.mime, focus: file.focalPoint, accept });
  if (named !== null) return { recipe: named, isLasting: false, instead: null };
  const recipe = parseRecipe(rest);
  if (recipe === null) return null;
  const signature = query.get('s');
  if (signature === null) return offer.recipes.allows(recipe, file.mime) ? byArguments(recipe, file) : null;
  const isGood = isSigned(offer.signingKeys, { hash: file.hash, recipe: rest }, signature);
  return isGood ? { recipe, isLasting: true, instead: null } : null;
}
