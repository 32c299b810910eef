/** What a body gives, checked: by what its attributes are, so that nobody has to ask again. */
import { isObject } from '../json.js';
import type { Component, EmbeddedAttribute, LinkedAttribute, ScalarAttribute } from '../schema/model.js';
import type { RelationInput } from './relation-input.js';
import type { LinkRight } from './rights.js';

interface GivenScalar {
  readonly attribute: ScalarAttribute;
  readonly raw: unknown;
}

export interface GivenRelation {
  readonly attribute: LinkedAttribute;
  readonly input: RelationInput;
  readonly scope: LinkRight;
}

/** Component instances. */
export interface GivenInstances {
  readonly attribute: EmbeddedAttribute;
  readonly raw: unknown;
  /** One entry per instance in the body; null for one that is not an object or of no known component. */
  readonly instances: readonly (GivenInstance | null)[];
}

export interface GivenInstance {
  readonly component: Component;
  readonly id: unknown;
  readonly values: GivenValues;
}

/** What an object of a body gives, by the names of attributes. */
export interface GivenValues {
  readonly scalars: ReadonlyMap<string, GivenScalar>;
  readonly relations: ReadonlyMap<string, GivenRelation>;
  readonly embedded: ReadonlyMap<string, GivenInstances>;
}

/** Values that are being collected. */
export interface GivenMaps {
  scalars: GivenValues['scalars'];
  relations: GivenValues['relations'];
  embedded: GivenValues['embedded'];
}

/** Most objects of a body have values of one kind only: maps are made once there is something in them. */
const NONE: ReadonlyMap<string, never> = new Map<string, never>();

/** Values that are still empty. */
export const noValues = (): GivenMaps => ({ scalars: NONE, relations: NONE, embedded: NONE });

/** A map of values that are being collected, with one more in it. */
export function added<V>(map: ReadonlyMap<string, V>, name: string, value: V): ReadonlyMap<string, V> {
  const own = map === NONE ? new Map<string, V>() : (map as Map<string, V>);
  return own.set(name, value);
}

/** The same values, to be added to. */
export const copyOf = ({ scalars, relations, embedded }: GivenValues): GivenMaps => ({
  scalars: new Map(scalars),
  relations: new Map(relations),
  embedded: new Map(embedded),
});

/** An object that gives nothing. */
export const NOTHING_GIVEN: GivenValues = noValues();

/** Whether an attribute has a value, be it null. */
export const isGiven = ({ scalars, relations, embedded }: GivenValues, name: string): boolean =>
  scalars.has(name) || relations.has(name) || embedded.has(name);

/** The component that an instance of an attribute is of; undefined where it says none of the attribute's. */
export const componentOf = (
  { named, components }: EmbeddedAttribute,
  item: unknown,
): Component | undefined =>
  named ? components.find(({ uid }) => isObject(item) && item['__component'] === uid) : components[0];
