/** Codes that prove whose a mailbox is: for a new password, and for the address of a new user. */
import { Inject, Injectable, Logger } from '@nestjs/common';
import { application, validationError } from '../errors.js';
import { type Account, AccountRepository, hashToken, newToken } from './account-repository.js';
import { readFields } from './read-fields.js';
import { type MailSender, type ResolvedUsersOptions, USERS_OPTIONS } from './users.options.js';

const RESET_HOURS = 1;

/** Mails codes and takes back those that confirm an address (protocol 19.8, 19.11). */
@Injectable()
export class MailedCodes {
  private readonly logger = new Logger('ContentUsers');
  private sender: MailSender | null;

  constructor(
    @Inject(AccountRepository) private readonly accounts: AccountRepository,
    @Inject(USERS_OPTIONS) private readonly options: ResolvedUsersOptions,
  ) {
    this.sender = options.mail;
  }

  /** Sends with what the options gave, or else with what `found` answers, which may be nothing. */
  start(found: () => MailSender | null): void {
    this.sender ??= found();
    if (this.sender === null)
      this.logger.log('Without "mail" nobody can reset a password or confirm an address');
  }

  /** 19.8. Always the same answer; the look-up and the mail come after it. */
  forgotPassword(body: unknown): { readonly ok: true } {
    const { email } = readFields(body, { email: 'email' });
    this.inBackground(this.mailReset(email));
    return { ok: true };
  }

  /** 19.11. Answers where to go on. */
  async confirm(token: unknown): Promise<string> {
    if (typeof token !== 'string' || token === '') throw validationError('Invalid token');
    const done = await this.accounts.set(
      { confirmationToken: hashToken(token) },
      { confirmed: true, confirmationToken: null },
    );
    if (!done) throw validationError('Invalid token');
    return this.options.confirmedUrl;
  }

  /** 19.11. */
  async sendConfirmation(body: unknown): Promise<{ readonly email: string; readonly sent: true }> {
    const { email } = readFields(body, { email: 'email' });
    const account = await this.accounts.byEmail(email);
    if (account?.confirmed === true) throw application('Already confirmed');
    if (account?.blocked === true) throw application('User blocked');
    if (account !== null) this.askToConfirm(account);
    return { email, sent: true };
  }

  /** Mails an account's own address a link that confirms it; nobody waits for that. */
  askToConfirm(account: Account): void {
    this.inBackground(this.mailConfirmation(account));
  }

  private async mailReset(email: string): Promise<void> {
    const account = await this.accounts.byEmail(email);
    if (account === null || account.blocked === true) return;
    const { token, hash } = newToken();
    const expires = new Date(Date.now() + RESET_HOURS * 3_600_000).toISOString();
    await this.accounts.set({ id: account.id }, { resetPasswordToken: hash, resetPasswordExpires: expires });
    await this.sender?.send({
      to: account.email,
      subject: 'Reset password',
      text: `${linkTo(this.options.resetPasswordUrl, 'code', token)}\n\nIt is good for one hour.`,
    });
  }

  private async mailConfirmation(account: Account): Promise<void> {
    const { token, hash } = newToken();
    await this.accounts.set({ id: account.id }, { confirmationToken: hash });
    const { apiUrl } = this.options;
    const page = apiUrl === null ? null : `${apiUrl}/auth/email-confirmation`;
    await this.sender?.send({
      to: account.email,
      subject: 'Account confirmation',
      text: linkTo(page, 'confirmation', token),
    });
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
