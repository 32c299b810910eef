/**
 * Every run-time setting with its default. `ContentModule.forRoot({ ... })` takes any of them; what is left
 * out has the value that stands here.
 */
export interface ContentSettings {
  /**
   * Path before every content route, without slashes. Not doubled when it equals the host's global prefix.
   */
  readonly prefix: string;
  /** Locale of documents and requests that name none. */
  readonly defaultLocale: string;
  /** Locale codes that a write may use (protocol D19). Always contains `defaultLocale`. */
  readonly locales: readonly string[];
  /** Unknown top-level query parameters: ignored, or with `true` a 400 (protocol D12, 5.42). */
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
  /** Run reads as named prepared statements. Turn off behind a pooler in transaction mode. */
  readonly preparedStatements: boolean;
  /** How many query strings keep their plan, per set of rights; those not used lately go. 0 keeps none. */
  readonly maxCachedPlans: number;
  /** How many statement shapes keep a name, over the life of the process; later ones run unnamed. */
  readonly maxPreparedStatements: number;
}

/** Budgets of one request. */
export interface ContentLimits {
  /** Length of the raw query string, in bytes. */
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
  /** Time one statement may take in the database, in milliseconds; beyond it the answer is a 503. */
  readonly statementTimeout: number;
  /** Values and nodes in one request body. */
  readonly bodyNodes: number;
  /** Passwords in one request body; each takes some 20 ms of a processor to hash. */
  readonly passwords: number;
}

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
});

/** What a host may set. */
export type SettingsInput = Partial<Omit<ContentSettings, 'limits'>> & {
  readonly limits?: Partial<ContentLimits>;
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
  limits: ['an object of limits', (value) => typeof value === 'object' && value !== null],
  preparedStatements: FLAG,
  maxCachedPlans: whole(0),
  maxPreparedStatements: whole(0),
};

/** Settings with values that would only fail in a request, each with what it must be. */
export function checkSettings(input: SettingsInput): string[] {
  const wrong = (name: string, value: unknown, [expected, admits]: Rule): string[] =>
    value === undefined || admits(value) ? [] : [`${name} must be ${expected}`];
  const settings = Object.entries(RULES).flatMap(([name, rule]) =>
    wrong(name, input[name as keyof ContentSettings], rule),
  );
  const limits = Object.entries(input.limits ?? {}).flatMap(([name, value]) =>
    Object.hasOwn(DEFAULT_SETTINGS.limits, name)
      ? wrong(`limits.${name}`, value, whole(0))
      : [`limits.${name} is not a limit; there are ${Object.keys(DEFAULT_SETTINGS.limits).join(', ')}`],
  );
  return [...settings, ...limits];
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
  const prefix = trimSlashes(input.prefix ?? DEFAULT_SETTINGS.prefix);
  return Object.freeze({ ...DEFAULT_SETTINGS, ...given, prefix, defaultLocale, locales, limits });
}
