/** Schemas of scalar types in responses, bodies and filters, one row each. */
import type { ScalarDefinition, ScalarTypeName } from '../model/definitions.js';
import type { ScalarAttribute } from '../model/model.js';
import type { Components } from './components.js';
import { type JsonSchema, list, NULL, open, TEXT } from './document.js';

interface ScalarRow {
  /** Value in responses. */
  readonly answer: (def: ScalarDefinition, components: Components) => JsonSchema;
  /** Value in bodies; other spellings are cast to it (protocol section 14). */
  readonly input: (def: ScalarDefinition, components: Components) => JsonSchema;
  /** Name of the type's filter conditions, and the schema of their operand. */
  readonly compared: readonly [name: string, operand: JsonSchema];
}

const INTEGER: JsonSchema = { type: 'integer' };
const NUMBER: JsonSchema = { type: 'number' };
const DIGITS: JsonSchema = { type: 'string', pattern: '^-?[0-9]+$' };
const DATE: JsonSchema = { type: 'string', format: 'date' };
const TIME: JsonSchema = { type: 'string', pattern: '^[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{3})?$' };
const INSTANT: JsonSchema = { type: 'string', format: 'date-time' };
const ANY: JsonSchema = {};
/** JSON is compared as text (protocol 5.41). */
const JSON_TEXT: JsonSchema = { type: ['string', 'number', 'boolean'] };

/** Omits undefined members. */
const definedMembers = (members: Readonly<Record<string, unknown>>): JsonSchema =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** JSON Schema patterns are Unicode patterns; others are omitted. An optional text may be empty. */
function patternOf({ regex, required }: Parameters<ScalarRow['input']>[0]): string | undefined {
  if (regex === undefined) return undefined;
  try {
    const { source } = new RegExp(regex, 'u');
    return required === true ? source : `^$|${source}`;
  } catch {
    return undefined;
  }
}

/** Text within its bounds; `cap` is the limit in characters without a `maxLength`. */
const textInput =
  (cap?: number, more: JsonSchema = {}): ScalarRow['input'] =>
  (def) => ({
    ...TEXT,
    ...definedMembers({
      minLength: def.minLength,
      maxLength: def.maxLength ?? cap,
      pattern: patternOf(def),
    }),
    ...more,
  });

const numberInput =
  (type: JsonSchema): ScalarRow['input'] =>
  ({ min, max }) => ({
    ...type,
    ...definedMembers({
      minimum: min === undefined ? undefined : Number(min),
      maximum: max === undefined ? undefined : Number(max),
    }),
  });

const always =
  (schema: JsonSchema): ScalarRow['answer'] =>
  () =>
    schema;

const text = (input: ScalarRow['input']): ScalarRow => ({
  answer: always(TEXT),
  input,
  compared: ['Text', TEXT],
});

const number = (type: JsonSchema): ScalarRow => ({
  answer: always(type),
  input: numberInput(type),
  compared: ['Number', NUMBER],
});

const value = (answer: JsonSchema, input: JsonSchema, compared: ScalarRow['compared']): ScalarRow => ({
  answer: always(answer),
  input: always(input),
  compared,
});

const DIGITS_OR_NUMBER: JsonSchema = { type: ['string', 'integer'] };

const blocks: ScalarRow['answer'] = (_def, components) => {
  const part = { key: 'a node of blocks', name: 'BlockNode' };
  const node = (): JsonSchema => ({
    ...open({ type: TEXT, text: TEXT, children: list(components.ref('schemas', part, node)) }, ['type']),
    additionalProperties: true,
  });
  return list(components.ref('schemas', part, node));
};

const choice: ScalarRow['answer'] = ({ enum: values = [] }) => ({ ...TEXT, enum: values });

const ROWS: Readonly<Record<ScalarTypeName, ScalarRow>> = {
  string: text(textInput(255)),
  text: text(textInput()),
  richtext: text(textInput()),
  email: text(textInput(255, { format: 'email' })),
  password: text(textInput(undefined, { format: 'password', writeOnly: true })),
  uid: text(textInput(255, { pattern: '^[A-Za-z0-9_.~-]*$' })),
  enumeration: { answer: choice, input: choice, compared: ['Text', TEXT] },
  integer: number(INTEGER),
  biginteger: value(DIGITS, DIGITS_OR_NUMBER, ['Digits', DIGITS_OR_NUMBER]),
  float: number(NUMBER),
  decimal: number(NUMBER),
  boolean: value({ type: 'boolean' }, { type: 'boolean' }, ['Boolean', { type: 'boolean' }]),
  date: value(DATE, DATE, ['Date', DATE]),
  time: value(TIME, TEXT, ['Time', TEXT]),
  datetime: value(INSTANT, { type: ['string', 'integer'], format: 'date-time' }, ['Instant', TEXT]),
  timestamp: value(DIGITS, DIGITS_OR_NUMBER, ['Digits', DIGITS_OR_NUMBER]),
  json: value(ANY, ANY, ['Json', JSON_TEXT]),
  array: value(list(ANY), list(ANY), ['Json', JSON_TEXT]),
  blocks: { answer: blocks, input: blocks, compared: ['Json', JSON_TEXT] },
};

/** Makes a schema nullable; it may be a reference. */
const orNull = (schema: JsonSchema): JsonSchema => {
  const { type } = schema;
  const values = schema['enum'] as readonly unknown[] | undefined;
  if (Object.keys(schema).length === 0) return schema;
  if (typeof type !== 'string') return { anyOf: [schema, NULL] };
  return { ...schema, type: [type, 'null'], ...(values === undefined ? {} : { enum: [...values, null] }) };
};

/** Attributes that every version has. */
const ALWAYS_SET: readonly string[] = ['id', 'documentId', 'createdAt', 'updatedAt', 'locale'];

/**
 * Value in responses. With drafts, and in components, every attribute may be null; elsewhere required ones
 * are set.
 */
export function answerOf(
  attribute: ScalarAttribute,
  mayBeUnset: boolean,
  components: Components,
): JsonSchema {
  const { def, name, system, required } = attribute;
  const schema = ROWS[def.type].answer(def, components);
  const set = system ? ALWAYS_SET.includes(name) || !mayBeUnset : required && !mayBeUnset;
  return set ? schema : orNull(schema);
}

/** Value in bodies; null clears an attribute that is not required. */
export function inputOf({ def, required }: ScalarAttribute, components: Components): JsonSchema {
  const schema = ROWS[def.type].input(def, components);
  // In the description only: generators assume that a member with `default` is always present.
  const full =
    def.default === undefined
      ? schema
      : {
          ...schema,
          description: `Default of a new document: ${JSON.stringify(def.default)}.`,
        };
  return required ? full : orNull(full);
}

export const comparedOf = ({ def }: ScalarAttribute): ScalarRow['compared'] => ROWS[def.type].compared;
