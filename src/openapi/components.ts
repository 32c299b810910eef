/** The parts of a description that have names: each is made once, when something first refers to it. */
import type { NamedParts, Reference } from './document.js';

type Section = keyof NamedParts;

/** What a part is: the same key is the same part. A name that another part has gets a number. */
export interface PartName {
  readonly key: string;
  readonly name: string;
}

/** `visitor-note`, `shared.seo` → `VisitorNote`, `SharedSeo`. */
export const pascal = (id: string): string =>
  id.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_match, letter: string) => letter.toUpperCase());

/** Collects named parts. Parts may refer to each other, and to themselves. */
export class Components {
  private readonly names = new Map<string, string>();
  private readonly taken = new Set<string>();
  private readonly parts: { readonly [S in Section]: Map<string, NamedParts[S][string]> } = {
    schemas: new Map(),
    parameters: new Map(),
    responses: new Map(),
  };

  /** A reference to the part with this key, which is made unless it is there. */
  ref<S extends Section>(section: S, part: PartName, make: () => NamedParts[S][string]): Reference {
    const at = `${section} ${part.key}`;
    const known = this.names.get(at);
    const name = known ?? this.claim(section, part.name);
    if (known === undefined) {
      // Before it is made, so that it may refer to itself.
      this.names.set(at, name);
      const made = make();
      this.parts[section].set(name, made);
    }
    return { $ref: `#/components/${section}/${name}` };
  }

  /** All parts, by name. */
  all(): NamedParts {
    const sorted = <T>(parts: ReadonlyMap<string, T>): Readonly<Record<string, T>> =>
      Object.fromEntries([...parts].sort(([a], [b]) => (a < b ? -1 : 1)));
    const { schemas, parameters, responses } = this.parts;
    return { schemas: sorted(schemas), parameters: sorted(parameters), responses: sorted(responses) };
  }

  private claim(section: Section, wanted: string): string {
    let name = wanted;
    for (let n = 2; this.taken.has(`${section} ${name}`); n += 1) name = `${wanted}${n}`;
    this.taken.add(`${section} ${name}`);
    return name;
  }
}
