import { Inject, Injectable } from '@nestjs/common';
import { hashPassword, isForeignHash, verifyPassword } from '../../content/documents/passwords.js';
import {
  application,
  ContentError,
  forbidden,
  issuesOf,
  NOT_UNIQUE,
  issuesError,
  validationError,
} from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { scalarOf } from '../../content/model/scalar-of.js';
import { type Account, AccountRepository, hashToken, NO_CODE } from './account-repository.js';
import { MailedCodes } from './mailed-codes.js';
import { readFields } from './read-fields.js';
import { type Issued, Sessions } from './sessions.js';
import { type ResolvedUsersOptions, USERS_OPTIONS } from './users.options.js';

export interface SignedIn extends Partial<Issued> {
  readonly user: Readonly<Record<string, unknown>>;
}

interface NewPassword {
  readonly code: string;
  readonly password: string;
}

type AccountCheck = (account: Account) => Promise<unknown>;

const accepted: AccountCheck = () => Promise.resolve();

/** Returns the account. Throws ApplicationError if it is blocked. */
export function unblocked(account: Account): Account {
  if (account.blocked === true) throw application('Your account has been blocked by an administrator');
  return account;
}

const wrongPassword = (): ContentError => validationError('Invalid identifier or password');

const REGISTER_FIELDS = ['username', 'email', 'password'];

/** Hides a key that is not a name: it may be a whole body sent in the wrong format. */
const shownKey = (key: string): string => (/^[\w.-]{1,64}$/.test(key) ? key : '(not a name)');

/** Whether the error reports only taken unique attributes. */
export const isTaken = (error: unknown): error is ContentError => {
  const issues = issuesOf(error);
  return issues.length > 0 && issues.every(({ message }) => message === NOT_UNIQUE);
};

/** Registers and signs in users, and changes their passwords (protocol section 19). */
@Injectable()
export class SignIn {
  constructor(
    @Inject(AccountRepository) private readonly accounts: AccountRepository,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(MailedCodes) private readonly codes: MailedCodes,
    @Inject(USERS_OPTIONS) private readonly options: ResolvedUsersOptions,
  ) {}

  /** 19.1–19.4. */
  async local(body: unknown): Promise<SignedIn> {
    return this.beginSession(await this.byPassword(body));
  }

  /**
   * Returns the account of a name and its password. An unknown name takes the same time and gets the same
   * error as a wrong password.
   */
  async byPassword(body: unknown): Promise<Account> {
    this.needLocal();
    const { identifier, password } = readFields(body, { identifier: 'text', password: 'text' });
    const account = await this.accounts.byIdentifier(identifier.trim());
    const right = await verifyPassword(password, account?.password ?? null);
    if (account === null || !right) throw wrongPassword();
    if (this.options.register.confirm && account.confirmed !== true)
      throw application('Your account email is not confirmed');
    return this.replaceForeignHash(unblocked(account), password);
  }

  /**
   * Replaces a hash of another system, now that the password is known. Throws if another request has set
   * another password in the meantime.
   */
  private async replaceForeignHash(account: Account, password: string): Promise<Account> {
    if (!isForeignHash(account.password)) return account;
    const replaced = await hashPassword(password);
    await this.accounts.set({ id: account.id, password: account.password }, { password: replaced });
    const stored = await this.requireAccount({ id: account.id });
    if (stored.password !== replaced && !(await verifyPassword(password, stored.password)))
      throw wrongPassword();
    return stored;
  }

  /** 19.6, 19.7. Accepts only the listed fields, so that no request sets `confirmed` or a role. */
  async register(body: unknown): Promise<SignedIn> {
    const { register } = this.options;
    if (!register.enabled) throw application('Register action is currently disabled');
    this.needLocal();
    const input = isObject(body) ? body : {};
    const allowed = [...REGISTER_FIELDS, ...register.fields];
    const others = Object.keys(input).filter((key) => !allowed.includes(key));
    if (others.length > 0) throw validationError(`Invalid parameters: ${others.map(shownKey).join(', ')}`);
    const fields = readFields(input, { username: 'text', email: 'email', password: 'password' });
    const extra = Object.fromEntries(
      register.fields.flatMap((key) => (input[key] === undefined ? [] : [[key, input[key]]])),
    );
    const initial = { provider: 'local', confirmed: !register.confirm, blocked: false };
    const created = await this.create({ ...extra, ...fields, ...initial });
    const account = await this.requireAccount({ documentId: created });
    if (!register.confirm) return this.beginSession(account);
    this.codes.askToConfirm(account);
    return { user: await this.accounts.asAnswered(created) };
  }

  private async create(values: Readonly<Record<string, unknown>>): Promise<string> {
    try {
      return await this.accounts.create(values, this.options.register.role);
    } catch (error) {
      throw isTaken(error) ? application('Email or Username are already taken') : error;
    }
  }

  /** 19.9. */
  async resetPassword(body: unknown): Promise<SignedIn> {
    this.needLocal();
    const { code, password, passwordConfirmation } = readFields(body, {
      code: 'text',
      password: 'password',
      passwordConfirmation: 'text',
    });
    if (password !== passwordConfirmation) throw validationError('Passwords do not match');
    return this.beginSession(await this.setPassword({ code, password }));
  }

  /**
   * Sets the password of the account with a code, and returns the account. A code works once, until it
   * expires. `check` runs before the code is used, and may throw.
   */
  async setPassword({ code, password }: NewPassword, check: AccountCheck = accepted): Promise<Account> {
    const resetPasswordToken = hashToken(code);
    const account = await this.accounts.find({ resetPasswordToken });
    if (account === null || new Date(account.resetPasswordExpires ?? 0).getTime() < Date.now())
      throw validationError('Incorrect code provided');
    await check(account);
    // The code proves access to the mailbox.
    const confirmed = this.options.register.confirm ? true : account.confirmed;
    const hash = await this.hashValid(password);
    const values = { password: hash, confirmed, ...NO_CODE, sessions: [] };
    if (!(await this.accounts.set({ id: account.id, resetPasswordToken }, values)))
      throw validationError('Incorrect code provided');
    return this.requireAccount({ id: account.id, password: hash });
  }

  /** 19.10. Voids every token issued before. */
  async changePassword(documentId: string | null, body: unknown): Promise<SignedIn> {
    return this.beginSession(await this.withNewPassword(documentId, body));
  }

  /**
   * Sets the password of an account by the old one, and returns the account. All sessions end. `check` runs
   * before the password changes, and may throw.
   */
  async withNewPassword(
    documentId: string | null,
    body: unknown,
    check: AccountCheck = accepted,
  ): Promise<Account> {
    if (documentId === null) throw forbidden();
    const { currentPassword, password, passwordConfirmation } = readFields(body, {
      currentPassword: 'text',
      password: 'password',
      passwordConfirmation: 'text',
    });
    if (password !== passwordConfirmation) throw validationError('Passwords do not match');
    const account = await this.requireAccount({ documentId });
    if (!(await verifyPassword(currentPassword, account.password)))
      throw validationError('The provided current password is invalid');
    if (currentPassword === password)
      throw validationError('Your new password must be different than your current password');
    await check(account);
    const hash = await this.hashValid(password);
    const changed = await this.accounts.set(
      { id: account.id, password: account.password },
      { password: hash, ...NO_CODE, sessions: [] },
    );
    if (!changed) throw validationError('The provided current password is invalid');
    return this.requireAccount({ id: account.id, password: hash });
  }

  /** A registration and a code set a password and sign in, so that all need the same option. */
  private needLocal(): void {
    if (!this.options.local) throw application('This provider is disabled');
  }

  private async beginSession(account: Account): Promise<SignedIn> {
    unblocked(account);
    return {
      ...(await this.sessions.begin(account)),
      user: await this.accounts.asAnswered(account.documentId),
    };
  }

  private async requireAccount(match: Readonly<Record<string, unknown>>): Promise<Account> {
    const account = await this.accounts.find(match);
    if (account === null) throw forbidden();
    return account;
  }

  /** Throws a ValidationError for a password that breaks the attribute's own rules. */
  private async hashValid(password: string): Promise<string> {
    const { def } = scalarOf(this.accounts.type, 'password');
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = def;
    const issue = (message: string): ContentError =>
      issuesError([{ path: ['password'], message, name: 'ValidationError' }]);
    if (password.length < minLength) throw issue(`password must be at least ${minLength} characters`);
    if (password.length > maxLength) throw issue(`password must be at most ${maxLength} characters`);
    return hashPassword(password);
  }
}
