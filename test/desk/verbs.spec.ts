/** `GET /desk/verbs`: what an editor may do with one document, where grants cover some documents only. */
import { type Credentials, defineCollectionType, defineSingleType, type Identity } from 'nestjs-content-api';
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
const front = defineSingleType({
  singularApiId: 'front',
  draftAndPublish: true,
  localized: true,
  actions: true,
  attributes: { title: { type: 'string', localized: true }, area: { type: 'string' } },
});
const column = defineCollectionType({
  singularApiId: 'column',
  pluralApiId: 'columns',
  draftAndPublish: true,
  publishBy: 'right',
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
  local: {
    desk: ['open'],
    note: [{ actions: [...READS, 'create', ...WRITES], where: () => ({ locale: { $in: ['fr'] } }) }],
    front: ['find', 'readDrafts', { actions: ['update', 'publish'], where: () => ({ area: 'here' }) }],
    column: [...READS, 'create', 'update'],
  },
  away: {
    desk: ['open'],
    front: ['find', { actions: ['update', 'publish'], where: () => ({ area: 'away' }) }],
  },
} as const;

describe('verbs on one document', () => {
  let test: TestApp;
  let id: string;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [note, secret, front, column],
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
  const ON_ONE = ['update', 'delete', 'publish', 'live', 'unpublish', 'discard', 'schedule', 'versions'];
  const onOne = (all: readonly string[]): string[] => all.filter((verb) => ON_ONE.includes(verb)).sort();

  it('are all for an owner, and for an editor of all documents', async () => {
    expect(await verbs('ann author')).toEqual(expect.arrayContaining(ON_ONE));
    expect(await verbs('ann hidden')).toEqual(expect.arrayContaining(ON_ONE));
    expect(await verbs('cleo chief')).toEqual(expect.arrayContaining(ON_ONE));
  });

  it('do not change a document of another owner, as its routes', async () => {
    const shown = await verbs('ben author');
    expect(onOne(shown)).toEqual([]);
    expect(shown).toEqual(expect.arrayContaining(['find', 'findOne', 'create', 'readDrafts', 'trash']));
    const send = test.http.put(`/api/notes/${id}?status=draft`).set('x-user', 'ben author');
    await send.send({ data: { title: 'C' } }).expect(403);
  });

  it('follow conditions on the version of the language', async () => {
    const ofEnglish = await verbs('fay french');
    expect(onOne(ofEnglish)).toEqual([]);
    // These write `owner`, which all languages share, in English, too.
    const ofFrench = ON_ONE.filter((verb) => !['publish', 'live', 'schedule', 'discard'].includes(verb));
    expect(onOne(await verbs('fay french', 'fr'))).toEqual(ofFrench.sort());
    const { data } = (await ask('fay french', { locale: 'fr' }).expect(200)).body;
    expect(data).toMatchObject({ update: 'own', delete: 'own' });
  });

  it('add a missing language to a document if all its versions meet the condition, as its routes', async () => {
    expect(await verbs('ann author', 'ar')).toEqual(expect.arrayContaining(['update', 'publish']));
    for (const user of ['fay french', 'ben author']) {
      expect(onOne(await verbs(user, 'ar'))).toEqual([]);
      const send = test.http.put(`/api/notes/${id}?status=draft&locale=ar`).set('x-user', user);
      await send.send({ data: { title: 'C' } }).expect(403);
    }
  });

  it('add a missing language to a document if the condition covers it, as its routes', async () => {
    const path = '/api/notes?status=draft';
    const { body } = await test.http
      .post(path)
      .set('x-user', 'cleo chief')
      .send({ data: { title: 'A' } });
    const of = { documentId: body.data.documentId, locale: 'fr' };
    expect((await ask('fay french', of).expect(200)).body.data).toMatchObject({ update: 'own' });
    await test.http
      .put(`/api/notes/${of.documentId}?status=draft&locale=fr`)
      .set('x-user', 'fay french')
      .send({ data: { title: 'C' } })
      .expect(200);
  });

  it('do not create in a language that no condition covers, as its routes', async () => {
    const create = (locale: string) =>
      test.http.post(`/api/notes?status=draft&locale=${locale}`).set('x-user', 'lea local');
    const ofNew = async (locale: string): Promise<string[]> =>
      Object.keys((await ask('lea local', { documentId: '', locale }).expect(200)).body.data);
    expect(await ofNew('en')).not.toContain('create');
    await create('en').send({ data: {} }).expect(403);
    expect(await ofNew('fr')).toContain('create');
    const { body } = await create('fr').send({ data: {} }).expect(201);
    const of = { documentId: body.data.documentId, locale: 'ar' };
    expect((await ask('lea local', of).expect(200)).body.data).not.toHaveProperty('update');
    await test.http
      .put(`/api/notes/${body.data.documentId}?status=draft&locale=ar`)
      .set('x-user', 'lea local')
      .send({ data: { title: 'C' } })
      .expect(403);
  });

  it('are those on the document of a single type, as its routes', async () => {
    const write = (user: string, data: object) =>
      test.http.put('/api/front?status=draft').set('x-user', user).send({ data });
    const verbsOf = async (user: string, locale = 'en'): Promise<string[]> =>
      Object.keys((await ask(user, { type: 'front', documentId: '', locale }).expect(200)).body.data);
    // Without a document, a body decides what is created.
    expect(await verbsOf('lea local')).toContain('update');
    await write('lea local', { area: 'here' }).expect(200);
    for (const locale of ['en', 'fr'])
      expect(await verbsOf('lea local', locale)).toEqual(
        expect.arrayContaining(['update', 'publish', 'live']),
      );
    for (const locale of ['en', 'fr']) expect(onOne(await verbsOf('ira away', locale))).toEqual([]);
    await write('ira away', { title: 'C' }).expect(404);
  });

  it('say that a write does not publish in a type with `publishBy`', async () => {
    const model = async (user: string) => (await test.http.get('/desk/model').set('x-user', user)).body.data;
    const { types } = await model('lea local');
    const of = types.find(({ name }: { name: string }) => name === 'column');
    expect(Object.keys(of.verbs).sort()).toEqual([
      'bulk',
      'create',
      'find',
      'findOne',
      'readDrafts',
      'update',
    ]);
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
