/**
 * Two models side by side: what of one is what of the other. Names decide, and former names where a model
 * says them; nothing is guessed.
 */
import { byKind } from '../schema/by-kind.js';
import type { Conversion } from '../schema/definitions.js';
import type { Attribute, Component, ContentType, Model, Schema } from '../schema/model.js';
import type { Locales } from './description.js';

/** What there was and what there is; null where there is nothing. */
export interface Pair<T> {
  readonly before: T | null;
  readonly after: T | null;
}

/** Of something that was and is. */
export interface Both<T> {
  readonly before: T;
  readonly after: T;
}

/** A type or component and its attributes. */
export interface ModelPair<M extends Model> extends Pair<M> {
  readonly attributes: readonly Pair<Attribute>[];
}

/** A model and the locales of its content. */
export interface Side extends Locales {
  readonly schema: Schema;
  /**
   * False for a model that is taken from the tables: other parts of the database may be missing, too; and for
   * one whose changes an earlier release notes.
   */
  readonly isNoted?: boolean;
}

/** One model and the one that follows it. */
export interface Evolution extends Both<Side> {
  readonly types: readonly ModelPair<ContentType>[];
  readonly components: readonly ModelPair<Component>[];
  /** Types, components and locales that are gone, and may go with all their values. */
  readonly removed: readonly string[];
  /** Whether it is the way back: what goes is what the way there brought. */
  readonly isBack: boolean;
}

export const isBoth = <P extends Pair<unknown>>(pair: P): pair is P & Both<NonNullable<P['before']>> =>
  pair.before !== null && pair.after !== null;

/** What can be told of one model by the other: the attributes that definitions name. */
const defined = ({ attributes }: Model): Map<string, Attribute> =>
  new Map([...attributes].filter(([, { system, open }]) => !system && !open));

/** The pairs of two lists, those of the second first. A name counts before a former one. */
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
  return [...pairs, ...[...before.values()].filter((item) => !taken.has(item)).map(gone)];
}

const gone = <T>(item: T): Pair<T> => ({ before: item, after: null });
const come = <T>(item: T): Pair<T> => ({ before: null, after: item });

type Components = readonly Pair<Component>[];

/** Whether a component was another one's former self, or is the same. */
const continues = (components: Components, { before, after }: Both<Component>): boolean =>
  components.some((pair) => pair.before === before && pair.after === after);

/** What kinds of values an attribute has: those of one family can become each other. */
const FAMILY = byKind<Attribute, [], string>({
  scalar: ({ def }) => (def.type === 'password' ? 'password' : 'scalar'),
  relation: () => 'linked',
  morph: () => 'linked',
  component: () => 'embedded',
  zone: () => 'embedded',
});

/** Whether stored values may become values of what follows: a hash never becomes a text that is shown. */
function isSameValue({ before, after }: Both<Attribute>, components: Components): boolean {
  if (FAMILY(before) !== FAMILY(after)) return false;
  if (!('components' in before && 'components' in after)) return true;
  const [old, next] = [before.components, after.components];
  return old.some((one) => next.some((other) => continues(components, { before: one, after: other })));
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
    isBoth(pair) && !isSameValue(pair, components) ? [gone(pair.before), come(pair.after)] : [pair],
  );
}

const nameBefore = ({ previousName }: Model): string | null => previousName;

/** Two models side by side. */
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
    isBack: false,
    types: types.map(whole),
    components: components.map(whole),
  };
}

const turned = <T>({ before, after }: Pair<T>): Pair<T> => ({ before: after, after: before });

const turnedModel = <M extends Model>(pair: ModelPair<M>): ModelPair<M> => ({
  ...turned(pair),
  attributes: pair.attributes.map(turned),
});

/** The way back. */
export const inverseOf = ({ before, after, types, components }: Evolution): Evolution => ({
  before: after,
  after: before,
  removed: [],
  isBack: true,
  types: types.map(turnedModel),
  components: components.map(turnedModel),
});

/** What a definition says about values that it cannot keep as they are. */
export const conversionOf = ({ after }: Pair<Attribute>): Conversion | null => after?.def.convert ?? null;
