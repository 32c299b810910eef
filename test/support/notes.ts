/** Application with one content type and its own connection pool. */
import { ContentModule, type ContentModuleOptions, defineCollectionType } from 'nestjs-content-api';
import { type Host, startHost } from '../http/helpers.ts';

export const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});

/** Starts the application; `database` has the options in addition to the URL. */
export const startNotes = ({
  database,
  ...options
}: Pick<ContentModuleOptions, 'cache' | 'limits'> & { readonly database: object }): Promise<Host> =>
  startHost(
    ({ url }) => ({
      imports: [
        ContentModule.forRoot({
          ...options,
          contentTypes: [note],
          access: { public: { note: '*' } },
          database: { clientUrl: url, ...database },
        }),
      ],
    }),
    { tables: true },
  );

/** Returns the status of a request for all notes. */
export const readNotes = async ({ url }: Host): Promise<number> => (await fetch(`${url}/api/notes`)).status;

/** Returns the status of a request that creates a note. */
export async function writeNote({ url }: Host): Promise<number> {
  const { status } = await fetch(`${url}/api/notes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ data: { title: 'one' } }),
  });
  return status;
}
