/**
 * Statement cache by content type and cache key. Writes of the same attributes reuse cached SQL, so a warm
 * process prints none.
 * The template is printed from the cache key alone, which contains only names and flags. No value can get
 * into a cached statement.
 */
import { LRUCache } from 'lru-cache';
import type { ContentType } from '../model/model.js';

/** Maximum number of cached statements for a type (LRU); twice as many for a while. */
const MOST = 100;

/** Cache key: names and flags. */
export type Facts = Readonly<
  Record<
    string,
    string | boolean | null | readonly (string | boolean)[] | NestedFacts | readonly NestedFacts[]
  >
>;
interface NestedFacts {
  readonly [name: string]: Facts[string];
}

export class CachedTexts<T extends object> {
  private readonly types = new WeakMap<ContentType, LRUCache<string, T>>();

  of<F extends Facts>(type: ContentType, facts: F, make: (facts: F) => T): T {
    const ofType = this.types.get(type) ?? new LRUCache<string, T>({ max: MOST });
    this.types.set(type, ofType);
    const key = JSON.stringify(facts);
    const cached = ofType.get(key);
    if (cached !== undefined) return cached;
    const text = make(facts);
    ofType.set(key, text);
    return text;
  }
}
