import { ContentError } from '../errors.js';
import type { Caller } from './caller.js';

/** The part of a request that a strategy may look at: lower-case header names. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The token of `Authorization: Bearer <token>`, when there is one. */
  readonly bearer: string | null;
  /** The framework's own request, for strategies that build on a session or an earlier guard. */
  readonly request: unknown;
}

/**
 * Recognises a kind of credential. Pass instances in `forRoot({ auth: { strategies } })`.
 *
 * @example
 * class ProxyHeader implements AuthStrategy {
 *   readonly name = 'proxy-header';
 *   authenticate({ headers }: Credentials): Caller | null {
 *     const user = headers['x-remote-user'];
 *     return typeof user === 'string' ? { kind: 'user', id: user, permissions: EDITOR } : null;
 *   }
 * }
 *
 * @publicApi
 */
export interface AuthStrategy {
  readonly name: string;
  /**
   * The caller behind a credential, or null when the credential is none of this strategy's.
   * Throw a ContentError `UnauthorizedError` for one that is, but is bad or expired.
   */
  authenticate(credentials: Credentials): Caller | null | Promise<Caller | null>;
}

export const unauthorized = (message = 'Missing or invalid credentials'): ContentError => new ContentError('UnauthorizedError', message);

const BEARER = /^bearer +(\S+)$/i;

/** The token of an `Authorization` header; other schemes and shapes count as none (protocol 18.2). */
export const bearerOf = (header: string | string[] | undefined): string | null =>
  typeof header === 'string' ? (BEARER.exec(header.trim())?.[1] ?? null) : null;

/**
 * The caller of a request: the first strategy that knows the credential, else the public.
 * Throws UnauthorizedError for a bearer token that nobody knows; there is no fall-back to public rights (18.3, 18.6).
 */
export async function authenticate(strategies: readonly AuthStrategy[], credentials: Credentials, anybody: Caller): Promise<Caller> {
  for (const strategy of strategies) {
    const caller = await strategy.authenticate(credentials);
    if (caller !== null) return caller;
  }
  if (credentials.bearer !== null) throw unauthorized();
  return anybody;
}
