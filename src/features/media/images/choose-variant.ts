/** Variant of a URL. It is chosen before any file is opened (S25). */
import type { KeptFile, VariantRequest } from '../file-images.js';
import type { AllowedRecipes } from './allowed-recipes.js';
import type { Focus } from './geometry.js';
import { parseRecipe, type Recipe, roundFocus } from './recipe.js';
import { isSigned } from './recipe-signature.js';

export interface Offer {
  readonly recipes: AllowedRecipes;
  readonly signingKeys: readonly string[];
}

export interface Chosen {
  readonly recipe: Recipe;
  /** Whether the URL contains the whole recipe, so that its bytes never change. */
  readonly isLasting: boolean;
  /** Recipe to serve if the requested focus is outdated and its variant is not stored. */
  readonly instead: Recipe | null;
}

const isSame = (a: Focus | null, b: Focus | null): boolean => a?.x === b?.x && a?.y === b?.y;

function byArguments(recipe: Recipe, file: KeptFile): Chosen {
  const focus = roundFocus(file.focalPoint);
  const isCurrent = recipe.focus === null || isSame(recipe.focus, focus);
  return { recipe, isLasting: true, instead: isCurrent ? null : { ...recipe, focus } };
}

export function chooseVariant(offer: Offer, file: KeptFile, request: VariantRequest): Chosen | null {
  const { rest, query, accept } = request;
  const named = offer.recipes.named(rest, { mime: file.mime, focus: file.focalPoint, accept });
  if (named !== null) return { recipe: named, isLasting: false, instead: null };
  const recipe = parseRecipe(rest);
  if (recipe === null) return null;
  const signature = query.get('s');
  if (signature === null) return offer.recipes.allows(recipe, file.mime) ? byArguments(recipe, file) : null;
  const isGood = isSigned(offer.signingKeys, { hash: file.hash, recipe: rest }, signature);
  return isGood ? { recipe, isLasting: true, instead: null } : null;
}
