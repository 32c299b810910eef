/** A process of the former release restores no document, because it would omit what it does not know. */
import { CONTENT_ORM, defineCollectionType, migrateContent } from 'nestjs-content-api';
import type { MikroORM } from '@mikro-orm/core';
import { HistoryModule } from 'nestjs-content-api/history';
import supertest from 'supertest';
import { contentOn, failure, type Host, startHost } from '../http/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Model, ormOf } from './run.ts';

const note = (attributes: object): Model => ({
  contentTypes: [
    defineCollectionType({
      singularApiId: 'note',
      pluralApiId: 'notes',
      history: true,
      attributes: { title: { type: 'string' }, ...attributes },
    }),
  ],
});
const OLD = note({});
const NEW = note({ text: { type: 'string' } });

describe('a rolling deployment with history', () => {
  let database: TestDatabase;
  let old: Host;
  let next: Host;
  const open = (model: Model, ready?: (host: Host['app']) => Promise<unknown>): Promise<Host> =>
    startHost(
      () => ({
        imports: [contentOn(database, model), HistoryModule.forRoot()],
      }),
      { database, ...(ready === undefined ? {} : { ready }) },
    );
  beforeAll(async () => {
    database = await createDatabase();
    old = await open(OLD, (app) => migrateContent({ orm: app.get<MikroORM>(CONTENT_ORM), model: OLD }));
    await migrateContent({ orm: ormOf(old), model: NEW });
    next = await open(NEW);
  });
  afterAll(async () => {
    await next.close();
    await old.close();
    await database.drop();
  });

  it('a deleted document comes back whole: from the new process, and from the old one not at all', async () => {
    const [before, after] = [old, next].map(({ url }) => supertest.agent(url));
    const data = { title: 'Whole', text: 'not known to the old process' };
    const { body: created } = await after!.post('/api/notes').send({ data }).expect(201);
    const path = `/api/notes/${created.data.documentId}`;
    // The old process deletes and updates; the stored version has all values.
    await before!.delete(path).expect(204);
    const { body, headers } = await before!.post(`${path}/actions/restore`).expect(503);
    expect(body).toEqual(
      failure(
        503,
        'ServiceUnavailableError',
        'The content model was migrated; retry after this server was updated',
        { retryAfter: 1 },
      ),
    );
    expect(headers['retry-after']).toBe('1');
    await after!.get(path).expect(404);
    await after!.post(`${path}/actions/restore`).expect(200);
    expect((await after!.get(path).expect(200)).body.data).toMatchObject(data);
  });
});
