import { ContentError, forbidden } from '../../kernel/errors.js';
import type { Caller } from './caller.js';

/** Parts of a request that a strategy may read. Header names are lower-case. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Token of `Authorization: Bearer <token>`; null without one. */
  readonly bearer: string | null;
  /** Request object of the framework, for strategies that use a session or an earlier guard. */
  readonly request: unknown;
}

/**
 * Result of a strategy: a caller with its own permissions, or role names, whose grants come from
 * `access.roles` or a PermissionsSource.
 *
 * @publicApi
 */
export type Identity = Caller | (Omit<Caller, 'permissions'> & { readonly roles: readonly string[] });

/**
 * Authenticates one kind of credential. Pass instances in `forRoot({ auth: { strategies } })`.
 *
 * @example
 * ```ts
 * class ProxyHeader implements AuthStrategy {
 *   readonly name = 'proxy-header';
 *   authenticate({ headers }: Credentials): Identity | null {
 *     const user = headers['x-remote-user'];
 *     return typeof user === 'string' ? { kind: 'user', id: user, roles: ['editor'] } : null;
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export interface AuthStrategy {
  readonly name: string;
  /**
   * Request headers other than `Authorization` that the strategy reads, such as `['Cookie']`. Responses list
   * them in `Vary`, so that a cache never serves one caller's response to another.
   */
  readonly vary?: readonly string[];
  /**
   * Names of the attributes that its callers can have, such as `['team']`. If every strategy lists its names,
   * conditions as JSON that name others are refused.
   */
  readonly attributes?: readonly string[];
  /**
   * Returns the identity of a credential, or null for another strategy's credential. Throw a ContentError
   * `UnauthorizedError` for an invalid or expired one.
   */
  authenticate(credentials: Credentials): Identity | null | Promise<Identity | null>;
}

export const unauthorized = (message = 'Missing or invalid credentials'): ContentError =>
  new ContentError('UnauthorizedError', message);

/**
 * Error for a caller without the required grant: 401 for a public caller without any grants, 403 otherwise
 * (protocol 18.1).
 */
export const refusal = ({ kind, permissions }: Caller): ContentError =>
  kind === 'public' && permissions.isEmpty ? unauthorized() : forbidden();

const SCHEME = /^bearer(?=\s|$)/i;
const BEARER = /^bearer +(\S+)$/i;

/**
 * Returns the token of an `Authorization` header; null for other schemes (protocol 18.2). Throws
 * UnauthorizedError for the scheme without exactly one token (18.3).
 */
export function bearerOf(header: string | string[] | undefined): string | null {
  const text = typeof header === 'string' ? header.trim() : '';
  if (!SCHEME.test(text)) return null;
  const [, token] = BEARER.exec(text) ?? [];
  if (token === undefined) throw unauthorized();
  return token;
}

/**
 * Returns the identity from the first strategy that recognises the credential, null without a credential.
 * Throws UnauthorizedError for a bearer token that no strategy recognises.
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
