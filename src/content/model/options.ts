/**
 * Options of definitions and their valid values. A new option needs a row here and one in `definitions.ts`.
 */
import { isCount, isFilledText, isObject } from '../../kernel/json.js';
import { DOCUMENT_ACTIONS } from './actions.js';
import { toBigint } from './cast-value.js';
import type { AttributeDefinition } from './definitions.js';
import { isFallbackLocale } from './fallback-locale.js';
import { isDeskText } from './layout.js';
import { RELATION_KINDS } from './relation-kinds.js';
import { FLAG, FUNCTION, type Option, option, type Options, TEXT } from './option-table.js';
import { among } from './suggest.js';

export type Report = (message: string) => void;

const isNumber = (value: unknown): boolean =>
  Number.isFinite(typeof value === 'string' && value.trim() !== '' ? Number(value) : value);

function isPlain(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.every(isPlain);
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlain);
}

const isListOf =
  (admits: (item: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.length > 0 && value.every(admits) && new Set(value).size === value.length;

const oneOf = (...words: readonly string[]): Option =>
  option(`one of ${words.join(', ')}`, (value) => words.some((word) => word === value));
const listOf = (...words: readonly string[]): Option =>
  option(`a list of ${words.join(', ')}`, isListOf(oneOf(...words).admits));

const COUNT = option('a whole number, 0 or more', isCount);
const NUMBER = option('a number', isNumber);
const INTEGER_OPTION = option('a whole number of at most 64 bits', (value) => toBigint(value) !== undefined);
export const LABEL = option('a non-empty string, or such strings by language', isDeskText);
const TEXTS = option('a list of distinct non-empty strings', isListOf(isFilledText));
const PLAIN = option('plain data', isPlain);
const ROUTES_OPTION = option('true, false, { only: [routes] } or { except: [routes] }', (value) => {
  if (!isObject(value)) return FLAG.admits(value);
  const [[key = '', list] = [], more] = Object.entries(value);
  return more === undefined && ['only', 'except'].includes(key) && TEXTS.admits(list);
});
const ACTIONS_OPTION = option(`true, false or a list of ${DOCUMENT_ACTIONS.join(', ')}`, (value) =>
  [FLAG, listOf(...DOCUMENT_ACTIONS)].some(({ admits }) => admits(value)),
);
const PUBLISH_BY = option('"write" or "right"', (value) => value === 'write' || value === 'right');
const FALLBACK = option(
  'false, a locale, a list of distinct locales, or an object with one of these per locale',
  isFallbackLocale,
);
const INDEXES = option(
  'a list of objects with "attributes"',
  (value) => Array.isArray(value) && value.every(isObject),
);
const STAGES = option(
  'an object with a stage by name, each with "to"',
  (value) =>
    isObject(value) &&
    Object.values(value).every(
      (one) => isObject(one) && Array.isArray(one['to']) && one['to'].every(isFilledText),
    ),
);
const ATTRIBUTES = option('an object of attributes', isObject);
const CONVERT = option(
  '"fit", "empty" or an object that maps stored values to new ones',
  (value) =>
    value === 'fit' ||
    value === 'empty' ||
    (isObject(value) && Object.values(value).every((one) => one === null || isFilledText(one))),
);

const LAYOUT = option('an object', (value) => isObject(value) && !Array.isArray(value));

const COMMON: Options = {
  type: TEXT,
  required: FLAG,
  private: FLAG,
  writable: FLAG,
  localized: FLAG,
  archived: FLAG,
  previousName: TEXT,
  convert: CONVERT,
  desk: LAYOUT,
};
/** Passwords have no default: all documents would share it. */
const SECRET: Options = { ...COMMON, searchable: FLAG, validate: FUNCTION };
const SCALAR: Options = { ...SECRET, default: PLAIN };
const COMPARABLE: Options = { ...SCALAR, index: FLAG, unique: FLAG };
const TEXTUAL: Options = { ...COMPARABLE, minLength: COUNT, maxLength: COUNT, regex: TEXT };
const LONG: Options = { ...SCALAR, minLength: COUNT, maxLength: COUNT, regex: TEXT };
const NUMERIC: Options = { ...COMPARABLE, min: NUMBER, max: NUMBER };

export const ATTRIBUTE_OPTIONS: Readonly<Record<AttributeDefinition['type'], Options>> = {
  string: TEXTUAL,
  text: LONG,
  richtext: LONG,
  email: TEXTUAL,
  password: { ...SECRET, minLength: COUNT },
  uid: { ...TEXTUAL, targetField: TEXT, generate: FLAG },
  enumeration: { ...COMPARABLE, enum: TEXTS },
  integer: NUMERIC,
  biginteger: { ...COMPARABLE, min: INTEGER_OPTION, max: INTEGER_OPTION },
  float: NUMERIC,
  decimal: NUMERIC,
  boolean: { ...SCALAR, index: FLAG },
  date: COMPARABLE,
  time: COMPARABLE,
  datetime: COMPARABLE,
  timestamp: COMPARABLE,
  json: SCALAR,
  array: SCALAR,
  blocks: SCALAR,
  relation: {
    ...COMMON,
    relation: oneOf(...Object.keys(RELATION_KINDS)),
    target: TEXT,
    inversedBy: TEXT,
    mappedBy: TEXT,
    targets: TEXTS,
    morphBy: TEXT,
    leftOut: FLAG,
  },
  media: { ...COMMON, multiple: FLAG, allowedTypes: listOf('images', 'videos', 'audios', 'files') },
  component: { ...COMMON, component: TEXT, repeatable: FLAG, min: COUNT, max: COUNT, index: FLAG },
  dynamiczone: { ...COMMON, components: TEXTS, min: COUNT, max: COUNT },
};

export const REQUIRED_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  enumeration: ['enum'],
  relation: ['relation'],
  component: ['component'],
  dynamiczone: ['components'],
};

export const TYPE_OPTIONS: Options = {
  kind: oneOf('collectionType', 'singleType'),
  singularApiId: TEXT,
  pluralApiId: TEXT,
  draftAndPublish: FLAG,
  localized: FLAG,
  fallbackLocale: FALLBACK,
  tableName: TEXT,
  routes: ROUTES_OPTION,
  actions: ACTIONS_OPTION,
  publishBy: PUBLISH_BY,
  owner: TEXT,
  tenant: TEXT,
  authors: FLAG,
  stages: STAGES,
  sharedMaxAge: COUNT,
  history: FLAG,
  archived: FLAG,
  events: FLAG,
  indexes: INDEXES,
  previousName: TEXT,
  removed: TEXTS,
  validate: FUNCTION,
  desk: LAYOUT,
  attributes: ATTRIBUTES,
};

export const INDEX_OPTIONS: Options = { attributes: TEXTS, using: oneOf('trigram'), unique: FLAG };

export const COMPONENT_OPTIONS: Options = {
  uid: TEXT,
  previousName: TEXT,
  removed: TEXTS,
  desk: LAYOUT,
  attributes: ATTRIBUTES,
};

/** Widest field, in columns. */
const COLUMNS = 12;

export const COMPONENT_LAYOUT: Options = { label: LABEL, title: TEXT, description: LABEL, group: LABEL };
export const TYPE_LAYOUT: Options = {
  ...COMPONENT_LAYOUT,
  plural: LABEL,
  list: TEXTS,
  order: TEXT,
  hidden: FLAG,
  preview: option('a function that returns a URL', (value) => typeof value === 'function'),
};
export const ATTRIBUTE_LAYOUT: Options = {
  label: LABEL,
  description: LABEL,
  width: option(
    `a whole number from 1 to ${COLUMNS}`,
    (value) => isCount(value) && value >= 1 && value <= COLUMNS,
  ),
  placeholder: LABEL,
  field: TEXT,
  values: option(
    'an object with a name for each value',
    (value) => isObject(value) && Object.values(value).every(isDeskText),
  ),
};

interface OptionRules {
  readonly options: Options;
  readonly needed: readonly string[];
}

/**
 * Reports unknown options, invalid values and missing options. Returns whether the known options are valid,
 * even if there are unknown ones.
 */
export function checkOptions(definition: object, { options, needed }: OptionRules, report: Report): boolean {
  const given = Object.entries(definition).filter(([, value]) => value !== undefined);
  const isKnown = ([key]: [string, unknown]): boolean => Object.hasOwn(options, key);
  const unknown = given
    .filter((one) => !isKnown(one))
    .map(([key]) => `unknown option "${key}"${among(key, Object.keys(options))}`);
  const wrong = given
    .filter(isKnown)
    .flatMap(([key, value]) =>
      options[key]?.admits(value) === true ? [] : [`"${key}" must be ${options[key]?.expected ?? ''}`],
    );
  const missing = needed
    .filter((key) => !given.some(([name]) => name === key))
    .map((key) => `needs "${key}", ${options[key]?.expected ?? ''}`);
  [...unknown, ...wrong, ...missing].forEach(report);
  return wrong.length + missing.length === 0;
}
