/** Response that every document of a world must have, by state and locale. Marks name links and files. */
import {
  componentOf,
  FILE,
  type Instance,
  isExclusiveLink,
  isInverse,
  isStrange,
  type Link,
  type SourceAttributes,
  type SourceDocument,
  type State,
  USER,
  type Version,
  type World,
} from './source.ts';
import { shownValue } from './values.ts';

/** State and locale of a request. */
export interface Moment {
  readonly state: State;
  readonly locale: string;
}

export type Shown = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly values: Shown;
  readonly times: Pick<Version, 'createdAt' | 'updatedAt' | 'publishedAt'>;
}

/** Returns the row that a request shows. A published row without a draft is both, as in Strapi 4. */
function versionFor(
  { model }: World,
  { type, versions }: SourceDocument,
  { state, locale }: Moment,
): Version | undefined {
  const wanted = type.localized ? locale : null;
  const own = versions.filter((one) => one.locale === wanted);
  if (!type.drafts) return own[0];
  if (model.flavour === 'v4') return own.find((one) => state === 'draft' || one.state === 'published');
  return own.find((one) => one.state === state) ?? (state === 'draft' ? own[0] : undefined);
}

export class Expectation {
  private readonly documents: ReadonlyMap<string, SourceDocument>;
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
    this.documents = new Map(world.documents.map((one) => [`${one.type.uid} ${one.mark}`, one]));
  }

  /** Returns what a request shows of a document; undefined if it shows nothing. */
  answer(document: SourceDocument, moment: Moment): Answer | undefined {
    const version = versionFor(this.world, document, moment);
    if (version === undefined) return undefined;
    const { createdAt, updatedAt, publishedAt } = version;
    const isDraft = document.type.drafts && moment.state === 'draft';
    const own = this.values(document.type.attributes, this.stored(document, version, moment), moment);
    return {
      values: { ...own, ...this.inverse(document, moment) },
      times: { createdAt, updatedAt, publishedAt: isDraft ? null : publishedAt },
    };
  }

  /**
   * Returns the values of a version. A draft made of a published row has no link to the target of another
   * document's draft, if targets belong to one document.
   */
  private stored(document: SourceDocument, version: Version, { state }: Moment): Shown {
    const isMade = state === 'draft' && version.state === 'published' && document.type.drafts;
    if (!isMade) return version.values;
    const drafts = this.world.documents
      .filter((other) => other.type === document.type && other !== document)
      .flatMap((other) => other.versions)
      .filter((other) => other.state === 'draft' && other.locale === version.locale);
    const isOwned = (name: string, { mark }: Link): boolean =>
      drafts.some(({ values }) => (values[name] as readonly Link[]).some((link) => link.mark === mark));
    const entries = Object.entries(version.values).map(([name, value]) => {
      const attribute = document.type.attributes[name];
      const isExclusive = attribute !== undefined && isExclusiveLink(attribute);
      return [name, isExclusive ? (value as Link[]).filter((link) => !isOwned(name, link)) : value];
    });
    return Object.fromEntries(entries) as Shown;
  }

  private isShown({ type, mark }: Link, moment: Moment): boolean {
    if (type === USER || type === FILE) return true;
    const target = this.documents.get(`${type} ${mark}`);
    return target !== undefined && versionFor(this.world, target, moment) !== undefined;
  }

  private values(attributes: SourceAttributes, values: Shown, moment: Moment): Shown {
    const shown = Object.entries(attributes).flatMap(([name, attribute]): [string, unknown][] => {
      const value = values[name];
      if (attribute.type === 'password' || isStrange(attribute)) return [];
      if (attribute.type === 'relation' && isInverse(attribute)) return [];
      if (attribute.type === 'relation') return [[name, this.links(value as readonly Link[], moment)]];
      if (attribute.type === 'media') return [[name, value]];
      if (!['component', 'dynamiczone'].includes(attribute.type))
        return [[name, shownValue(attribute, value)]];
      return [[name, (value as readonly Instance[]).map((one) => this.instance(one, moment))]];
    });
    return Object.fromEntries(shown);
  }

  private links(links: readonly Link[], moment: Moment): string[] {
    return links.filter((link) => this.isShown(link, moment)).map(({ type, mark }) => `${type} ${mark}`);
  }

  private instance({ component, values }: Instance, moment: Moment): Shown {
    const { attributes } = componentOf(this.world.model, component);
    return { component, ...this.values(attributes, values, moment) };
  }

  /** Links of other documents, in the order of this side. The reference stores none for polymorphic ones. */
  private inverse(document: SourceDocument, moment: Moment): Shown {
    const entries = Object.entries(document.type.attributes).flatMap(([name, attribute]) => {
      const by = attribute['mappedBy'] ?? attribute['morphBy'];
      if (typeof by !== 'string') return [];
      const owners = this.world.documents.filter(
        (owner) => owner.type.uid === attribute['target'] && this.hasLink(owner, { by, document, moment }),
      );
      const rank = ({ type, mark }: SourceDocument): number =>
        this.world.ranks.get(`${type.uid}.${by} ${mark}`) ?? 0;
      const marks = owners
        .toSorted((a, b) => rank(a) - rank(b))
        .map(({ type, mark }) => `${type.uid} ${mark}`);
      return [[name, attribute['morphBy'] === undefined ? marks : marks.toSorted()]];
    });
    return Object.fromEntries(entries) as Shown;
  }

  private hasLink(
    owner: SourceDocument,
    {
      by,
      document,
      moment,
    }: { readonly by: string; readonly document: SourceDocument; readonly moment: Moment },
  ): boolean {
    const version = versionFor(this.world, owner, moment);
    if (version === undefined) return false;
    const links = (this.stored(owner, version, moment)[by] ?? []) as readonly Link[];
    return links.some(({ type, mark }) => type === document.type.uid && mark === document.mark);
  }
}
