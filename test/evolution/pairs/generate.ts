/** Random models: types with and without drafts and locales, and all kinds of attributes. */
import type { Dice } from './dice.ts';
import type { Member, Part, Relation, Shape, Sketch, Type } from './sketch.ts';

const WORDS = ['title', 'note', 'rank', 'fooBar', 'foo_bar', 'order', 'group', 'user', 'select', 'Key'];

/** Returns a name that no part of a model has had. Some are so long that derived names reach the limit. */
export function freshName(sketch: Sketch, dice: Dice): string {
  sketch.made += 1;
  const word = dice.pick(WORDS);
  return `${dice.chance(8) ? word.repeat(10).slice(0, 40) : word}${sketch.made}`;
}

/** Returns a new name of a type: lower-case letters and digits. */
export const freshApiId = (sketch: Sketch, dice: Dice): string =>
  freshName(sketch, dice).toLowerCase().replaceAll('_', '-');

const freshKey = (sketch: Sketch): string => {
  sketch.made += 1;
  return `k${sketch.made}`;
};

export function addMember(sketch: Sketch, dice: Dice, made: Omit<Member, 'key' | 'name'>): Member {
  return { key: freshKey(sketch), name: freshName(sketch, dice), ...made };
}

/** Scalar types, the frequent ones several times. */
const SCALARS = [
  ...['string', 'string', 'string', 'text', 'richtext', 'integer', 'integer', 'biginteger', 'decimal'],
  ...['float', 'boolean', 'date', 'datetime', 'time', 'timestamp', 'json', 'array', 'enumeration'],
  ...['email', 'uid', 'blocks', 'password'],
];

const TEXTS: readonly string[] = ['string', 'text', 'richtext'];
const COMPARABLE: readonly string[] = [
  ...['string', 'email', 'uid', 'enumeration', 'integer', 'biginteger', 'decimal', 'date', 'datetime'],
];
/** Types with enough values for a unique one per document. */
export const MANY_VALUES: readonly string[] = ['string', 'email', 'integer', 'biginteger', 'decimal'];

/** Defaults of required attributes. */
export const DEFAULTS: Readonly<Record<string, unknown>> = {
  string: 'Untold',
  text: 'Untold',
  integer: 7,
  decimal: 2.5,
  boolean: true,
  date: '2020-02-02',
  enumeration: 'x',
};

function scalarOptions(dice: Dice, type: string): Record<string, unknown> {
  const options: Record<string, unknown> = type === 'enumeration' ? { enum: ['x', 'y', 'z'] } : {};
  if (TEXTS.includes(type) && dice.chance(20)) options['private'] = true;
  if (MANY_VALUES.includes(type) && dice.chance(15)) options['unique'] = true;
  else if (type in DEFAULTS && dice.chance(12))
    Object.assign(options, { required: true, default: DEFAULTS[type] });
  if (COMPARABLE.includes(type) && dice.chance(10)) options['index'] = true;
  return options;
}

export function addScalar(sketch: Sketch, dice: Dice, type = dice.pick(SCALARS)): Member {
  return addMember(sketch, dice, { shape: { kind: 'scalar', type }, options: scalarOptions(dice, type) });
}

const RELATIONS: readonly Relation[] = ['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany', 'manyToMany'];
export const OPPOSITE: Readonly<Record<Relation, Relation>> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
};

/** Adds a relation to a type, and its other side if it is two-way. */
export function addRelation(sketch: Sketch, dice: Dice, owner: Type): Member {
  const target = dice.pick(sketch.types);
  const relation = dice.pick(RELATIONS);
  const member = addMember(sketch, dice, {
    shape: { kind: 'relation', relation, target: target.key, other: null, owns: true },
    options: owner.localized && dice.chance(25) ? { localized: true } : {},
  });
  owner.members.push(member);
  if (relation !== 'oneToMany' && dice.chance(50)) addInverse(sketch, dice, { owner, member, target });
  return member;
}

interface OneWay {
  readonly owner: Type;
  readonly member: Member;
  readonly target: Type;
}

/** Makes a relation two-way. */
export function addInverse(sketch: Sketch, dice: Dice, { owner, member, target }: OneWay): void {
  const { shape } = member;
  if (shape.kind !== 'relation') return;
  const relation = OPPOSITE[shape.relation];
  const inverse: Shape = { kind: 'relation', relation, target: owner.key, other: member.key, owns: false };
  const other = addMember(sketch, dice, { shape: inverse, options: {} });
  target.members.push(other);
  shape.other = other.key;
}

export function addMorph(sketch: Sketch, dice: Dice, owner: Part): Member {
  const [first, ...rest] = dice.some(sketch.types, 3);
  const targets = [first ?? dice.pick(sketch.types), ...rest];
  const relation = dice.chance(40) ? 'morphToOne' : 'morphToMany';
  const member = addMember(sketch, dice, {
    shape: { kind: 'morph', relation, targets: targets.map(({ key }) => key) },
    options: {},
  });
  owner.members.push(member);
  const isOfType = sketch.types.some(({ key }) => key === owner.key);
  for (const target of isOfType ? targets : [])
    if (dice.chance(30)) {
      const shape: Shape = { kind: 'side', relation: 'morphMany', target: owner.key, by: member.key };
      target.members.push(addMember(sketch, dice, { shape, options: {} }));
    }
  return member;
}

/** Adds a component attribute to a type or component. */
export function addEmbedded(
  sketch: Sketch,
  dice: Dice,
  owner: Part,
  parts: readonly Part[] = sketch.parts,
): void {
  const shape: Shape = dice.chance(35)
    ? {
        kind: 'zone',
        components: [...new Set([dice.pick(parts), ...dice.some(parts)])].map(({ key }) => key),
      }
    : { kind: 'component', component: dice.pick(parts).key, repeatable: dice.chance(50) };
  owner.members.push(addMember(sketch, dice, { shape, options: {} }));
}

export function addPart(sketch: Sketch, dice: Dice): Part {
  const part: Part = {
    key: freshKey(sketch),
    name: `p.${freshApiId(sketch, dice)}`,
    members: [],
    removed: [],
  };
  for (let n = 2 + dice.below(3); n > 0; n -= 1) part.members.push(addScalar(sketch, dice));
  return part;
}

export function addType(sketch: Sketch, dice: Dice): Type {
  const name = freshApiId(sketch, dice);
  const type: Type = {
    key: freshKey(sketch),
    name,
    plural: `${name}s`,
    table: dice.chance(10) ? freshName(sketch, dice) : null,
    isSingle: dice.chance(12),
    drafts: dice.chance(50),
    localized: dice.chance(40),
    members: [],
    removed: [],
  };
  for (let n = 3 + dice.below(4); n > 0; n -= 1) {
    const member = addScalar(sketch, dice);
    if (type.localized && dice.chance(50)) member.options['localized'] = true;
    type.members.push(member);
  }
  return type;
}

/** A random model. */
export function sketchOf(dice: Dice): Sketch {
  const locales = ['en', 'fr', ...(dice.chance(30) ? ['de'] : [])];
  const sketch: Sketch = { types: [], parts: [], locales, defaultLocale: 'en', removed: [], made: 0 };
  for (let n = 3 + dice.below(2); n > 0; n -= 1) sketch.types.push(addType(sketch, dice));
  for (let n = 3; n > 0; n -= 1) sketch.parts.push(addPart(sketch, dice));
  sketch.parts.forEach((part, i) => {
    const inner = sketch.parts.slice(0, i);
    if (inner.length > 0 && dice.chance(70)) addEmbedded(sketch, dice, part, inner);
    if (dice.chance(30)) addMorph(sketch, dice, part);
    else if (dice.chance(40)) addHeld(sketch, dice, part);
  });
  for (const type of sketch.types) {
    if (dice.chance(80)) addEmbedded(sketch, dice, type);
    if (dice.chance(80)) addRelation(sketch, dice, type);
    if (dice.chance(60)) addRelation(sketch, dice, type);
    if (dice.chance(30)) addMorph(sketch, dice, type);
  }
  return sketch;
}

/** Adds a relation to a component. */
export function addHeld(sketch: Sketch, dice: Dice, part: Part): void {
  const relation = dice.chance(50) ? 'manyToOne' : 'manyToMany';
  const target = dice.pick(sketch.types).key;
  const shape: Shape = { kind: 'relation', relation, target, other: null, owns: true };
  part.members.push(addMember(sketch, dice, { shape, options: {} }));
}
