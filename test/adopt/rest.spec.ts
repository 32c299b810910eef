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
const schema = (attributes: object, drafts: boolean): { readonly data: readonly object[] } => ({
  data: [
    {
      uid: UID,
      schema: {
        kind: 'collectionType',
        singularName: 'note',
        pluralName: 'notes',
        draftAndPublish: drafts,
        attributes,
      },
    },
  ],
});

interface Server {
  /** Response of the listing, by its parameters: null for a 403, an error for a 400. */
  readonly notes: (query: URLSearchParams) => object | null;
  readonly attributes: object;
  /** Whether notes have drafts; they have none by default. */
  readonly drafts?: boolean;
  /** Further types and listings, by path. */
  readonly types?: readonly object[];
  readonly others?: Readonly<Record<string, (query: URLSearchParams) => object>>;
}

/** Response of a listing with one page. */
const listed = (query: URLSearchParams, rows: readonly object[]): object => ({
  data: query.get('pagination[page]') === '1' ? rows : [],
});

type Fetched = Awaited<ReturnType<typeof openSource>>;

/** Links of the fetched rows, as texts: `row.field[position] -> row`. */
async function linksOf({ content }: Fetched): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const item of content?.archive.items() ?? []) {
    if (item.part !== 'links') continue;
    const { left, right } = item.value as Record<'left' | 'right', Record<string, string | number>>;
    const at = left['pos'] === undefined ? '' : `[${left['pos']}]`;
    found.push(`${left['ref']}.${left['field']}${at} -> ${right['ref']}`);
  }
  return found.sort();
}

describe('a project that is fetched over REST', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rest-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function fetched(served: Server): ReturnType<typeof openSource> {
    const { notes, attributes, drafts = false, types = [], others = {} } = served;
    const answers: Readonly<Record<string, (query: URLSearchParams) => object | null>> = {
      '/api/content-type-builder/content-types': () => ({
        data: [...schema(attributes, drafts).data, ...types],
      }),
      '/api/notes': notes,
      '/api/users': () => [],
      '/api/upload/files': () => [],
      ...others,
    };
    const server = createServer(({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://localhost');
      const found = (answers[pathname] ?? (() => ({ data: [] })))(searchParams);
      const refused = found !== null && 'error' in found ? 400 : 200;
      response.writeHead(found === null ? 403 : refused).end(JSON.stringify(found ?? {}));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const source = await openSource(url, { work: folder, say: () => undefined });
      // A further run finds the pages of the first one.
      const again = await openSource(url, { work: folder, say: () => undefined });
      expect(again.content?.survey).toEqual(source.content?.survey);
      // So an interrupted import continues.
      expect(again.digest).toBe(source.digest);
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
      { list: 'none', subject: 'plugin::upload.folder', text: expect.stringContaining('does not show') },
      {
        list: 'none',
        subject: 'plugin::users-permissions.permission',
        text: expect.stringContaining('does not show'),
      },
      {
        list: 'none',
        subject: UID,
        key: 'subject',
        text: expect.stringMatching(/does not .* 4.20 or later$/),
      },
    ]);
  });

  it('requests no private attribute, which Strapi 5 refuses, and reports each one', async () => {
    const relation = { type: 'relation', relation: 'manyToMany' };
    const { content, remarks } = await fetched({
      attributes: {
        ...{ title: { type: 'string' }, code: { type: 'string', private: true } },
        secretTags: { ...relation, target: 'api::tag.tag', inversedBy: 'secretNotes', private: true },
        part: { type: 'component', component: 'shared.part' },
      },
      types: [
        {
          uid: 'api::tag.tag',
          schema: {
            ...{ singularName: 'tag', pluralName: 'tags', privateAttributes: ['secretNotes'] },
            attributes: { secretNotes: { ...relation, target: UID, mappedBy: 'secretTags' } },
          },
        },
      ],
      notes: (query) =>
        [...query.keys()].some((key) => key.includes('secret'))
          ? { error: { message: 'Invalid key secret' } }
          : listed(query, [{ id: 1, documentId: 'note1' }]),
      others: {
        '/api/content-type-builder/components': () => ({
          data: [
            {
              ...{ uid: 'shared.part', category: 'shared' },
              schema: { attributes: { secretPhoto: { type: 'media', private: true } } },
            },
          ],
        }),
        '/api/tags': (query) =>
          query.has('populate[secretNotes]') ? { error: { message: 'Invalid key' } } : listed(query, []),
      },
    });
    expect(content?.survey.rows.get(UID)).toBe(1);
    const text = 'REST does not show private attributes: an archive has them';
    expect(
      remarks.filter((remark) => remark.text === text).map(({ subject, key }) => [subject, key]),
    ).toEqual([
      ...[
        [UID, 'code'],
        [UID, 'secretTags'],
        ['api::tag.tag', 'secretNotes'],
      ],
      ['shared.part', 'secretPhoto'],
    ]);
  });

  it.each([
    [
      'the reason of the server',
      { error: { message: 'Invalid key tags' } },
      '/api/notes responds with 400: Invalid key tags',
    ],
    ['that the token lacks grants', null, '/api/notes responds with 403: the token needs full access'],
  ])('names %s if a request is refused', async (_name, response, message) => {
    await expect(fetched({ attributes: {}, notes: () => response })).rejects.toThrow(message);
  });

  it('has the order of links on their inverse side, of drafts and of published rows', async () => {
    const tagged = { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag', inversedBy: 'notes' };
    const notes = { type: 'relation', relation: 'manyToMany', target: UID, mappedBy: 'tags' };
    const note = (id: number): object => ({ id, documentId: `note${id % 10}` });
    const tag = { id: 5, documentId: 'tag5' };
    const first = (query: URLSearchParams): number => (query.get('status') === 'draft' ? 10 : 20);
    const source = await fetched({
      attributes: { tags: tagged },
      drafts: true,
      types: [
        { uid: 'api::tag.tag', schema: { singularName: 'tag', pluralName: 'tags', attributes: { notes } } },
      ],
      notes: (query) =>
        listed(
          query,
          [1, 2].map((n) => ({ ...note(first(query) + n), tags: [tag] })),
        ),
      others: {
        '/api/tags': (query) =>
          listed(query, [{ ...tag, notes: [note(first(query) + 2), note(first(query) + 1)] }]),
      },
    });
    expect(await linksOf(source)).toEqual([
      ...['11.tags[1] -> tag5', '12.tags[1] -> tag5', '21.tags[1] -> tag5', '22.tags[1] -> tag5'],
      ...['5.notes[1] -> 12', '5.notes[1] -> 22', '5.notes[2] -> 11', '5.notes[2] -> 21'],
    ]);
  });

  it('reports the types of plugins, whose rows no route shows', async () => {
    const { remarks } = await fetched({
      attributes: { title: { type: 'string' } },
      types: [
        {
          uid: 'plugin::nav.item',
          schema: { singularName: 'item', pluralName: 'items', attributes: { title: { type: 'string' } } },
        },
      ],
      notes: () => ({ data: [] }),
    });
    expect(remarks).toContainEqual({
      ...{ list: 'none', subject: 'plugin::nav.item' },
      text: expect.stringContaining('rows of plugins'),
    });
  });

  it('has the attributes of users that the project defines', async () => {
    const source = await fetched({
      attributes: { title: { type: 'string' } },
      types: [
        {
          uid: 'plugin::users-permissions.user',
          schema: {
            singularName: 'user',
            pluralName: 'users',
            attributes: {
              username: { type: 'string' },
              role: { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.role' },
              nickname: { type: 'string' },
              favourites: { type: 'relation', relation: 'manyToMany', target: UID },
              avatar: { type: 'media' },
            },
          },
        },
      ],
      notes: () => ({ data: [] }),
      others: {
        '/api/users': (query) => [
          {
            ...{ id: 1, username: 'ada', nickname: 'Countess', role: { id: 2, name: 'Editor' } },
            ...(query.has('populate[favourites]') ? { favourites: [{ id: 3, documentId: 'note3' }] } : {}),
            ...(query.has('populate[avatar]') ? { avatar: { id: 4 } } : {}),
          },
        ],
      },
    });
    expect(await linksOf(source)).toEqual(['1.favourites[1] -> note3', '1.role -> 2', '4.related -> 1']);
  });
});
