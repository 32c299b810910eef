/** Random changes of a model. Each returns its description, or null if it does not apply to the model. */
import type { Dice } from './dice.ts';
import {
  addEmbedded,
  addHeld,
  addInverse,
  addMember,
  addMorph,
  addPart,
  addRelation,
  addScalar,
  addType,
  DEFAULTS,
  freshApiId,
  freshName,
  MANY_VALUES,
  OPPOSITE,
} from './generate.ts';
import { allMembers, type Member, type Part, type Shape, type Sketch, type Type, typeOf } from './sketch.ts';

type Operation = (sketch: Sketch, dice: Dice) => string | null;

interface Found<K extends Shape['kind']> {
  readonly owner: Part;
  readonly member: Member;
  readonly shape: Extract<Shape, { kind: K }>;
}

const isKind = <K extends Shape['kind']>(shape: Shape, kind: K): shape is Extract<Shape, { kind: K }> =>
  shape.kind === kind;

/** Returns a member of a kind that meets a condition. */
function find<K extends Shape['kind']>(
  sketch: Sketch,
  kind: K,
  condition: (found: Found<K>) => boolean = () => true,
): Found<K>[] {
  return allMembers(sketch).flatMap(({ owner, member }): Found<K>[] => {
    const { shape } = member;
    if (!isKind(shape, kind)) return [];
    const one = { owner, member, shape };
    return condition(one) ? [one] : [];
  });
}

const isType = (part: Part): part is Type => 'plural' in part;

/** Runs work with a random item of a list; null for an empty list. */
const withOne = <T>(dice: Dice, list: readonly T[], work: (one: T) => string | null): string | null =>
  list.length === 0 ? null : work(dice.pick(list));

const at = ({ owner, member }: { readonly owner: Part; readonly member: Member }): string =>
  `${owner.name}.${member.name}`;

/**
 * Percentage of definitions that allow a loss; otherwise the command refuses it, and the message shows how to
 * allow it.
 */
const STATED = 40;

/** Removes a member, and the inverse sides of its links. */
function remove(sketch: Sketch, { owner, member }: { readonly owner: Part; readonly member: Member }): void {
  owner.members = owner.members.filter((one) => one !== member);
  for (const other of allMembers(sketch)) {
    const { shape } = other.member;
    if (shape.kind === 'side' && shape.by === member.key) remove(sketch, other);
    if (shape.kind !== 'relation' || shape.other !== member.key) continue;
    if (shape.owns) shape.other = null;
    else remove(sketch, other);
  }
}

/** Removes a type, and the relations to it. */
function removeType(sketch: Sketch, type: Type): void {
  for (const found of allMembers(sketch)) {
    const { shape } = found.member;
    if ((shape.kind === 'relation' || shape.kind === 'side') && shape.target === type.key)
      remove(sketch, found);
    if (shape.kind !== 'morph') continue;
    shape.targets = shape.targets.filter((key) => key !== type.key);
    if (shape.targets.length === 0) remove(sketch, found);
  }
  for (const member of [...type.members]) remove(sketch, { owner: type, member });
  sketch.types = sketch.types.filter((one) => one !== type);
}

const TYPES: Readonly<Record<string, Operation>> = {
  'type renamed': (sketch, dice) => {
    const type = dice.pick(sketch.types);
    const was = type.name;
    type.name = freshApiId(sketch, dice);
    if (dice.chance(50)) type.plural = `${type.name}s`;
    return `${was} becomes ${type.name}`;
  },
  'plural changed': (sketch, dice) => {
    const type = dice.pick(sketch.types);
    type.plural = `${freshApiId(sketch, dice)}s`;
    return `${type.name} has the plural ${type.plural}`;
  },
  'table changed': (sketch, dice) => {
    const type = dice.pick(sketch.types);
    type.table = type.table === null ? freshName(sketch, dice) : null;
    return `${type.name} has the table ${String(type.table)}`;
  },
  'drafts switched': (sketch, dice) => {
    const type = dice.pick(sketch.types);
    type.drafts = !type.drafts;
    if (!type.drafts && dice.chance(STATED)) type.removed.push('drafts');
    return `${type.name} has drafts: ${String(type.drafts)}`;
  },
  'locales switched': (sketch, dice) => {
    const type = dice.pick(sketch.types);
    type.localized = !type.localized;
    for (const { options } of type.members)
      if (!type.localized) delete options['localized'];
      else if (dice.chance(40)) options['localized'] = true;
    for (const { options, shape } of type.members)
      if (shape.kind === 'side' || (shape.kind === 'relation' && !shape.owns)) delete options['localized'];
    if (!type.localized && dice.chance(STATED)) type.removed.push('localizations');
    return `${type.name} is localized: ${String(type.localized)}`;
  },
  'default locale': (sketch, dice) => {
    sketch.defaultLocale = dice.pick(sketch.locales.filter((locale) => locale !== sketch.defaultLocale));
    return `the default locale is ${sketch.defaultLocale}`;
  },
  'locale removed': (sketch, dice) =>
    withOne(dice, sketch.locales.length < 3 ? [] : sketch.locales, (locale) => {
      if (locale === sketch.defaultLocale) return null;
      sketch.locales = sketch.locales.filter((one) => one !== locale);
      return `the locale ${locale} is removed`;
    }),
  'type added': (sketch, dice) => {
    const type = addType(sketch, dice);
    sketch.types.push(type);
    addRelation(sketch, dice, type);
    return `${type.name} is added`;
  },
  'type removed': (sketch, dice) =>
    withOne(dice, sketch.types.length < 3 ? [] : sketch.types, (type) => {
      removeType(sketch, type);
      if (dice.chance(STATED)) sketch.removed.push(type.name);
      return `${type.name} is removed`;
    }),
  'single or collection': (sketch, dice) => {
    const type = dice.pick(sketch.types);
    type.isSingle = !type.isSingle;
    return `${type.name} is single: ${String(type.isSingle)}`;
  },
};

/** Types that values may convert to. */
const READABLE: Readonly<Record<string, readonly string[]>> = {
  string: ['text', 'richtext', 'integer', 'json', 'enumeration'],
  text: ['string', 'richtext', 'blocks', 'json'],
  richtext: ['text', 'string'],
  integer: ['string', 'decimal', 'biginteger', 'float', 'boolean'],
  biginteger: ['integer', 'string'],
  decimal: ['integer', 'string', 'float'],
  float: ['string', 'integer', 'decimal'],
  boolean: ['string', 'integer', 'json'],
  date: ['datetime', 'string', 'timestamp'],
  datetime: ['date', 'timestamp', 'string', 'time'],
  time: ['string'],
  timestamp: ['datetime', 'string'],
  json: ['string', 'array', 'text'],
  array: ['json'],
  enumeration: ['string', 'text'],
  uid: ['string'],
  email: ['string', 'text'],
  blocks: ['text', 'json'],
};

const isScalar = ({ shape }: Found<'scalar'>): boolean => shape.type !== 'password';

const SCALARS: Readonly<Record<string, Operation>> = {
  'attribute added': (sketch, dice) => {
    const owner = dice.pick<Part>([...sketch.types, ...sketch.parts]);
    const member = addScalar(sketch, dice);
    owner.members.push(member);
    return `${at({ owner, member })} is added`;
  },
  'attribute renamed': (sketch, dice) =>
    withOne(dice, allMembers(sketch), (found) => {
      const was = at(found);
      found.member.name = freshName(sketch, dice);
      return `${was} becomes ${found.member.name}`;
    }),
  'attribute removed': (sketch, dice) =>
    withOne(dice, allMembers(sketch), (found) => {
      if (found.owner.members.length < 2) return null;
      remove(sketch, found);
      if (dice.chance(STATED)) found.owner.removed.push(found.member.name);
      return `${at(found)} is removed`;
    }),
  'values converted': (sketch, dice) =>
    withOne(dice, find(sketch, 'scalar', isScalar), (found) => {
      const { options } = found.member;
      const type = dice.pick(READABLE[found.shape.type] ?? ['json']);
      const kept = MANY_VALUES.includes(type) && options['unique'] === true;
      const { localized, private: hidden } = options;
      found.member.options = {
        ...(localized === true ? { localized } : {}),
        ...(hidden === true ? { private: hidden } : {}),
        ...(kept ? { unique: true } : {}),
        ...(type === 'enumeration' ? { enum: ['x', 'y', 'alpha'] } : {}),
        ...(dice.chance(STATED) ? { convert: dice.pick(['fit', 'empty']) } : {}),
      };
      found.shape.type = type;
      return `${at(found)} becomes ${type}`;
    }),
  'values of an enumeration': (sketch, dice) =>
    withOne(
      dice,
      find(sketch, 'scalar', ({ shape }) => shape.type === 'enumeration'),
      (found) => {
        const { options } = found.member;
        const shrinks = dice.chance(50);
        options['enum'] = shrinks ? ['x', 'w'] : ['w', 'x', 'y', 'z', 'alpha'];
        if (shrinks && dice.chance(70)) options['convert'] = { y: 'w', z: null, alpha: null };
        return `${at(found)} is one of ${JSON.stringify(options['enum'])}`;
      },
    ),
  'unique switched': (sketch, dice) =>
    withOne(
      dice,
      find(sketch, 'scalar', ({ shape }) => MANY_VALUES.includes(shape.type)),
      (found) => {
        const { options } = found.member;
        if (options['unique'] === true) delete options['unique'];
        else options['unique'] = true;
        return `${at(found)} is unique: ${String(options['unique'])}`;
      },
    ),
  'required with a default': (sketch, dice) =>
    withOne(
      dice,
      find(sketch, 'scalar', ({ shape }) => shape.type in DEFAULTS),
      (found) => {
        if (found.member.options['unique'] === true) return null;
        Object.assign(found.member.options, { required: true, default: DEFAULTS[found.shape.type] });
        return `${at(found)} is required`;
      },
    ),
  'made private': (sketch, dice) =>
    withOne(dice, find(sketch, 'scalar', isScalar), (found) => {
      found.member.options['private'] = true;
      return `${at(found)} is private`;
    }),
  'attribute localized': (sketch, dice) =>
    withOne(
      dice,
      allMembers(sketch).filter(
        ({ owner, member: { shape } }) =>
          isType(owner) &&
          owner.localized &&
          shape.kind !== 'side' &&
          (shape.kind !== 'relation' || shape.owns),
      ),
      (found) => {
        const { options } = found.member;
        if (options['localized'] === true) delete options['localized'];
        else options['localized'] = true;
        if (options['localized'] !== true && dice.chance(STATED)) options['convert'] = 'fit';
        return `${at(found)} is localized: ${String(options['localized'])}`;
      },
    ),
};

const isOfType = ({ owner }: { readonly owner: Part }): boolean => isType(owner);

const owned = (sketch: Sketch): Found<'relation'>[] =>
  find(sketch, 'relation', (found) => isOfType(found) && found.shape.owns);

const otherOf = (sketch: Sketch, { shape }: Found<'relation'>): Found<'relation'> | undefined =>
  find(sketch, 'relation', ({ member }) => member.key === shape.other)[0];

const RELATIONS: Readonly<Record<string, Operation>> = {
  'relation added': (sketch, dice) => {
    const owner = dice.pick(sketch.types);
    return `${at({ owner, member: addRelation(sketch, dice, owner) })} is added`;
  },
  'kind of relation': (sketch, dice) =>
    withOne(dice, owned(sketch), (found) => {
      const kinds = ['oneToOne', 'manyToOne', 'manyToMany'] as const;
      const other = otherOf(sketch, found);
      found.shape.relation = dice.pick(other === undefined ? [...kinds, 'oneToMany' as const] : kinds);
      if (other !== undefined) other.shape.relation = OPPOSITE[found.shape.relation];
      if (dice.chance(STATED)) found.member.options['convert'] = 'fit';
      return `${at(found)} becomes ${found.shape.relation}`;
    }),
  'made two-way': (sketch, dice) =>
    withOne(
      dice,
      owned(sketch).filter(({ shape }) => shape.other === null && shape.relation !== 'oneToMany'),
      ({ owner, member, shape }) => {
        if (!isType(owner)) return null;
        addInverse(sketch, dice, { owner, member, target: typeOf(sketch, shape.target) });
        return `${at({ owner, member })} becomes two-way`;
      },
    ),
  'made one-way': (sketch, dice) =>
    withOne(dice, owned(sketch), (found) => {
      const other = otherOf(sketch, found);
      if (other === undefined) return null;
      if (dice.chance(60) || found.shape.relation === 'manyToOne') {
        remove(sketch, other);
        return `${at(found)} becomes one-way`;
      }
      other.shape.owns = true;
      other.shape.other = null;
      found.owner.members = found.owner.members.filter((one) => one !== found.member);
      return `${at(other)} owns the links of ${at(found)}, which is removed`;
    }),
  'other owner': (sketch, dice) =>
    withOne(dice, owned(sketch), (found) => {
      const other = otherOf(sketch, found);
      if (other === undefined || found.shape.relation === 'manyToOne') return null;
      found.shape.owns = false;
      other.shape.owns = true;
      const { localized } = found.member.options;
      delete found.member.options['localized'];
      if (localized === true && isType(other.owner) && other.owner.localized)
        other.member.options['localized'] = true;
      return `${at(other)} owns the links of ${at(found)}`;
    }),
  'other target': (sketch, dice) =>
    withOne(
      dice,
      find(sketch, 'relation', ({ shape }) => shape.owns && shape.other === null),
      (found) => {
        found.shape.target = dice.pick(sketch.types).key;
        if (dice.chance(STATED)) found.member.options['convert'] = 'fit';
        return `${at(found)} leads to ${typeOf(sketch, found.shape.target).name}`;
      },
    ),
  'made polymorphic': (sketch, dice) =>
    withOne(
      dice,
      find(
        sketch,
        'relation',
        ({ shape }) => shape.owns && shape.other === null && shape.relation !== 'oneToMany',
      ),
      (found) => {
        const { target, relation } = found.shape;
        const targets = [...new Set([target, ...dice.some(sketch.types).map(({ key }) => key)])];
        const isMany = relation === 'manyToMany';
        found.member.shape = { kind: 'morph', relation: isMany ? 'morphToMany' : 'morphToOne', targets };
        if (relation === 'oneToOne' && dice.chance(STATED)) found.member.options['convert'] = 'fit';
        return `${at(found)} becomes polymorphic`;
      },
    ),
  'made monomorphic': (sketch, dice) =>
    withOne(dice, find(sketch, 'morph'), (found) => {
      const target = dice.pick(found.shape.targets);
      const relation = found.shape.relation === 'morphToMany' ? 'manyToMany' : 'manyToOne';
      for (const side of find(sketch, 'side', ({ shape }) => shape.by === found.member.key))
        remove(sketch, side);
      found.member.shape = { kind: 'relation', relation, target, other: null, owns: true };
      if (dice.chance(STATED)) found.member.options['convert'] = 'fit';
      return `${at(found)} leads to one type`;
    }),
  'other polymorphic targets': (sketch, dice) =>
    withOne(dice, find(sketch, 'morph'), (found) => {
      const sides = find(sketch, 'side', ({ shape }) => shape.by === found.member.key);
      const shown = sides.map(({ owner }) => owner.key);
      const targets = dice.some(sketch.types).map(({ key }) => key);
      found.shape.targets = [...new Set([...shown, ...targets, dice.pick(found.shape.targets)])];
      if (dice.chance(STATED)) found.member.options['convert'] = 'fit';
      return `${at(found)} leads to ${String(found.shape.targets.length)} types`;
    }),
  'polymorphic relation added': (sketch, dice) => {
    const owner = dice.pick(sketch.types);
    return `${at({ owner, member: addMorph(sketch, dice, owner) })} is added`;
  },
  'one or many links': (sketch, dice) =>
    withOne(dice, find(sketch, 'morph'), (found) => {
      found.shape.relation = found.shape.relation === 'morphToMany' ? 'morphToOne' : 'morphToMany';
      if (dice.chance(STATED)) found.member.options['convert'] = 'fit';
      return `${at(found)} becomes ${found.shape.relation}`;
    }),
};

const COMPONENTS: Readonly<Record<string, Operation>> = {
  'component renamed': (sketch, dice) =>
    withOne(dice, sketch.parts, (part) => {
      const was = part.name;
      part.name = `p.${freshApiId(sketch, dice)}`;
      return `${was} becomes ${part.name}`;
    }),
  'component added': (sketch, dice) => {
    const part = addPart(sketch, dice);
    sketch.parts.push(part);
    const owner = dice.pick(sketch.types);
    owner.members.push(
      addMember(sketch, dice, {
        shape: { kind: 'component', component: part.key, repeatable: true },
        options: {},
      }),
    );
    return `${part.name} is added`;
  },
  'relation added to a component': (sketch, dice) =>
    withOne(dice, sketch.parts, (part) => {
      addHeld(sketch, dice, part);
      return `${part.name} has another relation`;
    }),
  'components added to a type': (sketch, dice) =>
    withOne(dice, sketch.types, (type) => {
      addEmbedded(sketch, dice, type);
      return `${type.name} has more components`;
    }),
  'list or single': (sketch, dice) =>
    withOne(dice, find(sketch, 'component'), (found) => {
      found.shape.repeatable = !found.shape.repeatable;
      if (!found.shape.repeatable && dice.chance(STATED)) found.member.options['convert'] = 'fit';
      return `${at(found)} is a list: ${String(found.shape.repeatable)}`;
    }),
  'component becomes a zone': (sketch, dice) =>
    withOne(dice, find(sketch, 'component'), (found) => {
      if (!isOfType(found)) return null;
      found.member.shape = { kind: 'zone', components: [found.shape.component] };
      return `${at(found)} becomes a zone`;
    }),
  'zone becomes a list': (sketch, dice) =>
    withOne(dice, find(sketch, 'zone'), (found) => {
      const component = dice.pick(found.shape.components);
      found.member.shape = { kind: 'component', component, repeatable: true };
      return `${at(found)} becomes a list`;
    }),
  'members of a zone': (sketch, dice) =>
    withOne(dice, find(sketch, 'zone'), (found) => {
      const kept = dice.some(found.shape.components);
      const inner = isOfType(found) ? sketch.parts : [];
      const more = dice.some(inner, 1).map(({ key }) => key);
      const members = [...new Set([...kept, ...more])];
      if (members.length === 0) return null;
      found.shape.components = members;
      return `${at(found)} takes ${String(members.length)} components`;
    }),
};

const OPERATIONS: readonly Operation[] = [TYPES, SCALARS, RELATIONS, COMPONENTS].flatMap(
  Object.values<Operation>,
);

/** Returns the next model, and its changes. */
export function changed(
  sketch: Sketch,
  dice: Dice,
): { readonly after: Sketch; readonly changes: readonly string[] } {
  const after = structuredClone(sketch);
  const wanted = 1 + dice.below(4);
  const changes: string[] = [];
  for (let tries = 0; changes.length < wanted && tries < 40; tries += 1) {
    const one = dice.pick(OPERATIONS)(after, dice);
    if (one !== null) changes.push(one);
  }
  return { after, changes };
}
