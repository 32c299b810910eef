/** Requests to the content routes, with the session of the editor. */
import { OfflineError } from './errors.ts';
import { type Parameters, queryOf } from './query.ts';
import { errorOf, session } from './session.ts';
import { type WriteConditions, writeHeaders } from './write-headers.ts';

export interface Ask extends WriteConditions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly query?: Parameters;
  readonly body?: object | FormData;
  /** Whether the write makes a version; one that exists already is a 412. */
  readonly ifNone?: boolean;
  readonly signal?: AbortSignal;
  /** Whether the request outlives the page. */
  readonly keepalive?: boolean;
}

export interface Answer<T> {
  readonly body: T;
  readonly etag: string | null;
}

/** Number of 401 responses to one request, each with a new token, after which it fails. */
const MAX_REFUSALS = 3;

/** Header for reads of what is committed: a replica that lags would show older values than the form has. */
const FRESH = { 'Content-Position': 'primary' };

/** Sends one request. Throws an ApiError for an error response, and an OfflineError without response. */
export async function request<T>(path: string, ask: Ask = {}): Promise<Answer<T>> {
  const { method = 'GET', query = {}, body, ifNone = false, signal, keepalive = false } = ask;
  for (let refusals = 0; ; refusals += 1) {
    const authorization = await session.headers();
    const headers: Record<string, string> = { Accept: 'application/json', ...FRESH, ...authorization };
    if (body !== undefined && !(body instanceof FormData)) headers['Content-Type'] = 'application/json';
    Object.assign(headers, writeHeaders(ask));
    if (ifNone) headers['If-None-Match'] = '*';
    const response = await send(`${path}${queryOf(query)}`, {
      method,
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
      keepalive,
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.status === 401 && refusals < MAX_REFUSALS && (await session.refused(authorization)))
      continue;
    if (!response.ok) throw await errorOf(response);
    return { body: (await bodyOf(response)) as T, etag: response.headers.get('ETag') };
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw init.signal?.aborted === true ? error : new OfflineError(error);
  }
}

/** Reads the body. A body that is cut off, or that is a page of another server, counts as no response. */
async function bodyOf(response: Response): Promise<unknown> {
  try {
    const text = await response.text();
    return text === '' ? null : JSON.parse(text);
  } catch (error) {
    throw new OfflineError(error);
  }
}
