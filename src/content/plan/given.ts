/** Checked values of a body, grouped by kind of attribute. */
import { isObject } from '../../kernel/json.js';
import type {
  Component,
  ContentType,
  EmbeddedAttribute,
  LinkedAttribute,
  ScalarAttribute,
} from '../model/model.js';
import type { Reference, RelationInput } from './relation-input.js';
import type { LinkRight } from './write-rights.js';

interface GivenScalar {
  readonly attribute: ScalarAttribute;
  readonly raw: unknown;
}

export interface GivenRelation {
  readonly attribute: LinkedAttribute;
  readonly input: RelationInput;
  readonly scope: LinkRight;
  /** Whether the caller can read the stored links. */
  readonly shown: boolean;
  /** Of a relation that a hook has changed: references that the caller sent, and its rights to them. */
  readonly sent: SentReferences | null;
}

export interface SentReferences {
  readonly scope: LinkRight;
  readonly has: (reference: Reference) => boolean;
}

/** Returns all rights that references of a relation may have. */
export const scopesOf = ({ scope, sent }: GivenRelation): readonly LinkRight[] =>
  sent === null ? [scope] : [scope, sent.scope];

/** Returns the rights to one reference. */
export const scopeOf = ({ scope, sent }: GivenRelation, reference: Reference): LinkRight =>
  sent?.has(reference) === true ? sent.scope : scope;

/** Returns the types of a polymorphic relation that its caller may not name. */
export const hiddenTypes = ({ attribute, scope }: GivenRelation): readonly ContentType[] =>
  attribute.named ? attribute.targets.filter((type) => !scope.types.includes(type)) : [];

export interface GivenInstances {
  readonly attribute: EmbeddedAttribute;
  readonly raw: unknown;
  readonly instances: readonly (GivenInstance | null)[];
}

export interface GivenInstance {
  readonly component: Component;
  readonly id: unknown;
  readonly values: GivenValues;
}

export interface GivenValues {
  readonly scalars: ReadonlyMap<string, GivenScalar>;
  readonly relations: ReadonlyMap<string, GivenRelation>;
  readonly embedded: ReadonlyMap<string, GivenInstances>;
}

export interface GivenMaps {
  scalars: GivenValues['scalars'];
  relations: GivenValues['relations'];
  embedded: GivenValues['embedded'];
}

/** Shared empty map: most objects have values of one kind only, so maps are created on first use. */
const EMPTY: ReadonlyMap<string, never> = new Map<string, never>();

export const noValues = (): GivenMaps => ({ scalars: EMPTY, relations: EMPTY, embedded: EMPTY });

export function withValue<V>(map: ReadonlyMap<string, V>, name: string, value: V): ReadonlyMap<string, V> {
  const own = map === EMPTY ? new Map<string, V>() : (map as Map<string, V>);
  return own.set(name, value);
}

export const copyOf = ({ scalars, relations, embedded }: GivenValues): GivenMaps => ({
  scalars: new Map(scalars),
  relations: new Map(relations),
  embedded: new Map(embedded),
});

export const NOTHING_GIVEN: GivenValues = noValues();

export const isGiven = ({ scalars, relations, embedded }: GivenValues, name: string): boolean =>
  scalars.has(name) || relations.has(name) || embedded.has(name);

export const componentOf = (
  { named, components }: EmbeddedAttribute,
  item: unknown,
): Component | undefined =>
  named ? components.find(({ uid }) => isObject(item) && item['__component'] === uid) : components[0];
