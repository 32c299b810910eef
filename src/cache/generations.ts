/**
 * Two-generation LRU, limited in bytes. When the young map fills half the limit, it becomes the old map, and
 * the previous old map is dropped. A hit in the young map moves nothing, unlike in an ordered LRU.
 */
export class Generations<T extends { readonly bytes: number }> {
  private young = new Map<string, T>();
  private old = new Map<string, T>();
  private youngBytes = 0;
  private oldBytes = 0;

  constructor(private readonly maxBytes: number) {}

  get bytes(): number {
    return this.youngBytes + this.oldBytes;
  }

  get size(): number {
    return this.young.size + this.old.size;
  }

  get(key: string): T | undefined {
    const young = this.young.get(key);
    if (young !== undefined) return young;
    const old = this.old.get(key);
    if (old === undefined) return undefined;
    this.delete(key);
    this.add(key, old);
    return old;
  }

  /** Adds or replaces an item. An item larger than half the limit is not stored. */
  set(key: string, item: T): void {
    this.delete(key);
    if (item.bytes <= this.maxBytes / 2) this.add(key, item);
  }

  delete(key: string): void {
    this.youngBytes -= this.young.get(key)?.bytes ?? 0;
    this.oldBytes -= this.old.get(key)?.bytes ?? 0;
    this.young.delete(key);
    this.old.delete(key);
  }

  clear(): void {
    this.young = new Map();
    this.old = new Map();
    this.youngBytes = 0;
    this.oldBytes = 0;
  }

  private add(key: string, item: T): void {
    if (this.youngBytes + item.bytes > this.maxBytes / 2) {
      this.old = this.young;
      this.oldBytes = this.youngBytes;
      this.young = new Map();
      this.youngBytes = 0;
    }
    this.young.set(key, item);
    this.youngBytes += item.bytes;
  }
}
