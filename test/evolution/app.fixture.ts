/** Application whose model has changed. */
import { ContentModule, defineCollectionType } from 'nestjs-content-api';

const post = defineCollectionType({
  singularApiId: 'post',
  pluralApiId: 'posts',
  attributes: { headline: { type: 'string', previousName: 'title' } },
});

class Host {}

/** Module for Nest. */
export const App = {
  module: Host,
  imports: [
    ContentModule.forRoot({
      contentTypes: [post],
      database: { clientUrl: process.env['EVOLUTION_DATABASE'] ?? '' },
    }),
  ],
};
