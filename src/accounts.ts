/** Exports of `nestjs-content-api/accounts`. */
export { ApiTokensModule } from './module/api-tokens.module.js';
export { ApiTokens } from './accounts/api-tokens.service.js';
export type { ApiToken, ApiTokenKind, NewApiToken } from './accounts/api-tokens.service.js';
export { apiTokenType, userTypes } from './accounts/account-types.js';
export { UsersModule } from './module/users.module.js';
export type { UsersModuleAsyncOptions } from './module/users.module.js';
export { ContentMailSender } from './module/marked.js';
export type {
  Mail,
  MailSender,
  RateLimitOptions,
  UsersOptions,
  UsersOptionsFactory,
} from './accounts/users.options.js';
