import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import {
  type AuthStrategy,
  type Credentials,
  type Identity,
  unauthorized,
} from '../../content/access/auth-strategy.js';
import { ContentAccess } from '../../content/access/content-access.js';
import { AccountRepository } from './account-repository.js';
import { JsonWebTokens } from './json-web-tokens.js';
import { liveSession } from './sessions.js';

/**
 * Authenticates users by JSON Web Token. Each request reads the account with one statement. The token is
 * refused once its user is blocked or deleted, the password changes, or the session ends.
 */
@Injectable()
export class UserStrategy implements AuthStrategy, OnModuleInit {
  readonly name = 'user';

  constructor(
    @Inject(AccountRepository) private readonly accounts: AccountRepository,
    @Inject(JsonWebTokens) private readonly tokens: JsonWebTokens,
    @Inject(ContentAccess) private readonly access: ContentAccess,
  ) {}

  get attributes(): readonly string[] {
    return this.accounts.attributes;
  }

  onModuleInit(): void {
    this.access.addStrategy(this);
  }

  async authenticate({ bearer }: Credentials): Promise<Identity | null> {
    if (bearer === null || !this.tokens.isOne(bearer)) return null;
    const claims = await this.tokens.read(bearer);
    if (claims === null) throw unauthorized();
    const account = await this.accounts.find({ id: claims.id });
    if (account === null || account.blocked === true || account.state !== claims.state) throw unauthorized();
    if (claims.session !== null && liveSession(account, claims.session) === undefined) throw unauthorized();
    return this.accounts.identityOf(account);
  }
}
