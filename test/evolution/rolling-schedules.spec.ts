/** Scheduled work that falls due between a migration and the start of the new release waits for that release. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM, defineCollectionType, migrateContent } from 'nestjs-content-api';
import { ReleasesModule } from 'nestjs-content-api/releases';
import supertest from 'supertest';
import { MAX_ATTEMPTS, ScheduleWorker } from '../../src/content/documents/schedule-worker.ts';
import { contentOn, type Host, startHost } from '../http/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { lookUntil } from '../support/look-until.ts';
import { type Model, ormOf } from './run.ts';

const story = (attributes: object): Model => ({
  contentTypes: [
    defineCollectionType({
      singularApiId: 'story',
      pluralApiId: 'stories',
      draftAndPublish: true,
      actions: true,
      attributes: { title: { type: 'string' }, ...attributes },
    }),
  ],
});
const OLD = story({});
const NEW = story({ text: { type: 'string' } });
const PAST = '2001-01-01T00:00:00.000Z';

describe('a rolling deployment with schedules and releases', () => {
  let database: TestDatabase;
  const hosts: Host[] = [];
  const open = async (
    model: Model,
    ready: (app: Host['app']) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<Host> => {
    const host = await startHost(
      () => ({
        imports: [contentOn(database, model, { schedule: { everySeconds: 0.02 } }), ReleasesModule.forRoot()],
      }),
      { database, ready },
    );
    hosts.push(host);
    return host;
  };
  beforeAll(async () => void (database = await createDatabase()));
  afterAll(async () => {
    for (const host of hosts) await host.close();
    await database.drop();
  });

  it('an old process uses up none of the attempts', async () => {
    const old = await open(OLD, (app) => migrateContent({ orm: app.get<MikroORM>(CONTENT_ORM), model: OLD }));
    const http = supertest.agent(old.url);
    const draft = async (title: string): Promise<string> =>
      (await http.post('/api/stories?status=draft').send({ data: { title } })).body.data.documentId;
    const [scheduled, released] = [await draft('scheduled'), await draft('released')];
    const { body } = await http.post('/api/releases').send({ data: { name: 'Due' } });
    await http
      .post(`/api/releases/${body.data.id}/entries`)
      .send({ data: [{ type: 'story', documentId: released }] })
      .expect(200);
    await migrateContent({ orm: ormOf(old), model: NEW });

    await old.sql(
      `insert into content_schedule (type, document_id, locale, action, due_at, attempts)
       values ('story', $1, 'en', 'publish', $2, 0)`,
      [scheduled, PAST],
    );
    await http
      .put(`/api/releases/${body.data.id}`)
      .send({ data: { at: PAST } })
      .expect(200);
    const { counts } = old.app.get(ScheduleWorker, { strict: false });
    for (const end = counts.searches + 2 * MAX_ATTEMPTS; counts.searches < end;) await sleep(20);
    expect(await old.sql('select attempts, failure from content_schedule')).toEqual([
      { attempts: 0, failure: null },
    ]);

    const next = supertest.agent((await open(NEW)).url);
    for (const id of [scheduled, released]) {
      const path = `/api/stories/${id}`;
      const read = async (): Promise<number> => (await next.get(path)).status;
      expect(await lookUntil(read, (status) => status === 200)).toBe(200);
    }
  });
});
