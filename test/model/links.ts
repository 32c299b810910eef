/** Links as the protocol means them: sets of pairs, each with a place in the order of either side (D22, D24). */
import type { Relation } from './shape.ts';

export type State = 'draft' | 'published';

interface Link {
  readonly owner: string;
  readonly target: string;
  ownPlace: number;
  inversePlace: number;
}

/** Owners that are as in another state, and owners that are not. */
interface Followed {
  readonly owners: readonly string[];
  readonly kept: readonly string[];
}

/** The links of one relation in one state, and in one locale or ('') shared by all. */
export class Sheet {
  private links: Link[] = [];
  private readonly relation: Relation;
  private readonly next: () => number;

  /** `next` numbers places: what is placed later is greater, in whichever sheet. */
  constructor(relation: Relation, next: () => number) {
    this.relation = relation;
    this.next = next;
  }

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
   * Gives an owner these targets in this order. What stays keeps its place on the other side, what is new is last
   * there (D24); a one-to-one target leaves its former owner (D23).
   */
  writeOwn(owner: string, targets: readonly string[]): void {
    const { inverseOne } = this.relation;
    this.drop((link) => link.owner === owner && !targets.includes(link.target));
    if (inverseOne) this.drop((link) => link.owner !== owner && targets.includes(link.target));
    for (const target of targets) this.link(owner, target).ownPlace = this.next();
  }

  /**
   * Gives a target these owners in this order, as `writeOwn` does from the other side; those of `kept` stay where they
   * are. The first ones keep their places as far as the order allows; what comes after is behind all (D24).
   */
  writeInverse(target: string, owners: readonly string[], kept: readonly string[] = []): void {
    this.keepOwners(target, owners, kept);
    const before = new Set(this.inverse(target));
    let greatest = 0;
    for (const owner of owners) {
      const link = this.link(owner, target);
      const stays = greatest < Infinity && before.has(owner) && link.inversePlace > greatest;
      greatest = stays ? link.inversePlace : Infinity;
      if (!stays) link.inversePlace = this.next();
    }
  }

  /** Gives a target the owners that it has in another state, at their places there; those of `kept` stay at theirs. */
  follow(target: string, other: Sheet, { owners, kept }: Followed): void {
    this.keepOwners(target, owners, kept);
    for (const owner of owners)
      this.link(owner, target).inversePlace = other.link(owner, target).inversePlace;
  }

  /** Ends the links of a target to owners other than these, whose other links end where they may have one. */
  private keepOwners(target: string, owners: readonly string[], kept: readonly string[]): void {
    const { ownOne, inverseOne } = this.relation;
    const all = inverseOne && owners.length > 0 ? owners : [...owners, ...kept];
    this.drop((link) => link.target === target && !all.includes(link.owner));
    if (ownOne) this.drop((link) => link.target !== target && owners.includes(link.owner));
  }

  /** Ends the links that an owner holds. */
  leave(owner: string): void {
    this.drop((link) => link.owner === owner);
  }

  /** Ends all links from and to a document. */
  forget(document: string): void {
    this.drop(({ owner, target }) => owner === document || target === document);
  }

  /** The link of a pair, which is last on both sides where it is new. */
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

export interface Position {
  readonly before?: string;
  readonly after?: string;
  readonly start?: true;
  readonly end?: true;
}

/** A relation in a body: a new list, or a change of the one that is stored (11.2, 11.3). */
export type Payload =
  | { readonly set: readonly string[] }
  | {
      readonly connect: readonly { readonly documentId: string; readonly position?: Position }[];
      readonly disconnect: readonly string[];
    };

/** Whether a payload says nothing (11.9). */
export const isEmpty = (payload: Payload): boolean =>
  !('set' in payload) && payload.connect.length + payload.disconnect.length === 0;

/** What a body may be refused for: 400. */
export class Refusal extends Error {}

/** A list after a payload (11.2–11.13). Throws a Refusal for an anchor that is not there, or a circle of them. */
export function changed(list: readonly string[], payload: Payload, one: boolean): string[] {
  if ('set' in payload) return one ? payload.set.slice(-1) : [...payload.set];
  const { connect, disconnect } = payload;
  const result = list.filter((id) => !disconnect.includes(id));
  const last = connect.at(-1);
  if (one) return last === undefined ? result : [last.documentId];
  const pending = new Map(connect.map((item) => [item.documentId, item]));
  const waiting = new Set<string>();
  const insert = (id: string): void => {
    const { position = {} } = pending.get(id) ?? {};
    const anchor = position.before ?? position.after;
    if (anchor !== undefined && !result.includes(anchor) && pending.has(anchor)) {
      if (waiting.has(id)) throw new Refusal('a circle of anchors');
      waiting.add(id);
      insert(anchor);
    }
    if (!pending.delete(id)) return;
    if (anchor !== undefined && (anchor === id || !result.includes(anchor)))
      throw new Refusal('no such anchor');
    if (result.includes(id)) result.splice(result.indexOf(id), 1);
    const before = position.before === undefined ? result.length : result.indexOf(position.before);
    const at = position.after === undefined ? before : result.indexOf(position.after) + 1;
    result.splice(position.start === true ? 0 : at, 0, id);
  };
  for (const { documentId } of connect) insert(documentId);
  return result;
}
