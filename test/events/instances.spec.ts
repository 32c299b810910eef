/** Several instances of an application, restarts, and restored databases. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  CONTENT_ORM,
  ContentModule,
  type ContentService,
  defineCollectionType,
  getContentToken,
} from 'nestjs-content-api';
import { EventsModule, type LoggedEvent, OnContentEvent } from 'nestjs-content-api/events';
import pg from 'pg';
import type * as StatementsRoom from '../../src/features/events/compile-readers.ts';
import type * as FeedRoom from '../../src/features/events/event-feed.ts';
import type * as LogRoom from '../../src/features/events/event-log.ts';
import type * as WorkerRoom from '../../src/features/events/reader-worker.ts';
import { makeTables } from '../support/app.ts';
import { reserveDatabase } from '../support/database.ts';
import { loadRoom } from '../support/rooms.ts';
import { eventually, logEvents } from './helpers.ts';

const { EventFeed } = await loadRoom<typeof FeedRoom>('features/events/event-feed');
const { EventLog } = await loadRoom<typeof LogRoom>('features/events/event-log');
const { compileHold } = await loadRoom<typeof StatementsRoom>('features/events/compile-readers');
const { ReaderWorker } = await loadRoom<typeof WorkerRoom>('features/events/reader-worker');

const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  attributes: { title: { type: 'string' } },
});

const seen: { readonly instance: number; readonly event: LoggedEvent }[] = [];

let instances = 0;
/** Milliseconds that a handler takes. */
let delay = 0;

@Injectable()
class Handlers {
  private readonly instance = (instances += 1);

  @OnContentEvent('memos')
  async note(event: LoggedEvent): Promise<void> {
    seen.push({ instance: this.instance, event });
    await new Promise((done) => setTimeout(done, delay));
  }
}

const instanceOn = (clientUrl: string): Promise<TestingModule> =>
  Test.createTestingModule({
    imports: [
      ContentModule.forRoot({ contentTypes: [memo], database: { clientUrl } }),
      EventsModule.forRoot({ pollMilliseconds: 50 }),
    ],
    // A provider with several tokens has each handler once.
    providers: [Handlers, { provide: 'MEMOS', useExisting: Handlers }],
  }).compile();

describe('an application whose tables are missing at the start', () => {
  it('handles the events after their creation', async () => {
    seen.length = 0;
    const database = reserveDatabase();
    const module = await instanceOn(database.url);
    module.useLogger(false);
    await database.make();
    await module.init();
    await module.get<MikroORM>(CONTENT_ORM, { strict: false }).schema.create();
    const memos: ContentService = module.get(getContentToken('memo'), { strict: false });
    const look = async (): Promise<typeof seen> => {
      // A timer does it every 5 s.
      module.get(ReaderWorker).round();
      await memos.create({ title: 'A' });
      return seen.slice(0, 1);
    };
    await eventually(look, 1);
    await module.close();
    await database.drop();
  });
});

describe('instances of an application', () => {
  const database = reserveDatabase();
  const client = new pg.Client({ connectionString: database.url });
  let hasTables = false;

  const start = async (): Promise<TestingModule> => {
    const module = await instanceOn(database.url);
    module.useLogger(['fatal']);
    if (!hasTables) await makeTables(module, database);
    hasTables = true;
    await module.init();
    return module;
  };
  const memosOf = (module: TestingModule): ContentService =>
    module.get(getContentToken('memo'), { strict: false });
  const write = async (module: TestingModule, count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) await memosOf(module).create({ title: `${i}` });
  };
  const sql = async (text: string): Promise<Record<string, unknown>[]> =>
    (await client.query<Record<string, unknown>>(text)).rows;

  let first: TestingModule;
  beforeAll(async () => {
    first = await start();
    await client.connect();
  });
  beforeEach(() => {
    seen.length = 0;
  });
  afterAll(async () => {
    await client.end();
    await first.close();
    await database.drop();
  });

  it('handle each event once; another continues when one shuts down', async () => {
    await write(first, 1);
    await eventually(() => seen, 1);
    const second = await start();
    await Promise.all([write(first, 10), write(second, 9)]);
    await eventually(() => seen, 20);
    expect(new Set(seen.map(({ instance }) => instance)).size).toBe(1);
    // An instance that delivers nothing does not read the log.
    expect(second.get(EventFeed).polls).toBe(0);
    await first.close();
    // A timer does it every 5 s.
    second.get(ReaderWorker).round();
    await write(second, 3);
    await eventually(() => seen, 23);
    expect(new Set(seen.map(({ event }) => event.id)).size).toBe(23);
    expect(new Set(seen.map(({ instance }) => instance)).size).toBe(2);
    first = second;
  });

  it('get the events that were logged while none ran', async () => {
    await first.close();
    await sql(logEvents(1, { documentId: 'away', action: 'update' }));
    first = await start();
    await eventually(() => seen, 1);
    expect(seen[0]?.event.documentId).toBe('away');
  });

  it('shut down without the rest of a batch, which the next one handles in order', async () => {
    await first.close();
    await sql(logEvents(150, { documentId: 'slow', action: 'update' }));
    delay = 100;
    first = await start();
    await eventually(() => seen.slice(0, 2), 2);
    await first.close();
    expect(seen.length).toBeLessThan(100);
    delay = 0;
    first = await start();
    await eventually(() => seen, 150);
    const ids = seen.map(({ event }) => Number(event.id.slice('evt_'.length)));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  it('keep the lease of a reader while they shut down, until its handler has ended', async () => {
    delay = 7000;
    await write(first, 1);
    await eventually(() => seen, 1);
    const closing = first.close();
    const [owner] = await sql('select owner from content_event_reader');
    await sql(`update content_event_reader set until = now() + interval '5.5 seconds'`);
    // A timer renews leases every 5 s.
    await sleep(6000);
    expect(await sql('select owner from content_event_reader where until > now()')).toEqual([owner]);
    await closing;
    delay = 0;
    first = await start();
    await write(first, 1);
    await eventually(() => seen, 2);
    expect(new Set(seen.map(({ event }) => event.id)).size).toBe(2);
  });

  it('lose a lease with the server on which it began', async () => {
    const { file } = first.get(EventLog);
    const [row] = await sql(`select name, owner, until > now() as held,
      extract(epoch from pg_postmaster_start_time())::text as server from content_event_reader`);
    expect(row?.['held']).toBe(true);
    const held = async (server: string): Promise<number> => {
      const { text, values } = compileHold(file, {
        name: String(row?.['name']),
        owner: String(row?.['owner']),
        server,
      });
      return (await client.query(text, [...values])).rows.length;
    };
    expect(await held(String(row?.['server']))).toBe(1);
    expect(await held('1')).toBe(0);
  });

  it('lose no event of a database that was restored on another server', async () => {
    await write(first, 2);
    await eventually(() => seen, 2);
    await first.close();
    // Transaction ids and snapshots of a server that is far ahead of this one.
    await sql(logEvents(1, { documentId: 'restored', action: 'update', transaction: '900000007' }));
    await sql(`update content_event set xid = '900000001' where document_id <> 'restored'`);
    await sql(`update content_event_reader set base = '900000005:900000005:', target = null, after = 0`);
    first = await start();
    await eventually(() => seen, 3);
    expect(seen[2]?.event.documentId).toBe('restored');
    await write(first, 1);
    await eventually(() => seen, 4);
  });
});
