/** 18.26: lists of links and the documents that a condition of `find` hides, in every place of a link. */
import {
  type ContentService,
  type Credentials,
  defineCollectionType,
  defineComponent,
  getContentToken,
  type Identity,
} from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';

const BOOK_UID = 'api::book.book';
const list = { type: 'relation', relation: 'manyToMany', target: 'book' } as const;
const one = { type: 'relation', relation: 'manyToOne', target: 'book' } as const;
const any = { type: 'relation', relation: 'morphToMany' } as const;

const book = defineCollectionType({
  singularApiId: 'book',
  pluralApiId: 'books',
  draftAndPublish: true,
  attributes: { title: { type: 'string' }, branch: { type: 'string' } },
});
const row = defineComponent({ uid: 'shelf.row', attributes: { books: list, best: one } });
const shelf = defineCollectionType({
  singularApiId: 'shelf',
  pluralApiId: 'shelves',
  draftAndPublish: true,
  history: true,
  attributes: {
    name: { type: 'string' },
    books: list,
    best: one,
    items: any,
    row: { type: 'component', component: 'shelf.row' },
    rows: { type: 'component', component: 'shelf.row', repeatable: true },
    zone: { type: 'dynamiczone', components: ['shelf.row'] },
  },
});

const byHeader = {
  name: 'by-header',
  authenticate: ({ headers }: Credentials): Identity | null => {
    const role = headers['x-who'];
    return role === undefined ? null : { kind: 'user', id: 'ann', roles: [String(role)] };
  },
};

type Values = Readonly<Record<string, unknown>>;
interface Saved {
  readonly documentId: string;
}

const POPULATE = {
  books: true,
  best: true,
  items: true,
  row: { populate: ['books', 'best'] },
  rows: { populate: ['books', 'best'] },
  zone: { on: { 'shelf.row': { populate: ['books', 'best'] } } },
};

describe.each(ADAPTERS)('links that a condition hides on %s', (adapter) => {
  let test: TestApp;
  /** Ids of books by title: `mine` and `new` are in the branch of the caller, `theirs` and `far` are not. */
  const ids: Record<string, string> = {};
  const service = (name: string) => test.app.get<ContentService>(getContentToken(name), { strict: false });
  const titleOf = (id: string): string | undefined => Object.keys(ids).find((title) => ids[title] === id);

  const titles = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map((item: Saved) => titleOf(item.documentId))
      : (value ?? null) && titleOf((value as Saved).documentId);
  const stored = async (id: string): Promise<Values> =>
    (await service('shelf').findOne(id, { status: 'draft', populate: POPULATE })) as never;
  const make = async (data: Values): Promise<string> => {
    const made: unknown = await service('shelf').create(data, { status: 'draft' });
    return (made as Saved).documentId;
  };
  const put = (id: string, data: Values) =>
    test.http.put(`/api/shelves/${id}`).query({ status: 'draft' }).set('x-who', 'local').send({ data });
  const books = (...names: string[]) => names.map((name) => ids[name]);
  const items = (...names: string[]) => names.map((name) => ({ __type: BOOK_UID, documentId: ids[name] }));

  beforeAll(async () => {
    const inBranch = { actions: '*', where: () => ({ branch: 'north' }) } as const;
    test = await createTestApp(
      {
        contentTypes: [book, shelf],
        components: [row],
        access: { roles: { local: { shelf: '*', book: [inBranch] } } },
        auth: { strategies: [byHeader] },
        imports: [HistoryModule.forRoot({ sittingMinutes: 0 })],
      },
      adapter,
    );
    for (const [title, branch] of Object.entries({
      mine: 'north',
      new: 'north',
      theirs: 'south',
      far: 'south',
    })) {
      const made: unknown = await service('book').create({ title, branch });
      ids[title] = (made as Saved).documentId;
    }
  });
  afterAll(() => test.close());

  it.each([
    ['a shorter list', ['theirs', 'mine', 'far'], ['mine'], ['theirs', 'mine', 'far']],
    ['an empty list', ['theirs', 'mine', 'far'], [], ['theirs', 'far']],
    ['another list', ['mine', 'theirs'], ['new'], ['new', 'theirs']],
    ['a list that was empty', [], ['new'], ['new']],
  ])('%s keeps them', async (_name, before, sent, after) => {
    const id = await make({ books: books(...before), items: items(...before) });
    await put(id, { books: books(...sent), items: items(...sent) }).expect(200);
    const now = await stored(id);
    expect(titles(now['books'])).toEqual(after);
    expect(titles(now['items'])).toEqual(after);
  });

  it('a set of an object keeps them', async () => {
    const id = await make({ books: books('theirs', 'mine') });
    await put(id, { books: { set: books('new') } }).expect(200);
    expect(titles((await stored(id))['books'])).toEqual(['theirs', 'new']);
  });

  it('an instance keeps them', async () => {
    const content = { books: books('theirs', 'mine'), best: ids['far'] };
    const id = await make({
      row: content,
      rows: [content],
      zone: [{ __component: 'shelf.row', ...content }],
    });
    const before = (await stored(id)) as Record<string, { id: number } & { id: number }[]>;
    const next = { books: [], best: null };
    const sent = {
      row: { id: before['row']?.id, ...next },
      rows: [{ id: before['rows']?.[0]?.id, ...next }],
      zone: [{ __component: 'shelf.row', id: before['zone']?.[0]?.id, ...next }],
    };
    await put(id, sent).expect(200);
    const now = await stored(id);
    for (const instance of [now['row'], ...(now['rows'] as Values[]), ...(now['zone'] as Values[])]) {
      const { books: list, best } = instance as Values;
      expect([titles(list), titles(best)]).toEqual([['theirs'], 'far']);
    }
  });

  it('a removed instance loses them', async () => {
    const id = await make({ rows: [{ books: books('theirs') }] });
    await put(id, { rows: [] }).expect(200);
    expect((await stored(id))['rows']).toEqual([]);
  });

  it('a to-one keeps one that is cleared, and loses one that is replaced', async () => {
    const id = await make({ best: ids['theirs'] });
    await put(id, { best: null }).expect(200);
    expect(titles((await stored(id))['best'])).toBe('theirs');
    await put(id, { best: ids['mine'] }).expect(200);
    expect(titles((await stored(id))['best'])).toBe('mine');
    await put(id, { best: null }).expect(200);
    expect((await stored(id))['best']).toBeNull();
  });

  it('a restored version keeps them', async () => {
    const id = await make({ name: 'first', books: books('mine') });
    await service('shelf').update(id, { name: 'second', books: books('theirs', 'new') }, { status: 'draft' });
    const { body } = await test.http.get(`/api/shelves/${id}/versions`).set('x-who', 'local').expect(200);
    const [first] = (body.data as { id: number }[]).slice(-1);
    const path = `/api/shelves/${id}/versions/${String(first?.id)}/actions/restore`;
    await test.http.post(path).set('x-who', 'local').send({}).expect(200);
    expect(titles((await stored(id))['books'])).toEqual(['theirs', 'mine']);
  });

  it('documents that are deleted or unlinked stay so', async () => {
    const made: unknown = await service('book').create({ title: 'gone', branch: 'south' });
    const gone = (made as Saved).documentId;
    const id = await make({ books: [gone, ...books('mine')] });
    await service('book').delete(gone);
    await put(id, { books: books('mine', 'new') }).expect(200);
    expect(titles((await stored(id))['books'])).toEqual(['mine', 'new']);
  });
});
