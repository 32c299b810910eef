/** Metrics of a process: as numbers, and in the text format of Prometheus. */
import { Injectable } from '@nestjs/common';
import {
  AfterContent,
  BeforeContent,
  ContentError,
  type ContentEvent,
  ContentMetrics,
  type ContentMetricsSnapshot,
  OnContentCommitted,
} from 'nestjs-content-api';
import type * as Worker from '../../src/cache/change-log-worker.ts';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scheduled } from '../fixtures/scheduled.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { lookUntil } from '../support/look-until.ts';
import { loadRoom } from '../support/rooms.ts';
import { snippetWith } from '../support/snippets.ts';

const { ChangeLogWorker } = await loadRoom<typeof Worker>('cache/change-log-worker');

@Injectable()
class Watcher {
  @BeforeContent('page', 'create')
  before({ data }: ContentEvent): void {
    if (data['title'] === 'refused') throw new ContentError('ApplicationError', 'refused', { limit: 'mine' });
  }

  @AfterContent('page', 'create')
  after(): void {
    // Runs in the transaction.
  }

  @OnContentCommitted('page', 'create')
  committed({ document }: ContentEvent): void {
    if (document?.['title'] === 'late') throw new Error('a defect of the application');
  }
}

const { MetricsController } = await snippetWith<{ MetricsController: new () => object }>(
  'docs/operation.md',
  'class MetricsController',
);

/** A line of the text format: comment, or name, labels and value. */
const LINE =
  /^(?:# (?:HELP|TYPE) content_\w+ .+|content_\w+(?:\{\w+="[^"\n]*"(?:,\w+="[^"\n]*")*\})? [-+\d.eInf]+)$/;

describe.each(ADAPTERS)('metrics on %s', (adapter) => {
  let test: TestApp;
  let folder: string;
  let metrics: ContentMetrics;
  const now = (): ContentMetricsSnapshot => metrics.snapshot();
  const create = (title: string) => test.http.post('/api/pages').send({ data: { title } });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'content-metrics-'));
    test = await createTestApp(
      {
        ...scheduled,
        access: { public: { page: '*', file: '*' } },
        monitoring: { durations: true },
        schedule: { everySeconds: 1 },
        imports: [FilesModule.forRoot({ storage: new LocalStorage(folder), images: null })],
        providers: [Watcher],
      },
      adapter,
    );
    metrics = test.app.get(ContentMetrics, { strict: false });
  });
  afterAll(async () => {
    await test.close();
    rmSync(folder, { recursive: true });
  });

  const durationOf = (route: string, method: string, status: string) =>
    now().requests.find((one) => one.route === route && one.method === method && one.status === status);

  it('count responses by route, method and class of status, never by URL', async () => {
    const { body } = await create('one').expect(201);
    const id = String(body.data.documentId);
    for (const path of [
      `/api/pages/${id}`,
      `/api/pages/${id}/?fields=title`,
      '/api/pages/unknown',
      '/api/pages',
    ])
      await test.http.get(path);
    await test.http.head('/api/pages').expect(200);
    await test.http.get('/api/pages?filters[no]=1').expect(400);
    await test.http.get('/api/pages/a/b/c').expect(404);
    await lookUntil(
      () => durationOf('none', 'GET', '4xx'),
      (duration) => duration !== undefined,
    );
    const one = '/api/pages/:documentId';
    expect(durationOf(one, 'GET', '2xx')?.count).toBe(2);
    expect(durationOf(one, 'GET', '4xx')?.count).toBe(1);
    expect(durationOf('/api/pages', 'GET', '2xx')?.count).toBe(1);
    expect(durationOf('/api/pages', 'HEAD', '2xx')?.count).toBe(1);
    expect(durationOf('/api/pages', 'GET', '4xx')?.count).toBe(1);
    expect(durationOf('/api/pages', 'POST', '2xx')?.count).toBe(1);
    expect(durationOf('none', 'GET', '4xx')?.count).toBe(1);
    const { milliseconds = 0, buckets = [], count } = durationOf(one, 'GET', '2xx') ?? {};
    expect(milliseconds).toBeGreaterThan(0);
    expect(buckets).toHaveLength(now().bounds.length);
    expect(buckets.at(-1)).toBe(count);
    expect([...buckets].sort((a, b) => a - b)).toEqual(buckets);
  });

  it('count refusals by status and cause', async () => {
    await create('refused').expect(400);
    await test.http.get('/api/pages/unknown').expect(404);
    const refusals = now().refusals.map(({ status, cause }) => `${status} ${cause}`);
    expect(refusals).toEqual(expect.arrayContaining(['400 mine', '404 NotFoundError']));
    const before = now().refusals.find(({ cause }) => cause === 'mine')?.count ?? 0;
    await create('refused').expect(400);
    expect(now().refusals.find(({ cause }) => cause === 'mine')?.count).toBe(before + 1);
  });

  it('count 503s of an unreachable table as those of the database', async () => {
    await test.sql('alter table pages rename to elsewhere');
    await test.http.get('/api/pages?sort=title').expect(503);
    await test.sql('alter table elsewhere rename to pages');
    await test.app.get(ChangeLogWorker, { strict: false }).maintain();
    expect(now().refusals).toContainEqual({ status: 503, cause: 'database', count: 1 });
  });

  it('count hooks and their failures', async () => {
    const countsOf = () => Object.fromEntries(now().hooks.map((one) => [one.moment, one]));
    const before = countsOf();
    await create('late').expect(201);
    await create('refused').expect(400);
    const after = countsOf();
    const grown = (moment: string, key: 'runs' | 'failures'): number =>
      (after[moment]?.[key] ?? 0) - (before[moment]?.[key] ?? 0);
    expect([grown('before', 'runs'), grown('before', 'failures')]).toEqual([2, 1]);
    expect([grown('after', 'runs'), grown('after', 'failures')]).toEqual([1, 0]);
    expect([grown('committed', 'runs'), grown('committed', 'failures')]).toEqual([1, 1]);
  });

  it('count scheduled actions and their searches', async () => {
    const { body } = await test.http.post('/api/pages?status=draft').send({ data: { title: 'later' } });
    const times = { publishAt: new Date(Date.now() + 50).toISOString() };
    const before = now().schedules;
    await test.http
      .put(`/api/pages/${body.data.documentId}/actions/schedule`)
      .send({ data: times })
      .expect(200);
    await lookUntil(now, ({ schedules }) => schedules.done > before.done);
    expect(now().schedules.done).toBe(before.done + 1);
    expect(now().schedules.searches).toBeGreaterThanOrEqual(before.searches);
    expect(now().schedules).toMatchObject({ failed: 0, retried: 0, failedSearches: 0 });
  });

  it('count uploads', async () => {
    await test.http.post('/api/upload').attach('files', Buffer.from('hello'), 'a.txt').expect(201);
    expect(now().parts['files']).toEqual({ uploaded: 1, uploadedBytes: 5, removed: 0, failedRemovals: 0 });
  });

  it('show the pool, its queues, the cache and the change log', async () => {
    await test.http.get('/api/pages');
    // A response is kept once the change log has been checked after the writes above. On a busy machine a check
    // can be refused, which switches the cache off until the next one.
    const { pool, queues, cache, changeLog } = await lookUntil(
      async () => {
        await test.http.get('/api/pages');
        return now();
      },
      (seen) => seen.cache.isOn && seen.cache.hits > 0,
    );
    // Maintenance may use a connection at the same time.
    const { max = 0, used = 0, idle = 0 } = pool ?? {};
    expect(used + idle).toBeGreaterThan(0);
    expect(used + idle).toBeLessThanOrEqual(max);
    expect(queues.map(({ kind }) => kind)).toEqual(['own', 'read', 'heavy', 'slow', 'write', 'document']);
    expect(queues.filter(({ kind, active, waiting }) => kind !== 'own' && active + waiting > 0)).toEqual([]);
    expect(cache.isOn).toBe(true);
    expect(cache.hits).toBeGreaterThan(0);
    expect(changeLog).toMatchObject({ isComplete: true, polls: cache.checks });
    expect(changeLog.sincePoll).toBeGreaterThanOrEqual(0);
  });

  it('show requests that wait for a connection', async () => {
    const lock = await test.connect();
    await lock.query('begin; lock table pages in access exclusive mode');
    const asked = Array.from({ length: 30 }, (_, i) =>
      test.http.get(`/api/pages?filters[title]=${i}&sort=title`),
    );
    const answered = Promise.all(asked);
    const { pool, queues } = await lookUntil(now, (seen) => seen.queues.some(({ waiting }) => waiting > 0));
    await lock.query('rollback');
    await lock.end();
    await answered;
    expect(pool?.used).toBeGreaterThan(0);
    expect(queues.reduce((sum, { waiting }) => sum + waiting, 0)).toBeGreaterThan(0);
  });

  it('are valid text for Prometheus, also through the controller of the documentation', async () => {
    const text = metrics.prometheus();
    const lines = text.trimEnd().split('\n');
    expect(lines.filter((line) => !LINE.test(line))).toEqual([]);
    const names = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]);
    expect(new Set(names).size).toBe(names.length);
    expect(text).toContain(
      'content_http_request_duration_seconds_count{route="/api/pages",method="GET",status="2xx"}',
    );
    expect(text).toContain('content_refusals_total{status="400",cause="mine"}');
    expect(text).toContain('content_files_uploaded_bytes_total 5');
    const controller = Reflect.construct(MetricsController, [metrics]) as { text(): string };
    expect(controller.text()).toContain('# TYPE content_pool_connections gauge');
  });
});

describe('metrics by default', () => {
  it('record no durations, and count everything else', async () => {
    const test = await createTestApp({ ...scheduled, access: { public: { page: '*' } } });
    await test.http.get('/api/pages').expect(200);
    await test.http.get('/api/pages/unknown').expect(404);
    const { requests, refusals, parts } = test.app.get(ContentMetrics, { strict: false }).snapshot();
    expect({ requests, parts }).toEqual({ requests: [], parts: {} });
    expect(refusals).toEqual([{ status: 404, cause: 'NotFoundError', count: 1 }]);
    await test.close();
  });
});
