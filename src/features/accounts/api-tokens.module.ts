import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { ContentAccess } from '../../content/access/content-access.js';
import { ApiTokens } from './api-tokens.service.js';

/**
 * API tokens for the content module: `Authorization: Bearer nca_…` (protocol 18.9, 18.10). Manage them with
 * {@link ApiTokens} or `npx nestjs-content-api token`.
 *
 * @example imports: [ContentModule.forRoot({ contentTypes: [article, apiTokenType], … }), ApiTokensModule]
 *
 * @publicApi
 */
@Module({ providers: [ApiTokens], exports: [ApiTokens] })
export class ApiTokensModule implements OnModuleInit {
  constructor(
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(ApiTokens) private readonly tokens: ApiTokens,
  ) {}

  onModuleInit(): void {
    this.access.addStrategy(this.tokens);
  }
}
