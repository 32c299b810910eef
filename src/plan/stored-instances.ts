/** Component instances that are stored already, found by their ids in one step each (D2, D18). */
import { isObject } from '../json.js';
import type { Component, EmbeddedAttribute } from '../schema/model.js';
import { componentOf } from './given.js';

/** Stored values in the answer's form, by attribute name. */
export type StoredValues = Readonly<Record<string, unknown>>;

/** The instances that a component or zone attribute holds; one that was single once is a list of one. */
export const instancesOf = (value: unknown): readonly StoredValues[] =>
  [value].flat().filter((one) => isObject(one));

/**
 * What an instance holds under names that are no attributes: of another model, which other processes on the
 * same database may have already, or still. Nobody here has seen it, so it stays.
 */
export function unknownMembers({ attributes }: Component, stored: StoredValues | null): StoredValues {
  if (stored === null) return {};
  return Object.fromEntries(Object.entries(stored).filter(([name]) => !attributes.has(name)));
}

const keyIn = (item: StoredValues): string => `${String(item['__component'])} ${String(item['id'])}`;

/**
 * A new list of a zone, with the stored instances of components that the zone does not have under this model.
 * Nobody here has seen those either: each stays behind the nearest instance before it that is still there.
 */
export function withUnknown(
  list: readonly StoredValues[],
  attribute: EmbeddedAttribute,
  stored: StoredValues | null,
): readonly StoredValues[] {
  const former = instancesOf(stored?.[attribute.name]);
  if (former.every((item) => componentOf(attribute, item) !== undefined)) return list;
  const kept = new Set(list.map(keyIn));
  const behind = new Map<string | null, StoredValues[]>();
  let before: string | null = null;
  for (const item of former) {
    if (componentOf(attribute, item) === undefined) behind.set(before, [...(behind.get(before) ?? []), item]);
    else if (kept.has(keyIn(item))) before = keyIn(item);
  }
  return [...(behind.get(null) ?? []), ...list.flatMap((item) => [item, ...(behind.get(keyIn(item)) ?? [])])];
}

/** An instance as it is stored. */
interface Known {
  /** In the version that is written, or else in the first other that has it. */
  readonly stored: StoredValues;
  /** In the other versions. */
  readonly versions: StoredValues[];
}

/** Where stored instances may come from: the version that is written, and the others. */
interface Versions {
  readonly stored: StoredValues | null;
  readonly versions: readonly StoredValues[];
}

/** The stored instances of one attribute. Looked through once, whatever the number of ids asked for. */
export class StoredInstances {
  private index: ReadonlyMap<string, Known> | null = null;

  constructor(
    private readonly attribute: EmbeddedAttribute,
    private readonly from: Versions,
  ) {}

  /** The instance of a component that an id in a body means: a number, or its digits. */
  find(id: unknown, component: string): Known | undefined {
    const digits = typeof id === 'string' && /^\d+$/.test(id);
    if (!digits && typeof id !== 'number') return undefined;
    this.index ??= this.indexed();
    return this.index.get(this.key(Number(id), component));
  }

  private indexed(): Map<string, Known> {
    const index = new Map<string, Known>();
    const add = (item: StoredValues, versions: StoredValues[]): void => {
      const key = this.key(Number(item['id']), item['__component']);
      const known = index.get(key);
      if (known === undefined) index.set(key, { stored: item, versions });
      else known.versions.push(...versions);
    };
    const { name } = this.attribute;
    for (const item of instancesOf(this.from.stored?.[name])) add(item, []);
    for (const version of this.from.versions)
      for (const item of instancesOf(version[name])) add(item, [item]);
    return index;
  }

  /** Instances of different components in one zone may share an id (protocol 13.9). */
  private key(id: number, component: unknown): string {
    return this.attribute.named ? `${String(component)} ${id}` : String(id);
  }
}
