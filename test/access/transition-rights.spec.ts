/**
 * Publishes and discards documents from the inverse side of a one-to-one relation. Links of documents that
 * the caller may not update are retained together with their target (D22, D23, D26).
 */
import {
  type ContentService,
  type Credentials,
  defineCollectionType,
  getContentToken,
  type Identity,
} from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';

const book = defineCollectionType({
  singularApiId: 'book',
  pluralApiId: 'books',
  draftAndPublish: true,
  localized: true,
  owner: 'writer',
  attributes: {
    title: { type: 'string' },
    writer: { type: 'string' },
    shared: { type: 'relation', relation: 'oneToOne', target: 'medal', inversedBy: 'shared' },
    local: { type: 'relation', relation: 'oneToOne', target: 'medal', inversedBy: 'local', localized: true },
    any: { type: 'relation', relation: 'morphToOne', targets: ['medal'] },
  },
});
const medal = defineCollectionType({
  singularApiId: 'medal',
  pluralApiId: 'medals',
  draftAndPublish: true,
  actions: true,
  attributes: {
    name: { type: 'string' },
    shared: { type: 'relation', relation: 'oneToOne', target: 'book', mappedBy: 'shared' },
    local: { type: 'relation', relation: 'oneToOne', target: 'book', mappedBy: 'local' },
    any: { type: 'relation', relation: 'morphOne', target: 'book', morphBy: 'any' },
  },
});

type Relation = 'shared' | 'local' | 'any';
const RELATIONS: readonly Relation[] = ['shared', 'local', 'any'];

const ofUser = {
  name: 'users',
  authenticate: ({ headers }: Credentials): Identity | null => {
    const user = headers['x-user'];
    return typeof user === 'string' ? { kind: 'user', id: user, roles: ['member'] } : null;
  },
};

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    contentTypes: [book, medal],
    locales: ['en', 'fr'],
    access: {
      roles: { member: { medal: '*', book: ['find', { actions: ['update', 'readDrafts'], own: true }] } },
    },
    auth: { strategies: [ofUser] },
  });
});
afterAll(() => test.close());

interface Row {
  readonly documentId: string;
  readonly title?: string;
  readonly [attribute: string]: unknown;
}
const service = (type: 'book' | 'medal'): ContentService<Row> => test.app.get(getContentToken(type));
const make = async (type: 'book' | 'medal', data: object, status = 'published'): Promise<string> =>
  (await service(type).create(data, { status })).documentId;
const set = (id: string, data: object, status = 'draft') => service('book').update(id, data, { status });

/** Returns the title of the book that links a medal, and checks that both sides agree. */
async function holders(id: string, relation: Relation, status: string): Promise<string> {
  const found = await service('medal').findOne(id, { populate: relation, status });
  const { data } = await service('book').find({ populate: relation, status, sort: 'title' });
  const seen = data.filter((one) => (one[relation] as Row | null)?.documentId === id);
  const [mine] = [found?.[relation] as Row | null];
  expect(seen.map(({ title }) => title)).toEqual(mine === null ? [] : [mine.title]);
  return mine?.title ?? '-';
}

const both = async (id: string, relation: Relation): Promise<string> =>
  `${await holders(id, relation, 'draft')} ${await holders(id, relation, 'published')}`;

/** Publishes as a user who may update only her own books. */
const asAnn = (id: string) => test.http.put(`/api/medals/${id}`).set('x-user', 'ann').send({ data: {} });
const discardAsAnn = (id: string) =>
  test.http.post(`/api/medals/${id}/actions/discard`).set('x-user', 'ann').send();

describe.each(RELATIONS)('the inverse side of a one-to-one: %s', (relation) => {
  const of = (id: string) => ({
    [relation]: relation === 'any' ? { documentId: id, __type: 'api::medal.medal' } : id,
  });
  const book = (title: string, writer: string, data: object = {}) => make('book', { title, writer, ...data });
  afterEach(() => test.sql('truncate books cascade'));

  it('D26: keeps the target of another user’s book when a linked draft of the caller is published', async () => {
    const id = await make('medal', { name: 'm' });
    await book('theirs', 'bob', of(id));
    await set(await book('own', 'ann'), of(id));
    expect(await both(id, relation)).toBe('own theirs');
    await asAnn(id).expect(200);
    expect(await both(id, relation)).toBe('own theirs');
    await service('medal').publish(id, {});
    expect(await both(id, relation)).toBe('own own');
  });

  it('D26: does not publish another user’s draft link, and keeps the target of the caller’s book', async () => {
    const id = await make('medal', { name: 'm' });
    await book('own', 'ann', of(id));
    await set(await book('theirs', 'bob'), of(id));
    await asAnn(id).expect(200);
    expect(await both(id, relation)).toBe('theirs -');
  });

  it('D26: keeps the target of another user’s draft when the caller discards the medal’s draft', async () => {
    const id = await make('medal', { name: 'm' });
    await book('own', 'ann', of(id));
    await set(await book('theirs', 'bob'), of(id));
    await discardAsAnn(id).expect(200);
    expect(await both(id, relation)).toBe('theirs own');
    await service('medal').discardDraft(id, {});
    expect(await both(id, relation)).toBe('own own');
  });

  it('D23: moves the target of a never published draft when the medal’s draft is discarded', async () => {
    const id = await make('medal', { name: 'm' });
    await book('first', 'ann', of(id));
    await make('book', { title: 'second', writer: 'ann', ...of(id) }, 'draft');
    expect(await both(id, relation)).toBe('second first');
    await service('medal').discardDraft(id, {});
    expect(await both(id, relation)).toBe('first first');
  });

  it('D23: moves the target of an unpublished book to the book that is published with it', async () => {
    const id = await make('medal', { name: 'm' });
    const first = await book('first', 'ann', of(id));
    await service('book').unpublish(first, {});
    await set(await book('second', 'ann'), of(id));
    await service('medal').publish(id, {});
    expect(await both(id, relation)).toBe('second second');
    await service('book').publish(first, {});
    expect(await both(id, relation)).toBe('second second');
  });
});
