/** Leaves out what the model check refuses, with a remark for each part. */
import { buildSchema } from '../../content/model/build-schema.js';
import { checkModel } from '../../content/model/check-model.js';
import { ContentModelError, type Mistake } from '../../content/model/content-model-error.js';
import type {
  AttributeDefinition,
  AttributeDefinitions,
  ComponentDefinition,
  ContentTypeDefinition,
} from '../../content/model/definitions.js';
import type { TypeLayout } from '../../content/model/layout.js';
import { isShape, isText, type Test } from '../../kernel/json.js';
import type { Remark } from './remark.js';

export interface Definitions {
  readonly contentTypes: readonly ContentTypeDefinition[];
  readonly components: readonly ComponentDefinition[];
  /** Attributes that the project has added to the user type: for `userTypes()`. */
  readonly userAttributes: AttributeDefinitions;
}

type Named = ContentTypeDefinition | ComponentDefinition;

const nameOf = (definition: Named): string =>
  'uid' in definition ? definition.uid : definition.singularApiId;

/** The parts of the types of users and roles that checks of relations need. */
const standIns = (userAttributes: AttributeDefinitions): readonly ContentTypeDefinition[] => [
  {
    kind: 'collectionType',
    singularApiId: 'user',
    pluralApiId: 'users',
    tableName: 'content_users',
    routes: false,
    attributes: {
      username: { type: 'string' },
      email: { type: 'email' },
      role: { type: 'relation', relation: 'manyToOne', target: 'role', inversedBy: 'users' },
      ...userAttributes,
    },
  },
  {
    kind: 'collectionType',
    singularApiId: 'role',
    pluralApiId: 'roles',
    tableName: 'content_roles',
    routes: false,
    attributes: {
      users: { type: 'relation', relation: 'oneToMany', target: 'user', mappedBy: 'role' },
    },
  },
];

interface Wrong {
  readonly name: string;
  readonly attribute: string | null;
  readonly text: string;
}

const wrongIn = ({ definition, attribute, text }: Mistake, all: readonly Named[]): Wrong | null => {
  const found = all.find((one) => Object.is(one, definition));
  return found === undefined ? null : { name: nameOf(found), attribute, text };
};

/** Finds the definition that a message is about; messages begin with its name and the attribute. */
function wrongNamed(text: string, all: readonly Named[]): Wrong | null {
  for (const one of all) {
    const name = nameOf(one);
    if (text.startsWith(`${name}: `)) return { name, attribute: null, text };
    for (const attribute of Object.keys(one.attributes))
      if (text.startsWith(`${name}.${attribute}: `)) return { name, attribute, text };
  }
  return null;
}

function mistakesOf(
  types: readonly ContentTypeDefinition[],
  components: readonly ComponentDefinition[],
): Wrong[] {
  const all = [...types, ...components];
  const found = checkModel(types, components).flatMap((mistake) => wrongIn(mistake, all) ?? []);
  if (found.length > 0) return found;
  try {
    buildSchema(types, components);
    return [];
  } catch (error) {
    if (!(error instanceof ContentModelError)) throw error;
    return error.mistakes.flatMap((text) => wrongNamed(text, all) ?? []);
  }
}

/** Options that restrict values. Without them an attribute still has its values. */
const RESTRICTIONS: readonly string[] = [
  ...['required', 'unique', 'default', 'min', 'max', 'minLength', 'maxLength', 'regex', 'targetField'],
  ...['generate', 'allowedTypes', 'searchable', 'writable', 'desk'],
];

const isRestricted = (attribute: AttributeDefinition): boolean =>
  Object.keys(attribute).some((option) => RESTRICTIONS.includes(option));

const isAttribute: Test<AttributeDefinition> = (value): value is AttributeDefinition =>
  isShape({ type: isText })(value);

/** Returns an attribute without the options that restrict its values; nothing if there are none. */
function unrestricted(attribute: AttributeDefinition): AttributeDefinition[] {
  if (!isRestricted(attribute)) return [];
  const options = Object.entries(attribute).filter(([option]) => !RESTRICTIONS.includes(option));
  return [Object.fromEntries(options)].filter(isAttribute);
}

/** Removes the restrictions of the wrong attributes that have some, and the other wrong attributes. */
function mended(attributes: AttributeDefinitions, bad: ReadonlySet<string | null>): AttributeDefinitions {
  const kept = Object.entries(attributes).flatMap(([name, attribute]): [string, AttributeDefinition][] => {
    const left = bad.has(name) ? unrestricted(attribute) : [attribute];
    return left.map((one) => [name, one]);
  });
  return Object.fromEntries(kept);
}

/** Returns the layout of a definition without the attributes that are not kept. System attributes stay. */
function laidOut({ desk, attributes }: Named, kept: AttributeDefinitions): { readonly desk?: TypeLayout } {
  if (desk === undefined) return {};
  const { title, list = [], ...others }: TypeLayout = desk;
  const isKnown = (name: string): boolean => Object.hasOwn(kept, name) || !Object.hasOwn(attributes, name);
  const shown = list.filter(isKnown);
  return {
    desk: {
      ...others,
      ...(title !== undefined && isKnown(title) ? { title } : {}),
      ...(shown.length === 0 ? {} : { list: shown }),
    },
  };
}

/** Returns the definitions without the parts that are wrong. */
function without<T extends Named>(definitions: readonly T[], wrong: readonly Wrong[]): T[] {
  return definitions.flatMap((definition) => {
    const own = wrong.filter(({ name }) => name === nameOf(definition));
    if (own.some(({ attribute }) => attribute === null)) return [];
    if (own.length === 0) return [definition];
    const bad = new Set(own.map(({ attribute }) => attribute));
    const attributes = mended(definition.attributes, bad);
    return [{ ...definition, attributes, ...laidOut(definition, attributes) }];
  });
}

/** Returns what becomes of a wrong part, as the beginning of a remark. */
function fateOf({ name, attribute }: Wrong, all: readonly Named[]): string {
  if (attribute === null) return 'The definition is left out';
  const own = all.find((one) => nameOf(one) === name)?.attributes[attribute];
  return own !== undefined && isRestricted(own)
    ? 'The options of the attribute are left out'
    : 'The attribute is left out';
}

const WHOLE = /^[^:]*: /;

/** Maximum number of checks; each one leaves out at least one attribute. */
const MAX_ROUNDS = 1000;

/** Leaves out every part that would stop the start of an application. */
export function soundDefinitions(given: Definitions): {
  readonly definitions: Definitions;
  readonly remarks: readonly Remark[];
} {
  let { contentTypes, components, userAttributes } = given;
  const remarks: Remark[] = [];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const wrong = mistakesOf([...contentTypes, ...standIns(userAttributes)], components);
    if (wrong.length === 0) break;
    const all = [...contentTypes, ...standIns(userAttributes), ...components];
    for (const one of wrong)
      remarks.push({
        list: 'none',
        subject: one.name,
        ...(one.attribute === null ? {} : { key: one.attribute }),
        text: `${fateOf(one, all)}: ${one.text.replace(WHOLE, '')}`,
      });
    contentTypes = without(contentTypes, wrong);
    components = without(components, wrong);
    const bad = new Set(wrong.filter(({ name }) => name === 'user').map(({ attribute }) => attribute));
    userAttributes = mended(userAttributes, bad);
  }
  return { definitions: { contentTypes, components, userAttributes }, remarks };
}
