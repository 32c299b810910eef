/** Changes of a webhook while events never pause, and an endpoint for which many documents wait. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestApp } from '../support/app.ts';
import { LocalServer } from '../support/local-server.ts';
import { eventually, logEvents, writeDuring } from './helpers.ts';
import { startEvents } from './start-events.ts';

/** Receiver that responds slowly, so that new events arrive during each delivery. */
class Receiver extends LocalServer {
  readonly paths: string[] = [];
  status = 200;
  delay = 40;
  protected respond(_text: string, { url = '' }: IncomingMessage, response: ServerResponse): void {
    this.paths.push(url);
    setTimeout(() => response.writeHead(this.status).end(), this.delay);
  }
}

describe('a webhook', () => {
  const receiver = new Receiver();
  let test: TestApp;
  beforeAll(async () => {
    await receiver.start();
    test = await startEvents();
  });
  afterAll(async () => {
    await test.close();
    receiver.stop();
  });

  const add = async (path: string, more: object = {}): Promise<string> => {
    const data = { name: path, url: `${receiver.url}/${path}`, ...more };
    return (await test.http.post('/api/webhooks').send({ data }).expect(201)).body.data.id;
  };
  const write = (): Promise<unknown> =>
    Promise.all(
      Array.from({ length: 5 }, () =>
        test.http
          .post('/api/memos')
          .send({ data: { title: 'A' } })
          .expect(201),
      ),
    );
  const count = (path: string): number => receiver.paths.filter((one) => one === `/${path}`).length;
  const wait = (milliseconds: number): Promise<unknown> =>
    new Promise((done) => setTimeout(done, milliseconds));

  it('21.10: is sent to its new URL, and no more once it is not enabled, while events never pause', async () => {
    const id = await add('former');
    const change = (data: object) => test.http.put(`/api/webhooks/${id}`).send({ data }).expect(200);
    /** Waits until nothing more is sent to a path, for less time than a lease lasts. */
    const ended = async (path: string): Promise<void> => {
      const until = performance.now() + 9000;
      for (let former = -1; former !== count(path); await wait(500)) {
        expect(performance.now()).toBeLessThan(until);
        former = count(path);
      }
    };
    const work = async (): Promise<void> => {
      await eventually(() => (count('former') > 20 ? [1] : []), 1);
      await change({ url: `${receiver.url}/latter` });
      await ended('former');
      await eventually(() => (count('latter') > 20 ? [1] : []), 1);
      const former = count('former');
      await change({ enabled: false });
      await ended('latter');
      expect(count('former')).toBe(former);
    };
    await writeDuring(work, write);
    await test.http.delete(`/api/webhooks/${id}`).expect(204);
  });

  /** Logs 200 deletions of one document, which are one batch for a webhook, sent one after another. */
  const logBatch = (): Promise<unknown> => test.sql(logEvents(200, { documentId: 'one', action: 'delete' }));

  it.each<[string, (id: string) => PromiseLike<unknown>]>([
    [
      'disabled',
      (id) =>
        test.http
          .put(`/api/webhooks/${id}`)
          .send({ data: { enabled: false } })
          .expect(200),
    ],
    ['deleted', (id) => test.http.delete(`/api/webhooks/${id}`).expect(204)],
  ])('21.10: gets no more of a batch once it is %s', async (state, end) => {
    receiver.delay = 200;
    const id = await add(state);
    await logBatch();
    await eventually(() => (count(state) >= 3 ? [1] : []), 1);
    await end(id);
    // The whole batch would take 40 s.
    await wait(2000);
    const former = count(state);
    await wait(2000);
    expect(count(state)).toBe(former);
    if (state === 'disabled') await test.http.delete(`/api/webhooks/${id}`).expect(204);
    receiver.delay = 40;
  });

  it('21.8: is tried once a minute while many documents wait, which takes none of their retries', async () => {
    receiver.status = 500;
    const id = await add('waiting', { events: ['entry.delete'] });
    const enable = (enabled: boolean) =>
      test.http.put(`/api/webhooks/${id}`).send({ data: { enabled } }).expect(200);
    // A round between the events and their rows would send them as new ones, also one that has begun before.
    await enable(false);
    await wait(500);
    await test.sql(
      `with e as (insert into content_event
          (id, xid, at, type, document_id, locale, action, actor, attributes, published)
        select nextval('content_counts_id_seq'), pg_current_xact_id(), now(), 'memo', 'waits' || n, '', 'delete',
          'system', '[]', true from generate_series(1, 120) n returning *)
       insert into content_event_delivery (reader, event_id, type, document_id, attempts, due_at)
       select 'webhook ${id}', e.id, e.type, e.document_id, 4, now() + interval '1 hour' from e`,
    );
    await enable(true);
    await eventually(() => (count('waiting') > 0 ? [1] : []), 1);
    await wait(300);
    expect(count('waiting')).toBe(1);
    const attempts = await test.sql(
      `select distinct attempts from content_event_delivery where reader = 'webhook ${id}'`,
    );
    expect(attempts).toEqual([{ attempts: 4 }]);
    await test.sql(
      `update content_event_reader set failing_since = now() - interval '1 hour' where name = 'webhook ${id}'`,
    );
    receiver.status = 200;
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
    try {
      await write();
      await eventually(() => (count('waiting') >= 121 ? [1] : []), 1);
    } finally {
      clock.mockRestore();
    }
    await test.http.delete(`/api/webhooks/${id}`).expect(204);
  });
});
