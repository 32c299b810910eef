/** Ids of rows and instances that stay. Other rows get a new id, above all ids that stay. */

/** Maximum id: half the range of the column, so that new ids fit above it. */
const MAX_KEPT = 1_000_000_000;

export const isKeptId = (id: unknown): id is number =>
  typeof id === 'number' && Number.isInteger(id) && id > 0 && id <= MAX_KEPT;

/** Ids per page of {@link SeenIds}. */
const PAGE = 32_768;

/** Ids that rows of a type have, as bits in pages. */
export class SeenIds {
  private readonly pages = new Map<number, Uint8Array>();

  /** Adds an id. Returns whether it was already there. */
  add(id: number): boolean {
    const at = Math.floor(id / PAGE);
    const page = this.pages.get(at) ?? new Uint8Array(PAGE / 8);
    this.pages.set(at, page);
    const [byte, bit] = [(id % PAGE) >> 3, 1 << (id & 7)];
    const isThere = ((page[byte] ?? 0) & bit) !== 0;
    page[byte] = (page[byte] ?? 0) | bit;
    return isThere;
  }
}
