/** `POST /desk/presence`: who has a document open, across instances, for callers who may read it. */
import { type Credentials, defineCollectionType, defineSingleType, type Identity } from 'nestjs-content-api';
import { UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { DeskInvitations, DeskModule } from 'nestjs-content-api/desk';
import { SECRET } from '../accounts/helpers.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  owner: 'owner',
  attributes: { title: { type: 'string' }, owner: { type: 'string' } },
});
const auth = {
  strategies: [
    {
      name: 'test',
      authenticate: ({ headers }: Credentials): Identity | null => {
        const [id, role, org] = String(headers['x-user'] ?? '').split(' ');
        return role === undefined ? null : { kind: 'user', id: id ?? '', roles: [role], attributes: { org } };
      },
    },
  ],
};
const ROLES = {
  editor: { desk: ['open'], article: '*', page: '*', leaflet: '*' },
  member: { desk: ['open'], story: '*' },
  reader: { desk: ['open'], story: ['find', 'findOne'] },
  author: { desk: ['open'], article: [{ actions: '*', own: true }] },
  translator: { desk: ['open'], leaflet: [{ actions: '*', where: () => ({ locale: 'de' }) }] },
  stranger: { desk: ['open'] },
  guest: { article: '*' },
} as const;

const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  tenant: 'org',
  attributes: { title: { type: 'string' }, org: { type: 'string' } },
});
const leaflet = defineCollectionType({
  singularApiId: 'leaflet',
  pluralApiId: 'leaflets',
  localized: true,
  attributes: { title: { type: 'string', localized: true } },
});
const page = defineSingleType({
  singularApiId: 'page',
  localized: true,
  attributes: { title: { type: 'string' } },
});

describe.each(ADAPTERS)('presence on %s', (adapter) => {
  let test: TestApp;
  let a: string;
  let b: string;
  const created = async (path: string, user: string): Promise<string> =>
    (
      await test.http
        .post(`/api/${path}`)
        .set('x-user', user)
        .send({ data: { title: 'A' } })
        .expect(201)
    ).body.data.documentId;
  const open = (user: string, more: object = {}) =>
    test.http
      .post('/desk/presence')
      .set('x-user', user)
      .send({ type: 'article', documentId: a, locale: 'en', form: user, ...more });
  const others = async (user: string, more: object = {}): Promise<string[]> =>
    (await open(user, more).expect(200)).body.data.map(({ name }: { name: string }) => name);

  beforeAll(async () => {
    test = await createTestApp(
      {
        locales: ['en', 'de', 'nl'],
        contentTypes: [article, story, page, leaflet, ...userTypes()],
        access: { roles: ROLES },
        auth,
        imports: [UsersModule.forRoot({ secret: SECRET, rateLimit: false }), DeskModule.forRoot()],
      },
      adapter,
    );
    [a, b] = [await created('articles', 'ann editor'), await created('articles', 'ann editor')];
  });
  afterAll(() => test.close());
  beforeEach(() => test.sql('delete from content_presence'));

  it('lists the other editors of the document in the language, and not the caller in another tab', async () => {
    expect(await others('ann editor')).toEqual([]);
    expect(await others('ben editor')).toEqual(['ann']);
    expect(await others('ann editor')).toEqual(['ben']);
    expect(await others('ann editor', { form: 'another tab' })).toEqual(['ben']);
    expect(await others('ben editor')).toEqual(['ann']);
    expect(await others('carl editor', { documentId: b })).toEqual([]);
    expect(await others('carl editor', { locale: 'fr' })).toEqual([]);
  });

  it('forgets a form that closes, and one without a sign', async () => {
    await others('ann editor');
    await others('ben editor');
    await open('ann editor', { closes: true }).expect(200);
    expect(await others('ben editor')).toEqual([]);
    await others('ann editor');
    await test.sql(`update content_presence set seen_at = now() - interval '1 minute' where editor = 'ann'`);
    expect(await others('ben editor')).toEqual([]);
    expect(await test.sql('select editor from content_presence')).toEqual([{ editor: 'ben' }]);
  });

  it('reports the last save of another editor', async () => {
    const saved = '2026-11-25T10:00:00.000Z';
    await open('ann editor', { saved }).expect(200);
    expect((await open('ben editor').expect(200)).body.data).toEqual([{ id: 'ann', name: 'ann', saved }]);
  });

  it('shows names of users, by their account', async () => {
    const link = await test.app
      .get(DeskInvitations)
      .invite({ email: 'eve@example.org', role: 'editor', url: 'https://www.example.org/desk' });
    const { body } = await test.http
      .post('/desk/session/invitation')
      .send({ code: link.split('#')[1], password: 'a long password of eve' })
      .expect(200);
    await test.http
      .post('/desk/presence')
      .set('Authorization', `Bearer ${body.jwt}`)
      .send({ type: 'article', documentId: a, locale: 'en', form: 'x' })
      .expect(200);
    expect(await others('ann editor')).toEqual([body.user.username]);
  });

  it('needs the desk, and the permission to read the type', async () => {
    await open('guy guest').expect(403);
    await open('sam stranger').expect(403);
    await open('ann editor', { type: 'nothing' }).expect(404);
  });

  it('shows names of own documents only to callers who may read only these', async () => {
    const own = { documentId: await created('articles', 'olga author') };
    await others('ann editor');
    expect(await others('olga author')).toEqual([]);
    await others('ann editor', own);
    expect(await others('olga author', own)).toEqual(['ann']);
  });

  it('shows no names of documents that a condition or their state hides, and adds none to them', async () => {
    const deal = { type: 'story', documentId: await created('stories?status=draft', 'ben member b') };
    expect(await others('ben member b', deal)).toEqual([]);
    expect(await others('ann member a', deal)).toEqual([]);
    expect(await others('rea reader b', deal)).toEqual([]);
    expect(await others('bea member b', deal)).toEqual(['ben']);
    expect(await others('bea member b', { ...deal, documentId: 'unknown' })).toEqual([]);
  });

  it('lists the editors of a single type, in a locale that does not exist yet, too', async () => {
    const { body } = await test.http
      .put('/api/page')
      .set('x-user', 'ann editor')
      .send({ data: { title: 'P' } })
      .expect(200);
    const { documentId } = body.data as { documentId: string };
    await others('ann editor', { type: 'page', documentId, locale: 'fr' });
    expect(await others('ben editor', { type: 'page', documentId, locale: 'fr' })).toEqual(['ann']);
  });

  it('shows no names of a language that a condition hides', async () => {
    const leaf = { type: 'leaflet', documentId: await created('leaflets', 'ann editor') };
    await test.http
      .put(`/api/leaflets/${leaf.documentId}?locale=de`)
      .set('x-user', 'ann editor')
      .send({ data: { title: 'B' } })
      .expect(200);
    for (const locale of ['en', 'de', 'nl']) await others('ann editor', { ...leaf, locale, form: locale });
    const seen = (locale: string) => others('tom translator', { ...leaf, locale });
    expect([await seen('en'), await seen('de'), await seen('nl')]).toEqual([[], ['ann'], []]);
    expect(await others('ben editor', { ...leaf, locale: 'en' })).toEqual(['ann']);
    expect(await others('ben editor', { ...leaf, locale: 'nl' })).toEqual(['ann']);
  });

  it('refuses bodies that it does not understand, and other sites', async () => {
    for (const more of [
      { extra: 1 },
      { form: 1 },
      { documentId: 'x'.repeat(101) },
      { saved: 'now' },
      { form: 'a\u0000' },
    ])
      expect((await open('ann editor', more).expect(400)).body.error.details.path).toBe(Object.keys(more)[0]);
    await open('ann editor').set('Sec-Fetch-Site', 'cross-site').expect(403);
  });
});
