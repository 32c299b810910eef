import { type DynamicModule, Module } from '@nestjs/common';
import { ContentModule } from 'nestjs-content-api';
import { COMPONENTS, CONTENT_TYPES, LOCALES, PUBLIC_GRANTS } from './content/model.js';
import { ATLAS_DATABASE, type AtlasDatabase } from './database/atlas-database.js';
import { DatabaseRelease } from './database/database-release.js';
import { AtlasContent } from './loader/atlas-content.js';
import { AtlasLoader } from './loader/atlas-loader.js';

/** The whole application: a model, its grants, and a loader. The routes come from the content module. */
@Module({})
export class AppModule {
  static on(database: AtlasDatabase): DynamicModule {
    const content = ContentModule.forRoot({
      contentTypes: CONTENT_TYPES,
      components: COMPONENTS,
      locales: LOCALES,
      defaultLocale: LOCALES[0],
      access: { public: PUBLIC_GRANTS },
      database: database.connection,
    });
    return {
      module: AppModule,
      imports: [content],
      providers: [{ provide: ATLAS_DATABASE, useValue: database }, DatabaseRelease, AtlasContent, AtlasLoader],
    };
  }
}
