/** Mailed codes that prove access to a mailbox: to reset a password, and to confirm an address. */
import { Inject, Injectable, Logger } from '@nestjs/common';
import { BackgroundWork } from '../../content/store/background-work.js';
import { application, validationError } from '../../kernel/errors.js';
import { type Account, AccountRepository, hashToken, newToken } from './account-repository.js';
import { readFields } from './read-fields.js';
import { type MailSender, type ResolvedUsersOptions, USERS_OPTIONS } from './users.options.js';

const RESET_HOURS = 1;

interface ResetMail {
  /** Whether the account gets the mail. */
  readonly admits: (account: Account) => boolean | Promise<boolean>;
  /** Returns the link in the mail. */
  readonly linkTo: (code: string) => string;
}

/** Mails codes, and confirms an address by its code (protocol 19.8, 19.11). */
@Injectable()
export class MailedCodes {
  private readonly logger = new Logger('ContentUsers');
  private sender: MailSender | null;

  constructor(
    @Inject(AccountRepository) private readonly accounts: AccountRepository,
    @Inject(USERS_OPTIONS) private readonly options: ResolvedUsersOptions,
    @Inject(BackgroundWork) private readonly background: BackgroundWork,
  ) {
    this.sender = options.mail;
  }

  /** Sets the sender from the options, or else from `found`, which may return null. */
  start(found: () => MailSender | null): void {
    this.sender ??= found();
    if (this.sender === null)
      this.logger.log(
        'No mail is sent: set "mail" or mark a provider with @ContentMailSender() to reset passwords and ' +
          'confirm addresses',
      );
  }

  /** 19.8. Returns the same response for every address. The lookup and the mail come after the response. */
  forgotPassword(body: unknown, mail: ResetMail = this.resetMail): { readonly ok: true } {
    const { email } = readFields(body, { email: 'email' });
    this.inBackground(() => this.mailReset(email, mail));
    return { ok: true };
  }

  /** Whether mails are sent. */
  get isSending(): boolean {
    return this.sender !== null;
  }

  /** 19.11. Returns the URL to redirect to. */
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

  /** Mails the account's own address a confirmation link, after the response. */
  askToConfirm(account: Account): void {
    this.inBackground(() => this.mailConfirmation(account));
  }

  private get resetMail(): ResetMail {
    const { resetPasswordUrl } = this.options;
    return { admits: () => true, linkTo: (code) => linkTo(resetPasswordUrl, 'code', code) };
  }

  /** Without a sender, a code would only replace that of an invitation. Without passwords, it is refused. */
  private async mailReset(email: string, { admits, linkTo: linkOf }: ResetMail): Promise<void> {
    if (this.sender === null || !this.options.local) return;
    const account = await this.accounts.byEmail(email);
    if (account === null || account.blocked === true || !(await admits(account))) return;
    const expires = new Date(Date.now() + RESET_HOURS * 3_600_000).toISOString();
    // Any client can send this request. It must not void an invitation, which is valid for longer.
    const { password, resetPasswordExpires } = account;
    if (password === null && Date.parse(resetPasswordExpires ?? '') > Date.parse(expires)) return;
    const { token, hash } = newToken();
    const code = { resetPasswordToken: hash, resetPasswordExpires: expires };
    const text = `${linkOf(token)}\n\nThe code expires in one hour.`;
    if (!(await this.store(account, code))) return;
    await this.sender.send({ to: account.email, subject: 'Reset password', text });
  }

  private async mailConfirmation(account: Account): Promise<void> {
    const { token, hash } = newToken();
    const { apiUrl } = this.options;
    const page = apiUrl === null ? null : `${apiUrl}/auth/email-confirmation`;
    const text = linkTo(page, 'confirmation', token);
    if (!(await this.store(account, { confirmationToken: hash }))) return;
    await this.sender?.send({ to: account.email, subject: 'Account confirmation', text });
  }

  /** Stores a code, and returns whether the account still has the address to which it is mailed. */
  private store({ id, email }: Account, code: Readonly<Record<string, unknown>>): Promise<boolean> {
    return this.accounts.set({ id, email }, code);
  }

  /** Runs after the response, because the time of a mail would reveal that the user exists. */
  private inBackground(work: () => Promise<void>): void {
    this.background
      .run('content.accounts.mail', work)
      .catch((error: unknown) =>
        this.logger.error(
          `Could not send a mail: ${error instanceof Error ? error.message : 'unknown error'}`,
        ),
      );
  }
}

/** Returns the URL of a page with a token. The page comes from the options, never from the request. */
function linkTo(page: string | null, key: string, token: string): string {
  if (page === null) return token;
  const url = new URL(page);
  url.searchParams.set(key, token);
  return url.href;
}
