/**
 * Pool of ids for component instances, fetched from their sequence ahead of time, so that most writes fetch
 * none. Unused ids are lost when the process ends.
 */

/** Additional ids that a write fetches for later ones. */
const MORE = 100;

export class InstanceIds {
  private readonly free: number[] = [];

  take(count: number): readonly number[] | null {
    return count > this.free.length ? null : this.free.splice(0, count);
  }

  static withReserve(count: number): number {
    return count + MORE;
  }

  keep(ids: readonly number[], count: number): readonly number[] {
    this.free.push(...ids.slice(count));
    return ids.slice(0, count);
  }
}
