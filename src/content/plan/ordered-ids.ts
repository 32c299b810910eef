/** Linked list of distinct ids, in which a move takes constant time. */
interface Node {
  readonly id: string;
  before: Node;
  after: Node;
}

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

  toBefore(id: string, anchor: string): void {
    this.move(id, (this.nodes.get(anchor) ?? this.end).before);
  }

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
