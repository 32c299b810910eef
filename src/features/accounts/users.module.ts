import {
  type ConfigurableModuleAsyncOptions,
  type DynamicModule,
  Inject,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type OnModuleInit,
} from '@nestjs/common';
import { AccountHooks, foreignUser } from './account-hooks.js';
import { AccountTables } from './account-tables.js';
import { authPaths } from './auth-paths.js';
import { userPaths } from './user-paths.js';
import { AccountRepository } from './account-repository.js';
import { DefaultRoles } from './default-roles.js';
import { EditorInvitations } from './editor-invitations.js';
import { AccountsOfPeople } from './editor-people.js';
import { EditorSessions } from './editor-sessions.js';
import { JsonWebTokens } from './json-web-tokens.js';
import { NewUsers } from './new-users.js';
import { MailedCodes } from './mailed-codes.js';
import { RateLimits } from './rate-limits.js';
import { RefreshTokens } from './refresh-tokens.js';
import { Roles } from './roles.js';
import { Sessions } from './sessions.js';
import { SignIn } from './sign-in.service.js';
import { UserStrategy } from './user-strategy.js';
import {
  type ResolvedUsersOptions,
  resolveUsersOptions,
  USERS_OPTIONS,
  type UsersOptions,
} from './users.options.js';
import { ArchiveParts } from '../../content/documents/archive-parts.js';
import { unusedRoles } from './compile-unused-roles.js';
import { ContentOpenApi } from '../../content/http/content-openapi.js';
import { AuthController } from './auth.controller.js';
import { RolesController } from './roles.controller.js';
import { CONTENT_MODULE, type ContentRoutes } from '../../content/http/routes.js';
import { UsersController } from './users.controller.js';
import { checkAsyncOptions } from '../../content/http/async-options.js';
import { DecoratedProviders } from '../../content/documents/decorated-providers.js';
import { ContentMailSender } from './mail-sender.js';
import { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } from './users.module-definition.js';

/**
 * Options of `UsersModule.forRootAsync`, from one of `useFactory` (with `inject`), `useClass` and
 * `useExisting` (of a `UsersOptionsFactory`).
 */
export type UsersModuleAsyncOptions = ConfigurableModuleAsyncOptions<UsersOptions, 'createUsersOptions'>;

/**
 * Users who register, sign in and have a role: `/api/auth/…`, `/api/users` and `/api/users-permissions/…`
 * (protocol section 19). Their types have to be among the content types.
 *
 * @example
 * imports: [
 *   ContentModule.forRoot({
 *     contentTypes: [article, ...userTypes()],
 *     access: { roles: { authenticated: { article: ['find'] } } },
 *     …
 *   }),
 *   UsersModule.forRoot({ secret: process.env.JWT_SECRET }),
 * ]
 *
 * @publicApi
 */
@Module({
  controllers: [AuthController, UsersController, RolesController],
  providers: [
    { provide: USERS_OPTIONS, useFactory: resolveUsersOptions, inject: [MODULE_OPTIONS_TOKEN] },
    AccountTables,
    Roles,
    AccountRepository,
    UserStrategy,
    AccountHooks,
    DefaultRoles,
    JsonWebTokens,
    RefreshTokens,
    Sessions,
    RateLimits,
    MailedCodes,
    SignIn,
    EditorInvitations,
    EditorSessions,
    AccountsOfPeople,
    NewUsers,
  ],
  exports: [SignIn, Sessions, Roles],
})
export class UsersModule extends ConfigurableModuleClass implements NestModule, OnModuleInit {
  constructor(
    @Inject(CONTENT_MODULE) private readonly routes: ContentRoutes,
    @Inject(MailedCodes) private readonly codes: MailedCodes,
    @Inject(DecoratedProviders) private readonly decorated: DecoratedProviders,
    @Inject(ContentOpenApi) private readonly openApi: ContentOpenApi,
    @Inject(ArchiveParts) private readonly archive: ArchiveParts,
    @Inject(USERS_OPTIONS) private readonly options: ResolvedUsersOptions,
  ) {
    super();
  }

  /** Creates the module with static options. A secret of fewer than 32 bytes prevents the start. */
  static override forRoot(options: UsersOptions): DynamicModule {
    return super.forRoot(options);
  }

  /**
   * Creates the module with options from a factory, such as a secret from a vault. Throws unless there is
   * exactly one source.
   */
  static override forRootAsync(options: UsersModuleAsyncOptions): DynamicModule {
    checkAsyncOptions('UsersModule', options);
    return super.forRootAsync(options);
  }

  onModuleInit(): void {
    this.codes.start(() => this.decorated.one(ContentMailSender));
    this.openApi.add(authPaths(this.options));
    this.openApi.add(userPaths);
    this.archive.add({ replaceable: { role: unusedRoles }, completes: { user: foreignUser } });
  }

  configure(_consumer: MiddlewareConsumer): void {
    this.routes.setPath(AuthController, 'auth');
    this.routes.setPath(UsersController, 'users');
    this.routes.setPath(RolesController, 'users-permissions');
  }
}
