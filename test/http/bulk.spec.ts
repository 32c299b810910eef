/** Bulk writes: many documents of a type by one request. */
import { Injectable } from '@nestjs/common';
import fc from 'fast-check';
import {
  BeforeContent,
  BeforeContentRead,
  type ContentService,
  defineCollectionType,
  getContentToken,
  OnContentCommitted,
} from 'nestjs-content-api';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { namedTokens } from '../support/named-tokens.ts';

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  localized: true,
  actions: true,
  attributes: {
    title: { type: 'string', required: true, localized: true },
    code: { type: 'string', unique: true },
    password: { type: 'password' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'pages' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  routes: { except: ['delete'] },
  attributes: {
    name: { type: 'string' },
    rank: { type: 'integer' },
    next: { type: 'relation', relation: 'oneToOne', target: 'tag', inversedBy: 'previous' },
    previous: { type: 'relation', relation: 'oneToOne', target: 'tag', mappedBy: 'next' },
    pages: { type: 'relation', relation: 'manyToMany', target: 'page', mappedBy: 'tags' },
  },
});
const log = defineCollectionType({
  singularApiId: 'log',
  pluralApiId: 'logs',
  routes: { except: ['bulk'] },
  attributes: { name: { type: 'string' } },
});
const heard = defineCollectionType({
  singularApiId: 'heard',
  pluralApiId: 'heards',
  attributes: { name: { type: 'string' } },
});

const GRANTS = {
  author: { page: ['create', 'find', 'findOne'], tag: ['find'] },
  writer: { page: ['update'] },
  reader: { page: ['find'] },
  retitler: { page: ['create', { actions: ['update'], fields: ['title'] }] },
} as const;

const events: string[] = [];
let beforeRead: () => Promise<void> = () => Promise.resolve();

@Injectable()
class Hooks {
  @BeforeContent('heard', 'create')
  before({ data }: { data: Record<string, unknown> }): void {
    if (data['name'] === 'refused') throw new Error('a hook fails');
    data['name'] = `${String(data['name'])}!`;
  }

  @BeforeContentRead('tag', 'find')
  read(): Promise<void> {
    return beforeRead();
  }

  @OnContentCommitted('page', 'create', 'update', 'delete', 'publish')
  after({ action, type }: { action: string; type: string }): void {
    events.push(`${type} ${action}`);
  }
}

describe.each(ADAPTERS)('bulk writes on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [page, tag, log, heard],
        locales: ['fr'],
        access: { public: { page: '*', tag: '*', log: '*', heard: '*' } },
        auth: { strategies: [namedTokens(GRANTS)] },
        limits: { bulkItems: 200, passwords: 3 },
        providers: [Hooks],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const bulk = (data: unknown, { type = 'pages', query = '', more = {}, as = '' } = {}) => {
    const request = test.http.post(`/api/${type}/bulk${query}`);
    return (as === '' ? request : request.set('Authorization', `Bearer ${as}`)).send({ data, ...more });
  };
  const creating = (n: number, of: (i: number) => object): object[] =>
    Array.from({ length: n }, (_, i) => ({ action: 'create', data: of(i) }));
  const idsOf = (data: { documentId: string }[]): string[] => data.map(({ documentId }) => documentId);
  const create = async (n: number, of: (i: number) => object, type = 'pages'): Promise<string[]> =>
    idsOf((await bulk(creating(n, of), { type }).expect(200)).body.data);
  const titles = async (ids: readonly string[], query = ''): Promise<unknown[]> =>
    Promise.all(ids.map(async (id) => (await test.http.get(`/api/pages/${id}${query}`)).body.data?.title));

  it('24.1 writes items of every action in order', async () => {
    const [first, second, third] = await create(3, (i) => ({ title: `one ${i}` }));
    const { body } = await bulk([
      { action: 'update', documentId: first, data: { title: 'new' } },
      { action: 'update', documentId: second, status: 'draft', data: { title: 'draft' } },
      { action: 'delete', documentId: third },
      { action: 'update', documentId: first, locale: 'fr', data: { title: 'neuf' } },
      { action: 'unpublish', documentId: first, locale: 'fr' },
      { action: 'discard', documentId: second },
      { action: 'create', status: 'draft', data: { title: 'unseen' } },
    ]).expect(200);
    expect(body.data.map((one: { documentId: string } | null) => one?.documentId)).toEqual([
      first,
      second,
      undefined,
      first,
      first,
      second,
      expect.any(String),
    ]);
    expect(body.meta).toEqual({ done: 7 });
    expect(await titles([first, second, third] as string[])).toEqual(['new', 'one 1', undefined]);
    expect(await titles([String(first)], '?locale=fr')).toEqual([undefined]);
    expect(await titles([String(first)], '?locale=fr&status=draft')).toEqual(['neuf']);
    expect(await titles([String(second)], '?status=draft')).toEqual(['one 1']);
  });

  it('24.2 writes nothing if one item fails, and tells its index', async () => {
    const ids = await create(3, (i) => ({ title: `kept ${i}`, code: `kept-${i}` }));
    const updates = ids.map((documentId) => ({ action: 'update', documentId, data: { title: 'changed' } }));
    const wrong = [
      [{ action: 'update', documentId: ids[1], data: { title: 5 } }, 400],
      [{ action: 'update', documentId: ids[1], data: { code: 'kept-0' } }, 400],
      [{ action: 'update', documentId: 'absent', data: { title: 'x' } }, 404],
      [{ action: 'create', data: {} }, 400],
      [{ action: 'update', documentId: ids[1], locale: 'xx', data: { title: 'x' } }, 400],
      [{ action: 'update', documentId: ids[1], data: { tags: ['absent'] } }, 400],
    ] as const;
    for (const [item, status] of wrong) {
      const { body } = await bulk([updates[0], updates[2], item]).expect(status);
      expect(body.error.details.index).toBe(2);
    }
    expect(await titles(ids)).toEqual(['kept 0', 'kept 1', 'kept 2']);
  });

  it('24.2 refuses the same unique value twice, at the second item', async () => {
    const { body } = await bulk(creating(3, () => ({ title: 'same', code: 'same' }))).expect(400);
    expect(body.error.details).toMatchObject({ index: 1, errors: [{ path: ['code'] }] });
  });

  it('24.3 writes the other items with atomic false', async () => {
    const ids = await create(3, (i) => ({ title: `part ${i}` }));
    const { body } = await bulk(
      [
        { action: 'update', documentId: ids[0], data: { title: 'a' } },
        { action: 'update', documentId: 'absent', data: { title: 'b' } },
        { action: 'update', documentId: ids[1], data: { title: null } },
        { action: 'update', documentId: ids[2], data: { title: 'c' } },
      ],
      { more: { atomic: false } },
    ).expect(200);
    expect(body.data).toEqual([{ documentId: ids[0] }, null, null, { documentId: ids[2] }].map(withId));
    expect(body.meta).toMatchObject({
      done: 2,
      failed: 2,
      errors: [
        { index: 1, documentId: 'absent', error: { status: 404, name: 'NotFoundError' } },
        { index: 2, documentId: ids[1], error: { status: 400, name: 'ValidationError' } },
      ],
    });
    expect(await titles(ids)).toEqual(['a', 'part 1', 'c']);
  });

  it('24.3 counts an item without meaning as failed, alone with atomic false, and names its index', async () => {
    const items = [
      { action: 'create', data: { title: 'kept' } },
      { action: 'drop', documentId: 'gone' },
      'x',
      { action: 'create', data: { title: 'kept too' } },
    ];
    const { body: all } = await bulk(items).expect(400);
    expect(all.error.details).toMatchObject({ path: 'data.1.action', index: 1 });
    const { body } = await bulk(items, { more: { atomic: false } }).expect(200);
    expect(body.data.map((one: object | null) => one !== null)).toEqual([true, false, false, true]);
    expect(body.meta).toMatchObject({
      done: 2,
      failed: 2,
      errors: [
        { index: 1, documentId: 'gone', error: { status: 400, details: { path: 'data.1.action' } } },
        { index: 2, documentId: null, error: { status: 400, details: { path: 'data.2' } } },
      ],
    });
  });

  it('24.9 tells which items are written if the database goes away with atomic false', async () => {
    await test.sql(`create function refuse() returns trigger language plpgsql as $$
      begin if new.title = 'away' then raise exception 'gone' using errcode = '53300'; end if; return new; end $$`);
    await test.sql('create trigger refuse before insert on pages for each row execute function refuse()');
    const titled = (away: number) =>
      creating(150, (i) => ({ title: i === away ? 'away' : `gone ${away} ${i}` }));
    const stored = async (): Promise<unknown> =>
      (
        await test.sql(`select count(distinct document_id)::int as n from pages where title like 'gone %'`)
      )[0]?.['n'];
    const { body, headers } = await bulk(titled(30), { more: { atomic: false } }).expect(503);
    expect([body.error.name, headers['retry-after']]).toEqual(['ServiceUnavailableError', '1']);
    expect(await stored()).toBe(0);
    const { body: part } = await bulk(titled(120), { more: { atomic: false } }).expect(200);
    await test.sql('drop trigger refuse on pages');
    expect(part.data.map((one: unknown) => one !== null)).toEqual(
      Array.from({ length: 150 }, (_one, i) => i < 100),
    );
    expect([part.meta.done, part.meta.failed]).toEqual([100, 50]);
    expect(part.meta.errors.map(({ index }: any) => index)).toEqual(
      Array.from({ length: 50 }, (_one, i) => i + 100),
    );
    for (const { error, documentId } of part.meta.errors)
      expect([documentId, error.status, error.name, error.details.index]).toEqual([
        null,
        503,
        'ServiceUnavailableError',
        undefined,
      ]);
    expect(await stored()).toBe(100);
  });

  it('24.4 compares ifMatch of each item', async () => {
    const ids = await create(2, (i) => ({ title: `tag ${i}` }));
    const tags = await Promise.all(
      ids.map(async (id) => String((await test.http.get(`/api/pages/${id}`)).headers['etag'])),
    );
    const items = ids.map((documentId, i) => ({
      action: 'update',
      documentId,
      ifMatch: tags[i],
      data: { title: 'x' },
    }));
    await bulk(items).expect(200);
    const { body } = await bulk(items).expect(412);
    expect(body.error.details.index).toBe(0);
  });

  it('24.4 24.8 compares ifMatch with the version that an earlier item writes from the other side', async () => {
    const [from, to] = await create(2, (i) => ({ name: `t${i}` }), 'tags');
    const ifMatch = String((await test.http.get(`/api/tags/${to}`).expect(200)).headers['etag']);
    const items = [
      { action: 'update', documentId: from, data: { previous: to } },
      { action: 'update', documentId: to, ifMatch, data: { name: 'late' } },
    ];
    const { body } = await bulk(items, { type: 'tags' }).expect(412);
    expect(body.error.details.index).toBe(1);
  });

  it('24.5 acts on every document that matches', async () => {
    const ids = await create(120, (i) => ({ title: `many ${i % 2}`, code: `many-${i}` }));
    const filters = { title: 'many 1', code: { $startsWith: 'many-' } };
    const counted = await bulk({ action: 'update', filters, data: { title: 'x' }, dryRun: true }).expect(200);
    expect(counted.body).toEqual({ data: [], meta: { matched: 60 } });
    const few = await bulk({ action: 'update', filters, data: { title: 'x' }, limit: 59 }).expect(400);
    expect(few.body.error.details).toMatchObject({ path: 'data.limit', matched: 60 });
    const { body } = await bulk({ action: 'update', filters, data: { title: 'done' } }).expect(200);
    expect(new Set(idsOf(body.data))).toEqual(new Set(ids.filter((_, i) => i % 2 === 1)));
    const { body: found } = await test.http.get('/api/pages?filters[title]=done&pagination[limit]=1');
    expect(found.meta.pagination.total).toBe(60);
    const all = await bulk({ action: 'delete', filters: { code: { $startsWith: 'many-' } } }).expect(200);
    expect(all.body.meta).toEqual({ done: 120 });
  });

  it('24.5 counts documents in all locales once', async () => {
    const ids = await create(150, (i) => ({ title: 'both', code: `both-${i}` }));
    const items = ids.map((documentId) => ({
      action: 'update',
      documentId,
      locale: 'fr',
      data: { title: 'both' },
    }));
    await bulk(items).expect(200);
    const all = { action: 'delete', filters: { title: 'both' }, locale: '*' };
    const counted = await bulk({ ...all, dryRun: true }).expect(200);
    expect(counted.body.meta).toEqual({ matched: 150 });
    const few = await bulk({ ...all, limit: 149 }).expect(400);
    expect(few.body.error.details).toMatchObject({ path: 'data.limit' });
    const { body } = await bulk(all).expect(200);
    expect(body.meta).toEqual({ done: 150 });
    const { body: left } = await test.http.get('/api/pages?filters[title]=both&locale=*&status=draft');
    expect(left.meta.pagination.total).toBe(0);
  });

  it('24.5 finds all documents that match, also if others are deleted meanwhile', async () => {
    const ids = await create(150, (i) => ({ name: `moving ${i}` }), 'tags');
    let pages = 0;
    beforeRead = async () => {
      pages += 1;
      if (pages === 2) await test.sql(`delete from tags where name = 'moving 0'`);
    };
    const filters = { name: { $startsWith: 'moving' } };
    const change = { action: 'update', filters, data: { rank: 1 } };
    const { body } = await bulk(change, { type: 'tags', more: { atomic: false } }).expect(200);
    beforeRead = () => Promise.resolve();
    expect([pages, body.meta.done]).toEqual([2, 149]);
    expect(idsOf(body.data.slice(1))).toEqual(ids.slice(1));
  });

  it('24.5 selects drafts, and published versions to unpublish', async () => {
    const [published] = await create(1, () => ({ title: 'sel', code: 'sel-1' }));
    await bulk([{ action: 'create', status: 'draft', data: { title: 'sel', code: 'sel-2' } }]).expect(200);
    const filters = { title: 'sel' };
    const count = async (action: string): Promise<number> =>
      (await bulk({ action, filters, dryRun: true }).expect(200)).body.meta.matched;
    expect([await count('publish'), await count('unpublish')]).toEqual([2, 1]);
    const { body } = await bulk({ action: 'unpublish', filters }).expect(200);
    expect(idsOf(body.data)).toEqual([published]);
    await bulk({ action: 'publish', filters }).expect(200);
    expect(await count('unpublish')).toBe(2);
  });

  it('24.6 requires the right of each action', async () => {
    const [id] = await create(1, () => ({ title: 'mine' }));
    const making = { action: 'create', data: { title: 'new' } };
    const changing = { action: 'update', documentId: id, data: { title: 'new' } };
    await bulk([making], { as: 'author' }).expect(200);
    const { body } = await bulk([making, changing], { as: 'author' }).expect(403);
    expect(body.error.details).toEqual({ index: 1 });
    await bulk([changing], { as: 'writer' }).expect(200);
    await bulk({ action: 'update', filters: {}, data: { title: 'x' } }, { as: 'writer' }).expect(403);
    await bulk([changing], { as: 'reader' }).expect(403);
    await bulk({ action: 'delete', filters: {} }, { as: 'author' }).expect(403);
    await bulk([{ action: 'delete', documentId: id }], { type: 'tags' }).expect(400);
    await bulk([{ action: 'publish', documentId: id }], { type: 'tags' }).expect(400);
    await bulk(
      creating(1, () => ({})),
      { type: 'logs' },
    ).expect(405);
    expect(await titles([String(id)])).toEqual(['new']);
  });

  it('D27 the error of an item tells nothing of an attribute that only an earlier item may write', async () => {
    await create(1, () => ({ title: 'holder', code: 'held' }));
    const draft = { action: 'create', status: 'draft', data: { title: 'late', code: 'held' } };
    const [late] = idsOf((await bulk([draft]).expect(200)).body.data);
    const items = [
      { action: 'create', data: { title: 'sent', code: 'sent' } },
      { action: 'update', documentId: late, data: { title: 'new' } },
    ];
    const { body } = await bulk(items, { as: 'retitler' }).expect(400);
    const message = 'The document is not valid in attributes that you cannot access';
    expect(body.error.details).toEqual({
      index: 1,
      errors: [{ path: [], message, name: 'ValidationError' }],
    });
  });

  it('24.7 returns ids, or the fields and relations of the query', async () => {
    const [one] = await create(1, () => ({ name: 'red' }), 'tags');
    const items = creating(2, (i) => ({ title: `shown ${i}`, tags: [one] }));
    const { body } = await bulk(items, { query: '?fields[0]=title&populate[tags][fields][0]=name' }).expect(
      200,
    );
    expect(body.data).toMatchObject([
      { title: 'shown 0', tags: [{ name: 'red' }] },
      { title: 'shown 1', tags: [{ name: 'red' }] },
    ]);
    await bulk(
      creating(101, () => ({ title: 'x' })),
      { query: '?fields[0]=title' },
    ).expect(400);
    const { body: refused } = await bulk(items, { query: '?locale=fr' }).expect(400);
    expect(refused.error.details).toMatchObject({ key: 'locale', param: 'locale' });
  });

  it('24.8 shows later items the writes of earlier ones', async () => {
    const three = (): Promise<string[]> => create(3, (i) => ({ name: `t${i}` }), 'tags');
    const links = [[0, 2], [1, 2], [1, null], [0, 2], [2, 2], [0, 2], [1, 0], [2, 0]] as const; // prettier-ignore
    const itemsOf = (ids: readonly string[]) =>
      links.map(([from, to]) => ({ documentId: ids[from], data: { next: to === null ? null : ids[to] } }));
    const linksOf = (ids: readonly string[]): Promise<number[]> =>
      Promise.all(
        ids.map(async (id) => {
          const { body } = await test.http.get(`/api/tags/${id}?populate=next`);
          return ids.indexOf(body.data.next?.documentId);
        }),
      );
    const [together, apart] = [await three(), await three()];
    const items = itemsOf(together).map((item) => ({ action: 'update', ...item }));
    await bulk(items, { type: 'tags' }).expect(200);
    for (const { documentId, data } of itemsOf(apart))
      await test.http.put(`/api/tags/${documentId}`).send({ data }).expect(200);
    expect(await linksOf(together)).toEqual([2, -1, 0]);
    expect(await linksOf(apart)).toEqual([2, -1, 0]);
  });

  it('24.8 ends like the same single writes, whatever the items are', async () => {
    const PLACES = 4;
    const place = fc.integer({ min: 0, max: PLACES - 1 });
    const link = fc.option(place, { nil: null });
    const change = fc.record(
      {
        rank: fc.integer({ min: 0, max: 9 }),
        next: link,
        previous: link,
        pages: fc.array(place, { maxLength: 3 }),
      },
      { requiredKeys: [] },
    );
    const pages = await create(PLACES, (i) => ({ title: `target ${i}` }));
    const dataOf = ({ rank, next, previous, pages: to }: any, tags: readonly string[]): object => ({
      ...(rank === undefined ? {} : { rank }),
      ...(next === undefined ? {} : { next: tags[next] ?? null }),
      ...(previous === undefined ? {} : { previous: tags[previous] ?? null }),
      ...(to === undefined ? {} : { pages: to.map((i: number) => pages[i]) }),
    });
    const stateOf = async (tags: readonly string[]): Promise<unknown> =>
      Promise.all(
        tags.map(async (id) => {
          const { body } = await test.http.get(`/api/tags/${id}?populate=*`).expect(200);
          const { rank, next, previous, pages: linked } = body.data;
          return [
            rank,
            tags.indexOf(next?.documentId),
            tags.indexOf(previous?.documentId),
            linked.map(({ documentId }: { documentId: string }) => pages.indexOf(documentId)),
          ];
        }),
      );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(place, change), { minLength: 2, maxLength: 12 }),
        async (changes) => {
          const [together, apart] = [
            await create(PLACES, () => ({}), 'tags'),
            await create(PLACES, () => ({}), 'tags'),
          ];
          const items = (ids: readonly string[]) =>
            changes.map(([at, one]) => ({ documentId: ids[at], data: dataOf(one, ids) }));
          await bulk(
            items(together).map((item) => ({ action: 'update', ...item })),
            { type: 'tags' },
          ).expect(200);
          for (const { documentId, data } of items(apart))
            await test.http.put(`/api/tags/${documentId}`).send({ data }).expect(200);
          expect(await stateOf(together)).toEqual(await stateOf(apart));
        },
      ),
      { numRuns: 12 },
    );
  });

  it('24.8 sends the events of each document', async () => {
    events.length = 0;
    const [id] = await create(2, (i) => ({ title: `event ${i}` }));
    await bulk([{ action: 'delete', documentId: id }]).expect(200);
    expect(events).toEqual(['page create', 'page publish', 'page create', 'page publish', 'page delete']);
  });

  it('24.8 calls hooks for each item, which may fail all', async () => {
    const { body } = await bulk(
      creating(2, (i) => ({ name: `n${i}` })),
      { type: 'heards', query: '?fields[0]=name' },
    ).expect(200);
    expect(body.data).toMatchObject([{ name: 'n0!' }, { name: 'n1!' }]);
    const items = ['n2', 'refused'].map((name) => ({ action: 'create', data: { name } }));
    await bulk(items, { type: 'heards' }).expect(500);
    const { body: list } = await test.http.get('/api/heards');
    expect(list.meta.pagination.total).toBe(2);
  });

  it('refuses wrong bodies with the path of the member', async () => {
    const wrong: readonly (readonly [unknown, string])[] = [
      [undefined, 'data'],
      [[], 'data'],
      ['x', 'data'],
      [['x'], 'data.0'],
      [[{ action: 'drop' }], 'data.0.action'],
      [[{ action: 'update', data: {} }], 'data.0.documentId'],
      [[{ action: 'update', documentId: 'x' }], 'data.0.data'],
      [[{ action: 'create', documentId: 'x', data: {} }], 'data.0.documentId'],
      [[{ action: 'create', ifMatch: '"x"', data: {} }], 'data.0.ifMatch'],
      [[{ action: 'delete', documentId: 'x', data: {} }], 'data.0.data'],
      [[{ action: 'delete', documentId: 'x', other: 1 }], 'data.0.other'],
      [[{ action: 'delete', documentId: 'x', locale: 1 }], 'data.0.locale'],
      [{ action: 'create', filters: {} }, 'data.action'],
      [{ action: 'delete' }, 'data.filters'],
      [{ action: 'delete', filters: null }, 'data.filters'],
      [{ action: 'delete', _q: null }, 'data.filters'],
      [{ action: 'delete', _q: '' }, 'data.filters'],
      [{ action: 'delete', filters: {}, limit: 201 }, 'data.limit'],
      [{ action: 'delete', filters: {}, dryRun: 'yes' }, 'data.dryRun'],
    ];
    for (const [data, path] of wrong)
      expect((await bulk(data).expect(400)).body.error.details).toMatchObject({ path, source: 'body' });
    const { body } = await bulk(
      creating(1, () => ({})),
      { more: { atomic: 'no' } },
    ).expect(400);
    expect(body.error.details).toMatchObject({ path: 'atomic' });
  });

  it('refuses a locale and a status that no URL can contain, like other unknown ones', async () => {
    for (const key of ['locale', 'status']) {
      const item = { action: 'create', data: { title: 'x' }, [key]: '\ud800' };
      const { body } = await bulk([item]).expect(400);
      expect(body.error).toMatchObject({ name: 'ValidationError', details: { key } });
    }
  });

  it('limits the items and passwords of a request', async () => {
    const { body } = await bulk(creating(201, () => ({ title: 'x' }))).expect(400);
    expect(body.error.details).toMatchObject({ limit: 'bulkItems', allowed: 200 });
    await bulk(creating(3, () => ({ title: 'x', password: 'secret' }))).expect(200);
    const many = await bulk(creating(4, () => ({ title: 'x', password: 'secret' }))).expect(400);
    expect(many.body.error.details).toMatchObject({ limit: 'passwords', allowed: 3, index: 3 });
    const apart = await bulk(
      [...creating(1, () => ({ title: 1 })), ...creating(4, () => ({ title: 'x', password: 'secret' }))],
      { more: { atomic: false } },
    ).expect(200);
    expect(apart.body.meta).toMatchObject({ done: 3, failed: 2, errors: [{ index: 0 }, { index: 4 }] });
    expect(apart.body.meta.errors[1].error.details).toMatchObject({ limit: 'passwords', allowed: 3 });
  });

  it('repeats its response for an Idempotency-Key', async () => {
    const send = (more: object = {}) =>
      test.http
        .post('/api/pages/bulk')
        .set('Idempotency-Key', `bulk-${adapter}`)
        .send({ data: creating(2, (i) => ({ title: `once ${i}` })), ...more });
    const { body: first } = await send().expect(200);
    const { body: second } = await send().expect(200);
    expect(second).toEqual(first);
    await test.http
      .post('/api/pages/bulk')
      .set('Idempotency-Key', `apart-${adapter}`)
      .send({ data: creating(1, () => ({ title: 'x' })), atomic: false })
      .expect(400);
  });

  it('is a method of the service', async () => {
    const pages = test.app.get<ContentService>(getContentToken('page'));
    const made = await pages.bulk([
      { action: 'create', data: { title: 'by code' } },
      { action: 'create', status: 'draft', data: { title: 'draft' } },
    ]);
    const [one] = made;
    expect(await titles([String(one?.documentId)])).toEqual(['by code']);
    await pages.bulk([{ action: 'delete', documentId: String(one?.documentId) }]);
    expect(await titles([String(one?.documentId)])).toEqual([undefined]);
  });

  it('needs no routes as a method of the service', async () => {
    const tags = test.app.get<ContentService>(getContentToken('tag'));
    const [made] = await tags.bulk([{ action: 'create', data: { name: 'unserved' } }]);
    const documentId = String(made?.documentId);
    await test.http
      .post('/api/tags/bulk')
      .send({ data: [{ action: 'delete', documentId }] })
      .expect(400);
    expect(await tags.bulk([{ action: 'delete', documentId }])).toEqual([null]);
    expect(await tags.findOne(documentId)).toBeNull();
  });
});

const withId = (one: object | null): unknown => (one === null ? null : expect.objectContaining(one));
