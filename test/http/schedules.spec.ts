/** Times for publishing and unpublishing documents: set, returned, cleared, stored. */
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { ConflictException, Injectable, Logger } from '@nestjs/common';
import type { MikroORM } from '@mikro-orm/core';
import {
  AfterContent,
  type AuthStrategy,
  BeforeContent,
  CONTENT_ORM,
  ContentError,
  type ContentEvent,
  ContentModule,
  type ContentService,
  type Credentials,
  defineCollectionType,
  getContentToken,
  type Identity,
  OnContentCommitted,
} from 'nestjs-content-api';
import { scheduled } from '../fixtures/scheduled.ts';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { createDatabase } from '../support/database.ts';
import { lookUntil } from '../support/look-until.ts';
import { type Host, NOT_FOUND, snapshot, startHost } from './helpers.ts';

const PAST = '2020-01-02T03:04:05.000Z';
const FUTURE = '2999-01-02T03:04:05.000Z';
const UNKNOWN_ID = 'a'.repeat(24);

const seen: string[] = [];

@Injectable()
class Watcher {
  @AfterContent('page', 'publish')
  refuse({ document }: ContentEvent): void {
    if (document?.['title'] === 'refused by a hook') throw new Error('not today');
    if (document?.['title'] === 'in the way') throw new ContentError('ConflictError', 'later');
    if (document?.['title'] === 'a NUL refuses') throw new Error('not \0today');
    if (document?.['title'] === 'in the way, with a NUL') throw new ConflictException('later\0');
  }

  @OnContentCommitted('page', 'publish', 'unpublish')
  on({ action, locale, caller, document }: ContentEvent): void {
    seen.push(`${action} ${locale} ${caller.kind} ${String(document?.['title'])}`);
  }
}

class UserHeader implements AuthStrategy {
  readonly name = 'user-header';
  authenticate({ headers }: Credentials): Identity | null {
    const [id, role] = [headers['x-user'], headers['x-role']];
    return typeof id === 'string' ? { kind: 'user', id, roles: [String(role)] } : null;
  }
}

const options = {
  ...scheduled,
  access: {
    roles: {
      all: { '*': '*' as const },
      editor: { page: ['find', 'findOne', 'create', 'update', 'delete', 'readDrafts'] as const },
      publisher: { page: ['publish'] as const },
      own: { page: [{ actions: ['publish'] as const, own: true }] },
    },
  },
  auth: { strategies: [new UserHeader()] },
};

interface Page {
  readonly documentId: string;
  readonly title: string;
}

/** Waits until `done` returns true. */
async function until(done: () => Promise<boolean>): Promise<void> {
  if (!(await lookUntil(done, Boolean))) throw new Error('The condition was not met within a minute');
}

const pages = ({ app }: Pick<Host, 'app'>, type = 'page'): ContentService<Page> =>
  app.get(getContentToken(type), { strict: false });

const draft = async (test: Pick<Host, 'app'>, title: string | null = 'Hello', more: object = {}) =>
  (await pages(test).create({ title, author: 'ann', ...more }, { status: 'draft' })).documentId;

describe.each(adaptersFor('express'))('schedules on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    // The schedule does not run here, so that stored times stay.
    test = await createTestApp({ ...options, schedule: { everySeconds: 0 } }, adapter);
  });
  afterAll(() => test.close());

  const as = (
    method: 'get' | 'head' | 'put' | 'delete' | 'options' | 'post',
    path: string,
    who = 'all ann',
  ) => {
    const [role = '', user = ''] = who.split(' ');
    return test.http[method](`/api/${path}`).set({ 'x-user': user, 'x-role': role });
  };
  const set = (path: string, data: object, who?: string) =>
    as('put', `${path}/actions/schedule`, who).send({ data });
  const shown = async (path: string) =>
    (await as('get', `${path}/actions/schedule`).expect(200)).body.data as unknown;

  it('8.26 PUT sets the times that it names, GET returns all, DELETE clears them', async () => {
    const documentId = await draft(test);
    const path = `pages/${documentId}`;
    const empty = { documentId, locale: 'en', publishAt: null, unpublishAt: null, failures: [] };
    expect(await shown(path)).toEqual(empty);
    const first = await set(path, { publishAt: '2999-01-02T03:04:05Z' }).expect(200);
    expect(first.body).toEqual({ data: { ...empty, publishAt: FUTURE }, meta: {} });
    await set(path, { unpublishAt: FUTURE }).expect(200);
    const both = { ...empty, publishAt: FUTURE, unpublishAt: FUTURE };
    expect(await shown(path)).toEqual(both);
    expect((await set(path, {}).expect(200)).body.data).toEqual(both);
    const cleared = await set(path, { publishAt: null }).expect(200);
    expect(cleared.body.data).toEqual({ ...both, publishAt: null });
    expect((await as('delete', `${path}/actions/schedule`).expect(204)).text).toBe('');
    expect(await shown(path)).toEqual(empty);
    await as('delete', `${path}/actions/schedule`).expect(204);
  });

  it('8.26 each locale has its own times; several locales at once return 400', async () => {
    const id = await draft(test);
    await pages(test).update(id, { title: 'Bonjour' }, { locale: 'fr', status: 'draft' });
    await set(`pages/${id}`, { publishAt: FUTURE }).expect(200);
    const french = await as('get', `pages/${id}/actions/schedule?locale=fr`).expect(200);
    expect(french.body.data).toMatchObject({ locale: 'fr', publishAt: null });
    for (const locale of ['*', 'xx'])
      for (const method of ['get', 'put', 'delete'] as const)
        await as(method, `pages/${id}/actions/schedule?locale=${locale}`).send({ data: {} }).expect(400);
  });

  it.each<[string, unknown]>([
    ['no time', 'soon'],
    ['a day', '2999-01-02'],
    ['a time without a zone', '2999-01-02T03:04:05'],
    ['a time in another zone', '2999-01-02T03:04:05+02:00'],
    ['a day that does not exist', '2999-02-30T03:04:05Z'],
    ['a number', 1_700_000_000_000],
    ['a list', [FUTURE]],
    ['an empty text', ''],
    ['a year of five digits', '12999-01-02T03:04:05Z'],
  ])('8.26 %s returns 400 with the key, and nothing is written', async (_what, value) => {
    const id = await draft(test);
    const before = await snapshot(test);
    const { body } = await set(`pages/${id}`, { unpublishAt: FUTURE, publishAt: value }).expect(400);
    expect(body.error.details.errors).toEqual([
      { path: ['publishAt'], message: expect.stringContaining('publishAt'), name: 'ValidationError', value },
    ]);
    expect(await snapshot(test)).toEqual(before);
  });

  it.each<[string, unknown, string]>([
    ['another key', { data: { at: FUTURE } }, 'Invalid key at'],
    ['no data', {}, 'Missing "data" payload in the request body'],
    ['a list', { data: [] }, 'this must be a `object` type'],
  ])('8.26 1.11 15.3 a body with %s returns 400', async (_what, body, message) => {
    const id = await draft(test);
    const refused = await as('put', `pages/${id}/actions/schedule`)
      .send(body as object)
      .expect(400);
    expect(refused.body.error.message).toContain(message);
  });

  it('8.25 a missing version has no schedule', async () => {
    const id = await draft(test);
    for (const path of [`pages/${UNKNOWN_ID}/actions/schedule`, `pages/${id}/actions/schedule?locale=fr`])
      for (const method of ['get', 'put', 'delete'] as const) {
        const missing = await as(method, path)
          .send({ data: { publishAt: FUTURE } })
          .expect(404);
        expect(missing.body).toEqual(NOT_FOUND);
      }
    await as('get', 'front/actions/schedule').expect(404);
    expect(await test.sql(`select 1 from content_schedule where document_id = '${UNKNOWN_ID}'`)).toEqual([]);
  });

  it('8.26 requires permission to publish; on own documents, only the owner has it', async () => {
    const id = await draft(test);
    await set(`pages/${id}`, { publishAt: FUTURE }, 'editor ann').expect(403);
    await as('get', `pages/${id}/actions/schedule`, 'editor ann').expect(403);
    await test.http.put(`/api/pages/${id}/actions/schedule`).send({ data: {} }).expect(401);
    await set(`pages/${id}`, { publishAt: FUTURE }, 'own bob').expect(404);
    await set(`pages/${id}`, { publishAt: FUTURE }, 'own ann').expect(200);
    await as('get', `pages/${id}/actions/schedule`, 'own bob').expect(404);
  });

  it('8.26 a caller who may set a schedule may read it, without a grant to read the document', async () => {
    const id = await draft(test);
    for (const who of ['publisher bob', 'own ann'])
      for (const query of ['', '?status=draft', '?status=published', '?locale=en', '?populate=*']) {
        const path = `pages/${id}/actions/schedule${query}`;
        const data = { publishAt: FUTURE };
        const set = await as('put', path, who).send({ data }).expect(200);
        expect((await as('get', path, who).expect(200)).body).toEqual(set.body);
        await as('head', path, who).expect(200);
      }
    const { body } = await test.http.get('/api/openapi.json').set({ 'x-user': 'bob', 'x-role': 'publisher' });
    const paths = body.paths['/api/pages/{documentId}/actions/schedule'];
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['get', 'put', 'delete']));
    await as('get', `pages/${id}`, 'publisher bob').expect(403);
  });

  it('8.26 1.9 other methods return 405', async () => {
    const id = await draft(test);
    const allow = 'GET, HEAD, PUT, DELETE, OPTIONS';
    expect((await as('post', `pages/${id}/actions/schedule`).expect(405)).headers['allow']).toBe(allow);
    expect((await as('options', `pages/${id}/actions/schedule`).expect(204)).headers['allow']).toBe(allow);
    await as('post', 'front/actions/publish').expect(404);
  });

  it('8.26 a single type has a schedule without an id', async () => {
    await as('put', 'front?status=draft')
      .send({ data: { title: 'Hi' } })
      .expect(200);
    await set('front', { publishAt: FUTURE }).expect(200);
    expect(await shown('front')).toMatchObject({ publishAt: FUTURE, locale: 'en' });
    await as('delete', 'front').expect(204);
    await as('put', 'front?status=draft')
      .send({ data: { title: 'Hi' } })
      .expect(200);
    expect(await shown('front')).toMatchObject({ publishAt: null });
  });

  it('8.29 is deleted with its locale and its document; publishing by hand keeps it', async () => {
    const id = await draft(test);
    const french = { locale: 'fr', status: 'draft' };
    await pages(test).update(id, { title: 'Bonjour' }, french);
    for (const locale of ['en', 'fr']) await pages(test).schedule(id, { unpublishAt: FUTURE }, { locale });
    await pages(test).publish(id, { locale: '*' });
    await pages(test).unpublish(id, { locale: '*' });
    expect(await shown(`pages/${id}`)).toMatchObject({ unpublishAt: FUTURE });
    await as('delete', `pages/${id}?locale=fr`).expect(204);
    await pages(test).update(id, { title: 'Bonjour' }, french);
    expect(await pages(test).findSchedule(id, { locale: 'fr' })).toMatchObject({ unpublishAt: null });
    expect(await shown(`pages/${id}`)).toMatchObject({ unpublishAt: FUTURE });
    await as('delete', `pages/${id}?locale=*`).expect(204);
    expect(await test.sql(`select 1 from content_schedule where document_id = '${id}'`)).toEqual([]);
  });

  it('8.26 the service accepts dates, joins a transaction of the application, and clears', async () => {
    const id = await draft(test);
    await pages(test).schedule(id, { publishAt: new Date(FUTURE) });
    const em = test.app.get<MikroORM>(CONTENT_ORM).em.fork() as any;
    const failing = em.transactional(async (inner: never) => {
      await pages(test).unschedule(id, {}, { em: inner });
      throw new Error('the host changed its mind');
    });
    await expect(failing).rejects.toThrow('changed its mind');
    await expect(pages(test).unschedule(id, {}, { em })).rejects.toThrow('is not in a transaction');
    expect(await pages(test).findSchedule(id, {}, { em })).toMatchObject({ publishAt: FUTURE });
    await pages(test).unschedule(id);
    expect(await pages(test).findSchedule(id)).toMatchObject({ publishAt: null });
  });
});

describe.each(adaptersFor('express'))('due times on %s', (adapter) => {
  /** Two applications on one database. */
  const instances: Host[] = [];
  let test: Host;
  let warned: string[];
  beforeAll(async () => {
    const database = await createDatabase();
    const start = (schema: boolean) =>
      startHost(
        ({ url }) => ({
          imports: [
            ContentModule.forRoot({
              ...options,
              schedule: { everySeconds: 0.02 },
              database: { clientUrl: url },
            }),
          ],
          providers: [Watcher],
        }),
        {
          adapter,
          database,
          ...(schema ? { ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.create() } : {}),
        },
      );
    instances.push(await start(true), await start(false));
    test = instances[0] as Host;
  });
  afterAll(async () => {
    for (const { close } of instances) await close();
    await test.database.drop();
  });
  beforeEach(() => {
    seen.length = 0;
    warned = [];
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line) => void warned.push(String(line)));
  });
  afterEach(() => jest.restoreAllMocks());

  const left = () => test.sql('select action, failure, attempts from content_schedule order by action');
  const isDone = async () => (await left()).length === 0;
  const isPublished = async (id: string, locale = 'en') =>
    (await pages(test).findOne(id, { locale })) !== null;

  it('8.27 run once on one of two instances, and as the system', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, i) => draft(test, `n${i}`)));
    await Promise.all(ids.map((id) => pages(test).schedule(id, { publishAt: PAST })));
    await until(isDone);
    for (const id of ids) expect(await isPublished(id)).toBe(true);
    // The hook runs after the commit that removes the time.
    await until(async () => seen.length >= ids.length);
    expect([...seen].sort()).toEqual(ids.map((_, i) => `publish en system n${i}`).sort());
  });

  it('8.29 are deleted with a locale whose schedule another instance changes at the same time', async () => {
    const other = instances[1] as Host;
    const french = { locale: 'fr' };
    const id = await draft(test);
    await pages(test).update(id, { title: 'Bonjour' }, { ...french, status: 'draft' });
    await pages(test).schedule(id, { publishAt: FUTURE }, french);
    const waiting = async (lock: string): Promise<boolean> =>
      (
        await test.sql(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event = $1`,
          [lock],
        )
      ).length > 0;
    // The deletion has the lock of the document and waits for its row; the change waits for the document.
    await other.sql('begin');
    await other.sql(`select 1 from pages where document_id = $1 and locale = 'fr' for update`, [id]);
    const deleted = pages(other).delete(id, french);
    await until(() => waiting('transactionid'));
    const changed = pages(test)
      .schedule(id, { unpublishAt: FUTURE }, french)
      .catch((error: unknown) => error);
    await until(() => waiting('advisory'));
    await other.sql('commit');
    await deleted;
    expect(await changed).toMatchObject({ name: 'NotFoundError' });
    expect(await left()).toEqual([]);
  });

  it('8.27 follow the clock of the database, separately for each locale', async () => {
    const id = await draft(test);
    await pages(test).update(id, { title: 'Bonjour' }, { locale: 'fr', status: 'draft' });
    const [row] =
      await test.sql(`select to_char((clock_timestamp() + interval '600 milliseconds') at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as soon`);
    await pages(test).schedule(id, { publishAt: String(row?.['soon']) }, { locale: 'fr' });
    await pages(test).schedule(id, { publishAt: FUTURE });
    await until(() => isPublished(id, 'fr'));
    const [at] = await test.sql(
      `select published_at >= $2::timestamptz as later from pages
      where document_id = $1 and locale = 'fr' and published`,
      [id, row?.['soon']],
    );
    expect(at).toEqual({ later: true });
    expect(await isPublished(id)).toBe(false);
    await pages(test).unschedule(id);
  });

  it('8.27 run in their order if both are due', async () => {
    const [shownThen, hiddenThen] = [await draft(test, 'a'), await draft(test, 'b')];
    await pages(test).publish(hiddenThen);
    seen.length = 0;
    await pages(test).schedule(shownThen, { publishAt: '2020-01-03T00:00:00Z', unpublishAt: PAST });
    await pages(test).schedule(hiddenThen, { publishAt: PAST, unpublishAt: '2020-01-03T00:00:00Z' });
    await until(isDone);
    expect(await isPublished(shownThen)).toBe(true);
    expect(await isPublished(hiddenThen)).toBe(false);
  });

  it('8.28 an incomplete draft stores the error, and logs one line', async () => {
    const id = await draft(test, null);
    await pages(test).schedule(id, { publishAt: PAST, unpublishAt: FUTURE });
    await until(async () => (await left()).some(({ failure }) => failure !== null));
    await until(async () => warned.length > 0);
    await sleep(200);
    expect(warned).toEqual([
      expect.stringMatching(new RegExp(`^Could not publish page ${id} \\(en\\): title must be `)),
    ]);
    const message = expect.stringMatching(/^title must be /);
    expect(await pages(test).findSchedule(id)).toMatchObject({
      publishAt: PAST,
      unpublishAt: FUTURE,
      failures: [{ action: 'publish', at: expect.stringMatching(/Z$/), message }],
    });
    await pages(test).update(id, { title: 'Now' }, { status: 'draft' });
    await sleep(200);
    expect(await isPublished(id)).toBe(false);
    await pages(test).schedule(id, { publishAt: PAST });
    await until(() => isPublished(id));
    expect(await pages(test).findSchedule(id)).toMatchObject({ publishAt: null, failures: [] });
    await pages(test).unschedule(id);
  });

  it('8.28 HTTP returns only a general message for the stored error (D27)', async () => {
    const id = await draft(test, 'Hello', { secret: 'abc' });
    await pages(test).schedule(id, { publishAt: PAST });
    await until(async () => (await left()).some(({ failure }) => failure !== null));
    const response = await fetch(`${test.url}/api/pages/${id}/actions/schedule`, {
      headers: { 'x-user': 'ann', 'x-role': 'all' },
    });
    const text = await response.text();
    expect(JSON.parse(text).data.failures).toMatchObject([{ action: 'publish' }]);
    expect(text).not.toContain('secret');
    await pages(test).unschedule(id);
  });

  it('8.28 a rejection by a hook is an error, and nothing is written', async () => {
    const id = await draft(test, 'refused by a hook');
    await pages(test).schedule(id, { publishAt: PAST });
    await until(async () => (await left()).some(({ failure }) => failure === 'not today'));
    expect(await isPublished(id)).toBe(false);
    expect(seen).toEqual([]);
    await pages(test).unschedule(id);
  });

  it('8.28 retries after a lock conflict, a limited number of times', async () => {
    const id = await draft(test, 'in the way');
    await pages(test).schedule(id, { publishAt: PAST });
    await until(async () => (await left()).some(({ attempts }) => Number(attempts) > 1));
    expect((await pages(test).findSchedule(id)).failures).toEqual([]);
    await until(async () => (await left()).some(({ failure }) => failure === 'later'));
    await until(async () => warned.length > 0);
    await sleep(100);
    expect(await left()).toEqual([{ action: 'publish', failure: 'later', attempts: 30 }]);
    expect(warned).toEqual([`Could not publish page ${id} (en): later`]);
    await pages(test).unschedule(id);
  });

  it('8.28 stores an error without what PostgreSQL cannot store, and runs the actions after it', async () => {
    const refused = await draft(test, 'a NUL refuses');
    const later = await draft(test, 'in the way, with a NUL');
    const fine = await draft(test, 'fine');
    for (const id of [refused, later]) await pages(test).schedule(id, { publishAt: PAST });
    await pages(test).schedule(fine, { publishAt: '2020-01-03T00:00:00Z' });
    await until(() => isPublished(fine));
    await until(async () => (await left()).every(({ failure }) => failure !== null));
    const failures = (await left()).map(({ failure }) => failure);
    expect(failures.sort()).toEqual(['later', 'not today']);
    for (const id of [refused, later]) await pages(test).unschedule(id);
  });

  it('8.29 a document that was deleted before is not an error', async () => {
    await test.sql(`insert into content_schedule (type, document_id, locale, action, due_at, attempts)
      values ('page', '${UNKNOWN_ID}', 'en', 'publish', now(), 0), ('page', '${UNKNOWN_ID}', 'en', 'unpublish', now(), 0)`);
    await until(isDone);
    expect(warned).toEqual([]);
  });

  it('8.29 removes times of a type without drafts, or whose drafts were switched off', async () => {
    await test.sql(`insert into content_schedule (type, document_id, locale, action, due_at, attempts)
      values ('gone', '${UNKNOWN_ID}', 'en', 'publish', now(), 0)`);
    await sleep(150);
    expect(await left()).toHaveLength(1);
    await test.sql('delete from content_schedule');
  });

  it('8.27 accepts concurrent deletes, schedules and publishes', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, (_, i) => draft(test, `r${i}`)));
    const results = await Promise.allSettled(
      ids.flatMap((id, i) => [
        pages(test).schedule(id, { publishAt: PAST }),
        pages(test).publish(id),
        pages(test).schedule(id, { unpublishAt: PAST }),
        ...(i % 2 === 0 ? [pages(test).delete(id, { locale: '*' })] : []),
      ]),
    );
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ name: 'NotFoundError' });
    await until(isDone);
    expect(await pages(test).count({ status: 'draft', filters: { title: { $startsWith: 'r' } } })).toBe(5);
  });
});

/** Delays each publish until the test continues it. */
@Injectable()
class Slow {
  static begun = false;
  static readonly continued = Promise.withResolvers<void>();

  @BeforeContent('page', 'publish')
  async wait(): Promise<void> {
    Slow.begun = true;
    await Slow.continued.promise;
  }
}

it('8.27 an application that stops finishes running work, and starts no more', async () => {
  const database = await createDatabase();
  const start = (everySeconds: number, providers: (typeof Slow)[]) =>
    startHost(
      ({ url }) => ({
        imports: [
          ContentModule.forRoot({ ...scheduled, schedule: { everySeconds }, database: { clientUrl: url } }),
        ],
        providers,
      }),
      { database, ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.update({ safe: true }) },
    );
  const quiet = await start(0, []);
  try {
    const ids = await Promise.all(['a', 'b', 'c'].map((title) => draft(quiet, title)));
    await Promise.all(ids.map((id) => pages(quiet).schedule(id, { publishAt: PAST })));
    const slow = await start(1 / 50, [Slow]);
    await until(async () => Slow.begun);
    const closed = slow.close();
    await sleep(500);
    Slow.continued.resolve();
    await closed;
    expect(await pages(quiet).count()).toBe(1);
    expect(await quiet.sql('select failure from content_schedule')).toEqual([
      { failure: null },
      { failure: null },
    ]);
  } finally {
    await quiet.close();
    await database.drop();
  }
});

it('8.26 rejects a time if the schedule is switched off', async () => {
  const type = defineCollectionType({
    singularApiId: 'note',
    pluralApiId: 'notes',
    draftAndPublish: true,
    attributes: { title: { type: 'string' } },
  });
  const test = await createTestApp({ contentTypes: [type] });
  try {
    const notes = test.app.get<ContentService<Page>>(getContentToken('note'));
    const { documentId } = await notes.create({ title: 'x' });
    await expect(notes.schedule(documentId, { publishAt: FUTURE })).rejects.toThrow('Scheduling is off');
    expect(await notes.findSchedule(documentId)).toMatchObject({ publishAt: null });
  } finally {
    await test.close();
  }
});

it.each([
  [{ everySeconds: -1 }, 'schedule.everySeconds must be a number of seconds, 0 or more'],
  [{ everySeconds: 1e9 }, 'schedule.everySeconds must be a number of seconds'],
  [{ every: 1 }, 'schedule: unknown option "every"'],
  [5, 'schedule must be an object with everySeconds'],
])('8.27 rejects schedule: %j at start', async (schedule, message) => {
  await expect(createTestApp({ ...scheduled, schedule: schedule as never })).rejects.toThrow(message);
});
