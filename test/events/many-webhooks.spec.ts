/** Many webhooks leave connections of the pool to requests. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestApp } from '../support/app.ts';
import { poolOf } from '../support/pool-of.ts';
import { LocalServer } from '../support/local-server.ts';
import { watchQueries } from '../support/watch-queries.ts';
import { eventually } from './helpers.ts';
import { startEvents } from './start-events.ts';

class Receiver extends LocalServer {
  readonly paths: string[] = [];
  protected respond(_text: string, { url = '' }: IncomingMessage, response: ServerResponse): void {
    this.paths.push(url);
    response.end();
  }
}

const WEBHOOKS = 30;
/** Connections that deliveries use at most: two of the readers of the log, four for the bodies. */
const USED = 6;
/** Connections of the request, of the leases and of the feed. */
const OTHERS = 3;

describe('30 webhooks', () => {
  const receiver = new Receiver();
  let test: TestApp;
  beforeAll(async () => {
    await receiver.start();
    const endpoints = Array.from({ length: WEBHOOKS }, (_, i) => ({
      name: `site ${i}`,
      url: `${receiver.url}/${i}`,
      secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    }));
    test = await startEvents({ webhooks: { endpoints } });
  });
  afterAll(async () => {
    await test.close();
    receiver.stop();
  });

  it('get all events, over few connections', async () => {
    const pool = await poolOf(test.app);
    let most = 0;
    const note = (): void => void (most = Math.max(most, pool.totalCount - pool.idleCount));
    await watchQueries(note, async () => {
      for (const title of ['A', 'B', 'C', 'D'])
        await test.http.post('/api/memos').send({ data: { title } }).expect(201);
      await eventually(() => receiver.paths, 4 * WEBHOOKS);
    });
    expect(most).toBeLessThanOrEqual(USED + OTHERS);
  });
});
