/**
 * What `forRoot` was given, before anything looks into it: options that exist, lists that are lists, and
 * controllers of the right kind.
 */
import { isObject } from '../json.js';
import type {
  AccessOptions,
  AuthOptions,
  ContentModel,
  ContentModuleAsyncOptions,
  ContentRuntimeOptions,
} from './content.options.js';
import { CollectionController, SingleController } from '../http/content.controller.js';
import { ContentModelError } from '../schema/content-model-error.js';
import type { ContentTypeDefinition } from '../schema/definitions.js';
import { among } from '../schema/suggest.js';
import { DEFAULT_SETTINGS } from '../settings.js';

/** The keys of `T`: none can be forgotten, and none be added that the type does not have. */
const keysOf = <T>(keys: Readonly<Record<keyof T, true>>): readonly string[] => Object.keys(keys);

const MODEL = keysOf<ContentModel>({
  contentTypes: true,
  components: true,
  removed: true,
  controllers: true,
  schema: true,
  contextName: true,
  registerEntities: true,
});
const RUNTIME = [
  ...Object.keys(DEFAULT_SETTINGS),
  ...keysOf<Pick<ContentRuntimeOptions, 'database' | 'access' | 'auth'>>({
    database: true,
    access: true,
    auth: true,
  }),
];
const ASYNC = keysOf<Omit<ContentModuleAsyncOptions, keyof ContentModel>>({
  imports: true,
  inject: true,
  ownDatabase: true,
  prefix: true,
  useFactory: true,
  useClass: true,
  useExisting: true,
  provideInjectionTokensFrom: true,
});

/** Where run-time options may come from. */
const WAYS = ['useFactory', 'useClass', 'useExisting'] as const;

/** The options of each place where they are given. */
export const OPTIONS = Object.freeze({
  forRoot: [...MODEL, ...RUNTIME],
  forRootAsync: [...MODEL, ...ASYNC],
  useFactory: RUNTIME,
});

const NESTED: Readonly<Record<string, readonly string[]>> = {
  limits: Object.keys(DEFAULT_SETTINGS.limits),
  load: Object.keys(DEFAULT_SETTINGS.load),
  schedule: Object.keys(DEFAULT_SETTINGS.schedule),
  openapi: Object.keys(DEFAULT_SETTINGS.openapi),
  cache: Object.keys(DEFAULT_SETTINGS.cache),
  access: keysOf<AccessOptions>({ public: true, roles: true, source: true, maxAge: true }),
  auth: keysOf<AuthOptions>({ strategies: true }),
};

const unknownKeys = (given: object, known: readonly string[], at: string): string[] =>
  Object.entries(given)
    .filter(([key, value]) => value !== undefined && !known.includes(key))
    .map(([key]) =>
      at === '' && RUNTIME.includes(key)
        ? `${key}: give it in what useFactory returns`
        : `${at}unknown option "${key}"${among(key, known)}`,
    );

/** Options that do not exist, each with the one that may be meant. */
function checkKeys(options: object, known: readonly string[]): string[] {
  const nested = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const inside = known.includes(name) ? NESTED[name] : undefined;
    return inside !== undefined && isObject(value) ? unknownKeys(value, inside, `${name}: `) : [];
  });
  return [...unknownKeys(options, known, ''), ...nested];
}

/** What a factory gave. Throws a ContentModelError for anything that is not made of runtime options. */
export function checkFactory<T>(options: T): T {
  const mistakes = isObject(options)
    ? checkKeys(options, OPTIONS.useFactory)
    : ['the factory must return an object of options'];
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  return options;
}

/** Throws a ContentModelError where options of `forRootAsync` do not come from exactly one place. */
export function checkWay(
  module: string,
  given: Readonly<Partial<Record<(typeof WAYS)[number], unknown>>>,
): void {
  const ways = WAYS.filter((way) => given[way] !== undefined);
  if (ways.length === 1) return;
  const found = ways.length === 0 ? 'there is none of them' : `there are ${ways.join(' and ')}`;
  throw new ContentModelError(
    [`${module}.forRootAsync takes one of useFactory, useClass and useExisting; ${found}`],
    'options',
  );
}

const BASES = { collectionType: CollectionController, singleType: SingleController } as const;

function checkController(
  name: string,
  given: unknown,
  types: ReadonlyMap<string, ContentTypeDefinition>,
): string[] {
  const type = types.get(name);
  if (type === undefined)
    return [`controllers: "${name}" is not a content type${among(name, [...types.keys()])}`];
  const base = (BASES as Readonly<Record<string, (typeof BASES)[keyof typeof BASES] | undefined>>)[type.kind];
  if (base !== undefined && !(typeof given === 'function' && given.prototype instanceof base))
    return [`controllers.${name} must be a class that extends ${base.name}`];
  return type.routes === false ? [`controllers.${name}: the type has no routes, it says routes: false`] : [];
}

/**
 * Mistakes of a model's frame. Throws a ContentModelError where it is not even one, because nothing else
 * could be said of it. Definitions may be anything here; the model check speaks of them.
 */
export function checkOptionShapes(model: ContentModel, known: readonly string[]): string[] {
  const { contentTypes, components = [], controllers = {}, schema } = model;
  const unknown = checkKeys(model, known);
  const lists = Object.entries({ contentTypes, components })
    .filter(([, value]) => !Array.isArray(value))
    .map(([name]) => `${name} must be a list of definitions`);
  const rest = [
    ...(isObject(controllers) ? [] : ['controllers must be an object of classes']),
    ...(schema === undefined || typeof schema === 'string' ? [] : ['schema must be a text']),
  ];
  if (lists.length + rest.length > 0) throw new ContentModelError([...unknown, ...lists, ...rest], 'options');
  const types = new Map(
    contentTypes.flatMap((type: ContentTypeDefinition | null | undefined) =>
      typeof type?.singularApiId === 'string' ? [[type.singularApiId, type] as const] : [],
    ),
  );
  const wrong = Object.entries(controllers).flatMap(([name, given]) => checkController(name, given, types));
  return [...unknown, ...wrong];
}
