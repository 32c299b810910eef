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
   * Interval in milliseconds at which an instance that delivers events, or has open streams, looks for those
   * of others, from 50 to 60,000. Its own writes are noticed at once. Default 1000.
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
  /** Live reads: `Content-Tags` in responses, and streams below `/api/live`. Default none. */
  readonly live?: LiveOptions;
}

/** Options of live reads. */
export interface LiveOptions {
  /**
   * Secret from which tags and positions are made, at least 32 characters; the same in all instances. Clients
   * read everything again after a change.
   */
  readonly secret: string;
  /** Streams that one process serves, from 1 to 100,000; the response to more is 503. Default 5000. */
  readonly maxListeners?: number;
  /**
   * Seconds between two heartbeats, from 1 to 60; permissions of streams are checked as often. Default 20.
   */
  readonly heartbeatSeconds?: number;
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
  /** Null without live reads. */
  readonly live: Required<LiveOptions> | null;
}

export const EVENTS_OPTIONS = Symbol('EventsOptions');

const KEYS = ['retentionDays', 'pollMilliseconds', 'webhooks', 'live'];
const WEBHOOK_KEYS = ['endpoints', 'allow', 'signingKey', 'timeoutSeconds'];
const LIVE_KEYS = ['secret', 'maxListeners', 'heartbeatSeconds'];
/** Least length of the secret of live reads. */
const MIN_SECRET = 32;
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

function liveMistakes({ secret, maxListeners, heartbeatSeconds }: Required<LiveOptions>): string[] {
  const checks: readonly (readonly [boolean, string])[] = [
    [
      typeof secret === 'string' && secret.length >= MIN_SECRET,
      `secret: expected a text of at least ${MIN_SECRET} characters`,
    ],
    [isWithin(maxListeners, [1, 100_000]), 'maxListeners: expected an integer from 1 to 100000'],
    [isWithin(heartbeatSeconds, [1, 60]), 'heartbeatSeconds: expected an integer from 1 to 60'],
  ];
  return checks.filter(([holds]) => !holds).map(([, mistake]) => `events.live.${mistake}`);
}

/** Returns the options with defaults. Throws a ContentModelError for unknown and invalid ones. */
export function resolveEventsOptions(options: EventsOptions): ResolvedEventsOptions {
  const { retentionDays = 30, pollMilliseconds = 1000, webhooks = {}, live } = options;
  const { endpoints = [], allow = [], signingKey, timeoutSeconds = 15 } = webhooks;
  const key = signingKey === undefined ? null : signingKeyOf(signingKey);
  const allLive = live === undefined ? null : { maxListeners: 5000, heartbeatSeconds: 20, ...live };
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
    ...(allLive === null
      ? []
      : [...unknownKeys(allLive, LIVE_KEYS, 'events.live'), ...liveMistakes(allLive)]),
  ];
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  return Object.freeze({
    retentionDays,
    pollMilliseconds,
    endpoints,
    allow,
    signingKey: key,
    timeout: 1000 * timeoutSeconds,
    live: allLive,
  });
}
