import { type DynamicModule, Module } from '@nestjs/common';
import { ContentModule } from 'nestjs-content-api';
import { ApiTokensModule, UsersModule, type UsersOptions } from 'nestjs-content-api/accounts';
import { AUTHENTICATED_GRANTS, COMPONENTS, CONTENT_TYPES, LOCALES, PUBLIC_GRANTS } from './content/model.js';
import { ATLAS_DATABASE, type AtlasDatabase } from './database/atlas-database.js';
import { AtlasTables } from './database/atlas-tables.js';
import { DatabaseRelease } from './database/database-release.js';
import { AtlasContent } from './loader/atlas-content.js';
import { AtlasLoader } from './loader/atlas-loader.js';
import { StartPage } from './start-page.js';

/**
 * The whole application: a model, its grants, accounts, a loader and a page. All other routes come from the
 * modules.
 */
@Module({})
export class AppModule {
  static on(database: AtlasDatabase, users: UsersOptions): DynamicModule {
    const content = ContentModule.forRoot({
      contentTypes: CONTENT_TYPES,
      components: COMPONENTS,
      locales: LOCALES,
      defaultLocale: LOCALES[0],
      access: { public: PUBLIC_GRANTS, roles: { authenticated: AUTHENTICATED_GRANTS } },
      database: database.connection,
    });
    return {
      module: AppModule,
      imports: [content, ApiTokensModule, UsersModule.forRoot(users)],
      controllers: [StartPage],
      providers: [
        { provide: ATLAS_DATABASE, useValue: database },
        AtlasTables,
        DatabaseRelease,
        AtlasContent,
        AtlasLoader,
      ],
    };
  }
}
