/** Groups of rows that are locales of one document, by row id: a union-find over pages of numbers. */
const PAGE = 4096;

/** Parents of rows of one type; 0 means none. Pages keep sparse ids small. */
class Parents {
  private readonly pages = new Map<number, Int32Array>();

  get(id: number): number {
    return this.pages.get(Math.floor(id / PAGE))?.[id % PAGE] ?? 0;
  }

  set(id: number, parent: number): void {
    const at = Math.floor(id / PAGE);
    const page = this.pages.get(at) ?? new Int32Array(PAGE);
    this.pages.set(at, page);
    page[id % PAGE] = parent;
  }
}

const MAX_ID = 2_147_483_647;
const isId = (id: number): boolean => Number.isInteger(id) && id > 0 && id <= MAX_ID;

export class RowGroups {
  private readonly types = new Map<string, Parents>();

  /** Notes that two rows belong to one document. */
  join(type: string, [a, b]: readonly [number, number]): void {
    if (!isId(a) || !isId(b)) return;
    const parents = this.types.get(type) ?? new Parents();
    this.types.set(type, parents);
    const [low, high] = [this.lowest(type, a), this.lowest(type, b)].sort((x, y) => x - y);
    if (low !== undefined && high !== undefined && low !== high) parents.set(high, low);
  }

  /** Returns the lowest row id of the document of a row. */
  lowest(type: string, id: number): number {
    const parents = this.types.get(type);
    if (parents === undefined || !isId(id)) return id;
    let root = id;
    for (let next = parents.get(root); next !== 0; next = parents.get(root)) root = next;
    for (let at = id; at !== root;) {
      const next = parents.get(at);
      parents.set(at, root);
      at = next;
    }
    return root;
  }
}
