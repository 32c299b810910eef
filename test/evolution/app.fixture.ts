/** An application whose model has moved on. */
import { ContentModule, defineCollectionType } from 'nestjs-content-api';

const post = defineCollectionType({
  singularApiId: 'post',
  pluralApiId: 'posts',
  attributes: { headline: { type: 'string', previousName: 'title' } },
});

class Host {}

/** What Nest starts with. */
export const App = {
  module: Host,
  imports: [
    ContentModule.forRoot({
      contentTypes: [post],
      database: { clientUrl: process.env['EVOLUTION_DATABASE'] ?? '' },
    }),
  ],
};
