/** History of types with options that limit what requests may read and write. */
import {
  defineCollectionType,
  defineComponent,
  getContentToken,
  type ContentService,
} from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { createTestApp, type TestApp } from '../support/app.ts';

let limit = 10;
const score = {
  type: 'integer',
  validate: (value: number) => (value > limit ? 'is too high' : null),
} as const;

const part = defineComponent({
  uid: 'shared.part',
  attributes: {
    text: { type: 'string' },
    source: { type: 'string', writable: false, default: 'editor' },
    score,
  },
});
const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  history: true,
  attributes: {
    title: { type: 'string' },
    score,
    lead: { type: 'component', component: 'shared.part' },
    parts: { type: 'component', component: 'shared.part', repeatable: true },
  },
});
const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  history: true,
  routes: false,
  attributes: { title: { type: 'string' } },
});
const letter = defineCollectionType({
  singularApiId: 'letter',
  pluralApiId: 'letters',
  history: true,
  routes: { only: ['find', 'findOne'] },
  attributes: { title: { type: 'string' } },
});

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    contentTypes: [page, note, letter],
    components: [part],
    access: { public: { '*': '*' } },
    imports: [HistoryModule.forRoot()],
  });
});
afterEach(() => {
  limit = 10;
});
afterAll(() => test.close());

const make = async (data: object): Promise<string> =>
  (await test.http.post('/api/pages').send({ data }).expect(201)).body.data.documentId;
const partsOf = async (id: string): Promise<any> => {
  const { lead, parts } = (await test.http.get(`/api/pages/${id}?populate=*`).expect(200)).body.data;
  return [lead, ...parts].map(({ id: _id, documentId: _documentId, ...values }) => values);
};
const CREATED = { title: 'First', lead: { text: 'a' }, parts: [{ text: 'b' }] };
const RESTORED = ['a', 'b'].map((text) => ({ text, source: 'editor', score: null }));

it('15.2, 25.5 restores components with attributes that no body may contain', async () => {
  const id = await make(CREATED);
  await test.http
    .put(`/api/pages/${id}`)
    .send({ data: { lead: null, parts: [] } })
    .expect(200);
  const versions = (await test.http.get(`/api/pages/${id}/versions`).expect(200)).body.data;
  await test.http.post(`/api/pages/${id}/versions/${versions.at(-1).id}/actions/restore`).expect(200);
  expect(await partsOf(id)).toEqual(RESTORED);
});

it('15.2, 25.6 restores deleted documents with such components', async () => {
  const id = await make(CREATED);
  await test.http.delete(`/api/pages/${id}`).expect(204);
  await test.http.post(`/api/pages/${id}/actions/restore`).expect(200);
  expect(await partsOf(id)).toEqual(RESTORED);
});

it('1.16, 25.5, 25.6 shows restored documents with the fields and the populate of the query', async () => {
  const id = await make(CREATED);
  const shown = { data: { id: expect.any(Number), documentId: id, title: 'First', lead: { text: 'a' } } };
  const query = 'fields=title&populate[lead][fields]=text';
  await test.http.put(`/api/pages/${id}`).send({ data: { lead: null } });
  const versions = (await test.http.get(`/api/pages/${id}/versions`).expect(200)).body.data;
  for (const path of [`versions/${versions.at(-1).id}/actions/restore`, 'actions/restore']) {
    const { body } = await test.http.post(`/api/pages/${id}/${path}?${query}`).expect(200);
    expect(body).toMatchObject(shown);
    expect(Object.keys(body.data)).toEqual(['id', 'documentId', 'title', 'lead']);
    await test.http.delete(`/api/pages/${id}`).expect(204);
  }
  await test.http.post(`/api/pages/${id}/actions/restore?populate=nope`).expect(400);
});

it('14.24, 25.6 leaves out values of a deleted document that a function refuses now', async () => {
  const id = await make({ title: 'Second', score: 7, lead: { text: 'a', score: 8 }, parts: [] });
  await test.http.delete(`/api/pages/${id}`).expect(204);
  limit = 5;
  const { body } = await test.http.post(`/api/pages/${id}/actions/restore`).expect(200);
  expect(body.data).toMatchObject({ title: 'Second', score: null });
  expect(body.meta).toEqual({ leftOut: ['score'] });
  expect(await partsOf(id)).toEqual([{ text: 'a', source: 'editor', score: null }]);
});

it('stores versions of a type without routes, and serves them on no route', async () => {
  const notes = test.app.get<ContentService>(getContentToken('note'), { strict: false });
  const { documentId } = await notes.create({ title: 'Internal' });
  await notes.delete(documentId);
  expect(await test.sql(`select count(*)::int4 as n from content_version where type = 'note'`)).toEqual([
    { n: 2 },
  ]);
  for (const path of ['notes/trash', `notes/${documentId}/versions`])
    await test.http.get(`/api/${path}`).expect(404);
  await test.http.post(`/api/notes/${documentId}/actions/restore`).expect(404);
  const { paths } = (await test.http.get('/api/openapi.json').expect(200)).body;
  expect(Object.keys(paths).filter((path) => path.includes('/notes'))).toEqual([]);
});

it('25.5, 25.6 restores nothing of a type whose route of the same write is missing', async () => {
  const letters = test.app.get<ContentService>(getContentToken('letter'), { strict: false });
  const { documentId } = await letters.create({ title: 'Sent' });
  await letters.update(documentId, { title: 'Changed' });
  const versions = await test.http.get(`/api/letters/${documentId}/versions`).expect(200);
  const [, { id }] = versions.body.data;
  await test.http.post(`/api/letters/${documentId}/versions/${id}/actions/restore`).expect(404);
  await letters.delete(documentId);
  await test.http.get('/api/letters/trash').expect(200);
  await test.http.post(`/api/letters/${documentId}/actions/restore`).expect(404);
  const { paths } = (await test.http.get('/api/openapi.json').expect(200)).body;
  expect(Object.keys(paths).filter((path) => /letters.*restore/.test(path))).toEqual([]);
});
