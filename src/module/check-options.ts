/**
 * Checks of the options of `forRoot` before they are used: known names, lists, and classes of controllers.
 */
import { isListOf, isObject, isText } from '../kernel/json.js';
import type {
  AccessOptions,
  AuthOptions,
  ContentModel,
  ContentModuleAsyncOptions,
  ContentRuntimeOptions,
} from './content.options.js';
import { CollectionController, SingleController } from '../content/http/content.controller.js';
import { ContentModelError } from '../content/model/content-model-error.js';
import type { ContentTypeDefinition } from '../content/model/definitions.js';
import { among, noSuchType } from '../content/model/suggest.js';
import { DEFAULT_SETTINGS } from '../kernel/settings.js';

/** Lists the keys of `T`; the compiler reports missing and unknown ones. */
const keysOf = <T>(keys: Readonly<Record<keyof T, true>>): readonly string[] => Object.keys(keys);

const MODEL = keysOf<ContentModel>({
  imports: true,
  contentTypes: true,
  components: true,
  removed: true,
  controllers: true,
  decorators: true,
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
  inject: true,
  ownDatabase: true,
  prefix: true,
  useFactory: true,
  useClass: true,
  useExisting: true,
  provideInjectionTokensFrom: true,
});

/** Options of each way to configure the module. */
export const OPTIONS = Object.freeze({
  forRoot: [...MODEL, ...RUNTIME],
  forRootAsync: [...MODEL, ...ASYNC],
  useFactory: RUNTIME,
});

const NESTED_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  limits: Object.keys(DEFAULT_SETTINGS.limits),
  load: Object.keys(DEFAULT_SETTINGS.load),
  schedule: Object.keys(DEFAULT_SETTINGS.schedule),
  openapi: Object.keys(DEFAULT_SETTINGS.openapi),
  cache: Object.keys(DEFAULT_SETTINGS.cache),
  monitoring: Object.keys(DEFAULT_SETTINGS.monitoring),
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

function checkKeys(options: object, known: readonly string[]): string[] {
  const nested = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const inside = known.includes(name) ? NESTED_OPTIONS[name] : undefined;
    return inside !== undefined && isObject(value) ? unknownKeys(value, inside, `${name}: `) : [];
  });
  return [...unknownKeys(options, known, ''), ...nested];
}

/** Checks the result of a factory. Throws a ContentModelError unless it consists of run-time options. */
export function checkFactory<T>(options: T): T {
  const mistakes = isObject(options)
    ? checkKeys(options, OPTIONS.useFactory)
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
  return type.routes === false ? [`controllers.${name}: the type has no routes, it says routes: false`] : [];
}

/** Returns a message for each part that is no list of definitions. */
export const checkLists = ({
  contentTypes,
  components = [],
}: Pick<ContentModel, 'contentTypes' | 'components'>): string[] =>
  Object.entries({ contentTypes, components })
    .filter(([, value]) => !Array.isArray(value))
    .map(([name]) => `${name} must be a list of definitions`);

/**
 * Returns mistakes in the options around the model. Throws a ContentModelError if the lists themselves are
 * invalid. Definitions are checked later.
 */
export function checkOptionShapes(model: ContentModel, known: readonly string[]): string[] {
  const { contentTypes, controllers = {}, decorators = [], imports = [], removed = [], schema } = model;
  const unknown = checkKeys(model, known);
  const areDecorators = Array.isArray(decorators) && decorators.every((one) => typeof one === 'function');
  const rest = [
    ...checkLists(model),
    ...(Array.isArray(imports) ? [] : ['imports must be a list of modules']),
    ...(isListOf(isText)(removed) ? [] : ['removed must be a list of names']),
    ...(areDecorators ? [] : ['decorators must be a list of class decorators']),
    ...(isObject(controllers) ? [] : ['controllers must be an object of classes']),
    ...(schema === undefined || typeof schema === 'string' ? [] : ['schema must be a text']),
  ];
  if (rest.length > 0) throw new ContentModelError([...unknown, ...rest], 'options');
  const types = new Map(
    contentTypes.flatMap((type: ContentTypeDefinition | null | undefined) =>
      typeof type?.singularApiId === 'string' ? [[type.singularApiId, type] as const] : [],
    ),
  );
  const wrong = Object.entries(controllers).flatMap(([name, given]) => checkController(name, given, types));
  return [...unknown, ...wrong];
}
