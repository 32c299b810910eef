/** The event log: what is logged, and how durable handlers receive it. */
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import {
  AfterContent,
  type ContentEvent,
  CONTENT_ORM,
  ContentArchive,
  ContentError,
  type ContentService,
  defineCollectionType,
  defineSingleType,
  getContentToken,
} from 'nestjs-content-api';
import { EventsModule, type LoggedEvent, OnContentEvent } from 'nestjs-content-api/events';
import type { MikroORM } from '@mikro-orm/postgresql';
import type * as StatesRoom from '../../src/features/events/reader-states.ts';
import type * as WorkerRoom from '../../src/features/events/reader-worker.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { loadRoom } from '../support/rooms.ts';
import { eventually } from './helpers.ts';

const { ReaderStates } = await loadRoom<typeof StatesRoom>('features/events/reader-states');
const { ReaderWorker } = await loadRoom<typeof WorkerRoom>('features/events/reader-worker');

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  localized: true,
  actions: true,
  attributes: {
    title: { type: 'string', required: true, localized: true },
    secret: { type: 'string', private: true },
    related: { type: 'relation', relation: 'manyToMany', target: 'article' },
  },
});
const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  attributes: { title: { type: 'string' } },
});
const quiet = defineCollectionType({
  singularApiId: 'quiet',
  pluralApiId: 'quiets',
  events: false,
  attributes: { title: { type: 'string' } },
});
const home = defineSingleType({ singularApiId: 'home', attributes: { title: { type: 'string' } } });

const seen: LoggedEvent[] = [];
const indexed: string[] = [];
/** Titles of documents whose events the handler refuses. */
const refused = new Set<string>();

@Injectable()
class Handlers {
  @OnContentEvent('everything')
  all(event: LoggedEvent): void {
    seen.push(event);
  }

  @OnContentEvent('memos', { types: ['memo'], actions: ['create', 'update'] })
  index({ documentId, action }: LoggedEvent): void {
    if (refused.has(documentId)) throw new Error('the index is \0away\ud83d');
    indexed.push(`${action} ${documentId}`);
  }

  @AfterContent('memo', 'create')
  after({ document }: ContentEvent): void {
    if ((document as { title?: unknown } | null)?.title === 'refused')
      throw new ContentError('ValidationError', 'refused');
  }
}

describe('the event log', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [article, memo, quiet, home],
      access: { public: { '*': '*' } },
      defaultLocale: 'en',
      locales: ['en', 'fr'],
      imports: [EventsModule.forRoot({ pollMilliseconds: 50 })],
      providers: [Handlers],
    });
  });
  afterAll(() => test.close());
  beforeEach(async () => {
    // Events of the test before may still be on their way.
    const states = test.app.get(ReaderStates);
    await eventually(async () => (await states.all()).filter(({ lag, pending }) => lag + pending > 0), 0);
    seen.length = 0;
    indexed.length = 0;
  });

  /** Waits until no event is on its way, and returns the names that arrived. */
  async function arrived(count: number): Promise<string[]> {
    return (await eventually(() => seen, count)).map(({ name, locale }) =>
      locale === null ? name : `${name} ${locale}`,
    );
  }

  const create = async (path: string, data: object): Promise<string> => {
    const { body } = await test.http.post(path).send({ data }).expect(201);
    return (body as { data: { documentId: string } }).data.documentId;
  };

  it('21.4: a write that publishes is two events; a draft is one', async () => {
    const id = await create('/api/articles', { title: 'A' });
    await test.http
      .put(`/api/articles/${id}?status=draft`)
      .send({ data: { title: 'B', secret: 'x' } })
      .expect(200);
    await test.http
      .put(`/api/articles/${id}`)
      .send({ data: { related: [] } })
      .expect(200);
    await test.http
      .put(`/api/articles/${id}?locale=fr`)
      .send({ data: { title: 'F' } })
      .expect(200);
    await test.http.post(`/api/articles/${id}/actions/unpublish`).expect(200);
    await test.http.delete(`/api/articles/${id}`).expect(204);
    expect(await arrived(9)).toEqual([
      'entry.create en',
      'entry.publish en',
      'entry.update en',
      'entry.update en',
      'entry.publish en',
      'entry.create fr',
      'entry.publish fr',
      'entry.unpublish en',
      'entry.delete en',
    ]);
    expect(new Set(seen.map(({ documentId }) => documentId))).toEqual(new Set([id]));
    expect(seen[2]).toEqual({
      id: expect.stringMatching(/^evt_\d+$/) as string,
      at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      name: 'entry.update',
      type: 'article',
      documentId: id,
      locale: 'en',
      action: 'update',
      actor: { kind: 'public', id: null },
      requestId: expect.any(String) as string,
      attributes: ['secret', 'title'],
      published: false,
    });
    expect(seen.map(({ published }) => published)).toEqual([
      ...[false, true, false],
      ...[false, true, false],
      ...[true, true, false],
    ]);
    expect(seen[3]?.attributes).toEqual(['related']);
    const ids = seen.map(({ id: one }) => Number(one.slice('evt_'.length)));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
  });

  it('says of a deletion whether the document was published', async () => {
    const published = await create('/api/articles', { title: 'P' });
    const draft = await create('/api/articles?status=draft', { title: 'D' });
    await test.http.put(`/api/articles/${draft}?locale=fr`).send({ data: { title: 'F' } });
    for (const path of [published, draft, `${draft}?locale=fr`])
      await test.http.delete(`/api/articles/${path}`).expect(204);
    await arrived(8);
    expect(seen.filter(({ action }) => action === 'delete').map((one) => one.published)).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('logs single types and writes of the service, and no type with events: false', async () => {
    await test.http
      .put('/api/home')
      .send({ data: { title: 'H' } })
      .expect(200);
    await create('/api/quiets', { title: 'Q' });
    const memos: ContentService = test.app.get(getContentToken('memo'), { strict: false });
    await memos.create({ title: 'M' });
    expect(await arrived(2)).toEqual(['entry.create', 'entry.create']);
    expect(seen.map(({ type, actor }) => [type, actor.kind])).toEqual([
      ['home', 'public'],
      ['memo', 'system'],
    ]);
  });

  it('21.5: logs nothing of a refused or rolled back write', async () => {
    await test.http.post('/api/articles').send({ data: {} }).expect(400);
    await test.http
      .post('/api/memos')
      .send({ data: { title: 'refused' } })
      .expect(400);
    const memos: ContentService = test.app.get(getContentToken('memo'), { strict: false });
    const em = test.app.get<MikroORM>(CONTENT_ORM, { strict: false }).em.fork();
    await expect(
      em.transactional(async (inner) => {
        await memos.create({ title: 'rolled back' }, {}, { em: inner });
        throw new Error('undo');
      }),
    ).rejects.toThrow('undo');
    await em.transactional((inner) => memos.create({ title: 'kept' }, {}, { em: inner }));
    await arrived(1);
    const rows = await test.sql(
      `select count(*)::int as n from content_event e join memos m using (document_id) where m.title = 'kept'`,
    );
    expect(rows).toEqual([{ n: 1 }]);
    expect(seen).toHaveLength(1);
  });

  it('a transaction that stays open delays no event, and its own arrive after its commit', async () => {
    const open = await test.connect();
    try {
      await open.query('begin');
      await open.query(`insert into content_event (id, xid, at, type, document_id, locale, action, actor, attributes)
        values (nextval('content_counts_id_seq'), pg_current_xact_id(), now(), 'memo', 'late', '', 'update', 'system', '[]')`);
      const id = await create('/api/memos', { title: 'early' });
      await arrived(1);
      expect(seen.map(({ documentId }) => documentId)).toEqual([id]);
      await open.query('commit');
      await arrived(2);
      expect(seen.map(({ documentId }) => documentId)).toEqual([id, 'late']);
    } finally {
      await open.end();
    }
  });

  it('retries an event whose handler fails; later events of its document wait, others arrive', async () => {
    const failing = await create('/api/memos', { title: 'failing' });
    const other = await create('/api/memos', { title: 'other' });
    await eventually(() => indexed, 2);
    indexed.length = 0;
    refused.add(failing);
    await test.http
      .put(`/api/memos/${failing}`)
      .send({ data: { title: '2' } })
      .expect(200);
    await test.http
      .put(`/api/memos/${failing}`)
      .send({ data: { title: '3' } })
      .expect(200);
    await test.http
      .put(`/api/memos/${other}`)
      .send({ data: { title: '2' } })
      .expect(200);
    await eventually(() => test.sql('select 1 from content_event_delivery'), 2);
    await eventually(() => indexed, 1);
    expect(indexed).toEqual([`update ${other}`]);
    const [first, second] = await test.sql(
      `select attempts, failure, due_at > now() as waits, due_at is null as later
       from content_event_delivery order by event_id`,
    );
    expect(first).toEqual({ attempts: 1, failure: 'the index is away\ufffd', waits: true, later: false });
    expect(second).toEqual({ attempts: 0, failure: null, waits: null, later: true });
    refused.clear();
    await test.sql('update content_event_delivery set due_at = now() where attempts > 0');
    test.app.get(ReaderWorker).round();
    await eventually(() => indexed, 3);
    expect(indexed.slice(1)).toEqual([`update ${failing}`, `update ${failing}`]);
    await eventually(() => test.sql('select 1 from content_event_delivery'), 0);
  });

  it('logs imported documents, once each', async () => {
    const archive = test.app.get(ContentArchive, { strict: false });
    const id = await create('/api/memos', { title: 'moved' });
    const published = await create('/api/articles', { title: 'P' });
    const draft = await create('/api/articles?status=draft', { title: 'D' });
    const out = new PassThrough();
    const [file] = await Promise.all([buffer(out), archive.export(out)]);
    await test.http.delete(`/api/memos/${id}`).expect(204);
    for (const one of [published, draft]) await test.http.delete(`/api/articles/${one}`).expect(204);
    await arrived(7);
    seen.length = 0;
    await archive.import(() => Readable.from([file]), { onConflict: 'skip' });
    await arrived(3);
    const eventOf = (documentId: string) => seen.find((event) => event.documentId === documentId);
    expect(eventOf(id)).toMatchObject({
      name: 'entry.create',
      locale: null,
      actor: { kind: 'system' },
      published: true,
    });
    expect([published, draft].map((one) => eventOf(one)?.published)).toEqual([true, false]);
  });

  it('reads a backlog of many events in batches, each event once', async () => {
    await test.sql(`insert into content_event (id, xid, at, type, document_id, locale, action, actor, attributes)
      select nextval('content_counts_id_seq'), pg_current_xact_id(), now(), 'memo', 'many' || (n % 7), '', 'delete',
        'system', '[]' from generate_series(1, 1000) n`);
    await arrived(1000);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(1000);
    const ids = seen.map(({ id }) => Number(id.slice('evt_'.length)));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
  });
});
