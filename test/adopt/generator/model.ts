/** Random models of Strapi projects: all kinds of attributes, components in components, zones, self relations. */
import type { Dice } from '../../evolution/pairs/dice.ts';
import {
  type Flavour,
  type SourceAttribute,
  type SourceComponent,
  type SourceModel,
  type SourceType,
  STRANGE,
  USER,
} from './source.ts';

const SCALARS: readonly string[] = [
  ...['string', 'text', 'richtext', 'email', 'uid', 'enumeration', 'integer', 'biginteger', 'float'],
  ...['decimal', 'boolean', 'date', 'time', 'datetime', 'timestamp', 'json', 'blocks', 'password'],
];

const WORDS = [
  'title',
  'note',
  'rank',
  'fooBar',
  'foo_bar',
  'order',
  'group',
  'select',
  'Key',
  'meta',
  'value',
];

/** Names of attributes, which differ within a type or component. */
class Names {
  private made = 0;
  private readonly dice: Dice;

  constructor(dice: Dice) {
    this.dice = dice;
  }

  next(): string {
    this.made += 1;
    return `${this.dice.pick(WORDS)}${this.made}`;
  }
}

interface Workshop {
  readonly dice: Dice;
  readonly names: Names;
  readonly types: readonly SourceType[];
}

const RULES: Readonly<Record<string, (dice: Dice) => object>> = {
  enumeration: () => ({ enum: ['one', 'two-b', 'Three'] }),
  string: (dice) => (dice.chance(20) ? { maxLength: 200 } : {}),
  integer: (dice) => (dice.chance(20) ? { min: -2_000_000_000 } : {}),
  boolean: (dice) => (dice.chance(40) ? { default: dice.chance(50) } : {}),
};

/** Options that change nothing here, and a custom field as archives describe it. */
function noise(dice: Dice, type: string): object {
  if (type === 'string' && dice.chance(10)) return { customField: 'plugin::color-picker.color' };
  if (dice.chance(10)) return { configurable: false };
  return dice.chance(10) ? { searchable: false } : {};
}

function scalar(dice: Dice, type: string): SourceAttribute {
  const secret = type !== 'password' && dice.chance(10) ? { private: true } : {};
  return { type, ...(RULES[type]?.(dice) ?? {}), ...noise(dice, type), ...secret };
}

const media = (dice: Dice): SourceAttribute => ({
  type: 'media',
  multiple: dice.chance(50),
  required: false,
  ...(dice.chance(70) ? { allowedTypes: ['images', 'files', 'videos', 'audios'] } : {}),
});

/** A relation of a component: it is never two-way. */
function held({ dice, types }: Workshop): SourceAttribute {
  const target = dice.chance(10) ? USER : dice.pick(types).uid;
  return {
    type: 'relation',
    relation: dice.pick(['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany']),
    target,
  };
}

const embedded = (dice: Dice, components: readonly SourceComponent[]): SourceAttribute =>
  dice.chance(35)
    ? {
        type: 'dynamiczone',
        components: [...new Set([dice.pick(components), ...dice.some(components)])].map(({ uid }) => uid),
      }
    : { type: 'component', component: dice.pick(components).uid, repeatable: dice.chance(55) };

function fillComponent(shop: Workshop, component: SourceComponent, inner: readonly SourceComponent[]): void {
  const { dice, names } = shop;
  for (let n = 2 + dice.below(3); n > 0; n -= 1)
    component.attributes[names.next()] = scalar(dice, dice.pick(SCALARS));
  if (dice.chance(60)) component.attributes[names.next()] = media(dice);
  if (dice.chance(70)) component.attributes[names.next()] = held(shop);
  // Strapi has no zones in components.
  const nested = (): SourceAttribute => ({
    type: 'component',
    component: dice.pick(inner).uid,
    repeatable: dice.chance(55),
  });
  if (inner.length > 0) component.attributes[names.next()] = nested();
  if (inner.length > 0 && dice.chance(40)) component.attributes[names.next()] = nested();
}

/** Option of a localized attribute. */
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } };

function put(type: SourceType, dice: Dice, entry: readonly [string, SourceAttribute]): void {
  const [name, attribute] = entry;
  const localized = type.localized && dice.chance(60);
  const plain = type.localized && dice.chance(30) ? { pluginOptions: { i18n: { localized: false } } } : {};
  type.attributes[name] = { ...attribute, ...(localized ? LOCALIZED : plain) };
}

const OPPOSITE = {
  oneToOne: 'oneToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
} as const;

/** Adds a relation to a type, and its other side if it is two-way. */
function relate({ dice, names, types }: Workshop, owner: SourceType, self: boolean): void {
  const target = self ? owner : dice.pick(types);
  const name = names.next();
  const relation = dice.pick(['oneToOne', 'manyToOne', 'manyToMany', 'manyToMany'] as const);
  if (dice.chance(20) && !self) {
    put(owner, dice, [name, { type: 'relation', relation: 'oneToMany', target: target.uid }]);
    return;
  }
  const two = self || dice.chance(60);
  const inverse = names.next();
  const side = two ? { inversedBy: inverse } : {};
  put(owner, dice, [name, { type: 'relation', relation, target: target.uid, ...side }]);
  const other = { type: 'relation', relation: OPPOSITE[relation], target: owner.uid, mappedBy: name };
  if (two) put(target, dice, [inverse, other]);
}

function morph({ dice, names, types }: Workshop, owner: SourceType): void {
  const name = names.next();
  const relation = dice.chance(40) ? 'morphToOne' : 'morphToMany';
  owner.attributes[name] = { type: 'relation', relation };
  if (!dice.chance(40)) return;
  dice.pick(types).attributes[names.next()] = {
    type: 'relation',
    relation: 'morphMany',
    target: owner.uid,
    morphBy: name,
  };
}

function emptyType(dice: Dice, index: number, isSingle: boolean): SourceType {
  const plain = `${dice.pick(['post', 'blog-post', 'place', 'thing', 'faq'])}${index}`;
  // Names that the library uses itself.
  const singular = index === 0 && dice.chance(6) ? dice.pick(['role', 'file', 'user', 'locale']) : plain;
  return {
    uid: `api::${singular}.${singular}`,
    isSingle,
    singular,
    plural: `${singular}s`,
    drafts: dice.chance(60),
    localized: dice.chance(50),
    attributes: {},
  };
}

function fillType(shop: Workshop, type: SourceType, components: readonly SourceComponent[]): void {
  const { dice, names } = shop;
  for (let n = 3 + dice.below(6); n > 0; n -= 1)
    put(type, dice, [names.next(), scalar(dice, dice.pick(SCALARS))]);
  if (dice.chance(70)) put(type, dice, [names.next(), media(dice)]);
  for (let n = 1 + dice.below(2); n > 0; n -= 1) put(type, dice, [names.next(), embedded(dice, components)]);
  for (let n = dice.below(3); n > 0; n -= 1) relate(shop, type, dice.chance(25));
  if (dice.chance(15)) morph(shop, type);
  if (dice.chance(20))
    put(type, dice, [names.next(), { type: 'relation', relation: 'manyToOne', target: USER }]);
  if (dice.chance(10))
    put(type, dice, [names.next(), { type: 'relation', relation: 'oneToOne', target: STRANGE }]);
}

/** Returns a random model. Every type has the attribute `mark`, which names its documents. */
export function modelOf(dice: Dice, flavour: Flavour): SourceModel {
  const collections = Array.from({ length: 2 + dice.below(3) }, (_, i) => emptyType(dice, i, false));
  const singles = dice.chance(50) ? [emptyType(dice, 9, true)] : [];
  const shop: Workshop = { dice, names: new Names(dice), types: collections };
  const components: SourceComponent[] = ['deep.three', 'deep.two', 'my-parts.one', 'shared.quote'].map(
    (uid) => ({
      uid,
      attributes: {},
    }),
  );
  const [three, two, one, quote] = components as [
    SourceComponent,
    SourceComponent,
    SourceComponent,
    SourceComponent,
  ];
  fillComponent(shop, three, []);
  fillComponent(shop, two, [three]);
  fillComponent(shop, one, [two, three]);
  fillComponent(shop, quote, []);
  for (const type of [...collections, ...singles]) {
    type.attributes['mark'] = { type: 'string' };
    fillType(shop, type, components);
  }
  const locales = ['en', 'fr', ...(dice.chance(30) ? ['de'] : [])];
  const defaultLocale = dice.chance(25) ? 'fr' : 'en';
  const userAttributes: Record<string, SourceAttribute> = dice.chance(50)
    ? { nickname: { type: 'string' }, portrait: media(dice) }
    : {};
  return { flavour, types: [...collections, ...singles], components, locales, defaultLocale, userAttributes };
}
