/** HttpExceptions of Nest that hooks throw: each feature treats them as errors of the library. */
import { ForbiddenException, HttpException, Injectable, ServiceUnavailableException } from '@nestjs/common';
import {
  BeforeContent,
  ContentError,
  type ContentEvent,
  type ContentService,
  defineCollectionType,
  getContentToken,
} from 'nestjs-content-api';
import { UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { AuditModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  draftAndPublish: true,
  actions: true,
  attributes: { title: { type: 'string' } },
});

const refused = new Set<string>();

@Injectable()
class Refusals {
  @BeforeContent('note', 'create')
  create({ data: { title } }: ContentEvent): void {
    if (title === 'forbidden') throw new ForbiddenException('Not this title');
    if (title === 'teapot') throw new HttpException('I am a teapot', 418);
    if (title === 'unavailable') throw new ServiceUnavailableException('Try later');
    if (title === 'broken') throw new TypeError('a secret of the hook');
  }

  @BeforeContent('note', 'publish')
  publish({ documentId }: ContentEvent): void {
    if (refused.has(documentId ?? '')) throw new ForbiddenException('Not yet');
  }

  @BeforeContent('user', 'create')
  register({ data }: ContentEvent): void {
    if (data['username'] === 'mallory') throw new ForbiddenException('Not you');
  }
}

describe.each(ADAPTERS)('HttpExceptions of hooks on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [note, ...userTypes()],
        access: { public: { '*': '*', releases: ['open'], audit: ['open'] } },
        imports: [
          UsersModule.forRoot({ secret: 'a secret of 32 bytes, and of more than that' }),
          AuditModule.forRoot(),
          ReleasesModule.forRoot({}),
        ],
        providers: [Refusals],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const post = (path: string, data: unknown) => test.http.post(`/api/${path}`).send({ data });
  const creates = (...titles: readonly string[]) =>
    titles.map((title) => ({ action: 'create', data: { title } }));
  const FORBIDDEN = { status: 403, name: 'ForbiddenError', message: 'Not this title', details: {} };

  it('24.2 the error of an item has its index', async () => {
    const { body } = await post('notes/bulk', creates('good', 'forbidden')).expect(403);
    expect(body.error).toEqual({ ...FORBIDDEN, details: { index: 1 } });
    const { body: other } = await post('notes/bulk', creates('good', 'teapot')).expect(418);
    expect(other.error).toMatchObject({ name: 'ApplicationError', details: { index: 1 } });
  });

  it('24.3 an item that a hook refuses, or fails, does not stop the others', async () => {
    const first = Array.from({ length: 100 }, (_, n) => `note ${n}`);
    const data = creates(...first, 'forbidden', 'broken', 'unavailable', 'last');
    const { body, text } = await test.http.post('/api/notes/bulk').send({ data, atomic: false }).expect(200);
    expect(body.meta).toMatchObject({ done: 101, failed: 3 });
    expect(body.meta.errors).toEqual([
      { index: 100, documentId: null, error: FORBIDDEN },
      {
        index: 101,
        documentId: null,
        error: { status: 500, name: 'InternalServerError', message: 'Internal Server Error', details: {} },
      },
      {
        index: 102,
        documentId: null,
        error: { status: 503, name: 'ServiceUnavailableError', message: 'Try later', details: {} },
      },
    ]);
    expect(text).not.toContain('secret');
    await test.http.get('/api/notes?filters[title]=last').expect(({ body: { data: found } }) => {
      expect(found).toHaveLength(1);
    });
  });

  it('27.7, 27.8 the error of an entry is that of its own route', async () => {
    const made = await Promise.all(['a', 'b'].map((title) => post('notes?status=draft', { title })));
    const ids = made.map(({ body }) => body.data.documentId as string);
    refused.add(ids[1] ?? '');
    const { body: release } = await post('releases', { name: 'spring' }).expect(201);
    const path = `releases/${release.data.id}`;
    const entries = ids.map((documentId) => ({ type: 'note', documentId, action: 'publish' }));
    const { body: added } = await post(`${path}/entries`, entries).expect(200);
    const entry = added.data.entries[1].id as string;
    const { body: dry } = await post(`${path}/actions/publish`, { dryRun: true }).expect(200);
    expect(dry.data.entries.map(({ outcome, error }: any) => [outcome, error?.status])).toEqual([
      ['changes', undefined],
      ['refused', 403],
    ]);
    const { body: failed } = await test.http.post(`/api/${path}/actions/publish`).expect(403);
    expect(failed.error).toMatchObject({ message: 'Not yet', details: { entry } });
  });

  it('26.2 an entry of the audit log has the status of the response', async () => {
    const user = { username: 'mallory', email: 'm@example.org', password: 'secret12' };
    await test.http.post('/api/auth/local/register').send(user).expect(403);
    const { body } = await test.http.get('/api/audit?filters[action]=register').expect(200);
    expect(body.data.map(({ status }: { readonly status: number }) => status)).toEqual([403]);
  });

  it('services throw them as ContentErrors', async () => {
    const notes = test.app.get<ContentService>(getContentToken('note'), { strict: false });
    const error: unknown = await notes.create({ title: 'forbidden' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ContentError);
    expect(error).toMatchObject(FORBIDDEN);
  });
});
