/** Releases: documents that are published and unpublished together, by hand and at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import type { MikroORM } from '@mikro-orm/core';
import {
  AfterContent,
  type AuthStrategy,
  CONTENT_ORM,
  ContentError,
  type ContentEvent,
  ContentModule,
  type Credentials,
  defineCollectionType,
  defineSingleType,
  type Identity,
  OnContentCommitted,
} from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { Database } from '../../src/content/store/database.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { createDatabase } from '../support/database.ts';
import { lookUntil } from '../support/look-until.ts';
import { type Host, snapshot, startHost } from './helpers.ts';

const FUTURE = '2999-01-02T03:04:05.000Z';
const PAST = '2020-01-02T03:04:05.000Z';

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  localized: true,
  history: true,
  owner: 'author',
  attributes: {
    title: { type: 'string', required: true, localized: true },
    slug: { type: 'string', unique: true },
    team: { type: 'string' },
    author: { type: 'string' },
  },
});
const news = defineCollectionType({
  singularApiId: 'news',
  pluralApiId: 'newses',
  draftAndPublish: true,
  desk: { title: 'headline' },
  attributes: { headline: { type: 'string', required: true } },
});
const front = defineSingleType({
  singularApiId: 'front',
  draftAndPublish: true,
  // A relation has no text that could be a title.
  desk: { title: 'first' },
  attributes: {
    title: { type: 'string' },
    first: { type: 'relation', relation: 'oneToOne', target: 'news' },
  },
});
const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  draftAndPublish: true,
  stages: { draft: { to: ['ready'] }, ready: { to: [], publish: true } },
  attributes: { text: { type: 'string' } },
});
const plain = defineCollectionType({
  singularApiId: 'plain',
  pluralApiId: 'plains',
  attributes: { name: { type: 'string' } },
});

const OPEN = { releases: ['open'] } as const;
const READ = ['find', 'findOne', 'readDrafts'] as const;
const ROLES = {
  all: { '*': '*' },
  manager: { ...OPEN, news: '*', page: [...READ, 'publish'] },
  reader: { page: READ, news: READ },
  viewer: { ...OPEN, page: READ },
  blind: { ...OPEN, page: ['publish'], news: READ },
  live: { ...OPEN, news: ['find', 'findOne', 'publish'] },
  own: { ...OPEN, page: [...READ, { actions: ['publish'], own: true }] },
  red: { ...OPEN, page: [{ actions: '*', where: { team: 'red' } }] },
  french: { ...OPEN, page: [...READ, { actions: ['publish'], where: { locale: 'fr' } }] },
} as const;

class UserHeader implements AuthStrategy {
  readonly name = 'user-header';
  authenticate({ headers }: Credentials): Identity | null {
    const [id, role] = [headers['x-user'], headers['x-role']];
    return typeof id === 'string' ? { kind: 'user', id, roles: [String(role)] } : null;
  }
}

const seen: string[] = [];

@Injectable()
class Watcher {
  @AfterContent('news', 'publish')
  refuse({ document }: ContentEvent): void {
    if (document?.['headline'] === 'refused by a hook') throw new Error('not today');
    if (document?.['headline'] === 'in the way') throw new ContentError('ConflictError', 'later');
    if (document?.['headline'] === 'a NUL refuses') throw new Error('not \0today');
  }

  @OnContentCommitted('news', 'publish', 'unpublish')
  on({ action, caller, document, requestId }: ContentEvent): void {
    seen.push(`${action} ${caller.kind} ${String(requestId)} ${String(document?.['headline'])}`);
  }
}

const options = {
  contentTypes: [page, news, front, memo, plain],
  locales: ['en', 'fr'],
  access: { roles: ROLES },
  auth: { strategies: [new UserHeader()] },
};

interface Sent {
  readonly as?: string;
  readonly data?: unknown;
  readonly headers?: Record<string, string>;
}

/** Returns functions that send requests as `role user`. */
function client(test: () => { readonly url: string }) {
  const send = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    { as = 'all ann', data, headers = {} }: Sent = {},
  ): Promise<any> => {
    const [role = '', user = ''] = as.split(' ');
    const response = await fetch(`${test().url}/api/${path}`, {
      method,
      headers: { 'x-role': role, 'x-user': user, 'content-type': 'application/json', ...headers },
      ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
    });
    const text = await response.text();
    return { status: response.status, ...(text === '' ? {} : (JSON.parse(text) as object)) };
  };
  const draft = async (type: string, data: object, as = 'all ann'): Promise<string> =>
    (await send(type === 'front' ? 'PUT' : 'POST', `${type}?status=draft`, { as, data })).data.documentId;
  const release = async (name: string, entries: readonly object[] = [], as?: string): Promise<string> => {
    const { data } = await send('POST', 'releases', { data: { name }, ...(as === undefined ? {} : { as }) });
    if (entries.length > 0) {
      const added = await send('POST', `releases/${data.id}/entries`, { data: entries });
      expect([added.status, added.error]).toEqual([200, undefined]);
    }
    return data.id;
  };
  const publish = (id: string, sent: Sent = {}) => send('POST', `releases/${id}/actions/publish`, sent);
  const check = async (id: string, as?: string): Promise<any> =>
    (await publish(id, { data: { dryRun: true }, ...(as === undefined ? {} : { as }) })).data;
  const isLive = async (path: string): Promise<boolean> => (await send('GET', path)).status === 200;
  return { send, draft, release, publish, check, isLive };
}

const entry = (type: string, documentId: string, more: object = {}) => ({ type, documentId, ...more });

describe.each(ADAPTERS)('releases on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        ...options,
        schedule: { everySeconds: 0 },
        imports: [ReleasesModule.forRoot({ maxEntries: 5 }), HistoryModule.forRoot()],
        providers: [Watcher],
      },
      adapter,
    );
  });
  afterAll(() => test.close());
  const { send, draft, release, publish, check, isLive } = client(() => test);

  it('27.1 creates, shows, changes and deletes a release under its grant', async () => {
    const made = await send('POST', 'releases', { data: { name: 'Spring' } });
    expect(made).toEqual({
      status: 201,
      data: {
        id: expect.stringMatching(/^\d+$/),
        name: 'Spring',
        state: 'open',
        at: null,
        size: 0,
        createdAt: expect.stringMatching(/Z$/),
        createdBy: { kind: 'user', id: 'ann' },
        updatedAt: expect.stringMatching(/Z$/),
        releasedAt: null,
        releasedBy: null,
        requestId: null,
        failedAt: null,
        failedEntry: null,
        entries: [],
        hidden: 0,
      },
      meta: {},
    });
    const path = `releases/${made.data.id}`;
    expect((await send('PUT', path, { data: { name: 'Summer' } })).data).toMatchObject({ name: 'Summer' });
    expect((await send('PUT', path, { data: { at: FUTURE } })).data).toMatchObject({
      name: 'Summer',
      state: 'scheduled',
      at: FUTURE,
    });
    expect((await send('PUT', path, { data: { at: null } })).data).toMatchObject({ state: 'open', at: null });
    for (const as of ['reader rob', 'other'])
      for (const [method, at] of [
        ['GET', 'releases'],
        ['GET', path],
        ['DELETE', path],
      ] as const)
        expect([401, 403]).toContain((await send(method, at, { as })).status);
    expect((await send('DELETE', path)).status).toBe(204);
    expect((await send('GET', path)).status).toBe(404);
  });

  it('27.1 refuses wrong bodies and ids', async () => {
    const id = await release('Bodies');
    const page = await draft('pages', { title: 'x' });
    const wrong: readonly (readonly ['POST' | 'PUT', string, unknown])[] = [
      ['POST', 'releases', {}],
      ['POST', 'releases', { name: ' ' }],
      ['POST', 'releases', { name: 'x', note: 'y' }],
      ['PUT', `releases/${id}`, { at: 'tomorrow' }],
      ['PUT', `releases/${id}`, { name: null }],
      ['POST', `releases/${id}/entries`, []],
      ['POST', `releases/${id}/entries`, ['x']],
      ['POST', `releases/${id}/entries`, entry('page', '')],
      ['POST', `releases/${id}/entries`, { type: 'news' }],
      ['POST', `releases/${id}/entries`, entry('page', page)],
      ['POST', `releases/${id}/entries`, entry('page', page, { locale: 'xx' })],
      ['POST', `releases/${id}/entries`, entry('page', page, { locale: 'en', action: 'delete' })],
      ['POST', `releases/${id}/entries`, entry('page', page, { locale: 'en', status: 'draft' })],
      ['POST', `releases/${id}/entries`, entry('plain', page)],
      ['POST', `releases/${id}/entries`, entry('nothing', page)],
      ['POST', `releases/${id}/actions/remove`, { entries: ['x'] }],
      ['POST', `releases/${id}/actions/publish`, { dryRun: 1 }],
      ['POST', `releases/${id}/actions/publish`, undefined],
    ];
    for (const [method, path, data] of wrong)
      expect([path, data, (await send(method, path, { data })).status]).toEqual([path, data, 400]);
    for (const path of ['releases/x', 'releases/0', 'releases/99999999999999999999'])
      expect((await send('GET', path)).status).toBe(404);
  });

  it('D11, 27.4 names the key, the path and the index of a wrong entry', async () => {
    const id = await release('Paths');
    const fine = entry('news', await draft('newses', { headline: 'fine' }));
    const page = await draft('pages', { title: 'x' });
    const wrong: readonly (readonly [string, string, object])[] = [
      ['note', 'data.1.note', { ...fine, note: 'x' }],
      ['action', 'data.1.action', { ...fine, action: 'delete' }],
      ['type', 'type', entry('nothing', page)],
      ['documentId', 'documentId', { type: 'news' }],
      ['locale', 'locale', entry('page', page)],
      ['locale', 'locale', entry('page', page, { locale: 'xx' })],
    ];
    for (const [key, path, one] of wrong) {
      const { status, error } = await send('POST', `releases/${id}/entries`, { data: [fine, one] });
      expect([one, status, error.details]).toEqual([one, 400, { key, path, source: 'body', index: 1 }]);
    }
  });

  it('2.5 refuses keys beside "data", which would have no effect', async () => {
    const id = await release('Beside', [entry('news', await draft('newses', { headline: 'beside' }))]);
    const bodies: readonly (readonly ['POST' | 'PUT', string, object])[] = [
      ['POST', 'releases', { name: 'x' }],
      ['PUT', `releases/${id}`, { name: 'x' }],
      ['POST', `releases/${id}/entries`, []],
      ['POST', `releases/${id}/actions/remove`, { entries: ['1'] }],
      ['POST', `releases/${id}/actions/publish`, {}],
      ['POST', `releases/${id}/actions/undo`, {}],
    ];
    for (const [method, path, data] of bodies) {
      const response = await test.http[method === 'PUT' ? 'put' : 'post'](`/api/${path}`)
        .set({ 'x-role': 'all', 'x-user': 'ann' })
        .send({ data, dryRun: true });
      expect([path, response.status, response.body.error.details.key]).toEqual([path, 400, 'dryRun']);
    }
    expect((await send('GET', `releases/${id}`)).data).toMatchObject({ name: 'Beside', state: 'open' });
  });

  it('27.2 lists with filters, sort and pages', async () => {
    for (const name of ['L1', 'L2', 'L3']) await release(name);
    await send('POST', 'releases', { data: { name: 'L4', at: FUTURE } });
    const names = async (query: string): Promise<string[]> =>
      (await send('GET', `releases?filters[name][$startsWith]=L&${query}`)).data.map((one: any) => one.name);
    expect(await names('')).toEqual(['L4', 'L3', 'L2', 'L1']);
    expect(await names('sort=name')).toEqual(['L1', 'L2', 'L3', 'L4']);
    expect(await names('filters[state]=scheduled')).toEqual(['L4']);
    expect(await names('filters[createdBy][id]=ben')).toEqual([]);
    expect(await names(`filters[at][$lte]=${FUTURE}`)).toEqual(['L4']);
    const paged = await send(
      'GET',
      'releases?filters[name][$startsWith]=L&pagination[pageSize]=3&pagination[page]=2',
    );
    expect(paged.data).toHaveLength(1);
    expect(paged.meta.pagination).toEqual({ page: 2, pageSize: 3, pageCount: 2, total: 4 });
    expect(paged.data[0]).not.toHaveProperty('entries');
    for (const query of ['sort=entries', 'filters[x]=1', 'populate=*', 'sort=name:up'])
      expect((await send('GET', `releases?${query}`)).status).toBe(400);
  });

  it('27.3 contains a document once in a locale, with the last action, up to a limit', async () => {
    const id = await draft('pages', { title: 'One' });
    await send('PUT', `pages/${id}?locale=fr&status=draft`, { data: { title: 'Un' } });
    const one = await release('Once', [
      entry('page', id, { locale: 'en' }),
      entry('page', id, { locale: 'fr' }),
      entry('page', id, { locale: 'en', action: 'unpublish' }),
    ]);
    const places = async (): Promise<unknown[]> =>
      (await send('GET', `releases/${one}`)).data.entries.map((e: any) => [e.locale, e.action, e.title]);
    expect(await places()).toEqual([
      ['fr', 'publish', 'Un'],
      ['en', 'unpublish', 'One'],
    ]);
    await send('POST', `releases/${one}/entries`, { data: entry('page', id, { locale: '*' }) });
    expect(await places()).toEqual([['*', 'publish', 'One']]);
    await send('POST', `releases/${one}/entries`, { data: entry('page', id, { locale: 'fr' }) });
    expect(await places()).toEqual([['fr', 'publish', 'Un']]);
    const many = await Promise.all([1, 2, 3, 4, 5].map((n) => draft('newses', { headline: `n${n}` })));
    const refused = await send('POST', `releases/${one}/entries`, {
      data: many.map((n) => entry('news', n)),
    });
    expect([refused.status, refused.error.details]).toEqual([400, { limit: 'maxEntries', allowed: 5 }]);
    expect(await places()).toHaveLength(1);
  });

  it('27.3 removes one entry or several', async () => {
    const ids = await Promise.all(['a', 'b', 'c'].map((headline) => draft('newses', { headline })));
    const one = await release(
      'Less',
      ids.map((id) => entry('news', id)),
    );
    const of = async (): Promise<any[]> => (await send('GET', `releases/${one}`)).data.entries;
    const [a, b, c] = await of();
    expect((await send('DELETE', `releases/${one}/entries/${a.id}`)).status).toBe(204);
    expect((await send('DELETE', `releases/${one}/entries/${a.id}`)).status).toBe(404);
    const removed = await send('POST', `releases/${one}/actions/remove`, { data: { entries: [b.id, c.id] } });
    expect([removed.status, removed.data.entries]).toEqual([200, []]);
  });

  it('27.4 adds only documents that the caller may publish, and schedules only those', async () => {
    const mine = await draft('pages', { title: 'Mine', team: 'red' }, 'all olga');
    const other = await draft('pages', { title: 'Other', team: 'blue' });
    const add = async (as: string, id: string): Promise<unknown> => {
      const at = await release('Rights');
      const data = [entry('page', id, { locale: 'en' })];
      const { status, error } = await send('POST', `releases/${at}/entries`, { as, data });
      return status === 200 ? 200 : [status, error.details];
    };
    expect(await add('own olga', mine)).toBe(200);
    expect(await add('own olga', other)).toEqual([403, { index: 0 }]);
    expect(await add('red rita', mine)).toBe(200);
    expect(await add('red rita', other)).toEqual([404, { index: 0 }]);
    expect(await add('viewer vera', mine)).toEqual([
      400,
      { key: 'type', path: 'type', source: 'body', index: 0 },
    ]);
    expect(await add('all ann', 'a'.repeat(24))).toEqual([404, { index: 0 }]);
    const both = await release('Both', [
      entry('page', mine, { locale: 'en' }),
      entry('page', other, { locale: 'en' }),
    ]);
    const entries: any[] = (await send('GET', `releases/${both}`)).data.entries;
    const set = (as: string) => send('PUT', `releases/${both}`, { as, data: { at: FUTURE } });
    expect((await set('own olga')).error).toMatchObject({ status: 403, details: { entry: entries[1].id } });
    expect((await publish(both, { as: 'own olga' })).error).toMatchObject({
      status: 403,
      details: { entry: entries[1].id },
    });
    expect((await set('manager max')).status).toBe(200);
    expect(await isLive(`pages/${mine}`)).toBe(false);
  });

  it('27.4 adds no publication that changes values of locales which the caller may not publish', async () => {
    const id = await draft('pages', { title: 'Shared', team: 'red' });
    await send('PUT', `pages/${id}?locale=fr`, { data: { title: 'Partagé' } });
    const at = await release('French');
    const add = async (action: string): Promise<unknown> => {
      const data = entry('page', id, { locale: 'fr', action });
      return (await send('POST', `releases/${at}/entries`, { as: 'french fleur', data })).status;
    };
    expect([await add('publish'), await add('unpublish')]).toEqual([403, 200]);
    const due = { as: 'french fleur', data: { at: FUTURE } };
    expect((await send('PUT', `releases/${at}`, due)).status).toBe(200);
    await send('POST', `releases/${at}/entries`, { data: entry('page', id, { locale: 'fr' }) });
    expect((await send('PUT', `releases/${at}`, due)).status).toBe(403);
  });

  it('27.17 a caller to whom entries are hidden neither deletes a release nor clears its time', async () => {
    const [red, blue] = [
      await draft('pages', { title: 'red', team: 'red' }),
      await draft('pages', { title: 'blue', team: 'blue' }),
    ];
    const [theirs = '', both = ''] = [
      await release('theirs', [{ type: 'page', documentId: red, locale: 'en' }]),
      await release(
        'both',
        [red, blue].map((documentId) => ({ type: 'page', documentId, locale: 'en' })),
      ),
    ];
    for (const id of [theirs, both]) await send('PUT', `releases/${id}`, { data: { at: FUTURE } });
    const as = 'red rita';
    const before = await snapshot(test);
    expect((await send('PUT', `releases/${both}`, { as, data: { at: null } })).status).toBe(403);
    expect((await send('DELETE', `releases/${both}`, { as })).status).toBe(403);
    expect(await snapshot(test)).toEqual(before);
    expect((await send('PUT', `releases/${both}`, { as, data: { name: 'ours' } })).status).toBe(200);
    expect((await send('PUT', `releases/${theirs}`, { as, data: { at: null } })).data.at).toBeNull();
    expect((await send('DELETE', `releases/${theirs}`, { as })).status).toBe(204);
  });

  it.each([
    ['delete', 'DELETE', {}],
    ['clear', 'PUT', { data: { at: null } }],
  ] as const)(
    '27.17 checks entries that arrive while a %s waits for the release',
    async (_name, method, body) => {
      const [red, other, blue] = await Promise.all(
        ['red', 'red', 'blue'].map((team) => draft('pages', { title: team, team })),
      );
      const id = await release(
        'late',
        [red, other].map((documentId) => ({ type: 'page', documentId, locale: 'en' })),
      );
      await send('PUT', `releases/${id}`, { data: { at: FUTURE } });
      const client = await test.connect();
      try {
        await client.query('begin');
        await client.query('select 1 from content_release where id = $1 for update', [id]);
        const answer = send(method, `releases/${id}`, { as: 'red rita', ...body });
        const waiting = `select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%release%'`;
        const isWaiting = async (): Promise<boolean> => (await test.sql(waiting)).length > 0;
        expect(await lookUntil(isWaiting, Boolean)).toBe(true);
        const moved = 'update content_release_entry set document_id = $1 where document_id = $2';
        await client.query(moved, [blue, other]);
        await client.query('commit');
        expect((await answer).status).toBe(403);
      } finally {
        await client.end();
      }
    },
  );

  it('27.5 shows entries only of documents that the caller may read, and counts the others', async () => {
    const red = await draft('pages', { title: 'Red', team: 'red' });
    const blue = await draft('pages', { title: 'Blue', team: 'blue' });
    const item = await draft('newses', { headline: 'News' });
    const gone = await draft('newses', { headline: 'Gone' });
    const id = await release('Hidden', [
      entry('page', red, { locale: 'en' }),
      entry('page', blue, { locale: 'en' }),
      entry('news', item),
      entry('news', gone),
    ]);
    await send('DELETE', `newses/${gone}`);
    const shown = async (as: string): Promise<unknown> => {
      const { entries, hidden, size } = (await send('GET', `releases/${id}`, { as })).data;
      return [entries.map((e: any) => [e.type, e.title, e.status]), hidden, size];
    };
    expect(await shown('all ann')).toEqual([
      [
        ['page', 'Red', 'draft'],
        ['page', 'Blue', 'draft'],
        ['news', 'News', 'draft'],
        ['news', null, null],
      ],
      0,
      4,
    ]);
    expect(await shown('red rita')).toEqual([[['page', 'Red', 'draft']], 3, 4]);
    const { entries, hidden } = await check(id, 'red rita');
    expect([entries.map((e: any) => [e.title, e.outcome]), hidden]).toEqual([
      [['Red', 'changes']],
      { count: 3, refused: 3 },
    ]);
    const all: any[] = (await send('GET', `releases/${id}`)).data.entries;
    const path = `releases/${id}/entries/${all[1].id}`;
    expect((await send('DELETE', path, { as: 'red rita' })).status).toBe(404);
    expect((await send('DELETE', `releases/${id}/entries/${all[0].id}`, { as: 'red rita' })).status).toBe(
      204,
    );
    expect(await shown('blind ben')).toEqual([
      [
        ['news', 'News', 'draft'],
        ['news', null, null],
      ],
      1,
      3,
    ]);
  });

  it('27.6 publishes and unpublishes everything at once, and is final', async () => {
    const old = await draft('pages', { title: 'Old', slug: `home-${adapter}` });
    await send('PUT', `pages/${old}`, { data: {} });
    const fresh = await draft('pages', { title: 'New' });
    await send('PUT', `pages/${fresh}?locale=fr&status=draft`, { data: { title: 'Neuf' } });
    const item = await draft('newses', { headline: 'item' });
    await draft('front', { title: 'Home' });
    const id = await release('Launch', [
      entry('page', fresh, { locale: '*' }),
      entry('news', item),
      { type: 'front' },
      entry('page', old, { locale: 'en', action: 'unpublish' }),
    ]);
    seen.length = 0;
    const done = await publish(id, { as: 'all ben', headers: { 'x-request-id': `launch-${adapter}` } });
    expect(done).toMatchObject({
      status: 200,
      data: {
        state: 'released',
        releasedAt: expect.stringMatching(/Z$/),
        releasedBy: { kind: 'user', id: 'ben' },
        requestId: `launch-${adapter}`,
      },
    });
    expect(done.data.entries.map((e: any) => e.status)).toEqual([
      'published',
      'published',
      'published',
      'draft',
    ]);
    for (const path of [`pages/${fresh}`, `pages/${fresh}?locale=fr`, `newses/${item}`, 'front'])
      expect([path, await isLive(path)]).toEqual([path, true]);
    expect(await isLive(`pages/${old}`)).toBe(false);
    expect(seen).toEqual([`publish user launch-${adapter} item`]);
    const times = await test.sql(
      `select count(distinct published_at)::int as n from (select published_at from pages where document_id = $1 and published
       union all select published_at from newses where document_id = $2 and published) x`,
      [fresh, item],
    );
    expect(times).toEqual([{ n: 1 }]);
    const versions = await test.sql(
      `select distinct request_id from content_version where document_id = $1 and action = 'publish'`,
      [fresh],
    );
    expect(versions).toEqual([{ request_id: `launch-${adapter}` }]);
    const path = `releases/${id}`;
    const after = [
      await send('PUT', path, { data: { name: 'x' } }),
      await send('DELETE', path),
      await send('POST', `${path}/entries`, { data: entry('news', item) }),
      await send('DELETE', `${path}/entries/${done.data.entries[0].id}`),
      await publish(id),
      await publish(id, { data: { dryRun: true } }),
    ];
    expect(after.map(({ status, error }) => [status, error.name])).toEqual(
      after.map(() => [409, 'ConflictError']),
    );
  });

  it('27.6 reads nothing after the commit of a change, so that no error denies it', async () => {
    const one = await draft('pages', { title: 'Read' });
    await send('PUT', `pages/${one}?locale=fr&status=draft`, { data: { title: 'Lu' } });
    const at = { locale: 'en' };
    const database = test.app.get(Database, { strict: false });
    const run = database.run.bind(database);
    let isBroken = false;
    const broken = jest.spyOn(database, 'run').mockImplementation(async (statement, traits) => {
      if (isBroken && statement.text.includes('as failed_entry')) throw new Error('No connection is free');
      return run(statement, traits);
    });
    const changing = async (method: 'POST' | 'PUT', path: string, data?: unknown): Promise<any> => {
      isBroken = true;
      const { status, data: shown } = await send(method, path, data === undefined ? {} : { data });
      isBroken = false;
      expect([path, Math.floor(status / 100)]).toEqual([path, 2]);
      return shown;
    };
    try {
      const { id } = await changing('POST', 'releases', { name: 'Readable' });
      const path = `releases/${id}`;
      expect(await changing('PUT', path, { at: null })).toMatchObject({ name: 'Readable', state: 'open' });
      const added = await changing('POST', `${path}/entries`, entry('page', one, at));
      expect(added.entries).toMatchObject([{ title: 'Read', status: 'draft' }]);
      const other = await changing('POST', `${path}/entries`, entry('page', one, { locale: 'fr' }));
      const removed = { entries: [other.entries[1].id] };
      expect((await changing('POST', `${path}/actions/remove`, removed)).entries).toHaveLength(1);
      const released = await changing('POST', `${path}/actions/publish`);
      expect([released.state, released.entries[0].status]).toEqual(['released', 'published']);
      const undone = await changing('POST', `${path}/actions/undo`);
      expect([undone.state, undone.entries[0].status]).toEqual(['open', 'draft']);
    } finally {
      broken.mockRestore();
    }
  });

  it('27.6 lets a document take the unique value of one that the release unpublishes', async () => {
    const slug = `taken-${adapter}`;
    const [old, next] = [await draft('pages', { title: 'A', slug }), await draft('pages', { title: 'B' })];
    await send('PUT', `pages/${old}`, { data: {} });
    await send('PUT', `pages/${old}?status=draft`, { data: { slug: `${slug}-old` } });
    await send('PUT', `pages/${next}?status=draft`, { data: { slug } });
    const at = { locale: 'en' };
    const id = await release('Swap', [
      entry('page', next, at),
      entry('page', old, { ...at, action: 'unpublish' }),
    ]);
    expect((await check(id)).entries.map((e: any) => e.outcome)).toEqual(['changes', 'changes']);
    expect((await publish(id)).status).toBe(200);
  });

  it('27.7 writes nothing if one entry fails, and names it', async () => {
    const [first, broken] = [
      await draft('newses', { headline: 'first' }),
      await draft('pages', { title: null }),
    ];
    const hooked = await draft('newses', { headline: 'refused by a hook' });
    const id = await release('Fails', [entry('news', first), entry('page', broken, { locale: 'en' })]);
    const before = await snapshot(test);
    const failed = await publish(id);
    const [, second] = (await send('GET', `releases/${id}`)).data.entries;
    expect(failed.error).toMatchObject({
      status: 400,
      name: 'ValidationError',
      details: { entry: second.id, errors: [{ path: ['title'] }] },
    });
    expect(await snapshot(test)).toEqual(before);
    const other = await release('Hook', [entry('news', first), entry('news', hooked)]);
    const then = await snapshot(test);
    expect((await publish(other)).status).toBe(500);
    expect(await snapshot(test)).toEqual(then);
    expect(await isLive(`newses/${first}`)).toBe(false);
  });

  it('27.7 refuses a draft in a stage that cannot be published', async () => {
    const id = await draft('memos', { text: 'early' });
    const one = await release('Stages', [entry('memo', id)]);
    const refused = await publish(one);
    const [{ error }] = (await check(one)).entries;
    expect([refused.status, refused.error.message]).toEqual([400, error.message]);
    expect((await send('PUT', `memos/${id}?status=draft`, { data: { stage: 'ready' } })).status).toBe(200);
    expect((await publish(one)).data.state).toBe('released');
  });

  it('27.8 reports what publishing would do, and writes nothing', async () => {
    const live = await draft('newses', { headline: 'live' });
    await send('PUT', `newses/${live}`, { data: {} });
    const ready = await draft('newses', { headline: 'ready' });
    const hooked = await draft('newses', { headline: 'refused by a hook' });
    const broken = await draft('pages', { title: null });
    const gone = await draft('newses', { headline: 'gone' });
    const id = await release('Report', [
      entry('news', live),
      entry('news', ready),
      entry('page', broken, { locale: 'en' }),
      entry('news', hooked),
      entry('news', gone),
    ]);
    await send('DELETE', `newses/${gone}`);
    const before = await snapshot(test);
    seen.length = 0;
    const report = await check(id);
    expect(await snapshot(test)).toEqual(before);
    expect(seen).toEqual([]);
    expect(report.hidden).toEqual({ count: 0, refused: 0 });
    const { entries } = report;
    expect(entries.map((e: any) => [e.outcome, e.error?.name ?? null])).toEqual([
      ['unchanged', null],
      ['changes', null],
      ['refused', 'ValidationError'],
      ['refused', 'InternalServerError'],
      ['refused', 'NotFoundError'],
    ]);
    expect(entries[2].error.details.errors[0].path).toEqual(['title']);
    expect(JSON.stringify(report)).not.toContain('not today');
    const byOther = await check(id, 'manager max');
    expect(byOther.entries[1]).toMatchObject({ outcome: 'changes' });
    const byViewer = await check(id, 'viewer vera');
    expect([byViewer.entries.map((e: any) => e.error.status), byViewer.hidden]).toEqual([
      [403],
      { count: 4, refused: 4 },
    ]);
  });

  it('27.8 does not tell callers without readDrafts whether a draft differs', async () => {
    const [same, differing] = [
      await draft('newses', { headline: 'same' }),
      await draft('newses', { headline: 'differing' }),
    ];
    for (const id of [same, differing]) await send('PUT', `newses/${id}`, { data: {} });
    await send('PUT', `newses/${differing}?status=draft`, { data: { headline: 'changed' } });
    const id = await release('Drafts', [entry('news', same), entry('news', differing)]);
    const outcomes = async (as: string): Promise<unknown> =>
      (await check(id, as)).entries.map(({ status, outcome }: any) => [status, outcome]);
    expect(await outcomes('manager max')).toEqual([
      ['published', 'unchanged'],
      ['modified', 'changes'],
    ]);
    expect(await outcomes('live liv')).toEqual([
      ['published', 'changes'],
      ['published', 'changes'],
    ]);
  });

  it('27.9 reports entries of types and locales that the model no longer has', async () => {
    const item = await draft('newses', { headline: 'stays' });
    const id = await release('Old', [entry('news', item)]);
    await test.sql(
      `insert into content_release_entry (id, release_id, type, document_id, locale, action)
       values (nextval('content_counts_id_seq'), $1, 'vanished', 'x', '*', 'publish'),
         (nextval('content_counts_id_seq'), $1, 'plain', 'x', '*', 'publish'),
         (nextval('content_counts_id_seq'), $1, 'page', $2, 'de', 'publish')`,
      [id, await draft('pages', { title: 'x' })],
    );
    const { entries } = await check(id);
    expect(entries.map((e: any) => [e.outcome, e.error?.message ?? null])).toEqual([
      ['changes', null],
      ['refused', 'The type "vanished" does not exist'],
      ['refused', 'plain has no drafts'],
      ['refused', 'Invalid locale "de". Expected one of: en, fr'],
    ]);
    expect((await publish(id)).status).toBe(400);
    expect((await send('PUT', `releases/${id}`, { data: { at: FUTURE } })).status).toBe(400);
  });

  it('27.1 describes its routes for callers with the grant', async () => {
    const { ContentOpenApi } = await import('nestjs-content-api');
    const { paths } = test.app.get(ContentOpenApi).documentFor();
    expect(Object.keys(paths).filter((path) => path.includes('/releases'))).toHaveLength(7);
  });
});

describe('due releases of two instances', () => {
  const instances: Host[] = [];
  let test: Host;
  beforeAll(async () => {
    const database = await createDatabase();
    const start = (isFirst: boolean): Promise<Host> =>
      startHost(
        ({ url }) => ({
          imports: [
            ContentModule.forRoot({
              ...options,
              schedule: { everySeconds: 0.02 },
              database: { clientUrl: url },
            }),
            ReleasesModule.forRoot(),
            HistoryModule.forRoot(),
          ],
          providers: [Watcher],
        }),
        {
          database,
          ...(isFirst ? { ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.create() } : {}),
        },
      );
    instances.push(await start(true), await start(false));
    test = instances[0] as Host;
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    for (const { close } of instances) await close();
    await test.database.drop();
  });
  const { send, draft, release, isLive } = client(() => test);

  async function settled(id: string): Promise<any> {
    const { data } = await lookUntil(
      () => send('GET', `releases/${id}`),
      (release) => release.data.state !== 'scheduled',
    );
    expect(data.state).not.toBe('scheduled');
    return data;
  }
  const due = (id: string) => send('PUT', `releases/${id}`, { data: { at: PAST } });

  it('27.10 run once, as the application, with a request id of their own', async () => {
    seen.length = 0;
    const expected: string[] = [];
    const ids: string[] = [];
    for (let n = 0; n < 8; n += 1) {
      const items = [
        await draft('newses', { headline: `a${n}` }),
        await draft('newses', { headline: `b${n}` }),
      ];
      const id = await release(
        `Due ${n}`,
        items.map((one) => entry('news', one)),
      );
      ids.push(id);
      expected.push(...['a', 'b'].map((one) => `publish system release-${id} ${one}${n}`));
    }
    await Promise.all(ids.map(due));
    for (const id of ids)
      expect(await settled(id)).toMatchObject({
        state: 'released',
        releasedBy: { kind: 'system', id: null },
        requestId: `release-${id}`,
      });
    await lookUntil(
      () => seen.length,
      (length) => length >= expected.length,
    );
    await sleep(100);
    expect([...seen].sort()).toEqual(expected.sort());
  });

  it('27.11 that fail write nothing, stay with their entry, and run again with a new time', async () => {
    const fine = await draft('newses', { headline: 'fine' });
    const broken = await draft('pages', { title: null });
    const id = await release('Broken', [entry('news', fine), entry('page', broken, { locale: 'en' })]);
    await due(id);
    const failed = await settled(id);
    expect(failed).toMatchObject({ state: 'failed', failedAt: expect.any(String), releasedAt: null });
    expect(failed.failedEntry).toBe(failed.entries[1].id);
    expect(await isLive(`newses/${fine}`)).toBe(false);
    const blind = (await send('GET', `releases/${id}`, { as: 'blind ben' })).data;
    expect([blind.failedEntry, blind.hidden]).toEqual([null, 1]);
    await send('PUT', `pages/${broken}?status=draft`, { data: { title: 'Mended' } });
    expect((await due(id)).status).toBe(200);
    expect((await settled(id)).state).toBe('released');
    expect(await isLive(`pages/${broken}`)).toBe(true);
  });

  it('27.11 are tried again after a temporary error, a limited number of times', async () => {
    const item = await draft('newses', { headline: 'in the way' });
    const id = await release('Later', [entry('news', item)]);
    await due(id);
    const failed = await settled(id);
    expect(failed.state).toBe('failed');
    expect(await test.sql('select attempts from content_release where id = $1', [id])).toEqual([
      { attempts: 30 },
    ]);
  });

  it('27.11 store an error without what PostgreSQL cannot store', async () => {
    const item = await draft('newses', { headline: 'a NUL refuses' });
    const id = await release('NUL', [entry('news', item)]);
    await due(id);
    expect((await settled(id)).state).toBe('failed');
    expect(await test.sql('select failure from content_release where id = $1', [id])).toEqual([
      { failure: 'not today' },
    ]);
  });

  it('27.10 that are cancelled do not run', async () => {
    const item = await draft('newses', { headline: 'cancelled' });
    const id = await release('Cancelled', [entry('news', item)]);
    await send('PUT', `releases/${id}`, { data: { at: new Date(Date.now() + 60_000).toISOString() } });
    expect((await send('PUT', `releases/${id}`, { data: { at: null } })).data.state).toBe('open');
    await sleep(100);
    expect(await isLive(`newses/${item}`)).toBe(false);
  });
});

it('refuses unknown and wrong options', () => {
  expect(() => ReleasesModule.forRoot({ most: 1 } as never)).toThrow('unknown option "most"');
  expect(() => ReleasesModule.forRoot({ maxEntries: 0 })).toThrow('an integer from 1 to 1000');
});
