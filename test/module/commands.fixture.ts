/** Modules with mistakes, for commands. */
import { ContentModule, defineCollectionType } from 'nestjs-content-api';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});

/** Returns a module for Nest. */
const moduleOf = (imports: readonly unknown[]) => ({ module: class {}, imports });

const contentAt = (clientUrl: string, grant: 'find' = 'find') =>
  moduleOf([
    ContentModule.forRoot({
      contentTypes: [note],
      access: { public: { note: [grant] } },
      database: { clientUrl },
    }),
  ]);

const url = process.env['COMMANDS_DATABASE'] ?? '';

export const App = contentAt(url);
export const Misspelt = contentAt(url, 'finde' as never);
export const Unreachable = contentAt('postgresql://localhost:1/none');
export const Limited = contentAt(process.env['COMMANDS_LIMITED'] ?? '');
export const Twice = moduleOf([
  contentAt(url),
  ContentModule.forRoot({ contentTypes: [], prefix: 'other', database: { clientUrl: url } }),
]);
export const WithoutContent = moduleOf([]);
export const number = 5;
export default contentAt(url);
