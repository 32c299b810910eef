import { type AuthStrategy, type Credentials, type Identity, unauthorized } from '../access/auth-strategy.js';
import type { Accounts } from './accounts.js';
import type { JsonWebTokens } from './json-web-tokens.js';
import type { Roles } from './roles.js';
import { live } from './sessions.js';

/**
 * Users by their JSON Web Token. The account is looked at on every request, in one statement: a token is
 * refused as soon as its user is blocked or gone, the password is another, or its session has ended.
 */
export class UserStrategy implements AuthStrategy {
  readonly name = 'user';

  constructor(
    private readonly accounts: Accounts,
    private readonly tokens: JsonWebTokens,
    private readonly roles: Roles,
  ) {}

  async authenticate({ bearer }: Credentials): Promise<Identity | null> {
    if (bearer === null || !this.tokens.isOne(bearer)) return null;
    const claims = await this.tokens.read(bearer);
    if (claims === null) throw unauthorized();
    const account = await this.accounts.find({ id: claims.id });
    if (account === null || account.blocked === true || account.state !== claims.state) throw unauthorized();
    if (claims.session !== null && !live(account.sessions).some(({ id }) => id === claims.session))
      throw unauthorized();
    const role = await this.roles.typeOf(account.role);
    return { kind: 'user', id: account.documentId, roles: role === null ? [] : [role] };
  }
}
