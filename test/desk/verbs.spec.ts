/** `GET /desk/verbs`: what an editor may do with one document, where grants cover some documents only. */
import { type Credentials, defineCollectionType, type Identity } from 'nestjs-content-api';
import { DeskModule } from 'nestjs-content-api/desk';
import { HistoryModule } from 'nestjs-content-api/history';
import { createTestApp, type TestApp } from '../support/app.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  owner: 'owner',
  draftAndPublish: true,
  localized: true,
  actions: true,
  history: true,
  attributes: { title: { type: 'string', localized: true }, owner: { type: 'string' } },
});
const secret = defineCollectionType({
  singularApiId: 'secret',
  pluralApiId: 'secrets',
  attributes: { title: { type: 'string' } },
});
const auth = {
  strategies: [
    {
      name: 'test',
      authenticate: ({ headers }: Credentials): Identity | null => {
        const [id, role] = String(headers['x-user'] ?? '').split(' ');
        return role === undefined ? null : { kind: 'user', id: id ?? '', roles: [role] };
      },
    },
  ],
};
const READS = ['find', 'findOne', 'readDrafts'] as const;
const WRITES = ['update', 'delete', 'publish'] as const;
const ROLES = {
  chief: { desk: ['open'], note: '*' },
  author: { desk: ['open'], note: [...READS, 'create', { actions: WRITES, own: true }] },
  hidden: { desk: ['open'], note: [{ actions: '*', own: true }] },
  french: { desk: ['open'], note: [...READS, { actions: WRITES, where: () => ({ locale: 'fr' }) }] },
  reader: { note: '*' },
} as const;

describe('verbs on one document', () => {
  let test: TestApp;
  let id: string;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [note, secret],
        locales: ['en', 'fr', 'ar'],
        access: { roles: ROLES },
        auth,
        imports: [DeskModule.forRoot(), HistoryModule.forRoot()],
      },
      'express',
    );
    const write = (method: 'post' | 'put', path: string) =>
      test.http[method](`/api/notes${path}`).set('x-user', 'ann author');
    ({ documentId: id } = (
      await write('post', '?status=draft')
        .send({ data: { title: 'A' } })
        .expect(201)
    ).body.data);
    await write('put', `/${id}?locale=fr&status=published`)
      .send({ data: { title: 'B' } })
      .expect(200);
  });
  afterAll(() => test.close());

  const ask = (user: string, query: object = {}) =>
    test.http
      .get('/desk/verbs')
      .query({ type: 'note', documentId: id, locale: 'en', ...query })
      .set('x-user', user);
  const verbs = async (user: string, locale = 'en'): Promise<string[]> =>
    Object.keys((await ask(user, { locale }).expect(200)).body.data);
  const ON_ONE = ['update', 'delete', 'publish', 'unpublish', 'discard', 'schedule', 'versions'];

  it('are all for an owner, and for an editor of all documents', async () => {
    expect(await verbs('ann author')).toEqual(expect.arrayContaining(ON_ONE));
    expect(await verbs('ann hidden')).toEqual(expect.arrayContaining(ON_ONE));
    expect(await verbs('cleo chief')).toEqual(expect.arrayContaining(ON_ONE));
  });

  it('do not change a document of another owner, as its routes', async () => {
    const shown = await verbs('ben author');
    expect(shown.filter((verb) => ON_ONE.includes(verb))).toEqual([]);
    expect(shown).toEqual(expect.arrayContaining(['find', 'findOne', 'create', 'readDrafts', 'trash']));
    const send = test.http.put(`/api/notes/${id}?status=draft`).set('x-user', 'ben author');
    await send.send({ data: { title: 'C' } }).expect(403);
  });

  it('follow conditions on the version of the language', async () => {
    const ofEnglish = await verbs('fay french');
    expect(ofEnglish.filter((verb) => ON_ONE.includes(verb))).toEqual([]);
    expect(await verbs('fay french', 'fr')).toEqual(expect.arrayContaining(ON_ONE));
    // The desk offers to add a language to a document that has one.
    expect(await verbs('ann author', 'ar')).toEqual(expect.arrayContaining(['update']));
  });

  it('are not told for what the caller does not find or may not read', async () => {
    await ask('ben hidden').expect(404);
    await ask('ann author', { documentId: 'none' }).expect(404);
    await ask('ann author', { type: 'none' }).expect(404);
    await ask('ann author', { type: 'secret' }).expect(403);
    await ask('ann reader').expect(403);
    await ask('ann author', { locale: ['en', 'fr'] }).expect(400);
    await test.http.get('/desk/verbs').expect(401);
  });

  it('are those that forms ask for: the model names what is limited', async () => {
    const { data } = (await test.http.get('/desk/model').set('x-user', 'fay french').expect(200)).body;
    expect(data.types.find(({ name }: { name: string }) => name === 'note').verbs).toMatchObject({
      find: 'all',
      update: 'own',
      delete: 'own',
      publish: 'own',
    });
  });
});
