/**
 * Merge of three versions of a document: `base` was read, `mine` is in the form, `theirs` is stored now. A
 * value that only one side has changed is taken. A value that both have changed differently is a conflict,
 * which the editor decides.
 */
import { type Attribute, isToOne, kindOf, type Model, type Part } from '../model/model.ts';
import { isItem, type Item, keyOf, type Link, same, type Values } from './values.ts';

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

/** Place of a merge, and the conflicts that it has found. */
interface Scope {
  readonly model: Model;
  readonly path: string;
  readonly conflicts: Conflict[];
}

type Merger = (sides: Sides<unknown>, scope: Scope) => unknown;

/** Names of the attributes that another editor has changed, except those that this editor decides about. */
export const newsOf = ({ base, theirs }: Sides<Values>, conflicts: readonly Conflict[]): string[] =>
  Object.keys(theirs).filter(
    (name) => !same(theirs[name], base[name]) && !conflicts.some(({ path }) => path === name),
  );

export function merge(sides: Sides<Values>, part: Part, model: Model): Merged {
  const scope = { model, path: '', conflicts: [] };
  return { values: mergePart(sides, part, scope), conflicts: scope.conflicts };
}

function mergePart({ base, mine, theirs }: Sides<Values>, part: Part | null, scope: Scope): Values {
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])];
  return Object.fromEntries(
    names.map((name) => {
      const sides = { base: base[name], mine: mine[name], theirs: theirs[name] };
      // The editor may not read the stored value: there is nothing to merge or to decide.
      if (!(name in theirs)) return [name, same(sides.mine, sides.base) ? undefined : sides.mine];
      const path = scope.path === '' ? name : `${scope.path}/${name}`;
      const merger = mergerOf(part?.attributes.find((one) => one.name === name));
      return [name, mergeValue(sides, merger, { ...scope, path })];
    }),
  );
}

/** Returns how the inside of a value is merged; null if it is one value. */
function mergerOf(attribute: Attribute | undefined): Merger | null {
  const kind = attribute === undefined ? 'value' : kindOf(attribute);
  if (attribute === undefined || kind === 'value') return null;
  if (kind === 'item') return mergeItem;
  return kind === 'links' && isToOne(attribute) ? null : mergeList;
}

function mergeValue(sides: Sides<unknown>, merger: Merger | null, scope: Scope): unknown {
  const { base, mine, theirs } = sides;
  if (same(mine, base) || same(mine, theirs)) return theirs;
  // Also where only this side has changed a value: the stored one has the ids of its items.
  const merged = merger?.(sides, scope) ?? null;
  if (merged !== null) return merged;
  if (same(theirs, base)) return mine;
  scope.conflicts.push({ path: scope.path, base, mine, theirs });
  return mine;
}

/** Merges the attributes of one instance that all three versions have. */
function mergeItem({ base, mine, theirs }: Sides<unknown>, scope: Scope): Item | null {
  if (!isItem(base) || !isItem(mine) || !isItem(theirs)) return null;
  if (mine.key !== theirs.key || mine.component !== theirs.component || base.key !== mine.key) return null;
  const sides = { base: base.values, mine: mine.values, theirs: theirs.values };
  return { ...theirs, values: mergePart(sides, scope.model.component(theirs.component), scope) };
}

type Entry = Item | Link;
type List = readonly Entry[];

const isList = (value: unknown): value is List => Array.isArray(value);

const keysOf = (list: List): string[] => list.map(keyOf);

/** Merges lists of links or instances. Returns null if both sides ordered them, or removed changed ones. */
function mergeList({ base = [], mine, theirs }: Sides<unknown>, scope: Scope): List | null {
  if (!isList(base) || !isList(mine) || !isList(theirs)) return null;
  const common = new Set(keysOf(base).filter((key) => has(mine, key) && has(theirs, key)));
  const [was, ours, other] = [base, mine, theirs].map((list) =>
    keysOf(list).filter((key) => common.has(key)),
  );
  const weMoved = !same(was, ours);
  if (weMoved && !same(was, other) && !same(ours, other)) return null;
  if (isRemovedAndChanged(base, mine, theirs) || isRemovedAndChanged(base, theirs, mine)) return null;
  const [order, rest] = weMoved ? [mine, theirs] : [theirs, mine];
  const kept = order.filter((entry) => !has(base, keyOf(entry)) || has(rest, keyOf(entry)));
  return insertNew(kept, rest, base).map((entry) => mergeEntry(entry, { base, mine, theirs }, scope));
}

function mergeEntry(entry: Entry, lists: Sides<List>, scope: Scope): Entry {
  const find = (list: List): Entry | undefined => list.find((one) => keyOf(one) === keyOf(entry));
  const [base, mine, theirs] = [find(lists.base), find(lists.mine), find(lists.theirs)];
  if (!isItem(entry) || mine === undefined || theirs === undefined) return entry;
  const inside = { ...scope, path: `${scope.path}/#${entry.key}` };
  return mergeValue({ base, mine, theirs }, mergeItem, inside) as Entry;
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
