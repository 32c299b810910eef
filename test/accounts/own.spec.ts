/** Grants on own documents of a user: `{ actions, own: true }`. */
import {
  type AuthStrategy,
  type Credentials,
  defineCollectionType,
  defineSingleType,
  type Grants,
  type Identity,
} from 'nestjs-content-api';
import { countStatements, createTestApp, type TestApp } from '../support/app.ts';

const person = defineCollectionType({
  singularApiId: 'person',
  pluralApiId: 'people',
  attributes: { name: { type: 'string' } },
});
const attributes = {
  title: { type: 'string' },
  secret: { type: 'string' },
  author: { type: 'relation', relation: 'manyToOne', target: 'person' },
} as const;
const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  owner: 'author',
  draftAndPublish: true,
  attributes,
});
const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  owner: 'by',
  attributes: {
    title: { type: 'string' },
    by: { type: 'string' },
    note: { type: 'relation', relation: 'manyToOne', target: 'note' },
  },
});
const plain = defineCollectionType({
  singularApiId: 'plain',
  pluralApiId: 'plains',
  attributes: { title: { type: 'string' } },
});

/** Owners with drafts and locales. */
const profile = defineCollectionType({
  singularApiId: 'profile',
  pluralApiId: 'profiles',
  draftAndPublish: true,
  localized: true,
  attributes: {},
});
const sketch = defineCollectionType({
  singularApiId: 'sketch',
  pluralApiId: 'sketches',
  owner: 'by',
  attributes: {
    title: { type: 'string' },
    by: { type: 'relation', relation: 'manyToOne', target: 'profile' },
  },
});

/** Takes the caller from `x-user: <id> <role>`. */
class Header implements AuthStrategy {
  readonly name = 'header';
  authenticate({ headers }: Credentials): Identity | null {
    const [id, role] = String(headers['x-user'] ?? '').split(' ');
    return id === undefined || role === undefined
      ? null
      : { kind: role === 'robot' ? 'token' : 'user', id, roles: [role] };
  }
}

const OWN: Grants = {
  note: [{ actions: '*', own: true }],
  memo: [{ actions: ['find', 'findOne', 'create', 'update', 'delete'], own: true }],
  sketch: [{ actions: ['find', 'findOne', 'create', 'update', 'delete'], own: true }],
  person: ['find'],
};
const roles: Record<string, Grants> = {
  writer: OWN,
  robot: OWN,
  reader: {
    note: ['find', 'findOne', { actions: ['create', 'update', 'delete'], own: true }],
    person: ['find'],
  },
  narrow: {
    note: [
      'find',
      { actions: ['update'], fields: ['title'], own: true },
      { actions: ['findOne'], fields: ['title'], own: true },
    ],
  },
  drafts: { note: ['find', 'findOne', { actions: ['readDrafts'], own: true }], person: ['find'] },
};

describe('own documents', () => {
  let test: TestApp;
  const people: Record<string, string> = {};
  const notes: Record<string, string> = {};
  const as = (who: string, role = 'writer') => ({ 'x-user': `${people[who] ?? who} ${role}` });
  const get = (path: string, who: string, role?: string) => test.http.get(`/api/${path}`).set(as(who, role));
  const titles = async (path: string, who: string, role?: string): Promise<string[]> =>
    (await get(path, who, role).expect(200)).body.data.map((item: { title: string }) => item.title);

  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [person, note, memo, plain, profile, sketch],
      access: { roles },
      auth: { strategies: [new Header()] },
    });
    for (const name of ['ann', 'bob']) {
      people[name] = `person-${name}`;
      await test.sql(
        `insert into people (document_id, locale, published, created_at, updated_at, published_at, name) values ($1, 'en', true, now(), now(), now(), $2)`,
        [people[name], name],
      );
    }
    for (const name of ['ann', 'bob']) {
      const { body } = await test.http
        .post('/api/notes')
        .set(as(name))
        .send({ data: { title: `${name}'s`, secret: 'hush' } })
        .expect(201);
      notes[name] = body.data.documentId;
      await test.http
        .post('/api/memos')
        .set(as(name))
        .send({ data: { title: `${name}'s` } })
        .expect(201);
    }
  });
  afterAll(() => test.close());

  it("are read and written alike, for any state and locale of the owner's document", async () => {
    for (const [id, published, locale] of [
      ['in-draft', false, 'en'],
      ['in-german', true, 'de'],
    ]) {
      await test.sql(
        'insert into profiles (document_id, locale, published, created_at, updated_at) values ($1, $2, $3, now(), now())',
        [id, locale, published],
      );
      const user = { 'x-user': `${id} writer` };
      const created = await test.http
        .post('/api/sketches')
        .set(user)
        .send({ data: { title: id } });
      expect(created.status).toBe(201);
      const path = `/api/sketches/${created.body.data.documentId}`;
      await test.http
        .put(path)
        .set(user)
        .send({ data: { title: `${id} 2` } })
        .expect(200);
      expect((await test.http.get(path).set(user).expect(200)).body.data.title).toBe(`${id} 2`);
      const listed = await test.http.get('/api/sketches?pagination[withCount]=true').set(user).expect(200);
      expect(listed.body.meta.pagination.total).toBe(1);
      await get(path.slice('/api/'.length), 'bob').expect(404);
      await test.http.delete(path).set(as('bob')).expect(204);
      await test.http.get(path).set(user).expect(200);
      await test.http.delete(path).set(user).expect(204);
      await test.http.get(path).set(user).expect(404);
    }
  });

  it('are the only ones in a list, its total, a search and by id', async () => {
    expect(await titles('notes', 'ann')).toEqual(["ann's"]);
    expect(await titles('memos', 'bob')).toEqual(["bob's"]);
    expect(await titles("notes?_q='s&sort=title", 'ann')).toEqual(["ann's"]);
    expect(await titles('notes?filters[$or][0][title][$ne]=x&filters[$or][1][title][$eq]=x', 'ann')).toEqual([
      "ann's",
    ]);
    expect((await get('notes', 'ann')).body.meta.pagination.total).toBe(1);
    await get(`notes/${notes['ann']}`, 'ann').expect(200);
    expect((await get(`notes/${notes['bob']}`, 'ann').expect(404)).body).toEqual(
      (await get('notes/nothing', 'ann').expect(404)).body,
    );
    const other = 'notes?sort=title:desc';
    expect(await countStatements(() => get(other, 'ann').expect(200))).toHaveLength(1);
    expect(await countStatements(() => get(other, 'ann').expect(200))).toHaveLength(0);
    expect(await countStatements(() => get(other, 'bob').expect(200))).toHaveLength(1);
  });

  it('are never those of another user', async () => {
    for (const who of ['ann', 'bob', 'ann', 'bob'])
      expect(await titles('notes?sort=title', who)).toEqual([`${who}'s`]);
  });

  it('do not include drafts of other users', async () => {
    const draft = async (who: string) =>
      (
        await test.http
          .post('/api/notes?status=draft')
          .set(as(who))
          .send({ data: { title: `${who}'s draft` } })
          .expect(201)
      ).body.data.documentId as string;
    const [a, b] = [await draft('ann'), await draft('bob')];
    expect(await titles('notes?status=draft&sort=title', 'ann', 'drafts')).toEqual(["ann's", "ann's draft"]);
    expect(await titles('notes?sort=title', 'ann', 'drafts')).toEqual(["ann's", "bob's"]);
    await get(`notes/${a}?status=draft`, 'ann', 'drafts').expect(200);
    await get(`notes/${b}?status=draft`, 'ann', 'drafts').expect(404);
    await get('notes?status=draft', 'ann', 'reader').expect(403);
    for (const id of [a, b]) await test.sql('delete from notes where document_id = $1', [id]);
  });

  it('can be changed and removed, those of other users cannot', async () => {
    const put = (id: string | undefined, who: string, role?: string) =>
      test.http
        .put(`/api/notes/${id}`)
        .set(as(who, role))
        .send({ data: { title: `${who}'s` } });
    const remove = (id: string | undefined, who: string, role?: string) =>
      test.http.delete(`/api/notes/${id}`).set(as(who, role));
    await put(notes['ann'], 'ann').expect(200);
    // A caller that can read the document gets 403; a caller that cannot gets 404.
    await put(notes['bob'], 'ann', 'reader').expect(403);
    expect((await put(notes['bob'], 'ann').expect(404)).body).toEqual(
      (await put('nothing', 'ann').expect(404)).body,
    );
    await remove(notes['bob'], 'ann', 'reader').expect(403);
    await remove(notes['bob'], 'ann').expect(204);
    expect(await titles('notes?sort=title', 'bob', 'reader')).toEqual(["ann's", "bob's"]);
    const { body } = await test.http
      .post('/api/notes')
      .set(as('ann'))
      .send({ data: { title: 'short-lived' } })
      .expect(201);
    await remove(body.data.documentId, 'ann').expect(204);
    expect(await titles('notes?sort=title', 'ann')).toEqual(["ann's"]);
  });

  it('can be limited to attributes', async () => {
    const put = (data: object, who = 'ann') =>
      test.http.put(`/api/notes/${notes['ann']}`).set(as(who, 'narrow')).send({ data });
    await put({ title: "ann's" }).expect(200);
    await put({ secret: 'x' }).expect(400);
    await put({ title: 'x' }, 'bob').expect(404);
    expect((await get(`notes/${notes['ann']}`, 'ann', 'narrow').expect(200)).body.data).not.toHaveProperty(
      'secret',
    );
    await get(`notes/${notes['bob']}`, 'ann', 'narrow').expect(404);
    expect((await get('notes', 'ann', 'narrow').expect(200)).body.data[0]).toHaveProperty('secret');
  });

  it('exist for users, not for the public and not for tokens', async () => {
    await test.http.get('/api/notes').expect(401);
    await get('notes', 'ann', 'robot').expect(403);
  });

  it('do not extend to relations, which need find on all documents', async () => {
    const { body } = await get('memos?populate=note', 'ann').expect(200);
    expect(body.data[0]).not.toHaveProperty('note');
    await get('memos?filters[note][title]=x', 'ann').expect(400);
    await test.http
      .post('/api/memos')
      .set(as('ann'))
      .send({ data: { title: 'linked', note: notes['ann'] } })
      .expect(400);
  });
});

it.each<[string, Grants, string]>([
  [
    'a type without an owner',
    { plain: [{ actions: ['find'], own: true }] },
    '"own" needs a content type with an "owner"',
  ],
  ['every type', { '*': [{ actions: ['find'], own: true }] }, '"own" needs a content type with an "owner"'],
])('rejects own together with %s', async (_name, editor, message) => {
  await expect(
    createTestApp({ contentTypes: [person, note, memo, plain], access: { roles: { editor } } }),
  ).rejects.toThrow(message);
});

it.each([
  ['an unknown attribute', 'autor', 'owner: "autor" is not an attribute; did you mean "author"?'],
  ['an attribute of another kind', 'title', null],
  [
    'a relation that another type owns',
    'others',
    'must be a string, or a to-one relation without "mappedBy"',
  ],
])('rejects an owner that is %s', async (_name, owner, message) => {
  const type = defineCollectionType({
    singularApiId: 'note',
    pluralApiId: 'notes',
    owner,
    attributes: {
      ...attributes,
      others: { type: 'relation', relation: 'oneToMany', target: 'sheet', mappedBy: 'up' },
    },
  });
  const sheet = defineCollectionType({
    singularApiId: 'sheet',
    pluralApiId: 'sheets',
    attributes: { up: { type: 'relation', relation: 'manyToOne', target: 'note', inversedBy: 'others' } },
  });
  const start = createTestApp({ contentTypes: [person, type, sheet] });
  if (message !== null) return void (await expect(start).rejects.toThrow(message));
  await (await start).close();
});

it('rejects a localized owner', async () => {
  const type = defineCollectionType({
    singularApiId: 'note',
    pluralApiId: 'notes',
    localized: true,
    owner: 'by',
    attributes: { by: { type: 'string', localized: true } },
  });
  await expect(createTestApp({ contentTypes: [type] })).rejects.toThrow('owner: "by" is localized');
});

it('rejects an owner of a single type', async () => {
  const type = defineSingleType({
    singularApiId: 'note',
    owner: 'title',
    attributes: { title: { type: 'string' } },
  });
  await expect(createTestApp({ contentTypes: [type] })).rejects.toThrow('a single type cannot have an owner');
});
