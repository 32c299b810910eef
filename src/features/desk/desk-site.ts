import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Identity } from '../../content/access/auth-strategy.js';
import type { Caller } from '../../content/access/caller.js';
import { DecoratedProviders } from '../../content/documents/decorated-providers.js';
import {
  type EditorAccounts,
  type EditorPeople,
  ProvidesEditorAccounts,
  ProvidesEditorPeople,
} from '../../content/http/editor-accounts.js';
import { ContentRoutes } from '../../content/http/routes.js';
import { AUDIT_GRANT, RELEASES_GRANT } from '../../content/model/naming.js';
import { joinPath } from '../../kernel/paths.js';
import { describePeople, describeWebhooks } from './describe-people.js';
import type { DeskScreens } from './desk-model.js';
import type { PageSettings } from './desk-page.js';
import { DESK_OPTIONS, type ResolvedDeskOptions } from './desk.options.js';
import type { PreviewClaims } from './preview-tokens.js';

type Editor = PreviewClaims['editor'];

/** Returns the address of a page with a code, in the fragment, which browsers send to no server. */
export const deskLink = (address: string, page: string, code: string): string =>
  `${address.replace(/\/+$/, '')}/${page}#${code}`;

/** Paths of the desk, and the accounts that sign in there. */
@Injectable()
export class DeskSite implements OnModuleInit {
  /** Accounts of the application; null without `UsersModule`. */
  accounts: EditorAccounts | null = null;
  /** Accounts and roles of the application; null without `UsersModule`. */
  people: EditorPeople | null = null;

  constructor(
    @Inject(DESK_OPTIONS) private readonly options: ResolvedDeskOptions,
    @Inject(ContentRoutes) private readonly routes: ContentRoutes,
    @Inject(DecoratedProviders) private readonly decorated: DecoratedProviders,
  ) {}

  onModuleInit(): void {
    this.accounts = this.decorated.one(ProvidesEditorAccounts);
    this.people = this.decorated.one(ProvidesEditorPeople);
  }

  /** Path of the desk, with the global prefix and a leading slash. */
  get base(): string {
    return joinPath(this.routes.globalAt(this.options.path), this.options.path);
  }

  /** Accounts that sign in at the desk; null if the application signs users in. */
  get sessions(): EditorAccounts | null {
    return this.options.signIn === null && this.accounts?.signsIn === true ? this.accounts : null;
  }

  /** Accounts that get mail from the desk; null without a mail sender, or without an address for links. */
  get mails(): EditorAccounts | null {
    return this.options.url !== null && this.sessions?.sendsMail === true ? this.sessions : null;
  }

  /** Secrets of the tokens of previews; the first one signs. None if no preview gets a token. */
  get previewSecrets(): readonly string[] {
    const { secret } = this.options.preview;
    return secret === null ? (this.sessions?.secrets ?? []) : [secret];
  }

  /** Returns the editor of a token as its account is now; null if it is blocked or deleted. */
  async identityOf({ kind, id, roles }: Editor): Promise<Identity | null> {
    if (kind !== 'user' || id === null || this.sessions === null) return { kind, id, roles };
    return this.sessions.identityOf(id);
  }

  /** Permissions of a caller on what the application has apart from content. */
  screensFor(caller: Caller): DeskScreens {
    const served = {
      accounts: this.people !== null,
      signsIn: this.sessions !== null,
      tokens: this.has('api-tokens'),
    };
    const opens = (route: string): boolean => this.has(route) && caller.permissions.allows(route, 'open');
    return {
      people: describePeople(caller, served),
      webhooks: describeWebhooks(caller, this.has('webhooks')),
      audit: opens(AUDIT_GRANT),
      releases: opens(RELEASES_GRANT),
    };
  }

  private has(route: string): boolean {
    return this.routes.hasRoute(`${this.routes.base}/${route}`.toLowerCase());
  }

  /** Language of the texts of a response: of the desk, or of the module of the host, else the first one. */
  languageOf(wanted: unknown): string {
    const { languages, extension } = this.options;
    const isOfHost = extension !== null && typeof wanted === 'string' && /^[a-z]{2}$/.test(wanted);
    return languages.find((one) => one === wanted) ?? (isOfHost ? wanted : (languages[0] ?? 'en'));
  }

  settings(nonce: string): PageSettings {
    const { signIn, languages, extension, look } = this.options;
    return {
      nonce,
      base: this.base,
      api: this.routes.base,
      session: this.sessions !== null,
      signIn,
      languages,
      forgotPassword: this.mails !== null,
      extension,
      look,
    };
  }
}
