import type { Attribute, Component, EmbeddedAttribute } from './model.js';

/** Whether a component, or one inside it, has an attribute whose values are unique among documents. */
function holdsUnique({ uid, attributes }: Component, seen: Set<string>): boolean {
  if (seen.has(uid)) return false;
  seen.add(uid);
  return [...attributes.values()].some(
    (attribute) =>
      isUniqueValue(attribute) || insideOf(attribute).some((component) => holdsUnique(component, seen)),
  );
}

const isUniqueValue = ({ def }: Attribute): boolean => 'unique' in def && def.unique === true;

const insideOf = (attribute: Attribute): readonly Component[] =>
  'components' in attribute ? attribute.components : [];

/**
 * Whether an attribute's components have an index: where the model says so, and where their values have to be
 * looked up because they are unique.
 */
export const isIndexedInside = ({ def, components }: EmbeddedAttribute): boolean =>
  ('index' in def && def.index === true) || components.some((component) => holdsUnique(component, new Set()));
