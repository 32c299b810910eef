/** Requests to a Strapi server, with a token and repeated attempts. */
import { messageOf } from '../../kernel/errors.js';
import { setTimeout as wait } from 'node:timers/promises';
import { AdoptError } from './adopt-error.js';
import { objectOf, textOf } from './source-schema.js';

export interface RestServer {
  /** Base URL without a slash at the end, `https://cms.example.org`. */
  readonly url: string;
  readonly token: string | undefined;
}

const ATTEMPTS = 4;
const FIRST_WAIT = 500;

const isTransient = (status: number): boolean => status === 429 || status >= 500;

async function attempt({ url, token }: RestServer, path: string): Promise<Response> {
  const target = /^https?:\/\//.test(path) ? path : `${url}${path}`;
  // The token is for the server only, not for the storage of its files.
  const headers: Record<string, string> =
    token !== undefined && target.startsWith(`${url}/`) ? { Authorization: `Bearer ${token}` } : {};
  return fetch(target, { headers });
}

/** Sends a GET, again if the server is busy. Throws an AdoptError if it does not respond. */
export async function request(server: RestServer, path: string): Promise<Response> {
  for (let n = 1; ; n += 1) {
    const response = await attempt(server, path).catch((error: unknown) => {
      if (n < ATTEMPTS) return null;
      const reason = messageOf(error);
      throw new AdoptError(`${server.url} does not respond: ${reason}`);
    });
    if (response !== null && (!isTransient(response.status) || n >= ATTEMPTS)) return response;
    await response?.body?.cancel();
    await wait(FIRST_WAIT * 2 ** n);
  }
}

/** Returns the reason of a refused request: what to do about it, or the message of the server. */
async function reasonOf(response: Response): Promise<string> {
  const { status, statusText } = response;
  if (status === 401 || status === 403) return 'the token needs full access';
  if (isTransient(status)) return 'the server fails, see its log; an archive needs no server';
  const body: unknown = await response.json().catch(() => null);
  return textOf(objectOf(objectOf(body)['error'])['message']) || statusText;
}

/** Returns the JSON of a response; null for a 404. Throws an AdoptError for any other status but 200. */
export async function json(server: RestServer, path: string): Promise<unknown> {
  const response = await request(server, path);
  if (response.status === 404) return null;
  if (response.ok) return response.json();
  const place = `${server.url}${path.split('?')[0] ?? ''}`;
  throw new AdoptError(`${place} responds with ${response.status}: ${await reasonOf(response)}`);
}
