/** Locks by name, that last as long as their transaction. */
import { hash } from 'node:crypto';
import QuickLRU from 'quick-lru';
import type { Lock } from '../plan/locks.js';
import { fill, join, silently, slot, sql, type Statement, template, type Template } from '../sql.js';

/** Keys of relations and of documents that are often written. */
const keys = new QuickLRU<string, bigint>({ maxSize: 1000 });

/** A lock's key: the same for a name on every instance of an application. */
function keyOf(name: string): bigint {
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = hash('sha256', name, 'buffer').readBigInt64BE();
  keys.set(name, key);
  return key;
}

/** A lock as it is taken: its key, and whether nobody else may have it. */
type KeyedLock = readonly [bigint, boolean];

const byKey = ([a]: KeyedLock, [b]: KeyedLock): number => (a < b ? -1 : 1);

/** Texts by which of the locks, in their order, are exclusive. */
const texts = new QuickLRU<string, Template<readonly KeyedLock[]>>({ maxSize: 100 });

function textOf(locks: readonly KeyedLock[]): Template<readonly KeyedLock[]> {
  const shape = locks.map(([, exclusive]) => (exclusive ? 'x' : 's')).join('');
  const known = texts.get(shape);
  if (known !== undefined) return known;
  const taken = [...shape].map((kind, i) => {
    const key = sql`${slot((all: readonly KeyedLock[]) => String(all[i]?.[0]))}::int8`;
    return kind === 'x' ? sql`pg_advisory_xact_lock(${key})` : sql`pg_advisory_xact_lock_shared(${key})`;
  });
  const text = template<readonly KeyedLock[]>(sql`select ${join(taken, ', ')}`);
  texts.set(shape, text);
  return text;
}

/**
 * Takes locks, in one order for everybody so that nobody waits in a circle. A statement of its own: what
 * comes after it sees all that the former holders have done.
 */
export function compileLocks(locks: readonly Lock[]): Statement {
  const kinds = new Map<bigint, boolean>();
  for (const { name, exclusive } of locks) {
    const key = keyOf(name);
    kinds.set(key, exclusive || kinds.get(key) === true);
  }
  const taken = [...kinds].sort(byKey);
  return silently(fill(textOf(taken), taken));
}
