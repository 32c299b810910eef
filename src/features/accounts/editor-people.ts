/** Accounts and roles as the desk shows and changes them, in addition to the routes of the API. */
import { Inject, Injectable } from '@nestjs/common';
import { ContentAccess } from '../../content/access/content-access.js';
import {
  type EditorPeople,
  type ListedRole,
  type ListedSession,
  ProvidesEditorPeople,
} from '../../content/http/editor-accounts.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { notFound } from '../../kernel/errors.js';
import { type Account, AccountRepository } from './account-repository.js';
import { EditorInvitations } from './editor-invitations.js';
import { JsonWebTokens } from './json-web-tokens.js';
import { isTree } from './permission-tree.js';
import { Roles } from './roles.js';
import { liveSession, liveSessions, Sessions } from './sessions.js';

@ProvidesEditorPeople()
@Injectable()
export class AccountsOfPeople implements EditorPeople {
  constructor(
    @Inject(AccountRepository) private readonly accounts: AccountRepository,
    @Inject(EditorInvitations) private readonly invitations: EditorInvitations,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(JsonWebTokens) private readonly tokens: JsonWebTokens,
    @Inject(Roles) private readonly stored: Roles,
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
  ) {}

  inviteAgain(documentId: string): Promise<string> {
    return this.invitations.again(documentId);
  }

  async endSessions(documentId: string): Promise<void> {
    await this.sessions.end((await this.existing(documentId)).id, null);
  }

  async sessionsOf(documentId: string, bearer: string | null): Promise<readonly ListedSession[]> {
    const account = await this.existing(documentId);
    const claims = bearer === null ? null : await this.tokens.read(bearer);
    return liveSessions(account).map(({ id, createdAt, expiresAt, deskUsedAt = null }) => ({
      id,
      createdAt,
      expiresAt,
      usedAt: deskUsedAt,
      current: id === claims?.session,
    }));
  }

  async endSession(documentId: string, id: string): Promise<void> {
    const account = await this.existing(documentId);
    if (liveSession(account, id) === undefined) throw notFound();
    await this.accounts.endSession(account.id, id);
  }

  async roles(): Promise<readonly ListedRole[]> {
    // Creates the roles that only the code names.
    await this.stored.load();
    const [roles, sizes] = await Promise.all([this.stored.all(), this.stored.sizes()]);
    return roles.map(({ id, documentId, name, description, type, grants }) => {
      const inCode = this.access.grantsInCode(type);
      return {
        id,
        documentId,
        name,
        description,
        type,
        users: sizes.get(documentId) ?? 0,
        inCode,
        stored: grants,
        editable: Object.keys(inCode).length === 0 && isTree(grants, this.schema),
      };
    });
  }

  private async existing(documentId: string): Promise<Account> {
    const account = await this.accounts.find({ documentId });
    if (account === null) throw notFound();
    return account;
  }
}
