import { createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type ResolvedUsersOptions, USERS_OPTIONS } from './users.options.js';

export interface RefreshClaims {
  readonly userId: number;
  readonly sessionId: string;
  readonly uses: number;
}

const SHAPE = /^([1-9]\d{0,9})\.([\w-]{1,64})\.(\d{1,9})\.([\w-]{43})$/;
const MAX_ROW_ID = 2 ** 31 - 1;

/**
 * Signs the claims with a prefix. No JSON Web Token begins with it, so one token cannot pass as the other.
 */
const signature = (secret: string, claims: string): Buffer =>
  createHmac('sha256', secret).update(`refresh token ${claims}`).digest();

/**
 * Signs and verifies refresh tokens without storing them. Every issued token stays recognisable, and its
 * number shows whether it was used before.
 */
@Injectable()
export class RefreshTokens {
  constructor(
    @Inject(USERS_OPTIONS) private readonly options: Pick<ResolvedUsersOptions, 'secrets' | 'refresh'>,
  ) {}

  /** Lifetime of a sign-in in seconds; null if refresh tokens are off. */
  get lifetime(): number | null {
    return this.options.refresh;
  }

  sign({ userId, sessionId, uses }: RefreshClaims): string {
    const claims = `${userId}.${sessionId}.${uses}`;
    const [secret = ''] = this.options.secrets;
    return `${claims}.${signature(secret, claims).toString('base64url')}`;
  }

  read(token: string): RefreshClaims | null {
    const [, userId = '', sessionId = '', uses = '', sent = ''] = SHAPE.exec(token) ?? [];
    const claims = `${userId}.${sessionId}.${uses}`;
    const received = Buffer.from(sent, 'base64url');
    const ours = this.options.secrets.some((secret) => {
      const right = signature(secret, claims);
      return right.length === received.length && timingSafeEqual(right, received);
    });
    return ours && Number(userId) <= MAX_ROW_ID
      ? { userId: Number(userId), sessionId, uses: Number(uses) }
      : null;
  }
}
