/** Log lines of slow requests, and names of statements and connections in the database. */
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ContentModule } from 'nestjs-content-api';
import { EventsModule } from 'nestjs-content-api/events';
import { LiveClient } from '../events/live-client.ts';
import { startHost } from '../http/helpers.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { lookUntil } from '../support/look-until.ts';
import { note } from '../support/notes.ts';
import { textsOf } from '../support/upkeep.ts';
import { watchQueries } from '../support/watch-queries.ts';

/** Milliseconds from which a request is logged. */
const SLOW = 200;

const titles = { ...note, draftAndPublish: true };

describe.each(ADAPTERS)('slow requests on %s', (adapter) => {
  let test: TestApp;
  const lines: string[] = [];
  beforeAll(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line) => void lines.push(String(line)));
    test = await createTestApp(
      {
        contentTypes: [note],
        access: { public: { note: '*' } },
        monitoring: { slowRequest: SLOW },
        imports: [
          EventsModule.forRoot({ live: { secret: 'a secret of at least 32 characters, for tests' } }),
        ],
      },
      adapter,
    );
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await test.close();
  });

  const slow = (): string[] => lines.filter((line) => line.startsWith('Slow'));
  const slowly = async (work: () => PromiseLike<unknown>): Promise<string[]> => {
    lines.splice(0);
    const lock = await test.connect();
    await lock.query('begin; lock table notes in access exclusive mode');
    const answered = Promise.resolve(work());
    await sleep(300);
    await lock.query('rollback');
    await lock.end();
    await answered;
    return lookUntil(slow, ({ length }) => length > 0);
  };

  it('are logged with route, duration, id and statement, and without their query', async () => {
    const [line, ...others] = await slowly(() =>
      test.http.get('/api/notes?filters[title]=secret').set('x-request-id', 'r1'),
    );
    expect(line).toMatch(
      /^Slow request: GET \/api\/notes took \d{3,} ms \(2xx, request r1, statement note\.find content_[0-9a-f]{32}\)$/,
    );
    expect(others).toEqual([]);
  });

  it('are logged with the action of a write', async () => {
    const [line] = await slowly(() =>
      test.http.post('/api/notes').set('x-request-id', 'r2').send({ data: {} }),
    );
    expect(line).toMatch(
      /^Slow request: POST \/api\/notes took \d{3,} ms \(2xx, request r2, note\.create\)$/,
    );
  });

  it('are not streams of events, which last as long as their page is open', async () => {
    lines.splice(0);
    const stream = await LiveClient.open(`${test.url}/api/live`);
    await sleep(300);
    stream.close();
    await sleep(50);
    expect(slow()).toEqual([]);
  });

  it('are not logged when they are fast', async () => {
    lines.splice(0);
    let requests = 0;
    const milliseconds = async (): Promise<number> => {
      const started = performance.now();
      await test.http
        .get('/api/notes')
        .set('x-request-id', `fast-${(requests += 1)}`)
        .expect(200);
      return performance.now() - started;
    };
    // A busy machine may need several requests until one is fast.
    expect(await lookUntil(milliseconds, (took) => took < SLOW)).toBeLessThan(SLOW);
    await sleep(20);
    expect(slow().filter((line) => line.includes(`request fast-${requests}`))).toEqual([]);
  });
});

describe('names in the database', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({ contentTypes: [titles], access: { public: { note: '*' } }, cache: false });
  });
  afterAll(() => test.close());

  const labels = async (work: () => PromiseLike<unknown>): Promise<string[]> => {
    const found: string[] = [];
    await watchQueries(
      (query) => found.push(...textsOf(query).flatMap((text) => /^\/\* (\S+) \*\/ /.exec(text)?.[1] ?? [])),
      async () => void (await work()),
    );
    return found;
  };

  it('statements begin with type and action, whatever the client sends', async () => {
    expect(await labels(() => test.http.get('/api/notes?filters[title]=*/ x'))).toEqual(['note.find']);
    expect(await labels(() => test.http.get('/api/notes/unknown'))).toEqual(['note.findOne']);
    const { body } = await test.http.post('/api/notes?status=draft').send({ data: { title: 'x' } });
    const at = `/api/notes/${String(body.data.documentId)}`;
    expect(await labels(() => test.http.put(at).send({ data: { title: 'y' } }))).toEqual(
      expect.arrayContaining(['note.load', 'note.write']),
    );
    expect(await labels(() => test.http.delete(at))).toEqual(expect.arrayContaining(['note.delete']));
  });

  it('connections have the name of the library, unless the URL or the environment names them', async () => {
    const nameOf = async (url: (url: string) => string): Promise<unknown> => {
      const host = await startHost(
        (database) => ({
          imports: [
            ContentModule.forRoot({ contentTypes: [note], database: { clientUrl: url(database.url) } }),
          ],
        }),
        { tables: true },
      );
      await fetch(`${host.url}/api/notes`);
      const rows = await host.sql(
        `select distinct application_name as name from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
      await host.close();
      return rows.map(({ name }) => name);
    };
    expect(await nameOf((url) => url)).toEqual(['nestjs-content-api']);
    const named = (url: string): string => `${url}${url.includes('?') ? '&' : '?'}application_name=shop`;
    expect(await nameOf(named)).toEqual(['shop']);
  });
});
