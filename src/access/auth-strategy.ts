import { ContentError, forbidden } from '../errors.js';
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
 * Whose a credential is: a caller with rights of its own, or names of roles, whose grants are in
 * `access.roles` or come from a PermissionsSource.
 *
 * @publicApi
 */
export type Identity = Caller | (Omit<Caller, 'permissions'> & { readonly roles: readonly string[] });

/**
 * Recognises a kind of credential. Pass instances in `forRoot({ auth: { strategies } })`.
 *
 * @example
 * class ProxyHeader implements AuthStrategy {
 *   readonly name = 'proxy-header';
 *   authenticate({ headers }: Credentials): Identity | null {
 *     const user = headers['x-remote-user'];
 *     return typeof user === 'string' ? { kind: 'user', id: user, roles: ['editor'] } : null;
 *   }
 * }
 *
 * @publicApi
 */
export interface AuthStrategy {
  readonly name: string;
  /**
   * Names of request headers other than `Authorization` that it looks at, `['Cookie']` for example. Answers
   * name them in `Vary`, so that no cache gives one caller's answer to another.
   */
  readonly vary?: readonly string[];
  /**
   * Who is behind a credential, or null when the credential is none of this strategy's.
   * Throw a ContentError `UnauthorizedError` for one that is, but is bad or expired.
   */
  authenticate(credentials: Credentials): Identity | null | Promise<Identity | null>;
}

export const unauthorized = (message = 'Missing or invalid credentials'): ContentError =>
  new ContentError('UnauthorizedError', message);

/**
 * The answer to a caller without the right that is needed. The public that may do nothing at all is asked to
 * sign in (protocol 18.1).
 */
export const refusal = ({ kind, permissions }: Caller): ContentError =>
  kind === 'public' && permissions.isEmpty ? unauthorized() : forbidden();

const SCHEME = /^bearer(?=\s|$)/i;
const BEARER = /^bearer +(\S+)$/i;

/**
 * The token of an `Authorization` header; other schemes count as none (protocol 18.2). Throws
 * UnauthorizedError for the scheme without a token, or with more than one (18.3).
 */
export function bearerOf(header: string | string[] | undefined): string | null {
  const text = typeof header === 'string' ? header.trim() : '';
  if (!SCHEME.test(text)) return null;
  const [, token] = BEARER.exec(text) ?? [];
  if (token === undefined) throw unauthorized();
  return token;
}

/**
 * The identity behind a request: of the first strategy that knows the credential, or null for none at all.
 * Throws UnauthorizedError for a bearer token that nobody knows.
 */
export async function recognise(
  strategies: readonly AuthStrategy[],
  credentials: Credentials,
): Promise<Identity | null> {
  for (const strategy of strategies) {
    const identity = await strategy.authenticate(credentials);
    if (identity !== null) return identity;
  }
  if (credentials.bearer !== null) throw unauthorized();
  return null;
}
