import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { jwtVerify, SignJWT } from 'jose';
import { type ResolvedUsersOptions, USERS_OPTIONS } from './users.options.js';

/** What a token says: whose it is, under which state of the account it was issued, and in which session. */
export interface TokenClaims {
  /** The user's row id, which is never used again (protocol 19.14). */
  readonly id: number;
  /** Changes with the password and when everything issued is called back. */
  readonly state: string;
  /** The session, where refresh tokens are in use. */
  readonly session: string | null;
}

/** A short digest of what a token depends on: another password or version, and it no longer fits. */
export const stateOfAccount = (account: {
  readonly password: string | null;
  readonly tokenVersion: number | null;
}): string =>
  createHash('sha256')
    .update(`${account.password ?? ''}.${account.tokenVersion ?? 0}`)
    .digest('base64url')
    .slice(0, 22);

const SHAPE = /^[\w-]+\.[\w-]+\.[\w-]*$/;
const SUBJECT = 'content-user';
const MAX_ROW_ID = 2 ** 31 - 1;

/** Signs and checks JSON Web Tokens with one fixed algorithm. */
@Injectable()
export class JsonWebTokens {
  private readonly keys: readonly Uint8Array[];

  constructor(@Inject(USERS_OPTIONS) private readonly options: ResolvedUsersOptions) {
    this.keys = options.secrets.map((secret) => new TextEncoder().encode(secret));
  }

  sign({ id, state, session }: TokenClaims): Promise<string> {
    const { algorithm, expiresIn, claims } = this.options;
    const token = new SignJWT({
      id,
      v: state,
      ...(session === null ? {} : { sid: session }),
    }).setProtectedHeader({ alg: algorithm, typ: 'JWT' });
    if (claims.issuer !== undefined) token.setIssuer(claims.issuer);
    if (claims.audience !== undefined) token.setAudience(claims.audience);
    return token
      .setSubject(SUBJECT)
      .setIssuedAt()
      .setExpirationTime(Math.floor(Date.now() / 1000) + expiresIn)
      .sign(this.keys[0] as Uint8Array);
  }

  /** Whether a bearer token is a JSON Web Token at all. */
  isOne(bearer: string): boolean {
    return SHAPE.test(bearer);
  }

  /** The claims of a token that is ours and not expired; null for any other. */
  async read(bearer: string): Promise<TokenClaims | null> {
    for (const key of this.keys) {
      const payload = await jwtVerify(bearer, key, {
        algorithms: [this.options.algorithm],
        subject: SUBJECT,
        requiredClaims: ['exp', 'iat'],
        ...this.options.claims,
      }).then(
        (verified) => verified.payload,
        () => null,
      );
      if (payload === null) continue;
      const { id, v, sid } = payload;
      if (Number.isInteger(id) && (id as number) > 0 && (id as number) <= MAX_ROW_ID && typeof v === 'string')
        return { id: id as number, state: v, session: typeof sid === 'string' ? sid : null };
    }
    return null;
  }
}
