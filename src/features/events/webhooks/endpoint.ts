/** Endpoints of webhooks: what they receive and where. */
import type { RawQuery } from '../../../content/query/read-raw.js';
import { wrongValue } from '../../../kernel/errors.js';
import { type EventName, EVENT_NAMES } from '../logged-event.js';
import { ONE_DOCUMENT, onlyVersion, type WrittenVersion } from '../one-document.js';
import { isSecret } from './signatures.js';

/**
 * Endpoint that receives events as POST requests.
 *
 * @publicApi
 */
export interface WebhookEndpoint {
  /** Unique name. In code, it also identifies the position of the endpoint in the log. */
  readonly name: string;
  /** Address, with http or https and without credentials. */
  readonly url: string;
  /** Names of the events. Default: all. */
  readonly events?: readonly EventName[];
  /** `singularApiId` of the types; `file` for files. Default: all types of the event log. */
  readonly types?: readonly string[];
  /**
   * Filters as in a request: an event is sent if its document matches them when it is sent. Deletions are
   * sent without this check.
   */
  readonly filters?: object;
  /** Attributes of `entry`. Default: all that are not private. */
  readonly fields?: readonly string[];
  /** Relations of `entry`, as in a request. Default `'*'`. */
  readonly populate?: unknown;
  /**
   * Role whose permissions `entry` has, such as `public`. Default: the application itself, which sees all but
   * private attributes.
   */
  readonly role?: string;
  /** Further headers, for example `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Endpoint in code: it needs a secret. */
export interface CodeEndpoint extends WebhookEndpoint {
  /**
   * Secret: `whsec_` and 24 to 64 bytes in Base64. Several can be given while one replaces another: each
   * request then has a signature for each.
   */
  readonly secret: string | readonly string[];
}

/** Endpoint as deliveries use it. */
export interface ActiveEndpoint extends WebhookEndpoint {
  /** Name of the reader of the event log. */
  readonly reader: string;
  readonly secrets: readonly string[];
}

/** Request headers that the library sets, or that would change the meaning of the request. */
const RESERVED_HEADERS =
  /^(host|content-|transfer-|connection|webhook-|x-strapi-event|te$|trailer$|upgrade|expect|keep-alive)/i;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
// Control characters would end the header.
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isAddress(value: unknown): boolean {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return (
    url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === ''
  );
}

const isHeaders = (value: unknown): boolean =>
  isPlain(value) &&
  Object.entries(value).every(
    ([name, text]) =>
      HEADER_NAME.test(name) &&
      !RESERVED_HEADERS.test(name) &&
      typeof text === 'string' &&
      HEADER_VALUE.test(text),
  );

interface Rule {
  readonly key: string;
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
}

const optional = (key: string, expected: string, holds: Rule['holds']): Rule => ({
  key,
  expected,
  holds: (value) => value === undefined || value === null || holds(value),
});

const RULES: readonly Rule[] = [
  { key: 'name', expected: 'a string', holds: (value) => typeof value === 'string' && value.trim() !== '' },
  { key: 'url', expected: 'an http(s) URL without credentials', holds: isAddress },
  optional('types', 'a list of types', isNames),
  optional('filters', 'an object', isPlain),
  optional('fields', 'a list of attributes', isNames),
  optional(
    'populate',
    'populate as in a request',
    (value) => typeof value === 'string' || isNames(value) || isPlain(value),
  ),
  optional('role', 'a string', (value) => typeof value === 'string'),
  optional('headers', 'an object of strings, without headers that the library sets', isHeaders),
];

interface EndpointMistake {
  readonly key: string;
  readonly message: string;
}

const KEYS = [...RULES.map(({ key }) => key), 'events'];

/** Returns what is wrong with an endpoint; `more` are further keys that it may have. */
function endpointMistakes(
  endpoint: Readonly<Record<string, unknown>>,
  more: readonly string[],
): readonly EndpointMistake[] {
  const unknown = Object.keys(endpoint).find((key) => !KEYS.includes(key) && !more.includes(key));
  const { events } = endpoint;
  const names = events === undefined || events === null ? [] : events;
  const wrong = isNames(names) ? names.find((name) => !EVENT_NAMES.some((known) => known === name)) : '';
  return [
    ...(unknown === undefined ? [] : [{ key: unknown, message: `Invalid key ${unknown}` }]),
    ...RULES.filter(({ key, holds }) => !holds(endpoint[key])).map(({ key, expected }) => ({
      key,
      message: `${key} must be ${expected}`,
    })),
    // The text is the protocol's (21.9).
    ...(wrong === undefined
      ? []
      : [
          {
            key: 'events',
            message: isNames(names)
              ? `Webhook event ${wrong} is not supported`
              : 'events must be a list of names',
          },
        ]),
  ];
}

/** Throws a ValidationError for the first mistake of an endpoint. */
export function checkEndpoint(
  endpoint: Readonly<Record<string, unknown>>,
): asserts endpoint is Readonly<Record<string, unknown>> & WebhookEndpoint {
  const [mistake] = endpointMistakes(endpoint, []);
  if (mistake !== undefined) throw wrongValue(mistake.key, mistake.message);
}

export function codeMistakes(endpoint: CodeEndpoint): readonly string[] {
  const secrets = [endpoint.secret].flat();
  const isSigned = secrets.length > 0 && secrets.every((one) => typeof one === 'string' && isSecret(one));
  return [
    ...endpointMistakes({ ...endpoint }, ['secret']).map(({ message }) => message),
    ...(isSigned ? [] : ['secret must be "whsec_" and 24 to 64 bytes in Base64']),
  ];
}

/** Returns the query of a request that reads `entry`. */
export const queryOf = (
  { filters, fields, populate }: WebhookEndpoint,
  version: { readonly status: string; readonly localized: boolean },
  written: WrittenVersion,
): RawQuery => ({
  filters: onlyVersion(written, filters),
  ...(fields === undefined ? {} : { fields }),
  populate: populate ?? '*',
  status: version.status,
  ...(version.localized ? { locale: written.locale ?? '*' } : {}),
  pagination: ONE_DOCUMENT,
});
