/** ETags of documents, conditional reads, and writes that require the version that the client read. */
import {
  type AuthStrategy,
  type Caller,
  type ContentService,
  type Credentials,
  defineCollectionType,
  defineSingleType,
  getContentToken,
  Permissions,
} from 'nestjs-content-api';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { failure, NOT_FOUND, snapshot } from './helpers.ts';

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  localized: true,
  owner: 'writer',
  actions: true,
  attributes: {
    title: { type: 'string', localized: true },
    rank: { type: 'integer' },
    secret: { type: 'integer', private: true },
    writer: { type: 'string' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: { name: { type: 'string' } },
});
const home = defineSingleType({
  singularApiId: 'home',
  draftAndPublish: true,
  actions: true,
  attributes: { title: { type: 'string' } },
});

class Writers implements AuthStrategy {
  readonly name = 'writers';
  authenticate({ bearer }: Credentials): Caller | null {
    if (bearer === null) return null;
    const own = { actions: ['find', 'findOne', 'update', 'delete'], own: true } as const;
    return { kind: 'user', id: bearer, permissions: Permissions.of({ page: [own] }) };
  }
}

const FAILED = failure(412, 'PreconditionFailedError', 'Precondition Failed');
const stampOf = (etag: unknown): string => String(etag).slice(1).split('-')[0] ?? '';

describe.each(ADAPTERS)('preconditions on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [page, tag, home],
        locales: ['fr'],
        access: { public: { page: '*', tag: '*', home: '*' } },
        auth: { strategies: [new Writers()] },
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const make = async (data: object = { title: 'one' }): Promise<string> =>
    `/api/pages/${(await test.http.post('/api/pages').send({ data }).expect(201)).body.data.documentId}`;
  const tagOf = async (path: string): Promise<string> =>
    String((await test.http.get(path).expect(200)).headers['etag']);
  const put = (path: string, data: object, headers: Record<string, string> = {}) =>
    test.http.put(path).set(headers).send({ data });

  it('returns 304 without a body for a current ETag, to GET and HEAD', async () => {
    const path = await make();
    const etag = await tagOf(path);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { text, headers } = await test.http.get(path).set('If-None-Match', known).expect(304);
      expect([text, headers['etag'], headers['vary']]).toEqual([
        '',
        etag,
        expect.stringContaining('Authorization'),
      ]);
      // A 304 has no content headers (RFC 9110 15.4.5).
      expect(Object.keys(headers).filter((name) => name.startsWith('content-'))).toEqual([]);
      await test.http.head(path).set('If-None-Match', known).expect(304);
    }
    await test.http.get(path).set('If-None-Match', '"other"').expect(200);
    await put(path, { rank: 1 }).expect(200);
    await test.http.get(path).set('If-None-Match', etag).expect(200);
  });

  it('another representation has another ETag, and all of them identify the same version', async () => {
    const path = await make();
    const paths = [path, `${path}?fields=rank`, `${path}?populate=tags`];
    const tags = await Promise.all(paths.map(tagOf));
    expect(new Set(tags).size).toBe(3);
    expect(new Set(tags.map(stampOf)).size).toBe(1);
    for (const [i, etag] of tags.entries()) {
      await test.http
        .get(paths[i] ?? '')
        .set('If-None-Match', etag)
        .expect(304);
      await test.http
        .get(paths[(i + 1) % 3] ?? '')
        .set('If-None-Match', etag)
        .expect(200);
    }
    const v4 = await test.http
      .get(path)
      .set({ 'Strapi-Response-Format': 'v4', 'If-None-Match': tags[0] ?? '' });
    expect(v4.status).toBe(200);
  });

  it('the ETag changes with populated documents, although the version does not', async () => {
    const { documentId } = (await test.http.post('/api/tags').send({ data: { name: 'a' } })).body.data;
    const path = await make({ title: 'two', tags: [documentId] });
    const etag = await tagOf(`${path}?populate=tags`);
    await test.http
      .put(`/api/tags/${documentId}`)
      .send({ data: { name: 'b' } })
      .expect(200);
    const { body } = await test.http.get(`${path}?populate=tags`).set('If-None-Match', etag).expect(200);
    expect(body.data.tags[0].name).toBe('b');
  });

  it('If-Match accepts a write based on the current version, and no other', async () => {
    const path = await make();
    const etag = await tagOf(`${path}?fields=title&populate=tags`);
    const { headers } = await put(path, { title: 'mine' }, { 'If-Match': etag }).expect(200);
    const before = await snapshot(test);
    expect((await put(path, { title: 'late' }, { 'If-Match': etag }).expect(412)).body).toEqual(FAILED);
    await test.http.delete(path).set('If-Match', etag).expect(412);
    for (const nothing of ['"other"', 'bare', '']) await put(path, {}, { 'If-Match': nothing }).expect(412);
    expect(await snapshot(test)).toEqual(before);
    // The response of a write identifies the version that it created.
    await put(path, { title: 'next' }, { 'If-Match': `"other", ${headers['etag']}` }).expect(200);
    await put(path, { title: 'any' }, { 'If-Match': '*' }).expect(200);
    await test.http
      .delete(path)
      .set('If-Match', await tagOf(path))
      .expect(204);
  });

  it('writes one of many requests with the same If-Match', async () => {
    const path = await make();
    const etag = await tagOf(path);
    const writes = Array.from({ length: 8 }, (_, i) => put(path, { title: `${i}` }, { 'If-Match': etag }));
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array(7).fill(412)]);
  });

  it('accepts the ETag of the published version for its unmodified draft', async () => {
    const path = await make();
    const published = await tagOf(path);
    const draft = await tagOf(`${path}?status=draft`);
    await put(path, {}, { 'If-Match': draft }).expect(200);
    const again = await tagOf(path);
    expect(again).not.toBe(published);
    await put(`${path}?status=draft`, { rank: 5 }, { 'If-Match': again }).expect(200);
    expect(await tagOf(path)).toBe(again);
    await put(path, {}, { 'If-Match': again }).expect(412);
    await put(path, {}, { 'If-Match': await tagOf(`${path}?status=draft`) }).expect(200);
  });

  it.each([
    ['refuses the ETag of the published version for another draft', 'two', 412],
    ['accepts the ETag of the published version for an equal draft', 'one', 200],
  ])('%s if both revisions are unknown, as of adopted content', async (_what, title, status) => {
    await put('/api/home', { title: 'one' }).expect(200);
    await put('/api/home?status=draft', { title }).expect(200);
    await test.sql('update home set revision = 0');
    await put('/api/home', { title: 'three' }, { 'If-Match': await tagOf('/api/home') }).expect(status);
    await test.http.delete('/api/home').expect(204);
  });

  it('a value that locales share changes the ETag of each locale; other values do not', async () => {
    const path = await make();
    await put(`${path}?locale=fr`, { title: 'un' }).expect(200);
    const etag = await tagOf(path);
    await put(`${path}?locale=fr`, { title: 'deux' }).expect(200);
    expect(await tagOf(path)).toBe(etag);
    await put(`${path}?locale=fr`, { rank: 7 }).expect(200);
    await put(path, {}, { 'If-Match': etag }).expect(412);
  });

  it('publishing changes the ETag, even for equal content', async () => {
    const { documentId } = (await test.http.post('/api/pages').send({ data: { title: 'x' } })).body.data;
    const etag = await tagOf(`/api/pages/${documentId}`);
    const pages = test.app.get<ContentService>(getContentToken('page'), { strict: false });
    await pages.unpublish(documentId);
    await pages.publish(documentId);
    const { body } = await test.http.get(`/api/pages/${documentId}`).set('If-None-Match', etag).expect(200);
    expect(body.data.title).toBe('x');
  });

  it('publishing changes the ETag of the draft, even for equal content', async () => {
    const path = await make();
    const draft = `${path}?status=draft`;
    const publish = (etag: string) => test.http.post(`${path}/actions/publish`).set('If-Match', etag);
    const etag = await tagOf(draft);
    const { title } = (await test.http.get(draft).expect(200)).body.data;
    await publish(etag).expect(200);
    expect((await publish(etag).expect(412)).body).toEqual(FAILED);
    expect((await test.http.get(draft).expect(200)).body.data.title).toBe(title);
    await publish(await tagOf(draft)).expect(200);
  });

  it('an update by SQL changes the ETag', async () => {
    const path = await make();
    const etag = await tagOf(path);
    await test.sql('update pages set secret = 1 where document_id = $1', [path.split('/').at(-1)]);
    await put(path, {}, { 'If-Match': etag }).expect(412);
  });

  const ACTIONS = ['publish', 'unpublish', 'discard'] as const;
  /** Every write of a document, as a bearer if one is given. */
  const writesOf = (path: string, headers: Record<string, string>, query = '') => [
    put(`${path}${query}`, { title: 'late' }, headers),
    test.http.delete(`${path}${query}`).set(headers),
    ...ACTIONS.map((action) => test.http.post(`${path}/actions/${action}${query}`).set(headers)),
  ];

  it('If-Match on a missing or deleted document is a 412 for every write, and nothing is written', async () => {
    const path = await make();
    const etag = await tagOf(path);
    await test.http.delete(path).expect(204);
    const before = await snapshot(test);
    for (const gone of [path, '/api/pages/missing', '/api/home'])
      for (const known of [etag, '"other"', '*'])
        for (const { status, body } of await Promise.all(writesOf(gone, { 'If-Match': known })))
          expect([gone, known, status, body]).toEqual([gone, known, 412, FAILED]);
    expect(await snapshot(test)).toEqual(before);
    // A version in another locale is not enough.
    const other = await make();
    for (const { status } of await Promise.all(writesOf(other, { 'If-Match': '*' }, '?locale=fr')))
      expect(status).toBe(412);
  });

  it('without If-Match, a missing document is 404 for PUT, and DELETE succeeds', async () => {
    const none: Record<string, string>[] = [{}, { 'If-None-Match': '"other"' }];
    for (const headers of none) {
      expect((await put('/api/pages/missing', {}, headers).expect(404)).body).toEqual(NOT_FOUND);
      for (const action of ACTIONS)
        await test.http.post(`/api/pages/missing/actions/${action}`).set(headers).expect(404);
      await test.http.delete('/api/pages/missing').set(headers).expect(204);
    }
  });

  it('an unknown key of a body is reported only if the precondition is met', async () => {
    const path = await make();
    for (const at of [path, '/api/pages/missing'])
      await put(at, { unknown: 1 }, { 'If-Match': '"other"' }).expect(412);
    for (const at of [path, '/api/pages/missing']) await put(at, { unknown: 1 }).expect(400);
  });

  it('a condition reveals nothing about documents of other owners', async () => {
    const path = await make({ title: 'hers', writer: 'ann' });
    const etag = await tagOf(path);
    for (const known of [etag, '"other"', '*']) {
      const headers = { authorization: 'Bearer bob', 'if-match': known };
      const [hidden, missing] = [path, '/api/pages/missing'].map((at) => writesOf(at, headers));
      const answers = async (all: ReturnType<typeof writesOf> = []) =>
        (await Promise.all(all)).map(({ status, body }) => [status, body]);
      const seen = await answers(hidden);
      expect(seen).toEqual(await answers(missing));
      // The caller may not publish at all.
      expect(seen.map(([status]) => status)).toEqual([412, 412, 403, 403, 403]);
    }
    await put(path, { title: 'still' }, { authorization: 'Bearer ann', 'if-match': '"other"' }).expect(412);
    await put(path, { title: 'mine' }, { authorization: 'Bearer ann', 'if-match': etag }).expect(200);
  });

  it('If-None-Match: * creates a missing document, and writes nothing else', async () => {
    const none = { 'If-None-Match': '*' };
    await put('/api/home', { title: 'first' }, none).expect(200);
    await put('/api/home', { title: 'second' }, none).expect(412);
    expect((await test.http.get('/api/home').expect(200)).body.data.title).toBe('first');
    const path = await make();
    await put(`${path}?locale=fr`, { title: 'neuf' }, none).expect(200);
    await put(`${path}?locale=fr`, { title: 'encore' }, none).expect(412);
    await test.http.delete('/api/home').expect(204);
  });

  it('the service accepts the same conditions', async () => {
    const pages = test.app.get<ContentService>(getContentToken('page'), { strict: false });
    const { documentId } = (await pages.create({ title: 'a' })) as { documentId: string };
    const seen = await pages.findVersion(documentId, { fields: ['title'] });
    expect(seen?.data).toMatchObject({ title: 'a' });
    const ifMatch = seen?.etag ?? '';
    await pages.update(documentId, { title: 'b' }, {}, { ifMatch });
    await expect(pages.update(documentId, { title: 'c' }, {}, { ifMatch })).rejects.toMatchObject({
      name: 'PreconditionFailedError',
      status: 412,
    });
    await expect(pages.delete(documentId, { locale: '*' }, { ifMatch })).rejects.toMatchObject({
      status: 412,
    });
    await pages.delete(
      documentId,
      {},
      { ifMatch: [ifMatch, (await pages.findVersion(documentId))?.etag ?? ''] },
    );
    expect(await pages.findVersion(documentId)).toBeNull();
    for (const write of [
      () => pages.update(documentId, { title: 'd' }, {}, { ifMatch }),
      () => pages.publish(documentId, {}, { ifMatch }),
      () => pages.delete(documentId, {}, { ifMatch: '*' }),
    ])
      await expect(write()).rejects.toMatchObject({ name: 'PreconditionFailedError', status: 412 });
  });
});
