/** Spans of requests and of background work, collected by the SDK of OpenTelemetry. */
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { Controller, type MessageEvent, Sse } from '@nestjs/common';
import { CollectionController, ContentModule } from 'nestjs-content-api';
import { type Observable, of } from 'rxjs';
import type * as Monitoring from '../../src/features/monitoring/open-telemetry.ts';
import type * as Worker from '../../src/cache/change-log-worker.ts';
import { startHost } from '../http/helpers.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { note } from '../support/notes.ts';
import { loadRoom } from '../support/rooms.ts';

const { openTelemetry } = await loadRoom<typeof Monitoring>('features/monitoring/open-telemetry');
const { ChangeLogWorker } = await loadRoom<typeof Worker>('cache/change-log-worker');

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const contexts = new AsyncLocalStorageContextManager();

beforeAll(() => {
  contexts.enable();
  context.setGlobalContextManager(contexts);
  trace.setGlobalTracerProvider(provider);
});
afterAll(() => {
  trace.disable();
  context.disable();
  contexts.disable();
});

const spansOf = async (work: () => PromiseLike<unknown>): Promise<readonly ReadableSpan[]> => {
  exporter.reset();
  await work();
  return exporter.getFinishedSpans();
};

const parentOf = (span: ReadableSpan, spans: readonly ReadableSpan[]): string | null =>
  spans.find((one) => one.spanContext().spanId === span.parentSpanContext?.spanId)?.name ?? null;

/** Spans of a trace as `name < parent`, in order of their names. */
const treeOf = (spans: readonly ReadableSpan[]): string[] =>
  spans.map((span) => `${span.name} < ${parentOf(span, spans) ?? 'none'}`).sort();

const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name} among ${treeOf(spans).join(', ')}`);
  return found;
};

@Controller()
class NoteController extends CollectionController {
  @Sse('about/stream')
  stream(): Observable<MessageEvent> {
    return of({ data: 'first' }, { data: 'second' });
  }
}

describe.each(ADAPTERS)('traces on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [note],
        access: { public: { note: '*' } },
        controllers: { note: NoteController },
        monitoring: { telemetry: true },
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const request = (spans: readonly ReadableSpan[]): readonly ReadableSpan[] => {
    const { traceId } = named(spans, 'content.request').spanContext();
    return spans.filter((span) => span.spanContext().traceId === traceId);
  };

  it('a read has spans of its plan, cache, queue and statement below its request', async () => {
    const spans = request(
      await spansOf(() => test.http.get('/api/notes/unknown?fields=title').set('x-request-id', 'r1')),
    );
    expect(treeOf(spans)).toEqual([
      'content.cache < content.request',
      'content.plan < content.request',
      'content.queue < content.request',
      'content.request < none',
      'content.statement < content.request',
    ]);
    expect(named(spans, 'content.request').attributes).toEqual({
      'http.route': '/api/notes/:documentId',
      'http.request.method': 'GET',
      'content.request_id': 'r1',
      'content.type': 'note',
      'content.action': 'findOne',
      'error.type': 'NotFoundError',
    });
    const { attributes } = named(spans, 'content.statement');
    expect(attributes).toMatchObject({ 'db.system.name': 'postgresql', 'db.query.summary': 'note.findOne' });
    expect(attributes['db.query.text']).toMatch(/^\/\* note\.findOne \*\/ select/);
    expect(JSON.stringify(spans.map((span) => span.attributes))).not.toContain('unknown');
  });

  it('a cache hit has no statement, and its poll is a trace of its own', async () => {
    // Transactions of other suites on the same server can make an entry stale.
    let spans: readonly ReadableSpan[] = [];
    for (let i = 0; i < 10 && (i === 0 || spans.some(({ name }) => name === 'content.statement')); i += 1)
      spans = await spansOf(() => test.http.get('/api/notes').expect(200));
    const own = request(spans);
    expect(treeOf(own)).toEqual([
      'content.cache < content.request',
      'content.plan < content.request',
      'content.request < none',
    ]);
    expect(named(own, 'content.cache').attributes).toEqual({ 'content.cache.hit': true });
    const poll = named(spans, 'content.change_log.poll');
    expect(poll.parentSpanContext).toBeUndefined();
    expect(own).not.toContain(poll);
  });

  it('a write has spans of its queue and its statements, and an invalid query fails its plan', async () => {
    const spans = request(
      await spansOf(() =>
        test.http
          .post('/api/notes')
          .send({ data: { title: 'secret' } })
          .expect(201),
      ),
    );
    expect(spans.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['content.queue', 'content.statement']),
    );
    expect(JSON.stringify(spans.map((span) => span.attributes))).not.toContain('secret');
    const refused = await spansOf(() => test.http.get('/api/notes?filters[no]=1').expect(400));
    expect(named(refused, 'content.plan').attributes).toMatchObject({ 'error.type': 'ValidationError' });
  });

  it('concurrent requests keep their spans apart', async () => {
    const spans = await spansOf(() =>
      Promise.all(Array.from({ length: 12 }, (_, i) => test.http.get(`/api/notes?filters[title]=${i}`))),
    );
    const requests = spans.filter(({ name }) => name === 'content.request');
    expect(requests).toHaveLength(12);
    for (const one of requests) {
      const below = spans.filter((span) => span.parentSpanContext?.spanId === one.spanContext().spanId);
      expect(below.filter(({ name }) => name === 'content.statement')).toHaveLength(1);
    }
  });

  it('a stream of events of the application sends all of them', async () => {
    const { text } = await test.http.get('/api/notes/about/stream').expect(200);
    expect(text).toContain('data: first');
    expect(text).toContain('data: second');
  });

  it('maintenance is a trace of its own, and never part of a request', async () => {
    const worker = test.app.get(ChangeLogWorker);
    const tracer = trace.getTracer('test');
    const spans = await spansOf(() =>
      tracer.startActiveSpan('a request', {}, ROOT_CONTEXT, (span) =>
        worker.maintain().then(() => span.end()),
      ),
    );
    const maintenance = named(spans, 'content.change_log.maintain');
    expect(maintenance.parentSpanContext).toBeUndefined();
    expect(maintenance.spanContext().traceId).not.toBe(named(spans, 'a request').spanContext().traceId);
  });
});

describe('traces', () => {
  it('continue the trace of the instrumented server, which gets the route', async () => {
    const host = await startHost(
      ({ url }) => ({
        imports: [
          ContentModule.forRoot({
            contentTypes: [note],
            access: { public: { note: '*' } },
            monitoring: { telemetry: true },
            database: { clientUrl: url },
          }),
        ],
      }),
      {
        tables: true,
        prepare: (app) =>
          app.use(
            (_request: object, response: { once(event: string, end: () => void): void }, next: () => void) =>
              trace.getTracer('server').startActiveSpan('GET', (span) => {
                response.once('close', () => span.end());
                next();
              }),
          ),
      },
    );
    const spans = await spansOf(() => fetch(`${host.url}/api/notes`).then((response) => response.text()));
    await host.close();
    const server = named(exporter.getFinishedSpans().length > 0 ? exporter.getFinishedSpans() : spans, 'GET');
    expect(server.attributes).toEqual({ 'http.route': '/api/notes' });
    expect(named(spans, 'content.request').parentSpanContext?.spanId).toBe(server.spanContext().spanId);
  });

  it('are off by default', async () => {
    const test = await createTestApp({ contentTypes: [note], access: { public: { note: '*' } } });
    expect(await spansOf(() => test.http.get('/api/notes').expect(200))).toEqual([]);
    await test.close();
  });

  it('need their package, and the start names it', async () => {
    const missing = () => Promise.reject(new Error('Cannot find package'));
    await expect(openTelemetry(missing)).rejects.toThrow('npm install @opentelemetry/api');
  });
});
