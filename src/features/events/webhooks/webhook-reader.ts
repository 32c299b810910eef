/** Reader of the event log that sends each event to an endpoint. */
import type { KeyObject } from 'node:crypto';
import { ContentError } from '../../../kernel/errors.js';
import type { Delivery, EventReader, Outcome } from '../reader.js';
import type { ActiveEndpoint } from './endpoint.js';
import type { PublicAddresses } from './public-addresses.js';
import { send } from './send.js';
import { signaturesOf } from './signatures.js';
import type { WebhookEntries } from './webhook-entry.js';

/** Documents whose events are sent to an endpoint at the same time. */
const CONCURRENCY = 10;
/** Days of nothing but failures after which an endpoint is disabled. */
const DISABLE_AFTER = 5;

export interface WebhookBase {
  readonly entries: WebhookEntries;
  readonly addresses: PublicAddresses;
  readonly key: KeyObject | null;
  /** Milliseconds until an attempt fails. */
  readonly timeout: number;
}

interface NamedEndpoint {
  readonly id: string;
  readonly name: string;
}

/** Returns the headers of a request, at the time of the attempt (protocol 21.2). */
function headersOf(
  { headers = {}, secrets }: ActiveEndpoint,
  { id, name }: NamedEndpoint,
  { body, key }: { readonly body: string; readonly key: KeyObject | null },
): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000);
  return {
    ...headers,
    'Content-Type': 'application/json',
    'User-Agent': 'nestjs-content-api',
    'X-Strapi-Event': name,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signaturesOf({ id, timestamp, body }, secrets, key),
  };
}

/** Sends a body to an endpoint once. Never throws. */
export function sendTo(
  endpoint: ActiveEndpoint,
  event: NamedEndpoint & { readonly body: string },
  { addresses, key, timeout }: WebhookBase,
): Promise<Outcome> {
  const { body } = event;
  const headers = headersOf(endpoint, event, { body, key });
  return send({ url: new URL(endpoint.url), headers, body, timeout }, addresses);
}

/** Hides the cause of other errors: it may contain SQL. */
const reasonOf = (error: unknown): string =>
  error instanceof ContentError ? error.message : 'The entry could not be read';

export function webhookReader(endpoint: ActiveEndpoint, base: WebhookBase): EventReader {
  const { reader, events, types } = endpoint;
  return {
    name: reader,
    concurrency: CONCURRENCY,
    listsAttempts: true,
    disableAfter: DISABLE_AFTER,
    accepts: ({ name, type }) =>
      (events === undefined || events.includes(name)) && (types === undefined || types.includes(type)),
    async deliver(event): Promise<Delivery> {
      try {
        const body = await base.entries.bodyOf(endpoint, event);
        if (body === null) return { kind: 'skipped' };
        return await sendTo(endpoint, { ...event, body }, base);
      } catch (error) {
        return { kind: 'failed', failure: reasonOf(error), status: null, retryAfter: null };
      }
    },
  };
}
