/** Locks by name, that last as long as their transaction. */
import QuickLRU from 'quick-lru';
import type { Lock } from '../plan/locks.js';
import { fill, join, silently, slot, sql, type Statement, template, type Template } from '../sql.js';

/** Texts by their function, and by which of the locks, in their order, are exclusive. */
const texts = new QuickLRU<string, Template<readonly Lock[]>>({ maxSize: 100 });

function textOf(locks: readonly Lock[], shape: string, isTry: boolean): Template<readonly Lock[]> {
  const known = texts.get(shape);
  if (known !== undefined) return known;
  const taken = locks.map(({ exclusive }, i) => {
    // The same for a name on every instance of an application.
    const key = sql`(hashtextextended(${slot((all: readonly Lock[]) => all[i]?.name)}::text, 0))`;
    if (isTry)
      return exclusive ? sql`pg_try_advisory_xact_lock${key}` : sql`pg_try_advisory_xact_lock_shared${key}`;
    return exclusive ? sql`pg_advisory_xact_lock${key}` : sql`pg_advisory_xact_lock_shared${key}`;
  });
  const text = template<readonly Lock[]>(
    isTry ? sql`select ${join(taken, ' and ')} as acquired` : sql`select ${join(taken, ', ')}`,
  );
  texts.set(shape, text);
  return text;
}

const shapeOf = (locks: readonly Lock[]): string =>
  locks.map(({ exclusive }) => (exclusive ? 'x' : 's')).join('');

const byName = (a: Lock, b: Lock): number => (a.name < b.name ? -1 : 1);

/** The statement that takes locks; none where there are none. */
export const locking = (locks: readonly Lock[]): readonly Statement[] =>
  locks.length === 0 ? [] : [compileLocks(locks)];

/**
 * Takes locks, in one order for everybody so that nobody waits in a circle. A statement of its own: what
 * comes after it sees all that the former holders have done.
 */
export function compileLocks(locks: readonly Lock[]): Statement {
  const strongest = new Map<string, Lock>();
  for (const lock of locks) if (lock.exclusive || !strongest.has(lock.name)) strongest.set(lock.name, lock);
  const taken = [...strongest.values()].sort(byName);
  return silently(fill(textOf(taken, shapeOf(taken), false), taken));
}

/** Acquires locks that are free now: the row's `acquired` is false if one of them is not. Never waits. */
export const compileTryLocks = (locks: readonly Lock[]): Statement =>
  fill(textOf(locks, `try ${shapeOf(locks)}`, true), locks);
