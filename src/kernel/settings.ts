import { keysOf, withDefaults } from './json.js';
import { trimSlashes } from './paths.js';

/**
 * Runtime settings. `ContentModule.forRoot({ ... })` accepts any of them; {@link DEFAULT_SETTINGS} has the
 * defaults.
 */
export interface ContentSettings {
  /** Path before every content route, without slashes. Not doubled if it equals the global prefix. */
  readonly prefix: string;
  /** Locale of documents and requests without a locale. */
  readonly defaultLocale: string;
  /** Locale codes that a write may use (protocol D19). Always contains `defaultLocale`. */
  readonly locales: readonly string[];
  /**
   * Whether unknown top-level parameters and invalid locale codes cause a 400. If false they are ignored
   * (protocol D12, 5.42, 9.17).
   */
  readonly strictParams: boolean;
  /**
   * Whether published documents must have their required relations and media (protocol 11.36). If false,
   * `required` has no effect on these. Default false.
   */
  readonly strictRelations: boolean;
  /** Page size of requests without one (protocol 7.13). */
  readonly defaultLimit: number;
  /** Largest page size; larger ones are reduced to it (protocol 7.20). */
  readonly maxLimit: number;
  /** Whether lists contain a total by default (protocol 7.18). */
  readonly withCount: boolean;
  /** Limits of one request; exceeding one causes a 400 that names it. */
  readonly limits: ContentLimits;
  /** Limits of all requests of a process together; exceeding one causes a 503 with `Retry-After`. */
  readonly load: LoadLimits;
  /** Runs reads as named prepared statements. Set it to false behind a pooler in transaction mode. */
  readonly preparedStatements: boolean;
  /**
   * Size of the cache of query plans, in query strings, for all permissions together. Evicts the least
   * recently used. 0 disables it.
   */
  readonly maxCachedPlans: number;
  /** Most prepared statements per connection. Evicts the least recently used. */
  readonly maxPreparedStatements: number;
  /**
   * Most characters of SQL in prepared statements per connection; each costs about 100 bytes of PostgreSQL's
   * memory.
   */
  readonly maxPreparedSize: number;
  /** Milliseconds that a replica may lag behind the primary. Beyond that, reads go to the primary. */
  readonly maxReplicaLag: number;
  readonly schedule: ScheduleSettings;
  /** Settings of the OpenAPI document, which shows each caller only the permitted operations. */
  readonly openapi: OpenApiSettings;
  /**
   * Reaction at start to a database that does not match the model, so that content could be lost or exposed:
   * `'refuse'` stops, `'warn'` logs. Default null: `'refuse'` if `NODE_ENV` is `production`, otherwise
   * `'warn'`.
   */
  readonly startCheck: 'refuse' | 'warn' | null;
  /** Settings of the response cache. */
  readonly cache: CacheSettings;
  /**
   * Adds `Server-Timing` with the duration of each response, which reveals whether it was cached. Default
   * false.
   */
  readonly serverTiming: boolean;
  /** Durations, slow requests and traces of requests. */
  readonly monitoring: MonitoringSettings;
  /** Serves `/_health` and `/_ready` at the root of the server: 204, or 503 (protocol 1.26, 1.32). */
  readonly health: boolean;
}

export interface ContentLimits {
  /** Length of the raw query string, in ASCII characters. */
  readonly queryLength: number;
  readonly parameters: number;
  /** Levels of brackets in one parameter name. */
  readonly depth: number;
  /** Entries of one list in the query (`$in`, `$or`, `fields`, `sort`). */
  readonly arrayLength: number;
  /** Entries of one `populate` list (protocol 4.32). */
  readonly populateEntries: number;
  /** Relations, components and zones populated by one request, at all levels together. */
  readonly populateNodes: number;
  /** Levels of populate. The contract sets no limit, so the default is generous. */
  readonly populateDepth: number;
  /** Conditions of one request, at all levels together. */
  readonly conditions: number;
  /** Relations and components in one path of a filter or sort. */
  readonly hopDepth: number;
  /** Relations and components in all filters and sorts of one request together. */
  readonly hops: number;
  readonly sortKeys: number;
  /** Size of one response, in bytes. */
  readonly responseBytes: number;
  /**
   * Milliseconds that a read or a whole write may take; beyond it the response is a 503. Includes the wait
   * for a connection, and the host's hooks inside the transaction. 0 for no limit.
   */
  readonly statementTimeout: number;
  /** Bytes of one JSON body on content routes; more is a 413. Other routes keep their limit. Default 1 MB. */
  readonly bodyBytes: number;
  /** Values and nodes in one request body. */
  readonly bodyNodes: number;
  /** Passwords in one request body; hashing one takes about 20 ms of CPU time. */
  readonly passwords: number;
  /** Items of one bulk request, or documents that its filters may select. */
  readonly bulkItems: number;
}

export interface ScheduleSettings {
  /**
   * Seconds between checks for due schedules; 0 disables them in this process. Default null: 10 if a type has
   * the action `schedule`, otherwise 0.
   */
  readonly everySeconds: number | null;
}

export interface OpenApiSettings {
  /** Serves the document at `<prefix>/openapi.json`. Default true. */
  readonly document: boolean;
  /** Serves Swagger UI at `<prefix>/openapi`; needs the package `swagger-ui-dist`. Default false. */
  readonly page: boolean;
  readonly title: string;
  /** Version of your API, independent of this library's version. */
  readonly version: string;
  /** Further members of `info`, such as `description`, `contact` and `license`. Default none. */
  readonly info: Readonly<Record<string, unknown>>;
}

/** Settings of the response cache, which returns a response until its content changes. */
export interface CacheSettings {
  /** Total size of cached responses in bytes. Default 64 MB; 0 or `cache: false` disables the cache. */
  readonly bytes: number;
}

/** Settings of what a process reports about its requests. */
export interface MonitoringSettings {
  /** Records durations by route and method for ContentMetrics. Default false. */
  readonly durations: boolean;
  /** Milliseconds from which a request is logged with its route and statement. Default 0: none. */
  readonly slowRequest: number;
  /** Reports spans to OpenTelemetry; needs the package `@opentelemetry/api`. Default false. */
  readonly telemetry: boolean;
}

export interface LoadLimits {
  /** Milliseconds that a request may wait for a connection. 0 for no limit. */
  readonly queueTimeout: number;
  /** Most waiting requests, separately for reads, slow reads and writes. */
  readonly queueLength: number;
  /**
   * Share of the pool's connections for slow reads, 0 to 1, at least one connection. Writes leave the same
   * number to other requests.
   */
  readonly slowShare: number;
  /** Total bytes of large responses that clients have not received yet. */
  readonly unsentBytes: number;
}

/**
 * Injection token of the effective {@link ContentSettings}: the host's over the defaults, frozen.
 *
 * @publicApi
 */
export const CONTENT_SETTINGS = Symbol('ContentSettings');

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
  monitoring: Object.freeze({ durations: false, slowRequest: 0, telemetry: false }),
  startCheck: null,
  schedule: Object.freeze({ everySeconds: null }),
  openapi: Object.freeze({ document: true, page: false, title: 'Content API', version: '1', info: {} }),
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
    bodyBytes: 1024 * 1024,
    bodyNodes: 50_000,
    passwords: 10,
    bulkItems: 1000,
  }),
  load: Object.freeze({
    queueTimeout: 5_000,
    queueLength: 1000,
    slowShare: 0.4,
    unsentBytes: 64 * 1024 * 1024,
  }),
});

export type SettingsInput = Partial<
  Omit<ContentSettings, 'limits' | 'load' | 'schedule' | 'openapi' | 'cache' | 'monitoring'>
> & {
  readonly limits?: Partial<ContentLimits>;
  readonly load?: Partial<LoadLimits>;
  readonly schedule?: Partial<ScheduleSettings>;
  readonly openapi?: Partial<OpenApiSettings>;
  readonly monitoring?: Partial<MonitoringSettings>;
  /** `false` disables the cache. */
  readonly cache?: false | Partial<CacheSettings>;
};

export function resolveSettings(input: SettingsInput): ContentSettings {
  const plain = Object.fromEntries(
    keysOf(DEFAULT_SETTINGS).flatMap((key) => (input[key] === undefined ? [] : [[key, input[key]]])),
  ) as Partial<ContentSettings>;
  const defaultLocale = input.defaultLocale ?? DEFAULT_SETTINGS.defaultLocale;
  const locales = [...new Set([defaultLocale, ...(input.locales ?? [])])];
  const limits = Object.freeze(withDefaults(DEFAULT_SETTINGS.limits, input.limits));
  const load = Object.freeze(withDefaults(DEFAULT_SETTINGS.load, input.load));
  const prefix = trimSlashes(input.prefix ?? DEFAULT_SETTINGS.prefix);
  const schedule = Object.freeze(withDefaults(DEFAULT_SETTINGS.schedule, input.schedule));
  const openapi = Object.freeze(withDefaults(DEFAULT_SETTINGS.openapi, input.openapi));
  const monitoring = Object.freeze(withDefaults(DEFAULT_SETTINGS.monitoring, input.monitoring));
  const cache = Object.freeze(
    withDefaults(DEFAULT_SETTINGS.cache, input.cache === false ? { bytes: 0 } : input.cache),
  );
  const rest = { prefix, defaultLocale, locales, limits, load, schedule, openapi, cache, monitoring };
  return Object.freeze({ ...DEFAULT_SETTINGS, ...plain, ...rest });
}

/** Returns a limit of items as a number that a query can have: without a limit, the largest integer. */
export const finiteLimit = (limit: number): number => Math.min(limit, Number.MAX_SAFE_INTEGER);
