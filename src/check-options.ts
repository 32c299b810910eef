/**
 * What `forRoot` was given, before anything looks into it: lists that are lists, and controllers of the right
 * kind.
 */
import type { ContentModel } from './content.options.js';
import { CollectionController, SingleController } from './http/content.controller.js';
import { ContentModelError } from './schema/content-model-error.js';
import type { ContentTypeDefinition } from './schema/definitions.js';
import { among } from './schema/suggest.js';

const BASES = { collectionType: CollectionController, singleType: SingleController } as const;

function checkController(
  name: string,
  given: unknown,
  type: ContentTypeDefinition | undefined,
  names: readonly string[],
): string[] {
  if (type === undefined) return [`controllers: "${name}" is not a content type${among(name, names)}`];
  const base = (BASES as Readonly<Record<string, (typeof BASES)[keyof typeof BASES] | undefined>>)[type.kind];
  if (base !== undefined && !(typeof given === 'function' && given.prototype instanceof base))
    return [`controllers.${name} must be a class that extends ${base.name}`];
  return type.routes === false ? [`controllers.${name}: the type has no routes, it says routes: false`] : [];
}

/**
 * Mistakes of a model's frame. Throws a ContentModelError where it is not even one, because nothing else
 * could be said of it. Definitions may be anything here; the model check speaks of them.
 */
export function checkOptionShapes({
  contentTypes,
  components = [],
  controllers = {},
  schema,
}: ContentModel): string[] {
  const lists = Object.entries({ contentTypes, components })
    .filter(([, value]) => !Array.isArray(value))
    .map(([name]) => `${name} must be a list of definitions`);
  const isObject = typeof controllers === 'object' && (controllers as object | null) !== null;
  const rest = [
    ...(isObject ? [] : ['controllers must be an object of classes']),
    ...(schema === undefined || typeof schema === 'string' ? [] : ['schema must be a text']),
  ];
  if (lists.length + rest.length > 0) throw new ContentModelError([...lists, ...rest]);
  const types = new Map(
    contentTypes.flatMap((type: ContentTypeDefinition | null | undefined) =>
      typeof type?.singularApiId === 'string' ? [[type.singularApiId, type] as const] : [],
    ),
  );
  return Object.entries(controllers).flatMap(([name, given]) =>
    checkController(name, given, types.get(name), [...types.keys()]),
  );
}
