/** Writes with an `Idempotency-Key`: each runs once, and its response is repeated. */
import { Injectable } from '@nestjs/common';
import {
  AfterContent,
  type AuthStrategy,
  type Caller,
  type Credentials,
  defineCollectionType,
  defineSingleType,
  OnContentCommitted,
  Permissions,
} from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { until } from '../crowd/loaded-app.ts';
import type { Response } from 'supertest';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { failure } from './helpers.ts';

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  actions: true,
  attributes: {
    title: { type: 'string', required: true },
    slug: { type: 'uid', targetField: 'title', generate: true },
    related: { type: 'relation', relation: 'manyToMany', target: 'article' },
  },
});
const home = defineSingleType({ singularApiId: 'home', attributes: { title: { type: 'string' } } });
const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  attributes: { title: { type: 'string' } },
});

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  history: true,
  attributes: { title: { type: 'string' }, notes: { type: 'string' } },
});

/** Permissions of users with fewer than all. */
const limited = new Map<string, Permissions>();

class Users implements AuthStrategy {
  readonly name = 'users';
  authenticate({ bearer }: Credentials): Caller | null {
    if (bearer === null) return null;
    return { kind: 'user', id: bearer, permissions: limited.get(bearer) ?? Permissions.ALL };
  }
}

const committed: string[] = [];

@Injectable()
class Hooks {
  @AfterContent('memo', 'create')
  after(): void {
    // Makes the write run in a transaction that application code may join.
  }

  @OnContentCommitted('memo', 'create')
  done({ document }: { document: { title?: unknown } | null }): void {
    committed.push(String(document?.title));
  }
}

const REUSED = failure(
  422,
  'UnprocessableEntityError',
  'This Idempotency-Key belongs to another request: use a new key',
);
const RUNNING = failure(409, 'ConflictError', 'A request with this Idempotency-Key is still running');

describe.each(ADAPTERS)('requests with an Idempotency-Key on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [article, home, memo, page],
        access: { public: { '*': '*' } },
        auth: { strategies: [new Users()] },
        schedule: { everySeconds: 3600 },
        imports: [HistoryModule.forRoot()],
        providers: [Hooks],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  let count = 0;
  const nextKey = (): string => `key-${(count += 1)}`;
  type Method = 'post' | 'put' | 'delete';
  const send = (method: Method, path: string, key: string, data?: object) => {
    const request = test.http[method](`/api/${path}`).set('Idempotency-Key', key);
    return data === undefined ? request : request.send({ data });
  };
  const make = async (title = 'one'): Promise<string> =>
    (await test.http.post('/api/articles').send({ data: { title } }).expect(201)).body.data.documentId;
  const rows = async (table: string, title: string): Promise<number> =>
    (await test.sql(`select distinct document_id from ${table} where title = $1`, [title])).length;

  it('create one document, and repeat the response with its status and headers', async () => {
    const key = nextKey();
    const data = { title: 'created once' };
    const first = await send('post', 'articles?populate=*', key, data).expect(201);
    const second = await send('post', 'articles?populate=*', key, data).expect(201);
    expect(second.text).toBe(first.text);
    expect(second.headers['etag']).toBe(first.headers['etag']);
    expect([first, second].map(({ headers }) => headers['idempotency-replayed'])).toEqual([
      undefined,
      'true',
    ]);
    expect(await rows('articles', 'created once')).toBe(1);
  });

  it('treat a quoted and an unquoted key as equal', async () => {
    const key = nextKey();
    const first = await send('post', 'articles', `"${key}"`, { title: 'quoted' }).expect(201);
    const second = await send('post', 'articles', key, { title: 'quoted' }).expect(201);
    expect(second.body.data.documentId).toBe(first.body.data.documentId);
  });

  it.each([
    ['another body', 'post', 'articles', { title: 'other' }],
    ['another query', 'post', 'articles?populate=*', { title: 'first' }],
    ['another path', 'post', 'memos', { title: 'first' }],
  ] as const)('return 422 for %s under the same key', async (_what, method, path, data) => {
    const key = nextKey();
    await send('post', 'articles', key, { title: 'first' }).expect(201);
    expect((await send(method, path, key, data).expect(422)).body).toEqual(REUSED);
  });

  it('are separate for each caller', async () => {
    const key = nextKey();
    const ids = new Set<string>();
    for (const bearer of ['ann', 'bob', 'ann']) {
      const { body } = await send('post', 'articles', key, { title: 'own' })
        .set('Authorization', `Bearer ${bearer}`)
        .expect(201);
      ids.add(body.data.documentId);
    }
    expect(ids.size).toBe(2);
  });

  it.each<[string, Permissions]>([
    ['attributes', Permissions.of({ '*': '*' })],
    ['documents', Permissions.of({ article: [{ actions: '*', where: () => ({ title: 'mine' }) }] })],
  ])('repeat only the ids to a caller who may no longer read the same %s', async (which, before) => {
    const user = `user-${adapter}-${which}`;
    const write = async (): Promise<Response> =>
      test.http
        .post('/api/articles?populate=related')
        .set({ Authorization: `Bearer ${user}`, 'Idempotency-Key': 'a' })
        .send({ data: { title: 'mine' } });
    limited.set(user, before);
    const first = await write();
    expect((await write()).body).toEqual(first.body);
    limited.set(
      user,
      which === 'attributes'
        ? Permissions.of({
            article: [{ actions: ['create', 'find', 'findOne'], fields: ['slug'] }, 'publish'],
          })
        : Permissions.of({ article: [{ actions: '*', where: () => ({ title: 'other' }) }] }),
    );
    const again = await write();
    const { id, documentId } = (first.body as { data: { id: number; documentId: string } }).data;
    expect([again.status, again.body]).toEqual([201, { data: { id, documentId }, meta: {} }]);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.headers['etag']).not.toBe(first.headers['etag']);
    limited.set(user, before);
    expect((await write()).body).toEqual(first.body);
  });

  const draft = { title: 'draft', notes: 'secret' };
  const storeDraft = async (): Promise<{ path: string; version: string }> => {
    const { body } = await test.http.post('/api/pages?status=draft').send({ data: draft }).expect(201);
    const path = `pages/${body.data.documentId}`;
    const versions = await test.http.get(`/api/${path}/versions`).expect(200);
    return { path, version: versions.body.data[0].id };
  };

  it.each<[string, () => Promise<[path: string, data?: unknown, method?: 'put']>]>([
    ['of an update', async () => [`${(await storeDraft()).path}?status=draft&`, { title: 'draft' }, 'put']],
    [
      'of a bulk request',
      () => Promise.resolve(['pages/bulk', [{ action: 'create', status: 'draft', data: draft }]]),
    ],
    [
      'of a restored version',
      async () => {
        const { path, version } = await storeDraft();
        return [`${path}/versions/${version}/actions/restore`];
      },
    ],
    [
      'of a restored document',
      async () => {
        const { path } = await storeDraft();
        await test.http.delete(`/api/${path}`).expect(204);
        return [`${path}/actions/restore`];
      },
    ],
  ])('repeat only the ids %s to a caller who may no longer read drafts', async (which, prepare) => {
    const user = `drafts-${adapter}-${which.replaceAll(' ', '-')}`;
    const [path, data, method = 'post'] = await prepare();
    const write = async (): Promise<Response> =>
      test.http[method](`/api/${path}${path.includes('?') ? '' : '?'}fields=title,notes`)
        .set({ Authorization: `Bearer ${user}`, 'Idempotency-Key': 'a' })
        .send(data === undefined ? {} : { data });
    const published = ['find', 'findOne', 'create', 'update'] as const;
    limited.set(user, Permissions.of({ page: [...published, 'readDrafts'] }));
    const first = await write();
    const [shown] = [first.body.data].flat();
    expect([first.status, shown]).toEqual([200, expect.objectContaining(draft)]);
    expect((await write()).body).toEqual(first.body);
    limited.set(user, Permissions.of({ page: published }));
    const again = await write();
    const { id, documentId } = shown;
    expect([again.status, [again.body.data].flat()]).toEqual([200, [{ id, documentId }]]);
  });

  it('repeat only the ids of a bulk request to a caller who may no longer create the attributes', async () => {
    const user = `creator-${adapter}`;
    const write = async (): Promise<Response> =>
      test.http
        .post('/api/pages/bulk?populate=*')
        .set({ Authorization: `Bearer ${user}`, 'Idempotency-Key': 'a' })
        .send({ data: [{ action: 'create', status: 'draft', data: draft }] });
    const creating = (fields: readonly string[]): Permissions =>
      Permissions.of({
        page: [
          { actions: ['create'], fields },
          { actions: ['update'], fields: ['title'] },
        ],
      });
    limited.set(user, creating(['title', 'notes']));
    const first = await write();
    expect(first.body.data).toEqual([expect.objectContaining(draft)]);
    expect((await write()).body).toEqual(first.body);
    limited.set(user, creating(['title']));
    const [{ id, documentId }] = first.body.data;
    expect((await write()).body.data).toEqual([{ id, documentId }]);
  });

  it('return 409 while the first one runs, and its response after that', async () => {
    const key = nextKey();
    const documentId = await make('locked');
    const holder = await test.connect();
    await holder.query('begin');
    await holder.query('select 1 from articles where document_id = $1 for update', [documentId]);
    const put = () => send('put', `articles/${documentId}`, key, { title: 'unlocked' });
    const first = put().then((response) => response);
    await until(
      async () =>
        (
          await test.sql(
            "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          )
        ).length,
      1,
      10_000,
    );
    expect((await put().expect(409)).body).toEqual(RUNNING);
    await holder.query('rollback');
    await holder.end();
    const { text, status } = await first;
    expect(status).toBe(200);
    expect((await put().expect(200)).text).toBe(text);
  });

  it('store nothing for a rejected request, so that a corrected request may use the key', async () => {
    const key = nextKey();
    await send('post', 'articles', key, { title: 5 }).expect(400);
    await send('post', 'articles', key, { title: 'corrected' }).expect(201);
    await send('put', 'articles/nosuchdocument', nextKey(), { title: 'a' }).expect(404);
  });

  it.each([
    ['PUT', 'put', '', { title: 'again' }, 200],
    ['publish', 'post', '/actions/publish', undefined, 200],
    ['unpublish', 'post', '/actions/unpublish', undefined, 200],
    ['discard', 'post', '/actions/discard', undefined, 200],
    ['schedule', 'put', '/actions/schedule', { publishAt: '2099-01-01T00:00:00.000Z' }, 200],
    ['unschedule', 'delete', '/actions/schedule', undefined, 204],
    ['DELETE', 'delete', '', undefined, 204],
  ] as const)('run %s once', async (_name, method, below, data, status) => {
    const documentId = await make('subject');
    await test.http.post(`/api/articles/${documentId}/actions/publish`).expect(200);
    const key = nextKey();
    const path = `articles/${documentId}${below}`;
    const first = await send(method, path, key, data).expect(status);
    // Repeats the response after another request deleted the document, and writes nothing.
    await test.http.delete(`/api/articles/${documentId}`).expect(204);
    const second = await send(method, path, key, data).expect(status);
    expect([second.text, second.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    await test.http.get(`/api/articles/${documentId}`).expect(404);
  });

  it('run hooks after the commit once', async () => {
    const key = nextKey();
    for (let i = 0; i < 2; i += 1)
      await send('post', 'memos', key, { title: `hooked ${adapter}` }).expect(201);
    expect(committed.filter((title) => title === `hooked ${adapter}`)).toHaveLength(1);
  });

  it('honour If-Match', async () => {
    const documentId = await make('matched');
    const path = `articles/${documentId}`;
    const key = nextKey();
    await send('put', path, key, { title: 'lost' }).set('If-Match', '"stale"').expect(412);
    expect((await test.http.get(`/api/${path}?status=draft`).expect(200)).body.data.title).toBe('matched');
  });

  it('write a single type', async () => {
    const key = nextKey();
    const first = await send('put', 'home', key, { title: 'Home' }).expect(200);
    expect((await send('put', 'home', key, { title: 'Home' }).expect(200)).text).toBe(first.text);
  });

  it('that run at the same time get different generated values', async () => {
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => send('post', 'articles', nextKey(), { title: 'Same title' })),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 201));
    expect(new Set(responses.map(({ body }) => body.data.slug)).size).toBe(6);
  });

  it('expire after a day', async () => {
    const key = nextKey();
    const data = { title: 'expired' };
    const first = await send('post', 'articles', key, data).expect(201);
    await test.sql("update content_request_key set created_at = created_at - interval '25 hours'");
    const second = await send('post', 'articles', key, data).expect(201);
    expect(second.body.data.documentId).not.toBe(first.body.data.documentId);
    for (let i = 0; i < 10; i += 1) await send('post', 'memos', nextKey(), {}).expect(201);
    const [left] = await test.sql(
      "select count(*)::int as n from content_request_key where created_at < now() - interval '24 hours'",
    );
    expect(left).toEqual({ n: 0 });
  });

  it.each(['', '""', 'a b', 'é'.repeat(2), '"unclosed', 'x'.repeat(256)])(
    'return 400 for the key %j',
    async (key) => {
      const response = await test.http
        .post('/api/articles')
        .set('Idempotency-Key', Buffer.from(key).toString('latin1'))
        .send({ data: { title: 'never' } })
        .expect(400);
      expect(response.body).toEqual(
        failure(400, 'BadRequestError', 'Idempotency-Key must be 1 to 255 printable ASCII characters', {
          key: 'Idempotency-Key',
        }),
      );
      expect(await rows('articles', 'never')).toBe(0);
    },
  );

  it('have no effect on reads', async () => {
    await test.http.get('/api/articles').set('Idempotency-Key', 'a b').expect(200);
  });
});
