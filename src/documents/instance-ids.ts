/**
 * Ids of component instances that were taken from their sequence before anybody needed them, so that a write
 * need not ask for its own. Those that are left when the process ends are nobody's.
 */

/** So many more are asked for along with those that a write needs. */
const MORE = 100;

export class InstanceIds {
  private readonly free: number[] = [];

  /** Takes so many; null where there are not as many. */
  take(count: number): readonly number[] | null {
    return count > this.free.length ? null : this.free.splice(0, count);
  }

  /** How many a write has to ask for that needs so many. */
  static asked(count: number): number {
    return count + MORE;
  }

  /** Takes so many of those that a write has asked for, and keeps the others. */
  keep(ids: readonly number[], count: number): readonly number[] {
    this.free.push(...ids.slice(count));
    return ids.slice(0, count);
  }
}
