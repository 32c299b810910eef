/** A list of distinct ids in which each can be moved in one step, however long the list is. */
interface Node {
  readonly id: string;
  before: Node;
  after: Node;
}

/** The ring's own node, which is before the first and after the last id. */
function ring(): Node {
  const node = { id: '' } as Node;
  node.before = node;
  node.after = node;
  return node;
}

export class OrderedIds {
  private readonly end = ring();
  private readonly nodes = new Map<string, Node>();

  constructor(ids: readonly string[]) {
    for (const id of ids) this.toEnd(id);
  }

  has(id: string): boolean {
    return this.nodes.has(id);
  }

  toStart(id: string): void {
    this.move(id, this.end);
  }

  toEnd(id: string): void {
    this.move(id, this.end.before);
  }

  /** Moves or adds an id before another one, which has to be there. */
  toBefore(id: string, anchor: string): void {
    this.move(id, (this.nodes.get(anchor) ?? this.end).before);
  }

  /** Moves or adds an id after another one, which has to be there. */
  toAfter(id: string, anchor: string): void {
    this.move(id, this.nodes.get(anchor) ?? this.end);
  }

  ids(): string[] {
    const ids: string[] = [];
    for (let node = this.end.after; node !== this.end; node = node.after) ids.push(node.id);
    return ids;
  }

  private move(id: string, previous: Node): void {
    const found = this.nodes.get(id);
    if (found !== undefined && found === previous) return;
    if (found !== undefined) {
      found.before.after = found.after;
      found.after.before = found.before;
    }
    const node: Node = { id, before: previous, after: previous.after };
    previous.after.before = node;
    previous.after = node;
    this.nodes.set(id, node);
  }
}
