/**
 * Live reads with more clients. `RECONNECTS=1000 EVENTS=20000 LISTENERS=2000 npm run proofs -- live.proof` is
 * the long run.
 */
import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  ContentModule,
  type ContentService,
  defineCollectionType,
  getContentToken,
} from 'nestjs-content-api';
import { EventsModule } from 'nestjs-content-api/events';
import { makeTables } from '../support/app.ts';
import { reserveDatabase } from '../support/database.ts';
import { eventually } from './helpers.ts';
import { LiveClient } from './live-client.ts';

const RECONNECTS = Number(process.env['RECONNECTS'] ?? 150);
/** Least number of events in the log at the end of the reconnections. */
const EVENTS = Number(process.env['EVENTS'] ?? 0);
const LISTENERS = Number(process.env['LISTENERS'] ?? 200);
/** Documents that writers may be ahead of the clients: after 1000 tags, or 5000 events, a client reads everything. */
const AHEAD = 200;
/** Milliseconds for which most clients stay. In the long run each stays until it has read something. */
const STAY = EVENTS > 0 ? 60 : 3;

const post = defineCollectionType({
  singularApiId: 'post',
  pluralApiId: 'posts',
  draftAndPublish: true,
  attributes: { title: { type: 'string' } },
});
const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});

describe('live reads of two instances', () => {
  const database = reserveDatabase();
  const instances: { readonly app: INestApplication; readonly url: string }[] = [];

  const start = async (): Promise<void> => {
    const module = await Test.createTestingModule({
      imports: [
        ContentModule.forRoot({
          contentTypes: [post, note],
          database: { clientUrl: database.url },
          access: { public: { post: ['find', 'findOne'] } },
        }),
        EventsModule.forRoot({
          pollMilliseconds: 100,
          live: { secret: 'a secret of the proof, which is long enough', maxListeners: 10_000 },
        }),
      ],
    }).compile();
    if (instances.length === 0) await makeTables(module, database);
    const app = module.createNestApplication();
    app.useLogger(['fatal']);
    await app.listen(0, '127.0.0.1');
    instances.push({ app, url: await app.getUrl() });
  };
  const urlOf = (i: number): string => `${instances[i % instances.length]?.url ?? ''}/api/live`;
  const service = (i: number, type: string): ContentService => {
    const { app } = instances[i % instances.length] ?? {};
    if (app === undefined) throw new Error('No instance runs');
    return app.get(getContentToken(type), { strict: false });
  };

  beforeAll(async () => {
    await start();
    await start();
  });
  afterAll(async () => {
    await Promise.all(instances.map(({ app }) => app.close()));
    await database.drop();
  });

  /** Returns the position of a first client. It misses what is written before. */
  const positionOf = async (path: string): Promise<string | undefined> => {
    const client = await LiveClient.open(`${urlOf(0)}${path}`);
    await eventually(() => (client.lastId === undefined ? [] : [1]), 1);
    client.close();
    return client.lastId;
  };

  /** Reconnects to one instance after the other, from a position on, and returns the last one. */
  const follow = async (
    path: string,
    {
      from,
      isShort,
      read,
    }: {
      readonly from: string | undefined;
      readonly isShort: () => boolean;
      readonly read: (client: LiveClient) => void;
    },
  ): Promise<string | undefined> => {
    let lastId = from;
    for (let i = 0; i < RECONNECTS || isShort(); i += 1) {
      const client = await LiveClient.open(`${urlOf(i)}${path}`, lastId);
      await new Promise((done) => setTimeout(done, i % 7 === 0 ? 30 : STAY));
      if (EVENTS > 0) await eventually(() => (client.lastId === lastId ? [] : [1]), 1);
      client.close();
      expect(client.of('resync')).toEqual([]);
      read(client);
      ({ lastId } = client);
    }
    return lastId;
  };

  /**
   * Reads on until `missing` is empty. A client whose stream the server drops, because it reads more slowly
   * than the writers write, connects again.
   */
  const readOn = async (
    path: string,
    lastId: string | undefined,
    {
      read,
      missing,
    }: { readonly read: (client: LiveClient) => void; readonly missing: () => readonly unknown[] },
  ): Promise<void> => {
    const end = performance.now() + 20_000;
    let client = await LiveClient.open(`${urlOf(0)}${path}`, lastId);
    for (let left = 1; left > 0 && performance.now() < end; left = missing().length) {
      await new Promise((done) => setTimeout(done, 50));
      expect(client.of('resync')).toEqual([]);
      read(client);
      if (client.isClosed) client = await LiveClient.open(`${urlOf(0)}${path}`, client.lastId);
    }
    client.close();
    expect(missing()).toEqual([]);
  };

  it(`21.18, 21.20: ${RECONNECTS} reconnections to two instances miss nothing and show nothing hidden`, async () => {
    const [published, hidden] = [new Set<string>(), new Set<string>()];
    const first = await LiveClient.open(`${urlOf(0)}/posts`);
    await eventually(() => first.of('ready'), 1);
    const seen = new Set<string>();
    const stale = new Set<unknown>();
    const from = { posts: await positionOf('/posts'), tags: await positionOf('') };
    let isWriting = true;
    // A published post has two events, every other document one.
    const isShort = (): boolean => 2 * published.size + hidden.size < EVENTS;
    const writing = (async () => {
      for (let i = 0; isWriting; i += 1) {
        // Clients that missed thousands of events would have to read everything.
        while (isWriting && published.size - seen.size > AHEAD)
          await new Promise((done) => setTimeout(done, 5));
        const both = await Promise.all([
          service(i, 'post').create({ title: `${i}` }),
          service(i + 1, 'post').create({ title: `${i}` }),
        ]);
        for (const { documentId } of both) published.add(String(documentId));
        hidden.add(String((await service(i, 'note').create({ title: 'n' })).documentId));
        hidden.add(String((await service(i, 'post').create({ title: 'd' }, { status: 'draft' })).documentId));
      }
    })();
    const idOf = (event: unknown): string => (event as { documentId: string }).documentId;
    const readEvents = (client: LiveClient): void =>
      client.of('message').forEach((event) => seen.add(idOf(event)));
    const readTags = (client: LiveClient): void =>
      client
        .of('stale')
        .flat()
        .forEach((tag) => stale.add(tag));
    const followed = follow('/posts', { from: from.posts, isShort, read: readEvents });
    const tags = follow('', { from: from.tags, isShort, read: readTags });
    const [lastId, lastTags] = await Promise.all([followed, tags]).finally(() => {
      isWriting = false;
    });
    await writing;
    const notIn = (found: ReadonlySet<unknown>, wanted: Iterable<unknown>) => (): readonly unknown[] =>
      [...wanted].filter((one) => !found.has(one));
    await readOn('/posts', lastId, { read: readEvents, missing: notIn(seen, published) });
    expect([...hidden].filter((id) => seen.has(id))).toEqual([]);
    const tagOf = async (id: string): Promise<string> => {
      const response = await fetch(`${instances[0]?.url ?? ''}/api/posts/${id}`);
      return response.headers.get('content-tags') ?? '';
    };
    const expected = await Promise.all([...published].slice(0, 500).map(tagOf));
    await readOn('', lastTags, { read: readTags, missing: notIn(stale, expected) });
    // A change has the tag of its document, of its type, and of all changes.
    expect(stale.size).toBeLessThanOrEqual(published.size + 2);
    expect(published.size).toBeGreaterThan(RECONNECTS / 10);
    expect(isShort()).toBe(false);
    first.close();
  }, 1_200_000);

  it(`21.16: ${LISTENERS} listeners of both kinds get a change`, async () => {
    const clients: LiveClient[] = [];
    for (let i = 0; i < LISTENERS; i += 1)
      clients.push(await LiveClient.open(`${urlOf(i)}${i % 4 === 0 ? '/posts' : ''}`));
    const { documentId } = await service(0, 'post').create({ title: 'for all' });
    const isInformed = (client: LiveClient): boolean =>
      client.of('stale').length + client.of('message').length > 0;
    await eventually(() => clients.filter(isInformed), LISTENERS);
    expect(documentId).toBeDefined();
    for (const client of clients) client.close();
  }, 1_200_000);
});
