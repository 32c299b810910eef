/** Where models hold files. */
import { byKind } from './by-kind.js';
import type { Attribute, Component, Model } from './model.js';

/** The names of media attributes in components, at any depth; components may be made of themselves. */
function inComponents(components: readonly Component[], seen: Set<Model>): readonly string[] {
  const fresh = components.filter((component) => !seen.has(component));
  for (const component of fresh) seen.add(component);
  return fresh
    .flatMap(({ attributes }) => [...attributes.values()])
    .flatMap((attribute) => namesIn(attribute, seen));
}

const namesIn = byKind<Attribute, [Set<Model>], readonly string[]>({
  scalar: () => [],
  morph: () => [],
  relation: ({ media, name }) => (media ? [name] : []),
  component: ({ components }, seen) => inComponents(components, seen),
  zone: ({ components }, seen) => inComponents(components, seen),
});

/** An attribute's own name where it is media, or the names of those in its components, each once. */
export const mediaNames = (attribute: Attribute): readonly string[] => [
  ...new Set(namesIn(attribute, new Set())),
];

/** Whether documents have files in attributes of their own, or of their components. */
export const holdsFiles = ({ attributes }: Model): boolean =>
  [...attributes.values()].some((attribute) => mediaNames(attribute).length > 0);
