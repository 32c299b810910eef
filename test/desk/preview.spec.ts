/** Previews: their URLs, and tokens that read one version of one document. */
import {
  type Credentials,
  defineCollectionType,
  defineSingleType,
  type GrantFilters,
  type Identity,
} from 'nestjs-content-api';
import { UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { DeskModule } from 'nestjs-content-api/desk';
import { SECRET } from '../accounts/helpers.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';

const seen: unknown[] = [];

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  localized: true,
  desk: {
    preview: (document, version) => {
      seen.push({ document, version });
      const { documentId } = document;
      return `https://www.example.org/${String(documentId)}?token=${version.token ?? ''}`;
    },
  },
  attributes: {
    title: { type: 'string', localized: true },
    memo: { type: 'string' },
    author: { type: 'relation', relation: 'manyToOne', target: 'author' },
    source: { type: 'relation', relation: 'manyToOne', target: 'source' },
  },
});
const author = defineCollectionType({
  singularApiId: 'author',
  pluralApiId: 'authors',
  attributes: { name: { type: 'string' } },
});
const source = defineCollectionType({
  singularApiId: 'source',
  pluralApiId: 'sources',
  attributes: { name: { type: 'string' } },
});
const home = defineSingleType({
  singularApiId: 'home',
  draftAndPublish: true,
  desk: { preview: (_document, { token }) => `/home?token=${token ?? ''}` },
  attributes: { title: { type: 'string' } },
});
const broken = defineCollectionType({
  singularApiId: 'broken',
  pluralApiId: 'brokens',
  desk: { preview: () => 'javascript:alert(1)' },
  attributes: { title: { type: 'string' } },
});

const ROLES = {
  editor: {
    desk: ['open'],
    article: [
      'readDrafts',
      'create',
      'update',
      'publish',
      { actions: ['find', 'findOne'], fields: ['title', 'author', 'source'] },
    ],
    author: ['find'],
    home: '*',
    broken: '*',
  },
  reader: { desk: ['open'], article: ['find', 'findOne'] },
  guest: { article: '*' },
  team: {
    desk: ['open'],
    article: [
      'readDrafts',
      { actions: ['find', 'findOne'], where: { title: '$CURRENT_USER.team' } as GrantFilters },
    ],
  },
  some: {
    desk: ['open'],
    article: [
      'readDrafts',
      { actions: ['find', 'findOne'], where: { title: { $startsWith: 'Draft' } } as GrantFilters },
    ],
  },
} as const;

const auth = {
  strategies: [
    {
      name: 'test',
      authenticate: ({ headers }: Credentials): Identity | null => {
        const role = headers['x-role'];
        return typeof role === 'string'
          ? { kind: 'token', id: role, roles: role.split(','), attributes: { team: 'Draft' } }
          : null;
      },
    },
  ],
};

describe.each(ADAPTERS)('previews on %s', (adapter) => {
  let test: TestApp;
  let documentId = '';
  const PREVIEW = { secret: 'a secret of previews, long enough for all', seconds: 60 };
  const start = (preview: object | undefined): Promise<TestApp> =>
    createTestApp(
      {
        contentTypes: [article, author, source, home, broken, ...userTypes()],
        locales: ['en', 'fr'],
        access: { roles: ROLES },
        auth,
        imports: [
          UsersModule.forRoot({ secret: SECRET, rateLimit: false }),
          DeskModule.forRoot({
            ...(preview === undefined ? {} : { preview }),
            origins: { frames: ['https://www.example.org'] },
          }),
        ],
      },
      adapter,
    );
  const open = (body: object, role = 'editor') =>
    test.http.post('/desk/preview').set('x-role', role).send(body);
  const tokenOf = async (body: object, role = 'editor'): Promise<string> =>
    (await open(body, role).expect(200)).body.data.url.split('token=')[1];
  const read = (token: string, query = '') =>
    test.http.get(`/desk/preview${query}`).set('Authorization', `Bearer ${token}`);
  const make = async (path: string, data: object, query = ''): Promise<any> =>
    (await test.http.post(`/api/${path}${query}`).set('x-role', 'all').send({ data }).expect(201)).body.data;

  beforeAll(async () => {
    test = await start(PREVIEW);
    const fill = (table: string, columns: string, values: unknown[]): Promise<unknown> =>
      test.sql(
        `insert into ${table} (${columns}) values (${values.map((_, at) => `$${at + 1}`).join()})`,
        values,
      );
    void [make, fill];
    const created = await test.http
      .post('/api/articles?status=draft')
      .set('x-role', 'guest')
      .send({ data: { title: 'Draft', memo: 'secret memo' } })
      .expect(201);
    documentId = created.body.data.documentId;
  });
  afterAll(() => test.close());

  it('returns the URL of the type, for the document as the editor may read it', async () => {
    seen.length = 0;
    const { body } = await open({ type: 'article', documentId, locale: 'en' }).expect(200);
    expect(body.data).toEqual({
      url: expect.stringMatching(new RegExp(`^https://www.example.org/${documentId}\\?token=.+`)),
      expiresAt: expect.any(String),
      framed: true,
    });
    expect(seen).toEqual([
      {
        document: expect.objectContaining({ title: 'Draft', documentId }),
        version: { status: 'draft', locale: 'en', token: expect.any(String) },
      },
    ]);
    expect(JSON.stringify(seen)).not.toContain('secret memo');
  });

  it('reads the version of its token, and nothing that the editor may not read', async () => {
    const token = await tokenOf({ type: 'article', documentId, locale: 'en' });
    const { body } = await read(token, '?populate=*').expect(200).expect('Cache-Control', 'no-store');
    expect(body.data).toMatchObject({ documentId, title: 'Draft', author: null });
    expect(body.data).not.toHaveProperty('memo');
    expect(body.data).not.toHaveProperty('source');
    expect(body.meta).toEqual({ status: 'draft', locale: 'en', expiresAt: expect.any(String) });
    await read(token, '?fields=memo').expect(400);
    await read(token, '?populate=source').expect(({ body: refused }) =>
      expect(refused.data?.source).toBeUndefined(),
    );
  });

  it('refuses to choose another version, document or list', async () => {
    const token = await tokenOf({ type: 'article', documentId, locale: 'en' });
    for (const query of [
      '?status=published',
      '?locale=fr',
      '?filters[title]=x',
      '?sort=title',
      '?documentId=x',
    ])
      expect((await read(token, query).expect(400)).body.error.details.path).toBe(/\?(\w+)/.exec(query)?.[1]);
    for (const path of ['/api/articles', `/api/articles/${documentId}?status=draft`, '/desk/model'])
      await test.http.get(path).set('Authorization', `Bearer ${token}`).expect(401);
  });

  it('refuses tokens that are changed, expired, or signed for something else', async () => {
    const token = await tokenOf({ type: 'article', documentId, locale: 'en' });
    const [claims = '', signature = ''] = token.split('.');
    const other = Buffer.from(
      Buffer.from(claims, 'base64url').toString().replace('draft', 'published'),
    ).toString('base64url');
    await read(`${other}.${signature}`).expect(401);
    await read('x').expect(401);
    await test.http.get('/desk/preview').expect(401);
    await test.http.get('/desk/preview').set('x-role', 'editor').expect(401);
    const now = Date.now();
    const late = jest.spyOn(Date, 'now').mockReturnValue(now + 61_000);
    await read(token).expect(401);
    late.mockRestore();
    await read(token).expect(200);
  });

  it('returns a 404 for documents, languages and types that the editor cannot read', async () => {
    await open({ type: 'article', documentId: 'missing', locale: 'en' }).expect(404);
    await open({ type: 'article', documentId, locale: 'fr' }).expect(404);
    await open({ type: 'author', documentId }).expect(404);
    await open({ type: 'nothing', documentId }).expect(404);
    await open({ type: 'file', documentId }).expect(404);
    await open({ type: 'article', documentId: 'a\0' }).expect(404);
  });

  it('shows an editor whose grants have conditions the documents that meet them', async () => {
    const { body } = await test.http
      .post('/api/articles?status=draft')
      .set('x-role', 'guest')
      .send({ data: { title: 'Other' } })
      .expect(201);
    await open({ type: 'article', documentId: body.data.documentId, locale: 'en' }, 'some').expect(404);
    const opened = await open({ type: 'article', documentId, locale: 'en' }, 'some').expect(200);
    const token = opened.body.data.url.split('token=')[1];
    expect((await read(token).expect(200)).body.data).toMatchObject({ title: 'Draft' });
  });

  it('reads with the roles of the time of signing, however many there are', async () => {
    const many = [
      'editor',
      ...Array.from({ length: 50 }, (_, at) => `a role with a long name, number ${at}`),
    ];
    const token = await tokenOf({ type: 'article', documentId, locale: 'en' }, many.join());
    await read(token).expect(200);
  });

  it('refuses a read if a condition of its grants needs an attribute of the editor', async () => {
    const token = await tokenOf({ type: 'article', documentId, locale: 'en' }, 'team');
    await read(token).expect(403);
  });

  it('needs the desk, and the permission to read drafts', async () => {
    await open({ type: 'article', documentId }, 'guest').expect(403);
    const { status } = await open({ type: 'article', documentId }, 'reader');
    expect([403, 404]).toContain(status);
    await open({ type: 'article', documentId, status: 'published' }, 'reader').expect(404);
  });

  it('refuses bodies that it does not understand, and other sites', async () => {
    expect((await open({ type: 'article', documentId, extra: 1 }).expect(400)).body.error.details.path).toBe(
      'extra',
    );
    await open({ type: 1 }).expect(400);
    await open({ type: 'article', documentId, status: 'any' }).expect(400);
    await open({ type: 'article', documentId }).set('Sec-Fetch-Site', 'cross-site').expect(403);
  });

  it('shows the document of a single type at a path of the application', async () => {
    await test.http
      .put('/api/home?status=draft')
      .set('x-role', 'editor')
      .send({ data: { title: 'Home' } });
    const { body } = await open({ type: 'home' }).expect(200);
    expect(body.data).toMatchObject({ url: expect.stringMatching(/^\/home\?token=/), framed: false });
    const token = body.data.url.split('token=')[1];
    expect((await read(token).expect(200)).body.data).toMatchObject({ title: 'Home' });
  });

  it('refuses a URL that is not a page', async () => {
    const { body } = await test.http
      .post('/api/brokens')
      .set('x-role', 'editor')
      .send({ data: { title: 'x' } })
      .expect(201);
    await open({ type: 'broken', documentId: body.data.documentId }).expect(400);
  });

  it('reads with the present account of a user: not after a block or without its role', async () => {
    const { DeskInvitations } = await import('nestjs-content-api/desk');
    const code = await test.app
      .get(DeskInvitations)
      .invite({ email: 'eve@example.org', role: 'editor', url: 'https://www.example.org/desk' });
    const { body: session } = await test.http
      .post('/desk/session/invitation')
      .send({ code: code.split('#')[1], password: 'a long password of eve' })
      .expect(200);
    const { body } = await test.http
      .post('/desk/preview')
      .set('Authorization', `Bearer ${session.jwt}`)
      .send({ type: 'article', documentId, locale: 'en' })
      .expect(200);
    const token = body.data.url.split('token=')[1];
    await read(token).expect(200);
    await test.sql('update content_users set blocked = true');
    await read(token).expect(401);
    await test.sql('update content_users set blocked = false');
    await read(token).expect(200);
  });

  it('signs with the secret of UsersModule if there is no option', async () => {
    await test.close();
    test = await start(undefined);
    await test.http
      .put('/api/home?status=draft')
      .set('x-role', 'editor')
      .send({ data: { title: 'Home' } });
    expect((await read(await tokenOf({ type: 'home' })).expect(200)).body.data.title).toBe('Home');
  });
});
