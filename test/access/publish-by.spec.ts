/** Types with `publishBy: 'right'`: only callers with the grant `publish` change published versions. */
import {
  type ContentService,
  type Credentials,
  defineCollectionType,
  defineSingleType,
  getContentToken,
  type Grants,
  type Identity,
  Permissions,
} from 'nestjs-content-api';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { failure, snapshot } from '../http/helpers.ts';

const attributes = {
  title: { type: 'string', required: true },
  writer: { type: 'string' },
  tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'posts' },
} as const;
const post = defineCollectionType({
  singularApiId: 'post',
  pluralApiId: 'posts',
  draftAndPublish: true,
  localized: true,
  actions: true,
  publishBy: 'right',
  owner: 'writer',
  attributes,
});
/** The default: each write publishes. */
const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  draftAndPublish: true,
  attributes: { title: { type: 'string', required: true } },
});
const home = defineSingleType({
  singularApiId: 'home',
  draftAndPublish: true,
  publishBy: 'right',
  attributes: { title: { type: 'string', required: true } },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: {
    name: { type: 'string' },
    posts: { type: 'relation', relation: 'manyToMany', target: 'post', mappedBy: 'tags' },
  },
});

const WRITE = ['create', 'update', 'delete'] as const;
const READ = ['find', 'findOne', 'readDrafts'] as const;
const ROLES: Readonly<Record<string, Grants>> = {
  editor: { post: [...READ, ...WRITE], memo: [...READ, ...WRITE], home: [...READ, ...WRITE], tag: '*' },
  /** Writes without reading. */
  sender: { post: [...WRITE], home: [...WRITE] },
  publisher: { '*': '*' },
  /** Publishes own documents, and writes all. */
  author: { post: [...READ, ...WRITE, { actions: ['publish'], own: true }], tag: '*' },
  /** Publishes posts with the tag `ready`, and writes all. */
  approver: {
    post: [...READ, ...WRITE, { actions: ['publish'], where: () => ({ tags: { name: 'ready' } }) }],
    tag: '*',
  },
  /** Publishes and writes own documents only. */
  owner: { post: [...READ, 'create', { actions: ['update', 'delete', 'publish'], own: true }] },
};

const byHeader = {
  name: 'by-header',
  authenticate: ({ headers }: Credentials): Identity | null => {
    const [role, id] = String(headers['x-who'] ?? '').split(' ');
    return role ? { kind: id === 'token' ? 'token' : 'user', id: id ?? 'ann', roles: [role] } : null;
  },
};

interface Row {
  readonly documentId: string;
  readonly title: string;
  readonly publishedAt: string | null;
}

const DRAFT = { status: 'draft' };
const FORBIDDEN = failure(403, 'ForbiddenError', 'Forbidden');

describe.each(ADAPTERS)('publishBy on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [post, memo, home, tag],
        locales: ['fr'],
        access: { roles: ROLES },
        auth: { strategies: [byHeader] },
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const posts = () => test.app.get<ContentService<Row>>(getContentToken('post'), { strict: false });
  const send = (method: 'get' | 'post' | 'put' | 'delete', path: string, who: string, data?: object) => {
    const sent = test.http[method](`/api/${path}`).set('x-who', who);
    return data === undefined ? sent : sent.send({ data });
  };
  const make = async (status: 'draft' | 'published', data: object = {}): Promise<string> =>
    (await posts().create({ title: 'first', ...data }, { status })).documentId;
  /** Returns the titles of the draft and of the published version. */
  const titles = async (id: string, locale = 'en') =>
    Promise.all(
      (['draft', 'published'] as const).map(
        async (status) => (await posts().findOne(id, { status, locale }))?.title ?? null,
      ),
    );

  it('8.30 POST and PUT without the grant store the draft, and the response says so', async () => {
    const made = await send('post', 'posts', 'editor', { title: 'new' }).expect(201);
    expect(made.body).toMatchObject({ data: { title: 'new', publishedAt: null }, meta: DRAFT });
    const id = made.body.data.documentId;
    expect(await titles(id)).toEqual(['new', null]);
    await send('post', `posts/${id}/actions/publish`, 'publisher').expect(200);
    for (const query of ['', '?status=published', '?locale=en&fields=title']) {
      const changed = await send('put', `posts/${id}${query}`, 'editor', { title: `by ${query}` }).expect(
        200,
      );
      expect(changed.body.meta).toEqual(DRAFT);
      expect(changed.headers['etag']).toEqual(expect.any(String));
      expect(await titles(id)).toEqual([`by ${query}`, 'new']);
    }
  });

  it('8.30 the response has no such member if the request names the draft, or the caller may publish', async () => {
    const asked = await send('post', 'posts?status=draft', 'editor', { title: 'new' }).expect(201);
    expect(asked.body).toMatchObject({ data: { publishedAt: null }, meta: {} });
    expect(asked.body.meta).toEqual({});
    const id = asked.body.data.documentId;
    const published = await send('put', `posts/${id}`, 'publisher', { title: 'live' }).expect(200);
    expect(published.body.data.publishedAt).toEqual(expect.any(String));
    expect(published.body.meta).toEqual({});
    expect(await titles(id)).toEqual(['live', 'live']);
  });

  it('8.30 a draft need not be complete, and creates a locale as a draft', async () => {
    const made = await send('post', 'posts', 'editor', {}).expect(201);
    expect(made.body).toMatchObject({ data: { title: null }, meta: DRAFT });
    const id = await make('published');
    await send('put', `posts/${id}?locale=fr`, 'editor', { title: 'un' }).expect(200);
    expect(await titles(id, 'fr')).toEqual(['un', null]);
    // Locales share the title, and the published one stays.
    expect(await titles(id)).toEqual(['un', 'first']);
  });

  it('8.30 a caller who may not read drafts gets what the body contained', async () => {
    const id = await make('published');
    const { body } = await send('put', `posts/${id}`, 'sender', { title: 'sent' }).expect(200);
    expect(body).toEqual({
      data: { id: expect.any(Number), documentId: id, title: 'sent' },
      meta: DRAFT,
    });
    expect(await titles(id)).toEqual(['sent', 'first']);
  });

  it('8.30 a single type', async () => {
    const made = await send('put', 'home', 'editor', { title: 'hello' }).expect(200);
    expect(made.body).toMatchObject({ data: { title: 'hello', publishedAt: null }, meta: DRAFT });
    expect((await send('put', 'home', 'publisher', {}).expect(200)).body.data.publishedAt).not.toBeNull();
    await send('delete', 'home', 'editor').expect(403);
    await send('delete', 'home', 'publisher').expect(204);
  });

  it('8.30 the default publishes with create and update', async () => {
    const { body } = await send('post', 'memos', 'editor', { title: 'x' }).expect(201);
    expect(body).toMatchObject({ data: { publishedAt: expect.any(String) }, meta: {} });
    await send('delete', `memos/${body.data.documentId}`, 'editor').expect(204);
  });

  it('8.30 a repeated request repeats that the draft was stored', async () => {
    const repeat = () => send('post', 'posts', 'editor', { title: 'once' }).set('idempotency-key', 'k-draft');
    const first = await repeat().expect(201);
    expect((await repeat().expect(201)).body).toEqual(first.body);
    expect(first.body.meta).toEqual(DRAFT);
  });

  it('8.31 actions and schedules need the grant', async () => {
    const id = await make('published');
    const before = await snapshot(test);
    for (const action of ['publish', 'unpublish', 'discard'])
      expect((await send('post', `posts/${id}/actions/${action}`, 'editor').expect(403)).body).toEqual(
        FORBIDDEN,
      );
    const times = { publishAt: '2999-01-01T00:00:00Z' };
    await send('put', `posts/${id}/actions/schedule`, 'editor', times).expect(403);
    await send('get', `posts/${id}/actions/schedule`, 'editor').expect(403);
    await send('delete', `posts/${id}/actions/schedule`, 'editor').expect(403);
    expect(await snapshot(test)).toEqual(before);
  });

  it('8.31 deleting what is published needs the grant; drafts do not', async () => {
    const [live, draft] = [await make('published'), await make('draft')];
    await posts().update(live, { title: 'brouillon' }, { locale: 'fr', status: 'draft' });
    const before = await snapshot(test);
    for (const query of ['', '?locale=*', '?locale=en']) {
      expect((await send('delete', `posts/${live}${query}`, 'editor').expect(403)).body).toEqual(FORBIDDEN);
      await send('delete', `posts/${live}${query}`, 'editor').set('if-match', '*').expect(403);
    }
    expect(await snapshot(test)).toEqual(before);
    await send('delete', `posts/${live}?locale=fr`, 'editor').expect(204);
    await send('delete', `posts/${draft}`, 'editor').expect(204);
    await send('delete', `posts/${'a'.repeat(24)}`, 'editor').expect(204);
    await send('delete', `posts/${live}`, 'publisher').expect(204);
  });

  it('8.30 8.31 a grant on own documents publishes and deletes only these', async () => {
    const [own, other] = [
      await make('published', { writer: 'ann' }),
      await make('published', { writer: 'bob' }),
    ];
    // The author may write documents of other owners, so a PUT stores the draft of each.
    for (const id of [own, other]) {
      const { body } = await send('put', `posts/${id}`, 'author ann', { title: 'edit' }).expect(200);
      expect(body.meta).toEqual(DRAFT);
      expect(await titles(id)).toEqual(['edit', 'first']);
    }
    await send('post', `posts/${own}/actions/publish`, 'author ann').expect(200);
    await send('post', `posts/${other}/actions/publish`, 'author ann').expect(403);
    await send('delete', `posts/${other}`, 'author ann').expect(403);
    await send('delete', `posts/${own}`, 'author ann').expect(204);

    const made = await send('post', 'posts', 'owner ann', { title: 'mine' }).expect(201);
    expect(made.body).toMatchObject({ data: { publishedAt: expect.any(String) }, meta: {} });
    const id = made.body.data.documentId;
    await send('put', `posts/${id}`, 'owner ann', { title: 'mine too' }).expect(200);
    expect(await titles(id)).toEqual(['mine too', 'mine too']);
    await send('put', `posts/${id}`, 'owner bob', { title: 'his' }).expect(403);
    await send('delete', `posts/${id}`, 'owner ann').expect(204);
  });

  it('8.30 8.31 18.23 a grant with a condition publishes and deletes only the documents of the condition', async () => {
    const tagged = await send('post', 'tags', 'publisher', { name: 'ready' }).expect(201);
    const tags = [tagged.body.data.documentId];
    const [ready, other, draft] = [
      await make('published', { tags }),
      await make('published'),
      await make('draft'),
    ];
    for (const id of [ready, other]) {
      const { body } = await send('put', `posts/${id}`, 'approver', { title: 'edit' }).expect(200);
      expect(body.meta).toEqual(DRAFT);
      expect(await titles(id)).toEqual(['edit', 'first']);
    }
    const before = await snapshot(test);
    const times = { publishAt: '2999-01-01T00:00:00Z' };
    for (const action of ['publish', 'unpublish', 'discard'])
      await send('post', `posts/${other}/actions/${action}`, 'approver').expect(403);
    await send('put', `posts/${other}/actions/schedule`, 'approver', times).expect(403);
    await send('delete', `posts/${other}`, 'approver').expect(403);
    const items = [ready, other].map((documentId) => ({ action: 'publish', documentId }));
    const { body } = await test.http.post('/api/posts/bulk').set('x-who', 'approver').send({ data: items });
    expect(body.error).toMatchObject({ status: 403, details: { index: 1 } });
    expect(await snapshot(test)).toEqual(before);

    await send('post', `posts/${ready}/actions/publish`, 'approver').expect(200);
    expect(await titles(ready)).toEqual(['edit', 'edit']);
    await send('put', `posts/${ready}`, 'approver', { tags: [] }).expect(200);
    await send('post', `posts/${ready}/actions/publish`, 'approver').expect(403);
    await send('post', `posts/${ready}/actions/discard`, 'approver').expect(403);
    await send('delete', `posts/${draft}`, 'approver').expect(204);
    await send('put', `posts/${ready}`, 'approver', { tags }).expect(200);
    await send('delete', `posts/${ready}`, 'approver').expect(204);
  });

  it('8.30 a token has no own documents, whatever a user with the same grants did before', async () => {
    await send('post', 'posts', 'owner ann', { title: 'by ann' }).expect(201);
    const { body } = await send('post', 'posts', 'owner token', { title: 'by token' }).expect(201);
    expect(body).toMatchObject({ data: { publishedAt: null }, meta: DRAFT });
    const again = await send('post', 'posts', 'owner ann', { title: 'by ann' }).expect(201);
    expect(again.body.data.publishedAt).not.toBeNull();
  });

  it('8.30 the inverse side of a relation changes no published document without the grant', async () => {
    const id = await make('published');
    const linked = async (status: 'draft' | 'published') =>
      ((await posts().findOne(id, { status, populate: 'tags' })) as unknown as { tags: unknown[] }).tags
        .length;
    const refused = await send('post', 'tags', 'editor', { name: 'x', posts: [id] }).expect(400);
    expect(JSON.stringify(refused.body.error.details)).toContain('post.publish');
    expect([await linked('draft'), await linked('published')]).toEqual([0, 0]);
    await send('post', 'tags', 'publisher', { name: 'x', posts: [id] }).expect(201);
    expect(await linked('published')).toBe(1);
  });

  it('8.30 services act for a caller by the same rule, and for the application publish', async () => {
    const id = await make('published');
    const as = { kind: 'user', id: 'ann', permissions: Permissions.of(ROLES['editor'] as Grants) } as const;
    const stored = await posts().update(id, { title: 'as ann' }, {}, { as });
    expect(stored.publishedAt).toBeNull();
    expect(await titles(id)).toEqual(['as ann', 'first']);
    await expect(posts().delete(id, {}, { as })).rejects.toMatchObject({ status: 403 });
    await posts().update(id, {});
    expect(await titles(id)).toEqual(['as ann', 'as ann']);
  });

  it('8.30 OpenAPI describes the member to callers without the grant only', async () => {
    const metaFor = async (who: string) => {
      const { body } = await send('get', 'openapi.json', who).expect(200);
      const { content } = body.paths['/api/posts/{documentId}'].put.responses['200'];
      return content['application/json'].schema.properties.meta.properties;
    };
    expect(await metaFor('editor')).toMatchObject({ status: { const: 'draft' } });
    expect(await metaFor('publisher')).not.toHaveProperty('status');
  });
});

it.each([
  [{ draftAndPublish: false, publishBy: 'right' }, 'publishBy: the type needs draftAndPublish: true'],
  [{ draftAndPublish: true, publishBy: 'grant' }, '"publishBy" must be "write" or "right"'],
])('8.30 rejects %j at the start', async (given, message) => {
  const type = { ...memo, ...given } as unknown as typeof memo;
  await expect(createTestApp({ contentTypes: [type] })).rejects.toThrow(message);
});
