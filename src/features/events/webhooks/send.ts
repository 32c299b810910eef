/** HTTP POST of one webhook: bounded in time and size, without redirects. */
import { Agent as PlainAgent, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { Outcome } from '../reader.js';
import { type PublicAddresses, RefusedAddress } from './public-addresses.js';

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds until the attempt fails. */
  readonly timeout: number;
}

/** Seconds of a `Retry-After` header: a number or a date; null without a usable one. */
export function secondsOf(header: string | undefined, now = Date.now()): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  // V8 also parses numbers as dates.
  const time = /[a-z]/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(time) ? null : Math.max(0, Math.ceil((time - now) / 1000));
}

/** Status after which a receiver wants no more events. */
const GONE = 410;

function outcomeOf(status: number, retryAfter: string | undefined): Outcome {
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  const failure = `The endpoint responded with ${status}`;
  if (status === GONE) return { kind: 'gone', failure, status };
  return { kind: 'failed', failure, status, retryAfter: secondsOf(retryAfter) };
}

const failedOutcome = (failure: string): Outcome => ({
  kind: 'failed',
  failure,
  status: null,
  retryAfter: null,
});

/** Returns the reason without addresses of the network, which the owner of an endpoint may not see. */
function reasonOf(error: unknown): string {
  if (error instanceof RefusedAddress) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no connection';
  return `The endpoint cannot be reached (${code})`;
}

/** Bytes of a response that are read, so that its connection can be used again. */
const MAX_RESPONSE = 65_536;

const KEEP_ALIVE = { keepAlive: true, timeout: 30_000 };

interface Connections {
  readonly plain: PlainAgent;
  readonly secure: SecureAgent;
}

/** Connections by the addresses that they may reach: no endpoint uses one that is refused to it. */
const connections = new WeakMap<PublicAddresses, Connections>();

function connectionsTo(addresses: PublicAddresses): Connections {
  const cached = connections.get(addresses);
  if (cached !== undefined) return cached;
  const agents = { plain: new PlainAgent(KEEP_ALIVE), secure: new SecureAgent(KEEP_ALIVE) };
  connections.set(addresses, agents);
  return agents;
}

/** Reads the rest of a response, and closes its connection if it is too long or does not end in time. */
function discard(response: IncomingMessage, timeout: number): void {
  const timer = setTimeout(() => response.destroy(), timeout).unref();
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE) response.destroy();
  });
  response.on('error', () => undefined);
  response.on('close', () => clearTimeout(timer));
}

/** Sends a webhook to an http or https URL. Never throws. */
export function send(post: Post, addresses: PublicAddresses): Promise<Outcome> {
  return new Promise((resolve) => {
    try {
      start(post, addresses, resolve);
    } catch (error) {
      resolve(failedOutcome(reasonOf(error)));
    }
  });
}

function start(
  { url, headers, body, timeout }: Post,
  addresses: PublicAddresses,
  resolve: (outcome: Outcome) => void,
): void {
  addresses.check(url);
  const isSecure = url.protocol === 'https:';
  const { plain, secure } = connectionsTo(addresses);
  const sent = (isSecure ? secureRequest : plainRequest)(url, {
    method: 'POST',
    agent: isSecure ? secure : plain,
    headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)) },
    lookup: addresses.lookup,
  });
  const timer = setTimeout(() => {
    resolve(failedOutcome(`The endpoint did not respond within ${timeout / 1000} s`));
    sent.destroy();
  }, timeout);
  const settle = (outcome: Outcome): void => {
    clearTimeout(timer);
    resolve(outcome);
  };
  sent.on('response', (response) => {
    settle(outcomeOf(response.statusCode ?? 0, response.headers['retry-after']));
    discard(response, timeout);
  });
  sent.on('error', (error) => settle(failedOutcome(reasonOf(error))));
  sent.end(body);
}
