/** `withState` adds to the documents of a read whether they are draft, published or modified, per locale. */
import { Injectable } from '@nestjs/common';
import {
  type AuthStrategy,
  BeforeContent,
  type ContentEvent,
  type ContentService,
  type Credentials,
  defineCollectionType,
  defineSingleType,
  getContentToken,
  type Identity,
  Permissions,
} from 'nestjs-content-api';
import { adaptersFor } from '../support/adapters.ts';
import { countStatements, createTestApp, type TestApp } from '../support/app.ts';
import { failure } from './helpers.ts';

const report = defineCollectionType({
  singularApiId: 'report',
  pluralApiId: 'reports',
  draftAndPublish: true,
  localized: true,
  owner: 'owner',
  actions: ['publish', 'unpublish'],
  attributes: {
    title: { type: 'string', localized: true },
    shared: { type: 'integer' },
    owner: { type: 'string' },
    source: { type: 'relation', relation: 'manyToOne', target: 'source' },
  },
});
const source = defineCollectionType({
  singularApiId: 'source',
  pluralApiId: 'sources',
  draftAndPublish: true,
  attributes: { name: { type: 'string' } },
});
const label = defineCollectionType({
  singularApiId: 'label',
  pluralApiId: 'labels',
  localized: true,
  attributes: { name: { type: 'string', localized: true } },
});
const plain = defineCollectionType({
  singularApiId: 'plain',
  pluralApiId: 'plains',
  attributes: { reports: { type: 'relation', relation: 'manyToMany', target: 'report' } },
});
const gift = defineCollectionType({
  singularApiId: 'gift',
  pluralApiId: 'gifts',
  draftAndPublish: true,
  owner: 'owner',
  attributes: { note: { type: 'string' }, owner: { type: 'string' } },
});
const front = defineSingleType({
  singularApiId: 'front',
  draftAndPublish: true,
  attributes: { title: { type: 'string' } },
});

const sheet = defineCollectionType({
  singularApiId: 'sheet',
  pluralApiId: 'sheets',
  draftAndPublish: true,
  attributes: { title: { type: 'string' }, inner: { type: 'string', private: true } },
});

const READ = ['find', 'findOne'] as const;

/** Gives each written gift to one user. */
@Injectable()
class Gifts {
  @BeforeContent('gift', 'update')
  give({ data }: ContentEvent): void {
    data['owner'] = '1';
  }
}

class Names implements AuthStrategy {
  readonly name = 'names';
  authenticate({ bearer }: Credentials): Identity | null {
    if (bearer === null) return null;
    const [role = '', id = '1'] = bearer.split('-');
    return { kind: 'user', id, roles: [role] };
  }
}

describe.each(adaptersFor('express'))('the state of documents, on %s', (adapter) => {
  let test: TestApp;
  let reports: ContentService;

  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [report, source, label, plain, gift, front, sheet],
        locales: ['en', 'fr', 'de'],
        strictParams: true,
        access: {
          public: { report: READ, source: READ, label: READ, plain: READ },
          roles: {
            editor: { report: '*', source: READ, label: '*', plain: READ, front: '*' },
            author: {
              report: [...READ, 'update', { actions: ['readDrafts', 'publish'], own: true }],
              gift: ['update', { actions: [...READ, 'readDrafts'], own: true }],
            },
            blind: { report: [...READ, 'update'] },
            owner: { report: ['update', { actions: [...READ, 'readDrafts'], own: true }] },
          },
        },
        auth: { strategies: [new Names()] },
        providers: [Gifts],
      },
      adapter,
    );
    reports = test.app.get(getContentToken('report'), { strict: false });
  });
  afterAll(() => test.close());

  const get = (path: string, as: string | null = 'editor') =>
    test.http.get(`/api/${path}`).set(as === null ? {} : { Authorization: `Bearer ${as}` });
  const make = async (data: object, options: Record<string, unknown> = {}): Promise<string> =>
    ((await reports.create(data, options)) as { documentId: string }).documentId;
  const stateOf = async (id: string, query = '', as = 'editor'): Promise<any> =>
    (await get(`reports/${id}?withState=true${query}`, as).expect(200)).body.data.__state;
  const both = (en: string, fr: string) => [
    { locale: 'en', status: en },
    { locale: 'fr', status: fr },
  ];

  it('8.32 a document is draft, published or modified, in the locale that is shown and in each', async () => {
    const id = await make({ title: 'One' }, { status: 'draft' });
    const draft = { status: 'draft', locales: [{ locale: 'en', status: 'draft' }] };
    expect(await stateOf(id, '&status=draft')).toEqual(draft);
    await reports.publish(id);
    await reports.update(id, { title: 'Un' }, { locale: 'fr', status: 'draft' });
    expect(await stateOf(id)).toEqual({ status: 'published', locales: both('published', 'draft') });
    expect(await stateOf(id, '&status=draft&locale=fr')).toEqual({
      status: 'draft',
      locales: both('published', 'draft'),
    });
    await reports.publish(id, { locale: 'fr' });
    await reports.update(id, { title: 'Une' }, { locale: 'fr', status: 'draft' });
    for (const status of ['draft', 'published'])
      expect(await stateOf(id, `&status=${status}&locale=fr`)).toEqual({
        status: 'modified',
        locales: both('published', 'modified'),
      });
    await reports.update(id, { shared: 2 }, { status: 'draft' });
    expect((await stateOf(id)).locales).toEqual(both('modified', 'modified'));
    await reports.unpublish(id);
    expect((await stateOf(id, '&status=draft')).locales).toEqual(both('draft', 'modified'));
  });

  it('8.32 a list shows the state of each version, in one statement', async () => {
    const [a, b] = [await make({ title: 'list' }), await make({ title: 'list' }, { status: 'draft' })];
    await reports.update(a, { title: 'liste' }, { locale: 'fr', status: 'draft' });
    const query = `filters[documentId][$in][0]=${a}&filters[documentId][$in][1]=${b}&locale=*&status=draft`;
    let data: any[] = [];
    const statements = await countStatements(async () => {
      ({ data } = (await get(`reports?${query}&withState=true&fields=title&sort=id`).expect(200)).body);
    });
    expect(statements).toHaveLength(1);
    expect(data.map(({ documentId, __state }) => [documentId === a, __state.status])).toEqual([
      [true, 'published'],
      [false, 'draft'],
      [true, 'draft'],
    ]);
    expect(data[0].__state.locales).toEqual(both('published', 'draft'));
  });

  it('8.32 single types, and v4 responses, which show it with the attributes', async () => {
    await test.http
      .put('/api/front')
      .set({ Authorization: 'Bearer editor' })
      .send({ data: { title: 'Front' } })
      .expect(200);
    expect((await get('front?withState=true')).body.data.__state).toEqual({ status: 'published' });
    const { body } = await get('front?withState=t').set('Strapi-Response-Format', 'v4').expect(200);
    expect(body.data.attributes).toMatchObject({ title: 'Front', __state: { status: 'published' } });
    expect(Object.keys(body.data)).not.toContain('__state');
  });

  it('8.32 without the parameter, and in populated documents, there is no state', async () => {
    const id = await make({ title: 'none' });
    for (const query of ['', '?withState=false', '?withState=0'])
      expect((await get(`reports/${id}${query}`).expect(200)).body.data).not.toHaveProperty('__state');
    const plains: ContentService = test.app.get(getContentToken('plain'), { strict: false });
    await plains.create({ reports: [id] });
    // Types without drafts and locales have no states.
    const { body } = await get('plains?withState=true&populate=reports').expect(200);
    expect(body.data[0]).not.toHaveProperty('__state');
    expect(body.data[0].reports[0]).not.toHaveProperty('__state');
  });

  it('8.33 drafts need readDrafts, and locales of types without drafts do not', async () => {
    const id = await make({ title: 'refused' });
    const FORBIDDEN = failure(403, 'ForbiddenError', 'Forbidden');
    for (const path of ['reports', `reports/${id}`]) {
      expect((await get(`${path}?withState=true`, null).expect(403)).body).toEqual(FORBIDDEN);
      await get(`${path}?withState=false`, null).expect(200);
    }
    const labels: ContentService = test.app.get(getContentToken('label'), { strict: false });
    const { documentId } = (await labels.create({ name: 'a' }, { locale: 'fr' })) as { documentId: string };
    await labels.update(documentId, { name: 'b' }, { locale: 'de' });
    const { body } = await get(`labels/${documentId}?withState=true&locale=fr`, null).expect(200);
    expect(body.data.__state).toEqual({
      status: 'published',
      locales: [
        { locale: 'de', status: 'published' },
        { locale: 'fr', status: 'published' },
      ],
    });
  });

  it('8.33 it needs no readDrafts on related types, and does not compare their links', async () => {
    const sources: ContentService = test.app.get(getContentToken('source'), { strict: false });
    const { documentId } = (await sources.create({ name: 's' })) as { documentId: string };
    const id = await make({ title: 'linked', source: documentId });
    const { body } = await get(`reports/${id}?withState=true&populate=source`).expect(200);
    expect(body.data.source.name).toBe('s');
    await reports.update(id, { source: null }, { status: 'draft' });
    expect((await stateOf(id)).status).toBe('published');
  });

  it('8.33 with readDrafts on own documents, it shows own documents and counts own versions', async () => {
    const [mine, other] = [await make({ title: 'o', owner: '1' }), await make({ title: 'o', owner: '2' })];
    const query = `reports?withState=true&filters[documentId][$in][0]=${mine}&filters[documentId][$in][1]=${other}`;
    for (const role of ['author', 'owner']) {
      const { body } = await get(query, role).expect(200);
      expect(body.data).toEqual([expect.objectContaining({ documentId: mine })]);
      await get(`reports/${other}?withState=true`, role).expect(404);
    }
    // The draft goes to another user; the published version stays.
    await reports.update(mine, { title: 'changed', owner: '2' }, { status: 'draft' });
    for (const role of ['author', 'owner']) expect((await stateOf(mine, '', role)).status).toBe('published');
    expect((await stateOf(mine)).status).toBe('modified');
    // The new owner of the draft may read the published version, too, or only the draft.
    expect((await stateOf(mine, '&status=draft', 'author-2')).status).toBe('modified');
    expect((await stateOf(mine, '&status=draft', 'owner-2')).status).toBe('draft');
  });

  it('8.34 invalid values and a state inside populate are a 400', async () => {
    const message = 'Invalid value for \'withState\'. Expected "true" or "false"';
    const details = { key: 'withState', path: null, source: 'query', param: 'withState' };
    for (const query of ['withState=yes', 'withState=', 'withState[a]=true', 'withState=true&withState=true'])
      expect((await get(`reports?${query}`).expect(400)).body).toEqual(
        failure(400, 'ValidationError', message, details),
      );
    for (const path of ['reports?populate[source]', 'plains?populate[reports]'])
      expect((await get(`${path}[withState]=true`).expect(400)).body.error.details).toMatchObject({
        key: 'withState',
      });
  });

  const put = (path: string, data: object, { as = 'editor', headers = {} } = {}) =>
    test.http
      .put(`/api/${path}`)
      .set({ Authorization: `Bearer ${as}`, ...headers })
      .send({ data });
  const stampOf = (tag: unknown): string => /^"([\d.]+)-/.exec(String(tag))?.[1] ?? 'none';
  const tagOf = async (path: string, as = 'editor'): Promise<string> =>
    String((await get(path, as).expect(200)).headers['etag']);
  /** States, and whether the tags are those of GET before and after. */
  const rowsOf = (versions: readonly any[]) =>
    versions.map(({ locale, status, former, etag }) => [locale, status, former === null, former === etag]);

  it('8.35 a write shows the state of its document, and the tags of all versions', async () => {
    const id = await make({ title: 'En' });
    await reports.update(id, { title: 'Fr' }, { locale: 'fr', status: 'draft' });
    const seen = await Promise.all(
      ['status=draft', '', 'status=draft&locale=fr'].map((query) => tagOf(`reports/${id}?${query}`)),
    );
    const fr = `reports/${id}?locale=fr&status=draft&withState=true`;
    const { body, headers } = await put(fr, { shared: 3 }).expect(200);
    expect(body.data.__state).toEqual({ status: 'draft', locales: both('modified', 'draft') });
    expect(rowsOf(body.meta.versions)).toEqual([
      ['en', 'draft', false, false],
      ['en', 'published', false, true],
      ['fr', 'draft', false, false],
    ]);
    expect(body.meta.versions.map(({ former }: any) => stampOf(former))).toEqual(seen.map(stampOf));
    expect(body.meta.versions[2].etag).toBe(headers['etag']);
    expect(stampOf(body.meta.versions[0].etag)).toBe(stampOf(await tagOf(`reports/${id}?status=draft`)));
    // The tag of the other locale is one for its next write, and the former one no longer is.
    const [{ etag, former }] = body.meta.versions;
    const en = `reports/${id}?status=draft`;
    await put(en, { title: 'x' }, { headers: { 'If-Match': former } }).expect(412);
    await put(en, { title: 'x' }, { headers: { 'If-Match': etag } }).expect(200);
  });

  it('8.35 the former tag is that of another write in between, if there was one', async () => {
    const id = await make({ title: 'En' }, { status: 'draft' });
    await reports.update(id, { title: 'Fr' }, { locale: 'fr', status: 'draft' });
    const known = await tagOf(`reports/${id}?status=draft`);
    await reports.update(id, { title: 'Of another client' }, { status: 'draft' });
    const { body } = await put(`reports/${id}?locale=fr&status=draft&withState=true`, { shared: 4 });
    expect(body.meta.versions[0].former).not.toBe(null);
    expect(stampOf(body.meta.versions[0].former)).not.toBe(stampOf(known));
  });

  it('8.35 creates and actions show them, too, and a new version has no former tag', async () => {
    const editor = { Authorization: 'Bearer editor' };
    const data = { title: 'new' };
    const path = '/api/reports?withState=true&status=draft';
    const { body } = await test.http.post(path).set(editor).send({ data }).expect(201);
    expect(body.data.__state).toEqual({ status: 'draft', locales: [{ locale: 'en', status: 'draft' }] });
    expect(rowsOf(body.meta.versions)).toEqual([['en', 'draft', true, false]]);
    const actions = `/api/reports/${body.data.documentId}/actions`;
    const published = await test.http.post(`${actions}/publish?withState=true`).set(editor).expect(200);
    expect(published.body.data.__state.status).toBe('published');
    expect(rowsOf(published.body.meta.versions)).toEqual([
      ['en', 'draft', false, false],
      ['en', 'published', true, false],
    ]);
    const back = await test.http.post(`${actions}/unpublish?withState=true`).set(editor).expect(200);
    expect(rowsOf(back.body.meta.versions)).toEqual([['en', 'draft', false, expect.any(Boolean)]]);
    const front = await put('front?withState=true', { title: 'Front' }).set('Strapi-Response-Format', 'v4');
    expect(front.body.data.attributes.__state).toEqual({ status: 'published' });
    expect(rowsOf(front.body.meta.versions)).toEqual([
      [undefined, 'draft', expect.any(Boolean), false],
      [undefined, 'published', expect.any(Boolean), false],
    ]);
  });

  it('8.35 without the parameter, and for a delete, there are none', async () => {
    const id = await make({ title: 'quiet' });
    for (const query of ['', '?withState=false']) {
      const { body } = await put(`reports/${id}${query}`, { title: 'x' }).expect(200);
      expect([body.data.__state, body.meta]).toEqual([undefined, {}]);
    }
    const path = `/api/reports/${id}?withState=true`;
    await test.http.delete(path).set({ Authorization: 'Bearer editor' }).expect(204);
  });

  it('8.35 a response to a write has no tag of a version that its caller may not read', async () => {
    const id = await make({ title: 'mine', owner: '1' });
    const write = async (as: string, query = '') =>
      (await put(`reports/${id}?withState=true${query}`, { title: 't' }, { as }).expect(200)).body;
    // Without readDrafts there is neither a state nor a tag.
    const blind = await write('blind', '&status=draft');
    expect([blind.data.__state, blind.meta]).toEqual([undefined, {}]);
    const hers = await write('author', '&status=draft');
    expect(rowsOf(hers.meta.versions)).toEqual([
      ['en', 'draft', false, false],
      ['en', 'published', false, true],
    ]);
    // The draft of another user: only the published version can be read, also before the write.
    await reports.update(id, { owner: '2' }, { status: 'draft' });
    const others = await write('author');
    expect(rowsOf(others.meta.versions)).toEqual([['en', 'published', false, false]]);
    await reports.update(id, { owner: '2' });
    const none = await write('owner');
    expect([none.data.__state, none.meta]).toEqual([undefined, {}]);
  });

  it('8.35 the former tag of a version that became readable by the write is not shown', async () => {
    const gifts: ContentService = test.app.get(getContentToken('gift'), { strict: false });
    const { documentId } = (await gifts.create({ owner: '2' }, { status: 'draft' })) as {
      documentId: string;
    };
    const path = `gifts/${documentId}?withState=true&status=draft`;
    const { body } = await put(path, { note: 'x' }, { as: 'author' }).expect(200);
    expect(rowsOf(body.meta.versions)).toEqual([[undefined, 'draft', true, false]]);
    const again = await put(path, { note: 'y' }, { as: 'author' }).expect(200);
    expect(rowsOf(again.body.meta.versions)).toEqual([[undefined, 'draft', false, false]]);
  });

  it('16.3 private attributes modify documents for the application, not for callers with all permissions', async () => {
    const sheets: ContentService = test.app.get(getContentToken('sheet'), { strict: false });
    const { documentId } = (await sheets.create({ title: 'one', inner: 'a' })) as { documentId: string };
    await sheets.update(documentId, { inner: 'b' }, { status: 'draft' });
    const as = { kind: 'user', id: '1', permissions: Permissions.ALL } as const;
    const modified = async (fields: string[], options = {}): Promise<number> =>
      (await sheets.find({ publicationFilter: 'modified', status: 'draft', fields }, options)).data.length;
    expect([await modified(['title']), await modified(['title'], { as })]).toEqual([1, 0]);
    const other = ['title', 'createdAt'];
    expect([await modified(other, { as }), await modified(other)]).toEqual([0, 1]);
  });

  it('D29 drafts of an earlier model with drafts are not locales', async () => {
    const labels: ContentService = test.app.get(getContentToken('label'), { strict: false });
    const { documentId } = (await labels.create({ name: 'old' })) as { documentId: string };
    await test.sql(
      `insert into labels (document_id, locale, published, created_at, updated_at, revision, name)
       select document_id, 'fr', false, now(), now(), 1, 'old' from labels where document_id = $1`,
      [documentId],
    );
    expect(await labels.findOne(documentId, { withState: true })).toMatchObject({
      __state: { status: 'published', locales: [{ locale: 'en', status: 'published' }] },
    });
  });

  it('the ETag changes with the state', async () => {
    const id = await make({ title: 'tag' });
    const tag = async (): Promise<unknown> =>
      (await get(`reports/${id}?withState=true`).expect(200)).headers['etag'];
    const before = await tag();
    expect(await tag()).toBe(before);
    await reports.update(id, { title: 'changed' }, { status: 'draft' });
    expect(await tag()).not.toBe(before);
  });
});
