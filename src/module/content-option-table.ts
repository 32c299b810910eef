/** Tables of the options of `ContentModule`. Names and grants inside them are checked with the model. */
import {
  FLAG,
  FUNCTION,
  group,
  objectWith,
  option,
  type Options,
  type OptionsOf,
  orFlag,
  required,
  TEXT,
  whole,
} from '../content/model/option-table.js';
import { isListOf, isObject, isText, keysOf } from '../kernel/json.js';
import {
  type CacheSettings,
  type ContentLimits,
  DEFAULT_SETTINGS,
  type LoadLimits,
  type MonitoringSettings,
  type OpenApiSettings,
  type ScheduleSettings,
} from '../kernel/settings.js';
import type {
  AccessOptions,
  AuthOptions,
  ContentModel,
  ContentModuleAsyncOptions,
  ContentRuntimeOptions,
} from './content.options.js';

/** Node.js timers have a maximum of 2^31 - 1 milliseconds. */
const SECONDS = option(
  'a number of seconds, 0 or more',
  (value) => value === null || (typeof value === 'number' && value >= 0 && value * 1000 < 2 ** 31),
);
const SHARE = option(
  'a number between 0 and 1',
  (value) => typeof value === 'number' && value >= 0 && value <= 1,
);
const isCode = (value: unknown): value is string => isText(value) && /^[A-Za-z0-9_-]+$/.test(value);
/** Nest explains an undefined module: imports of files can form a cycle. */
const isModule = (value: unknown): value is unknown =>
  value === undefined || typeof value === 'function' || isObject(value);
const isFunction = (value: unknown): value is () => unknown => typeof value === 'function';
const STRATEGY = objectWith('authenticate');
const isStrategy = (value: unknown): value is unknown => STRATEGY.admits(value);
/** Definitions and grants are checked with the model. */
const CHECKED_LATER = (): boolean => true;
const DEFINITIONS = option('a list of definitions', Array.isArray);

const RUNTIME: OptionsOf<ContentRuntimeOptions> = {
  database: option('an object of options for MikroORM', isObject),
  access: group<AccessOptions>({
    public: option('grants by type', CHECKED_LATER),
    roles: option('an object with the grants of each role', isObject),
    source: objectWith('load'),
    maxAge: option('a number of milliseconds, 0 or more', (value) => typeof value === 'number' && value >= 0),
  }),
  auth: group<AuthOptions>({
    strategies: option('a list of objects with a method "authenticate"', isListOf(isStrategy)),
  }),
  prefix: option('a path', isText),
  defaultLocale: option('a locale code', isCode),
  locales: option('a list of locale codes', isListOf(isCode)),
  strictParams: FLAG,
  strictRelations: FLAG,
  defaultLimit: whole(1),
  maxLimit: option(
    'a whole number, 1 or more, or Infinity',
    (value) => value === Infinity || whole(1).admits(value),
  ),
  withCount: FLAG,
  limits: group<ContentLimits>(
    {
      ...(Object.fromEntries(
        keysOf(DEFAULT_SETTINGS.limits).map((name) => [name, whole(0)]),
      ) as OptionsOf<ContentLimits>),
      bodyBytes: whole(1),
    },
    'an object of limits',
  ),
  load: group<LoadLimits>(
    { queueTimeout: whole(0), queueLength: whole(0), slowShare: SHARE, unsentBytes: whole(0) },
    'an object of limits',
  ),
  schedule: group<ScheduleSettings>({ everySeconds: SECONDS }),
  openapi: group<OpenApiSettings>({
    document: FLAG,
    page: FLAG,
    title: TEXT,
    version: TEXT,
    info: option('an object with members of info', isObject),
  }),
  monitoring: group<MonitoringSettings>({ durations: FLAG, slowRequest: whole(0), telemetry: FLAG }),
  cache: orFlag([false], group<CacheSettings>({ bytes: whole(0) })),
  preparedStatements: FLAG,
  maxCachedPlans: whole(0),
  maxPreparedStatements: whole(0),
  maxPreparedSize: whole(0),
  maxReplicaLag: whole(1000),
  serverTiming: FLAG,
  health: FLAG,
  startCheck: option(
    '"refuse", "warn" or null',
    (value) => value === null || value === 'refuse' || value === 'warn',
  ),
};

const MODEL: OptionsOf<ContentModel> = {
  imports: option('a list of modules', isListOf(isModule)),
  contentTypes: required(DEFINITIONS),
  components: DEFINITIONS,
  removed: option('a list of names', isListOf(isText)),
  controllers: option('an object of classes', isObject),
  decorators: option('a list of class decorators', isListOf(isFunction)),
  schema: option('a string', isText),
  contextName: TEXT,
  registerEntities: FLAG,
};

const ASYNC: OptionsOf<Omit<ContentModuleAsyncOptions, keyof ContentModel>> = {
  inject: option('a list of providers', Array.isArray),
  ownDatabase: FLAG,
  prefix: RUNTIME.prefix,
  useFactory: FUNCTION,
  useClass: option('a class', isFunction),
  useExisting: option('a provider', CHECKED_LATER),
  provideInjectionTokensFrom: option('a list of providers', Array.isArray),
};

/** Options of each way to configure the module. */
export const CONTENT_OPTIONS = Object.freeze({
  model: MODEL,
  forRoot: { ...MODEL, ...RUNTIME },
  forRootAsync: { ...MODEL, ...ASYNC },
  useFactory: RUNTIME,
} satisfies Readonly<Record<string, Options>>);
