/** Index of stored component instances by id (D2, D18). */
import { isObject } from '../../kernel/json.js';
import type { Component, EmbeddedAttribute } from '../model/model.js';
import { componentOf } from './given.js';

/** Stored values in response format, by attribute name. */
export type StoredValues = Readonly<Record<string, unknown>>;

/**
 * Returns the instances of a component or dynamic zone. A single one, stored by an older model, becomes a
 * list.
 */
export const instancesOf = (value: unknown): readonly StoredValues[] =>
  [value].flat().filter((one) => isObject(one));

/**
 * Members of an instance that are not attributes of this model. Another release on the same database may use
 * them during a deployment, so a write keeps them.
 */
export function unknownMembers({ attributes }: Component, stored: StoredValues | null): StoredValues {
  if (stored === null) return {};
  return Object.fromEntries(Object.entries(stored).filter(([name]) => !attributes.has(name)));
}

const keyIn = (item: StoredValues): string => `${String(item['__component'])} ${String(item['id'])}`;

/**
 * Adds stored instances of components that are unknown in this model to a new list of a dynamic zone. Each
 * stays after its nearest preceding instance that still exists.
 */
export function keepUnknown(
  list: readonly StoredValues[],
  attribute: EmbeddedAttribute,
  stored: StoredValues | null,
): readonly StoredValues[] {
  const former = instancesOf(stored?.[attribute.name]);
  if (former.every((item) => componentOf(attribute, item) !== undefined)) return list;
  const sentKeys = new Set(list.map(keyIn));
  const behind = new Map<string | null, StoredValues[]>();
  let before: string | null = null;
  for (const item of former) {
    if (componentOf(attribute, item) === undefined) behind.set(before, [...(behind.get(before) ?? []), item]);
    else if (sentKeys.has(keyIn(item))) before = keyIn(item);
  }
  return [...(behind.get(null) ?? []), ...list.flatMap((item) => [item, ...(behind.get(keyIn(item)) ?? [])])];
}

interface KnownInstance {
  /** Values in the written version, or in the first other version that has the instance. */
  readonly stored: StoredValues;
  /** Values in the other versions. */
  readonly versions: StoredValues[];
}

interface Versions {
  readonly stored: StoredValues | null;
  readonly versions: readonly StoredValues[];
}

/** Stored instances of one attribute. The index is built once, on the first lookup. */
export class StoredInstances {
  private index: ReadonlyMap<string, KnownInstance> | null = null;

  constructor(
    private readonly attribute: EmbeddedAttribute,
    private readonly from: Versions,
  ) {}

  /** Finds the instance of a component by an id in a body: a number, or its digits. */
  find(id: unknown, component: string): KnownInstance | undefined {
    const digits = typeof id === 'string' && /^\d+$/.test(id);
    if (!digits && typeof id !== 'number') return undefined;
    this.index ??= this.indexed();
    return this.index.get(this.key(Number(id), component));
  }

  private indexed(): Map<string, KnownInstance> {
    const index = new Map<string, KnownInstance>();
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

  /** Instances of different components in one dynamic zone may have equal ids (protocol 13.9). */
  private key(id: number, component: unknown): string {
    return this.attribute.named ? `${String(component)} ${id}` : String(id);
  }
}
