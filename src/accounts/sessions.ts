import { randomUUID } from 'node:crypto';
import { unauthorized } from '../access/auth-strategy.js';
import { ContentError } from '../errors.js';
import { newVersion } from './account-hooks.js';
import { type Account, type Accounts, hashToken, newToken, type Session } from './accounts.js';
import type { JsonWebTokens, TokenClaims } from './json-web-tokens.js';
import type { ResolvedUsersOptions } from './users.options.js';

/** What a sign-in hands out. */
export interface Issued {
  readonly jwt: string;
  readonly refreshToken?: string;
}

/** At most so many sign-ins of one user at a time; the oldest goes. */
const MOST = 20;
const ATTEMPTS = 5;
const badToken = (): ContentError => unauthorized('Invalid refresh token');

/** Tokens, and the sessions behind them where refresh tokens are in use (protocol 19.12). */
export class Sessions {
  constructor(
    private readonly accounts: Accounts,
    private readonly tokens: JsonWebTokens,
    private readonly options: ResolvedUsersOptions,
  ) {}

  get enabled(): boolean {
    return this.options.refresh !== null;
  }

  /** Signs a user in. */
  async begin(account: Account): Promise<Issued> {
    const { id, state } = account;
    if (this.options.refresh === null) return { jwt: await this.tokens.sign({ id, state, session: null }) };
    const now = Date.now();
    const { token, hash } = newToken();
    const session: Session = {
      id: randomUUID(),
      hash,
      previous: null,
      state,
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + this.options.refresh * 1000).toISOString(),
    };
    await this.change(account.id, ({ sessions }) => [...live(sessions), session].slice(-MOST));
    return this.issue(id, session, token);
  }

  /**
   * Gives a new token and a new refresh token for one that has not been used. One that has been used ends its
   * session, because somebody has a copy. Throws UnauthorizedError.
   */
  async refresh(refreshToken: string): Promise<Issued> {
    const [id = '', sessionId = '', secret = ''] = refreshToken.split('.');
    const userId = Number(id);
    if (!Number.isSafeInteger(userId) || userId < 1 || userId > 2 ** 31 - 1 || secret === '')
      throw badToken();
    const { token, hash } = newToken();
    let renewed: Session | null = null;
    await this.change(userId, (account) => {
      const { sessions, state, blocked } = account;
      const own = live(sessions).find((session) => session.id === sessionId && session.state === state);
      const sent = hashToken(secret);
      renewed = own?.hash === sent && blocked !== true ? { ...own, hash, previous: own.hash } : null;
      if (own === undefined || (renewed === null && own.previous !== sent)) return null;
      return sessions.flatMap((session) =>
        session.id !== sessionId ? [session] : renewed === null ? [] : [renewed],
      );
    });
    if (renewed === null) throw badToken();
    return this.issue(userId, renewed, token);
  }

  /** Ends one session. A token from before there were sessions takes everything with it that was issued. */
  async end(userId: number, sessionId: string | null): Promise<void> {
    if (sessionId !== null)
      return this.change(userId, ({ sessions }) => sessions.filter(({ id }) => id !== sessionId));
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

  private async issue(userId: number, { id, state }: Session, token: string): Promise<Issued> {
    return {
      jwt: await this.tokens.sign({ id: userId, state, session: id }),
      refreshToken: `${userId}.${id}.${token}`,
    };
  }

  /** Changes the sessions of a user as nobody else has changed them meanwhile; null leaves them. */
  private async change(id: number, next: (account: Account) => readonly Session[] | null): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const account = await this.accounts.find({ id });
      const sessions = account === null ? null : next(account);
      if (account === null || sessions === null) return;
      if (await this.accounts.set({ id, sessions: account.storedSessions }, { sessions })) return;
    }
    throw new ContentError('ConflictError', 'The sessions of this user keep changing; try again');
  }
}

/** Sessions that have not expired. */
export const live = (sessions: readonly Session[]): Session[] =>
  sessions.filter(({ expiresAt }) => new Date(expiresAt).getTime() > Date.now());
