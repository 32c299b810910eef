/**
 * Every run-time setting with its default. `ContentModule.forRoot({ ... })` takes any of them; what is left
 * out has the value that stands here.
 */
export interface ContentSettings {
  /** Path before every content route, without slashes. Not doubled when it equals the global prefix. */
  readonly prefix: string;
  /** Locale of documents and requests that name none. */
  readonly defaultLocale: string;
  /** Locale codes that a write may use (protocol D19). Always contains `defaultLocale`. */
  readonly locales: readonly string[];
  /**
   * Unknown top-level parameters, and locales that are no codes: ignored, or with `true` a 400 (protocol D12,
   * 5.42, 9.17).
   */
  readonly strictParams: boolean;
  /**
   * Required relations and media may not be empty in what is published (protocol 11.36). Without it
   * `required` has no effect on them. Default false.
   */
  readonly strictRelations: boolean;
  /** Page size where the request names none (protocol 7.13). */
  readonly defaultLimit: number;
  /** Largest page size; larger ones are cut to it (protocol 7.20). */
  readonly maxLimit: number;
  /** Whether lists carry a total where the request does not say (protocol 7.18). */
  readonly withCount: boolean;
  /** Budgets of one request; going over one is a 400 that names it. */
  readonly limits: ContentLimits;
  /** What all requests together may use; what cannot be served within it is a 503 with `Retry-After`. */
  readonly load: LoadLimits;
  /** Run reads as named prepared statements. Turn off behind a pooler in transaction mode. */
  readonly preparedStatements: boolean;
  /** How many query strings keep their plan, for all rights together; unused ones go first. 0 keeps none. */
  readonly maxCachedPlans: number;
  /** How many statement shapes connections keep prepared at a time; those not used lately make room. */
  readonly maxPreparedStatements: number;
  /** The same in characters of SQL: a connection pays some 100 bytes of PostgreSQL's memory for each. */
  readonly maxPreparedSize: number;
  /** Milliseconds that a replica may lag behind the primary. Beyond that, reads go to the primary. */
  readonly maxReplicaLag: number;
  /** How documents with a time are published and unpublished. */
  readonly schedule: ScheduleSettings;
  /** The description of the API, which each caller gets of what they may do. */
  readonly openapi: OpenApiSettings;
  /**
   * What the application does at its start where the database is not as the model has it, so that content
   * would be lost, or shown to the wrong people: `'refuse'` to start, or `'warn'` in the log. Null, the
   * default: refuse where `NODE_ENV` is `production`, and otherwise warn.
   */
  readonly startCheck: 'refuse' | 'warn' | null;
  /** What answers are kept, and what is said of them. */
  readonly cache: CacheSettings;
  /** Say in `Server-Timing` how long each answer took, hence whether it was kept. Default false. */
  readonly serverTiming: boolean;
  /** Serves `/_health` at the root of the server: 204 to any method, 503 during shutdown (protocol 1.26). */
  readonly health: boolean;
}

/** Budgets of one request. */
export interface ContentLimits {
  /** Length of the raw query string, in characters; what is sent is ASCII. */
  readonly queryLength: number;
  /** Number of query parameters. */
  readonly parameters: number;
  /** Levels of brackets in one parameter name. */
  readonly depth: number;
  /** Entries of one list in the query (`$in`, `$or`, `fields`, `sort`). */
  readonly arrayLength: number;
  /** Entries of one `populate` list (protocol 4.32). */
  readonly populateEntries: number;
  /** Relations, components and zones populated by one request, at all levels together. */
  readonly populateNodes: number;
  /** Levels of populate. The contract sets none, so this one is generous. */
  readonly populateDepth: number;
  /** Conditions of one request, at all levels together. */
  readonly conditions: number;
  /** Relations and components that one path of a filter or sort leads through. */
  readonly hopDepth: number;
  /** The same for all filters and sorts of one request together. */
  readonly hops: number;
  /** Sort keys of one list. */
  readonly sortKeys: number;
  /** Size of one answer, in bytes. */
  readonly responseBytes: number;
  /**
   * Time that a read, or a whole write, may take in milliseconds, waiting for a connection and the host's
   * hooks inside the transaction included; beyond it the answer is a 503. 0 for none.
   */
  readonly statementTimeout: number;
  /** Values and nodes in one request body. */
  readonly bodyNodes: number;
  /** Passwords in one request body; each takes some 20 ms of a processor to hash. */
  readonly passwords: number;
}

/** How documents with a time are published and unpublished. */
export interface ScheduleSettings {
  /**
   * Seconds between looks for what is due. 0: this process looks for none. Null, the default: 10 where a type
   * has the action `schedule`, and otherwise none.
   */
  readonly everySeconds: number | null;
}

/** The description of the API. */
export interface OpenApiSettings {
  /** Serve it at `<prefix>/openapi.json`. Default true. */
  readonly document: boolean;
  /** Serve a page to try it at `<prefix>/openapi`; needs the package `swagger-ui-dist`. Default false. */
  readonly page: boolean;
  /** What the API is called there. */
  readonly title: string;
  /** The API's own version, which says nothing of this library's. */
  readonly version: string;
}

/** What answers are kept as long as nothing of theirs has changed. */
export interface CacheSettings {
  /** Bytes of all kept answers together; 64 MB by default. 0 keeps none, and so does `cache: false`. */
  readonly bytes: number;
}

/** What all requests of a process together may use. */
export interface LoadLimits {
  /** Time that a request may wait for a connection, in milliseconds. 0 for no limit of its own. */
  readonly queueTimeout: number;
  /** Reads, slow reads and writes that may wait for a connection, each. */
  readonly queueLength: number;
  /**
   * Part of the pool's connections that reads may hold which take long, 0 to 1, at least one; writes leave as
   * many to others.
   */
  readonly slowShare: number;
  /** Bytes of all large answers together that clients have asked for and not taken yet. */
  readonly unsentBytes: number;
}

/**
 * Injection token of the {@link ContentSettings} in force: the host's over the defaults, frozen.
 *
 * @publicApi
 */
export const CONTENT_SETTINGS = Symbol('ContentSettings');

/** The defaults. */
export const DEFAULT_SETTINGS: ContentSettings = Object.freeze({
  prefix: 'api',
  defaultLocale: 'en',
  locales: ['en'],
  strictParams: false,
  strictRelations: false,
  defaultLimit: 25,
  maxLimit: 100,
  withCount: true,
  preparedStatements: true,
  maxCachedPlans: 500,
  maxPreparedStatements: 500,
  maxPreparedSize: 100_000,
  maxReplicaLag: 10_000,
  serverTiming: false,
  health: false,
  startCheck: null,
  schedule: Object.freeze({ everySeconds: null }),
  openapi: Object.freeze({ document: true, page: false, title: 'Content API', version: '1' }),
  cache: Object.freeze({ bytes: 64 * 1024 * 1024 }),
  limits: Object.freeze({
    queryLength: 64 * 1024,
    parameters: 2000,
    depth: 20,
    arrayLength: 1000,
    populateEntries: 100,
    populateNodes: 200,
    populateDepth: 20,
    conditions: 1000,
    hopDepth: 8,
    hops: 100,
    sortKeys: 20,
    responseBytes: 10 * 1024 * 1024,
    statementTimeout: 10_000,
    bodyNodes: 50_000,
    passwords: 10,
  }),
  load: Object.freeze({
    queueTimeout: 5_000,
    queueLength: 1000,
    slowShare: 0.4,
    unsentBytes: 64 * 1024 * 1024,
  }),
});

/** What a host may set. */
export type SettingsInput = Partial<
  Omit<ContentSettings, 'limits' | 'load' | 'schedule' | 'openapi' | 'cache'>
> & {
  readonly limits?: Partial<ContentLimits>;
  readonly load?: Partial<LoadLimits>;
  readonly schedule?: Partial<ScheduleSettings>;
  readonly openapi?: Partial<OpenApiSettings>;
  /** `false` keeps no answers. */
  readonly cache?: false | Partial<CacheSettings>;
};

/** A path without the slashes around it. */
export const trimSlashes = (path: string): string => path.replace(/^\/+|\/+$/g, '');

/** What a setting may be: in words, and as a test. */
type Rule = readonly [string, (value: unknown) => boolean];

const whole = (least: number): Rule => [
  `a whole number, ${least} or more`,
  (value) => Number.isSafeInteger(value) && (value as number) >= least,
];
const FLAG: Rule = ['true or false', (value) => typeof value === 'boolean'];
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
const OBJECT: Rule = ['an object of limits', isObject];
/** The longest that a timer waits. */
const SECONDS: Rule = [
  'a number of seconds, 0 or more',
  (value) => typeof value === 'number' && value >= 0 && value * 1000 < 2 ** 31,
];
const SHARE: Rule = ['a number between 0 and 1', (value) => Number(value) >= 0 && Number(value) <= 1];
const TEXT: Rule = ['a text', (value) => typeof value === 'string' && value !== ''];
const OPENAPI: Readonly<Record<keyof OpenApiSettings, Rule>> = {
  document: FLAG,
  page: FLAG,
  title: TEXT,
  version: TEXT,
};
const isCode = (value: unknown): boolean => typeof value === 'string' && /^[A-Za-z0-9_-]+$/.test(value);

const RULES: Readonly<Record<keyof ContentSettings, Rule>> = {
  prefix: ['a path', (value) => typeof value === 'string'],
  defaultLocale: ['a locale code', isCode],
  locales: ['a list of locale codes', (value) => Array.isArray(value) && value.every(isCode)],
  strictParams: FLAG,
  strictRelations: FLAG,
  defaultLimit: whole(1),
  maxLimit: ['a whole number, 1 or more, or Infinity', (value) => value === Infinity || whole(1)[1](value)],
  withCount: FLAG,
  limits: OBJECT,
  load: OBJECT,
  schedule: ['an object with everySeconds', isObject],
  openapi: ['an object with document, page, title and version', isObject],
  cache: ['false or an object with bytes', (value) => value === false || isObject(value)],
  preparedStatements: FLAG,
  maxCachedPlans: whole(0),
  maxPreparedStatements: whole(0),
  maxPreparedSize: whole(0),
  maxReplicaLag: whole(1000),
  serverTiming: FLAG,
  health: FLAG,
  startCheck: [
    '"refuse", "warn" or null',
    (value) => value === null || value === 'refuse' || value === 'warn',
  ],
};

/** Settings with values that would only fail in a request, each with what it must be. */
export function checkSettings(input: SettingsInput): string[] {
  const wrong = (name: string, value: unknown, [expected, admits]: Rule): string[] =>
    value === undefined || admits(value) ? [] : [`${name} must be ${expected}`];
  const settings = Object.entries(RULES).flatMap(([name, rule]) =>
    wrong(name, input[name as keyof ContentSettings], rule),
  );
  const groups = (['limits', 'load'] as const).flatMap((group) =>
    Object.entries(input[group] ?? {}).flatMap(([name, value]) =>
      wrong(`${group}.${name}`, value, name === 'slowShare' ? SHARE : whole(0)),
    ),
  );
  const bytes = input.cache ? wrong('cache.bytes', input.cache.bytes, whole(0)) : [];
  const seconds = wrong('schedule.everySeconds', input.schedule?.everySeconds ?? undefined, SECONDS);
  const openapi = Object.entries(OPENAPI).flatMap(([name, rule]) =>
    wrong(`openapi.${name}`, input.openapi?.[name as keyof OpenApiSettings], rule),
  );
  return [...settings, ...groups, ...bytes, ...seconds, ...openapi];
}

/** The host's settings over the defaults, frozen. */
export function resolveSettings(input: SettingsInput): ContentSettings {
  const given = Object.fromEntries(
    Object.keys(DEFAULT_SETTINGS).flatMap((key) => {
      const value = input[key as keyof SettingsInput];
      return value === undefined ? [] : [[key, value]];
    }),
  ) as Partial<ContentSettings>;
  const defaultLocale = input.defaultLocale ?? DEFAULT_SETTINGS.defaultLocale;
  const locales = [...new Set([defaultLocale, ...(input.locales ?? [])])];
  const limits = Object.freeze({ ...DEFAULT_SETTINGS.limits, ...input.limits });
  const load = Object.freeze({ ...DEFAULT_SETTINGS.load, ...input.load });
  const prefix = trimSlashes(input.prefix ?? DEFAULT_SETTINGS.prefix);
  const schedule = Object.freeze({ ...DEFAULT_SETTINGS.schedule, ...input.schedule });
  const openapi = Object.freeze({ ...DEFAULT_SETTINGS.openapi, ...input.openapi });
  const cache = Object.freeze({
    ...DEFAULT_SETTINGS.cache,
    ...(input.cache === false ? { bytes: 0 } : input.cache),
  });
  const rest = { prefix, defaultLocale, locales, limits, load, schedule, openapi, cache };
  return Object.freeze({ ...DEFAULT_SETTINGS, ...given, ...rest });
}
