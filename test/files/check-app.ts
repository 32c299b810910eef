/** Application with files that the command line loads. */
import { ContentModule } from 'nestjs-content-api';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';

export const CheckApp = {
  module: class CheckApp {},
  imports: [
    ContentModule.forRoot({
      contentTypes: [],
      database: { clientUrl: process.env['CHECK_APP_DATABASE'] ?? '' },
    }),
    FilesModule.forRoot({ storage: new LocalStorage(process.env['CHECK_APP_DIRECTORY'] ?? 'none') }),
  ],
};
