/**
 * Checks of the options of `ContentModule` before they are used.
 */
import { isObject } from '../kernel/json.js';
import type { ContentModel } from './content.options.js';
import { CONTENT_OPTIONS } from './content-option-table.js';
import { CollectionController, SingleController } from '../content/http/content.controller.js';
import { ContentModelError } from '../content/model/content-model-error.js';
import type { ContentTypeDefinition } from '../content/model/definitions.js';
import { optionMistakes } from '../content/model/option-table.js';
import { noSuchType } from '../content/model/suggest.js';

/** Checks the result of a factory. Throws a ContentModelError unless it consists of run-time options. */
export function checkFactory<T>(options: T): T {
  const mistakes = isObject(options)
    ? optionMistakes(options, CONTENT_OPTIONS.useFactory)
    : ['the factory must return an object of options'];
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  return options;
}

const BASES = { collectionType: CollectionController, singleType: SingleController } as const;

function checkController(
  name: string,
  given: unknown,
  types: ReadonlyMap<string, ContentTypeDefinition>,
): string[] {
  const type = types.get(name);
  if (type === undefined) return [`controllers: ${noSuchType(name, [...types.keys()])}`];
  const base = (BASES as Readonly<Record<string, (typeof BASES)[keyof typeof BASES] | undefined>>)[type.kind];
  if (base !== undefined && !(typeof given === 'function' && given.prototype instanceof base))
    return [`controllers.${name} must be a class that extends ${base.name}`];
  return type.routes === false ? [`controllers.${name}: the type sets routes: false, and has no routes`] : [];
}

/** Returns mistakes in the controllers of a model. Definitions are checked later. */
export function checkControllers({ contentTypes, controllers = {} }: ContentModel): string[] {
  const types = new Map(
    contentTypes.flatMap((type: ContentTypeDefinition | null | undefined) =>
      typeof type?.singularApiId === 'string' ? [[type.singularApiId, type] as const] : [],
    ),
  );
  return Object.entries(controllers).flatMap(([name, given]) => checkController(name, given, types));
}

/**
 * Returns mistakes in the options of `forRoot` or `forRootAsync`. Throws a ContentModelError if the model
 * itself is not of the right kind.
 */
export function checkGiven(way: 'forRoot' | 'forRootAsync', given: unknown): string[] {
  const { useFactory, model, [way]: known } = CONTENT_OPTIONS;
  const options = isObject(given) ? Object.entries(given) : [];
  const misplaced = options.flatMap(([name, value]) =>
    value !== undefined && !Object.hasOwn(known, name) && Object.hasOwn(useFactory, name) ? [name] : [],
  );
  const rest = Object.fromEntries(options.filter(([name]) => !misplaced.includes(name)));
  const mistakes = [
    ...misplaced.map((name) => `${name}: return it from useFactory`),
    ...optionMistakes(isObject(given) ? rest : given, known),
  ];
  const ofModel = Object.fromEntries(options.filter(([name]) => Object.hasOwn(model, name)));
  if (!isObject(given) || optionMistakes(ofModel, model).length > 0)
    throw new ContentModelError(mistakes, 'options');
  return mistakes;
}
