/** Replays of a webhook: many events at once, and only those that it names. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestApp } from '../support/app.ts';
import { LocalServer } from '../support/local-server.ts';
import { eventually } from './helpers.ts';
import { startEvents } from './start-events.ts';

class Receiver extends LocalServer {
  readonly names: unknown[] = [];
  status = 200;
  protected respond(_text: string, { headers }: IncomingMessage, response: ServerResponse): void {
    this.names.push(headers['x-strapi-event']);
    response.writeHead(this.status).end();
  }
}

describe('replays of a webhook', () => {
  const receiver = new Receiver();
  const since = '2020-01-01T00:00:00Z';
  let test: TestApp;
  beforeAll(async () => {
    await receiver.start();
    test = await startEvents();
  });
  afterAll(async () => {
    await test.close();
    receiver.stop();
  });

  const add = async (name: string, more: object = {}): Promise<string> => {
    const data = { name, url: receiver.url, events: ['entry.update'], ...more };
    return (await test.http.post('/api/webhooks').send({ data }).expect(201)).body.data.id;
  };
  const replay = (id: string) => test.http.post(`/api/webhooks/${id}/replay`).send({ data: { since } });
  const state = async (id: string): Promise<{ pending: number; lag: number; failingSince: string | null }> =>
    (await test.http.get(`/api/webhooks/${id}`).expect(200)).body.data;
  const pending = async (id: string): Promise<number> => (await state(id)).pending;
  const log = (type: string, action: string, documents: number): Promise<unknown> =>
    test.sql(
      `insert into content_event (id, xid, at, type, document_id, locale, action, actor, attributes, published)
       select nextval('content_counts_id_seq'), pg_current_xact_id(), now(), '${type}', 'many' || n, '',
         '${action}', 'system', '[]', true from generate_series(1, ${documents}) n`,
    );

  it('21.13: send only the events that the webhook names', async () => {
    const id = await add('named');
    const memo = await test.http
      .post('/api/memos')
      .send({ data: { title: 'A' } })
      .expect(201);
    const path = `/api/memos/${memo.body.data.documentId}`;
    await test.http
      .put(path)
      .send({ data: { title: 'B' } })
      .expect(200);
    await eventually(() => receiver.names, 1);
    await eventually(async () => ((await state(id)).lag === 0 ? [1] : []), 1);
    expect((await replay(id)).body.data).toEqual({ replayed: 1 });
    await eventually(async () => ((await pending(id)) === 0 ? [1] : []), 1);
    expect(new Set(receiver.names)).toEqual(new Set(['entry.update']));
    expect(receiver.names).toHaveLength(2);
    await test.http.delete(`/api/webhooks/${id}`).expect(204);
  });

  it.each([
    ['of an entry', { events: ['entry.create'] }, 3],
    ['of a file', { events: ['media.create'] }, 2],
    ['of a type', { events: ['entry.create', 'media.create', 'entry.delete'], types: ['file'] }, 2],
    ['that no webhook can name', { events: [] }, 0],
  ])('21.13: count the events %s', async (name, named, count) => {
    await test.sql('delete from content_event');
    await log('memo', 'create', 3);
    await log('file', 'create', 2);
    const id = await add(name, named);
    expect((await replay(id)).body.data).toEqual({ replayed: count });
    await test.http.delete(`/api/webhooks/${id}`).expect(204);
  });

  it('21.13: send given-up events only while the webhook names them', async () => {
    const id = await add('changed');
    await log('memo', 'update', 2);
    await eventually(async () => ((await state(id)).lag === 0 ? [1] : []), 1);
    await test.sql(
      `insert into content_event_delivery (reader, event_id, type, document_id, attempts, failed_at)
       select 'webhook ${id}', e.id, e.type, e.document_id, 8, now() from content_event e
       where e.action = 'update'`,
    );
    const failed = () => test.http.post(`/api/webhooks/${id}/replay`).send({ data: {} });
    const name = (events: string[]) => test.http.put(`/api/webhooks/${id}`).send({ data: { events } });
    await name(['entry.delete']).expect(200);
    expect((await failed()).body.data).toEqual({ replayed: 0 });
    await name(['entry.update']).expect(200);
    expect((await failed()).body.data).toEqual({ replayed: 2 });
    await test.http.delete(`/api/webhooks/${id}`).expect(204);
  });

  it('21.13: send events again that wait for a retry', async () => {
    receiver.status = 500;
    const id = await add('retried', { events: ['entry.create'] });
    await test.http
      .post('/api/memos')
      .send({ data: { title: 'A' } })
      .expect(201);
    await eventually(async () => ((await state(id)).failingSince === null ? [] : [1]), 1);
    await test.sql(`update content_event_delivery set due_at = now() + interval '1 hour'`);
    receiver.status = 200;
    await replay(id).expect(200);
    await eventually(async () => ((await pending(id)) === 0 ? [1] : []), 1);
    await test.http.delete(`/api/webhooks/${id}`).expect(204);
  });

  it('21.8: a replayed event comes before later ones of its document that wait for a retry', async () => {
    receiver.status = 500;
    const id = await add('ordered', { types: ['memo'], events: ['entry.create', 'entry.update'] });
    const memo = await test.http
      .post('/api/memos')
      .send({ data: { title: 'A' } })
      .expect(201);
    const { documentId } = memo.body.data as { documentId: string };
    await test.http
      .put(`/api/memos/${documentId}`)
      .send({ data: { title: 'B' } })
      .expect(200);
    await eventually(async () => ((await pending(id)) === 2 ? [1] : []), 1);
    const first = `(select min(event_id) from content_event_delivery where reader = 'webhook ${id}')`;
    await test.sql(
      `update content_event_delivery set failed_at = now(), due_at = null where event_id = ${first}`,
    );
    await test.sql(`update content_event_delivery set due_at = now() + interval '1 hour', attempts = 3
      where event_id > ${first}`);
    await test.http.post(`/api/webhooks/${id}/replay`).send({ data: {} }).expect(200);
    const due = await test.sql(
      'select due_at is null as waits from content_event_delivery order by event_id',
    );
    expect(due.map(({ waits }) => waits)).toEqual([false, true]);
    await test.http.delete(`/api/webhooks/${id}`).expect(204);
    receiver.status = 200;
  });

  it('21.8: an event that an endpoint does not want is not a success of a failing endpoint', async () => {
    receiver.status = 500;
    const id = await add('failing', {
      events: ['entry.create'],
      types: ['memo'],
      filters: { title: 'wanted' },
    });
    const write = (title: string) => test.http.post('/api/memos').send({ data: { title } }).expect(201);
    await write('wanted');
    await eventually(async () => ((await state(id)).failingSince === null ? [] : [1]), 1);
    const { failingSince } = await state(id);
    await write('unwanted');
    await eventually(async () => ((await state(id)).lag === 0 ? [1] : []), 1);
    expect((await state(id)).failingSince).toBe(failingSince);
    await test.http.delete(`/api/webhooks/${id}`).expect(204);
    receiver.status = 200;
  });

  it('21.13: make tens of thousands of events due', async () => {
    await log('memo', 'delete', 40_000);
    const id = await add('many', { events: ['entry.delete'] });
    const { body } = await replay(id).expect(200);
    expect(body.data.replayed).toBeGreaterThanOrEqual(40_000);
    await eventually(async () => ((await pending(id)) < 40_000 ? [1] : []), 1);
    await test.http.delete(`/api/webhooks/${id}`).expect(204);
  });
});
