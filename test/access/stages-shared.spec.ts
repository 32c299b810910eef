/** Approvals of documents that a write changes from another locale or from the inverse side (8.41, 8.42). */
import { type Credentials, defineCollectionType, type Grants, type Identity } from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { type ContentService, getContentToken } from 'nestjs-content-api';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { snapshot } from '../http/helpers.ts';

const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  localized: true,
  actions: true,
  authors: true,
  history: true,
  stages: { draft: { to: ['review', 'ready'] }, review: { to: [] }, ready: { to: ['draft'], publish: true } },
  attributes: {
    title: { type: 'string', localized: true },
    desk: { type: 'string' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'stories' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  draftAndPublish: true,
  actions: true,
  attributes: {
    name: { type: 'string' },
    stories: { type: 'relation', relation: 'manyToMany', target: 'story', mappedBy: 'tags' },
  },
});
const user = defineCollectionType({
  singularApiId: 'user',
  pluralApiId: 'users',
  routes: false,
  attributes: { username: { type: 'string' }, email: { type: 'email' } },
});

const EDIT = ['find', 'findOne', 'readDrafts', 'create', 'update', 'publish'] as const;
const ROLES: Readonly<Record<string, Grants>> = {
  writer: { story: [...EDIT], tag: '*' },
  /** Approves documents of one desk only. */
  limited: {
    story: [...EDIT, { actions: ['move'], stages: ['ready'], where: { desk: 'sports' } }],
    tag: '*',
  },
  chief: { story: [...EDIT, { actions: ['move'], stages: ['ready'] }], tag: '*' },
};
const byHeader = {
  name: 'by-header',
  authenticate: ({ headers }: Credentials): Identity | null => {
    const role = String(headers['x-who'] ?? '');
    return role ? { kind: 'user', id: role, roles: [role] } : null;
  },
};

interface Row {
  readonly documentId: string;
  readonly stage: string;
  readonly tags?: readonly object[];
}

describe.each(ADAPTERS)('approvals on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [story, tag, user],
        locales: ['en', 'de'],
        access: { roles: ROLES },
        auth: { strategies: [byHeader] },
        imports: [HistoryModule.forRoot({ sittingMinutes: 0 })],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const service = (type: string) =>
    test.app.get<ContentService<Row>>(getContentToken(type), { strict: false });
  const put = (path: string, who: string, data: object) =>
    test.http.put(`/api/${path}`).set('x-who', who).send({ data });
  const post = (path: string, who: string) => test.http.post(`/api/${path}`).set('x-who', who);
  /** Makes a story whose drafts in both locales are approved. */
  const make = async (): Promise<string> => {
    const draft = { status: 'draft' } as const;
    const { documentId } = await service('story').create(
      { title: 'one', desk: 'sports', stage: 'ready' },
      draft,
    );
    await service('story').update(documentId, { title: 'eins', stage: 'ready' }, { ...draft, locale: 'de' });
    return documentId;
  };
  const makeTag = async (): Promise<string> => (await service('tag').create({ name: 'tag' })).documentId;
  const stages = async (id: string): Promise<readonly unknown[]> =>
    (
      await test.sql('select stage from stories where document_id = $1 and not published order by locale', [
        id,
      ])
    ).map((row) => row['stage']);

  it('8.41 a shared value that is changed in one locale ends the approvals of all', async () => {
    const id = await make();
    const before = await test.http.get(`/api/stories/${id}?status=draft&locale=de`).set('x-who', 'writer');
    await put(`stories/${id}?status=draft&locale=en`, 'writer', { desk: 'art' }).expect(200);
    expect(await stages(id)).toEqual(['draft', 'draft']);
    await post(`stories/${id}/actions/publish?locale=de`, 'writer').expect(400);
    const after = await test.http.get(`/api/stories/${id}?status=draft&locale=de`).set('x-who', 'writer');
    expect(after.headers['etag']).not.toBe(before.headers['etag']);
    const versions = await test.http.get(`/api/stories/${id}/versions?locale=de`).set('x-who', 'writer');
    const newest = await test.http
      .get(`/api/stories/${id}/versions/${versions.body.data[0].id}`)
      .set('x-who', 'writer');
    expect(newest.body.data.content).toMatchObject({ title: 'eins', desk: 'art', stage: 'draft' });
  });

  it('8.41 a shared link, a bulk write and a write in a new locale end the approvals of all locales', async () => {
    const tagId = await makeTag();
    const [linked, bulk, fresh] = [await make(), await make(), await make()];
    await put(`stories/${linked}?status=draft&locale=de`, 'writer', { tags: [tagId] }).expect(200);
    const item = { action: 'update', documentId: bulk, locale: 'de', status: 'draft', data: { desk: null } };
    await post('stories/bulk', 'writer')
      .send({ data: [item] })
      .expect(200);
    await test.sql("delete from stories where document_id = $1 and locale = 'en'", [fresh]);
    await put(`stories/${fresh}?status=draft&locale=en`, 'writer', { desk: 'art' }).expect(200);
    for (const id of [linked, bulk, fresh]) expect(await stages(id)).toEqual(['draft', 'draft']);
  });

  it('8.41 a value of one locale, an equal value, and a caller who approves end no other approval', async () => {
    const [local, equal, approved] = [await make(), await make(), await make()];
    await put(`stories/${local}?status=draft&locale=en`, 'writer', { title: 'two' }).expect(200);
    expect(await stages(local)).toEqual(['ready', 'draft']);
    await put(`stories/${equal}?status=draft&locale=en`, 'writer', { desk: 'sports' }).expect(200);
    expect(await stages(equal)).toEqual(['ready', 'draft']);
    await put(`stories/${approved}?status=draft&locale=en`, 'chief', { desk: 'art' }).expect(200);
    await service('story').update(approved, { desk: 'news' }, { status: 'draft', locale: 'en' });
    expect(await stages(approved)).toEqual(['ready', 'ready']);
  });

  it('8.41 a draft in another stage keeps it', async () => {
    const draft = { status: 'draft' } as const;
    const { documentId } = await service('story').create({ title: 'one', stage: 'ready' }, draft);
    await service('story').update(documentId, { stage: 'review' }, { ...draft, locale: 'de' });
    await put(`stories/${documentId}?status=draft&locale=en`, 'writer', { desk: 'art' }).expect(200);
    expect(await stages(documentId)).toEqual(['review', 'draft']);
  });

  it('8.41 a published version keeps its stage', async () => {
    const id = await make();
    for (const locale of ['en', 'de']) await service('story').publish(id, { locale });
    await put(`stories/${id}?locale=en`, 'limited', { desk: 'art' }).expect(200);
    expect(await stages(id)).toEqual(['draft', 'ready']);
    const live = await service('story').find({ filters: { documentId: id }, locale: '*' });
    expect(live.data).toMatchObject([
      { desk: 'art', stage: 'ready' },
      { desk: 'art', stage: 'ready' },
    ]);
  });

  it('8.41 a condition of `move` covers the written locale only', async () => {
    const id = await make();
    await put(`stories/${id}?status=draft&locale=en`, 'limited', { desk: 'news' }).expect(200);
    expect(await stages(id)).toEqual(['draft', 'ready']);
  });

  it('8.41 a discard of one locale ends the approvals whose shared values it resets', async () => {
    const id = await make();
    for (const locale of ['en', 'de']) await service('story').publish(id, { locale });
    await post(`stories/${id}/actions/discard?locale=en`, 'writer').expect(200);
    expect(await stages(id)).toEqual(['ready', 'ready']);
    await put(`stories/${id}?status=draft&locale=en`, 'chief', { desk: 'art' }).expect(200);
    await post(`stories/${id}/actions/discard?locale=en`, 'writer').expect(200);
    expect(await stages(id)).toEqual(['draft', 'ready']);
  });

  it('8.41 a discard of all locales ends the approvals of unpublished ones whose shared values it resets', async () => {
    const [id, equal] = [await make(), await make()];
    for (const one of [id, equal]) await service('story').publish(one, { locale: 'de' });
    await put(`stories/${id}?status=draft&locale=en`, 'chief', { desk: 'art' }).expect(200);
    for (const one of [id, equal])
      await post(`stories/${one}/actions/discard?locale=*`, 'writer').expect(200);
    expect([await stages(id), await stages(equal)]).toEqual([
      ['ready', 'draft'],
      ['ready', 'ready'],
    ]);
  });

  it('8.41 a deleted document is restored with its approvals', async () => {
    const id = await make();
    for (const locale of ['en', 'de']) await service('story').publish(id, { locale });
    await put(`stories/${id}?status=draft&locale=en`, 'chief', { desk: 'art' }).expect(200);
    await service('story').delete(id, { locale: '*' });
    await post(`stories/${id}/actions/restore`, 'writer').expect(200);
    expect(await stages(id)).toEqual(['ready', 'ready']);
  });

  it('8.42 the inverse side needs the right to approve', async () => {
    const [id, tagId] = [await make(), await makeTag()];
    const before = await snapshot(test);
    for (const who of ['writer', 'limited'])
      for (const status of ['draft', 'published']) {
        const refused = await put(`tags/${tagId}?status=${status}`, who, { stories: { connect: [id] } });
        expect([refused.status, refused.body.error.details]).toEqual([
          400,
          { key: 'stories', path: 'stories', source: 'body', grant: 'story.move' },
        ]);
      }
    expect(await snapshot(test)).toEqual(before);
    await put(`tags/${tagId}?status=draft`, 'writer', { name: 'named' }).expect(200);
    await put(`tags/${tagId}`, 'chief', { stories: { connect: [id] } }).expect(200);
    expect(await stages(id)).toEqual(['ready', 'ready']);
  });

  it('8.42 publishing a target publishes no links of documents that the caller cannot approve', async () => {
    const [id, tagId] = [await make(), await makeTag()];
    for (const locale of ['en', 'de']) await service('story').publish(id, { locale });
    await put(`stories/${id}?status=draft&locale=en`, 'writer', { tags: [tagId] }).expect(200);
    const published = async (): Promise<unknown> =>
      (await service('story').findOne(id, { populate: ['tags'], locale: 'en' }))?.tags;
    await post(`tags/${tagId}/actions/publish`, 'writer').expect(200);
    await put(`tags/${tagId}`, 'writer', { name: 'second' }).expect(200);
    expect(await published()).toEqual([]);
    await post(`tags/${tagId}/actions/publish`, 'chief').expect(200);
    expect(await published()).toMatchObject([{ documentId: tagId }]);
  });
});
