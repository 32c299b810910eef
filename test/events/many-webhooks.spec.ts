/** Many webhooks leave connections of the pool to requests. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MikroORM } from '@mikro-orm/postgresql';
import { CONTENT_ORM, defineCollectionType } from 'nestjs-content-api';
import { EventsModule } from 'nestjs-content-api/events';
import { createTestApp, type TestApp } from '../support/app.ts';
import { watchQueries } from '../support/watch-queries.ts';
import { eventually } from './helpers.ts';

const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  attributes: { title: { type: 'string' } },
});

const WEBHOOKS = 30;
/** Connections that deliveries use at most: two of the readers of the log, four for the bodies. */
const USED = 6;
/** Connections of the request, of the leases and of the feed. */
const OTHERS = 3;

describe('30 webhooks', () => {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(request.url ?? '');
    request.resume().on('end', () => response.end());
  });
  let test: TestApp;
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const endpoints = Array.from({ length: WEBHOOKS }, (_, i) => ({
      name: `site ${i}`,
      url: `http://localhost:${port}/${i}`,
      secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    }));
    test = await createTestApp({
      contentTypes: [memo],
      access: { public: { memo: '*' } },
      imports: [
        EventsModule.forRoot({ pollMilliseconds: 50, webhooks: { allow: ['localhost'], endpoints } }),
      ],
    });
  });
  afterAll(async () => {
    await test.close();
    server.closeAllConnections();
    server.close();
  });

  it('get all events, over few connections', async () => {
    const connection = test.app.get<MikroORM>(CONTENT_ORM, { strict: false }).em.getConnection();
    const pool = await (
      connection as unknown as {
        getNativeClient(): Promise<{ readonly totalCount: number; readonly idleCount: number }>;
      }
    ).getNativeClient();
    let most = 0;
    const note = (): void => void (most = Math.max(most, pool.totalCount - pool.idleCount));
    await watchQueries(note, async () => {
      for (const title of ['A', 'B', 'C', 'D'])
        await test.http.post('/api/memos').send({ data: { title } }).expect(201);
      await eventually(() => received, 4 * WEBHOOKS);
    });
    expect(most).toBeLessThanOrEqual(USED + OTHERS);
  });
});
