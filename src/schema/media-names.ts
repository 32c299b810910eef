/** Where models hold files that may be shown. */
import { byKind } from './by-kind.js';
import type { Attribute, Component, Model } from './model.js';

/** A media attribute that was found, and whether it or what it is in is hidden. */
interface Found {
  readonly name: string;
  readonly hidden: boolean;
}

/** What was looked into on the way, and whether that is hidden. */
interface Way {
  readonly hidden: boolean;
  readonly seen: ReadonlySet<Model>;
}

/** Media attributes in components, at any depth; components may be made of themselves. */
function inComponents(components: readonly Component[], { hidden, seen }: Way): readonly Found[] {
  return components
    .filter((component) => !seen.has(component))
    .flatMap((component) => {
      const way = { hidden, seen: new Set([...seen, component]) };
      return [...component.attributes.values()].flatMap((attribute) => mediaIn(attribute, way));
    });
}

const found = byKind<Attribute, [Way], readonly Found[]>({
  scalar: () => [],
  morph: () => [],
  relation: ({ media, name }, { hidden }) => (media ? [{ name, hidden }] : []),
  component: ({ components }, way) => inComponents(components, way),
  zone: ({ components }, way) => inComponents(components, way),
});

const mediaIn = (attribute: Attribute, { hidden, seen }: Way): readonly Found[] =>
  found(attribute, { hidden: hidden || attribute.hidden, seen });

/**
 * An attribute's own name where it is media, or the names of those in its components, each once. A name that
 * is hidden anywhere below is none of them: instances are searched by names, and nothing hidden may be found.
 */
export function mediaNames(attribute: Attribute): readonly string[] {
  const all = mediaIn(attribute, { hidden: false, seen: new Set() });
  const hidden = new Set(all.filter((one) => one.hidden).map(({ name }) => name));
  return [...new Set(all.map(({ name }) => name))].filter((name) => !hidden.has(name));
}

/** Whether an attribute leads to files that may be shown. */
export const leadsToFiles = (attribute: Attribute): boolean => mediaNames(attribute).length > 0;

/** Whether documents have files in attributes of their own, or of their components. */
export const holdsFiles = ({ attributes }: Model): boolean => [...attributes.values()].some(leadsToFiles);
