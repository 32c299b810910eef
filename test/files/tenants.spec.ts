/** Files of two tenants in one library, apart by a condition on their folder (20.18). */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuthStrategy, defineCollectionType, type PresetOf, type WhereOf } from 'nestjs-content-api';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { formOf } from './helpers.ts';

const person = defineCollectionType({
  singularApiId: 'person',
  pluralApiId: 'persons',
  tenant: 'organisation',
  attributes: {
    name: { type: 'string' },
    avatar: { type: 'media' },
    organisation: { type: 'string' },
  },
});

/** Shared by all tenants. */
const album = defineCollectionType({
  singularApiId: 'album',
  pluralApiId: 'albums',
  attributes: {
    title: { type: 'string' },
    cover: { type: 'media' },
    photos: { type: 'media', multiple: true, allowedTypes: ['images'] },
  },
});

const ALL = ['find', 'findOne', 'create', 'update', 'delete'] as const;
/** Undefined for a caller without a tenant, who then has no files. */
const folder = (({ attributes }) => ({
  folderPath: attributes?.['organisation'] === '' ? undefined : `/${String(attributes?.['organisation'])}`,
})) satisfies WhereOf & PresetOf;
const below: WhereOf = ({ attributes }) => ({
  folderPath: { $startsWith: `/${String(attributes?.['organisation'])}/` },
});

/** Takes the role and the tenant from the header `X-Role`: `member a`. */
const byHeader: AuthStrategy = {
  name: 'header',
  vary: ['X-Role'],
  authenticate: ({ headers }) => {
    const [role = '', organisation = ''] = String(headers['x-role']).split(' ');
    return { kind: 'user', id: `${role}-${organisation}`, roles: [role], attributes: { organisation } };
  },
};

interface Reply {
  readonly status: number;
  readonly body: any;
}

describe.each(ADAPTERS)('files of two tenants on %s', (adapter) => {
  let app: TestApp;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenants-'));
    app = await createTestApp(
      {
        contentTypes: [person, album],
        access: {
          roles: {
            admin: { '*': '*' },
            member: { person: '*', album: '*', file: [{ actions: ALL, where: folder, preset: folder }] },
            nested: { person: '*', file: [{ actions: ALL, where: below }] },
            foldered: { file: [{ actions: ['find'], where: folder, fields: ['name', 'folderPath'] }] },
            named: {
              file: [{ actions: ['find', 'findOne', 'update'], where: folder, fields: ['name', 'caption'] }],
            },
          },
        },
        auth: { strategies: [byHeader] },
        imports: [FilesModule.forRoot({ storage: new LocalStorage(directory), images: null })],
      },
      adapter,
    );
  });
  afterAll(async () => {
    await app.close();
    await rm(directory, { recursive: true, force: true });
  });

  const ask = async (as: string, path: string, init: RequestInit = {}): Promise<Reply> => {
    const response = await fetch(`${app.url}/api/${path}`, {
      ...init,
      headers: { ...init.headers, 'X-Role': as },
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
  const json = (method: string, body: object): RequestInit => ({
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const send = (as: string, fields: Readonly<Record<string, unknown>> = {}, query = ''): Promise<Reply> =>
    ask(as, `upload${query}`, { method: 'POST', body: formOf([{}], fields) });
  const upload = async (as: string, fields?: Readonly<Record<string, unknown>>): Promise<any> => {
    const { status, body } = await send(as, fields);
    expect([status, body.error]).toEqual([201, undefined]);
    return body[0];
  };
  const make = async (as: string, data: object): Promise<any> =>
    (await ask(as, 'persons?populate=*', json('POST', { data }))).body.data;
  const stored = async (): Promise<number> =>
    (await readdir(directory, { recursive: true, withFileTypes: true })).filter((one) => one.isFile()).length;
  const NONE = 2_000_000_000;

  it('20.18 shows the files of the caller’s tenant only', async () => {
    const [a, b] = [await upload('member a'), await upload('member b')];
    for (const [as, own, other] of [
      ['member a', a, b],
      ['member b', b, a],
    ]) {
      const lists = [(await ask(as, 'upload/files')).body, (await ask(as, 'upload/files/page')).body.data];
      for (const list of lists) {
        const ids = list.map(({ id }: any) => id);
        expect([ids.includes(own.id), ids.includes(other.id)]).toEqual([true, false]);
      }
      expect((await ask(as, `upload/files?filters[id]=${other.id}`)).body).toEqual([]);
      expect((await ask(as, `upload/files?folder=/${as === 'member a' ? 'b' : 'a'}`)).body).toEqual([]);
      expect((await ask(as, 'upload/folders')).body.map(({ path }: any) => path)).toEqual([`/${as.at(-1)}`]);
      const missing = await ask(as, `upload/files/${NONE}`);
      expect(missing.status).toBe(404);
      for (const id of [other.id, other.documentId])
        expect((await ask(as, `upload/files/${id}`)).body).toEqual(missing.body);
      expect((await ask(as, `upload/files/${own.id}`)).body.documentId).toBe(own.documentId);
    }
    for (const path of ['upload/files', 'upload/folders', `upload/files?filters[id]=${a.id}`])
      expect((await ask('member', path)).status).toBe(403);
    expect((await send('member')).status).toBe(403);
    expect((await ask('admin', 'upload/folders')).body.map(({ path }: any) => path)).toEqual(['/a', '/b']);
  });

  it('20.18 responds to a change of another tenant’s file as if it did not exist', async () => {
    const [a, b] = [await upload('member a'), await upload('member b')];
    const before = [(await ask('admin', `upload/files/${b.id}`)).body, await stored()];
    const attempts = (id: number | string): Promise<Reply>[] => [
      send('member a', {}, `?id=${id}`),
      send('member a', { fileInfo: { caption: 'x' } }, `?id=${id}`),
      ask('member a', `upload?id=${id}`, { method: 'POST', body: formOf([{ type: 'text/html' }]) }),
      ask('member a', `upload?id=${id}`, json('POST', { fileInfo: { caption: 'x' } })),
      ask('member a', `upload?id=${id}`, json('POST', { fileInfo: { nothing: 1 } })),
      ask('member a', `upload/files/${id}`, { method: 'DELETE' }),
      ask('named a', `upload?id=${id}`, json('POST', { fileInfo: { caption: 'x' } })),
    ];
    const missing = await Promise.all(attempts(NONE));
    expect(missing.map(({ status }) => status)).toEqual(missing.map(() => 404));
    for (const id of [b.id, b.documentId]) expect(await Promise.all(attempts(id))).toEqual(missing);
    expect([(await ask('admin', `upload/files/${b.id}`)).body, await stored()]).toEqual(before);
    expect((await send('member a', {}, `?id=${a.id}`)).status).toBe(200);
    const changed = await ask('named a', `upload?id=${a.id}`, json('POST', { fileInfo: { caption: 'x' } }));
    expect([changed.status, changed.body.caption]).toEqual([200, 'x']);
    // A grant on some attributes replaces the content, too: the library writes the others itself.
    expect((await send('named a', {}, `?id=${a.id}`)).status).toBe(200);
    expect((await ask('member a', `upload/files/${a.id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await ask('admin', `upload/files/${a.id}`)).status).toBe(404);
  });

  it('20.18 keeps files in the folder of the tenant, and stores none elsewhere', async () => {
    const own = await upload('member a');
    const nested = await upload('nested a', { fileInfo: { folder: '/a/flags' } });
    const before = [(await ask('admin', 'upload/files')).body, await stored()];
    for (const folder of ['/b', '/b/flags', '/', '/a/flags/../../b']) {
      const info = { fileInfo: { folder } };
      for (const { status } of [
        await send('member a', info),
        await send('nested a', info),
        await send('member a', info, `?id=${own.id}`),
        await send('nested a', info, `?id=${nested.id}`),
        await ask('nested a', `upload?id=${nested.id}`, json('POST', info)),
      ])
        expect([folder, [400, 403, 404].includes(status)]).toEqual([folder, true]);
    }
    expect((await send('nested a')).status).toBe(403);
    expect([(await ask('admin', 'upload/files')).body, await stored()]).toEqual(before);
    const moved = await ask(
      'nested a',
      `upload?id=${nested.id}`,
      json('POST', { fileInfo: { folder: '/a/maps' } }),
    );
    expect(moved.status).toBe(200);
  });

  it('20.18 shows folders only with a grant that covers them', async () => {
    await upload('member a');
    const { status, body } = await ask('named a', 'upload/files');
    expect([status, body.length > 0]).toEqual([200, true]);
    expect((await ask('named a', 'upload/folders')).status).toBe(403);
    for (const path of ['upload/files', 'upload/files/page'])
      for (const folder of ['/a', '/b', '/']) {
        const refused = await ask('named a', `${path}?folder=${folder}`);
        expect([refused.status, refused.body.error.details]).toEqual([
          400,
          { key: 'folder', path: 'folder', source: 'query', param: 'folder' },
        ]);
      }
    expect((await ask('foldered a', 'upload/files?folder=/a')).body.length).toBeGreaterThan(0);
    expect((await ask('foldered a', 'upload/folders')).body).toEqual([
      { path: '/a', files: expect.any(Number) },
    ]);
  });

  it('20.18 keeps links to files of other tenants that a body replaces', async () => {
    const [a, other, b] = [await upload('member a'), await upload('member a'), await upload('member b')];
    const data = { cover: b.documentId, photos: [b.documentId, a.documentId] };
    const { documentId } = (await ask('admin', 'albums', json('POST', { data }))).body.data;
    const path = `albums/${documentId}?populate=*`;
    const shown = async (as: string): Promise<unknown[]> => {
      const { cover, photos } = (await ask(as, path)).body.data;
      return [cover?.id ?? null, (photos ?? []).map(({ id }: any) => id)];
    };
    const put = async (as: string, sent: object): Promise<number> =>
      (await ask(as, path, json('PUT', { data: sent }))).status;
    expect(await shown('member a')).toEqual([null, [a.id]]);
    for (const [sent, left] of [
      [{ cover: null, photos: [a.documentId] }, [b.id, [b.id, a.id]]],
      [{ photos: [a.id, other.documentId] }, [b.id, [b.id, a.id, other.id]]],
      [{ cover: b.documentId, photos: [] }, [b.id, [b.id]]],
      [{ photos: null }, [b.id, [b.id]]],
      [{ photos: { set: [other.documentId] } }, [b.id, [b.id, other.id]]],
      [{ cover: other.documentId }, [other.id, [b.id, other.id]]],
      [{ cover: null }, [null, [b.id, other.id]]],
    ] as const) {
      expect([sent, await put('member a', sent)]).toEqual([sent, 200]);
      expect([sent, await shown('admin')]).toEqual([sent, left]);
    }
    expect(await put('admin', { photos: [] })).toBe(200);
    expect(await shown('admin')).toEqual([null, []]);
  });

  it('20.18 links the row id of a linked file only if the caller sees it', async () => {
    const [a, b] = [await upload('member a'), await upload('member b')];
    const send = (sent: object, id: string): Promise<Reply> =>
      ask('member a', `albums/${id}`, json('PUT', { data: sent }));
    const data = { cover: b.documentId, photos: [b.documentId, a.documentId] };
    const { documentId } = (await ask('admin', 'albums', json('POST', { data }))).body.data;
    const missing = await send({ cover: NONE }, documentId);
    expect(missing.status).toBe(400);
    expect(await send({ cover: b.id }, documentId)).toEqual(missing);
    expect(await send({ cover: a.id }, documentId)).toEqual(missing);
    expect((await send({ photos: [b.id] }, documentId)).body.error.message).toBe(missing.body.error.message);
    expect((await send({ photos: [a.id] }, documentId)).status).toBe(200);
  });

  it('20.18 links files, and shows where they are used, within the tenant', async () => {
    const [a, b] = [await upload('member a'), await upload('member b')];
    const link = (avatar: unknown): Promise<Reply> =>
      ask('member a', 'persons', json('POST', { data: { avatar } }));
    const [other, missing] = [await link(b.id), await link(NONE)];
    expect([other.status, other.body]).toEqual([400, missing.body]);
    const { id, documentId, avatar } = await make('member a', { name: 'Ann', avatar: a.documentId });
    expect(avatar.documentId).toBe(a.documentId);
    await make('member b', { name: 'Bob', avatar: b.documentId });
    const filled = await send('member b', {
      ref: 'api::person.person',
      refId: documentId,
      field: 'avatar',
    });
    expect(filled.status).toBe(404);
    // Mistakes in the rest of the form get the same response, so they tell nothing of other tenants.
    const attempts = (refId: string | number): Promise<Reply>[] => [
      send('member b', { ref: 'person', refId: `${refId}`, field: 'avatar' }),
      send('member b', { ref: 'person', refId: `${refId}`, field: 'avatar', fileInfo: { folder: '/b' } }),
      ask('member b', 'upload', {
        method: 'POST',
        body: formOf([{ type: 'text/html' }], { ref: 'person', refId: `${refId}`, field: 'avatar' }),
      }),
      send('nested b', {
        ref: 'person',
        refId: `${refId}`,
        field: 'avatar',
        fileInfo: { folder: '/a/maps' },
      }),
    ];
    const unknown = await Promise.all(attempts(NONE));
    for (const refId of [documentId, id]) expect(await Promise.all(attempts(refId))).toEqual(unknown);
    // A document id is a secret: a tenant that has one may link the file, and sees no use of others.
    await make('member b', { name: 'Ben', avatar: a.documentId });
    const { related } = (await ask('member a', `upload/files/${a.id}?populate=related`)).body;
    expect(related.map(({ name }: any) => name)).toEqual(['Ann']);
    const bytes = await fetch(`${app.url}${a.url}`);
    expect(bytes.status).toBe(200);
  });
});
