/** Types with `authors`: who created a version, and who changed it last (protocol section 28). */
import {
  type AuthStrategy,
  BeforeContent,
  type ContentEvent,
  ContentModelError,
  ContentModule,
  type Credentials,
  defineCollectionType,
  defineSingleType,
  type Grants,
  type Identity,
  type ContentService,
  getContentToken,
} from 'nestjs-content-api';
import { Injectable } from '@nestjs/common';
import { userTypes } from 'nestjs-content-api/accounts';
import { HistoryModule } from 'nestjs-content-api/history';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const post = defineCollectionType({
  singularApiId: 'post',
  pluralApiId: 'posts',
  draftAndPublish: true,
  localized: true,
  actions: true,
  authors: true,
  attributes: {
    title: { type: 'string', localized: true },
    rank: { type: 'integer' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'posts' },
    cover: { type: 'relation', relation: 'oneToOne', target: 'tag', inversedBy: 'covered' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  authors: true,
  attributes: {
    name: { type: 'string' },
    posts: { type: 'relation', relation: 'manyToMany', target: 'post', mappedBy: 'tags' },
    covered: { type: 'relation', relation: 'oneToOne', target: 'post', mappedBy: 'cover' },
    parent: { type: 'relation', relation: 'manyToOne', target: 'tag' },
  },
});
const home = defineSingleType({
  singularApiId: 'home',
  authors: true,
  attributes: { title: { type: 'string' } },
});

const entry = defineCollectionType({
  singularApiId: 'entry',
  pluralApiId: 'entries',
  authors: true,
  history: true,
  attributes: { title: { type: 'string' } },
});

const bulletin = defineCollectionType({
  singularApiId: 'bulletin',
  pluralApiId: 'bulletins',
  draftAndPublish: true,
  localized: true,
  authors: true,
  history: true,
  attributes: { title: { type: 'string', localized: true } },
});

/** Takes the caller from `x-user: <id> <role>`. */
class Header implements AuthStrategy {
  readonly name = 'header';
  authenticate({ headers }: Credentials): Identity | null {
    const [id, role] = String(headers['x-user'] ?? '').split(' ');
    if (id === undefined || role === undefined) return null;
    return { kind: role === 'robot' ? 'token' : 'user', id, roles: [role] };
  }
}

const ALL: Grants = { post: '*', tag: '*', home: '*', entry: '*', bulletin: '*' };
const roles: Record<string, Grants> = {
  editor: { ...ALL, user: ['find'] },
  robot: { ...ALL, user: ['find'] },
  narrow: { ...ALL, user: [{ actions: ['find'], fields: ['username'] }] },
  blind: ALL,
  maker: { entry: [{ actions: '*', where: ({ id }) => ({ createdBy: { documentId: id ?? '' } }) }] },
  owner: {
    bulletin: [
      'find',
      'findOne',
      { actions: ['delete'], where: ({ id }) => ({ createdBy: { documentId: id ?? '' } }) },
    ],
  },
  changer: {
    entry: [{ actions: '*', where: ({ id }) => ({ updatedBy: { username: String(id).slice(5) } }) }],
  },
  some: { post: [{ actions: ['find', 'findOne'], fields: ['title'] }], user: ['find'] },
};

/** Sets the author of posts with one title, as an import of the application does. */
@Injectable()
class Importer {
  @BeforeContent('post', 'create')
  change({ data }: ContentEvent): void {
    if (data['title'] === 'imported') data['createdBy'] = { documentId: 'user-eve' };
  }
}

type Json = Record<string, unknown>;

describe.each(adaptersFor('express'))('authors on %s', (adapter) => {
  let test: TestApp;
  const as = (who: string, role: string) => ({ 'x-user': `user-${who} ${role}` });
  const get = async <T = Json>(path: string, role = 'editor'): Promise<T> =>
    (await test.http.get(`/api/${path}`).set(as('ann', role)).expect(200)).body.data;
  const send = async (method: 'post' | 'put', path: string, sent: Json, by = 'ann editor'): Promise<Json> => {
    const [who = '', role = ''] = by.split(' ');
    const response = await test.http[method](`/api/${path}`).set(as(who, role)).send(sent);
    expect([path, response.status, response.body]).toEqual([
      path,
      response.status < 300 ? response.status : 200,
      response.body,
    ]);
    return response.body.data;
  };
  const NAMES = 'populate[createdBy][fields]=username&populate[updatedBy][fields]=username';
  const nameIn = (value: unknown): unknown => (value as { username?: string } | null)?.username ?? null;
  /** Returns the creator and the changer of a version. */
  const authorsOf = async (path: string): Promise<unknown[]> => {
    const found = await get(`${path}${path.includes('?') ? '&' : '?'}${NAMES}`);
    return [nameIn(found['createdBy']), nameIn(found['updatedBy'])];
  };
  const made = async (path: string, data: Json, by?: string): Promise<string> =>
    String((await send('post', path, { data }, by))['documentId']);

  const seed = (name: string) =>
    test.sql(
      `insert into content_users (document_id, locale, published, created_at, updated_at, published_at,
        username, email) values ($1, 'en', true, now(), now(), now(), $2, $3)`,
      [`user-${name}`, name, `${name}@example.com`],
    );

  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [post, tag, home, entry, bulletin, ...userTypes()],
        imports: [HistoryModule.forRoot({ sittingMinutes: 0 })],
        locales: ['fr', 'de'],
        access: { roles },
        auth: { strategies: [new Header()] },
        providers: [Importer],
      },
      adapter,
    );
    for (const name of ['ann', 'bob', 'eve', 'sue']) await seed(name);
  });
  afterAll(() => test.close());

  it('28.1 each write sets the user who changes a version, and a create the one who creates it', async () => {
    const id = await made('tags', { name: 'one' });
    expect(await authorsOf(`tags/${id}`)).toEqual(['ann', 'ann']);
    await send('put', `tags/${id}`, { data: { name: 'two' } }, 'bob editor');
    expect(await authorsOf(`tags/${id}`)).toEqual(['ann', 'bob']);
    await send('put', 'home', { data: { title: 'a' } }, 'bob editor');
    await send('put', 'home', { data: { title: 'b' } });
    expect(await authorsOf('home')).toEqual(['bob', 'ann']);
  });

  it('28.1 a token, and the application itself, are not users', async () => {
    const id = await made('tags', { name: 'one' }, 'ann robot');
    expect(await authorsOf(`tags/${id}`)).toEqual([null, null]);
    await send('put', `tags/${id}`, { data: { name: 'two' } }, 'bob editor');
    expect(await authorsOf(`tags/${id}`)).toEqual([null, 'bob']);
    await send('put', `tags/${id}`, { data: { name: 'three' } }, 'bob robot');
    expect(await authorsOf(`tags/${id}`)).toEqual([null, null]);
  });

  it('28.1 each locale has its own, and a shared value counts for all that it changes', async () => {
    const id = await made('posts', { title: 'one', rank: 1 });
    await send('put', `posts/${id}?locale=fr`, { data: { title: 'un' } }, 'bob editor');
    expect(await authorsOf(`posts/${id}?locale=fr`)).toEqual(['bob', 'bob']);
    expect(await authorsOf(`posts/${id}`)).toEqual(['ann', 'ann']);
    await send('put', `posts/${id}?locale=fr`, { data: { title: 'deux', rank: 1 } }, 'eve editor');
    expect(await authorsOf(`posts/${id}`)).toEqual(['ann', 'ann']);
    await send('put', `posts/${id}?locale=fr`, { data: { rank: 2 } }, 'eve editor');
    for (const status of ['draft', 'published'])
      expect([status, await authorsOf(`posts/${id}?status=${status}`)]).toEqual([status, ['ann', 'eve']]);
  });

  it('28.1 links that another document writes count for the documents that own them', async () => {
    const id = await made('posts', { title: 'one' });
    const other = await made('posts', { title: 'two' });
    const tagId = await made('tags', { name: 'tag', posts: [id] }, 'bob editor');
    expect(await authorsOf(`posts/${id}`)).toEqual(['ann', 'bob']);
    await send('put', `tags/${tagId}`, { data: { covered: other } }, 'eve editor');
    expect(await authorsOf(`posts/${other}`)).toEqual(['ann', 'eve']);
    await send('put', `posts/${id}`, { data: { cover: tagId } }, 'bob editor');
    expect(await authorsOf(`posts/${other}`)).toEqual(['ann', 'bob']);
    await test.http.delete(`/api/tags/${tagId}`).set(as('eve', 'editor')).expect(204);
    expect(await authorsOf(`posts/${id}`)).toEqual(['ann', 'eve']);
    expect(await authorsOf(`posts/${other}`)).toEqual(['ann', 'bob']);
  });

  it('28.2 publishing copies both, discarding counts as a change, and neither makes a draft modified', async () => {
    const id = await made('posts?status=draft', { title: 'one' });
    await send('post', `posts/${id}/actions/publish`, {}, 'bob editor');
    for (const status of ['draft', 'published'])
      expect([status, await authorsOf(`posts/${id}?status=${status}`)]).toEqual([status, ['ann', 'bob']]);
    await send('put', `posts/${id}?status=draft`, { data: { title: 'one' } }, 'eve editor');
    expect(await authorsOf(`posts/${id}?status=draft`)).toEqual(['ann', 'eve']);
    expect(await authorsOf(`posts/${id}`)).toEqual(['ann', 'bob']);
    const path = `posts?status=draft&publicationFilter=modified&filters[documentId]=${id}`;
    expect(await get(path)).toEqual([]);
    await send('put', `posts/${id}?status=draft`, { data: { title: 'two' } }, 'eve editor');
    expect(await get(path)).toHaveLength(1);
    await send('post', `posts/${id}/actions/discard`, {}, 'ann editor');
    expect(await authorsOf(`posts/${id}?status=draft`)).toEqual(['ann', 'ann']);
    await send('put', `posts/${id}?status=draft`, { data: { title: 'three' } }, 'eve editor');
    await send('post', `posts/${id}/actions/publish?locale=*`, {}, 'bob editor');
    expect(await authorsOf(`posts/${id}`)).toEqual(['ann', 'bob']);
  });

  it('28.3 only populate by name shows them, with what the caller may read of users', async () => {
    const id = await made('tags', { name: 'one' });
    for (const query of ['', '?populate=*', '?fields=*'])
      expect(Object.keys(await get(`tags/${id}${query}`))).not.toContain('createdBy');
    const shown = (await get(`tags/${id}?populate=createdBy`, 'narrow'))['createdBy'];
    expect(shown).toMatchObject({ id: expect.any(Number), documentId: 'user-ann', username: 'ann' });
    expect(shown).not.toHaveProperty('email');
    expect(await get(`tags/${id}?populate=updatedBy`)).toMatchObject({
      updatedBy: { username: 'ann', email: 'ann@example.com' },
    });
    expect(await get(`tags/${id}?populate=createdBy`, 'blind')).not.toHaveProperty('createdBy');
    const postId = await made('posts', { title: 'one' });
    expect(await get(`posts/${postId}?populate=createdBy`, 'some')).not.toHaveProperty('createdBy');
    await test.http.get(`/api/tags/${id}?fields=createdBy`).set(as('ann', 'editor')).expect(400);
  });

  it('28.4 filters and sort keys follow the rights on users', async () => {
    const id = await made('tags', { name: 'mine' }, 'bob editor');
    const mine = `filters[documentId]=${id}`;
    expect(await get(`tags?${mine}&filters[createdBy][username]=bob&sort=createdBy.username`)).toHaveLength(
      1,
    );
    expect(await get(`tags?${mine}&filters[createdBy][documentId]=user-ann`)).toHaveLength(0);
    const statusOf = async (query: string, role: string): Promise<unknown> =>
      (await test.http.get(`/api/tags?${query}`).set(as('ann', role))).status;
    for (const [query, narrow] of [
      ['filters[createdBy][username]=bob', 200],
      ['filters[updatedBy][email][$startsWith]=bob', 400],
      ['filters[createdBy][password][$notNull]=true', 400],
      ['sort=updatedBy.email', 400],
      ['sort=createdBy.username', 200],
    ] as const) {
      expect([query, await statusOf(query, 'narrow')]).toEqual([query, narrow]);
      expect([query, await statusOf(query, 'blind')]).toEqual([query, 400]);
    }
  });

  it('28.5 a request cannot write them, and a hook can', async () => {
    for (const key of ['createdBy', 'updatedBy']) {
      const response = await test.http
        .post('/api/tags')
        .set(as('ann', 'editor'))
        .send({ data: { name: 'one', [key]: { documentId: 'user-bob' } } });
      expect([response.status, response.body.error.details.key]).toEqual([400, key]);
    }
    const id = await made('posts', { title: 'imported' });
    expect(await authorsOf(`posts/${id}`)).toEqual(['eve', 'ann']);
  });

  it('28.7 conditions on authors hold for the authors of each stored version', async () => {
    const id = await made('entries', { title: 'by ann' });
    await send('put', `entries/${id}`, { data: { title: 'by bob' } }, 'bob editor');
    await send('put', `entries/${id}`, { data: { title: 'by ann again' } });
    const seenBy = async (who: string, role: string): Promise<unknown> => {
      const { status, body } = await test.http.get(`/api/entries/${id}/versions`).set(as(who, role));
      return status === 200 ? body.data.map((one: Json) => (one['by'] as Json)['id']) : status;
    };
    expect(await seenBy('ann', 'maker')).toEqual(['user-ann', 'user-bob', 'user-ann']);
    expect(await seenBy('bob', 'maker')).toBe(404);
    expect(await seenBy('ann', 'changer')).toEqual(['user-ann', 'user-ann']);
    const [{ id: version } = {}] = await get<Json[]>(`entries/${id}/versions`);
    const shown = await get(`entries/${id}/versions/${String(version)}`);
    expect(shown['content']).toEqual({ title: 'by ann again' });
    await test.http.delete(`/api/entries/${id}`).set(as('ann', 'maker')).expect(204);
    const trash = async (who: string): Promise<number> =>
      (await test.http.get('/api/entries/trash').set(as(who, 'maker')).expect(200)).body.data.length;
    expect([await trash('ann'), await trash('bob')]).toEqual([1, 0]);
  });

  it('28.7 a deleted document comes back with the creators of its versions', async () => {
    const id = await made('bulletins', { title: 'by ann' });
    await send('put', `bulletins/${id}?locale=de&status=draft`, { data: { title: 'by sue' } }, 'sue editor');
    await send('put', `bulletins/${id}?locale=fr`, { data: { title: 'by bob' } }, 'bob editor');
    await test.app.get<ContentService>(getContentToken('user'), { strict: false }).delete('user-sue');
    await test.http.delete(`/api/bulletins/${id}?locale=*`).set(as('ann', 'editor')).expect(204);
    // A grant on created documents only does not grow by a restore.
    await send('post', `bulletins/${id}/actions/restore`, {}, 'bob editor');
    expect(await authorsOf(`bulletins/${id}`)).toEqual(['ann', 'bob']);
    expect(await authorsOf(`bulletins/${id}?status=draft`)).toEqual(['ann', 'bob']);
    expect(await authorsOf(`bulletins/${id}?locale=de&status=draft`)).toEqual([null, 'bob']);
    expect(await authorsOf(`bulletins/${id}?locale=fr`)).toEqual(['bob', 'bob']);
    await test.http.delete(`/api/bulletins/${id}?locale=fr`).set(as('bob', 'owner')).expect(204);
    await test.http.delete(`/api/bulletins/${id}`).set(as('bob', 'owner')).expect(403);
  });

  it('28.6 a renamed user shows at once, and a deleted one becomes null without a change of the document', async () => {
    await seed('tom');
    const id = await made('posts', { title: 'one' }, 'tom editor');
    await send('put', `posts/${id}`, { data: { title: 'two' } }, 'bob editor');
    expect(await authorsOf(`posts/${id}`)).toEqual(['tom', 'bob']);
    const before = await get(`posts/${id}`);
    const users = test.app.get<ContentService>(getContentToken('user'), { strict: false });
    await users.update('user-tom', { username: 'thomas' });
    expect(await authorsOf(`posts/${id}`)).toEqual(['thomas', 'bob']);
    await users.delete('user-tom');
    expect(await authorsOf(`posts/${id}`)).toEqual([null, 'bob']);
    expect(await get(`posts/${id}`)).toEqual(before);
    const [row] = await test.sql('select count(*)::int as n from posts where created_by_document_id = $1', [
      'user-tom',
    ]);
    expect(row).toEqual({ n: 0 });
  });

  it('needs the type of users', () => {
    expect(() =>
      ContentModule.forRoot({ contentTypes: [home], database: { clientUrl: 'postgres://x' } }),
    ).toThrow(
      new ContentModelError([
        'home: authors: the model has no type "user": list ...userTypes() in contentTypes',
      ]),
    );
  });
});
