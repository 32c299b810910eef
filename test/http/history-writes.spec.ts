/** Restored documents keep their owner, and one write stores each version once. */
import {
  type AuthStrategy,
  type Credentials,
  defineCollectionType,
  defineComponent,
  type Identity,
} from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  actions: true,
  history: true,
  attributes: { title: { type: 'string' } },
});
const part = defineComponent({ uid: 'test.part', attributes: { text: { type: 'string' } } });
const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  localized: true,
  history: true,
  attributes: {
    title: { type: 'string', localized: true },
    parts: { type: 'component', component: 'test.part', repeatable: true },
  },
});
const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  history: true,
  owner: 'writer',
  attributes: {
    text: { type: 'string' },
    writer: { type: 'relation', relation: 'manyToOne', target: 'person' },
  },
});
const person = defineCollectionType({
  singularApiId: 'person',
  pluralApiId: 'people',
  attributes: { name: { type: 'string' } },
});

class UserHeader implements AuthStrategy {
  readonly name = 'user-header';
  authenticate({ headers }: Credentials): Identity | null {
    const id = headers['x-user'];
    return typeof id === 'string' ? { kind: 'user', id, roles: [id === 'boss' ? 'boss' : 'writer'] } : null;
  }
}

describe.each(ADAPTERS)('writes with history on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        components: [part],
        contentTypes: [page, story, note, person],
        locales: ['en', 'fr', 'de'],
        access: {
          roles: {
            boss: { '*': '*' },
            writer: {
              note: ['create', { actions: ['find', 'findOne', 'update', 'delete'], own: true }],
            },
          },
        },
        auth: { strategies: [new UserHeader()] },
        imports: [HistoryModule.forRoot()],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const send = async (
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
    { data, as = 'boss', headers = {} }: any = {},
  ): Promise<any> => {
    const request = test.http[method](`/api/${path}`).set({ 'x-user': as, ...headers });
    const { status, body } = await (data === undefined ? request : request.send({ data }));
    return { status, ...body };
  };
  const make = async (path: string, data: object, as?: string): Promise<string> =>
    (await send('post', path, { data, as })).data.documentId;
  const listed = async (id: string): Promise<string[]> =>
    (await send('get', `pages/${id}/versions`)).data.map(
      ({ status, action }: Record<string, unknown>) => `${String(status)} ${String(action)}`,
    );

  it('25.6 gives a restored document the owner that it had, also if another user restores it', async () => {
    const ann = await make('people', { name: 'Ann' });
    const id = await make('notes', { text: 'of Ann' }, ann);
    expect((await send('delete', `notes/${id}`, { as: ann })).status).toBe(204);
    expect((await send('post', `notes/${id}/actions/restore`)).status).toBe(200);
    const found = await send('get', `notes/${id}?populate=writer`);
    expect(found.data.writer).toMatchObject({ documentId: ann });
    expect((await send('put', `notes/${id}`, { as: ann, data: { text: 'again' } })).status).toBe(200);
  });

  it('25.6 restores a document without an owner, or whose owner was deleted, without one', async () => {
    const ben = await make('people', { name: 'Ben' });
    const id = await make('notes', { text: 'of Ben' }, ben);
    await send('delete', `notes/${id}`);
    await send('delete', `people/${ben}`);
    expect((await send('post', `notes/${id}/actions/restore`)).status).toBe(200);
    expect((await send('get', `notes/${id}?populate=writer`)).data).toMatchObject({
      text: 'of Ben',
      writer: null,
    });
  });

  it('25.6 restores each version with its creation time', async () => {
    const id = await make('stories?locale=en&status=draft', { title: 'en' });
    await send('put', `stories/${id}?locale=fr`, { data: { title: 'fr' } });
    const times = (): Promise<unknown[]> =>
      Promise.all(
        ['locale=en&status=draft', 'locale=fr&status=draft', 'locale=fr'].map(
          async (version) => (await send('get', `stories/${id}?${version}`)).data.createdAt,
        ),
      );
    const before = await times();
    expect(before).toEqual([expect.any(String), before[1], before[1]]);
    expect(before[0]).not.toBe(before[1]);
    await send('delete', `stories/${id}?locale=*`);
    const restored = await send('post', `stories/${id}/actions/restore`);
    expect([restored.status, restored.data.createdAt]).toEqual([200, before[0]]);
    expect(await times()).toEqual(before);
    const [version] = (await send('get', `stories/${id}/versions`)).data;
    const { content } = (await send('get', `stories/${id}/versions/${version.id}`)).data;
    expect(content).not.toHaveProperty('createdAt');
  });

  it('25.6 restores with If-None-Match, as the document does not exist, and not with If-Match', async () => {
    const id = await make('pages', { title: 'live' });
    await send('put', `pages/${id}?status=draft`, { data: { title: 'draft' } });
    await send('delete', `pages/${id}`);
    const restore = (headers: object) => send('post', `pages/${id}/actions/restore`, { headers });
    expect((await restore({ 'If-Match': '*' })).status).toBe(412);
    expect((await restore({ 'If-None-Match': '*' })).status).toBe(200);
    expect((await send('get', `pages/${id}`)).data.title).toBe('live');
    expect((await send('get', `pages/${id}?status=draft`)).data.title).toBe('draft');
  });

  it('25.6 restores drafts as modified or not, also if the locales share components', async () => {
    const id = await make('stories?locale=de', { title: 'de', parts: [{ text: 'a' }] });
    await send('put', `stories/${id}?locale=en`, { data: { title: 'en' } });
    await send('put', `stories/${id}?locale=fr&status=draft`, { data: { title: 'fr' } });
    await send('put', `stories/${id}?locale=en&status=draft`, { data: { title: 'changed' } });
    const states = (): Promise<unknown[]> =>
      Promise.all(
        ['en', 'fr', 'de'].map(async (locale) => {
          const path = `stories/${id}?locale=${locale}&status=draft&populate=parts&withState=true`;
          const { title, parts, __state } = (await send('get', path)).data;
          return [title, parts.map(({ text }: { text: string }) => text), __state.status];
        }),
      );
    const before = [
      ['changed', ['a'], 'modified'],
      ['fr', ['a'], 'draft'],
      ['de', ['a'], 'published'],
    ];
    expect(await states()).toEqual(before);
    await send('delete', `stories/${id}?locale=*`);
    expect((await send('post', `stories/${id}/actions/restore`)).status).toBe(200);
    expect(await states()).toEqual(before);
  });

  it('25.6 shows the title in the locale of the request, or else in the default locale', async () => {
    const id = await make('stories?locale=de', { title: 'Hafen' });
    await send('put', `stories/${id}?locale=en`, { data: { title: 'Harbour' } });
    await send('put', `stories/${id}?locale=fr`, { data: { title: 'Port' } });
    await send('delete', `stories/${id}?locale=*`);
    const titleIn = async (query: string): Promise<unknown> =>
      (await send('get', `stories/trash?documentId=${id}${query}`)).data[0].title;
    expect(await titleIn('')).toBe('Harbour');
    expect(await titleIn('&locale=fr')).toBe('Port');
  });

  it('25.1 stores each version of a transaction once, with the write that made it', async () => {
    const id = await make('pages', { title: 'one' });
    const items = [
      { action: 'update', documentId: id, data: { title: 'two' } },
      { action: 'update', documentId: id, status: 'draft', data: { title: 'three' } },
      { action: 'update', documentId: id, status: 'draft', data: { title: 'four' } },
      { action: 'publish', documentId: id },
    ];
    expect((await send('post', 'pages/bulk', { data: items })).status).toBe(200);
    expect(await listed(id)).toEqual([
      'published publish',
      'draft update',
      'published update',
      'published create',
    ]);
    await send('put', `pages/${id}?status=draft`, { data: { title: 'five' } });
    await send('delete', `pages/${id}`);
    await send('post', `pages/${id}/actions/restore`);
    expect((await listed(id)).slice(0, 4)).toEqual([
      'draft restore',
      'published restore',
      'published delete',
      'draft delete',
    ]);
  });

  it('25.1 stores a draft once that a transaction writes unchanged and then publishes', async () => {
    const id = await make('pages', { title: 'one' });
    const item = { action: 'update', documentId: id };
    const bulk = [
      { ...item, status: 'draft', data: { title: 'one' } },
      { ...item, data: { title: 'two' } },
    ];
    expect((await send('post', 'pages/bulk', { data: bulk })).status).toBe(200);
    await send('put', `pages/${id}?status=draft`, { data: { title: 'three' } });
    expect(await listed(id)).toEqual(['draft update', 'published update', 'published create']);
  });
});
