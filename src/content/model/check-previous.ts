/** Checks of `previousName`: a former name must not be in use, and only one definition may claim it. */
import { isObject } from '../../kernel/json.js';
import type { Mistake } from './content-model-error.js';

type Definitions = ReadonlyMap<string, unknown>;

const membersOf = (definition: unknown, key: string): unknown =>
  isObject(definition) ? definition[key] : undefined;

/** Returns the definitions whose former name is in use, by name, with the reason. */
export function clashes(list: Definitions): [string, string][] {
  const taken = new Map<unknown, string>();
  return [...list].flatMap(([name, definition]): [string, string][] => {
    const previous = membersOf(definition, 'previousName');
    if (typeof previous !== 'string') return [];
    const other = taken.get(previous);
    taken.set(previous, name);
    if (list.has(previous))
      return [[name, `"${previous}" is the name of a current definition; a former name must not be in use`]];
    return other === undefined ? [] : [[name, `"${previous}" is already the previousName of "${other}"`]];
  });
}

const attributesOf = (definition: unknown): Definitions => {
  const attributes = membersOf(definition, 'attributes');
  return new Map(isObject(attributes) ? Object.entries(attributes) : []);
};

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
