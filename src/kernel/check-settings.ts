/** Checks of the settings that a host gives. */
import { isCount, keysOf } from './json.js';
import type { ContentSettings, MonitoringSettings, OpenApiSettings, SettingsInput } from './settings.js';

type Rule = readonly [string, (value: unknown) => boolean];

const whole = (least: number): Rule => [
  `a whole number, ${least} or more`,
  (value) => isCount(value) && value >= least,
];
const FLAG: Rule = ['true or false', (value) => typeof value === 'boolean'];
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
const OBJECT: Rule = ['an object of limits', isObject];
/** Node.js timers have a maximum of 2^31 - 1 milliseconds. */
const SECONDS: Rule = [
  'a number of seconds, 0 or more',
  (value) => typeof value === 'number' && value >= 0 && value * 1000 < 2 ** 31,
];
const SHARE: Rule = ['a number between 0 and 1', (value) => Number(value) >= 0 && Number(value) <= 1];
const TEXT: Rule = ['a non-empty string', (value) => typeof value === 'string' && value !== ''];
const OPENAPI: Readonly<Record<keyof OpenApiSettings, Rule>> = {
  document: FLAG,
  page: FLAG,
  title: TEXT,
  version: TEXT,
  info: ['an object with members of info', isObject],
};
const MONITORING: Readonly<Record<keyof MonitoringSettings, Rule>> = {
  durations: FLAG,
  slowRequest: whole(0),
  telemetry: FLAG,
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
  openapi: ['an object with document, page, title, version and info', isObject],
  monitoring: ['an object with durations, slowRequest and telemetry', isObject],
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

/** Returns a message for each invalid setting, so that it fails at start instead of in a request. */
export function checkSettings(input: SettingsInput): string[] {
  const wrong = (name: string, value: unknown, [expected, admits]: Rule): string[] =>
    value === undefined || admits(value) ? [] : [`${name} must be ${expected}`];
  const settings = keysOf(RULES).flatMap((name) => wrong(name, input[name], RULES[name]));
  const groups = (['limits', 'load'] as const).flatMap((group) =>
    Object.entries(input[group] ?? {}).flatMap(([name, value]) =>
      wrong(`${group}.${name}`, value, name === 'slowShare' ? SHARE : whole(name === 'bodyBytes' ? 1 : 0)),
    ),
  );
  const bytes = input.cache ? wrong('cache.bytes', input.cache.bytes, whole(0)) : [];
  const seconds = wrong('schedule.everySeconds', input.schedule?.everySeconds ?? undefined, SECONDS);
  const openapi = keysOf(OPENAPI).flatMap((name) =>
    wrong(`openapi.${name}`, input.openapi?.[name], OPENAPI[name]),
  );
  const monitoring = keysOf(MONITORING).flatMap((name) =>
    wrong(`monitoring.${name}`, input.monitoring?.[name], MONITORING[name]),
  );
  return [...settings, ...groups, ...bytes, ...seconds, ...openapi, ...monitoring];
}
