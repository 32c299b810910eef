import type { Attribute, Component } from './model.js';

/** Whether a component, or one inside it, has an attribute whose values are unique among documents. */
function holdsUnique({ uid, attributes }: Component, seen: Set<string>): boolean {
  if (seen.has(uid)) return false;
  seen.add(uid);
  return [...attributes.values()].some((attribute) =>
    attribute.kind === 'scalar'
      ? attribute.def.unique === true
      : componentsOf(attribute).some((component) => holdsUnique(component, seen)),
  );
}

const componentsOf = (attribute: Attribute): readonly Component[] => {
  if (attribute.kind === 'component') return [attribute.component];
  return attribute.kind === 'zone' ? attribute.components : [];
};

/**
 * Whether an attribute's components have an index: where the model says so, and where their values have to be
 * looked up because they are unique.
 */
export const isIndexedInside = (attribute: Attribute): boolean =>
  (attribute.kind === 'component' && attribute.def.index === true) ||
  componentsOf(attribute).some((component) => holdsUnique(component, new Set()));
