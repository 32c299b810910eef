/** Stored versions of an earlier model, under the names of the current one. */
import { defineCollectionType, defineComponent, migrateContent } from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { contentOn, type Host, startHost } from '../http/helpers.ts';
import { type Model, ormOf } from './run.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  history: true,
  attributes: {
    headline: { type: 'string' },
    subtitle: { type: 'string' },
    gone: { type: 'string' },
    parts: { type: 'component', component: 'shared.part', repeatable: true },
    about: { type: 'relation', relation: 'morphToMany', targets: ['note'] },
  },
});
const part = defineComponent({ uid: 'shared.part', attributes: { text: { type: 'string' } } });
const BEFORE: Model = { contentTypes: [note], components: [part] };

/** The type and an attribute have new names; another attribute is removed. */
const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  previousName: 'note',
  removed: ['gone'],
  history: true,
  attributes: {
    title: { type: 'string', previousName: 'headline' },
    subtitle: { type: 'string' },
    parts: { type: 'component', component: 'shared.part', repeatable: true },
    about: { type: 'relation', relation: 'morphToMany', targets: ['article'] },
  },
});
const AFTER: Model = {
  contentTypes: [article],
  components: [
    defineComponent({
      uid: 'shared.part',
      attributes: { body: { type: 'string', previousName: 'text' } },
    }),
  ],
};

describe('versions of an earlier model', () => {
  let database: TestDatabase;
  let old: Host;
  let next: Host;
  let id: string;
  const open = (model: Model): Promise<Host> =>
    startHost(
      () => ({
        imports: [contentOn(database, model), HistoryModule.forRoot()],
      }),
      { database },
    );
  const send = async (host: Host, method: string, path: string, data?: object): Promise<any> => {
    const response = await fetch(`${host.url}/api/${path}`, {
      method,
      ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
      headers: { 'content-type': 'application/json' },
    });
    return response.json();
  };

  beforeAll(async () => {
    database = await createDatabase();
    old = await open(BEFORE);
    await migrateContent({ orm: ormOf(old), model: BEFORE });
    const target = (await send(old, 'POST', 'notes', { headline: 'target' })).data.documentId;
    const data = {
      headline: 'one',
      subtitle: 'two',
      gone: 'three',
      parts: [{ text: 'four' }],
      about: [{ __type: 'api::note.note', documentId: target }],
    };
    id = (await send(old, 'POST', 'notes', data)).data.documentId;
    await send(old, 'PUT', `notes/${id}`, { headline: null, subtitle: 'later', parts: [], about: [] });
    await migrateContent({ orm: ormOf(old), model: AFTER });
    next = await open(AFTER);
  });
  afterAll(async () => {
    await old.close();
    await next.close();
    await database.drop();
  });

  it('25.10 are read with the present names', async () => {
    const [second, first] = (await send(next, 'GET', `articles/${id}/versions`)).data;
    const shown = await send(next, 'GET', `articles/${id}/versions/${first.id}`);
    expect(shown.data.content).toMatchObject({
      title: 'one',
      subtitle: 'two',
      parts: [{ body: 'four' }],
      about: [{ __type: 'api::article.article', exists: true }],
    });
    expect(shown.meta).toEqual({ leftOut: ['gone'] });
    const { data } = await send(next, 'GET', `articles/${id}/versions/${second.id}`);
    expect(data.content).toMatchObject({ title: null, subtitle: 'later' });
  });

  it('25.10 are restored with the present names', async () => {
    const first = (await send(next, 'GET', `articles/${id}/versions`)).data.at(-1);
    const { data, meta } = await send(next, 'POST', `articles/${id}/versions/${first.id}/actions/restore`);
    expect(data).toMatchObject({ title: 'one', subtitle: 'two' });
    expect(meta).toEqual({ leftOut: ['gone'] });
    const { data: now } = await send(next, 'GET', `articles/${id}?populate=*`);
    expect(now).toMatchObject({ parts: [{ body: 'four' }], about: [{ title: 'target' }] });
  });
});
