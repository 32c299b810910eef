import type { Attribute, Component, EmbeddedAttribute } from './model.js';

/** Whether a component, or a component in it, has an attribute with values unique among documents. */
function holdsUnique({ uid, attributes }: Component, seen: Set<string>): boolean {
  if (seen.has(uid)) return false;
  seen.add(uid);
  return [...attributes.values()].some(
    (attribute) =>
      isUniqueValue(attribute) || componentsOf(attribute).some((component) => holdsUnique(component, seen)),
  );
}

const isUniqueValue = ({ def }: Attribute): boolean => 'unique' in def && def.unique === true;

/** Returns the components that an attribute may contain; none for attributes without instances. */
export const componentsOf = (attribute: Attribute): readonly Component[] =>
  'components' in attribute ? attribute.components : [];

/** Whether an attribute's components have an index: configured, or needed to look up unique values. */
export const isIndexedInside = ({ def, components }: EmbeddedAttribute): boolean =>
  ('index' in def && def.index === true) || components.some((component) => holdsUnique(component, new Set()));
