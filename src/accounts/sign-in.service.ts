import { Logger } from '@nestjs/common';
import { SYSTEM } from '../access/caller.js';
import { ContentService } from '../documents/content.service.js';
import type { Documents } from '../documents/documents.service.js';
import { hashPassword, verifyPassword } from '../documents/passwords.js';
import { ContentError, forbidden, type Issue, issuesError, validationError } from '../errors.js';
import { isObject } from '../json.js';
import type { ScalarAttribute } from '../schema/model.js';
import { type Account, type Accounts, hashToken, lowerCase, newToken, NO_CODE } from './accounts.js';
import { readFields } from './read-fields.js';
import type { Roles } from './roles.js';
import type { Issued, Sessions } from './sessions.js';
import type { Mail, ResolvedUsersOptions } from './users.options.js';

/** What sign-in answers. */
export interface SignedIn extends Partial<Issued> {
  readonly user: Readonly<Record<string, unknown>>;
}

/** What {@link SignIn} stands on. */
export interface SignInBase {
  readonly accounts: Accounts;
  readonly documents: Documents;
  readonly sessions: Sessions;
  readonly roles: Roles;
  readonly options: ResolvedUsersOptions;
}

const REGISTER_FIELDS = ['username', 'email', 'password'];
const RESET_HOURS = 1;

const application = (message: string): ContentError => new ContentError('ApplicationError', message);

/** A key that is no name is not repeated: it may be a whole body that was sent in the wrong form. */
const shownKey = (key: string): string => (/^[\w.-]{1,64}$/.test(key) ? key : '(not a name)');

/** Whether an error says that a unique attribute is taken. */
export const isTaken = (error: unknown): error is ContentError => {
  const issues = error instanceof ContentError ? error.details['errors'] : undefined;
  return (
    Array.isArray(issues) &&
    (issues as Issue[]).every(({ message }) => message === 'This attribute must be unique')
  );
};

/** Registration, sign-in and everything about passwords and addresses (protocol section 19). */
export class SignIn {
  private readonly logger = new Logger('ContentUsers');
  private readonly users: ContentService;

  constructor(private readonly base: SignInBase) {
    this.users = new ContentService(base.documents, base.accounts.type);
  }

  /** 19.1–19.4. The same time and answer for an unknown name as for a wrong password. */
  async local(body: unknown): Promise<SignedIn> {
    if (!this.base.options.local) throw application('This provider is disabled');
    const { identifier, password } = readFields(body, { identifier: 'text', password: 'text' });
    const account = await this.base.accounts.byIdentifier(identifier.trim());
    const right = await verifyPassword(password, account?.password ?? null);
    if (account === null || !right) throw validationError('Invalid identifier or password');
    if (this.base.options.register.confirm && account.confirmed !== true)
      throw application('Your account email is not confirmed');
    return this.signedIn(account);
  }

  /** 19.6, 19.7. Only the named fields can be set: nobody registers as confirmed, or with a role. */
  async register(body: unknown): Promise<SignedIn> {
    const { register } = this.base.options;
    if (!register.enabled) throw application('Register action is currently disabled');
    const given = isObject(body) ? body : {};
    const allowed = [...REGISTER_FIELDS, ...register.fields];
    const others = Object.keys(given).filter((key) => !allowed.includes(key));
    if (others.length > 0) throw validationError(`Invalid parameters: ${others.map(shownKey).join(', ')}`);
    const fields = readFields(given, { username: 'text', email: 'email', password: 'password' });
    const extra = Object.fromEntries(
      register.fields.flatMap((key) => (given[key] === undefined ? [] : [[key, given[key]]])),
    );
    const { documentId: role } = await this.base.roles.named(register.role);
    const created = await this.create({
      ...extra,
      ...fields,
      provider: 'local',
      role: { documentId: role },
      confirmed: !register.confirm,
      blocked: false,
    });
    const account = await this.existing({ documentId: created });
    if (!register.confirm) return this.signedIn(account);
    this.inBackground(this.mailConfirmation(account));
    return { user: await this.base.accounts.shown(created) };
  }

  private async create(values: Readonly<Record<string, unknown>>): Promise<string> {
    try {
      return ((await this.users.create(values, {}, { as: SYSTEM })) as { readonly documentId: string })
        .documentId;
    } catch (error) {
      throw isTaken(error) ? application('Email or Username are already taken') : error;
    }
  }

  /** 19.8. Always the same answer; the look-up and the mail come after it. */
  forgotPassword(body: unknown): { readonly ok: true } {
    const { email } = readFields(body, { email: 'email' });
    this.inBackground(this.mailReset(lowerCase(email)));
    return { ok: true };
  }

  /** 19.9. A code is good once, for an hour. */
  async resetPassword(body: unknown): Promise<SignedIn> {
    const { code, password, passwordConfirmation } = readFields(body, {
      code: 'text',
      password: 'password',
      passwordConfirmation: 'text',
    });
    if (password !== passwordConfirmation) throw validationError('Passwords do not match');
    const resetPasswordToken = hashToken(code);
    const account = await this.base.accounts.find({ resetPasswordToken });
    if (account === null || new Date(account.resetPasswordExpires ?? 0).getTime() < Date.now())
      throw validationError('Incorrect code provided');
    // Whoever has the code has the mailbox.
    const confirmed = this.base.options.register.confirm ? true : account.confirmed;
    const values = { password: await this.hashed(password), confirmed, ...NO_CODE, sessions: [] };
    if (!(await this.base.accounts.set({ id: account.id, resetPasswordToken }, values)))
      throw validationError('Incorrect code provided');
    return this.signedIn(await this.existing({ id: account.id }));
  }

  /** 19.10. Every token issued before is refused from now on. */
  async changePassword(documentId: string | null, body: unknown): Promise<SignedIn> {
    if (documentId === null) throw forbidden();
    const { currentPassword, password, passwordConfirmation } = readFields(body, {
      currentPassword: 'text',
      password: 'password',
      passwordConfirmation: 'text',
    });
    if (password !== passwordConfirmation) throw validationError('Passwords do not match');
    const account = await this.existing({ documentId });
    if (!(await verifyPassword(currentPassword, account.password)))
      throw validationError('The provided current password is invalid');
    if (currentPassword === password)
      throw validationError('Your new password must be different than your current password');
    const changed = await this.base.accounts.set(
      { id: account.id, password: account.password },
      { password: await this.hashed(password), ...NO_CODE, sessions: [] },
    );
    if (!changed) throw validationError('The provided current password is invalid');
    return this.signedIn(await this.existing({ documentId }));
  }

  /** 19.11. Answers where to go on. */
  async confirm(token: unknown): Promise<string> {
    if (typeof token !== 'string' || token === '') throw validationError('Invalid token');
    const done = await this.base.accounts.set(
      { confirmationToken: hashToken(token) },
      { confirmed: true, confirmationToken: null },
    );
    if (!done) throw validationError('Invalid token');
    return this.base.options.confirmedUrl;
  }

  /** 19.11. */
  async sendConfirmation(body: unknown): Promise<{ readonly email: string; readonly sent: true }> {
    const { email } = readFields(body, { email: 'email' });
    const account = await this.base.accounts.find({ email: lowerCase(email) });
    if (account?.confirmed === true) throw application('Already confirmed');
    if (account?.blocked === true) throw application('User blocked');
    if (account !== null) this.inBackground(this.mailConfirmation(account));
    return { email, sent: true };
  }

  private async signedIn(account: Account): Promise<SignedIn> {
    if (account.blocked === true) throw application('Your account has been blocked by an administrator');
    return {
      ...(await this.base.sessions.begin(account)),
      user: await this.base.accounts.shown(account.documentId),
    };
  }

  private async existing(match: Readonly<Record<string, unknown>>): Promise<Account> {
    const account = await this.base.accounts.find(match);
    if (account === null) throw forbidden();
    return account;
  }

  /** Throws a ValidationError for a password that the attribute's own rules refuse. */
  private async hashed(password: string): Promise<string> {
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = (
      this.base.accounts.type.attributes.get('password') as ScalarAttribute
    ).def;
    const issue = (message: string): ContentError =>
      issuesError([{ path: ['password'], message, name: 'ValidationError' }]);
    if (password.length < minLength) throw issue(`password must be at least ${minLength} characters`);
    if (password.length > maxLength) throw issue(`password must be at most ${maxLength} characters`);
    return hashPassword(password);
  }

  private async mailReset(email: string): Promise<void> {
    const account = await this.base.accounts.find({ email });
    if (account === null || account.blocked === true) return;
    const { token, hash } = newToken();
    await this.base.accounts.set(
      { id: account.id },
      {
        resetPasswordToken: hash,
        resetPasswordExpires: new Date(Date.now() + RESET_HOURS * 3_600_000).toISOString(),
      },
    );
    await this.send({
      to: account.email,
      subject: 'Reset password',
      text: `${linkTo(this.base.options.resetPasswordUrl, 'code', token)}\n\nIt is good for one hour.`,
    });
  }

  private async mailConfirmation(account: Account): Promise<void> {
    const { token, hash } = newToken();
    await this.base.accounts.set({ id: account.id }, { confirmationToken: hash });
    const { apiUrl } = this.base.options;
    await this.send({
      to: account.email,
      subject: 'Account confirmation',
      text: linkTo(apiUrl === null ? null : `${apiUrl}/auth/email-confirmation`, 'confirmation', token),
    });
  }

  private async send(mail: Mail): Promise<void> {
    await this.base.options.mail?.send(mail);
  }

  /** Mail takes its time, and its time would tell whether there is such a user. */
  private inBackground(work: Promise<void>): void {
    work.catch((error: unknown) =>
      this.logger.error(`A mail was not sent: ${error instanceof Error ? error.message : 'unknown error'}`),
    );
  }
}

/** The address of a page with a token; only from the options, never from the request. */
function linkTo(page: string | null, key: string, token: string): string {
  if (page === null) return token;
  const url = new URL(page);
  url.searchParams.set(key, token);
  return url.href;
}
