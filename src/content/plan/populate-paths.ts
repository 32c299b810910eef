/** Paths of `populate` through attributes whose items have several types. */
import type { PopulateItem } from '../query/query.js';
import type { Attribute, Model, ScalarAttribute } from '../model/model.js';
import { isMixed, isPopulatable, type MixedAttribute } from './plan.js';
import { lookUp } from './rights.js';

type Populatable = Exclude<Attribute, ScalarAttribute>;

export const kindsOf = (attribute: MixedAttribute): readonly Model[] =>
  attribute.linked ? attribute.targets : attribute.components;

/** Returns the model of the items of an attribute that has only one. */
export const nextModel = (attribute: Exclude<Populatable, MixedAttribute>): Model =>
  attribute.linked ? attribute.target : attribute.component;

/** Returns a visible attribute that can be populated; null for other names. */
export function populatable(model: Model, key: string): Populatable | null {
  const attribute = lookUp(model, key, null);
  return attribute === undefined || attribute === 'hidden' || !isPopulatable(attribute) ? null : attribute;
}

function hasPath(model: Model, { key, populate }: PopulateItem): boolean {
  const attribute = populatable(model, key);
  if (attribute === null) return false;
  const below = populate.kind === 'items' ? populate.items : [];
  const kinds = isMixed(attribute) ? kindsOf(attribute) : [nextModel(attribute)];
  return below.every((one) => kinds.some((kind) => hasPath(kind, one)));
}

/** Whether a type gets an item. A path that no type has whole goes to the types that have its first key. */
export const isFor = (model: Model, item: PopulateItem, kinds: readonly Model[]): boolean =>
  hasPath(model, item) ||
  (populatable(model, item.key) !== null && !kinds.some((kind) => hasPath(kind, item)));
