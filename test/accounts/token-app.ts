/** Application that the command line loads. */
import { ContentModule } from 'nestjs-content-api';
import { ApiTokensModule } from 'nestjs-content-api/accounts';
import { contentTypes } from './helpers.ts';

export const TokenApp = {
  module: class TokenApp {},
  imports: [
    ContentModule.forRoot({ contentTypes, database: { clientUrl: process.env['TOKEN_APP_DATABASE'] ?? '' } }),
    ApiTokensModule,
  ],
};
