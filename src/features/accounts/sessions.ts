import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { unauthorized } from '../../content/access/auth-strategy.js';
import type { ContentError } from '../../kernel/errors.js';
import { newVersion } from './account-hooks.js';
import { type Account, AccountRepository, type Session } from './account-repository.js';
import { JsonWebTokens, type TokenClaims } from './json-web-tokens.js';
import { RefreshTokens } from './refresh-tokens.js';

export interface Issued {
  readonly jwt: string;
  readonly refreshToken?: string;
}

export const badToken = (): ContentError => unauthorized('Invalid refresh token');

/** Returns an unused session that ends after `lifetime` seconds. */
export function newSession(state: string, lifetime: number): Session {
  const now = Date.now();
  return {
    id: randomUUID(),
    uses: 0,
    state,
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + lifetime * 1000).toISOString(),
  };
}

/** Issues tokens, and manages the sessions of refresh tokens (protocol 19.12). */
@Injectable()
export class Sessions {
  constructor(
    @Inject(AccountRepository) private readonly accounts: AccountRepository,
    @Inject(JsonWebTokens) private readonly tokens: JsonWebTokens,
    @Inject(RefreshTokens) private readonly refreshTokens: RefreshTokens,
  ) {}

  get enabled(): boolean {
    return this.refreshTokens.lifetime !== null;
  }

  async begin(account: Account): Promise<Issued> {
    const { id, state } = account;
    const { lifetime } = this.refreshTokens;
    if (lifetime === null) return { jwt: await this.tokens.sign({ id, state, session: null }) };
    const session = newSession(state, lifetime);
    await this.accounts.keepSession(id, session);
    return this.issue(id, session);
  }

  /**
   * Exchanges an unused refresh token for new tokens. A used one, however old, ends its session, because it
   * was copied. Throws UnauthorizedError.
   */
  async refresh(refreshToken: string): Promise<Issued> {
    const claims = this.refreshTokens.read(refreshToken);
    const account = claims === null ? null : await this.accounts.find({ id: claims.userId });
    if (claims === null || account === null || account.blocked === true) throw badToken();
    const { userId, sessionId, uses } = claims;
    const own = liveSession(account, sessionId);
    if (own === undefined || own.deskUsedAt !== undefined) throw badToken();
    const renewed = { ...own, uses: uses + 1 };
    // Of two concurrent requests with one token, this conditional write succeeds for one.
    if (await this.accounts.keepSession(userId, renewed, { uses })) return this.issue(userId, renewed);
    await this.accounts.endSession(userId, sessionId);
    throw badToken();
  }

  /** Ends a session. A token without a session ends all sessions and voids all tokens of the user. */
  async end(userId: number, sessionId: string | null): Promise<void> {
    if (sessionId !== null) return this.accounts.endSession(userId, sessionId);
    await this.accounts.set({ id: userId }, { sessions: [], tokenVersion: newVersion() });
  }

  /** Returns the claims of a token that the guard has accepted. Throws UnauthorizedError. */
  async claimsOf(bearer: string | null): Promise<TokenClaims> {
    const claims = bearer === null ? null : await this.tokens.read(bearer);
    if (claims === null) throw unauthorized();
    return claims;
  }

  async list(userId: number, current: string | null): Promise<readonly object[]> {
    const account = await this.accounts.find({ id: userId });
    const sessions = account === null ? [] : liveSessions(account);
    return sessions.map(({ id, createdAt, expiresAt }) => ({
      id,
      createdAt,
      expiresAt,
      current: id === current,
    }));
  }

  private async issue(userId: number, { id, state, uses }: Session): Promise<Issued> {
    return {
      jwt: await this.tokens.sign({ id: userId, state, session: id }),
      refreshToken: this.refreshTokens.sign({ userId, sessionId: id, uses }),
    };
  }
}

/** Sessions of the account that have not expired, and began with its current password. */
export const liveSessions = ({ sessions, state }: Account): readonly Session[] =>
  sessions.filter((one) => one.state === state && new Date(one.expiresAt).getTime() > Date.now());

export const liveSession = (account: Account, sessionId: string): Session | undefined =>
  liveSessions(account).find(({ id }) => id === sessionId);
