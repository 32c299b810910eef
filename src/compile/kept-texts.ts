/**
 * The texts of statements, kept by what decides them. Whoever writes the same attributes of a type in the
 * same way gets the same text: a steady state prints nothing, and reads its values into the slots of what is
 * there. The facts that decide are words and flags. A text is printed from a shape that is made of facts
 * alone, so that what is not among them has no way into it, and a kept text is never somebody else's.
 */
import QuickLRU from 'quick-lru';
import type { ContentType } from '../schema/model.js';

/** How many a type has at most, twice as many for a while: those that were used lately. */
const MOST = 100;

/** Words and flags. */
export type Facts = Readonly<
  Record<
    string,
    string | boolean | null | readonly (string | boolean)[] | NestedFacts | readonly NestedFacts[]
  >
>;
interface NestedFacts {
  readonly [name: string]: Facts[string];
}

/** What is printed of a kind of step: a text, or several. */
export class KeptTexts<T> {
  private readonly types = new WeakMap<ContentType, QuickLRU<string, T>>();

  /** What some facts come to for a type: kept, or made by `make`. */
  of<F extends Facts>(type: ContentType, facts: F, make: (facts: F) => T): T {
    const kept = this.types.get(type) ?? new QuickLRU({ maxSize: MOST });
    this.types.set(type, kept);
    const key = JSON.stringify(facts);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = make(facts);
    kept.set(key, made);
    return made;
  }
}
