/** Exports of `nestjs-content-api/accounts`. */
export { ApiTokensModule } from './api-tokens.module.js';
export { ApiTokens } from './api-tokens.service.js';
export type { ApiToken, ApiTokenKind, NewApiToken } from './api-tokens.service.js';
export { apiTokenType, userTypes } from './account-types.js';
export { UsersModule } from './users.module.js';
export type { UsersModuleAsyncOptions } from './users.module.js';
export { ContentMailSender } from './mail-sender.js';
export type {
  Mail,
  MailSender,
  RateLimitOptions,
  UsersOptions,
  UsersOptionsFactory,
} from './users.options.js';
