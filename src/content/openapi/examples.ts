/** Examples of bodies and parameters, from the attributes of a model. */
import { byKind } from '../model/by-kind.js';
import type { ScalarDefinition, ScalarTypeName } from '../model/definitions.js';
import type { Attribute, ContentType, EmbeddedAttribute, Model, ScalarAttribute } from '../model/model.js';
import { COMPONENT } from '../model/naming.js';
import type { Describing } from './describing.js';
import type { JsonSchema } from './document.js';
import { sentAttributes } from './inputs.js';
import { populatable } from './queries.js';
import { below, type View } from './view.js';

/** Attributes of an example that are not required. */
const OPTIONAL = 4;
/** Levels of components in an example. */
const DEPTH = 3;

const WORDS = 'A short text';

/** Text within the bounds of an attribute. */
const textOf = ({ minLength = 0, maxLength = WORDS.length, regex }: ScalarDefinition): string | undefined =>
  regex === undefined ? WORDS.slice(0, maxLength).padEnd(minLength, '.') : undefined;

const numberOf = ({ min, max }: ScalarDefinition): number =>
  min !== undefined ? Number(min) : Math.min(1, Number(max ?? 1));

const always = (value: unknown) => (): unknown => value;

const VALUES: Readonly<Record<ScalarTypeName, (def: ScalarDefinition) => unknown>> = {
  string: textOf,
  text: textOf,
  richtext: textOf,
  email: always('ann@example.org'),
  password: always(undefined),
  uid: always('a-short-text'),
  enumeration: ({ enum: values = [] }) => values[0],
  integer: numberOf,
  biginteger: (def) => String(numberOf(def)),
  float: numberOf,
  decimal: numberOf,
  boolean: always(true),
  date: always('2026-01-31'),
  time: always('12:30:00.000'),
  datetime: always('2026-01-31T12:30:00.000Z'),
  timestamp: always('1769862600000'),
  json: always({ key: 'value' }),
  array: always(['value']),
  blocks: always([{ type: 'paragraph', children: [{ type: 'text', text: WORDS }] }]),
};

/** Returns an example of attributes in a body: required ones, and the first of the others. */
function bodyExample(attributes: readonly Attribute[], depth = DEPTH): JsonSchema {
  const values = attributes.flatMap((attribute) => {
    const value = valueOf(attribute, depth);
    return value === undefined ? [] : [{ attribute, value }];
  });
  const others = values.filter(({ attribute }) => !attribute.required).slice(0, OPTIONAL);
  return Object.fromEntries(
    values
      .filter((one) => one.attribute.required || others.includes(one))
      .map(({ attribute, value }) => [attribute.name, value]),
  );
}

/** Returns an example of the body of a write. */
export const dataExample = (
  type: ContentType,
  action: 'create' | 'update',
  describing: Describing,
): JsonSchema => ({ data: bodyExample(sentAttributes(type, action, describing)) });

function embeddedExample(
  { components: [first], named, many, required }: EmbeddedAttribute,
  depth: number,
): unknown {
  if (!required || first === undefined || depth === 0) return undefined;
  const attributes = [...first.attributes.values()].filter(({ writable }) => writable);
  const one = { ...(named ? { [COMPONENT]: first.uid } : {}), ...bodyExample(attributes, depth - 1) };
  return many ? [one] : one;
}

const nothing = (): undefined => undefined;

/** Links name documents that do not exist yet, so examples have none. */
const valueOf = byKind<Attribute, [number], unknown>({
  scalar: ({ def }) => VALUES[def.type](def),
  relation: nothing,
  morph: nothing,
  component: embeddedExample,
  zone: embeddedExample,
});

const isText = (attribute: Attribute): attribute is ScalarAttribute =>
  'searchable' in attribute && attribute.type.textual && !attribute.system;

/** Name of the first text of a model, which usually names its documents. */
const titleOf = (view: View): string | undefined => view.attributes.find(isText)?.name;

const targetOf = (attribute: Attribute): Model | undefined => {
  if (!attribute.linked) return undefined;
  return attribute.targets.length === 1 ? attribute.targets[0] : undefined;
};

/** Returns an example of `populate`: one attribute, with the fields of its target. */
export function populateExample(view: View): JsonSchema {
  const [first] = populatable(view);
  if (first === undefined) return {};
  const target = targetOf(first);
  const title = target === undefined ? undefined : titleOf(below(view, first, target));
  return { [first.name]: title === undefined ? true : { fields: [title] } };
}

/** Returns an example of `filters`: a part of the first text. */
export function filtersExample(view: View): JsonSchema {
  const title = titleOf(view);
  return title === undefined ? {} : { [title]: { $containsi: 'a' } };
}
