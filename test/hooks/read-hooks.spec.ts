/** Hooks before reads: what they receive, and how they refuse. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import {
  type AuthStrategy,
  BeforeContentRead,
  ContentError,
  type ContentReadEvent,
  type ContentService,
  defineCollectionType,
  getContentToken,
} from 'nestjs-content-api';
import { UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { HistoryModule } from 'nestjs-content-api/history';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { note } from '../support/notes.ts';

const other = defineCollectionType({
  singularApiId: 'other',
  pluralApiId: 'others',
  attributes: { notes: { type: 'relation', relation: 'oneToMany', target: 'note' } },
});

const seen: ContentReadEvent[] = [];

@Injectable()
class Reads {
  @BeforeContentRead('note', 'find', 'findOne')
  async read(event: ContentReadEvent): Promise<void> {
    await Promise.resolve();
    seen.push(event);
    if (event.requestId === 'refused') throw new ContentError('ForbiddenError', 'Not today');
  }
}

describe.each(ADAPTERS)('hooks before reads on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      { contentTypes: [note, other], access: { public: { note: '*', other: '*' } }, providers: [Reads] },
      adapter,
    );
  });
  afterAll(() => test.close());
  beforeEach(() => void seen.splice(0));

  it('18.17 run before lists and single documents, with the request', async () => {
    await test.http.get('/api/notes').set('x-request-id', 'r1').expect(200);
    await test.http.get('/api/notes/unknown').expect(404);
    expect(seen).toMatchObject([
      { type: 'note', action: 'find', documentId: null, requestId: 'r1', caller: { kind: 'public' } },
      { type: 'note', action: 'findOne', documentId: 'unknown' },
    ]);
  });

  it('18.17 run for cached responses', async () => {
    for (let i = 0; i < 3; i += 1) await test.http.get('/api/notes').expect(200);
    expect(seen).toHaveLength(3);
  });

  it('18.17 refuse a read by an error', async () => {
    const { body } = await test.http.get('/api/notes').set('x-request-id', 'refused').expect(403);
    expect(body.error).toMatchObject({ name: 'ForbiddenError', message: 'Not today' });
  });

  it('18.17 run for services', async () => {
    const notes = test.app.get<ContentService>(getContentToken('note'), { strict: false });
    await notes.find();
    await notes.findOne('unknown');
    await notes.count();
    expect(seen.map(({ action, requestId }) => [action, requestId])).toEqual([
      ['find', null],
      ['findOne', null],
      ['find', null],
    ]);
  });

  it('18.17 run for the filters of a bulk write, whose number of documents tells what they contain', async () => {
    const count = (request: string) =>
      test.http
        .post('/api/notes/bulk')
        .set('x-request-id', request)
        .send({ data: { action: 'delete', filters: { title: { $startsWith: 's' } }, dryRun: true } });
    await count('r1').expect(200);
    expect(seen).toMatchObject([{ type: 'note', action: 'find', documentId: null, requestId: 'r1' }]);
    await count('refused').expect(403);
  });

  it('18.17 do not run for populated documents, refused queries and writes', async () => {
    await test.http.get('/api/others?populate=notes').expect(200);
    await test.http.get('/api/notes?filters[no]=1').expect(400);
    await test.http.post('/api/notes').send({ data: {} }).expect(201);
    expect(seen).toEqual([]);
  });
});

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  history: true,
  attributes: { title: { type: 'string' } },
});

@Injectable()
class AllReads {
  @BeforeContentRead('*', 'find', 'findOne')
  read(event: ContentReadEvent): void {
    seen.push(event);
    if (event.requestId === 'refused') throw new ContentError('ForbiddenError', 'Not today');
  }
}

/** Takes the id of a user from the header `X-User`. */
const byHeader: AuthStrategy = {
  name: 'header',
  authenticate: ({ headers: { 'x-user': id } }) =>
    typeof id === 'string' ? { kind: 'user', id, roles: ['admin'] } : null,
};

describe.each(ADAPTERS)('hooks before reads of other modules on %s', (adapter) => {
  let test: TestApp;
  let directory: string;
  let ids: Readonly<Record<string, string>>;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'read-hooks-'));
    test = await createTestApp(
      {
        contentTypes: [page, ...userTypes()],
        access: { roles: { admin: { '*': '*' } } },
        auth: { strategies: [byHeader] },
        imports: [
          HistoryModule.forRoot(),
          UsersModule.forRoot({ secret: 'a secret of 32 bytes, and of more than that' }),
          FilesModule.forRoot({ storage: new LocalStorage(directory) }),
        ],
        providers: [AllReads],
      },
      adapter,
    );
    const post = (path: string) => test.http.post(`/api/${path}`).set('X-User', 'ann');
    const user = { username: 'ann', email: 'ann@example.org', password: 'secret1' };
    const { body: ann } = await post('users').send(user).expect(201);
    const { body: made } = await post('pages')
      .send({ data: { title: 'A' } })
      .expect(201);
    const { body: files } = await post('upload').attach('files', Buffer.from('text'), 'a.txt').expect(201);
    const [{ id } = {}] = await test.sql('select id from content_version');
    ids = {
      user: ann.documentId,
      userRow: String(ann.id),
      page: made.data.documentId,
      version: String(id),
      file: files[0].documentId,
      fileRow: String(files[0].id),
    };
  });
  afterAll(async () => {
    await test.close();
    await rm(directory, { recursive: true });
  });
  beforeEach(() => void seen.splice(0));

  it.each([
    ['users', 'user', 'find', null],
    ['users/count', 'user', 'find', null],
    ['users/me', 'user', 'findOne', 'user'],
    ['users/<user>', 'user', 'findOne', 'user'],
    ['users/<userRow>', 'user', 'findOne', 'user'],
    ['upload/files', 'file', 'find', null],
    ['upload/files/page', 'file', 'find', null],
    ['upload/folders', 'file', 'find', null],
    ['upload/files/<file>', 'file', 'findOne', 'file'],
    ['upload/files/<fileRow>', 'file', 'findOne', 'file'],
    ['pages/trash', 'page', 'find', null],
    ['pages/<page>/versions', 'page', 'findOne', 'page'],
    ['pages/<page>/versions/<version>', 'page', 'findOne', 'page'],
    ['pages/<page>/versions/<version>/changes', 'page', 'findOne', 'page'],
  ])('18.17 run for GET /api/%s, and may refuse it', async (path, type, action, of) => {
    const url = `/api/${path.replace(/<(\w+)>/g, (_, name: string) => ids[name] ?? '')}`;
    const get = (request: string) =>
      test.http.get(url).set({ 'X-User': ids['user'] ?? '', 'X-Request-Id': request });
    await get('r1').expect(200);
    const documentId = of === null ? null : ids[of];
    expect(seen).toEqual([expect.objectContaining({ type, action, documentId, requestId: 'r1' })]);
    const { body } = await get('refused').expect(403);
    expect(body.error).toMatchObject({ name: 'ForbiddenError', message: 'Not today' });
  });
});

it('stops the start if a hook before reads names an action of writes', async () => {
  @Injectable()
  class Wrong {
    @BeforeContentRead('note', 'create' as 'find')
    read(): void {
      // Never runs.
    }
  }
  await expect(createTestApp({ contentTypes: [note], providers: [Wrong] })).rejects.toThrow(
    '"create" is not an action; available: find, findOne',
  );
});
