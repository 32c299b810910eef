/** Ids of requests in responses, hooks, write plans and log lines. */
import { jest } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import { BeforeContent, type ContentEvent, OnContentCommitted } from 'nestjs-content-api';
import type * as Registry from '../../src/content/documents/write-additions.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { note } from '../support/notes.ts';
import { loadRoom } from '../support/rooms.ts';

const { WriteAdditions } = await loadRoom<typeof Registry>('content/documents/write-additions');

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

const seen: (string | null)[] = [];

@Injectable()
class Watcher {
  @BeforeContent('note', 'create')
  before({ data, requestId }: ContentEvent): void {
    seen.push(requestId);
    if (data['title'] === 'broken') throw new Error('a defect of the application');
  }

  @OnContentCommitted('note', 'create')
  committed({ data, document, requestId }: ContentEvent): void {
    seen.push(requestId);
    if (document?.['title'] === 'late' && data !== null) throw new Error('a late defect');
  }
}

describe.each(ADAPTERS)('request ids on %s', (adapter) => {
  let test: TestApp;
  const planned: (string | null)[] = [];
  beforeAll(async () => {
    test = await createTestApp(
      { contentTypes: [note], access: { public: { note: '*' } }, providers: [Watcher] },
      adapter,
    );
    test.app.get(WriteAdditions, { strict: false }).add(({ plan }) => {
      planned.push(plan.requestId);
      return [];
    });
  });
  afterAll(() => test.close());
  beforeEach(() => void [seen, planned].map((list) => list.splice(0)));

  const idOf = async (headers: Record<string, string>, path = '/api/notes'): Promise<string> => {
    const response = await test.http.get(path).set(headers);
    return String(response.headers['x-request-id']);
  };

  it('1.31 a response repeats the id of its request', async () => {
    for (const id of ['a', 'req-1.2:3/4+5=@_', 'x'.repeat(128)])
      expect(await idOf({ 'x-request-id': id })).toBe(id);
  });

  it.each(['', 'a b', 'a\tb', '"quoted"', 'a;b', 'x'.repeat(129), 'é'])(
    '1.31 a malformed id %j is replaced by a new one',
    async (id) => {
      expect(await idOf({ 'x-request-id': id })).toMatch(UUID);
    },
  );

  it('1.31 a request without an id has that of its trace, or a new one', async () => {
    expect(await idOf({ traceparent: `00-${TRACE}-00f067aa0ba902b7-01` })).toBe(TRACE);
    expect(await idOf({ traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, 'x-request-id': 'mine' })).toBe(
      'mine',
    );
    for (const traceparent of [
      `ff-${TRACE}-00f067aa0ba902b7-01`,
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      TRACE,
    ])
      expect(await idOf({ traceparent })).toMatch(UUID);
    expect(await idOf({})).not.toBe(await idOf({}));
  });

  it('1.31 errors have the id, and paths outside of the content have none', async () => {
    expect(await idOf({ 'x-request-id': 'e1' }, '/api/notes?filters[no]=1')).toBe('e1');
    expect(await idOf({ 'x-request-id': 'e2' }, '/api/notes/unknown')).toBe('e2');
    expect(await idOf({ 'x-request-id': 'e3' }, '/elsewhere')).toBe('undefined');
  });

  const post = (title: string, id: string) =>
    test.http.post('/api/notes').set('x-request-id', id).send({ data: { title } });

  it('hooks and write plans have the id of the request', async () => {
    await post('one', 'w1').expect(201);
    expect(seen).toEqual(['w1', 'w1']);
    expect(planned).toEqual(['w1']);
  });

  it('log lines of failures have the id of the request', async () => {
    const lines: string[] = [];
    const log = jest
      .spyOn(Logger.prototype, 'error')
      .mockImplementation((line) => void lines.push(String(line)));
    try {
      await post('broken', 'w2').expect(500);
      await post('late', 'w3').expect(201);
    } finally {
      log.mockRestore();
    }
    expect(lines[0]).toMatch(/^Request w2 failed: Error: a defect of the application/);
    expect(lines[1]).toMatch(/^A hook after the create of note \w+ by request w3 has failed: Error: a late/);
  });
});
