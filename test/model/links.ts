/**
 * Links as the protocol defines them: sets of pairs, each with a position in the order of either side (D22,
 * D24).
 */
import type { Relation } from './shape.ts';

export type State = 'draft' | 'published';

interface Link {
  readonly owner: string;
  readonly target: string;
  ownPlace: number;
  inversePlace: number;
}

/** Owners whose links are copied from another state, and owners whose links stay. */
interface Followed {
  readonly owners: readonly string[];
  readonly kept: readonly string[];
}

/** Functions of the world that a sheet needs: the type of a document, and growing numbers. */
export interface Surroundings {
  readonly typeOf: (id: string) => string | undefined;
  readonly next: () => number;
}

/** Links of one relation in one state, and in one locale or ('') shared by all. */
export class Sheet {
  private links: Link[] = [];
  private readonly relation: Relation;
  private readonly typeOf: Surroundings['typeOf'];
  private readonly next: Surroundings['next'];

  constructor(relation: Relation, { typeOf, next }: Surroundings) {
    this.relation = relation;
    this.typeOf = typeOf;
    this.next = next;
  }

  /** Returns a function that takes back all later changes. */
  mark(): () => void {
    const links = structuredClone(this.links);
    return () => void (this.links = links);
  }

  /** Whether a target has one owner at most. */
  isExclusive = (target: string): boolean => this.relation.exclusive.includes(this.typeOf(target) ?? '');

  /** The targets of an owner, in its order. */
  own(owner: string): string[] {
    const links = this.links.filter((link) => link.owner === owner);
    return links.sort((a, b) => a.ownPlace - b.ownPlace).map(({ target }) => target);
  }

  /** The owners that link to a target, in the target's order. */
  inverse(target: string): string[] {
    const links = this.links.filter((link) => link.target === target);
    return links.sort((a, b) => a.inversePlace - b.inversePlace).map(({ owner }) => owner);
  }

  /**
   * Sets the targets of an owner, in this order. Existing links keep their position on the other side, and
   * new ones are last there (D24). A one-to-one target leaves its former owner (D23).
   */
  writeOwn(owner: string, targets: readonly string[]): void {
    const taken = targets.filter(this.isExclusive);
    this.drop((link) => link.owner === owner && !targets.includes(link.target));
    this.drop((link) => link.owner !== owner && taken.includes(link.target));
    for (const target of targets) this.link(owner, target).ownPlace = this.next();
  }

  /**
   * Sets the owners of a target, in this order, as `writeOwn` does from the other side. Links of `kept` stay.
   * The first owners keep their positions if the order allows it; later ones are last (D24).
   */
  writeInverse(target: string, owners: readonly string[], kept: readonly string[] = []): void {
    this.keepOwners(target, owners, kept);
    const before = new Set(this.inverse(target));
    let greatest = 0;
    for (const owner of owners) {
      const link = this.link(owner, target);
      const stays = greatest < Infinity && before.has(owner) && link.inversePlace > greatest;
      greatest = stays ? link.inversePlace : Infinity;
      if (!stays && !kept.includes(owner)) link.inversePlace = this.next();
    }
  }

  /**
   * Sets the owners of a target from another state, at their positions there; owners in `kept` keep theirs.
   */
  follow(target: string, other: Sheet, { owners, kept }: Followed): void {
    this.keepOwners(target, owners, kept);
    for (const owner of owners)
      this.link(owner, target).inversePlace = other.link(owner, target).inversePlace;
  }

  /** Removes the links of a target to other owners; an exclusive target also loses their other links. */
  private keepOwners(target: string, owners: readonly string[], kept: readonly string[]): void {
    const all = this.isExclusive(target) && owners.length > 0 ? owners : [...owners, ...kept];
    this.drop((link) => link.target === target && !all.includes(link.owner));
    if (this.relation.ownOne) this.drop((link) => link.target !== target && owners.includes(link.owner));
  }

  /** Removes the links that an owner has. */
  leave(owner: string): void {
    this.drop((link) => link.owner === owner);
  }

  /** Removes all links from and to a document. */
  forget(document: string): void {
    this.drop(({ owner, target }) => owner === document || target === document);
  }

  /** Returns the link of a pair. A new link is last on both sides. */
  private link(owner: string, target: string): Link {
    const known = this.links.find((link) => link.owner === owner && link.target === target);
    if (known !== undefined) return known;
    const link = { owner, target, ownPlace: this.next(), inversePlace: this.next() };
    this.links.push(link);
    return link;
  }

  private drop(goes: (link: Link) => boolean): void {
    this.links = this.links.filter((link) => !goes(link));
  }
}
