/** Filters of a list: from the address of its page to the one request that serves it. */
import {
  columnsOf,
  isSelectable,
  listQuery,
  readState,
  writeState,
} from '../../../desk/src/model/list-query.ts';
import { hasDrafts, type Type } from '../../../desk/src/model/model.ts';
import { MODEL } from './model.ts';

const article: Type = { ...(MODEL.type('article') as Type), verbs: { find: 'all', readDrafts: 'all' } };
const plain: Type = { ...article, draftAndPublish: false };
const reader: Type = { ...article, verbs: { find: 'all' } };
const authored: Type = { ...article, authors: ['createdBy', 'updatedBy'] };
const user: Type = { ...plain, name: 'user', title: 'username' };
const model = Object.assign(Object.create(Object.getPrototypeOf(MODEL) as object), MODEL, {
  type: (name: string) => (name === 'user' ? user : MODEL.type(name)),
}) as typeof MODEL;

const read = (type: Type, ...filters: string[]) => {
  const source = { type, model };
  const state = readState(
    new URLSearchParams(filters.map((one): [string, string] => ['filter', one])),
    source,
  );
  return { state, source, query: listQuery(state, [], source) };
};
const day = (text: string): string => new Date(`${text}T00:00`).toISOString();

describe('columns of a list', () => {
  it.each(['json', 'array', 'blocks', 'password'])('leave out values of %s', (type) => {
    const inner = { ...article.attributes[0]!, name: 'inner', type };
    expect(columnsOf({ ...article, attributes: [inner] }).map(({ name }) => name)).not.toContain('inner');
  });
});

describe('filters of a list', () => {
  it.each([
    ['draft', 'never-published'],
    ['modified', 'modified'],
    ['published', 'unmodified'],
  ])('select %s documents by one parameter', (status, publicationFilter) => {
    expect(hasDrafts(article)).toBe(true);
    const { state, query } = read(article, `status $eq ${status}`);
    expect(query).toMatchObject({ status: 'draft', publicationFilter });
    expect(query).not.toHaveProperty('filters');
    expect(isSelectable(state, article)).toBe(false);
  });

  it('select days of the editor: from midnight to midnight', () => {
    const of = (operator: string) => read(article, `createdAt ${operator} 2026-03-29`).query['filters'];
    const [start, end] = [day('2026-03-29'), day('2026-03-30')];
    expect(of('$eq')).toEqual({ $and: [{ createdAt: { $gte: start, $lt: end } }] });
    expect(of('$gte')).toEqual({ $and: [{ createdAt: { $gte: start } }] });
    expect(of('$lte')).toEqual({ $and: [{ createdAt: { $lt: end } }] });
  });

  it('show published versions for the day of publishing', () => {
    const { state, query } = read(article, 'publishedAt $gte 2026-03-29', 'status $eq modified');
    expect(query).toMatchObject({ status: 'published', publicationFilter: 'modified' });
    expect(isSelectable(state, article)).toBe(false);
  });

  it.each(['datetime', 'timestamp'])('select times of the editor: %s', (type) => {
    const signed = { ...article.attributes[0]!, name: 'signed', label: 'signed', type };
    const signable = { ...article, attributes: [...article.attributes, signed] };
    const time = '2026-03-29T10:30';
    expect(read(signable, `signed $gte ${time}`).query['filters']).toEqual({
      $and: [{ signed: { $gte: new Date(time).toISOString() } }],
    });
  });

  it('select by the name of an author', () => {
    const { state, query } = read(authored, 'createdBy $containsi ann', 'updatedBy $null');
    expect(query['filters']).toEqual({
      $and: [{ createdBy: { username: { $containsi: 'ann' } } }, { updatedBy: { $null: true } }],
    });
    expect(isSelectable(state, authored)).toBe(true);
  });

  it('come back from the address, without those that cannot be sent', () => {
    const known = ['status $eq draft', 'updatedAt $lte 2026-03-29'];
    const { state, source } = read(article, ...known, 'status $eq other', 'createdAt $eq yesterday');
    expect(writeState(state, source).getAll('filter')).toEqual(known);
    expect(read(article, 'createdAt $eq 2026-02-31x', 'createdBy $containsi ann').state.filters).toEqual([]);
    for (const type of [plain, reader]) expect(read(type, 'status $eq draft').state.filters).toEqual([]);
    expect(read(plain, 'publishedAt $eq 2026-03-29').state.filters).toEqual([]);
  });

  it.each([
    ['sort=nonsense:asc', 'sort', 'title:asc'],
    ['sort=title:up', 'sort', 'title:asc'],
    ['sort=title:desc', 'sort', 'title:desc'],
    ['locale=tlh', 'locale', 'en'],
    ['locale=*', 'locale', 'en'],
    ['page=1e400', 'page', 1_000_000],
  ] as const)('come with a state that can be sent: %s', (address, name, value) => {
    expect(readState(new URLSearchParams(address), { type: article, model })[name]).toBe(value);
  });
});
