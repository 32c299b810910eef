/** The stream of stale tags. */
import type * as FeedRoom from '../../src/features/events/event-feed.ts';
import type * as LiveKeyRoom from '../../src/features/events/live/live-key.ts';
import type * as PositionsRoom from '../../src/features/events/live/positions.ts';
import { ADAPTERS, countStatements } from '../support/app.ts';
import { loadRoom } from '../support/rooms.ts';
import { eventually, writeDuring } from './helpers.ts';
import { LiveApp, SECRET, stale } from './live-app.ts';

const { EventFeed } = await loadRoom<typeof FeedRoom>('features/events/event-feed');
const { Positions } = await loadRoom<typeof PositionsRoom>('features/events/live/positions');
const { liveKey } = await loadRoom<typeof LiveKeyRoom>('features/events/live/live-key');

describe.each(ADAPTERS)('the stream of stale tags on %s', (adapter) => {
  let live: LiveApp;
  beforeAll(async () => {
    live = await LiveApp.start(adapter);
  });
  afterEach(() => live.reset());
  afterAll(() => live.test.close());

  it('21.16: sends the tags of changed content, and its headers forbid caches and buffers', async () => {
    const id = await live.create('articles', { title: 'A' });
    const other = await live.create('articles', { title: 'B' });
    const client = await live.open();
    expect(client.of('ready')).toEqual([{}]);
    expect(client.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    const found = await live.staleBy(client, () => live.put(`articles/${id}`, { title: 'A2' }));
    for (const path of ['articles', `articles/${id}`, 'articles?populate=section'])
      expect((await live.tagsOf(path))?.some((tag) => found.has(tag))).toBe(true);
    for (const path of [`articles/${other}`, 'sections'])
      expect((await live.tagsOf(path))?.some((tag) => found.has(tag))).toBe(false);
  });

  it('21.17: sends nothing of drafts, private types and types without events', async () => {
    const draft = await live.create('articles?status=draft', { title: 'D' });
    const client = await live.open();
    const found = await live.staleBy(client, async () => {
      await live.put(`articles/${draft}?status=draft`, { title: 'D2' });
      await live.remove(`articles/${draft}`);
      await live.create('memos', { text: 'M' });
      await live.create('silents', { title: 'S' });
    });
    // The type of the last change, its document, and the tag of all changes.
    expect(found.size).toBe(3);
    expect((await live.tagsOf('articles'))?.some((tag) => found.has(tag))).toBe(false);
  });

  it('21.16: sends the tag of a response that lost a link to another document', async () => {
    const id = await live.create('articles', { title: 'A' });
    const first = await live.create('sections', { name: '1', articles: [id] });
    const second = await live.create('sections', { name: '2' });
    const path = `sections/${first}?populate=articles`;
    const { body: before } = await live.test.http.get(`/api/${path}`).expect(200);
    expect((before as { data: { articles: object[] } }).data.articles).toHaveLength(1);
    const client = await live.open();
    const found = await live.staleBy(client, () => live.put(`sections/${second}`, { articles: [id] }));
    const { body: after } = await live.test.http.get(`/api/${path}`).expect(200);
    expect((after as { data: { articles: object[] } }).data.articles).toHaveLength(0);
    expect((await live.tagsOf(path))?.some((tag) => found.has(tag))).toBe(true);
  });

  it('21.16: sends the tag of a document whose own links another document has changed', async () => {
    const id = await live.create('articles', { title: 'A' });
    const topic = await live.create('topics', {});
    const section = await live.create('sections', { name: '1', articles: [id] });
    const client = await live.open();
    for (const write of [
      () => live.put(`topics/${topic}`, { articles: [id] }),
      () => live.remove(`topics/${topic}`),
      () => live.remove(`sections/${section}`),
    ]) {
      const { body: before } = await live.test.http.get(`/api/articles/${id}`).expect(200);
      const found = await live.staleBy(client, write);
      const { body: after } = await live.test.http.get(`/api/articles/${id}`).expect(200);
      expect(after).not.toEqual(before);
      expect((await live.tagsOf(`articles/${id}`))?.some((tag) => found.has(tag))).toBe(true);
      expect((await live.tagsOf('articles'))?.some((tag) => found.has(tag))).toBe(true);
    }
  });

  it('21.18: resumes after Last-Event-ID without a gap, 200 times while clients write', async () => {
    const expected = new Set<string>();
    const seen = new Set<unknown>();
    let lastId = (await live.open()).lastId;
    const reconnect = async (): Promise<void> => {
      for (let i = 0; i < 200; i += 1) {
        const client = await live.open('', { lastId });
        // Some leave before they receive anything.
        if (i % 5 === 0) await client.first();
        client.close();
        expect(client.of('resync')).toEqual([]);
        for (const tag of stale(client)) seen.add(tag);
        ({ lastId } = client);
      }
    };
    await writeDuring(reconnect, async () => {
      const id = await live.create('articles', { title: 'N' });
      const [tag = ''] = (await live.tagsOf(`articles/${id}`)) ?? [];
      expected.add(tag);
    });
    const client = await live.open('', { lastId });
    const missing = () => [...expected].filter((tag) => !seen.has(tag) && !stale(client).has(tag));
    await eventually(missing, 0);
    expect(seen.size).toBeGreaterThan(20);
  });

  it('21.18: tells a client to read everything after too many events, an unknown id, and a restored log', async () => {
    const before = await live.open();
    const { lastId } = before;
    before.close();
    await live.backlog(5200);
    await live.settled(await live.open());
    const feed = live.test.app.get(EventFeed);
    const position = feed.position ?? { cursor: { base: '1:1:', target: null, after: '0' }, server: '' };
    const positions = new Positions(
      liveKey({ live: { secret: SECRET, maxListeners: 1, heartbeatSeconds: 1 } }, 'positions'),
      30,
    );
    const foreign = positions.seal({ ...position, server: 'another' });
    const old = positions.seal({ ...position, at: Date.now() - 29.5 * 86_400_000 });
    const beforeMoreDays = positions.seal({ ...position, at: Date.now() - 2.5 * 86_400_000, days: 3 });
    for (const id of [lastId, 'evt_1', foreign, old, beforeMoreDays]) {
      const client = await live.open('', { lastId: id });
      await eventually(() => client.messages.slice(0, 1), 1);
      expect(client.messages[0]?.event).toBe('resync');
    }
    const at = Date.now() - 28 * 86_400_000;
    const recent = await live.open('', { lastId: positions.seal({ ...position, at }) });
    await live.settled(recent);
    expect(recent.of('resync')).toEqual([]);
  });

  it('21.18: a heartbeat moves the position of a silent client', async () => {
    const client = await live.open();
    await live.settled(client);
    client.messages.length = 0;
    const { lastId } = client;
    await eventually(() => (client.lastId === lastId ? [] : [1]), 1);
    expect(client.messages).toEqual([]);
  });

  it('runs no statement for a listener', async () => {
    await live.open();
    const feed = live.test.app.get(EventFeed);
    const { polls } = feed;
    const statements = await countStatements(async () => {
      for (let i = 0; i < 10; i += 1) await live.open();
      await eventually(() => (feed.polls > polls + 1 ? [1] : []), 1);
    });
    // Polls of the feed alone: each has one statement, and another after a change.
    const isPoll = (text: string): boolean => /pg_postmaster_start_time|content_event/.test(text);
    expect(statements.filter((text) => !isPoll(text))).toEqual([]);
    expect(statements.length).toBeLessThanOrEqual(2 * (feed.polls - polls + 1));
  });

  it('drops a client that does not read, which then resumes', async () => {
    const client = await live.open();
    await live.settled(client);
    const { lastId } = client;
    for (const socket of live.sockets) if (!socket.destroyed) socket.cork();
    await live.backlog(4000);
    await eventually(() => (client.isClosed ? [1] : []), 1);
    for (const socket of live.sockets) if (!socket.destroyed) socket.uncork();
    const again = await live.open('', { lastId });
    await eventually(() => again.messages.slice(0, 1), 1);
  });

  it('responds with 503 and Retry-After at the limit of listeners', async () => {
    const last = await live.open();
    for (let i = 0; i < 11; i += 1) await live.open();
    const { headers, body } = await live.test.http.get('/api/live').expect(503);
    expect(headers['retry-after']).toBe('1');
    expect(body).toMatchObject({ error: { details: { limit: 'live.maxListeners', allowed: 12 } } });
    last.close();
    await eventually(async () => ((await live.test.http.head('/api/live')).status === 200 ? [1] : []), 1);
  });

  it('refuses parameters, and responds to HEAD without a stream', async () => {
    await live.test.http.get('/api/live?filters[title]=A').expect(400);
    const { headers } = await live.test.http.head('/api/live').expect(200);
    expect(headers['content-type']).toContain('text/event-stream');
    await live.test.http.post('/api/live').send({}).expect(405);
  });
});
