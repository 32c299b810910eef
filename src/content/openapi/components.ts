/** Named parts of a document; each is built at its first reference. */
import type { NamedParts, Reference } from './document.js';

type Section = keyof NamedParts;

/** Identity of a part: equal keys are one part. A name in use gets a number. */
export interface PartName {
  readonly key: string;
  readonly name: string;
}

/** Formats `visitor-note` and `shared.seo` as `VisitorNote` and `SharedSeo`. */
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

  /** Returns a reference to the part with this key, and builds the part if it is new. */
  ref<S extends Section>(section: S, part: PartName, make: () => NamedParts[S][string]): Reference {
    const at = `${section} ${part.key}`;
    const cached = this.names.get(at);
    const name = cached ?? this.claim(section, part.name);
    if (cached === undefined) {
      // Registered before the build, so that the part may refer to itself.
      this.names.set(at, name);
      const built = make();
      this.parts[section].set(name, built);
    }
    return { $ref: `#/components/${section}/${name}` };
  }

  all(): NamedParts {
    const sortByName = <T>(parts: ReadonlyMap<string, T>): Readonly<Record<string, T>> =>
      Object.fromEntries([...parts].sort(([a], [b]) => (a < b ? -1 : 1)));
    const { schemas, parameters, responses } = this.parts;
    return {
      schemas: sortByName(schemas),
      parameters: sortByName(parameters),
      responses: sortByName(responses),
    };
  }

  private claim(section: Section, wanted: string): string {
    let name = wanted;
    for (let n = 2; this.taken.has(`${section} ${name}`); n += 1) name = `${wanted}${n}`;
    this.taken.add(`${section} ${name}`);
    return name;
  }
}
