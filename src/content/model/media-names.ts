import { byKind } from './by-kind.js';
import type { Attribute, Component, EmbeddedAttribute, Model } from './model.js';

interface FoundName {
  readonly name: string;
  readonly hidden: boolean;
}

interface Walk {
  readonly hidden: boolean;
  /** Components visited, separately below hidden and below visible attributes; each is visited once. */
  readonly seen: Readonly<Record<'hidden' | 'shown', Set<Model>>>;
}

function inComponents(components: readonly Component[], walk: Walk): readonly FoundName[] {
  const seen = walk.seen[walk.hidden ? 'hidden' : 'shown'];
  const fresh = components.filter((component) => !seen.has(component));
  for (const component of fresh) seen.add(component);
  return fresh
    .flatMap(({ attributes }) => [...attributes.values()])
    .flatMap((attribute) => mediaIn(attribute, walk));
}

const namesIn = byKind<Attribute, [Walk], readonly FoundName[]>({
  scalar: () => [],
  morph: () => [],
  relation: ({ media, name }, { hidden }) => (media ? [{ name, hidden }] : []),
  component: ({ components }, walk) => inComponents(components, walk),
  zone: ({ components }, walk) => inComponents(components, walk),
});

const mediaIn = (attribute: Attribute, { hidden, seen }: Walk): readonly FoundName[] =>
  namesIn(attribute, { hidden: hidden || attribute.hidden, seen });

const allMedia = (attribute: Attribute): readonly FoundName[] =>
  mediaIn(attribute, { hidden: false, seen: { hidden: new Set(), shown: new Set() } });

export const leadsToFiles = (attribute: Attribute): boolean =>
  allMedia(attribute).some(({ hidden }) => !hidden);

export const holdsFiles = ({ attributes }: Model): boolean => [...attributes.values()].some(leadsToFiles);

/**
 * Returns the names of the media attributes in an attribute's components. Names that are hidden anywhere are
 * left out, because a search by name finds all places.
 */
function mediaNames(attribute: Attribute): readonly string[] {
  const all = allMedia(attribute);
  const hidden = new Set(all.filter((one) => one.hidden).map(({ name }) => name));
  return [...new Set(all.map(({ name }) => name))].filter((name) => !hidden.has(name));
}

/** Most attributes of nested components that a path tests individually. */
const MAX_ATTRIBUTES = 200;

/**
 * Builds jsonpath conditions that test component attributes for `$file`; null if there are too many
 * attributes.
 */
class FileTest {
  private left = MAX_ATTRIBUTES;

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

const either = (tests: readonly (string | null)[]): string | null =>
  tests.includes(null) ? null : tests.filter((test) => test !== '').join(' || ');

/**
 * Returns the jsonpath that finds `$file` in visible attributes of instances; null if there are none.
 * Components that contain themselves or too many attributes are searched by attribute name at any depth.
 */
export function filePathOf(attribute: EmbeddedAttribute): string | null {
  const test = attribute.hidden ? '' : new FileTest().of(attribute, []);
  if (test !== null) return test === '' ? null : `$ ? (${test})`;
  const names = mediaNames(attribute).map((name) => `@.${JSON.stringify(name)} == $file`);
  return names.length === 0 ? null : `$.** ? (${names.join(' || ')})`;
}
