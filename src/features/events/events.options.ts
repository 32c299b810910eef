import type { KeyObject } from 'node:crypto';
import { ContentModelError } from '../../content/model/content-model-error.js';
import { type CodeEndpoint, codeMistakes } from './webhooks/endpoint.js';
import { isNetwork } from './webhooks/public-addresses.js';
import { signingKeyOf } from './webhooks/signatures.js';

/** Options of `EventsModule.forRoot`. */
export interface EventsOptions {
  /** Days that the log keeps events, from 3 to 3650. Default 30. */
  readonly retentionDays?: number;
  /**
   * Interval in milliseconds at which the process looks for events of other processes, from 50 to 60,000.
   * Its own writes are noticed at once. Default 1000.
   */
  readonly pollMilliseconds?: number;
  /** Webhooks. Those at run time need `webhookType` among the content types. */
  readonly webhooks?: {
    /** Endpoints in code. Default none. */
    readonly endpoints?: readonly CodeEndpoint[];
    /**
     * Hosts and networks that webhooks reach although they are not public. Examples: `localhost`,
     * `10.0.0.0/8`. Default none.
     */
    readonly allow?: readonly string[];
    /**
     * Private ed25519 key, `whsk_` and 32 or 64 bytes in Base64: each request has a `v1a` signature, too.
     * Default none.
     */
    readonly signingKey?: string;
    /** Seconds until an attempt fails, from 1 to 60. Default 15. */
    readonly timeoutSeconds?: number;
  };
}

/** Options with defaults. */
export interface ResolvedEventsOptions {
  readonly retentionDays: number;
  readonly pollMilliseconds: number;
  readonly endpoints: readonly CodeEndpoint[];
  readonly allow: readonly string[];
  readonly signingKey: KeyObject | null;
  /** Milliseconds until an attempt fails. */
  readonly timeout: number;
}

export const EVENTS_OPTIONS = Symbol('EventsOptions');

const KEYS = ['retentionDays', 'pollMilliseconds', 'webhooks'];
const WEBHOOK_KEYS = ['endpoints', 'allow', 'signingKey', 'timeoutSeconds'];
const HOST = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;

const isWithin = (value: number, [least, most]: readonly [number, number]): boolean =>
  Number.isInteger(value) && value >= least && value <= most;

const isHost = (value: unknown): boolean =>
  typeof value === 'string' && (isNetwork(value) || HOST.test(value));

const unknownKeys = (options: object, known: readonly string[], where: string): string[] =>
  Object.keys(options)
    .filter((key) => !known.includes(key))
    .map((key) => `${where}: unknown option "${key}"; available: ${known.join(', ')}`);

function endpointMistakes(endpoints: readonly CodeEndpoint[]): string[] {
  const names = endpoints.map(({ name }) => name);
  const twice = names.filter((name, i) => names.indexOf(name) !== i);
  return [
    ...endpoints.flatMap((endpoint, i) =>
      codeMistakes(endpoint).map((mistake) => `events.webhooks.endpoints[${i}]: ${mistake}`),
    ),
    ...twice.map((name) => `events.webhooks.endpoints: two endpoints have the name "${name}"`),
  ];
}

/** Returns the options with defaults. Throws a ContentModelError for unknown and invalid ones. */
export function resolveEventsOptions(options: EventsOptions): ResolvedEventsOptions {
  const { retentionDays = 30, pollMilliseconds = 1000, webhooks = {} } = options;
  const { endpoints = [], allow = [], signingKey, timeoutSeconds = 15 } = webhooks;
  const key = signingKey === undefined ? null : signingKeyOf(signingKey);
  const checks: readonly (readonly [boolean, string])[] = [
    [isWithin(retentionDays, [3, 3650]), 'retentionDays: expected an integer from 3 to 3650'],
    [isWithin(pollMilliseconds, [50, 60_000]), 'pollMilliseconds: expected an integer from 50 to 60000'],
    [isWithin(timeoutSeconds, [1, 60]), 'webhooks.timeoutSeconds: expected an integer from 1 to 60'],
    [allow.every(isHost), 'webhooks.allow: expected a list of hosts and networks, such as "10.0.0.0/8"'],
    [
      signingKey === undefined || key !== null,
      'webhooks.signingKey: expected "whsk_" and 32 or 64 bytes in Base64',
    ],
  ];
  const mistakes = [
    ...unknownKeys(options, KEYS, 'events'),
    ...unknownKeys(webhooks, WEBHOOK_KEYS, 'events.webhooks'),
    ...checks.filter(([holds]) => !holds).map(([, mistake]) => `events.${mistake}`),
    ...endpointMistakes(endpoints),
  ];
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  return Object.freeze({
    retentionDays,
    pollMilliseconds,
    endpoints,
    allow,
    signingKey: key,
    timeout: 1000 * timeoutSeconds,
  });
}
