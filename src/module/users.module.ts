import {
  type DynamicModule,
  Inject,
  Logger,
  type MiddlewareConsumer,
  Module,
  type ModuleMetadata,
  type NestModule,
  type OnApplicationBootstrap,
  type OnModuleInit,
  type InjectionToken,
  type OptionalFactoryDependency,
  type Provider,
} from '@nestjs/common';
import { ContentAccess } from '../access/content-access.js';
import { Accounts } from '../accounts/accounts.js';
import { JsonWebTokens } from '../accounts/json-web-tokens.js';
import { RateLimits } from '../accounts/rate-limits.js';
import { RefreshTokens } from '../accounts/refresh-tokens.js';
import { Roles } from '../accounts/roles.js';
import { Sessions } from '../accounts/sessions.js';
import { SignIn } from '../accounts/sign-in.service.js';
import { UserStrategy } from '../accounts/user-strategy.js';
import { accountHooks } from '../accounts/account-hooks.js';
import {
  resolveUsersOptions,
  type ResolvedUsersOptions,
  type UsersOptions,
} from '../accounts/users.options.js';
import { CONTENT_BASE, type DocumentsBase } from '../documents/documents-base.js';
import { Documents } from '../documents/documents.service.js';
import { AuthController } from '../http/auth.controller.js';
import { RolesController } from '../http/roles.controller.js';
import { ContentRoutes } from '../http/routes.js';
import { UsersController } from '../http/users.controller.js';

const OPTIONS = Symbol('UsersOptions');
const PARTS = Symbol('UsersParts');

/** What the module connects at the start. */
interface Parts {
  readonly access: ContentAccess;
  readonly accounts: Accounts;
  readonly routes: ContentRoutes;
  readonly base: DocumentsBase;
  readonly options: ResolvedUsersOptions;
  readonly strategy: UserStrategy;
  readonly roles: Roles;
}

/** Options of `UsersModule.forRootAsync`. */
export interface UsersModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  readonly inject?: (InjectionToken | OptionalFactoryDependency)[];
  readonly useFactory: (...dependencies: never[]) => UsersOptions | Promise<UsersOptions>;
}

const PROVIDERS: Provider[] = [
  {
    provide: Accounts,
    useFactory: (base: DocumentsBase, documents: Documents) => new Accounts(base, documents),
    inject: [CONTENT_BASE, Documents],
  },
  {
    provide: Roles,
    useFactory: (base: DocumentsBase, documents: Documents, access: ContentAccess) =>
      new Roles(base, documents, access),
    inject: [CONTENT_BASE, Documents, ContentAccess],
  },
  {
    provide: JsonWebTokens,
    useFactory: (options: ResolvedUsersOptions) => new JsonWebTokens(options),
    inject: [OPTIONS],
  },
  {
    provide: RateLimits,
    useFactory: (options: ResolvedUsersOptions) => new RateLimits(options),
    inject: [OPTIONS],
  },
  {
    provide: Sessions,
    useFactory: (accounts: Accounts, tokens: JsonWebTokens, options: ResolvedUsersOptions) =>
      new Sessions(accounts, { access: tokens, refresh: new RefreshTokens(options) }, options),
    inject: [Accounts, JsonWebTokens, OPTIONS],
  },
  {
    provide: SignIn,
    useFactory: (
      ...[accounts, documents, sessions, roles, options]: [
        Accounts,
        Documents,
        Sessions,
        Roles,
        ResolvedUsersOptions,
      ]
    ) => new SignIn({ accounts, documents, sessions, roles, options }),
    inject: [Accounts, Documents, Sessions, Roles, OPTIONS],
  },
  {
    provide: PARTS,
    useFactory: (
      ...[access, accounts, routes, base, options, strategy, roles]: [
        ContentAccess,
        Accounts,
        ContentRoutes,
        DocumentsBase,
        ResolvedUsersOptions,
        UserStrategy,
        Roles,
      ]
    ): Parts => ({ access, accounts, routes, base, options, strategy, roles }),
    inject: [ContentAccess, Accounts, ContentRoutes, CONTENT_BASE, OPTIONS, UserStrategy, Roles],
  },
  {
    provide: UserStrategy,
    useFactory: (accounts: Accounts, tokens: JsonWebTokens, roles: Roles) =>
      new UserStrategy(accounts, tokens, roles),
    inject: [Accounts, JsonWebTokens, Roles],
  },
];

/**
 * Users who register, sign in and have a role: `/api/auth/…`, `/api/users` and `/api/users-permissions/…`
 * (protocol section
 * 19). Their types have to be among the content types.
 *
 * @example
 * imports: [
 *   ContentModule.forRoot({ contentTypes: [article, ...userTypes()], access: { roles: { authenticated: { article: ['find'] } } }, … }),
 *   UsersModule.forRoot({ secret: process.env.JWT_SECRET }),
 * ]
 *
 * @publicApi
 */
@Module({})
export class UsersModule implements NestModule, OnModuleInit, OnApplicationBootstrap {
  private hasRoles = false;

  constructor(@Inject(PARTS) private readonly parts: Parts) {}

  /** Throws an Error for a secret of fewer than 32 bytes. */
  static forRoot(options: UsersOptions): DynamicModule {
    return define([], { provide: OPTIONS, useFactory: () => resolveUsersOptions(options) });
  }

  /** Options from a factory, a secret from a vault for example. */
  static forRootAsync({ imports = [], inject = [], useFactory }: UsersModuleAsyncOptions): DynamicModule {
    const make = useFactory as (...args: unknown[]) => UsersOptions | Promise<UsersOptions>;
    return define(imports, {
      provide: OPTIONS,
      useFactory: async (...args: unknown[]) => resolveUsersOptions(await make(...args)),
      inject,
    });
  }

  async onModuleInit(): Promise<void> {
    const { access, accounts, base, options, strategy, roles } = this.parts;
    access.addStrategy(strategy);
    access.addSource(roles);
    for (const [metadata, hook] of accountHooks(accounts.type)) base.hooks.add(metadata, hook);
    if (options.mail === null)
      new Logger('ContentUsers').log('Without "mail" nobody can reset a password or confirm an address');
    await this.makeRoles();
  }

  /** The host may have made the tables meanwhile. */
  onApplicationBootstrap(): Promise<void> {
    return this.makeRoles();
  }

  /** So that the host's code finds the default roles; without tables they come with the first request. */
  private async makeRoles(): Promise<void> {
    const { base, roles } = this.parts;
    if (this.hasRoles || (await base.database.problems()).length > 0) return;
    await roles.load().then(
      () => (this.hasRoles = true),
      () => undefined,
    );
  }

  configure(_consumer: MiddlewareConsumer): void {
    this.parts.routes.place(AuthController, 'auth');
    this.parts.routes.place(UsersController, 'users');
    this.parts.routes.place(RolesController, 'users-permissions');
  }
}

const define = (imports: NonNullable<DynamicModule['imports']>, options: Provider): DynamicModule => ({
  module: UsersModule,
  imports,
  controllers: [AuthController, UsersController, RolesController],
  providers: [options, ...PROVIDERS],
  exports: [SignIn, Sessions, Roles],
});
