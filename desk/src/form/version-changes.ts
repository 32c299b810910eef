/** Differences of two stored versions, down to the attributes of components. */
import { diffArrays } from 'diff';
import {
  type Attribute,
  componentsOf,
  type Component,
  kindOf,
  type Model,
  type Part,
} from '../model/model.ts';
import { type Json, same, textOfValue } from './values.ts';

/** Link in a stored version. */
export interface StoredLink {
  readonly documentId: string;
  readonly title: unknown;
  /** Whether the document exists for the caller. */
  readonly exists: boolean;
}

interface Placed {
  /** Labels on the way to the value. */
  readonly path: readonly string[];
}

/** Difference of one value, of one list of links, or one item that only one side has. */
export type Difference = Placed &
  (
    | {
        readonly kind: 'value';
        readonly attribute: Attribute;
        readonly before: unknown;
        readonly after: unknown;
      }
    | {
        readonly kind: 'links';
        readonly attribute: Attribute;
        readonly added: readonly StoredLink[];
        readonly removed: readonly StoredLink[];
        readonly isMoved: boolean;
      }
    | { readonly kind: 'added' | 'removed' | 'moved'; readonly component: Component; readonly item: Json }
  );

interface Sides {
  readonly before: unknown;
  readonly after: unknown;
}

/** Entries of a stored value: of a list, the only one, or none. */
export const entriesOf = (value: unknown): readonly Json[] =>
  [value ?? []].flat().filter((one) => typeof one === 'object' && one !== null) as Json[];

const keyOf = (link: Json): string => `${textOfValue(link['__type'])} ${textOfValue(link['documentId'])}`;
/** Links of a stored value. */
export const linksIn = (value: unknown): readonly StoredLink[] => entriesOf(value) as unknown as StoredLink[];

function linkChanges({ before, after }: Sides) {
  const [old, now] = [entriesOf(before).map(keyOf), entriesOf(after).map(keyOf)];
  const [inOld, inNow] = [new Set(old), new Set(now)];
  return {
    added: linksIn(after).filter((_, at) => !inOld.has(now[at] ?? '')),
    removed: linksIn(before).filter((_, at) => !inNow.has(old[at] ?? '')),
    isMoved: now.filter((key) => inOld.has(key)).join() !== old.filter((key) => inNow.has(key)).join(),
  };
}

/** Component of an item of an attribute; null if the caller does not see it. */
export function componentIn(model: Model, attribute: Attribute, item: Json): Component | null {
  return model.component(textOfValue(item['__component']) || (componentsOf(attribute)[0] ?? ''));
}

interface Entry {
  readonly item: Json;
  /** Place in its own list, from 1. */
  readonly at: number;
}

interface Hunk {
  readonly removed: Entry[];
  readonly added: Entry[];
}

/** Stretches in which two lists differ. */
function hunksOf(before: readonly Json[], after: readonly Json[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let [old, now, isOpen] = [0, 0, false];
  for (const { value, added, removed } of diffArrays([...before], [...after], { comparator: same })) {
    if (!added && !removed) {
      [old, now, isOpen] = [old + value.length, now + value.length, false];
      continue;
    }
    if (!isOpen) hunks.push({ removed: [], added: [] });
    isOpen = true;
    for (const item of value) {
      if (added) hunks.at(-1)?.added.push({ item, at: (now += 1) });
      else hunks.at(-1)?.removed.push({ item, at: (old += 1) });
    }
  }
  return hunks;
}

/** Takes the items out that are in another place only, and returns them. */
function takeMoved(hunks: readonly Hunk[]): Entry[] {
  const added = hunks.map((hunk) => hunk.added);
  return hunks.flatMap(({ removed }) =>
    [...removed].flatMap((entry) => {
      const list = added.find((one) => one.some(({ item }) => same(item, entry.item)));
      const found = list?.findIndex(({ item }) => same(item, entry.item)) ?? -1;
      if (list === undefined) return [];
      removed.splice(removed.indexOf(entry), 1);
      return list.splice(found, 1);
    }),
  );
}

class Comparison {
  constructor(private readonly model: Model) {}

  part(
    part: Part,
    { before, after }: { readonly before: Json; readonly after: Json },
  ): readonly Difference[] {
    return part.attributes.flatMap((attribute) => {
      const { name, label } = attribute;
      const sides = { before: before[name] ?? null, after: after[name] ?? null };
      return same(sides.before, sides.after) ? [] : this.attribute(attribute, sides, [label]);
    });
  }

  private attribute(attribute: Attribute, sides: Sides, path: readonly string[]): readonly Difference[] {
    switch (kindOf(attribute)) {
      case 'value':
        return [{ kind: 'value', path, attribute, ...sides }];
      case 'links': {
        const changes = linkChanges(sides);
        const isSame = changes.added.length + changes.removed.length === 0 && !changes.isMoved;
        return isSame ? [] : [{ kind: 'links', path, attribute, ...changes }];
      }
      default:
        return this.items(attribute, sides, path);
    }
  }

  private items(attribute: Attribute, sides: Sides, path: readonly string[]): readonly Difference[] {
    const hunks = hunksOf(entriesOf(sides.before), entriesOf(sides.after));
    const isList = kindOf(attribute) === 'items';
    const place = (component: Component, at: number): readonly string[] =>
      isList ? [...path, `${at} ${component.label}`] : path;
    const whole = (kind: 'added' | 'removed' | 'moved', { item, at }: Entry): readonly Difference[] => {
      const component = componentIn(this.model, attribute, item);
      return component === null ? [] : [{ kind, path: place(component, at), component, item }];
    };
    const moved = takeMoved(hunks).flatMap((entry) => whole('moved', entry));
    return [
      ...hunks.flatMap(({ removed, added }) => {
        const rest = [...added];
        const lone = removed.flatMap((entry) => {
          const component = componentIn(this.model, attribute, entry.item);
          const found = rest.findIndex(({ item }) => componentIn(this.model, attribute, item) === component);
          const [next] = found === -1 ? [] : rest.splice(found, 1);
          if (next === undefined || component === null) return whole('removed', entry);
          const inside = this.part(component, { before: entry.item, after: next.item });
          return inside.map((one) => ({ ...one, path: [...place(component, next.at), ...one.path] }));
        });
        return [...lone, ...rest.flatMap((entry) => whole('added', entry))];
      }),
      ...moved,
    ];
  }
}

/** Returns the differences of two contents, in the order of the model. */
export const differencesOf = (
  part: Part,
  sides: { readonly before: Json; readonly after: Json },
  model: Model,
): readonly Difference[] => new Comparison(model).part(part, sides);
