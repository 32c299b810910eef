import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { unauthorized } from '../access/auth-strategy.js';
import type { ContentError } from '../errors.js';
import { newVersion } from './account-hooks.js';
import { type Account, AccountRepository, type Session } from './account-repository.js';
import { JsonWebTokens, type TokenClaims } from './json-web-tokens.js';
import { RefreshTokens } from './refresh-tokens.js';

/** What a sign-in hands out. */
export interface Issued {
  readonly jwt: string;
  readonly refreshToken?: string;
}

const badToken = (): ContentError => unauthorized('Invalid refresh token');

/** Tokens, and the sessions behind them where refresh tokens are in use (protocol 19.12). */
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

  /** Signs a user in. */
  async begin(account: Account): Promise<Issued> {
    const { id, state } = account;
    const { lifetime } = this.refreshTokens;
    if (lifetime === null) return { jwt: await this.tokens.sign({ id, state, session: null }) };
    const now = Date.now();
    const session: Session = {
      id: randomUUID(),
      uses: 0,
      state,
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + lifetime * 1000).toISOString(),
    };
    await this.accounts.keepSession(id, session);
    return this.issue(id, session);
  }

  /**
   * Gives a new token and a new refresh token for one that has not been used. One that has been used, however
   * long ago, ends its session, because somebody has a copy. Throws UnauthorizedError.
   */
  async refresh(refreshToken: string): Promise<Issued> {
    const claims = this.refreshTokens.read(refreshToken);
    const account = claims === null ? null : await this.accounts.find({ id: claims.userId });
    if (claims === null || account === null || account.blocked === true) throw badToken();
    const { userId, sessionId, uses } = claims;
    const own = live(account.sessions).find(({ id, state }) => id === sessionId && state === account.state);
    if (own === undefined) throw badToken();
    const renewed = { ...own, uses: uses + 1 };
    // Of two who come with one token at once, the database lets one through.
    if (await this.accounts.keepSession(userId, renewed, { uses })) return this.issue(userId, renewed);
    await this.accounts.endSession(userId, sessionId);
    throw badToken();
  }

  /** Ends one session. A token from before there were sessions takes everything with it that was issued. */
  async end(userId: number, sessionId: string | null): Promise<void> {
    if (sessionId !== null) return this.accounts.endSession(userId, sessionId);
    await this.accounts.set({ id: userId }, { sessions: [], tokenVersion: newVersion() });
  }

  /** The claims of a token that the guard has let pass. Throws UnauthorizedError. */
  async claimsOf(bearer: string | null): Promise<TokenClaims> {
    const claims = bearer === null ? null : await this.tokens.read(bearer);
    if (claims === null) throw unauthorized();
    return claims;
  }

  /** A user's sessions, without anything that could be used. */
  async list(userId: number, current: string | null): Promise<readonly object[]> {
    const account = await this.accounts.find({ id: userId });
    return live(account?.sessions ?? []).map(({ id, createdAt, expiresAt }) => ({
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

/** Sessions that have not expired. */
export const live = (sessions: readonly Session[]): Session[] =>
  sessions.filter(({ expiresAt }) => new Date(expiresAt).getTime() > Date.now());
