import { Module } from '@nestjs/common';
import { ContentModule, defineCollectionType } from 'nestjs-content-api';
import { ApiTokensModule, apiTokenType, UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  sharedMaxAge: 3,
  attributes: {
    title: { type: 'string', required: true },
    cover: { type: 'media', multiple: false },
  },
});

const { DATABASE_URL, POOL_MAX, TRANSACTION_POOLER, MIGRATING, FILES_FOLDER, JWT_SECRETS } = process.env;

@Module({
  imports: [
    ContentModule.forRoot({
      contentTypes: [article, apiTokenType, ...userTypes()],
      access: { public: { article: ['find', 'findOne'] } },
      database: {
        clientUrl: DATABASE_URL ?? 'postgresql://localhost/content',
        pool: { max: Number(POOL_MAX ?? 10) },
        // A migration may take longer than a request.
        driverOptions: MIGRATING === 'true' ? { statement_timeout: 0 } : {},
      },
      preparedStatements: TRANSACTION_POOLER !== 'true',
      health: true,
      strictParams: true,
    }),
    ApiTokensModule,
    UsersModule.forRoot({ secret: (JWT_SECRETS ?? '').split(',') }),
    FilesModule.forRoot({ storage: new LocalStorage(FILES_FOLDER ?? 'uploads'), maxBytes: 50_000_000 }),
  ],
})
export class AppModule {}
