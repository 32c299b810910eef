/** Parts that a source does not show: each is reported, and asked for again in the next run. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as AccessRoom from '../../src/features/adopt/access-of.ts';
import type * as DefinitionsRoom from '../../src/features/adopt/definitions-of.ts';
import type * as SourceRoom from '../../src/features/adopt/source.ts';
import type * as StepsRoom from '../../src/module/adopt-steps.ts';
import { loadRoom } from '../support/rooms.ts';
import { typeSchema } from './small-archive.ts';

const { accessOf } = await loadRoom<typeof AccessRoom>('features/adopt/access-of');
const { definitionsOf } = await loadRoom<typeof DefinitionsRoom>('features/adopt/definitions-of');
const { openSource } = await loadRoom<typeof SourceRoom>('features/adopt/source');
const { nextSteps } = await loadRoom<typeof StepsRoom>('module/adopt-steps');

const NOTE = 'api::note.note';
const USER = 'plugin::users-permissions.user';
const TYPES = {
  data: [
    {
      uid: NOTE,
      schema: { singularName: 'note', pluralName: 'notes', attributes: { title: { type: 'string' } } },
    },
  ],
};

describe('a server that does not show everything', () => {
  let folder: string;
  let server: Server;
  let url: string;
  /** Status and body of each path; other paths respond with an empty list. */
  let served: Record<string, readonly [number, unknown]>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'not-shown-'));
    served = { '/api/content-type-builder/content-types': [200, TYPES], '/api/upload/files': [200, []] };
    server = createServer((request, response) => {
      const [path = ''] = (request.url ?? '').split('?');
      const [status, body] = served[path] ?? [200, path === '/api/users' ? [] : { data: [] }];
      response.writeHead(status).end(JSON.stringify(body));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const open = (project?: string) => openSource(url, { work: folder, say: () => undefined, project });
  const remarksAbout = async (subject: string): Promise<readonly string[]> =>
    (await open()).remarks.filter((remark) => remark.subject === subject).map(({ text }) => text);

  it.each([
    [403, 'the token needs full access'],
    [404, 'The server has no route /api/users'],
  ])('is asked for users again after a %i', async (status, text) => {
    served['/api/users'] = [status, {}];
    for (const _run of [1, 2])
      expect(await remarksAbout('/api/users')).toEqual([expect.stringContaining(text)]);
    served['/api/users'] = [200, [{ id: 1, username: 'ada' }]];
    const { content, remarks } = await open();
    expect(content?.survey.rows.get(USER)).toBe(1);
    expect(remarks.map(({ subject }) => subject)).not.toContain('/api/users');
  });

  it('is asked again for a type without a route, which each run reports once', async () => {
    served['/api/notes'] = [404, {}];
    for (const _run of [1, 2])
      expect(await remarksAbout(NOTE)).toEqual(['The server has no route for the type: adopt an archive']);
    served['/api/notes'] = [
      200,
      { data: [{ id: 1, documentId: 'one' }], meta: { pagination: { pageSize: 9 } } },
    ];
    const { content } = await open();
    expect(content?.survey.rows.get(NOTE)).toBe(1);
    expect(await remarksAbout(NOTE)).toEqual([]);
  });

  it('shows no permissions: the report and the next steps say so', async () => {
    const source = await open();
    expect(source.remarks).toContainEqual({
      ...{ list: 'none', subject: 'plugin::users-permissions.permission' },
      text: expect.stringContaining('REST does not show'),
    });
    expect(nextSteps('src/content', source)).toContain('Write grants into access.ts');
  });

  it('is reported with the files of its project that cannot be read', async () => {
    const project = join(folder, 'project');
    for (const [name, text] of [
      ['note', JSON.stringify(typeSchema('note', {}))],
      ['broken', '{'],
    ] as const) {
      const path = join(project, `src/api/${name}/content-types/${name}`);
      await mkdir(path, { recursive: true });
      await writeFile(join(path, 'schema.json'), text);
    }
    const { remarks } = await open(project);
    expect(remarks.some(({ file }) => file?.includes('broken') === true)).toBe(true);
  });
});

it('grants no right to list users for the right to count them', () => {
  const { access, remarks } = accessOf(new Map([['public', [`${USER}.count`]]]), new Map());
  expect(access).toEqual({ public: {} });
  expect(remarks).toEqual([
    {
      ...{ list: 'none', subject: 'role public', key: `${USER}.count` },
      text: 'The permission has no counterpart',
    },
  ]);
});

it('reports a built-in attribute of users that the project made private', () => {
  const attributes = {
    email: { type: 'email', private: true },
    password: { type: 'password', private: true },
  };
  const options = { privateAttributes: ['username'] };
  const { remarks } = definitionsOf([
    {
      uid: USER,
      file: 'user.json',
      schema: { info: { singularName: 'user', pluralName: 'users' }, options, attributes },
    },
  ]);
  expect(remarks.map(({ key, text }) => [key, text])).toEqual(
    ['username', 'email'].map((key) => [key, expect.stringContaining('is not private here')]),
  );
});
