/** Pairs the parts of two models by name, or by `previousName`; it never guesses. */
import { byKind } from '../../content/model/by-kind.js';
import type { Conversion } from '../../content/model/conversion.js';
import type { Attribute, Component, ContentType, Model, Schema } from '../../content/model/model.js';
import type { Locales } from '../../content/model/description.js';

/** Part of two models; null for a model without it. */
export interface Pair<T> {
  readonly before: T | null;
  readonly after: T | null;
}

/** Part that exists in both models. */
export interface Both<T> {
  readonly before: T;
  readonly after: T;
}

export interface ModelPair<M extends Model> extends Pair<M> {
  readonly attributes: readonly Pair<Attribute>[];
}

export interface Side extends Locales {
  readonly schema: Schema;
  /**
   * False if the database has no stored model, or if change log triggers are missing or outdated. Other parts
   * of the library's storage may be missing then, too.
   */
  readonly hasCurrentTriggers?: boolean;
}

export interface Evolution extends Both<Side> {
  readonly types: readonly ModelPair<ContentType>[];
  readonly components: readonly ModelPair<Component>[];
  /** Types, components and locales that may be dropped with all their values. */
  readonly removed: readonly string[];
  /** Whether the evolution reverts a migration: removed parts are those that the migration added. */
  readonly isReversal: boolean;
}

export const isBoth = <P extends Pair<unknown>>(pair: P): pair is P & Both<NonNullable<P['before']>> =>
  pair.before !== null && pair.after !== null;

/** Returns the attributes that definitions name, without system attributes. */
const defined = ({ attributes }: Model): Map<string, Attribute> =>
  new Map([...attributes].filter(([, { system, open }]) => !system && !open));

/** Pairs two lists, in the order of the second. A current name takes precedence over a former one. */
function paired<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  previousOf: (item: T) => string | null,
): Pair<T>[] {
  const taken = new Set<T>();
  const pairs = [...after].map(([name, item]): Pair<T> => {
    const former = before.get(name) ?? before.get(previousOf(item) ?? name) ?? null;
    if (former !== null) taken.add(former);
    return { before: former, after: item };
  });
  return [...pairs, ...[...before.values()].filter((item) => !taken.has(item)).map(removedPair)];
}

const removedPair = <T>(item: T): Pair<T> => ({ before: item, after: null });
const addedPair = <T>(item: T): Pair<T> => ({ before: null, after: item });

type Components = readonly Pair<Component>[];

/** Whether two components are the same, under the same or another name. */
const isSameComponent = (components: Components, { before, after }: Both<Component>): boolean =>
  components.some((pair) => pair.before === before && pair.after === after);

/** Family of an attribute's values: values can be converted only within a family. */
const FAMILY = byKind<Attribute, [], string>({
  scalar: ({ def }) => (def.type === 'password' ? 'password' : 'scalar'),
  relation: () => 'linked',
  morph: () => 'linked',
  component: () => 'embedded',
  zone: () => 'embedded',
});

/**
 * Whether stored values can become values of the later attribute. A password hash never becomes a visible
 * text.
 */
function isSameValue({ before, after }: Both<Attribute>, components: Components): boolean {
  if (FAMILY(before) !== FAMILY(after)) return false;
  if (!('components' in before && 'components' in after)) return true;
  const [old, next] = [before.components, after.components];
  return old.some((one) => next.some((other) => isSameComponent(components, { before: one, after: other })));
}

const formerName = ({ def }: Attribute): string | null => def.previousName ?? null;

function attributePairs({ before, after }: Pair<Model>, components: Components): Pair<Attribute>[] {
  const none = new Map<string, Attribute>();
  const pairs = paired(
    before === null ? none : defined(before),
    after === null ? none : defined(after),
    formerName,
  );
  return pairs.flatMap((pair) =>
    isBoth(pair) && !isSameValue(pair, components)
      ? [removedPair(pair.before), addedPair(pair.after)]
      : [pair],
  );
}

const nameBefore = ({ previousName }: Model): string | null => previousName;

export function evolutionOf({ before, after }: Both<Side>): Evolution {
  const { removed } = after.schema;
  const components = paired(before.schema.components, after.schema.components, nameBefore);
  const types = paired(before.schema.types, after.schema.types, nameBefore);
  const whole = <M extends Model>(pair: Pair<M>): ModelPair<M> => ({
    ...pair,
    attributes: attributePairs(pair, components),
  });
  return {
    before,
    after,
    removed,
    isReversal: false,
    types: types.map(whole),
    components: components.map(whole),
  };
}

const inverted = <T>({ before, after }: Pair<T>): Pair<T> => ({ before: after, after: before });

const invertedModel = <M extends Model>(pair: ModelPair<M>): ModelPair<M> => ({
  ...inverted(pair),
  attributes: pair.attributes.map(inverted),
});

/** Returns the evolution that reverts another. */
export const inverseOf = ({ before, after, types, components }: Evolution): Evolution => ({
  before: after,
  after: before,
  removed: [],
  isReversal: true,
  types: types.map(invertedModel),
  components: components.map(invertedModel),
});

export const conversionOf = ({ after }: Pair<Attribute>): Conversion | null => after?.def.convert ?? null;
