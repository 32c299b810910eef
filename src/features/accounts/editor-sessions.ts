/** Sessions of the desk: of users with the grant `desk: ['open']`. */
import { Inject, Injectable } from '@nestjs/common';
import type { Identity } from '../../content/access/auth-strategy.js';
import { ContentAccess } from '../../content/access/content-access.js';
import {
  type EditorAccounts,
  type EditorAttempt,
  type EditorInvitation,
  type EditorSession,
  type LinkTo,
  ProvidesEditorAccounts,
} from '../../content/http/editor-accounts.js';
import { DESK_GRANT } from '../../content/model/naming.js';
import { forbidden } from '../../kernel/errors.js';
import { type Account, AccountRepository, type Session } from './account-repository.js';
import { EditorInvitations } from './editor-invitations.js';
import { JsonWebTokens } from './json-web-tokens.js';
import { MailedCodes } from './mailed-codes.js';
import { RateLimits } from './rate-limits.js';
import { fieldIn, readFields } from './read-fields.js';
import { type RefreshClaims, RefreshTokens } from './refresh-tokens.js';
import { badToken, liveSession, newSession } from './sessions.js';
import { SignIn, unblocked } from './sign-in.service.js';
import { type ResolvedUsersOptions, USERS_OPTIONS } from './users.options.js';

/** Lifetime of an access token in seconds. */
const ACCESS_SECONDS = 600;
/** Lifetime of a session in seconds, unless the option `refresh` sets one. */
const SESSION_SECONDS = 30 * 86_400;
/** Milliseconds in which a used refresh token returns its successor again. */
const GRACE = 10_000;

/**
 * Sessions of the desk are stored with those of the API. A refresh token of one cannot refresh the other.
 *
 * A refresh token is used once. For a short time, the same token returns the same successor: two tabs may
 * send it, or a response may be lost. Later, a used token ends its session, because it was copied.
 */
@ProvidesEditorAccounts()
@Injectable()
export class EditorSessions implements EditorAccounts {
  constructor(
    @Inject(AccountRepository) private readonly accounts: AccountRepository,
    @Inject(JsonWebTokens) private readonly tokens: JsonWebTokens,
    @Inject(RefreshTokens) private readonly refreshTokens: RefreshTokens,
    @Inject(SignIn) private readonly users: SignIn,
    @Inject(MailedCodes) private readonly codes: MailedCodes,
    @Inject(RateLimits) private readonly limits: RateLimits,
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(EditorInvitations) private readonly invitations: EditorInvitations,
    @Inject(USERS_OPTIONS) private readonly options: Pick<ResolvedUsersOptions, 'local' | 'secrets'>,
  ) {}

  get signsIn(): boolean {
    return this.options.local;
  }

  get sendsMail(): boolean {
    return this.codes.isSending;
  }

  signIn({ address, body }: EditorAttempt): Promise<EditorSession> {
    // The same counter as `/api/auth/local`: a second route allows no further guesses.
    const attempt = { route: 'local', address, identifier: fieldIn(body, 'identifier') };
    return this.limits.attempt(attempt, async () => this.begin(await this.users.byPassword(body)));
  }

  setPassword({ address, body }: EditorAttempt): Promise<EditorSession> {
    const attempt = { route: 'reset-password', address, identifier: fieldIn(body, 'code') };
    return this.limits.attempt(attempt, async () => {
      const fields = readFields(body, { code: 'text', password: 'password' });
      return this.begin(await this.users.setPassword(fields, (account) => this.admit(account)));
    });
  }

  changePassword(documentId: string, { address, body }: EditorAttempt): Promise<EditorSession> {
    const attempt = { route: 'change-password', address, identifier: documentId };
    return this.limits.attempt(attempt, async () =>
      this.begin(await this.users.withNewPassword(documentId, body, (account) => this.admit(account))),
    );
  }

  async forgotPassword({ address, body }: EditorAttempt, linkTo: LinkTo | null): Promise<void> {
    await this.limits.count({ route: 'forgot-password', address, identifier: fieldIn(body, 'email') });
    const admits = async (account: Account): Promise<boolean> => linkTo !== null && this.mayOpen(account);
    this.codes.forgotPassword(body, { admits, linkTo: linkTo ?? String });
  }

  async refresh(refreshToken: string, address: string): Promise<EditorSession> {
    const claims = this.refreshTokens.read(refreshToken);
    if (claims === null) {
      await this.limits.count({ route: 'desk-refresh', address, identifier: null });
      throw badToken();
    }
    // A concurrent request with the same token may be first; its result is read then.
    const renewed = (await this.renew(claims)) ?? (await this.renew(claims));
    if (renewed === null) throw badToken();
    return renewed;
  }

  async end(refreshToken: string): Promise<string | null> {
    const claims = this.refreshTokens.read(refreshToken);
    const account = claims === null ? null : await this.accounts.find({ id: claims.userId });
    if (claims === null || account === null) return null;
    if (liveSession(account, claims.sessionId)?.deskUsedAt === undefined) return null;
    await this.accounts.endSession(account.id, claims.sessionId);
    return account.documentId;
  }

  invite(invitation: EditorInvitation): Promise<string> {
    return this.invitations.invite(invitation);
  }

  get secrets(): readonly string[] {
    return this.options.secrets;
  }

  async identityOf(documentId: string): Promise<Identity | null> {
    const account = await this.accounts.find({ documentId });
    if (account === null || account.blocked === true) return null;
    return this.accounts.identityOf(account);
  }

  async nameOf(documentId: string): Promise<string | null> {
    return (await this.accounts.find({ documentId }))?.username ?? null;
  }

  hasEditors(): Promise<boolean> {
    return this.invitations.hasEditors();
  }

  private async mayOpen(account: Account): Promise<boolean> {
    const role = await this.accounts.roleOf(account);
    const permissions = await this.access.permissionsOf(role === null ? [] : [role]);
    return permissions.allows(DESK_GRANT, 'open');
  }

  private async admit(account: Account): Promise<Account> {
    if (!(await this.mayOpen(unblocked(account)))) throw forbidden();
    return account;
  }

  private async begin(account: Account): Promise<EditorSession> {
    await this.admit(account);
    const created = newSession(account.state, this.refreshTokens.lifetime ?? SESSION_SECONDS);
    const session = { ...created, deskUsedAt: created.createdAt };
    await this.accounts.keepSession(account.id, session);
    return this.issue(account, session);
  }

  /** Returns null if a concurrent request changed the session. */
  private async renew({ userId, sessionId, uses }: RefreshClaims): Promise<EditorSession | null> {
    const account = await this.accounts.find({ id: userId });
    if (account === null || account.blocked === true) throw badToken();
    const session = liveSession(account, sessionId);
    if (session?.deskUsedAt === undefined) throw badToken();
    if (!(await this.mayOpen(account))) {
      await this.accounts.endSession(userId, sessionId);
      throw forbidden();
    }
    if (session.uses === uses) {
      const next = { ...session, uses: uses + 1, deskUsedAt: new Date().toISOString() };
      return (await this.accounts.keepSession(userId, next, { uses })) ? this.issue(account, next) : null;
    }
    if (session.uses === uses + 1 && Date.now() - Date.parse(session.deskUsedAt) <= GRACE)
      return this.issue(account, session);
    await this.accounts.endSession(userId, sessionId);
    throw badToken();
  }

  private async issue(account: Account, session: Session): Promise<EditorSession> {
    const { id, documentId, username, email, state } = account;
    return {
      jwt: await this.tokens.sign({ id, state, session: session.id }, ACCESS_SECONDS),
      expiresIn: ACCESS_SECONDS,
      user: { id, documentId, username, email },
      refreshToken: this.refreshTokens.sign({ userId: id, sessionId: session.id, uses: session.uses }),
      lifetime: Math.max(0, Math.floor((Date.parse(session.expiresAt) - Date.now()) / 1000)),
    };
  }
}
