/** A host with one type and a pool of its own. */
import { ContentModule, type ContentModuleOptions, defineCollectionType } from 'nestjs-content-api';
import { type Host, startHost } from '../http/helpers.ts';

export const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});

/** Starts it; `database` are the options beside the URL. */
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

/** The status of a read of all notes. */
export const readNotes = async ({ url }: Host): Promise<number> => (await fetch(`${url}/api/notes`)).status;

/** The status of a write of one more. */
export async function writeNote({ url }: Host): Promise<number> {
  const { status } = await fetch(`${url}/api/notes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ data: { title: 'one' } }),
  });
  return status;
}
