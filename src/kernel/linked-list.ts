/**
 * Linked list, used in place of a Set: V8 chains the tables that a Set outgrows, which kept the rows of every
 * response alive.
 */
export interface Link {
  previous: Link | null;
  next: Link | null;
}

/** Items in the order of insertion. An item is in one list at most. */
export class LinkedList<T extends Link> {
  private readonly ends: Link = { previous: null, next: null };

  get first(): T | null {
    return this.itemAt(this.ends.next);
  }

  get last(): T | null {
    return this.itemAt(this.ends.previous);
  }

  add(item: T): void {
    const last = this.ends.previous ?? this.ends;
    [item.previous, item.next, last.next, this.ends.previous] = [last, this.ends, item, item];
  }

  /** Does nothing for an item that is not in the list. */
  delete(item: T): void {
    const { previous, next } = item;
    if (previous === null || next === null) return;
    [previous.next, next.previous] = [next, previous];
    [item.previous, item.next] = [null, null];
  }

  *[Symbol.iterator](): Generator<T> {
    for (let item = this.first; item !== null;) {
      const next = this.itemAt(item.next);
      yield item;
      item = next;
    }
  }

  private itemAt(link: Link | null): T | null {
    return link === null || link === this.ends ? null : (link as T);
  }
}
