/** Where models hold files that may be shown. */
import { byKind } from './by-kind.js';
import type { Attribute, Component, Model } from './model.js';

/** A media attribute that was found, and whether it or what it is in is hidden. */
interface Found {
  readonly name: string;
  readonly hidden: boolean;
}

/** How a walk came somewhere. */
interface Way {
  readonly hidden: boolean;
  /** Components that were looked into, as hidden ones and as shown ones: each once. */
  readonly seen: Readonly<Record<'hidden' | 'shown', Set<Model>>>;
}

/** Media attributes in components, at any depth; components may be made of themselves. */
function inComponents(components: readonly Component[], way: Way): readonly Found[] {
  const seen = way.seen[way.hidden ? 'hidden' : 'shown'];
  const fresh = components.filter((component) => !seen.has(component));
  for (const component of fresh) seen.add(component);
  return fresh
    .flatMap(({ attributes }) => [...attributes.values()])
    .flatMap((attribute) => mediaIn(attribute, way));
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
  const all = mediaIn(attribute, { hidden: false, seen: { hidden: new Set(), shown: new Set() } });
  const hidden = new Set(all.filter((one) => one.hidden).map(({ name }) => name));
  return [...new Set(all.map(({ name }) => name))].filter((name) => !hidden.has(name));
}

/** Whether an attribute leads to files that may be shown. */
export const leadsToFiles = (attribute: Attribute): boolean => mediaNames(attribute).length > 0;

/** Whether documents have files in attributes of their own, or of their components. */
export const holdsFiles = ({ attributes }: Model): boolean => [...attributes.values()].some(leadsToFiles);
