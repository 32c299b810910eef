/** Former names: none may be a present one, and no two may be one. */
import { isObject } from '../json.js';
import type { Mistake } from './content-model-error.js';

/** Definitions of one kind, by their names. */
type Definitions = ReadonlyMap<string, unknown>;

const membersOf = (definition: unknown, key: string): unknown =>
  isObject(definition) ? definition[key] : undefined;

/** Every mistake of the former names in one list, as texts by the names of those that have them. */
function clashes(list: Definitions): [string, string][] {
  const taken = new Map<unknown, string>();
  return [...list].flatMap(([name, definition]): [string, string][] => {
    const previous = membersOf(definition, 'previousName');
    if (typeof previous !== 'string') return [];
    const other = taken.get(previous);
    taken.set(previous, name);
    if (list.has(previous))
      return [[name, `"${previous}" is a present name, which nothing else can have had`]];
    return other === undefined ? [] : [[name, `"${previous}" is the former name of "${other}" already`]];
  });
}

const attributesOf = (definition: unknown): Definitions => {
  const attributes = membersOf(definition, 'attributes');
  return new Map(isObject(attributes) ? Object.entries(attributes) : []);
};

/** Every mistake of the former names of types or components, and of their attributes. */
export function previousMistakes(definitions: Definitions): Mistake[] {
  const ofDefinitions = clashes(definitions).map(([name, text]) => ({
    definition: definitions.get(name),
    attribute: null,
    text: `${name}: previousName: ${text}`,
  }));
  const ofAttributes = [...definitions].flatMap(([name, definition]) =>
    clashes(attributesOf(definition)).map(([attribute, text]) => ({
      definition,
      attribute,
      text: `${name}.${attribute}: previousName: ${text}`,
    })),
  );
  return [...ofDefinitions, ...ofAttributes];
}
