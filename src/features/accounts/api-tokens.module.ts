import { Inject, type MiddlewareConsumer, Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { ContentAccess } from '../../content/access/content-access.js';
import { ContentOpenApi } from '../../content/http/content-openapi.js';
import { CONTENT_MODULE, type ContentRoutes } from '../../content/http/routes.js';
import { ApiTokensController } from './api-tokens.controller.js';
import { ApiTokens } from './api-tokens.service.js';
import { tokenPaths } from './token-paths.js';

/**
 * API tokens for the content module: `Authorization: Bearer nca_…` (protocol 18.9, 18.10). Manage them with
 * {@link ApiTokens}, `npx nestjs-content-api token`, or `/api/api-tokens` under the grants on `api-token`.
 *
 * @example imports: [ContentModule.forRoot({ contentTypes: [article, apiTokenType], … }), ApiTokensModule]
 *
 * @publicApi
 */
@Module({ controllers: [ApiTokensController], providers: [ApiTokens], exports: [ApiTokens] })
export class ApiTokensModule implements NestModule, OnModuleInit {
  constructor(
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(ApiTokens) private readonly tokens: ApiTokens,
    @Inject(CONTENT_MODULE) private readonly routes: ContentRoutes,
    @Inject(ContentOpenApi) private readonly openApi: ContentOpenApi,
  ) {}

  onModuleInit(): void {
    this.access.addStrategy(this.tokens);
    this.openApi.add(tokenPaths);
  }

  configure(_consumer: MiddlewareConsumer): void {
    this.routes.setPath(ApiTokensController, 'api-tokens');
  }
}
