/** Fetching a project over REST, from servers that do not show everything at once. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as SourceRoom from '../../src/features/adopt/source.ts';
import { loadRoom } from '../support/rooms.ts';

const { openSource } = await loadRoom<typeof SourceRoom>('features/adopt/source');

const UID = 'api::note.note';
const schema = (attributes: object): object => ({
  data: [
    {
      uid: UID,
      schema: { kind: 'collectionType', singularName: 'note', pluralName: 'notes', attributes },
    },
  ],
});

interface Server {
  /** Response of the listing, by its parameters. */
  readonly notes: (query: URLSearchParams) => object | null;
  readonly attributes: object;
}

describe('a project that is fetched over REST', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rest-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function fetched({ notes, attributes }: Server): ReturnType<typeof openSource> {
    const answers: Readonly<Record<string, (query: URLSearchParams) => object | null>> = {
      '/api/content-type-builder/content-types': () => schema(attributes),
      '/api/notes': notes,
      '/api/users': () => [],
      '/api/upload/files': () => [],
    };
    const server = createServer(({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://localhost');
      const found = (answers[pathname] ?? (() => ({ data: [] })))(searchParams);
      response.writeHead(found === null ? 403 : 200).end(JSON.stringify(found ?? {}));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const source = await openSource(url, { work: folder, say: () => undefined });
      // A further run finds the pages of the first one.
      expect((await openSource(url, { work: folder, say: () => undefined })).content?.survey).toEqual(
        source.content?.survey,
      );
      return source;
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it('has all rows of a server that allows fewer rows on a page than are asked for', async () => {
    const { content } = await fetched({
      attributes: { title: { type: 'string' } },
      notes: (query) => {
        const page = Number(query.get('pagination[page]') ?? 1);
        const ids = [1, 2, 3, 4, 5, 6].slice((page - 1) * 2, page * 2);
        return {
          data: ids.map((id) => ({ id, documentId: `note${id}`, title: `Note ${id}` })),
          meta: { pagination: { page, pageSize: 2 } },
        };
      },
    });
    expect(content?.survey.rows.get(UID)).toBe(6);
  });

  it('asks Strapi 4 for no relation that it cannot show, and reports it', async () => {
    const { content, remarks } = await fetched({
      attributes: {
        title: { type: 'string' },
        subject: { type: 'relation', relation: 'morphToOne' },
        next: { type: 'relation', relation: 'oneToOne', target: UID },
      },
      notes: (query) =>
        [...query.keys()].some((key) => key.includes('subject'))
          ? null
          : { data: query.get('pagination[page]') === '2' ? [] : [{ id: 1, attributes: { title: 'One' } }] },
    });
    expect(content?.survey.rows.get(UID)).toBe(1);
    expect(remarks).toEqual([
      { list: 'none', subject: UID, key: 'subject', text: expect.stringContaining('does not show') },
    ]);
  });
});
