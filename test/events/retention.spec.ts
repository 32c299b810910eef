/** Deletion of old events, which the process does once an hour. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestApp } from '../support/app.ts';
import { LocalServer } from '../support/local-server.ts';
import { eventually } from './helpers.ts';
import { startEvents } from './start-events.ts';

const HOUR = 3_600_000;

class Receiver extends LocalServer {
  readonly ids: unknown[] = [];
  protected respond(_text: string, { headers }: IncomingMessage, response: ServerResponse): void {
    this.ids.push(headers['webhook-id']);
    response.end();
  }
}

describe('old events', () => {
  const receiver = new Receiver();
  let test: TestApp;
  let hourly: readonly (() => void)[] = [];
  beforeAll(async () => {
    await receiver.start();
    const timers = jest.spyOn(globalThis, 'setInterval');
    test = await startEvents({ retentionDays: 3 });
    hourly = timers.mock.calls.flatMap(([work, interval]) => (interval === HOUR ? [work] : []));
    timers.mockRestore();
  });
  afterAll(async () => {
    await test.close();
    receiver.stop();
  });

  const log = async (document: string, hours: number): Promise<string> => {
    const [row] = await test.sql(
      `insert into content_event (id, xid, at, type, document_id, locale, action, actor, attributes, published)
       values (nextval('content_counts_id_seq'), pg_current_xact_id(), now() - interval '${hours} hours', 'memo',
         '${document}', '', 'delete', 'system', '[]', true) returning id::text`,
    );
    return String(row?.['id']);
  };

  it('are deleted with their retries, and later events of their documents no longer wait for them', async () => {
    const [old, kept, young] = [await log('a', 73), await log('a', 1), await log('b', 71)];
    const data = { name: 'site', url: receiver.url };
    const { body } = await test.http.post('/api/webhooks').send({ data }).expect(201);
    const reader = `webhook ${body.data.id}`;
    await test.sql(
      `insert into content_event_delivery (reader, event_id, type, document_id, attempts, due_at)
       values ($1, $2, 'memo', 'a', 2, now() + interval '1 hour'), ($1, $3, 'memo', 'a', 0, null)`,
      [reader, old, kept],
    );
    for (const work of hourly) work();
    await eventually(() => receiver.ids, 1);
    expect(receiver.ids).toEqual([`evt_${kept}`]);
    const rows = await test.sql('select id::text from content_event order by id');
    expect(rows.map(({ id }) => id)).toEqual([kept, young]);
  });

  it('no longer block their documents if only their retries are left', async () => {
    receiver.ids.length = 0;
    const data = { name: 'other', url: receiver.url };
    const { body } = await test.http.post('/api/webhooks').send({ data }).expect(201);
    const [gone, kept] = [await log('c', 1), await log('c', 1)];
    await test.sql('delete from content_event where id = $1', [gone]);
    await test.sql(
      `insert into content_event_delivery (reader, event_id, type, document_id, attempts, due_at)
       values ($1, $2, 'memo', 'c', 2, now()), ($1, $3, 'memo', 'c', 0, null)`,
      [`webhook ${body.data.id}`, gone, kept],
    );
    for (const work of hourly) work();
    await eventually(() => test.sql('select 1 from content_event_delivery'), 0);
    expect(receiver.ids).toContain(`evt_${kept}`);
  });
});
