/** Where models hold files that may be shown. */
import { byKind } from './by-kind.js';
import type { Attribute, Component, EmbeddedAttribute, Model } from './model.js';

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

const allMedia = (attribute: Attribute): readonly Found[] =>
  mediaIn(attribute, { hidden: false, seen: { hidden: new Set(), shown: new Set() } });

/** Whether an attribute leads to files that may be shown. */
export const leadsToFiles = (attribute: Attribute): boolean =>
  allMedia(attribute).some(({ hidden }) => !hidden);

/** Whether documents have files in attributes of their own, or of their components. */
export const holdsFiles = ({ attributes }: Model): boolean => [...attributes.values()].some(leadsToFiles);

/**
 * The names of the media attributes in an attribute's components, each once. One that is hidden anywhere
 * below is none of them: who goes by names finds it in all places.
 */
function mediaNames(attribute: Attribute): readonly string[] {
  const all = allMedia(attribute);
  const hidden = new Set(all.filter((one) => one.hidden).map(({ name }) => name));
  return [...new Set(all.map(({ name }) => name))].filter((name) => !hidden.has(name));
}

/** How many attributes of instances in instances are asked one by one. */
const MOST = 200;

/** Says of the attributes of components, as a jsonpath, where one is `$file`; null for too many. */
class FileTest {
  private left = MOST;

  /** Of an instance of one of some components, told apart in zones; empty where it holds no files. */
  of({ components, kind }: EmbeddedAttribute, above: readonly Model[]): string | null {
    const tests = components.map((component) => {
      const test = this.ofComponent(component, above);
      return test === null || test === '' || kind === 'component'
        ? test
        : `(@.__component == ${JSON.stringify(component.uid)} && (${test}))`;
    });
    return either(tests);
  }

  private ofComponent(component: Component, above: readonly Model[]): string | null {
    if (above.includes(component)) return null;
    const shown = [...component.attributes.values()].filter(({ hidden }) => !hidden);
    return either(shown.map((attribute) => this.ofAttribute(attribute, [...above, component])));
  }

  private ofAttribute(attribute: Attribute, above: readonly Model[]): string | null {
    this.left -= 1;
    if (this.left < 0) return null;
    const at = `@.${JSON.stringify(attribute.name)}`;
    if (attribute.kind === 'relation') return attribute.media ? `exists(${at} ? (@ == $file))` : '';
    if (attribute.kind !== 'component' && attribute.kind !== 'zone') return '';
    const test = this.of(attribute, above);
    return test === null || test === '' ? test : `exists(${at} ? (${test}))`;
  }
}

/** Whether one of several tests holds; null where one of them is. */
const either = (tests: readonly (string | null)[]): string | null =>
  tests.includes(null) ? null : tests.filter((test) => test !== '').join(' || ');

/**
 * The jsonpath that finds `$file` where the instances of an attribute hold it for all to see; null where
 * they hold none. Components that are made of themselves, or of very many others, are searched by the names
 * of their attributes, at any depth.
 */
export function filePathOf(attribute: EmbeddedAttribute): string | null {
  const test = attribute.hidden ? '' : new FileTest().of(attribute, []);
  if (test !== null) return test === '' ? null : `$ ? (${test})`;
  const names = mediaNames(attribute).map((name) => `@.${JSON.stringify(name)} == $file`);
  return names.length === 0 ? null : `$.** ? (${names.join(' || ')})`;
}
