/**
 * Server process of the library with users and API tokens. It creates its tables:
 *
 * node server.mjs --database-url postgresql://…
 *
 * Prints `token <an API token>`, then `listening on <url>`.
 */
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { CONTENT_ORM, ContentModule, defineCollectionType } from 'nestjs-content-api';
import {
  ApiTokens,
  ApiTokensModule,
  apiTokenType,
  UsersModule,
  userTypes,
} from 'nestjs-content-api/accounts';

const { values } = parseArgs({ options: { 'database-url': { type: 'string' } } });

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});
const content = ContentModule.forRoot({
  contentTypes: [note, apiTokenType, ...userTypes()],
  access: { public: { note: ['find'] } },
  // Without the cache, so that each request has its full cost.
  cache: false,
  database: { clientUrl: values['database-url'], pool: { min: 0, max: 10 } },
});
const users = UsersModule.forRoot({ secret: 'a secret of the bench that is long enough', rateLimit: false });

const app = await NestFactory.create(
  { module: class BenchModule {}, imports: [content, users, ApiTokensModule] },
  { logger: ['error', 'warn'] },
);
await app.init();
await app.get(CONTENT_ORM, { strict: false }).schema.update();
const { token } = await app.get(ApiTokens, { strict: false }).create({ name: 'bench', kind: 'read-only' });
console.log(`token ${token}`);
await app.listen(0, '127.0.0.1');
console.log(`listening on ${await app.getUrl()}`);
