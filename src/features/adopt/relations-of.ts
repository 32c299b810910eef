/** Relations of schema files as relations of definitions. */
import { isLocalized, type SourceModel, textOf } from './source-schema.js';
import { isPrivate, isRequired } from './attribute-of.js';
import { type AttributeReading, keepOptions, type Plain } from './attribute-options.js';
import { BUILT_IN, FILE_UID, ROLE_UID } from './names.js';
import type { Remarks } from './remark.js';
import type { StrapiObject } from './strapi-archive.js';

const OPPOSITE: ReadonlyMap<string, string> = new Map([
  ['oneToOne', 'oneToOne'],
  ['oneToMany', 'manyToOne'],
  ['manyToOne', 'oneToMany'],
  ['manyToMany', 'manyToMany'],
]);

export type Models = ReadonlyMap<string, SourceModel>;

interface Side {
  readonly uid: string;
  readonly name: string;
  readonly attribute: StrapiObject;
}

/** Options in the order in which one side names the other. */
const NAMING = ['inversedBy', 'mappedBy'] as const;

/** Returns the other side of a relation, if both sides name each other; null for a one-way relation. */
function otherSide({ uid, name, attribute }: Side, models: Models): Side | null {
  const option = NAMING.find((one) => textOf(attribute[one]) !== '');
  if (option === undefined) return null;
  const target = textOf(attribute['target']);
  const other = textOf(attribute[option]);
  const mirror = models.get(target)?.attributes[other];
  const back = option === 'inversedBy' ? 'mappedBy' : 'inversedBy';
  const isMirror =
    mirror?.['type'] === 'relation' &&
    mirror['target'] === uid &&
    mirror[back] === name &&
    textOf(mirror[option]) === '' &&
    mirror['relation'] === OPPOSITE.get(textOf(attribute['relation']));
  return isMirror ? { uid: target, name: other, attribute: mirror } : null;
}

/** Returns the other side of a relation if both claim to own it, as releases before 4.6 wrote them. */
function otherOwner({ uid, name, attribute }: Side, models: Models): Side | null {
  const target = textOf(attribute['target']);
  const other = textOf(attribute['inversedBy']);
  const found = models.get(target)?.attributes[other];
  const isOwner =
    (target !== uid || other !== name) &&
    textOf(attribute['mappedBy']) === '' &&
    textOf(found?.['mappedBy']) === '' &&
    found?.['target'] === uid &&
    found['inversedBy'] === name &&
    found['relation'] === OPPOSITE.get(textOf(attribute['relation']));
  return isOwner && found !== undefined ? { uid: target, name: other, attribute: found } : null;
}

/** Gives each relation that both sides claim to own one owner: the first one that may own it. */
export function withOneOwner(given: readonly SourceModel[], remarks: Remarks): readonly SourceModel[] {
  const models = new Map(given.map((model) => [model.uid, model]));
  for (const { uid, isComponent } of given) {
    const own = Object.entries(models.get(uid)?.attributes ?? {});
    for (const [name, attribute] of isComponent ? [] : own) {
      const side = { uid, name, attribute: models.get(uid)?.attributes[name] ?? attribute };
      const other = otherOwner(side, models);
      if (other === null) continue;
      const inverse = attribute['relation'] === 'oneToMany' ? side : other;
      const model = models.get(inverse.uid);
      if (model === undefined) continue;
      const { inversedBy: mappedBy, ...rest } = inverse.attribute;
      const attributes = { ...model.attributes, [inverse.name]: { ...rest, mappedBy } };
      models.set(inverse.uid, { ...model, attributes });
      const text = `Both sides own the relation: "${textOf(mappedBy)}" of ${textOf(rest['target'])} stays the owner`;
      remarks.add({ list: 'changed', subject: model.uid, key: inverse.name, text, file: model.file });
    }
  }
  return [...models.values()];
}

/** Whether a side may own the relation: `oneToMany` is always the other side of a `manyToOne`. */
const mayOwn = (relation: string, isOwner: boolean): boolean =>
  isOwner ? relation !== 'oneToMany' : relation !== 'manyToOne';

function twoWay(plain: Plain, reading: AttributeReading, models: Models): Plain {
  const { model, name, attribute, names, say } = reading;
  const named = NAMING.find((option) => textOf(attribute[option]) !== '');
  if (named === undefined) return plain;
  const side = { uid: model.uid, name, attribute };
  const other = model.isComponent ? null : otherSide(side, models);
  const otherName = other === null ? undefined : names.get(other.uid)?.attributes.get(other.name);
  const isOwner = named === 'inversedBy';
  if (otherName === undefined || other?.uid === ROLE_UID || !mayOwn(textOf(attribute['relation']), isOwner)) {
    const target = textOf(attribute['target']);
    say('changed', `The relation is one-way: "${textOf(attribute[named])}" of ${target} does not mirror it`);
    return plain;
  }
  plain[named] = otherName;
  // The owning side alone decides whether locales have links of their own.
  if (!isOwner) delete plain['localized'];
  return plain;
}

/** Whether a type owns a polymorphic relation of this name. */
const ownsMorph = (attribute: StrapiObject | undefined): boolean =>
  attribute?.['type'] === 'relation' && /^morphTo(One|Many)$/.test(textOf(attribute['relation']));

function morphSide(plain: Plain, reading: AttributeReading, models: Models): Plain | null {
  const { model, name, attribute, names, say } = reading;
  const target = textOf(attribute['target']);
  const owner = textOf(attribute['morphBy']);
  const ownerName = names.get(target)?.attributes.get(owner);
  if (model.isComponent || ownerName === undefined || !ownsMorph(models.get(target)?.attributes[owner])) {
    say('none', `The attribute is left out: "${owner}" of ${target} is not a polymorphic relation`);
    return null;
  }
  const isSame = (one: StrapiObject): boolean => one['target'] === target && one['morphBy'] === owner;
  const first = Object.entries(model.attributes).find(([, one]) => isSame(one))?.[0];
  if (first !== name) {
    say('none', `The attribute is left out: "${first ?? ''}" shows the same links`);
    return null;
  }
  return { ...plain, morphBy: ownerName };
}

function fileRelation(reading: AttributeReading, plain: Plain): Plain {
  const relation = textOf(reading.attribute['relation']);
  reading.say('changed', 'The relation to files becomes "media"');
  const { required, private: hidden, localized } = plain;
  const isMany = /Many$/.test(relation) && relation !== 'manyToOne';
  return Object.fromEntries(
    Object.entries({
      type: 'media',
      multiple: isMany ? true : undefined,
      required,
      private: hidden,
      localized,
    }).filter(([, value]) => value !== undefined),
  );
}

/** Returns the relation of a definition; null, with a remark, if it has no counterpart. */
export function relationOf(reading: AttributeReading, models: Models): Plain | null {
  const { model, attribute, names, say } = reading;
  const relation = textOf(attribute['relation']);
  const plain: Plain = { type: 'relation', relation };
  if (isRequired(reading)) plain['required'] = true;
  if (isPrivate(reading)) plain['private'] = true;
  keepOptions(plain, reading);
  if (isLocalized(model)) plain['localized'] = true;
  if (/^morphTo(One|Many)$/.test(relation)) return plain;
  const target = textOf(attribute['target']);
  if (target === FILE_UID) return fileRelation(reading, plain);
  const name =
    models.has(target) || BUILT_IN.has(target)
      ? (names.get(target)?.name ?? BUILT_IN.get(target))
      : undefined;
  if (name === undefined) {
    say('none', `The attribute is left out: its target "${target}" is not moved`);
    return null;
  }
  plain['target'] = name;
  if (/^morph(One|Many)$/.test(relation)) {
    delete plain['localized'];
    return morphSide(plain, reading, models);
  }
  if (!OPPOSITE.has(relation)) {
    say('none', `The attribute is left out: its relation "${relation}" is unknown`);
    return null;
  }
  return twoWay(plain, reading, models);
}
