import { type DynamicModule, Module } from '@nestjs/common';
import { ContentModule } from 'nestjs-content-api';
import { DeskModule } from 'nestjs-content-api/desk';
import { EventsModule } from 'nestjs-content-api/events';
import { FilesModule, LocalStorage, SharpImages } from 'nestjs-content-api/files';
import { AuditModule, HistoryModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { ApiTokensModule, UsersModule, type UsersOptions } from 'nestjs-content-api/accounts';
import {
  AUTHENTICATED_GRANTS,
  COMPONENTS,
  CONTENT_TYPES,
  EDITOR_GRANTS,
  LOCALES,
  PUBLIC_GRANTS,
} from './content/model.js';
import { ATLAS_DATABASE, type AtlasDatabase } from './database/atlas-database.js';
import { AtlasTables } from './database/atlas-tables.js';
import { DatabaseRelease } from './database/database-release.js';
import { AtlasContent } from './loader/atlas-content.js';
import { AtlasLoader } from './loader/atlas-loader.js';
import { Metrics } from './metrics.js';
import { PictureLoader } from './pictures/picture-loader.js';
import { DESK_PATH } from './requests.js';
import { Site } from './site.js';
import { CREDIT } from './texts/credit.js';
import { StartPage } from './start-page.js';

export interface AppSettings {
  readonly users: UsersOptions;
  /** Secret of the tags and positions of live updates. */
  readonly liveSecret: string;
  /** Folder of uploaded files. The storage creates it with the first file. */
  readonly filesFolder: string;
}

/**
 * Application module: model, grants, accounts, the desk, live updates, loaders and a public site. The library's
 * modules add all other routes.
 */
@Module({})
export class AppModule {
  static on(database: AtlasDatabase, { users, liveSecret, filesFolder }: AppSettings): DynamicModule {
    const content = ContentModule.forRoot({
      contentTypes: CONTENT_TYPES,
      components: COMPONENTS,
      locales: LOCALES,
      defaultLocale: LOCALES[0],
      access: {
        public: PUBLIC_GRANTS,
        roles: { authenticated: AUTHENTICATED_GRANTS, editor: EDITOR_GRANTS },
      },
      database: database.connection,
      openapi: {
        page: true,
        title: 'Atlas',
        info: {
          description: CREDIT,
          license: { name: 'ODbL-1.0', identifier: 'ODbL-1.0' },
          contact: { url: 'https://github.com/mledoze/countries' },
        },
      },
      strictParams: true,
      health: true,
      monitoring: { durations: true, slowRequest: 2000 },
    });
    const files = FilesModule.forRoot({
      storage: new LocalStorage(filesFolder),
      images: new SharpImages({
        recipes: { card: { width: 320, height: 200, fit: 'cover', format: 'auto' } },
      }),
    });
    return {
      module: AppModule,
      imports: [
        content,
        files,
        ApiTokensModule,
        UsersModule.forRoot(users),
        DeskModule.forRoot({ path: DESK_PATH }),
        HistoryModule.forRoot(),
        ReleasesModule.forRoot(),
        AuditModule.forRoot(),
        EventsModule.forRoot({ live: { secret: liveSecret } }),
      ],
      controllers: [Site, StartPage, Metrics],
      providers: [
        { provide: ATLAS_DATABASE, useValue: database },
        AtlasTables,
        DatabaseRelease,
        AtlasContent,
        AtlasLoader,
        PictureLoader,
      ],
    };
  }
}
