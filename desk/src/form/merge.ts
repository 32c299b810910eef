/**
 * Merge of three versions of a document: `base` was read, `mine` is in the form, `theirs` is stored now. A
 * value that only one side has changed is taken. A value that both have changed differently is a conflict,
 * which the editor decides.
 */
import { type Item, isItem, type Link, same, type Values } from './values.ts';

export interface Conflict {
  /** Place of the value, see `store.ts`. */
  readonly path: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface Merged {
  /** Values in which conflicts have the value of the form. */
  readonly values: Values;
  readonly conflicts: readonly Conflict[];
}

interface Sides<T> {
  readonly base: T;
  readonly mine: T;
  readonly theirs: T;
}

export function merge({ base, mine, theirs }: Sides<Values>, at = ''): Merged {
  const conflicts: Conflict[] = [];
  const values: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const sides = { base: base[name], mine: mine[name], theirs: theirs[name] };
    values[name] = mergeValue(sides, at === '' ? name : `${at}/${name}`, conflicts);
  }
  return { values, conflicts };
}

function mergeValue(sides: Sides<unknown>, path: string, conflicts: Conflict[]): unknown {
  const { base, mine, theirs } = sides;
  if (same(mine, base) || same(mine, theirs)) return theirs;
  if (same(theirs, base)) return mine;
  const merged = mergeItem(sides, path, conflicts) ?? mergeList(sides, path, conflicts);
  if (merged !== null) return merged;
  conflicts.push({ path, base, mine, theirs });
  return mine;
}

/** Merges the attributes of one instance that all three versions have. */
function mergeItem({ base, mine, theirs }: Sides<unknown>, path: string, conflicts: Conflict[]): Item | null {
  if (!isItem(base) || !isItem(mine) || !isItem(theirs)) return null;
  if (mine.key !== theirs.key || mine.component !== theirs.component) return null;
  const inner = merge({ base: base.values, mine: mine.values, theirs: theirs.values }, path);
  conflicts.push(...inner.conflicts);
  return { ...theirs, values: inner.values };
}

type Entry = Item | Link;
type List = readonly Entry[];

const isList = (value: unknown): value is List =>
  Array.isArray(value) && value.every((one) => isItem(one) || typeof (one as Link).documentId === 'string');

const keyOf = (entry: Entry): string => (isItem(entry) ? entry.key : `${entry.type} ${entry.documentId}`);

const keysOf = (list: List): string[] => list.map(keyOf);

/** Merges lists of links or instances. Returns null if both sides ordered them, or removed changed ones. */
function mergeList({ base, mine, theirs }: Sides<unknown>, path: string, conflicts: Conflict[]): List | null {
  if (!isList(base) || !isList(mine) || !isList(theirs)) return null;
  const common = new Set(keysOf(base).filter((key) => has(mine, key) && has(theirs, key)));
  const [was, ours, other] = [base, mine, theirs].map((list) =>
    keysOf(list).filter((key) => common.has(key)),
  );
  const weMoved = !same(was, ours);
  if (weMoved && !same(was, other) && !same(ours, other)) return null;
  if (isRemovedAndChanged(base, mine, theirs) || isRemovedAndChanged(base, theirs, mine)) return null;
  const inner: Conflict[] = [];
  const [order, rest] = weMoved ? [mine, theirs] : [theirs, mine];
  const kept = order.filter((entry) => !has(base, keyOf(entry)) || has(rest, keyOf(entry)));
  const list = insertNew(kept, rest, base);
  const entries = list.map((entry) => mergeEntry(entry, { base, mine, theirs }, { path, conflicts: inner }));
  conflicts.push(...inner);
  return entries;
}

function mergeEntry(entry: Entry, lists: Sides<List>, into: { path: string; conflicts: Conflict[] }): Entry {
  const find = (list: List): Entry | undefined => list.find((one) => keyOf(one) === keyOf(entry));
  const [base, mine, theirs] = [find(lists.base), find(lists.mine), find(lists.theirs)];
  if (!isItem(entry) || base === undefined || mine === undefined || theirs === undefined) return entry;
  return mergeValue({ base, mine, theirs }, `${into.path}/#${entry.key}`, into.conflicts) as Entry;
}

const has = (list: List, key: string): boolean => list.some((entry) => keyOf(entry) === key);

const isRemovedAndChanged = (base: List, one: List, other: List): boolean =>
  base.some((entry) => {
    const left = other.find((each) => keyOf(each) === keyOf(entry));
    return !has(one, keyOf(entry)) && left !== undefined && !same(left, entry);
  });

/** Inserts the new entries of a side, each after the entry that precedes it there. */
function insertNew(list: List, side: List, base: List): List {
  const result = [...list];
  side.forEach((entry, at) => {
    if (has(base, keyOf(entry)) || has(result, keyOf(entry))) return;
    const before = side.slice(0, at).reverse();
    const anchor = before.find((one) => has(result, keyOf(one)));
    const place = anchor === undefined ? 0 : keysOf(result).indexOf(keyOf(anchor)) + 1;
    result.splice(place, 0, entry);
  });
  return result;
}
