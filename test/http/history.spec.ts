/** Stored versions: list, show, compare, restore, and the trash. */
import { jest } from '@jest/globals';
import { defineCollectionType, defineComponent, defineSingleType } from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { Documents } from '../../src/content/documents/documents.service.ts';
import { VisibleDocuments } from '../../src/content/documents/visible-documents.ts';
import { ADAPTERS, countStatements, createTestApp, type TestApp } from '../support/app.ts';
import { namedTokens } from '../support/named-tokens.ts';

const part = defineComponent({
  uid: 'shared.part',
  attributes: {
    text: { type: 'string' },
    tag: { type: 'relation', relation: 'manyToOne', target: 'tag' },
    deep: { type: 'component', component: 'shared.deep', repeatable: true },
  },
});
const deep = defineComponent({
  uid: 'shared.deep',
  attributes: { text: { type: 'string' }, inside: { type: 'string', private: true } },
});
const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  localized: true,
  history: true,
  actions: true,
  attributes: {
    title: { type: 'string', required: true, localized: true },
    rank: { type: 'integer' },
    code: { type: 'string', unique: true },
    secret: { type: 'string', private: true },
    inner: { type: 'string' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'pages' },
    about: { type: 'relation', relation: 'morphToMany' },
    parts: { type: 'component', component: 'shared.part', repeatable: true },
    zone: { type: 'dynamiczone', components: ['shared.part'] },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  history: true,
  attributes: {
    name: { type: 'string' },
    pages: { type: 'relation', relation: 'manyToMany', target: 'page', mappedBy: 'tags' },
  },
});
const home = defineSingleType({
  singularApiId: 'home',
  history: true,
  attributes: { title: { type: 'string' } },
});
const plain = defineCollectionType({
  singularApiId: 'plain',
  pluralApiId: 'plains',
  attributes: { name: { type: 'string' } },
});

const ALL = ['find', 'findOne', 'create', 'update', 'delete', 'readDrafts', 'publish'] as const;
const READ_SOME = ['title', 'rank', 'tags'];
const GRANTS = {
  ann: { page: ALL, tag: ALL },
  ben: { page: ALL, tag: ALL },
  reader: { page: ['find', 'findOne', 'readDrafts'] },
  live: { page: ['find', 'findOne', 'update'] },
  some: {
    page: [{ actions: ['find', 'findOne', 'create', 'update'], fields: READ_SOME }, 'readDrafts'],
  },
} as const;

describe.each(ADAPTERS)('history on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [page, tag, home, plain],
        components: [part, deep],
        locales: ['fr'],
        access: { public: { page: '*', tag: '*', home: '*', plain: '*' } },
        auth: { strategies: [namedTokens(GRANTS)] },
        imports: [HistoryModule.forRoot()],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const send = async (
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
    { data, as }: any = {},
  ): Promise<any> => {
    const request = test.http[method](`/api/${path}`);
    if (as !== undefined) request.set('Authorization', `Bearer ${String(as)}`);
    const { status, body } = await (data === undefined ? request : request.send({ data }));
    return { status, ...body };
  };
  const make = async (data: object, path = 'pages'): Promise<string> =>
    (await send('post', path, { data })).data.documentId;
  const versions = async (id: string, query = '', as?: string): Promise<any[]> =>
    (await send('get', `pages/${id}/versions${query}`, { as })).data;
  const contents = async (id: string, query = ''): Promise<any[]> =>
    Promise.all(
      (await versions(id, query)).map(
        async (one) => (await send('get', `pages/${id}/versions/${one.id}`)).data.content,
      ),
    );

  it('25.1 stores each published version, and one draft per sitting of a caller', async () => {
    const id = await make({ title: 'one', code: `a-${adapter}` });
    await send('put', `pages/${id}`, { data: { title: 'two' } });
    for (const title of ['d1', 'd2', 'd3'])
      await send('put', `pages/${id}?status=draft`, { data: { title } });
    await send('put', `pages/${id}?status=draft`, { data: { title: 'ann' }, as: 'ann' });
    await send('put', `pages/${id}?status=draft`, { data: { title: 'ben' }, as: 'ben' });
    await send('post', `pages/${id}/actions/publish`, { as: 'ben' });
    const list = await versions(id);
    expect(list.map(({ status, action, by }) => `${status} ${action} ${by.id ?? by.kind}`)).toEqual([
      'published publish ben',
      'draft update ben',
      'draft update ann',
      'draft update public',
      'published update public',
      'published create public',
    ]);
    expect((await contents(id)).map(({ title }) => title)).toEqual(['ben', 'ben', 'ann', 'd3', 'two', 'one']);
  });

  it('25.1 stores nothing of a write that fails, and the state before the first write', async () => {
    const id = await make({ title: 'kept' });
    await test.sql('delete from content_version where document_id = $1', [id]);
    expect((await send('put', `pages/${id}`, { data: { title: null } })).status).toBe(400);
    expect(await versions(id)).toEqual([]);
    await send('put', `pages/${id}`, { data: { title: 'next' } });
    expect((await versions(id)).map(({ action, status }) => `${action} ${status}`)).toEqual([
      'update published',
      'before published',
      'before draft',
    ]);
    expect((await contents(id)).map(({ title }) => title)).toEqual(['next', 'kept', 'kept']);
  });

  it('25.2 lists by locale, status and page', async () => {
    const id = await make({ title: 'en' });
    await send('put', `pages/${id}?locale=fr`, { data: { title: 'fr' } });
    await send('put', `pages/${id}?status=draft`, { data: { title: 'draft' } });
    expect((await contents(id, '?locale=fr')).map(({ title }) => title)).toEqual(['fr']);
    expect((await versions(id, '?status=draft')).map(({ locale }) => locale)).toEqual(['en']);
    const { data, meta } = await send(
      'get',
      `pages/${id}/versions?pagination[pageSize]=2&pagination[page]=2`,
    );
    expect(data).toHaveLength(1);
    expect(meta.pagination).toEqual({ page: 2, pageSize: 2, pageCount: 2, total: 3 });
    expect((await contents(id, '?locale=')).map(({ title }) => title)).toEqual(['draft', 'fr', 'en']);
    for (const query of ['fields=x', 'status=x', 'pagination[page]=x', 'locale[a]=b'])
      expect((await send('get', `pages/${id}/versions?${query}`)).status).toBe(400);
    const { status, error } = await send('get', `pages/${id}/versions?locale=%00`);
    expect([status, error.details]).toMatchObject([400, { key: 'locale', param: 'locale' }]);
  });

  it('8.8, 9.10, 25.2, 25.6 lists all versions of a type without locales and drafts', async () => {
    const id = await make({ name: 'kept' }, 'tags');
    const gone = await make({ name: 'gone' }, 'tags');
    await send('delete', `tags/${gone}`);
    for (const query of ['locale=fr', 'status=draft', 'status=x']) {
      expect([query, (await send('get', `tags/${id}/versions?${query}`)).data]).toMatchObject([query, [{}]]);
      const { data } = await send('get', `tags/trash?documentId=${gone}&${query}`);
      expect([query, data]).toMatchObject([query, [{ title: 'gone' }]]);
    }
  });

  it('25.2, 25.6 have the pagination of content, with the total on any page, in one statement', async () => {
    const ids = [await make({ title: 'one' }), await make({ title: 'two' })];
    const [id = ''] = ids;
    await send('put', `pages/${id}?status=draft`, { data: { title: 'draft' } });
    for (const one of ids) await send('delete', `pages/${one}`);
    const { pagination: all } = (await send('get', 'pages/trash')).meta;
    const tag = (await send('post', 'tags', { data: { name: 'a' } })).data.documentId;
    await send('put', `tags/${tag}`, { data: { name: 'b' }, as: 'ben' });
    for (const [path, total] of [
      ['pages/trash', all.total],
      [`tags/${tag}/versions`, 2],
    ] as const) {
      const of = async (query: string): Promise<any> =>
        (await send('get', `${path}?${query}`)).meta.pagination;
      const listed = async (query: string): Promise<number> =>
        (await send('get', `${path}?${query}`)).data.length;
      expect(await of('pagination[page]=99&pagination[pageSize]=1')).toEqual({
        page: 99,
        pageSize: 1,
        pageCount: total,
        total,
      });
      expect(await of('pagination[start]=1&pagination[limit]=1')).toEqual({ start: 1, limit: 1, total });
      expect(await listed('pagination[start]=1&pagination[limit]=1')).toBe(1);
      expect(await of('pagination[page]=0&pagination[withCount]=false')).toEqual({ page: 1, pageSize: 25 });
      for (const query of ['pagination[start]=0&pagination[page]=1', 'pagination[limit]=x', 'page=1'])
        expect((await send('get', `${path}?${query}`)).status).toBe(400);
    }
    const statements = await countStatements(() => send('get', 'pages/trash'));
    expect(statements).toHaveLength(1);
  });

  it('25.2 needs update and reading on all documents', async () => {
    const id = await make({ title: 'rights' });
    await send('put', `pages/${id}?status=draft`, { data: { title: 'hidden draft' } });
    expect((await send('get', `pages/${id}/versions`, { as: 'reader' })).status).toBe(403);
    expect((await versions(id, '', 'live')).map(({ status }) => status)).toEqual(['published']);
    expect((await send('get', `pages/${id}/versions?status=draft`, { as: 'live' })).status).toBe(403);
    const [draft] = await versions(id);
    expect((await send('get', `pages/${id}/versions/${draft.id}`, { as: 'live' })).status).toBe(404);
    expect(
      (await send('post', `pages/${id}/versions/${draft.id}/actions/restore`, { as: 'live' })).status,
    ).toBe(404);
    for (const path of ['pages/absent/versions', `pages/${id}/versions/x`, `pages/${id}/versions/999999999`])
      expect((await send('get', path)).status).toBe(404);
    const other = await make({ title: 'other' });
    expect((await send('get', `pages/${other}/versions/${draft.id}`)).status).toBe(404);
    expect((await send('get', 'plains/x/versions')).status).toBe(404);
  });

  it('25.3 shows links as ids with titles, if they exist for the caller', async () => {
    const [red, blue] = [await make({ name: 'red' }, 'tags'), await make({ name: 'blue' }, 'tags')];
    const id = await make({
      title: 'links',
      tags: [blue, red],
      about: [{ __type: 'api::tag.tag', documentId: red }],
      parts: [{ text: 'p', tag: red }],
      zone: [{ __component: 'shared.part', text: 'z', tag: blue }],
    });
    await send('delete', `tags/${red}`);
    const [content] = await contents(id);
    const gone = { documentId: red, title: null, exists: false };
    const there = { documentId: blue, title: 'blue', exists: true };
    expect(content).toMatchObject({
      tags: [there, gone],
      about: [{ __type: 'api::tag.tag', ...gone }],
      parts: [{ text: 'p', tag: gone }],
      zone: [{ __component: 'shared.part', text: 'z', tag: there }],
    });
  });

  it('25.3 shows only what the caller may see now', async () => {
    const red = await make({ name: 'red' }, 'tags');
    const id = await make({ title: 'part', rank: 1, inner: 'inner', tags: [red] });
    const [{ id: version }] = (await versions(id)) as [any];
    const { data } = await send('get', `pages/${id}/versions/${version}`, { as: 'some' });
    expect(data.content).toEqual({ title: 'part', rank: 1 });
    const changes = await send('get', `pages/${id}/versions/${version}/changes`, { as: 'some' });
    expect(changes.data.map(({ attribute }: any) => attribute)).toEqual(['title', 'rank']);
    expect(JSON.stringify(changes)).not.toContain(red);
  });

  it('25.4 compares a version with the one before it, or with another', async () => {
    const [a, b, c] = [
      await make({ name: 'a' }, 'tags'),
      await make({ name: 'b' }, 'tags'),
      await make({ name: 'c' }, 'tags'),
    ];
    const id = await make({ title: 'one', rank: 1, tags: [a, b] });
    await send('put', `pages/${id}`, { data: { title: 'two', tags: [b, a] } });
    await send('put', `pages/${id}`, { data: { rank: 2, tags: [b, c] } });
    const [third, second, first] = (await versions(id, '?status=published')) as [any, any, any];
    const changes = await send('get', `pages/${id}/versions/${third.id}/changes`);
    expect(changes.meta).toEqual({ from: second.id, to: third.id });
    expect(changes.data).toEqual([
      { attribute: 'rank', before: 1, after: 2 },
      { attribute: 'tags', before: [b, a], after: [b, c], added: [c], removed: [a], moved: false },
    ]);
    const { data } = await send('get', `pages/${id}/versions/${second.id}/changes?with=${first.id}`);
    expect(data).toMatchObject([
      { attribute: 'title', before: 'one', after: 'two' },
      { attribute: 'tags', added: [], removed: [], moved: true },
    ]);
    const wrong = await send('get', `pages/${id}/versions/${second.id}/changes?with[]=${first.id}`);
    expect([wrong.status, wrong.error.details.param]).toEqual([400, 'with']);
  });

  it('25.5 restores a version to the draft', async () => {
    const [red, blue] = [await make({ name: 'red' }, 'tags'), await make({ name: 'blue' }, 'tags')];
    const old = {
      title: 'old',
      rank: 1,
      tags: [blue, red],
      parts: [
        { text: 'one', tag: red },
        { text: 'two', tag: null },
      ],
      zone: [{ __component: 'shared.part', text: 'z', tag: blue }],
    };
    const id = await make(old);
    await send('put', `pages/${id}`, {
      data: { title: 'new', rank: 2, secret: 's', tags: [], parts: [], zone: [] },
    });
    await send('delete', `tags/${red}`);
    const first = (await versions(id)).at(-1);
    const restored = await send('post', `pages/${id}/versions/${first.id}/actions/restore`);
    expect(restored).toMatchObject({ status: 200, data: { title: 'old', rank: 1 } });
    const populate =
      'populate[tags]=true&populate[parts][populate]=tag&populate[zone][on][shared.part][populate]=tag';
    const { data: draft } = await send('get', `pages/${id}?status=draft&${populate}`);
    expect(draft).toMatchObject({
      title: 'old',
      tags: [{ name: 'blue' }],
      parts: [
        { text: 'one', tag: null },
        { text: 'two', tag: null },
      ],
      zone: [{ text: 'z', tag: { name: 'blue' } }],
    });
    expect((await send('get', `pages/${id}`)).data.title).toBe('new');
    expect((await versions(id))[0]).toMatchObject({ status: 'draft', action: 'restore' });
    const { secret } = (
      await test.sql('select secret from pages where document_id = $1 and not published', [id])
    )[0] as any;
    expect(secret).toBe('s');
  });

  it('25.5 reads nothing that can fail once a restored version is committed', async () => {
    const tags = [await make({ name: 'red' }, 'tags')];
    const id = await make({ title: 'old', tags });
    await send('put', `pages/${id}`, { data: { title: 'new', tags: [] } });
    const first = (await versions(id)).at(-1);
    const [documents, linked] = [
      test.app.get(Documents, { strict: false }),
      test.app.get(VisibleDocuments, { strict: false }),
    ];
    const [update, find] = [documents.update.bind(documents), linked.find.bind(linked)];
    let isCommitted = false;
    jest.spyOn(documents, 'update').mockImplementation(async (...given) => {
      const answer = await update(...given);
      isCommitted = true;
      return answer;
    });
    jest.spyOn(linked, 'find').mockImplementation(async (...given) => {
      if (isCommitted) throw new Error('No connection is free');
      return find(...given);
    });
    try {
      const restored = await send('post', `pages/${id}/versions/${first.id}/actions/restore`);
      expect(restored).toMatchObject({ status: 200, data: { title: 'old' } });
    } finally {
      jest.restoreAllMocks();
    }
  });

  it('25.5 keeps instances that still exist, with their private values', async () => {
    const deeper = [{ text: 'deeper', inside: 'kept' }, { inside: 'kept, too' }];
    const id = await make({ title: 'instances', parts: [{ text: 'one', deep: deeper }, { text: 'two' }] });
    const stored = async (): Promise<any[]> =>
      (await test.sql('select parts from pages where document_id = $1 and not published', [id])).map(
        ({ parts }) => parts,
      )[0] as any[];
    const [before] = await stored();
    const [{ id: version }] = (await versions(id)) as [any];
    const change = { id: before.id, text: 'changed', deep: [{ id: before.deep[1].id, text: 'new' }] };
    await send('put', `pages/${id}?status=draft`, { data: { parts: [{ text: 'other' }, change] } });
    expect((await send('post', `pages/${id}/versions/${version}/actions/restore`)).status).toBe(200);
    const [first, second] = await stored();
    expect(first).toEqual(before);
    expect(second).toMatchObject({ text: 'two' });
    const { data: list } = await send(
      'get',
      `pages?status=draft&publicationFilter=modified&filters[documentId]=${id}`,
    );
    expect(list).toEqual([]);
  });

  it('25.5 keeps the draft before it as a version, also of the same sitting', async () => {
    const id = await make({ title: 'published' });
    await send('put', `pages/${id}?status=draft`, { data: { title: 'draft' } });
    const first = (await versions(id)).at(-1);
    await send('post', `pages/${id}/versions/${first.id}/actions/restore`);
    expect((await contents(id)).map(({ title }) => title)).toEqual(['published', 'draft', 'published']);
    await send('put', `pages/${id}?status=draft`, { data: { title: 'next' } });
    expect((await contents(id)).map(({ title }) => title)).toEqual(['next', 'draft', 'published']);
  });

  it('25.5 names attributes that the model no longer has', async () => {
    const id = await make({ title: 'model' });
    const [{ id: version }] = (await versions(id)) as [any];
    await test.sql(`update content_version set content = content || '{"gone": 1}' where id = $1`, [version]);
    const { meta } = await send('post', `pages/${id}/versions/${version}/actions/restore`);
    expect(meta.leftOut).toEqual(['gone']);
  });

  it('25.6 restores a deleted document with its locales, states and links', async () => {
    const red = await make({ name: 'red' }, 'tags');
    const id = await make({ title: 'live', code: `trash-${adapter}`, tags: [red] });
    await send('put', `pages/${id}?locale=fr&status=draft`, { data: { title: 'brouillon' } });
    await send('put', `pages/${id}?status=draft`, { data: { title: 'draft' } });
    await send('delete', `pages/${id}?locale=*`);
    expect((await send('get', `pages/${id}?status=draft`)).status).toBe(404);
    const trash = await send('get', 'pages/trash');
    expect(trash.data[0]).toMatchObject({
      documentId: id,
      deletedBy: { kind: 'public', id: null },
      locales: ['en', 'fr'],
      title: 'draft',
    });
    const other = await make({ title: 'free', code: `trash-${adapter}` });
    expect((await send('post', `pages/${id}/actions/restore`)).status).toBe(400);
    await send('put', `pages/${other}`, { data: { code: null } });
    expect((await send('post', `pages/${id}/actions/restore`)).status).toBe(200);
    const titleIn = async (query: string): Promise<unknown> =>
      (await send('get', `pages/${id}?${query}`)).data?.title;
    expect([
      await titleIn(''),
      await titleIn('status=draft'),
      await titleIn('locale=fr'),
      await titleIn('locale=fr&status=draft'),
    ]).toEqual(['live', 'draft', undefined, 'brouillon']);
    expect((await send('get', `pages/${id}?populate=tags`)).data.tags).toMatchObject([{ name: 'red' }]);
    expect((await send('get', 'pages/trash')).data.map((one: any) => one.documentId)).not.toContain(id);
    expect((await send('post', `pages/${id}/actions/restore`)).status).toBe(404);
    expect((await send('post', 'pages/absent/actions/restore')).status).toBe(404);
    for (const as of ['reader', 'live']) expect((await send('get', 'pages/trash', { as })).status).toBe(403);
  });

  it('17.2 restores in the v4 format', async () => {
    const v4 = (path: string) =>
      test.http.post(`/api/pages/${path}/actions/restore`).set('Strapi-Response-Format', 'v4').expect(200);
    const id = await make({ title: 'four' });
    const [{ id: version }] = (await versions(id)) as [{ readonly id: string }];
    const restored = await v4(`${id}/versions/${version}`);
    expect(restored.body.data).toMatchObject({ documentId: id, attributes: { title: 'four' } });
    await send('delete', `pages/${id}`);
    expect((await v4(id)).body.data).toMatchObject({ documentId: id, attributes: { title: 'four' } });
  });

  it('25.6 lists the trash, and restores, however often a document was deleted before', async () => {
    const id = await make({ title: 'often' });
    expect((await send('delete', `pages/${id}`)).status).toBe(204);
    await test.sql(
      `insert into content_version (id, type, document_id, locale, published, action, since, at, actor, content)
       select -4 * n - 2 * s - d, 'page', $1, 'en', s = 1, case d when 0 then 'delete' else 'update' end, a, a, 'system',
         case d when 0 then null else '{"title":"before"}'::jsonb end
       from generate_series(1, 1500) n, generate_series(0, 1) s, generate_series(0, 1) d,
         lateral (select now() - n * interval '1 minute' as a) t`,
      [id],
    );
    const { status, data } = await send('get', 'pages/trash?locale=en&status=draft');
    expect([status, data?.[0]]).toMatchObject([200, { documentId: id, title: 'often' }]);
    expect(await send('post', `pages/${id}/actions/restore`)).toMatchObject({ data: { title: 'often' } });
  });

  it('25.6 lists the trash by document, locale and state', async () => {
    const english = await make({ title: 'english' });
    const both = await make({ title: 'both' });
    await send('put', `pages/${both}?locale=fr&status=draft`, { data: { title: 'brouillon' } });
    const kept = await make({ title: 'kept' });
    for (const id of [english, both]) await send('delete', `pages/${id}?locale=*`);
    const of = `documentId=${english}&documentId=${both}&documentId=${kept}`;
    const listed = async (query: string): Promise<readonly string[]> =>
      (await send('get', `pages/trash?${query}`)).data.map((one: any) => one.title);
    expect(await listed(of)).toEqual(['both', 'english']);
    expect(await listed(`documentId=${english}`)).toEqual(['english']);
    expect(await listed(`${of}&locale=*`)).toEqual(['both', 'english']);
    expect(await listed(`${of}&locale=fr`)).toEqual(['brouillon']);
    expect(await listed(`${of}&locale=fr&status=published`)).toEqual([]);
    expect(await listed(`${of}&pagination[pageSize]=1&pagination[page]=2`)).toEqual(['english']);
    for (const query of [
      'documentId=%00',
      'locale=%00',
      'documentId[a]=b',
      'locale[a]=b',
      'status=x',
      'ids=a',
    ]) {
      const { status, error } = await send('get', `pages/trash?${query}`);
      expect([status, error.details.key]).toEqual([400, /^\w+/.exec(query)?.[0]]);
    }
  });

  it('25.6 restores an unmodified document as an unmodified one', async () => {
    const data = { title: 'unmodified', parts: [{ text: 'a', deep: [{ text: 'b' }] }] };
    const ids = [await make(data), await make({ ...data, title: 'to be modified' })];
    await send('put', `pages/${ids[0]}?locale=fr`, { data: { title: 'non modifié' } });
    await send('put', `pages/${ids[1]}?status=draft`, { data: { title: 'modified' } });
    for (const id of ids) {
      await send('delete', `pages/${id}?locale=*`);
      await send('post', `pages/${id}/actions/restore`);
    }
    const modified = async (locale: string): Promise<unknown[]> => {
      const filters = ids.map((id, i) => `filters[documentId][$in][${i}]=${id}`).join('&');
      const query = `status=draft&publicationFilter=modified&locale=${locale}&${filters}`;
      return (await send('get', `pages?${query}`)).data.map((one: any) => one.documentId);
    };
    expect([await modified('en'), await modified('fr')]).toEqual([[ids[1]], []]);
    const { data: live } = await send('get', `pages/${ids[0]}?populate[parts][populate]=deep`);
    expect(live.parts).toMatchObject(data.parts);
  });

  it('25.7 stores no private values', async () => {
    const parts = [{ text: 'shown', deep: [{ text: 'deeper', inside: 'not to be stored' }] }];
    const zone = parts.map((one) => ({ __component: 'shared.part', ...one }));
    const id = await make({ title: 'private', secret: 'not to be stored', parts, zone });
    const [stored] = await test.sql(`select content::text from content_version where document_id = $1`, [id]);
    expect(stored?.['content']).toContain('deeper');
    expect(stored?.['content']).not.toContain('not to be stored');
    const shown = { text: 'shown', deep: [{ text: 'deeper' }] };
    expect((await contents(id))[0]).toMatchObject({ parts: [shown], zone: [shown] });
  });

  it('25.1 stores the drafts of other locales that a published shared value changes', async () => {
    const id = await make({ title: 'en', rank: 1 });
    await send('put', `pages/${id}?locale=fr&status=draft`, { data: { title: 'fr' } });
    await send('put', `pages/${id}?locale=en`, { data: { rank: 2 } });
    expect((await contents(id, '?locale=fr'))[0]).toMatchObject({ title: 'fr', rank: 2 });
  });

  it('25.8 stores what other writes have changed, before a deletion', async () => {
    const id = await make({ title: 'linked' });
    const red = await make({ name: 'red', pages: [id] }, 'tags');
    await send('delete', `pages/${id}`);
    await send('post', `pages/${id}/actions/restore`);
    const { data } = await send('get', `pages/${id}?status=draft&populate=tags`);
    expect(data.tags.map(({ documentId }: any) => documentId)).toEqual([red]);
  });

  it('25.8 stores what other writes have changed, with the next write', async () => {
    const id = await make({ title: 'linked' });
    const red = await make({ name: 'red', pages: [id] }, 'tags');
    await send('put', `pages/${id}`, { data: { title: 'own', tags: [] }, as: 'ann' });
    const list = (await versions(id)).map(({ action, status, by }) => [action, status, by.id ?? by.kind]);
    expect(list).toEqual([
      ['update', 'published', 'ann'],
      ['before', 'published', 'system'],
      ['before', 'draft', 'system'],
      ['create', 'published', 'public'],
    ]);
    expect((await contents(id)).map(({ tags }) => tags.map((one: any) => one.documentId))).toEqual([
      [],
      [red],
      [red],
      [],
    ]);
  });

  it('25.9 stores links that the version does not show', async () => {
    const other = (await send('post', 'pages?status=draft', { data: { title: 'draft' } })).data.documentId;
    const id = await make({ title: 'shows none', about: [{ __type: 'api::page.page', documentId: other }] });
    await send('put', `pages/${id}`, { data: { about: [] } });
    const first = (await versions(id, '?status=published')).at(-1);
    const { data } = await send('get', `pages/${id}/versions/${first.id}`);
    expect(data.content.about).toMatchObject([{ documentId: other, title: 'draft', exists: true }]);
    await send('post', `pages/${id}/versions/${first.id}/actions/restore`);
    const { data: draft } = await send('get', `pages/${id}?status=draft&populate=about`);
    expect(draft.about).toMatchObject([{ title: 'draft' }]);
  });

  it('25.6 notes the deletion of a single type', async () => {
    await send('put', 'home', { data: { title: 'gone' } });
    await send('delete', 'home');
    const [row] = await test.sql(
      `select action, content from content_version where type = 'home' order by id desc limit 1`,
    );
    expect(row).toEqual({ action: 'delete', content: null });
  });

  it('stores the versions of single types', async () => {
    for (const title of ['a', 'b', 'c']) await send('put', 'home', { data: { title } });
    const [, former] = (await send('get', 'home/versions')).data;
    await send('post', `home/versions/${former.id}/actions/restore`);
    expect((await send('get', 'home')).data.title).toBe('b');
    expect((await send('get', 'home/versions')).data).toHaveLength(4);
  });
});

it('25.6 keeps links to documents with versions in a locale that is no longer configured', async () => {
  const word = defineCollectionType({
    singularApiId: 'word',
    pluralApiId: 'words',
    localized: true,
    attributes: { name: { type: 'string', localized: true } },
  });
  const note = defineCollectionType({
    singularApiId: 'note',
    pluralApiId: 'notes',
    history: true,
    attributes: {
      title: { type: 'string' },
      words: { type: 'relation', relation: 'manyToMany', target: 'word' },
    },
  });
  const test = await createTestApp({
    contentTypes: [word, note],
    access: { public: { word: '*', note: '*' } },
    maxLimit: 4,
    imports: [HistoryModule.forRoot()],
  });
  try {
    const make = async (path: string, data: object): Promise<string> =>
      (await test.http.post(`/api/${path}`).send({ data }).expect(201)).body.data.documentId;
    const words: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      words.push(await make('words', { name }));
      await test.sql(
        `insert into words (document_id, locale, published, created_at, updated_at, name)
         select document_id, 'fr', published, created_at, updated_at, name from words where name = $1`,
        [name],
      );
    }
    const id = await make('notes', { title: 'first', words });
    await test.http
      .put(`/api/notes/${id}`)
      .send({ data: { words: [] } })
      .expect(200);
    const [, former] = (await test.http.get(`/api/notes/${id}/versions`).expect(200)).body.data;
    await test.http.post(`/api/notes/${id}/versions/${former.id}/actions/restore`).expect(200);
    const { data } = (await test.http.get(`/api/notes/${id}?populate=words`).expect(200)).body;
    expect(data.words.map((one: any) => one.documentId).sort()).toEqual(words.sort());
  } finally {
    await test.close();
  }
});

it('refuses to start without the module', async () => {
  await expect(
    createTestApp({ contentTypes: [tag, page], components: [part, deep], locales: ['fr'] }),
  ).rejects.toThrow('HistoryModule.forRoot()');
});

it('refuses wrong options', () => {
  expect(() => HistoryModule.forRoot({ keep: 1 })).toThrow(
    'HistoryModule: keep must be an integer from 2 to 100000',
  );
});
