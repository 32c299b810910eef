/** Advisory locks by name, held until the end of the transaction. */
import { LRUCache } from 'lru-cache';
import { fill, join, silently, slot, sql, type Statement, template, type Template } from '../kernel/sql.js';

/** Advisory lock by name, held until the end of the transaction. */
export interface Lock {
  readonly name: string;
  readonly exclusive: boolean;
}

const texts = new LRUCache<string, Template<readonly Lock[]>>({ max: 100 });

function textOf(locks: readonly Lock[], shape: string, isTry: boolean): Template<readonly Lock[]> {
  const cached = texts.get(shape);
  if (cached !== undefined) return cached;
  const calls = locks.map(({ exclusive }, i) => {
    // `hashtextextended` gives a name the same key in every process.
    const key = sql`(hashtextextended(${slot((all: readonly Lock[]) => all[i]?.name)}::text, 0))`;
    if (isTry)
      return exclusive ? sql`pg_try_advisory_xact_lock${key}` : sql`pg_try_advisory_xact_lock_shared${key}`;
    return exclusive ? sql`pg_advisory_xact_lock${key}` : sql`pg_advisory_xact_lock_shared${key}`;
  });
  const text = template<readonly Lock[]>(
    isTry ? sql`select ${join(calls, ' and ')} as acquired` : sql`select ${join(calls, ', ')}`,
  );
  texts.set(shape, text);
  return text;
}

const shapeOf = (locks: readonly Lock[]): string =>
  locks.map(({ exclusive }) => (exclusive ? 'x' : 's')).join('');

const byName = (a: Lock, b: Lock): number => (a.name < b.name ? -1 : 1);

/** Returns each lock once, in the order of the names. */
function inOrder(locks: readonly Lock[]): Lock[] {
  const strongest = new Map<string, Lock>();
  for (const lock of locks) if (lock.exclusive || !strongest.has(lock.name)) strongest.set(lock.name, lock);
  return [...strongest.values()].sort(byName);
}

/** Most locks in a text that depends on their number. */
const LOCKS = 100;

/** Acquires any number of locks. The function scan returns the names in their order. */
const MANY_LOCKS = template<readonly Lock[]>(
  sql`select case when k.exclusive then pg_advisory_xact_lock(hashtextextended(k.name, 0))
    else pg_advisory_xact_lock_shared(hashtextextended(k.name, 0)) end
  from unnest(${slot((all: readonly Lock[]) => all.map(({ name }) => name))}::text[],
    ${slot((all: readonly Lock[]) => all.map(({ exclusive }) => exclusive))}::boolean[]) k(name, exclusive)`,
);

/** Acquires locks like `compileLocks`, without a limit of their number; no statement without locks. */
export function lockStatements(locks: readonly Lock[]): readonly Statement[] {
  if (locks.length <= LOCKS) return locks.length === 0 ? [] : [compileLocks(locks)];
  return [silently(fill(MANY_LOCKS, inOrder(locks)))];
}

/**
 * Acquires locks in the order of their names, which prevents deadlocks. It is a separate statement, so that
 * the next one sees all commits of the former holders.
 */
export function compileLocks(locks: readonly Lock[]): Statement {
  const ordered = inOrder(locks);
  return silently(fill(textOf(ordered, shapeOf(ordered), false), ordered));
}

/** Acquires locks without waiting: `acquired` is false if one of them is not free. */
export const compileTryLocks = (locks: readonly Lock[]): Statement =>
  fill(textOf(locks, `try ${shapeOf(locks)}`, true), locks);
