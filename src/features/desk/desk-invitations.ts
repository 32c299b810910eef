import { Inject, Injectable } from '@nestjs/common';
import type { EditorAccounts } from '../../content/http/editor-accounts.js';
import { application } from '../../kernel/errors.js';
import { deskLink, DeskSite } from './desk-site.js';
import { DESK_OPTIONS, type ResolvedDeskOptions } from './desk.options.js';

const EXAMPLE = 'https://www.example.org/desk, for example';

/** Input of {@link DeskInvitations.invite}. */
export interface DeskInvitation {
  readonly email: string;
  /** Role with the grant `desk: ['open']`. Default: the only such role, or the current one of the account. */
  readonly role?: string;
  /** Address of the desk. Default: the option `url` of `DeskModule`. */
  readonly url?: string;
}

/**
 * Invites editors to the desk. Needs `UsersModule`.
 *
 * @example
 * const link = await invitations.invite({ email: 'you@example.org', url: 'https://www.example.org/desk' });
 *
 * @publicApi
 */
@Injectable()
export class DeskInvitations {
  constructor(
    @Inject(DeskSite) private readonly site: DeskSite,
    @Inject(DESK_OPTIONS) private readonly options: ResolvedDeskOptions,
  ) {}

  /**
   * Returns a link that sets the password of an account, once, within 7 days. Creates the account if there is
   * none. An account that changes its role loses its password and sessions.
   *
   * Throws a ContentError without `UsersModule` or without an address. So do a blocked account, an unclear
   * role, and one that may not open the desk.
   */
  async invite({ email, role, url }: DeskInvitation): Promise<string> {
    const address = url ?? this.options.url?.href ?? '';
    if (!URL.canParse(address)) throw application(`The address of the desk is missing: ${EXAMPLE}`);
    const code = await this.accounts.invite({ email, role: role ?? null });
    return deskLink(address, 'invitation', code);
  }

  /** Whether an account has a role that may open the desk. */
  hasEditors(): Promise<boolean> {
    return this.accounts.hasEditors();
  }

  private get accounts(): EditorAccounts {
    const { accounts } = this.site;
    if (accounts === null) throw application('Invitations to the desk need UsersModule');
    return accounts;
  }
}
