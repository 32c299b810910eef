/** Where pictures are worked on: so many at a time, and the same work once however many ask for it. */
import pLimit, { type LimitFunction } from 'p-limit';
import { unavailable } from '../errors.js';

export class Workshop {
  private readonly limit: LimitFunction;
  private readonly running = new Map<string, Promise<boolean>>();

  /** How much is done at a time, and how much may wait. */
  constructor(
    places: number,
    private readonly waiting: number,
  ) {
    this.limit = pLimit(places);
  }

  /** Does a piece of work when there is a place. Throws a 503 where too much waits already. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.limit.pendingCount >= this.waiting) throw unavailable('Too many images wait to be made');
    return this.limit(work);
  }

  /** The work that has this name: joined where it is under way. */
  once(name: string, work: () => Promise<boolean>): Promise<boolean> {
    const joined = this.running.get(name);
    if (joined !== undefined) return joined;
    const running = work().finally(() => this.running.delete(name));
    this.running.set(name, running);
    return running;
  }
}
