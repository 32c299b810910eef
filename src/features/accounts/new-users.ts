/** Users that the host creates, with any role: for the command line. */
import { Inject, Injectable } from '@nestjs/common';
import { application } from '../../kernel/errors.js';
import { AccountRepository } from './account-repository.js';
import { readFields } from './read-fields.js';
import { Roles } from './roles.js';
import { isTaken } from './sign-in.service.js';

export interface NewUser {
  readonly username: string;
  readonly email: string;
  /** In plain text; only its hash is stored. */
  readonly password: string;
  /** Grant name of the role. */
  readonly role: string;
}

@Injectable()
export class NewUsers {
  constructor(
    @Inject(AccountRepository) private readonly accounts: AccountRepository,
    @Inject(Roles) private readonly roles: Roles,
  ) {}

  /** Grant names of the roles that a user can have. */
  async roleNames(): Promise<readonly string[]> {
    // Creates the roles that only the code names.
    await this.roles.load();
    return (await this.roles.all()).map(({ type }) => type).filter((type) => type !== 'public');
  }

  /**
   * Creates a user who can sign in at once, without a mail. Throws a ContentError for invalid values, a taken
   * name or address, and an unknown role.
   */
  async create({ role, ...given }: NewUser): Promise<void> {
    const names = await this.roleNames();
    if (!names.includes(role)) {
      const roleNames = names.map((name) => `"${name}"`).join(', ');
      throw application(`There is no role "${role}" for users. Roles: ${roleNames}`);
    }
    const fields = readFields(given, { username: 'text', email: 'email', password: 'password' });
    const values = { ...fields, provider: 'local', confirmed: true, blocked: false };
    await this.accounts.create(values, role).catch((error: unknown) => {
      throw isTaken(error) ? application('A user has this name or e-mail address') : error;
    });
  }
}
