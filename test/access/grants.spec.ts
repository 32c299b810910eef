/** Grants by example: what a visitor and an editor may read and write (D9, D16, D17, D27). */
import {
  type ContentService,
  type Credentials,
  defineCollectionType,
  getContentToken,
  type Identity,
} from 'nestjs-content-api';
import { badKey, failure, NOT_FOUND } from '../http/helpers.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const author = defineCollectionType({
  singularApiId: 'author',
  pluralApiId: 'authors',
  attributes: { name: { type: 'string' }, salary: { type: 'integer' } },
});
const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string' },
    notes: { type: 'text' },
    author: { type: 'relation', relation: 'manyToOne', target: 'author' },
  },
});

const access = {
  public: { article: [{ actions: ['find', 'findOne'], fields: ['title', 'author'] }] },
  roles: {
    editor: {
      author: ['find'],
      article: ['find', 'findOne', 'readDrafts', { actions: ['update'], fields: ['title'] }],
    },
  },
} as const;

/** Reads the role of a caller from the header `x-role`. */
const byHeader = {
  name: 'by-header',
  authenticate: ({ headers }: Credentials): Identity | null =>
    headers['x-role'] === undefined ? null : { kind: 'user', id: '1', roles: [String(headers['x-role'])] },
};

describe('grants', () => {
  let test: TestApp;
  let hello: string;
  let later: string;

  beforeAll(async () => {
    test = await createTestApp({ contentTypes: [author, article], access, auth: { strategies: [byHeader] } });
    const service = (name: string) =>
      test.app.get<ContentService<{ documentId: string }>>(getContentToken(name), { strict: false });
    const ann = await service('author').create({ name: 'Ann', salary: 100 });
    const written = { notes: 'too long', author: ann.documentId };
    hello = (await service('article').create({ title: 'Hello', ...written })).documentId;
    later = (await service('article').create({ title: 'Later', ...written }, { status: 'draft' })).documentId;
  });
  afterAll(() => test.close());

  const visitor = (path: string) => test.http.get(`/api/${path}`);
  const editor = (path: string) => test.http.get(`/api/${path}`).set('x-role', 'editor');

  it('18.1 a route without a grant is a 403', async () => {
    const { body } = await visitor('authors').expect(403);
    expect(body).toEqual(failure(403, 'ForbiddenError', 'Forbidden'));
  });

  it('D16 a response has the granted attributes only', async () => {
    const { body } = await visitor(`articles/${hello}`).expect(200);
    expect(body.data).toMatchObject({ documentId: hello, title: 'Hello' });
    expect(Object.keys(body.data)).not.toContain('notes');
  });

  it('D9 a filter by another attribute is a 400, and is never dropped', async () => {
    const { body } = await visitor('articles?filters[notes][$contains]=long').expect(400);
    expect(body.error.message).toBe('Invalid key notes');
  });

  it('D9 a relation is populated if its target is granted, and omitted if it is not', async () => {
    const seenByVisitor = await visitor(`articles/${hello}?populate=author`).expect(200);
    expect(Object.keys(seenByVisitor.body.data)).not.toContain('author');

    const seenByEditor = await editor(`articles/${hello}?populate=author`).expect(200);
    expect(seenByEditor.body.data.author).toMatchObject({ name: 'Ann', salary: 100 });
  });

  it('D17 reading a draft needs readDrafts', async () => {
    expect((await visitor(`articles/${later}`).expect(404)).body).toEqual(NOT_FOUND);
    await visitor(`articles/${later}?status=draft`).expect(403);
    expect((await editor(`articles/${later}?status=draft`).expect(200)).body.data.title).toBe('Later');
  });

  it('D27 a body may contain the granted attributes only, and the response shows what the caller may read', async () => {
    const put = (data: object) =>
      test.http.put(`/api/articles/${hello}`).set('x-role', 'editor').send({ data });

    expect((await put({ title: 'Hi', notes: 'short' }).expect(400)).body).toEqual(
      badKey('notes', '', 'notes'),
    );

    const { body } = await put({ title: 'Hi' }).expect(200);
    expect(body.data).toMatchObject({ title: 'Hi', notes: 'too long' });
  });
});
