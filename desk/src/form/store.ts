/**
 * State of one form. It is outside the tree of components: a component subscribes to one place, so a key
 * stroke renders one field.
 *
 * A place is a path such as `title`, `seo/metaTitle` or `blocks/#i7-part.quote/text`: names of attributes,
 * and keys of items behind `#`.
 */
import { type Item, isItem, same, sameValues, type Values } from './values.ts';

type Listener = () => void;

/** Returns the value at a path, or undefined if an item on the way is gone. */
function valueAt(values: Values, path: string): unknown {
  let value: unknown = values;
  for (const segment of path.split('/')) {
    if (value === undefined || value === null) return undefined;
    if (segment.startsWith('#'))
      value = (value as readonly Item[]).find(({ key }) => key === segment.slice(1));
    else value = (isItem(value) ? value.values : (value as Values))[segment];
  }
  return value;
}

/** Returns the values with another value at a path. Values whose place is gone are not changed. */
export function withValue(values: Values, path: string, value: unknown): Values {
  return change(values, path.split('/'), value) as Values;
}

function change(target: unknown, [segment, ...rest]: readonly string[], value: unknown): unknown {
  if (segment === undefined) return value;
  if (target === undefined || target === null) return target;
  if (segment.startsWith('#'))
    return (target as readonly Item[]).map((item) =>
      item.key === segment.slice(1) ? change(item, rest, value) : item,
    );
  if (isItem(target)) return { ...target, values: change(target.values, [segment, ...rest], value) };
  const values = target as Values;
  return { ...values, [segment]: change(values[segment], rest, value) };
}

/** Name of the attribute of the document that a place is in. */
export const topOf = (path: string): string => path.split('/')[0] ?? '';

const concerns = (changed: string, watched: string): boolean =>
  changed === watched ||
  changed === '' ||
  watched === '' ||
  changed.startsWith(`${watched}/`) ||
  watched.startsWith(`${changed}/`);

export class FormStore {
  /** Values that the server has stored, as far as this form knows. */
  base: Values;
  values: Values;
  private problems: ReadonlyMap<string, string> = new Map();
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor(base: Values, values: Values = base) {
    this.base = base;
    this.values = values;
  }

  get isChanged(): boolean {
    return !sameValues(this.base, this.values);
  }

  private isChangedAt(path: string): boolean {
    return !same(valueAt(this.base, path), valueAt(this.values, path));
  }

  readonly get = (path: string): unknown => valueAt(this.values, path);

  /** Whether an item is stored at a path, alone or in a list. */
  hasStored(path: string, { key }: Item): boolean {
    return [valueAt(this.base, path)].flat().some((one) => isItem(one) && one.key === key);
  }

  readonly problemAt = (path: string): string | null => this.problems.get(path) ?? null;

  /** Places with problems, in the order of the form's values. */
  get problemPaths(): readonly string[] {
    return [...this.problems.keys()];
  }

  set(path: string, value: unknown): void {
    if (valueAt(this.values, path) === value) return;
    this.values = withValue(this.values, path, value);
    this.problems = this.present([...this.problems].filter(([at]) => at !== path));
    this.tell(path);
  }

  /** Shows stored values, without changes and problems. */
  start(stored: Values): void {
    this.problems = new Map();
    this.rebase(stored, stored);
  }

  /** Replaces what is stored, and what the form shows. */
  rebase(base: Values, values: Values): void {
    this.base = base;
    this.values = values;
    this.problems = this.present(this.problems);
    this.tell('');
  }

  /** Returns the problems without those in entries and components that the form no longer has. */
  private present(problems: Iterable<readonly [place: string, message: string]>): Map<string, string> {
    const isPresent = (place: string): boolean => {
      const around = place.slice(0, Math.max(0, place.lastIndexOf('/')));
      return around === '' || (valueAt(this.values, around) ?? null) !== null;
    };
    return new Map([...problems].filter(([place]) => isPresent(place)));
  }

  /** Notes problems by place. Returns whether one is at a place without a known problem. */
  addProblems(found: readonly (readonly [place: string, message: string])[]): boolean {
    const isNews = found.some(([place]) => !this.problems.has(place));
    this.problems = this.present([...this.problems, ...found]);
    if (found.length > 0) this.tell('');
    return isNews;
  }

  /** Forgets problems of attributes that are stored as they are. */
  dropSolved(): void {
    const left = [...this.problems].filter(([path]) => this.isChangedAt(topOf(path)));
    this.problems = new Map(left);
    this.tell('');
  }

  /** Calls the listener after each change at, below or above the path; an empty path means any change. */
  subscribe(path: string, listener: Listener): () => void {
    const known = this.listeners.get(path) ?? new Set();
    this.listeners.set(path, known);
    known.add(listener);
    return () => {
      known.delete(listener);
      if (known.size === 0) this.listeners.delete(path);
    };
  }

  private tell(changed: string): void {
    for (const [watched, listeners] of [...this.listeners])
      if (concerns(changed, watched)) for (const listener of [...listeners]) listener();
  }
}

/** Turns the path of a server's message (`['blocks', 0, 'text']`) into a place of the form. */
export function placeOf(values: Values, path: readonly (string | number)[]): string {
  let place = '';
  for (const segment of path) {
    const list = place === '' ? undefined : valueAt(values, place);
    const isIndex = Array.isArray(list) && /^\d+$/.test(String(segment));
    if (isIndex && !isItem(list[Number(segment)])) return place;
    const name = isIndex ? `#${(list[Number(segment)] as Item).key}` : String(segment);
    if (list !== undefined && !isIndex && !isItem(list)) return place;
    place = place === '' ? name : `${place}/${name}`;
  }
  return place;
}
