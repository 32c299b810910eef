/**
 * New names in conditions and presets of stored grants. A part that is gone gets a name that no attribute can
 * have, so that its grant covers nothing, whatever attributes later models have.
 */
import { byKind } from '../../content/model/by-kind.js';
import type { Attribute, Model } from '../../content/model/model.js';
import { typeUid } from '../../content/model/naming.js';
import { isOperator, operatorOf, OPERATORS } from '../../content/query/operators.js';
import { type Both, type Evolution, isBoth, type ModelPair, type Pair } from './pairs.js';
import { distinctValues } from './renamed-values.js';

interface Member {
  /** New key; undefined for the same. */
  readonly key?: string;
  /** Place of the value; undefined if it contains no names. */
  readonly place?: string;
}

/** New keys of an object and new texts, by the former ones. */
interface Place {
  readonly keys?: Readonly<Record<string, Member>>;
  readonly texts?: Readonly<Record<string, string>>;
}

export type Places = Readonly<Record<string, Place>>;

const formerName = (name: string): string => `${name} (former)`;
const former = (name: string): Member => ({ key: formerName(name) });

const each = (keys: readonly string[], member: Member): Readonly<Record<string, Member>> =>
  Object.fromEntries(keys.map((key) => [key, member]));

const GROUPS = ['$and', '$or', '$not'];

/** Operators that compare with whole values. Others may match other values after a renaming. */
const EXACT = ['$eq', '$ne', '$in', '$notIn'];
const INEXACT = Object.keys(OPERATORS).filter(
  (key) => isOperator(key) && operatorOf(key).operand !== 'flag' && !EXACT.includes(key),
);

/** Place of a renamed value. A grant with the new name has not been valid yet. */
const valuesPlace = (place: string, renamed: Readonly<Record<string, string>>): Place => ({
  texts: {
    ...Object.fromEntries(Object.values(renamed).map((value) => [value, formerName(value)])),
    ...renamed,
  },
  keys: {
    ...each([...GROUPS, ...EXACT], { place }),
    ...Object.fromEntries(INEXACT.map((key) => [key, former(key)])),
  },
});

/** Attributes in both models, also those that no definition names. */
const allPairs = ({
  before,
  after,
  attributes,
}: ModelPair<Model> & Both<Model>): readonly Pair<Attribute>[] => [
  ...[...before.attributes.values()]
    .filter(({ system, linked }) => system && linked)
    .map((one) => ({ before: one, after: after.attributes.get(one.name) ?? null })),
  ...attributes,
];

type Part = 'where' | 'preset';

/** Place of an attribute's value. */
const BELOW = byKind<Attribute, [], Readonly<Record<Part, string | null>>>({
  scalar: () => ({ where: null, preset: null }),
  relation: ({ target }) => ({ where: `where type ${target.uid}`, preset: 'links' }),
  morph: () => ({ where: null, preset: 'links' }),
  component: ({ component: { uid } }) => ({
    where: `where component ${uid}`,
    preset: `preset component ${uid}`,
  }),
  zone: () => ({ where: null, preset: 'zone' }),
});

class GrantPlaces {
  readonly places: Record<string, Place> = {};

  constructor(private readonly evolution: Evolution) {
    const { types, components } = evolution;
    for (const pair of [...types, ...components]) if (isBoth(pair)) this.addModel(pair);
    const names = types.filter(isBoth);
    const parts = components.filter(isBoth);
    this.places['grants'] = {
      keys: Object.fromEntries(
        names.map(({ after }) => [after.singularApiId, { place: `grants type ${after.uid}` }]),
      ),
    };
    this.places['links'] = {
      keys: { ...each(['set', 'connect', 'disconnect'], { place: 'links' }), __type: { place: 'types' } },
    };
    this.places['types'] = {
      texts: Object.fromEntries(
        names
          .filter(({ before, after }) => before.singularApiId !== after.singularApiId)
          .map(({ before, after }) => [typeUid(before), typeUid(after)]),
      ),
    };
    this.places['components'] = {
      texts: Object.fromEntries(parts.map(({ before, after }) => [before.uid, after.uid])),
    };
    this.places['variables'] = { texts: this.variables() };
  }

  /** Attributes of users, which conditions compare with. */
  private variables(): Readonly<Record<string, string>> {
    const user = this.evolution.types.find(({ after }) => after?.singularApiId === 'user');
    const laterNames = (user?.attributes ?? []).flatMap(({ before, after }) =>
      before === null ? [] : [[before.name, after?.name ?? formerName(before.name)] as const],
    );
    return Object.fromEntries(
      laterNames.map(([name, later]) => [`$CURRENT_USER.${name}`, `$CURRENT_USER.${later}`]),
    );
  }

  private addModel(pair: ModelPair<Model> & Both<Model>): void {
    const { before, after } = pair;
    const at = `${after.model} ${after.uid}`;
    const [where, preset] = [`where ${at}`, `preset ${at}`];
    this.places[`grants ${at}`] = { keys: { where: { place: where }, preset: { place: preset } } };
    this.places[where] = { keys: { ...this.members(pair, 'where'), ...each(GROUPS, { place: where }) } };
    this.places[preset] = {
      keys: { ...this.members(pair, 'preset'), __component: { place: 'components' } },
    };
    // Instances in a zone name their component.
    if (before.model === 'component') this.places[`zone ${before.uid}`] = this.places[preset];
  }

  private members(pair: ModelPair<Model> & Both<Model>, part: Part): Readonly<Record<string, Member>> {
    const pairs = allPairs(pair);
    const renamed = pairs.filter(isBoth).filter(({ before, after }) => before.name !== after.name);
    return {
      // A grant with the new name has not been valid yet.
      ...Object.fromEntries(renamed.map(({ after: { name } }) => [name, former(name)])),
      ...Object.fromEntries(
        pairs.flatMap(({ before, after }) =>
          before === null ? [] : [[before.name, this.member({ before, after }, pair.after, part)]],
        ),
      ),
    };
  }

  private member(
    { before, after }: Pair<Attribute> & { readonly before: Attribute },
    owner: Model,
    part: Part,
  ): Member {
    if (after?.kind !== before.kind || this.leadsElsewhere({ before, after })) return former(before.name);
    const place = this.below({ before, after }, owner, part);
    return { key: after.name, ...(place === null ? {} : { place }) };
  }

  private leadsElsewhere({ before, after }: Both<Attribute>): boolean {
    if (!('target' in before && 'target' in after)) return false;
    return this.evolution.types.every((pair) => pair.before !== before.target || pair.after !== after.target);
  }

  /** Returns the place of an attribute's value; null if it contains no names. */
  private below(pair: Both<Attribute>, owner: Model, part: Part): string | null {
    const renamed = distinctValues(pair);
    if (renamed === null) return BELOW(pair.after)[part];
    const place = `values ${owner.model} ${owner.uid} ${pair.after.name}`;
    this.places[place] = valuesPlace(place, renamed);
    return place;
  }
}

/** Returns the places that contain new names, or lead to one; empty if no name changes. */
export function grantPlaces(evolution: Evolution): Places {
  const { places } = new GrantPlaces(evolution);
  const live = new Set<string>();
  const isLive = (place = ''): boolean =>
    live.has(place) || (place === 'zone' && [...live].some((one) => one.startsWith('zone ')));
  const changed = ({ keys = {}, texts = {} }: Place): Place => ({
    keys: Object.fromEntries(
      Object.entries(keys).filter(([from, { key = from, place }]) => key !== from || isLive(place)),
    ),
    texts: Object.fromEntries(Object.entries(texts).filter(([from, to]) => from !== to)),
  });
  const isChanged = (place: Place): boolean =>
    Object.values(changed(place)).some((part: object) => Object.keys(part).length > 0);
  for (let size = -1; size < live.size;) {
    size = live.size;
    for (const [name, place] of Object.entries(places)) if (isChanged(place)) live.add(name);
  }
  return Object.fromEntries(
    Object.entries(places)
      .filter(([name]) => live.has(name))
      .map(([name, place]) => [name, changed(place)]),
  );
}
