/**
 * A response contains everything that was committed before its request, by any writer. If the library cannot
 * prove that, it does not use the cache. Each case reads twice first, so that the response is cached.
 */
import { jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import { NestFactory } from '@nestjs/core';
import { Logger } from '@nestjs/common';
import {
  CONTENT_ORM,
  ContentAccess,
  contentEntities,
  ContentModule,
  type ContentModuleOptions,
  type ContentService,
  defineCollectionType,
  getContentToken,
  type Grants,
  migrateContent,
  type PermissionsSource,
} from 'nestjs-content-api';
import pg from 'pg';
import supertest from 'supertest';
import { ChangeLogWorker } from '../../src/cache/change-log-worker.ts';
import { compileFold, compileReset, compileSettle } from '../../src/content/compile/compile-totals.ts';
import { CONTENT_SCHEMA, type Schema } from '../../src/content/model/model.ts';
import { changeLogTablesOf } from '../../src/content/model/change-log-tables.ts';
import { countStatements, createTestApp, type TestApp } from '../support/app.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  draftAndPublish: true,
  localized: true,
  attributes: {
    title: { type: 'string', localized: true },
    labels: { type: 'relation', relation: 'manyToMany', target: 'label', inversedBy: 'notes' },
  },
});
const label = defineCollectionType({
  singularApiId: 'label',
  pluralApiId: 'labels',
  attributes: {
    name: { type: 'string' },
    notes: { type: 'relation', relation: 'manyToMany', target: 'note', mappedBy: 'labels' },
  },
});

class Source implements PermissionsSource {
  grants: Readonly<Record<string, Grants>> = {};
  load(): Promise<Readonly<Record<string, Grants>>> {
    return Promise.resolve(this.grants);
  }
}
const source = new Source();
const MODEL: Omit<ContentModuleOptions, 'database'> = {
  contentTypes: [note, label],
  locales: ['fr'],
  cache: { bytes: 64 * 1024 * 1024 },
  access: {
    public: { note: '*', label: ['find', 'findOne', 'create', 'update'], locale: ['find'] },
    source,
    maxAge: 60_000,
  },
};

describe('the cache', () => {
  let test: TestApp;
  let url: string;
  let other: {
    http: ReturnType<typeof supertest.agent>;
    close: () => Promise<void>;
    worker: ChangeLogWorker;
  };
  let client: pg.Client;
  beforeAll(async () => {
    test = await createTestApp(MODEL);
    url = String((await test.sql('select current_database() as name'))[0]?.['name']);
    const server = new URL(process.env.TEST_DATABASE_URL ?? '');
    server.pathname = `/${url}`;
    url = server.href;
    const app = await NestFactory.create(ContentModule.forRoot({ ...MODEL, database: { clientUrl: url } }), {
      logger: false,
    });
    await app.listen(0, '127.0.0.1');
    const worker = app.get(ChangeLogWorker);
    await worker.maintain();
    other = { http: supertest.agent(await app.getUrl()), close: () => app.close(), worker };
    client = new pg.Client({ connectionString: url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await other.close();
    await test.close();
  });

  const LIST = '/api/notes?sort=title&populate=labels';
  const get = async (path: string, from = test.http): Promise<any> => (await from.get(path).expect(200)).body;
  const titles = async (path = LIST, from = test.http): Promise<string[]> =>
    (await get(path, from)).data.map(({ title }: { title: string }) => title);
  const make = async (title: string): Promise<string> =>
    (await test.http.post('/api/notes').send({ data: { title } }).expect(201)).body.data.documentId;
  const makeLabel = async (name: string): Promise<string> =>
    (await test.http.post('/api/labels').send({ data: { name } }).expect(201)).body.data.documentId;
  /** Reads until the response is cached: another read then sends no statement except the check. */
  async function untilCached(read: () => Promise<unknown>): Promise<void> {
    let seen: readonly string[] = [''];
    // A cache entry that has changed often is bypassed for a number of reads, and for as long as they would
    // take.
    for (let i = 0; i < 100 && seen.length > 0; i += 1) {
      await sleep(i < 40 ? 0 : i);
      seen = await countStatements(read);
    }
    expect(seen).toEqual([]);
  }
  async function warm(path = LIST, from = test.http): Promise<void> {
    await untilCached(() => get(path, from));
    if (from !== test.http) return;
    await get(path, other.http);
    await get(path, other.http);
  }
  const rename = (title: string, from: string): Promise<unknown> =>
    client.query('update notes set title = $1 where title = $2', [title, from]);
  beforeEach(async () => {
    await client.query('delete from notes; delete from notes_labels_links; delete from labels');
    await make('old');
    await warm();
  });

  it('sends the same ETag of a document on an instance without a cache', async () => {
    const uncached = { ...MODEL, cache: { bytes: 0 }, database: { clientUrl: url } };
    const app = await NestFactory.create(ContentModule.forRoot(uncached), { logger: false });
    await app.listen(0, '127.0.0.1');
    const path = `/api/notes/${await make('one')}`;
    const tags = [test.http, supertest.agent(await app.getUrl())].map(
      async (from) => (await from.get(path).expect(200)).headers['etag'],
    );
    const [cached, alone] = await Promise.all(tags);
    await app.close();
    expect(alone).toBe(cached);
  });

  it('sends the same bytes and the same ETag from the cache on every instance', async () => {
    const [cold, hot] = [await test.http.get(LIST), await test.http.get(LIST)];
    expect(hot.text).toBe(cold.text);
    const elsewhere = await other.http.get(LIST);
    expect([elsewhere.text, elsewhere.headers['etag']]).toEqual([hot.text, hot.headers['etag']]);
    await warm();
    for (const from of [test.http, other.http])
      expect(
        await countStatements(() =>
          from
            .get(LIST)
            .set('If-None-Match', hot.headers['etag'] ?? '')
            .expect(304),
        ),
      ).toEqual([]);
    expect((await test.http.head(LIST).expect(200)).headers['content-length']).toBe(
      String(Buffer.byteLength(hot.text)),
    );
  });

  it('9.14: locales are the same on every instance, independent of its start time', async () => {
    const [here, there] = [await get('/api/i18n/locales'), await get('/api/i18n/locales', other.http)];
    expect(there).toEqual(here);
    expect(here[0]).toMatchObject({ code: 'en', createdAt: '1970-01-01T00:00:00.000Z' });
  });

  it('direct SQL: every instance shows a change at once', async () => {
    await rename('new', 'old');
    expect([await titles(), await titles(LIST, other.http)]).toEqual([['new'], ['new']]);
  });

  it('shows a change of links alone, and of populated documents, in either direction', async () => {
    const name = (await test.http.post('/api/labels').send({ data: { name: 'a' } })).body.data.documentId;
    const inverse = '/api/labels?populate=notes';
    await warm(inverse);
    await client.query(
      `insert into notes_labels_links (owner_document_id, published, locale, target_document_id, position, inverse_position)
       select document_id, published, '', $1, 1, 1 from notes`,
      [name],
    );
    expect((await get(inverse)).data[0].notes).toHaveLength(1);
    expect((await get(LIST)).data[0].labels).toMatchObject([{ name: 'a' }]);
    await warm();
    await client.query(`update labels set name = 'b'`);
    expect((await get(LIST)).data[0].labels).toMatchObject([{ name: 'b' }]);
  });

  it('8.32 shows the state of a document after a write of another version of it', async () => {
    const { documentId } = (await get(LIST)).data[0];
    const one = `/api/notes/${documentId}?withState=true`;
    const states = async (): Promise<unknown[]> => {
      const all: unknown[] = [];
      for (const from of [test.http, other.http])
        all.push(
          (await get(one, from)).data.__state,
          (await get('/api/notes?withState=true', from)).data[0].__state,
        );
      return all;
    };
    const write = (query: string, title: string) =>
      test.http.put(`/api/notes/${documentId}?${query}`).send({ data: { title } }).expect(200);
    const state = (status: string, ...more: readonly object[]) => ({
      status,
      locales: [{ locale: 'en', status }, ...more],
    });
    const expectState = async (expected: object): Promise<void> => {
      expect(await states()).toEqual(Array.from({ length: 4 }, () => expected));
      await warm(one);
      await warm('/api/notes?withState=true');
    };
    await expectState(state('published'));
    await write('status=draft', 'changed');
    await expectState(state('modified'));
    await write('', 'changed');
    await expectState(state('published'));
    await write('status=draft&locale=fr', 'autre');
    await expectState(state('published', { locale: 'fr', status: 'draft' }));
  });

  it('a populated document stays cached while others of its type change, and is read again after a change of its links', async () => {
    const [mine, others] = [await make('mine'), await make('other')];
    const labels = [await makeLabel('one'), await makeLabel('two')];
    const link = (documentId: string, labelId: string | undefined): Promise<unknown> =>
      test.http
        .put(`/api/notes/${documentId}`)
        .send({ data: { labels: [labelId] } })
        .expect(200);
    await link(mine, labels[0]);
    const path = `/api/notes/${mine}?populate=labels`;
    const shown = async (): Promise<string[]> =>
      (await get(path)).data.labels.map(({ name }: { name: string }) => name);
    await warm(path);
    await link(others, labels[0]);
    await rename('renamed', 'other');
    expect(await countStatements(() => get(path))).toEqual([]);
    await link(mine, labels[1]);
    expect(await shown()).toEqual(['two']);
    await warm(path);
    await client.query("update labels set name = 'changed' where name = 'two'");
    expect(await shown()).toEqual(['changed']);
    // On the label's side, the links of another document change.
    const side = `/api/labels/${labels[0] ?? ''}?populate=notes`;
    await warm(side);
    await link(mine, labels[0]);
    expect((await get(side)).data.notes).toHaveLength(2);
  });

  it.each([
    ['their number alone', 'populate[labels][populate][notes][count]=true'],
    ['a condition on their relation', 'populate[labels][filters][notes][title]=other'],
    ['themselves', 'populate[labels][populate]=notes'],
  ])('reads a document again that refers back to others of its type, by %s', async (_what, query) => {
    const [mine, others] = [await make('mine'), await make('other')];
    const shared = await makeLabel('shared');
    const link = (documentId: string, to: readonly string[]): Promise<unknown> =>
      test.http
        .put(`/api/notes/${documentId}`)
        .send({ data: { labels: to } })
        .expect(200);
    await link(mine, [shared]);
    await link(others, [shared]);
    const path = `/api/notes/${mine}?${query}`;
    const before = await get(path);
    await warm(path);
    await link(others, []);
    expect(await get(path)).not.toEqual(before);
  });

  it('shows a late commit: begun before visible ones, and committed after them', async () => {
    const late = new pg.Client({ connectionString: url });
    await late.connect();
    await late.query('begin');
    await late.query(`update notes set title = 'late' where title = 'old'`);
    await make('early');
    expect(await titles()).toEqual(['early', 'old']);
    await warm();
    await late.query('commit');
    expect([await titles(), await titles(LIST, other.http)]).toEqual([
      ['early', 'late'],
      ['early', 'late'],
    ]);
    await late.end();
  });

  it('shows a released subtransaction, and none that is rolled back', async () => {
    await client.query('begin; savepoint a');
    await rename('new', 'old');
    await client.query('release savepoint a; savepoint b');
    await rename('never', 'new');
    await client.query('rollback to savepoint b');
    expect(await titles()).toEqual(['old']);
    await client.query('commit');
    expect(await titles()).toEqual(['new']);
  });

  it('an abort changes nothing, and needs no read', async () => {
    await client.query('begin');
    await rename('never', 'old');
    await client.query('rollback');
    expect(await countStatements(async () => expect(await titles()).toEqual(['old']))).toEqual([]);
  });

  it('two-phase commit: shows a prepared transaction only after its commit', async () => {
    await client.query('begin');
    await rename('new', 'old');
    await client.query(`prepare transaction 'cache'`);
    expect(await titles()).toEqual(['old']);
    await warm();
    await client.query(`commit prepared 'cache'`);
    expect([await titles(), await titles(LIST, other.http)]).toEqual([['new'], ['new']]);
  });

  it('a long write transaction delays no other request', async () => {
    const long = new pg.Client({ connectionString: url });
    await long.connect();
    await long.query('begin');
    await long.query(
      `update labels set name = 'x'; insert into content_change values (pg_current_xact_id(), 0, 'none', null, '', false, 0)`,
    );
    for (const title of ['a', 'b', 'c']) {
      await make(title);
      expect(await titles()).toContain(title);
      await warm();
    }
    await long.query('rollback');
    await long.end();
  });

  it('TRUNCATE', async () => {
    await client.query('truncate notes, notes_labels_links');
    expect((await get(LIST)).meta.pagination.total).toBe(0);
    expect(await titles(LIST, other.http)).toEqual([]);
  });

  it("the host's transaction: shows its writes after the commit", async () => {
    const notes = test.app.get<ContentService>(getContentToken('note'), { strict: false });
    await test.app.get<MikroORM>(CONTENT_ORM).em.transactional(async (em) => {
      await notes.create({ title: 'inside' }, {}, { em });
      expect(await titles()).toEqual(['old']);
    });
    expect(await titles()).toEqual(['inside', 'old']);
  });

  it('restores and replication: triggers fire for every session_replication_role', async () => {
    await client.query('set session_replication_role = replica');
    await rename('restored', 'old');
    await client.query('set session_replication_role = origin');
    expect(await titles()).toEqual(['restored']);
  });

  it('shows a change of permissions', async () => {
    source.grants = { public: { label: [] } };
    test.app.get(ContentAccess).refresh();
    await warm();
    source.grants = { public: { note: ['find'] } };
    test.app.get(ContentAccess).refresh();
    const { documentId } = (await test.http.post('/api/labels').send({ data: { name: 'l' } })).body.data;
    expect(documentId).toEqual(expect.any(String));
    source.grants = {};
    test.app.get(ContentAccess).refresh();
    expect(await titles()).toEqual(['old']);
  });

  it('a lost connection: does not use the cache until the next connection', async () => {
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like '%pg_is_in_recovery() as standby%' and pid <> pg_backend_pid()`,
    );
    await rename('new', 'old');
    expect(await titles()).toEqual(['new']);
    await sleep(1100);
    await warm();
  });

  it('a process that slept for longer than changes are stored: reads everything again', async () => {
    const tables = changeLogTablesOf(test.app.get<Schema>(CONTENT_SCHEMA).file);
    await rename('new', 'old');
    let kept = Infinity;
    // Nothing is folded before transactions of the server's other databases have ended: those of other
    // workers.
    for (let i = 0; i < 500 && kept > 1; i += 1) {
      if (i > 0) await sleep(20);
      await client.query(compileSettle(tables).text);
      const { text } = compileFold(tables, '0');
      await client.query(text, [
        (await client.query('select pg_current_xact_id()::text as xid')).rows[0].xid,
      ]);
      kept = (await client.query('select count(*)::int as n from content_change')).rows[0].n;
    }
    expect(kept).toBeLessThan(2);
    expect([await titles(), await titles(LIST, other.http)]).toEqual([['new'], ['new']]);
    await warm();
  });

  it('a recount after a restore without triggers: reads everything again', async () => {
    await client.query('alter table notes disable trigger all');
    await rename('restored', 'old');
    await client.query(`insert into notes (document_id, created_at, updated_at, published, locale, title, revision)
      values ('restored', now(), now(), true, 'en', 'more', 0)`);
    await client.query(
      'alter table notes enable always trigger content_ledger_insert_3; alter table notes enable always trigger content_ledger_update_3; alter table notes enable always trigger content_ledger_delete_3; alter table notes enable always trigger content_ledger_truncate_3',
    );
    await test.app.get(ChangeLogWorker).recount();
    for (const from of [test.http, other.http]) {
      const { data, meta } = await get(LIST, from);
      expect([data.length, meta.pagination.total]).toEqual([2, 2]);
    }
  });

  it('reads by services come from the cache, and show a commit of another instance', async () => {
    const id = await make('by a service');
    const notes = test.app.get<ContentService>(getContentToken('note'), { strict: false });
    const read = async (): Promise<readonly unknown[]> => {
      const one = await notes.findOne(id, { fields: ['title'] });
      const { data } = await notes.find({ filters: { documentId: id }, fields: ['title'] });
      return [one, ...data];
    };
    await untilCached(read);
    await other.http
      .put(`/api/notes/${id}`)
      .send({ data: { title: 'changed' } })
      .expect(200);
    expect(await read()).toMatchObject([{ title: 'changed' }, { title: 'changed' }]);
    await test.http.delete(`/api/notes/${id}`).expect(204);
  });

  it('a disabled trigger: caches nothing, counts lists, includes unlogged rows, and logs one line', async () => {
    const said = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const worker = test.app.get(ChangeLogWorker);
    await client.query('alter table notes disable trigger content_ledger_update_3');
    await worker.maintain();
    await worker.maintain();
    expect(said.mock.calls.map(([line]) => String(line))).toEqual([expect.stringContaining('"notes"')]);
    await rename('unseen', 'old');
    expect(await titles()).toEqual(['unseen']);
    expect(await countStatements(() => get(LIST))).toHaveLength(1);
    await client.query(`update notes set locale = 'fr'`);
    await client.query('alter table notes enable always trigger content_ledger_update_3');
    await worker.maintain();
    await warm();
    expect((await get(LIST)).meta.pagination.total).toBe(0);
    said.mockRestore();
  });

  it('a trigger disabled and enabled between two polls: reads and counts everything again', async () => {
    const worker = test.app.get(ChangeLogWorker);
    await worker.maintain();
    await client.query(`alter table notes disable trigger content_ledger_update_3`);
    await rename('unseen', 'old');
    await client.query(`alter table notes enable always trigger content_ledger_update_3`);
    await worker.maintain();
    expect([await titles(), await titles(LIST, other.http)]).toEqual([['unseen'], ['unseen']]);
  });

  it.each([
    [
      'rewritten',
      `alter table notes alter title type text using upper(title)`,
      `alter table notes alter title type varchar(255)`,
    ],
    [
      'replaced by another',
      `alter table notes rename to former;
       create table notes (like former including all);
       insert into notes select * from former;
       update notes set title = 'OLD'`,
      `drop table notes; alter table former rename to notes`,
    ],
    [
      'altered by a migration without its triggers',
      `alter table notes disable trigger content_ledger_update_3;
       update notes set title = 'OLD';
       alter table notes enable always trigger content_ledger_update_3;
       alter table notes add column more text`,
      `alter table notes drop column more`,
    ],
  ])('a table that is %s: reads everything again at once', async (_how, change, back) => {
    await client.query(`begin; ${change}; commit`);
    expect([await titles(), await titles(LIST, other.http)]).toEqual([['OLD'], ['OLD']]);
    await client.query(`update notes set title = 'then'`);
    expect([await titles(), await titles(LIST, other.http)]).toEqual([['then'], ['then']]);
    await client.query(back);
    for (const { worker } of [{ worker: test.app.get(ChangeLogWorker) }, other]) await worker.maintain();
    await warm();
  });

  it('a table that is replaced while an instance has no connection: reads everything again', async () => {
    await client.query(
      `begin; select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and query like '%pg_is_in_recovery()%';
       alter table notes rename to former;
       create table notes (like former including all);
       insert into notes select * from former;
       update notes set title = 'OLD'; commit`,
    );
    // Reads until the change log is polled again, which pauses for a second.
    for (let i = 0; i < 30; i += 1) {
      await sleep(50);
      await other.http.get(LIST);
    }
    expect(await titles(LIST, other.http)).toEqual(['OLD']);
    await client.query(`update notes set title = 'then'`);
    expect(await titles(LIST, other.http)).toEqual(['then']);
    await client.query('drop table notes; alter table former rename to notes');
    for (const { worker } of [{ worker: test.app.get(ChangeLogWorker) }, other]) await worker.maintain();
    await warm();
  });

  it.each([
    [
      'has inheriting tables',
      'create table more_notes () inherits (notes)',
      'drop table more_notes',
      'it shares rows',
    ],
    [
      'has row level security',
      'alter table notes enable row level security',
      'alter table notes disable row level security',
      'policies decide',
    ],
    [
      'logs another type',
      `alter trigger content_ledger_update_3 on notes rename to other; create trigger content_ledger_update_3 after update on notes
       for each row execute function content_note_updates('label');
       alter table notes enable always trigger content_ledger_update_3`,
      'drop trigger content_ledger_update_3 on notes; alter trigger other on notes rename to content_ledger_update_3',
      'a trigger is missing',
    ],
  ])('a table that %s: caches nothing, and logs one line', async (_what, change, back, said) => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const worker = test.app.get(ChangeLogWorker);
    await client.query(change);
    await worker.maintain();
    await worker.maintain();
    expect(warn.mock.calls.map(([line]) => String(line))).toEqual([expect.stringContaining(said)]);
    expect(await countStatements(() => get(LIST))).toHaveLength(1);
    await client.query(back);
    await worker.maintain();
    await warm();
    warn.mockRestore();
  });

  it.each([
    ['a second inheriting table', 'create table more_notes () inherits (notes)', 'drop table more_notes'],
    [
      'a parent',
      'create table parent (like notes); alter table notes inherit parent',
      'alter table notes no inherit parent; drop table parent',
    ],
  ])('a table that gets %s: the next request reads the database', async (_what, change, back) => {
    const worker = test.app.get(ChangeLogWorker);
    await client.query('create table former_notes () inherits (notes); drop table former_notes');
    await titles();
    await worker.maintain();
    await warm();
    await client.query(change);
    // The first request is the check that detects it.
    await get(LIST);
    expect(worker.isWhole).toBe(false);
    expect(await countStatements(() => get(LIST))).toHaveLength(1);
    await client.query(back);
    for (const one of [worker, other.worker]) await one.maintain();
    await warm();
  });

  it('a migration that drops a column: sends no cached response with it', async () => {
    const text = { type: 'string' } as const;
    const item = { singularApiId: 'item', pluralApiId: 'items' } as const;
    const before = [defineCollectionType({ ...item, attributes: { name: text, gone: text } })];
    const after = [defineCollectionType({ ...item, attributes: { name: text }, removed: ['gone'] })];
    const kept = await createTestApp({ ...MODEL, contentTypes: before, access: { public: { item: '*' } } });
    const [{ name } = {}] = await kept.sql('select current_database() as name');
    const clientUrl = new URL(url);
    clientUrl.pathname = `/${String(name)}`;
    const orm = await MikroORM.init({
      clientUrl: clientUrl.href,
      entities: contentEntities({ contentTypes: after }),
    });
    await migrateContent({ orm, model: { contentTypes: before, locales: ['fr'] } });
    const path = '/api/items';
    await kept.http.post(path).send({ data: { name: 'a', gone: 'b' } });
    await warm(path, kept.http);
    await migrateContent({ orm, model: { contentTypes: after, locales: ['fr'] } });
    await kept.http.get(path).expect(503);
    await orm.close();
    await kept.close();
  });

  it('a long write to another database: caches responses, and reads again after the change log restarts', async () => {
    const writer = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
    await writer.connect();
    await writer.query('begin; select pg_current_xact_id()');
    const kept = await createTestApp(MODEL);
    await kept.app.get(ChangeLogWorker).maintain();
    await kept.http.post('/api/notes').send({ data: { title: 'before' } });
    await warm(LIST, kept.http);
    await kept.sql(`update notes set title = 'after'; delete from content_total where type = ''`);
    // Before a process recounts a type, which marks the type as changed.
    await kept.sql(compileReset(kept.app.get<Schema>(CONTENT_SCHEMA).file).text);
    expect(await titles(LIST, kept.http)).toEqual(['after']);
    await kept.app.get(ChangeLogWorker).maintain();
    await warm(LIST, kept.http);
    await writer.end();
    await kept.close();
  });

  it('a database without a change log: caches nothing, and counts totals', async () => {
    const bare = await createTestApp(MODEL);
    await bare.sql(
      'drop table content_change, content_total; drop function content_note_versions, content_note_updates, content_note_links cascade',
    );
    await bare.app.get(ChangeLogWorker).maintain();
    await bare.http
      .post('/api/notes')
      .send({ data: { title: 'a' } })
      .expect(201);
    for (let i = 0; i < 2; i += 1) {
      const { body } = await bare.http.get('/api/notes').expect(200);
      expect([body.data.length, body.meta.pagination.total]).toEqual([1, 1]);
    }
    await bare.close();
  });
});
