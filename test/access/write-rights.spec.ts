/**
 * Side effects of a write on other documents, and the documents that it may name. Also the contents of its response
 * and errors (D16, D26, D27; protocol 11.28).
 */
import {
  type AuthStrategy,
  type Caller,
  ContentService,
  type Credentials,
  defineCollectionType,
  defineComponent,
  defineSingleType,
  getContentToken,
  type Grants,
  type Identity,
  Permissions,
} from 'nestjs-content-api';
import { badKey, failure, snapshot } from '../http/helpers.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';

const person = defineCollectionType({
  singularApiId: 'person',
  pluralApiId: 'people',
  attributes: {
    name: { type: 'string' },
    notes: { type: 'relation', relation: 'oneToMany', target: 'note', mappedBy: 'author' },
  },
});
/** Owned by the user who created it. */
const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  draftAndPublish: true,
  owner: 'author',
  attributes: {
    text: { type: 'string' },
    extra: { type: 'string' },
    author: { type: 'relation', relation: 'manyToOne', target: 'person', inversedBy: 'notes' },
    diary: { type: 'relation', relation: 'manyToOne', target: 'diary', inversedBy: 'notes' },
    topics: { type: 'relation', relation: 'manyToMany', target: 'topic', inversedBy: 'notes' },
    seal: { type: 'relation', relation: 'oneToOne', target: 'seal', inversedBy: 'note' },
  },
});
const inverse = (mappedBy: string, relation: 'oneToMany' | 'manyToMany' | 'oneToOne') =>
  ({ type: 'relation', relation, target: 'note', mappedBy }) as const;
const diary = defineCollectionType({
  singularApiId: 'diary',
  pluralApiId: 'diaries',
  attributes: { title: { type: 'string' }, notes: inverse('diary', 'oneToMany') },
});
const topic = defineCollectionType({
  singularApiId: 'topic',
  pluralApiId: 'topics',
  attributes: { title: { type: 'string' }, notes: inverse('topics', 'manyToMany') },
});
const seal = defineCollectionType({
  singularApiId: 'seal',
  pluralApiId: 'seals',
  attributes: { title: { type: 'string' }, note: inverse('seal', 'oneToOne') },
});
const part = defineComponent({
  uid: 'part.text',
  attributes: {
    word: { type: 'string', minLength: 5 },
    secret: { type: 'string', private: true, minLength: 10 },
    tag: { type: 'relation', relation: 'manyToOne', target: 'tag' },
  },
});
const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string', minLength: 3 },
    summary: { type: 'text' },
    ungranted: { type: 'string', minLength: 10 },
    privateNote: { type: 'string', private: true, minLength: 10 },
    privateCode: { type: 'string', private: true, unique: true },
    code: { type: 'string', unique: true },
    zone: { type: 'dynamiczone', components: ['part.text'] },
    box: { type: 'component', component: 'part.text' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'articles' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: {
    name: { type: 'string' },
    articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'tags' },
  },
});
const list = defineCollectionType({
  singularApiId: 'list',
  pluralApiId: 'lists',
  attributes: {
    name: { type: 'string' },
    articles: { type: 'relation', relation: 'manyToMany', target: 'article' },
    first: { type: 'relation', relation: 'manyToOne', target: 'article' },
  },
});
const page = defineSingleType({
  singularApiId: 'page',
  attributes: { title: { type: 'string' }, text: { type: 'string' } },
});

const ROLES = {
  member: {
    note: ['find', 'create', { actions: ['findOne', 'update', 'delete', 'readDrafts'], own: true }],
    person: ['find', 'findOne', 'create', 'update'],
    diary: '*',
    topic: '*',
    seal: '*',
  },
  tagger: { tag: '*', article: [{ actions: ['find'], fields: ['title'] }] },
  narrow: { tag: '*', article: ['find', { actions: ['update'], fields: ['title'] }] },
  wide: { tag: '*', article: ['find', { actions: ['update'], fields: ['tags'] }] },
  collector: { list: '*', article: ['find'] },
  titler: { article: [{ actions: ['update'], fields: ['title', 'box', 'tags', 'code'] }], tag: ['find'] },
  reader: { article: ['findOne', { actions: ['update'], fields: ['title'] }] },
  /** May update the notes of all users, and read its own ones. */
  meddler: { note: ['update', { actions: ['findOne', 'readDrafts'], own: true }] },
  previewer: { note: ['update', 'findOne', { actions: ['readDrafts'], own: true }] },
  /** May read all published notes, and write its own ones. */
  neighbour: { note: ['find', 'findOne', { actions: ['update', 'delete'], own: true }] },
  creator: { article: ['create'], page: [{ actions: ['update'], fields: ['title'] }] },
} satisfies Record<string, Grants>;

/** Trusts headers that contain a user and roles. */
class Headers implements AuthStrategy {
  readonly name = 'headers';
  authenticate({ headers, bearer }: Credentials): Identity | Caller | null {
    if (bearer === 'everything') return { kind: 'token', id: 'x', permissions: Permissions.ALL };
    const [user, role] = [headers['x-user'], headers['x-role']];
    return typeof user === 'string' ? { kind: 'user', id: user, roles: [String(role)] } : null;
  }
}

type Documents = ContentService<{ id: number; documentId: string }>;

describe.each(ADAPTERS)('the permissions of a write on %s', (adapter) => {
  let test: TestApp;
  let ann: string;
  let bob: string;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [person, note, diary, topic, seal, article, tag, list, page],
        components: [part],
        access: { roles: ROLES },
        auth: { strategies: [new Headers()] },
      },
      adapter,
    );
    [ann, bob] = (await Promise.all(
      ['Ann', 'Bob'].map(async (name) => (await make('person', { name })).documentId),
    )) as [string, string];
  });
  afterAll(() => test.close());

  const service = (type: string): Documents => test.app.get(getContentToken(type), { strict: false });
  const make = (
    type: string,
    data: object,
    status = 'published',
  ): Promise<{ id: number; documentId: string }> => service(type).create(data, { status });
  const stored = async (type: string, documentId: string, query: Record<string, unknown>): Promise<any> =>
    service(type).findOne(documentId, query);
  type Method = 'get' | 'put' | 'post' | 'delete';
  const as = (user: string, role: keyof typeof ROLES) => (method: Method, path: string, data?: object) => {
    const request = test.http[method](`/api/${path}`).set({ 'x-user': user, 'x-role': role });
    return data === undefined ? request : request.send({ data });
  };
  const unchanged = async (work: () => Promise<unknown>): Promise<void> => {
    const before = await snapshot(test);
    await work();
    expect(await snapshot(test)).toEqual(before);
  };
  const withGrant = (key: string, grant: string) => {
    const { error, ...rest } = badKey(key, '', key);
    return { ...rest, error: { ...error, details: { ...(error.details as object), grant } } };
  };

  describe('on other documents (D26)', () => {
    it('R2a S5: refuses that a user sets the owner of a document through the inverse relation', async () => {
      const [theirs, draft] = [
        await make('note', { text: 'hers', author: ann }),
        await make('note', { text: 'draft', author: ann }, 'draft'),
      ];
      const asBob = as(bob, 'member');
      await unchanged(async () => {
        for (const notes of [
          { connect: [theirs.documentId] },
          { connect: [draft.id] },
          [theirs.id],
          { set: [] },
          { disconnect: [theirs.documentId] },
          null,
        ]) {
          const put = await asBob('put', `people/${bob}`, { notes }).expect(400);
          expect(put.body).toEqual(badKey('notes', '', 'notes'));
          const post = await asBob('post', 'people', { notes }).expect(400);
          expect(post.body).toEqual(badKey('notes', '', 'notes'));
        }
        await asBob('put', `notes/${theirs.documentId}`, { text: 'taken' }).expect(404);
      });
      // API tokens and the application itself are not users, so they may set the owner.
      const body = { data: { notes: { connect: [theirs.documentId] } } };
      await test.http
        .put(`/api/people/${bob}`)
        .set('authorization', 'Bearer everything')
        .send(body)
        .expect(200);
      await asBob('put', `notes/${theirs.documentId}`, { text: 'given' }).expect(200);
    });

    it('R12: treats another user’s draft as missing and returns 403 for a published document', async () => {
      const draft = await make('note', { text: 'hidden', author: ann }, 'draft');
      const shown = await make('note', { text: 'shown', author: ann });
      const asBob = as(bob, 'neighbour');
      const unknown = await asBob('put', 'notes/aaaaaaaaaaaaaaaaaaaaaaaa', { text: 'x' }).expect(404);
      const hidden = await asBob('put', `notes/${draft.documentId}`, { text: 'x' }).expect(404);
      expect(hidden.body).toEqual(unknown.body);
      await asBob('delete', `notes/${draft.documentId}`).expect(204);
      expect(await stored('note', draft.documentId, { status: 'draft' })).toMatchObject({ text: 'hidden' });
      await asBob('put', `notes/${shown.documentId}`, { text: 'x' }).expect(403);
      await asBob('delete', `notes/${shown.documentId}`).expect(403);
    });

    it('R2b: requires update on the owning documents and on their attribute to change links', async () => {
      const [t1, t2] = [await make('tag', { name: 'one' }), await make('tag', { name: 'two' })];
      const [shown, draft] = [
        await make('article', { title: 'shown', tags: [t1.documentId] }),
        await make('article', { title: 'draft' }, 'draft'),
      ];
      await unchanged(async () => {
        for (const role of ['tagger', 'narrow'] as const) {
          for (const articles of [
            [],
            null,
            { connect: [draft.id] },
            { disconnect: [shown.id] },
            [shown.documentId],
          ]) {
            const put = await as(bob, role)('put', `tags/${t1.documentId}`, { articles }).expect(400);
            expect(put.body).toEqual(withGrant('articles', 'article.update'));
          }
          const post = await as(bob, role)('post', 'tags', { articles: [shown.documentId] }).expect(400);
          expect(post.body).toEqual(withGrant('articles', 'article.update'));
        }
      });
      await as(bob, 'wide')('put', `tags/${t2.documentId}`, { articles: [shown.documentId] }).expect(200);
      expect((await stored('article', shown.documentId, { populate: 'tags' })).tags).toMatchObject([
        { name: 'one' },
        { name: 'two' },
      ]);
    });

    it('R2c: refuses links to other users’ documents with update on own documents only', async () => {
      const [own, theirs] = [
        await make('note', { text: 'own', author: ann }),
        await make('note', { text: 'theirs', author: bob }),
      ];
      const asAnn = as(ann, 'member');
      for (const [path, attribute] of [
        ['diaries', 'notes'],
        ['topics', 'notes'],
        ['seals', 'note'],
      ] as const) {
        const { documentId } = (await asAnn('post', path, { [attribute]: [own.documentId] }).expect(201)).body
          .data;
        await unchanged(async () => {
          for (const [method, where] of [
            ['post', path],
            ['put', `${path}/${documentId}`],
          ] as const) {
            for (const spelled of [
              [theirs.documentId],
              { connect: [theirs.documentId] },
              { set: [theirs.documentId] },
            ]) {
              const refused = await asAnn(method, where, { [attribute]: spelled }).expect(400);
              expect(refused.body.error.message).toBe(
                `Document with id "${theirs.documentId}", locale "null" not found`,
              );
            }
            const byRow = await asAnn(method, where, { [attribute]: [theirs.id] }).expect(400);
            expect(byRow.body.error.message).toMatch(/^1 relation\(s\) of type api::note\.note/);
          }
        });
      }
    });

    it.each(['diary', 'topic'] as const)(
      'D22: retains links of other users when a %s replaces its list',
      async (type) => {
        const attribute = type === 'diary' ? 'diary' : 'topics';
        const [a1, a2, b1] = (await Promise.all(
          [ann, ann, bob].map((author, i) => make('note', { text: `${i}`, author })),
        )) as { id: number; documentId: string }[] as [any, any, any];
        const root = await make(type, { notes: [b1.documentId, a1.documentId] });
        const path = `${type === 'diary' ? 'diaries' : 'topics'}/${root.documentId}`;
        const linked = async (): Promise<string[]> =>
          (await stored(type, root.documentId, { populate: 'notes' })).notes.map(
            ({ documentId }: { documentId: string }) => documentId,
          );
        const asAnn = as(ann, 'member');
        await asAnn('put', path, { notes: { connect: [a2.documentId] } }).expect(200);
        expect(await linked()).toEqual([b1.documentId, a1.documentId, a2.documentId]);
        // A client can send back the response of a GET.
        await asAnn('put', path, { notes: await linked() }).expect(200);
        expect(await linked()).toHaveLength(3);
        await asAnn('put', path, { notes: [a2.documentId] }).expect(200);
        expect((await linked()).sort()).toEqual([b1.documentId, a2.documentId].sort());
        await asAnn('put', path, { notes: [] }).expect(200);
        expect(await linked()).toEqual([b1.documentId]);
        const refused = await asAnn('put', path, { notes: { disconnect: [b1.documentId] } }).expect(400);
        expect(refused.body).toEqual(withGrant('notes', 'note.update'));
        expect(
          (await stored('note', b1.documentId, { status: 'draft', populate: attribute }))[attribute],
        ).not.toEqual(attribute === 'diary' ? null : []);
      },
    );

    it('only the owning side of a one-to-one removes links of other documents (11.22)', async () => {
      const [own, theirs] = [
        await make('note', { text: 'own', author: ann }),
        await make('note', { text: 'theirs', author: bob }),
      ];
      const held = await make('seal', { note: theirs.documentId });
      const asAnn = as(ann, 'member');
      const holder = async (): Promise<string | undefined> =>
        (await stored('seal', held.documentId, { populate: 'note' })).note?.documentId;
      const refused = await asAnn('put', `seals/${held.documentId}`, { note: own.documentId }).expect(400);
      expect(refused.body).toEqual(withGrant('note', 'note.update'));
      await asAnn('put', `seals/${held.documentId}`, { note: null }).expect(200);
      expect(await holder()).toBe(theirs.documentId);
      await asAnn('put', `notes/${own.documentId}`, { seal: held.documentId }).expect(200);
      expect(await holder()).toBe(own.documentId);
    });
  });

  describe('on named documents (R12)', () => {
    it('R12: returns the same error for unreadable and for missing documents', async () => {
      const [shown, draft] = [
        await make('article', { title: 'shown' }),
        await make('article', { title: 'draft' }, 'draft'),
      ];
      const root = await make('list', { articles: [shown.documentId] });
      const asBob = as(bob, 'collector');
      const answerTo = async (data: object, hidden: string | number): Promise<string> => {
        const { status, body } = await asBob('put', `lists/${root.documentId}`, data);
        const said = status === 200 ? '' : JSON.stringify(body.error);
        return `${status} ${said.replaceAll(String(hidden), '…')}`;
      };
      const anchored = (anchor: string | number): object => ({
        articles: { connect: [{ id: shown.id, position: { before: anchor } }] },
      });
      for (const [hidden, nobody] of [
        [draft.id, draft.id + 100_000],
        [draft.documentId, 'abcdefghijklmnopqrstuvwx'],
      ] as const) {
        for (const body of [
          (id: string | number) => ({ articles: [id] }),
          (id: string | number) => ({ articles: { set: [id] } }),
          (id: string | number) => ({ articles: { connect: [id] } }),
          (id: string | number) => ({ articles: { disconnect: [id] } }),
          (id: string | number) => ({ first: id }),
          (id: string | number) => ({ first: { connect: [id] } }),
          anchored,
        ])
          expect(await answerTo(body(hidden), hidden)).toBe(await answerTo(body(nobody), nobody));
      }
      await asBob('put', `lists/${root.documentId}`, { articles: [shown.id] }).expect(200);
      const connected = await asBob('put', `lists/${root.documentId}`, {
        articles: [draft.documentId],
      }).expect(400);
      expect(connected.body.error.message).toBe(
        `Document with id "${draft.documentId}", locale "null" not found`,
      );
    });

    it('R12: responds the same whether a position names a linked document, in a relation that is not read', async () => {
      const [first, second] = [await make('tag', { name: 'first' }), await make('tag', { name: 'second' })];
      const connecting = (id: string, before: string): object => ({ documentId: id, position: { before } });
      const next = connecting(first.documentId, second.documentId);
      const ring = [next, connecting(second.documentId, first.documentId)];
      for (const linked of [[], [second.documentId], [second.documentId, first.documentId]]) {
        const { documentId } = await make('article', { title: 'tagged', tags: linked });
        const asBob = as(bob, 'titler');
        const refused = await asBob('put', `articles/${documentId}`, { tags: { connect: ring } }).expect(400);
        expect(refused.body.error.message).toMatch(/circular reference/);
        await asBob('put', `articles/${documentId}`, { tags: { connect: [next] } }).expect(200);
        const { tags } = await stored('article', documentId, { populate: 'tags' });
        expect(tags.at(0).name).toBe('first');
      }
    });

    it('R12: accepts and removes linked documents by their document id', async () => {
      const [shown, draft] = [
        await make('article', { title: 'shown' }),
        await make('article', { title: 'draft' }, 'draft'),
      ];
      const both = [shown.documentId, draft.documentId];
      const root = await make('list', { articles: both });
      const asBob = as(bob, 'collector');
      const linked = async (): Promise<string[]> =>
        (await stored('list', root.documentId, { populate: 'articles', status: 'draft' })).articles.map(
          ({ documentId }: { documentId: string }) => documentId,
        );
      await asBob('put', `lists/${root.documentId}`, { articles: [...both].reverse() }).expect(200);
      expect(await linked()).toEqual([...both].reverse());
      await asBob('put', `lists/${root.documentId}`, { articles: [draft.id] }).expect(400);
      await asBob('put', `lists/${root.documentId}`, { articles: { disconnect: [draft.documentId] } }).expect(
        200,
      );
      expect(await linked()).toEqual([shown.documentId]);
      await asBob('put', `lists/${root.documentId}`, { articles: { connect: [draft.documentId] } }).expect(
        400,
      );
    });
  });

  describe('on stored values in errors (R1, D27)', () => {
    const UNTOLD = 'The document is not valid in attributes that you cannot access';

    it('R1: returns errors without stored values and without paths that the caller cannot read', async () => {
      const values = {
        title: 'fine',
        privateNote: 'short',
        ungranted: 'tiny',
        zone: [{ __component: 'part.text', secret: 'zz9', word: 'w9' }],
      };
      const { documentId } = await make('article', values, 'draft');
      const refused = await as(bob, 'titler')('put', `articles/${documentId}`, {}).expect(400);
      expect(refused.body).toEqual(
        failure(400, 'ValidationError', UNTOLD, {
          errors: [{ path: [], message: UNTOLD, name: 'ValidationError' }],
        }),
      );
      const own = await as(bob, 'titler')('put', `articles/${documentId}`, { title: 'x' }).expect(400);
      expect(own.body.error.details.errors).toEqual([
        {
          path: ['title'],
          message: 'title must be at least 3 characters',
          name: 'ValidationError',
          value: 'x',
        },
        { path: [], message: UNTOLD, name: 'ValidationError' },
      ]);
      // A caller who may write these attributes gets their paths, but no values.
      const everything = await test.http
        .put(`/api/articles/${documentId}`)
        .set('authorization', 'Bearer everything')
        .send({ data: {} })
        .expect(400);
      expect(
        everything.body.error.details.errors.map(({ path }: { path: string[] }) => path.join('.')),
      ).toEqual(['ungranted', 'privateNote', 'zone.0.word', 'zone.0.secret']);
      expect(JSON.stringify(everything.body)).not.toMatch(/short|tiny|zz9|w9/);
    });

    it('R1: returns the error of a unique value without stored values', async () => {
      await make('article', { title: 'first', privateCode: 'SECRET-1', code: 'OPEN-1' });
      const hidden = await make('article', { title: 'second', privateCode: 'SECRET-1' }, 'draft');
      const refused = await as(bob, 'titler')('put', `articles/${hidden.documentId}`, {}).expect(400);
      expect(refused.body.error.message).toBe(UNTOLD);
      expect(JSON.stringify(refused.body)).not.toMatch(/SECRET|privateCode/);
      const open = await make('article', { title: 'third', code: 'OPEN-1' }, 'draft');
      const said = { message: 'This attribute must be unique', name: 'ValidationError', path: ['code'] };
      const stale = await as(bob, 'titler')('put', `articles/${open.documentId}`, {}).expect(400);
      expect(stale.body.error.details.errors).toEqual([said]);
      const sent = await as(bob, 'titler')('put', `articles/${open.documentId}`, { code: 'OPEN-1' }).expect(
        400,
      );
      expect(sent.body.error.details.errors).toEqual([{ ...said, value: 'OPEN-1' }]);
    });
  });

  describe('on the response (R11, D27)', () => {
    const draftOf = (author: string): Promise<{ documentId: string }> =>
      make('note', { text: 'published', extra: 'hidden', author }).then(async ({ documentId }) => {
        await service('note').update(documentId, { extra: 'draft' }, { status: 'draft' });
        return { documentId };
      });

    it('R11: returns the ids and the sent values to a caller who may not read the document', async () => {
      const word = await make('tag', { name: 'word' });
      const { documentId } = await make('article', {
        title: 'old',
        summary: 'unread',
        tags: [word.documentId],
        box: { word: 'stored', secret: 'very secret' },
      });
      const asBob = as(bob, 'titler');
      for (const status of ['', '&status=draft']) {
        const put = async (data: object): Promise<object> =>
          (await asBob('put', `articles/${documentId}?populate=*${status}`, data).expect(200)).body.data;
        const id: unknown = expect.any(Number);
        expect(await put({ title: 'new' })).toEqual({ id, documentId, title: 'new' });
        expect(await put({})).toEqual({ id, documentId });
        expect(await put({ tags: [word.documentId] })).toMatchObject({
          id,
          documentId,
          tags: [{ name: 'word' }],
        });
        // Values that are merged with stored ones are omitted.
        expect(await put({ tags: { connect: [word.documentId] } })).toEqual({ id, documentId });
        expect(await put({ box: { word: 'whole' } })).toMatchObject({
          id,
          documentId,
          box: { word: 'whole' },
        });
        const { box } = await stored('article', documentId, { status: 'draft', populate: 'box' });
        expect(await put({ box: { id: box.id, word: 'merged' } })).toEqual({ id, documentId });
      }
      const single = await as(bob, 'creator')('put', 'page', { title: 'one' }).expect(200);
      expect(Object.keys(single.body.data).sort()).toEqual(['documentId', 'id', 'title']);
    });

    it('R11: returns a complete draft only to callers with readDrafts', async () => {
      const { documentId } = await make('article', { title: 'shown', summary: 'published' });
      await service('article').update(documentId, { summary: 'draft' }, { status: 'draft' });
      const asBob = as(bob, 'reader');
      const draft = await asBob('put', `articles/${documentId}?status=draft&populate=*`, {
        title: 'new',
      }).expect(200);
      expect(draft.body.data).toEqual({ id: expect.any(Number), documentId, title: 'new' });
      const refused = await asBob('get', `articles/${documentId}?status=draft`);
      expect(refused.status).toBe(403);
      // The write publishes the document, so that every caller with a read grant sees all of it.
      const published = await asBob('put', `articles/${documentId}`, { title: 'newer' }).expect(200);
      expect(published.body.data).toMatchObject({ title: 'newer', summary: 'draft' });
    });

    it.each([
      ['meddler', ''],
      ['meddler', '?status=draft'],
      ['previewer', '?status=draft'],
    ] as const)(
      'R11: returns complete own documents to %s, who may write all and read own%s',
      async (role, query) => {
        const [own, theirs] = [await draftOf(ann), await draftOf(bob)];
        const asAnn = as(ann, role);
        const full = await asAnn('put', `notes/${own.documentId}${query}`, { text: 'mine' }).expect(200);
        expect(full.body.data).toMatchObject({ text: 'mine', extra: 'draft', locale: 'en' });
        const echo = await asAnn('put', `notes/${theirs.documentId}${query}`, { text: 'mine' }).expect(200);
        expect(echo.body.data).toEqual({
          id: expect.any(Number),
          documentId: theirs.documentId,
          text: 'mine',
        });
      },
    );

    it('R11: returns complete own drafts with readDrafts on own documents', async () => {
      const { documentId } = await draftOf(ann);
      const put = await as(ann, 'member')('put', `notes/${documentId}?status=draft`, { text: 'mine' }).expect(
        200,
      );
      expect(put.body.data).toMatchObject({ text: 'mine', extra: 'draft' });
    });

    it('D27: returns the created document in the response to a create', async () => {
      const post = await as(bob, 'creator')('post', 'articles', { title: 'new', summary: 'text' }).expect(
        201,
      );
      expect(post.body.data).toMatchObject({ title: 'new', summary: 'text', ungranted: null, locale: 'en' });
    });
  });
});
