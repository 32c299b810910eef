/** The event log is read only while a process has receivers. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineCollectionType } from 'nestjs-content-api';
import { EventsModule, webhookType } from 'nestjs-content-api/events';
import { countStatements, createTestApp, type TestApp } from '../support/app.ts';
import { eventually } from './helpers.ts';
import { LiveClient } from './live-client.ts';

const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  attributes: { title: { type: 'string' } },
});

/** Milliseconds in which a process that reads the log does so several times. */
const MOMENT = 150;

describe('a process without receivers', () => {
  const received: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (bytes: Buffer) => (text += bytes.toString()));
    request.on('end', () => {
      received.push((JSON.parse(text) as { entry: { documentId: string } }).entry.documentId);
      response.end();
    });
  });
  let test: TestApp;
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    test = await createTestApp({
      contentTypes: [memo, webhookType],
      access: { public: { '*': '*' } },
      imports: [
        EventsModule.forRoot({
          pollMilliseconds: 50,
          live: { secret: 'a secret of the tests, which is long enough' },
          webhooks: { allow: ['localhost'] },
        }),
      ],
    });
  });
  afterAll(async () => {
    await test.close();
    server.closeAllConnections();
    server.close();
  });

  const create = async (): Promise<string> => {
    const { body } = await test.http
      .post('/api/memos')
      .send({ data: { title: 'A' } })
      .expect(201);
    return (body as { data: { documentId: string } }).data.documentId;
  };
  /** Returns the statements that read the log while documents are created, and for a moment afterwards. */
  const readsOfLog = async (count: number): Promise<string[]> => {
    const statements = await countStatements(async () => {
      for (let i = 0; i < count; i += 1) await create();
      await new Promise((done) => setTimeout(done, MOMENT));
    });
    return statements.filter((text) => /pg_current_snapshot|from "content_event/.test(text));
  };
  const isResting = async (): Promise<number[]> => ((await readsOfLog(1)).length === 0 ? [] : [1]);

  it('reads nothing of the log', async () => {
    expect(await readsOfLog(30)).toEqual([]);
  });

  it('21.18, 21.20: reads it for a stream, which gets what comes after its opening and nothing before', async () => {
    const former = await LiveClient.open(`${test.url}/api/live/memos`);
    await former.first();
    former.close();
    await eventually(isResting, 0);
    const client = await LiveClient.open(`${test.url}/api/live/memos`);
    await client.first();
    const ids = [await create(), await create()];
    await eventually(() => client.of('message'), 2);
    expect(client.of('message')).toMatchObject(ids.map((documentId) => ({ documentId })));
    client.close();
    await eventually(isResting, 0);
    // A client that comes back reads what nothing has read in between.
    const missed = await create();
    const again = await LiveClient.open(`${test.url}/api/live/memos`, client.lastId);
    await eventually(() => again.of('message').filter((one) => JSON.stringify(one).includes(missed)), 1);
    again.close();
    await eventually(isResting, 0);
  });

  it('21.5: reads it for a webhook from its creation to its end', async () => {
    await create();
    const { port } = server.address() as AddressInfo;
    const made = await test.http
      .post('/api/webhooks')
      .send({ data: { name: 'site', url: `http://localhost:${port}/` } })
      .expect(201);
    const ids = [await create(), await create()];
    await eventually(() => received, 2);
    expect(received.toSorted()).toEqual(ids.toSorted());
    const path = `/api/webhooks/${(made.body as { data: { id: string } }).data.id}`;
    await test.http
      .put(path)
      .send({ data: { enabled: false } })
      .expect(200);
    await eventually(isResting, 0);
    const later = await create();
    await test.http
      .put(path)
      .send({ data: { enabled: true } })
      .expect(200);
    // It continues where it stopped.
    await eventually(() => received.filter((id) => id === later), 1);
    await test.http.delete(path).expect(204);
    await eventually(isResting, 0);
  });
});
