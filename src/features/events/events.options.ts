import type { KeyObject } from 'node:crypto';
import { ContentModelError } from '../../content/model/content-model-error.js';
import {
  checkModuleOptions,
  group,
  integer,
  option,
  type OptionsOf,
  required,
} from '../../content/model/option-table.js';
import { isListOf, isObject, withDefaults } from '../../kernel/json.js';
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

/** Least length of the secret of live reads. */
const MIN_SECRET = 32;
const HOST = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;

const isHost = (value: unknown): value is string =>
  typeof value === 'string' && (isNetwork(value) || HOST.test(value));

const OPTIONS: OptionsOf<EventsOptions> = {
  retentionDays: integer(3, 3650),
  pollMilliseconds: integer(50, 60_000),
  webhooks: group<NonNullable<EventsOptions['webhooks']>>({
    endpoints: option('a list of endpoints', isListOf(isObject)),
    allow: option('a list of hosts and networks, such as "10.0.0.0/8"', isListOf(isHost)),
    signingKey: option(
      '"whsk_" and 32 or 64 bytes in Base64',
      (value) => typeof value === 'string' && signingKeyOf(value) !== null,
    ),
    timeoutSeconds: integer(1, 60),
  }),
  live: group<LiveOptions>({
    secret: required(
      option(
        `a string of at least ${MIN_SECRET} characters`,
        (value) => typeof value === 'string' && value.length >= MIN_SECRET,
      ),
    ),
    maxListeners: integer(1, 100_000),
    heartbeatSeconds: integer(1, 60),
  }),
};

function endpointMistakes(endpoints: readonly CodeEndpoint[]): string[] {
  const names = endpoints.map(({ name }) => name);
  const twice = names.filter((name, i) => names.indexOf(name) !== i);
  return [
    ...endpoints.flatMap((endpoint, i) =>
      codeMistakes(endpoint).map((mistake) => `EventsModule: webhooks.endpoints[${i}]: ${mistake}`),
    ),
    ...twice.map((name) => `EventsModule: webhooks.endpoints: two endpoints have the name "${name}"`),
  ];
}

/** Returns the options with defaults. Throws a ContentModelError for unknown and invalid ones. */
export function resolveEventsOptions(options: EventsOptions): ResolvedEventsOptions {
  checkModuleOptions('EventsModule', options, OPTIONS);
  const { retentionDays = 30, pollMilliseconds = 1000, webhooks = {}, live } = options;
  const { endpoints = [], allow = [], signingKey, timeoutSeconds = 15 } = webhooks;
  const mistakes = endpointMistakes(endpoints);
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  return Object.freeze({
    retentionDays,
    pollMilliseconds,
    endpoints,
    allow,
    signingKey: signingKey === undefined ? null : signingKeyOf(signingKey),
    timeout: 1000 * timeoutSeconds,
    live:
      live === undefined
        ? null
        : withDefaults({ maxListeners: 5000, heartbeatSeconds: 20, secret: live.secret }, live),
  });
}
