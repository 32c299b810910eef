/** Options of attributes in schema files that definitions have, too; the others are reported. */
import { ATTRIBUTE_OPTIONS } from '../../content/model/options.js';
import { isScalarType, SCALAR_TYPES } from '../../content/model/scalar-types.js';
import type { ScalarDefinition } from '../../content/model/definitions.js';
import { storedValue } from '../../content/model/value-context.js';
import type { Issue } from '../../kernel/errors.js';
import { isCount, isFlag, isObject, isText, type Test } from '../../kernel/json.js';
import type { Names } from './names.js';
import type { Fate } from './remark.js';
import { type SourceModel, textOf } from './source-schema.js';
import type { StrapiObject } from './strapi-archive.js';

/** Attribute that is being read. `say` adds a remark about it. */
export interface AttributeReading {
  readonly model: SourceModel;
  readonly name: string;
  readonly attribute: StrapiObject;
  readonly names: Names;
  readonly say: (list: Fate, text: string) => void;
}

/** Options of an attribute, still without a type; null if it has no counterpart. */
export type Plain = Record<string, unknown>;

/** Keys that only describe the storage, the forms or the checks of Strapi's own builder. */
const WITHOUT_EFFECT: readonly string[] = ['configurable', 'visible', 'column', 'useJoinTable', 'enumName'];

/** Keys of attributes that are read elsewhere. */
const READ_ELSEWHERE: readonly string[] = [
  ...['type', 'pluginOptions', 'customField', 'component', 'components', 'targetField', 'enum', 'multiple'],
  ...['allowedTypes', 'repeatable', 'relation', 'target', 'inversedBy', 'mappedBy', 'morphBy'],
  ...['morphColumn', 'joinTable', 'joinColumn', 'private', 'required', 'options', 'targetAttribute'],
  'description',
];

const isNumber = (value: unknown): boolean =>
  typeof value === 'number' ? Number.isFinite(value) : isText(value) && /^-?\d+(\.\d+)?$/.test(value);
const isWhole = (value: unknown): boolean => /^-?\d+$/.test(String(value));
/** Strapi compares lengths with numbers that are written as texts, too. */
const spelledCount = (value: unknown): unknown =>
  isText(value) && /^\d{1,10}$/.test(value) ? Number(value) : value;
const isRegex = (value: unknown): boolean => {
  try {
    return isText(value) && value !== '' && new RegExp(value) instanceof RegExp;
  } catch {
    return false;
  }
};

/** Options that are kept as they are, if the type of the attribute has them and their value is valid. */
const KEPT: Readonly<Record<string, (value: unknown) => boolean>> = {
  default: (value) => value !== undefined,
  unique: isFlag,
  min: isNumber,
  max: isNumber,
  minLength: isCount,
  maxLength: isCount,
  regex: isRegex,
  searchable: isFlag,
  writable: isFlag,
};

/** Types that can have an empty text as their default. */
const TEXTS: readonly unknown[] = ['string', 'text', 'richtext'];

/** Whether a value means that an option is not set. As a default, `false` and empty texts are values. */
const isUnset = (key: string, value: unknown, type: unknown): boolean => {
  if (value === undefined || value === null) return true;
  if (key === 'default') return value === '' && !TEXTS.includes(type);
  return value === false || value === '';
};

const isScalarDefinition: Test<ScalarDefinition> = (value): value is ScalarDefinition =>
  isObject(value) && isText(value['type']) && isScalarType(value['type']);

const OPTIONS: ReadonlyMap<string, object> = new Map(Object.entries(ATTRIBUTE_OPTIONS));

const LENGTHS: readonly string[] = ['minLength', 'maxLength'];
const LIMITS: readonly string[] = ['min', 'max'];

/** Options that other readers take if they are `true`. */
const FLAGS: readonly string[] = ['required', 'private', 'multiple', 'repeatable'];
const INVALID = 'is left out: its value is not valid';

/** Copies the options that the type of the attribute has here, and reports all others. */
export function keepOptions(plain: Plain, { attribute, say }: AttributeReading): void {
  const options = OPTIONS.get(textOf(plain['type'])) ?? {};
  for (const [key, given] of Object.entries(attribute)) {
    const value = LENGTHS.includes(key) ? spelledCount(given) : given;
    if (isUnset(key, value, plain['type'])) continue;
    if (FLAGS.includes(key) && !isFlag(value)) say('none', `The option "${key}" ${INVALID}`);
    if (READ_ELSEWHERE.includes(key)) continue;
    const isKept = KEPT[key];
    if (WITHOUT_EFFECT.includes(key)) say('none', `The option "${key}" has no effect here`);
    else if (isKept === undefined || !(key in options)) {
      // `writable: true` and `searchable: true` are the defaults of every attribute.
      if (value !== true || !['writable', 'searchable'].includes(key))
        say('none', `The option "${key}" of "${textOf(plain['type'])}" has no counterpart`);
    } else if (isKept(value) && (plain['type'] !== 'biginteger' || !LIMITS.includes(key) || isWhole(value)))
      plain[key] = value;
    else say('none', `The option "${key}" ${INVALID}`);
  }
  if (attribute['writable'] === false) plain['writable'] = false;
  if (attribute['searchable'] === false && 'searchable' in options) plain['searchable'] = false;
  if (plain['default'] !== undefined) checkDefault(plain, say);
}

/** Returns the list or object that a text spells, as in defaults of custom fields; or the value itself. */
function spelledJson(value: unknown): unknown {
  try {
    const parsed: unknown = isText(value) ? JSON.parse(value) : value;
    return typeof parsed === 'object' ? parsed : value;
  } catch {
    return value;
  }
}

/** Types whose values may be texts in a schema file, but not in a definition. */
const SPELLED: readonly unknown[] = ['integer', 'float', 'decimal', 'boolean', 'json'];

/** Makes the default a value of the type, and leaves it out if no new document could have it. */
function checkDefault(plain: Plain, say: AttributeReading['say']): void {
  const { default: given, ...rest } = plain;
  const value = rest['type'] === 'json' ? spelledJson(given) : given;
  const issues: Issue[] = [];
  const at = storedValue({ path: ['default'], draft: false, issues });
  const cast = isScalarDefinition(rest) ? SCALAR_TYPES[rest.type].castValue(value, rest, at) : null;
  const problem =
    cast === null || cast === undefined
      ? `it is not a value of the type "${textOf(rest['type'])}"`
      : undefined;
  const reason = issues[0]?.message ?? problem;
  const isMoment = rest['type'] === 'datetime' && typeof value === 'number';
  if (isMoment || SPELLED.includes(rest['type'])) plain['default'] = cast;
  if (reason === undefined) return;
  delete plain['default'];
  say('none', `The default is left out: ${reason}`);
}
