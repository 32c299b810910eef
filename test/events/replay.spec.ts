/** Replays of a webhook: many events at once, and only those that it asks for. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { EventsModule } from 'nestjs-content-api/events';
import { createTestApp, type TestApp } from '../support/app.ts';
import { LocalServer } from '../support/local-server.ts';
import { contentTypes, eventually } from './helpers.ts';

class Receiver extends LocalServer {
  readonly names: unknown[] = [];
  protected respond(_text: string, { headers }: IncomingMessage, response: ServerResponse): void {
    this.names.push(headers['x-strapi-event']);
    response.end();
  }
}

describe('replays of a webhook', () => {
  const receiver = new Receiver();
  const since = '2020-01-01T00:00:00Z';
  let test: TestApp;
  beforeAll(async () => {
    await receiver.start();
    test = await createTestApp({
      contentTypes,
      access: { public: { '*': '*' } },
      imports: [EventsModule.forRoot({ pollMilliseconds: 50, webhooks: { allow: ['localhost'] } })],
    });
  });
  afterAll(async () => {
    await test.close();
    receiver.stop();
  });

  const add = async (name: string): Promise<string> => {
    const data = { name, url: receiver.url, events: ['entry.update'] };
    return (await test.http.post('/api/webhooks').send({ data }).expect(201)).body.data.id;
  };
  const replay = (id: string) => test.http.post(`/api/webhooks/${id}/replay`).send({ data: { since } });
  const pending = async (id: string): Promise<number> =>
    (await test.http.get(`/api/webhooks/${id}`).expect(200)).body.data.pending;

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
    await eventually(async () => ((await replay(id)).body.data.replayed >= 2 ? [1] : []), 1);
    await eventually(async () => ((await pending(id)) === 0 ? [1] : []), 1);
    expect(new Set(receiver.names)).toEqual(new Set(['entry.update']));
    expect(receiver.names.length).toBeGreaterThan(1);
    await test.http.delete(`/api/webhooks/${id}`).expect(204);
  });

  it('21.13: make tens of thousands of events due', async () => {
    await test.sql(
      `insert into content_event (id, xid, at, type, document_id, locale, action, actor, attributes, published)
       select nextval('content_counts_id_seq'), pg_current_xact_id(), now(), 'memo', 'many' || n, '', 'delete',
         'system', '[]', true from generate_series(1, 40000) n`,
    );
    const id = await add('many');
    const { body } = await replay(id).expect(200);
    expect(body.data.replayed).toBeGreaterThanOrEqual(40_000);
    await eventually(async () => ((await pending(id)) < 40_000 ? [1] : []), 1);
    await test.http.delete(`/api/webhooks/${id}`).expect(204);
  });
});
