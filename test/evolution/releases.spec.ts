/** Entries of releases after a migration of their types. */
import { defineCollectionType, migrateContent } from 'nestjs-content-api';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { contentOn, type Host, startHost } from '../http/helpers.ts';
import { type Model, ormOf } from './run.ts';

const type = (singularApiId: string, more: object = {}) =>
  defineCollectionType({
    singularApiId,
    pluralApiId: `${singularApiId}s`,
    draftAndPublish: true,
    attributes: { title: { type: 'string' } },
    ...more,
  });
const BEFORE: Model = { contentTypes: [type('note'), type('leaf')] };
/** The first type has a new name, and another type has taken the name of the second. */
const AFTER: Model = {
  contentTypes: [type('article', { previousName: 'note' }), type('leaf', { tableName: 'other_leaves' })],
  removed: ['leaf'],
};

describe('releases of an earlier model', () => {
  let database: TestDatabase;
  const hosts: Host[] = [];
  const open = async (model: Model): Promise<Host> => {
    const host = await startHost(
      () => ({
        imports: [contentOn(database, model), ReleasesModule.forRoot()],
      }),
      { database },
    );
    hosts.push(host);
    return host;
  };
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
  });
  afterAll(async () => {
    for (const host of hosts) await host.close();
    await database.drop();
  });

  it('27.12 and 27.14 have the new names of their types, and no undo without history', async () => {
    const old = await open(BEFORE);
    await migrateContent({ orm: ormOf(old), model: BEFORE });
    const { documentId } = (await send(old, 'POST', 'notes?status=draft', { title: 'one' })).data;
    const { id } = (await send(old, 'POST', 'releases', { name: 'Old' })).data;
    await send(old, 'POST', `releases/${id}/entries`, { type: 'note', documentId });
    await old.sql('alter table content_release_entry drop column undo');
    await migrateContent({ orm: ormOf(old), model: AFTER });
    const next = await open(AFTER);
    expect((await send(next, 'GET', `releases/${id}`)).data.entries).toMatchObject([
      { type: 'article', documentId, title: 'one', status: 'draft' },
    ]);
    expect((await send(next, 'POST', `releases/${id}/actions/publish`)).data.state).toBe('released');
    expect((await send(next, 'GET', `articles/${documentId}`)).data.title).toBe('one');
    const { error } = await send(next, 'POST', `releases/${id}/actions/undo`);
    expect([error.status, error.details.reason]).toEqual([409, 'noHistory']);
  });
});
