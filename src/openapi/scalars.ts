/** What each scalar type is in a description: in answers, in bodies and in filters. One row for each. */
import type { ScalarDefinition, ScalarTypeName } from '../schema/definitions.js';
import type { ScalarAttribute } from '../schema/model.js';
import type { Components } from './components.js';
import { type JsonSchema, list, NULL, open } from './document.js';

/** A row of the table. */
interface ScalarRow {
  /** A value as answers show it. */
  readonly answer: (def: ScalarDefinition, components: Components) => JsonSchema;
  /** A value as bodies have it; many other spellings are cast to it (protocol section 14). */
  readonly input: (def: ScalarDefinition, components: Components) => JsonSchema;
  /** The name of the conditions that filters have for it, and what they compare with. */
  readonly compared: readonly [name: string, operand: JsonSchema];
}

const TEXT: JsonSchema = { type: 'string' };
const INTEGER: JsonSchema = { type: 'integer' };
const NUMBER: JsonSchema = { type: 'number' };
const DIGITS: JsonSchema = { type: 'string', pattern: '^-?[0-9]+$' };
const DATE: JsonSchema = { type: 'string', format: 'date' };
const TIME: JsonSchema = { type: 'string', pattern: '^[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{3})?$' };
const INSTANT: JsonSchema = { type: 'string', format: 'date-time' };
const ANY: JsonSchema = {};
/** JSON compares as its text (protocol 5.41). */
const JSON_TEXT: JsonSchema = { type: ['string', 'number', 'boolean'] };

/** Members of a schema, without those that are not given. */
const given = (members: Readonly<Record<string, unknown>>): JsonSchema =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** Readers of schemas take patterns for Unicode's; one that is none of these is left out. */
function patternOf(regex: string | undefined): string | undefined {
  if (regex === undefined) return undefined;
  try {
    return new RegExp(regex, 'u').source;
  } catch {
    return undefined;
  }
}

/** A text within its bounds; at most `cap` characters where the definition sets no `maxLength`. */
const textInput =
  (cap?: number, more: JsonSchema = {}): ScalarRow['input'] =>
  ({ minLength, maxLength, regex }) => ({
    ...TEXT,
    ...given({ minLength, maxLength: maxLength ?? cap, pattern: patternOf(regex) }),
    ...more,
  });

const numberInput =
  (type: JsonSchema): ScalarRow['input'] =>
  ({ min, max }) => ({
    ...type,
    ...given({
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

/** A node of a `blocks` attribute. */
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

/** What else a value may be than null. Its schema may be a reference. */
const orNull = (schema: JsonSchema): JsonSchema => {
  const { type } = schema;
  const values = schema['enum'] as readonly unknown[] | undefined;
  if (Object.keys(schema).length === 0) return schema;
  if (typeof type !== 'string') return { anyOf: [schema, NULL] };
  return { ...schema, type: [type, 'null'], ...(values === undefined ? {} : { enum: [...values, null] }) };
};

/** Set by the service in every version that there is. */
const ALWAYS_SET: readonly string[] = ['id', 'documentId', 'createdAt', 'updatedAt', 'locale'];

/**
 * A value as answers show it. Where there are drafts, and in components, which they may have, everything may
 * be unset; elsewhere what is required is set.
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

/** A value as bodies have it; null clears what is not required. */
export function inputOf({ def, required }: ScalarAttribute, components: Components): JsonSchema {
  const schema = ROWS[def.type].input(def, components);
  // In words: generators take what has a default for something that is always there.
  const full =
    def.default === undefined
      ? schema
      : {
          ...schema,
          description: `Default of a new document: ${JSON.stringify(def.default)}.`,
        };
  return required ? full : orNull(full);
}

/** The conditions of an attribute: what they are called, and what they compare with. */
export const comparedOf = ({ def }: ScalarAttribute): ScalarRow['compared'] => ROWS[def.type].compared;
