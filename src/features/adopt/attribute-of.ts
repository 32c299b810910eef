/** Attributes of schema files as attributes of definitions, except relations. */
import { isScalarType, SCALAR_TYPES } from '../../content/model/scalar-types.js';
import { isText } from '../../kernel/json.js';
import { type AttributeReading, keepOptions, type Plain } from './attribute-options.js';
import { CUSTOM_FIELDS } from './custom-fields.js';
import { USER_UID } from './names.js';
import {
  isLocalized,
  isLocalizedAttribute,
  localizedOption,
  objectOf,
  privateAttributes,
  type SourceModel,
  textOf,
} from './source-schema.js';
import type { StrapiObject } from './strapi-archive.js';

/** Whether each document must have a value; an attribute that Strapi hides by a condition needs none. */
export function isRequired({ attribute, say }: AttributeReading): boolean {
  if (attribute['required'] !== true) return false;
  const { visible } = objectOf(attribute['conditions']);
  if (visible === undefined) return true;
  say('changed', 'The option "required" is left out: "conditions" hides the attribute in some documents');
  return false;
}

/** Whether responses hide an attribute, by its own option or by one of its type. */
export const isPrivate = ({
  model,
  name,
  attribute,
}: Pick<AttributeReading, 'model' | 'name' | 'attribute'>): boolean =>
  attribute['private'] === true || privateAttributes(model).includes(name);

function common(reading: AttributeReading): Plain {
  const { model, attribute, say } = reading;
  const plain: Plain = {};
  if (isRequired(reading)) plain['required'] = true;
  if (isPrivate(reading)) plain['private'] = true;
  if (isLocalized(model) && isLocalizedAttribute(attribute)) plain['localized'] = true;
  else if (localizedOption(attribute['pluginOptions']))
    say('none', 'The option "pluginOptions.i18n.localized" has no effect: its type has no locales');
  const others = Object.keys(objectOf(attribute['pluginOptions'])).filter((key) => key !== 'i18n');
  for (const key of others) say('none', `The option "pluginOptions.${key}" has no counterpart`);
  return plain;
}

/** Types of schema files that have another name here. */
const RENAMED: Readonly<Record<string, string>> = { array: 'array', int: 'integer', number: 'float' };

/** Maximum length of indexed texts; longer ones cannot be unique. */
const MAX_INDEXED = 600;

function scalarOf(type: string, reading: AttributeReading, more: Plain = {}): Plain {
  const plain: Plain = { type, ...more, ...common(reading) };
  keepOptions(plain, reading);
  if (plain['unique'] === true && Number(plain['maxLength'] ?? 0) > MAX_INDEXED) {
    delete plain['unique'];
    reading.say(
      'none',
      `The option "unique" is left out: texts of more than ${MAX_INDEXED} characters cannot be`,
    );
  }
  if (Number(plain['minLength'] ?? 0) > Number(plain['maxLength'] ?? Infinity)) {
    delete plain['minLength'];
    reading.say('none', 'The option "minLength" is left out: it is larger than "maxLength"');
  }
  if (Number(plain['min'] ?? -Infinity) > Number(plain['max'] ?? Infinity)) {
    delete plain['min'];
    reading.say('none', 'The option "min" is left out: it is larger than "max"');
  }
  return plain;
}

function enumerationOf(reading: AttributeReading): Plain | null {
  const { attribute, say } = reading;
  const given = Array.isArray(attribute['enum']) ? attribute['enum'] : [];
  const texts = given.map((one: unknown) => (typeof one === 'number' ? String(one) : one));
  const values = [...new Set(texts.filter((one): one is string => isText(one) && one !== ''))];
  if (values.length < given.length)
    say('changed', 'Values of "enum" that are empty, repeated or no text are left out');
  if (values.length === 0) {
    say('changed', 'The enumeration has no values: it becomes a "string"');
    return scalarOf('string', reading);
  }
  const { default: first } = attribute;
  const spelled = typeof first === 'number' ? { ...attribute, default: String(first) } : attribute;
  return scalarOf('enumeration', { ...reading, attribute: spelled }, { enum: values });
}

/** Types from which a uid can be generated: texts and numbers. */
const isSource = (attribute: StrapiObject | undefined): boolean => {
  const type = textOf(attribute?.['type']);
  return isScalarType(type) && SCALAR_TYPES[type].search !== null;
};

const BUILT_IN_SOURCE = { type: 'string' };

/** Returns a built-in text of users, which is none of their attributes in the schema of this move. */
const builtInSource = ({ uid }: SourceModel, target: string): string | undefined =>
  uid === USER_UID && ['username', 'email'].includes(target) ? target : undefined;

function uidOf(reading: AttributeReading): Plain {
  const { attribute, model, names, say } = reading;
  const plain = scalarOf('uid', reading);
  const target = textOf(attribute['targetField']);
  if (attribute['options'] !== undefined) say('none', 'The option "options" of "uid" has no counterpart');
  if (target === '') return plain;
  const source = names.get(model.uid)?.attributes.get(target) ?? builtInSource(model, target);
  if (source === undefined) {
    say('none', `The option "targetField" is left out: the type has no attribute "${target}"`);
    return plain;
  }
  if (target === reading.name || !isSource(model.attributes[target] ?? BUILT_IN_SOURCE)) {
    say('none', `The option "targetField" is left out: "${target}" is not a text or number attribute`);
    return plain;
  }
  plain['targetField'] = source;
  const isFree = !model.isComponent && plain['regex'] === undefined && plain['minLength'] === undefined;
  if (isFree) plain['generate'] = true;
  return plain;
}

const FILE_KINDS: readonly string[] = ['images', 'videos', 'audios', 'files'];

function mediaOf(reading: AttributeReading): Plain {
  const { attribute } = reading;
  const plain: Plain = { type: 'media', ...common(reading) };
  if (attribute['multiple'] === true) plain['multiple'] = true;
  const given = Array.isArray(attribute['allowedTypes']) ? attribute['allowedTypes'].map(String) : [];
  const kinds = [...new Set(given)].filter((one) => FILE_KINDS.includes(one));
  if (kinds.length > 0 && kinds.length < FILE_KINDS.length && !given.includes('any'))
    plain['allowedTypes'] = kinds;
  keepOptions(plain, reading);
  return plain;
}

function componentOf(reading: AttributeReading): Plain | null {
  const { attribute, names, say } = reading;
  const uid = textOf(attribute['component']);
  const held = names.get(uid);
  if (held === undefined) {
    say('none', `The attribute is left out: there is no component "${uid}"`);
    return null;
  }
  const plain: Plain = { type: 'component', component: held.name, ...common(reading) };
  if (attribute['repeatable'] === true) plain['repeatable'] = true;
  keepOptions(plain, reading);
  return plain;
}

function zoneOf(reading: AttributeReading): Plain | null {
  const { attribute, names, say } = reading;
  const given = Array.isArray(attribute['components']) ? attribute['components'].map(String) : [];
  const held = [...new Set(given)].flatMap((uid) => {
    const found = names.get(uid);
    if (found === undefined) say('none', `The zone loses the component "${uid}", which does not exist`);
    return found === undefined ? [] : [found.name];
  });
  if (held.length === 0) {
    say('none', 'The attribute is left out: none of its components exists');
    return null;
  }
  const plain: Plain = { type: 'dynamiczone', components: held, ...common(reading) };
  keepOptions(plain, reading);
  return plain;
}

function customOf(reading: AttributeReading): Plain {
  const { attribute, say } = reading;
  const field = textOf(attribute['customField']);
  const type = CUSTOM_FIELDS.get(field);
  if (type === undefined)
    say('changed', `The custom field "${field}" becomes "json", which stores any value: check its type`);
  else say('changed', `The custom field "${field}" becomes "${type}", the type in which it is stored`);
  return scalarOf(type ?? 'json', reading);
}

const KINDS: ReadonlyMap<string, (reading: AttributeReading) => Plain | null> = new Map([
  ['enumeration', enumerationOf],
  ['uid', uidOf],
  ['media', mediaOf],
  ['component', componentOf],
  ['dynamiczone', zoneOf],
  ['customField', customOf],
]);

/** Returns the attribute of a definition; null, with a remark, if it has no counterpart. */
export function attributeOf(reading: AttributeReading): Plain | null {
  const { attribute, say } = reading;
  const given = textOf(attribute['type']);
  const type = RENAMED[given] ?? given;
  const kind = KINDS.get(type);
  if (kind !== undefined) return kind(reading);
  if (type === '') {
    say('none', 'The attribute is left out: it has no "type"');
    return null;
  }
  if (!isScalarType(type)) {
    say('changed', `The type "${given}" is unknown: it becomes "json", which stores any value`);
    return scalarOf('json', reading);
  }
  if (textOf(attribute['customField']) !== '')
    say('changed', `The custom field "${textOf(attribute['customField'])}" becomes "${type}"`);
  return scalarOf(type, reading);
}
