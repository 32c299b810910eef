import { createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type ResolvedUsersOptions, USERS_OPTIONS } from './users.options.js';

/** What a refresh token says: whose it is, of which session, and how often that was refreshed before. */
export interface RefreshClaims {
  readonly userId: number;
  readonly sessionId: string;
  readonly uses: number;
}

const SHAPE = /^([1-9]\d{0,9})\.([\w-]{1,64})\.(\d{1,9})\.([\w-]{43})$/;
const MAX_ROW_ID = 2 ** 31 - 1;

/** What is signed; no JSON Web Token begins like this, so that neither can stand for the other. */
const signature = (secret: string, claims: string): Buffer =>
  createHmac('sha256', secret).update(`refresh token ${claims}`).digest();

/**
 * Refresh tokens are signed, and nothing of them is kept: any that was ever issued is known again, and the
 * number in it says whether it is the one that is good now.
 */
@Injectable()
export class RefreshTokens {
  constructor(
    @Inject(USERS_OPTIONS) private readonly options: Pick<ResolvedUsersOptions, 'secrets' | 'refresh'>,
  ) {}

  /** Seconds that a sign-in lasts; null where there are no refresh tokens. */
  get lifetime(): number | null {
    return this.options.refresh;
  }

  sign({ userId, sessionId, uses }: RefreshClaims): string {
    const claims = `${userId}.${sessionId}.${uses}`;
    const [secret = ''] = this.options.secrets;
    return `${claims}.${signature(secret, claims).toString('base64url')}`;
  }

  /** The claims of a token that was issued here; null for any other. */
  read(token: string): RefreshClaims | null {
    const [, userId = '', sessionId = '', uses = '', sent = ''] = SHAPE.exec(token) ?? [];
    const claims = `${userId}.${sessionId}.${uses}`;
    const given = Buffer.from(sent, 'base64url');
    const ours = this.options.secrets.some((secret) => {
      const right = signature(secret, claims);
      return right.length === given.length && timingSafeEqual(right, given);
    });
    return ours && Number(userId) <= MAX_ROW_ID
      ? { userId: Number(userId), sessionId, uses: Number(uses) }
      : null;
  }
}
