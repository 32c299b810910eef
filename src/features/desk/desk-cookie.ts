/** Cookie with the refresh token of a session. Browsers send it to the session route only. */

const NAME = 'desk-session';

interface CookieOptions {
  /** Path of the session route, with the global prefix. */
  readonly path: string;
  /** Whether browsers send the cookie over HTTPS only. */
  readonly secure: boolean;
}

/** Returns a `Set-Cookie` value. A lifetime of 0 seconds removes the cookie. */
export const cookieOf = (token: string, seconds: number, { path, secure }: CookieOptions): string =>
  [
    `${NAME}=${token}`,
    `Path=${path}`,
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(secure ? ['Secure'] : []),
  ].join('; ');

/**
 * Returns the token of a `Cookie` header, or null. Several cookies of the name are refused: another host of
 * the domain can set one, but not remove ours.
 */
export function tokenIn(header: string | string[] | undefined): string | null {
  const values = [header ?? '']
    .flat()
    .flatMap((text) => text.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${NAME}=`))
    .map((pair) => pair.slice(NAME.length + 1));
  const [token] = values;
  return token === undefined || values.length > 1 ? null : token;
}
