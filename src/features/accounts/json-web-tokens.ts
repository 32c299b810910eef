import { present } from '../../kernel/present.js';
import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { jwtVerify, SignJWT } from 'jose';
import { isCount } from '../../kernel/json.js';
import { type ResolvedUsersOptions, USERS_OPTIONS } from './users.options.js';

export interface TokenClaims {
  /** Row id of the user, which is never reused (protocol 19.14). */
  readonly id: number;
  /** Digest of the account when the token was issued. It changes with the password or the token version. */
  readonly state: string;
  /** Session id; null if refresh tokens are off. */
  readonly session: string | null;
}

/** Returns a short digest of the password and the token version. A token with another digest is refused. */
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

@Injectable()
export class JsonWebTokens {
  private readonly keys: readonly Uint8Array[];

  constructor(@Inject(USERS_OPTIONS) private readonly options: ResolvedUsersOptions) {
    this.keys = options.secrets.map((secret) => new TextEncoder().encode(secret));
  }

  sign({ id, state, session }: TokenClaims, expiresIn = this.options.expiresIn): Promise<string> {
    const { algorithm, claims } = this.options;
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
      .sign(present(this.keys[0], 'The secret'));
  }

  isOne(bearer: string): boolean {
    return SHAPE.test(bearer);
  }

  /** Returns the claims of a token that this application signed and that has not expired; otherwise null. */
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
      if (isCount(id) && id > 0 && id <= MAX_ROW_ID && typeof v === 'string')
        return { id, state: v, session: typeof sid === 'string' ? sid : null };
    }
    return null;
  }
}
