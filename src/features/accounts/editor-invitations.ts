/** Invitations to the desk: codes that set the password of an account with the grant `desk: ['open']`. */
import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ContentAccess } from '../../content/access/content-access.js';
import type { EditorInvitation } from '../../content/http/editor-accounts.js';
import { DESK_GRANT } from '../../content/model/naming.js';
import { application, ContentError, notFound } from '../../kernel/errors.js';
import { type Account, AccountRepository, newToken } from './account-repository.js';
import { readFields } from './read-fields.js';
import { type Role, Roles } from './roles.js';

const VALID_DAYS = 7;
const DAY = 86_400_000;

const named = (roles: readonly Role[]): string => roles.map(({ type }) => `"${type}"`).join(', ');

/** Username of a new account: the part of the address before the @, which other users may see. */
const nameIn = (email: string): string => email.split('@', 1)[0] ?? '';

const randomName = (): string => `editor-${randomBytes(4).toString('hex')}`;

@Injectable()
export class EditorInvitations {
  constructor(
    @Inject(AccountRepository) private readonly accounts: AccountRepository,
    @Inject(Roles) private readonly roles: Roles,
    @Inject(ContentAccess) private readonly access: ContentAccess,
  ) {}

  /** Throws a ContentError for an invalid address, a blocked account, and a role that cannot be chosen. */
  async invite({ email: address, role }: EditorInvitation): Promise<string> {
    const { email } = readFields({ email: address }, { email: 'email' });
    const account = await this.accounts.byEmail(email);
    if (account?.blocked === true) throw application(`The account of ${email} is blocked`);
    const chosen = chooseRole(await this.deskRoles(), role, account);
    return this.codeFor(
      account === null ? await this.create(email, chosen) : await this.adopt(account, chosen),
    );
  }

  /**
   * Invites an account with its current role. Throws a ContentError if it cannot sign in at the desk. The
   * caller may not see the address.
   */
  async again(documentId: string): Promise<string> {
    const account = await this.accounts.find({ documentId });
    if (account === null) throw notFound();
    if (account.blocked === true) throw application('The account is blocked');
    if (!(await this.deskRoles()).some((role) => role.documentId === account.role))
      throw application('The role of the account may not open the desk');
    return this.codeFor(documentId);
  }

  /** Replaces the code of an account. */
  private async codeFor(documentId: string): Promise<string> {
    const { token, hash } = newToken();
    const resetPasswordExpires = new Date(Date.now() + VALID_DAYS * DAY).toISOString();
    await this.accounts.set({ documentId }, { resetPasswordToken: hash, resetPasswordExpires });
    return token;
  }

  async hasEditors(): Promise<boolean> {
    const sizes = await this.roles.sizes();
    return (await this.deskRoles()).some(({ documentId }) => (sizes.get(documentId) ?? 0) > 0);
  }

  /** Roles that may open the desk. */
  private async deskRoles(): Promise<readonly Role[]> {
    // Creates the roles that only the code names.
    await this.roles.load();
    const all = (await this.roles.all()).filter(({ type }) => type !== 'public');
    const allowed = await Promise.all(
      all.map(async ({ type }) => (await this.access.permissionsOf([type])).allows(DESK_GRANT, 'open')),
    );
    return all.filter((_role, index) => allowed[index]);
  }

  private async create(email: string, { type }: Role): Promise<string> {
    const make = (username: string): Promise<string> =>
      this.accounts.create({ username, email, provider: 'local', confirmed: true, blocked: false }, type);
    return make(nameIn(email)).catch((error: unknown) => {
      // The name may be taken or too short.
      if (error instanceof ContentError) return make(randomName());
      throw error;
    });
  }

  /**
   * Gives an account another role. Its password and sessions end, because another person may have registered
   * the address.
   */
  private async adopt(account: Account, role: Role): Promise<string> {
    if (account.role !== role.documentId) await this.accounts.adopt(account.documentId, role.documentId);
    return account.documentId;
  }
}

/** Returns the named role, else that of the account, else the only one. Throws ApplicationError otherwise. */
function chooseRole(roles: readonly Role[], name: string | null, account: Account | null): Role {
  if (roles.length === 0)
    throw application("No role may open the desk: grant desk: ['open'] to a role in access.roles");
  const own = roles.find(({ documentId }) => documentId === account?.role);
  const [first, ...others] = roles;
  const chosen = name === null ? own : roles.find(({ type }) => type === name);
  if (chosen !== undefined) return chosen;
  if (name !== null)
    throw application(`The role "${name}" may not open the desk. Roles that may: ${named(roles)}`);
  if (account !== null)
    throw application(
      `${account.email} has an account that may not open the desk. Name its new role: ${named(roles)}`,
    );
  if (first === undefined || others.length > 0)
    throw application(`Several roles may open the desk. Name one of them: ${named(roles)}`);
  return first;
}
