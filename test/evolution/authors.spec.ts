/** The option `authors` is turned on and off: two columns come and go, and no row is rewritten. */
import { defineCollectionType, migrateContent } from 'nestjs-content-api';
import { userTypes } from 'nestjs-content-api/accounts';
import { contentOn, type Host, startHost } from '../http/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Model, ormOf } from './run.ts';

const note = {
  singularApiId: 'note',
  pluralApiId: 'notes',
  draftAndPublish: true,
  localized: true,
  attributes: { title: { type: 'string', localized: true } },
} as const;
const modelOf = (options: object): Model => ({
  contentTypes: [defineCollectionType({ ...note, ...options }), ...userTypes()],
  components: [],
});
const OFF = modelOf({});
const ON = modelOf({ authors: true });

describe('the option authors', () => {
  let database: TestDatabase;
  let host: Host;
  const migrate = (model: Model): Promise<unknown> => migrateContent({ orm: ormOf(host), model });
  const rows = (): Promise<unknown> =>
    host.sql('select id, xmin::text, revision::text, updated_at from notes order by id');

  beforeAll(async () => {
    database = await createDatabase();
    host = await startHost(
      () => ({
        imports: [contentOn(database, OFF)],
      }),
      { database },
    );
    await migrate(OFF);
    await fetch(`${host.url}/api/notes`, {
      method: 'POST',
      body: JSON.stringify({ data: { title: 'one' } }),
      headers: { 'content-type': 'application/json' },
    });
  });
  afterAll(async () => {
    await host.close();
    await database.drop();
  });

  it('adds and drops columns without a change of any row', async () => {
    const before = await rows();
    expect(before).toHaveLength(2);
    await migrate(ON);
    expect(await rows()).toEqual(before);
    expect(await host.sql('select created_by_document_id, updated_by_document_id from notes')).toEqual(
      Array(2).fill({ created_by_document_id: null, updated_by_document_id: null }),
    );
    await migrate(OFF);
    await migrate(ON);
    expect(await rows()).toEqual(before);
  });

  it('drops the values of authors only if they are removed by name', async () => {
    await migrate(ON);
    await host.sql(`insert into content_users (document_id, locale, published, created_at, updated_at, username,
      email) values ('user-ann', 'en', true, now(), now(), 'ann', 'ann@example.com')`);
    await host.sql(`update notes set created_by_document_id = 'user-ann'`);
    await expect(migrate(OFF)).rejects.toThrow(
      /note\.createdBy is removed.*set removed: \['createdBy'\] on note/s,
    );
    const before = await rows();
    await migrate(modelOf({ removed: ['createdBy', 'updatedBy'] }));
    expect(await rows()).toEqual(before);
  });
});
