/** Hooks before reads: what they receive, and how they refuse. */
import { Injectable } from '@nestjs/common';
import {
  BeforeContentRead,
  ContentError,
  type ContentReadEvent,
  type ContentService,
  defineCollectionType,
  getContentToken,
} from 'nestjs-content-api';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { note } from '../support/notes.ts';

const other = defineCollectionType({
  singularApiId: 'other',
  pluralApiId: 'others',
  attributes: { notes: { type: 'relation', relation: 'oneToMany', target: 'note' } },
});

const seen: ContentReadEvent[] = [];

@Injectable()
class Reads {
  @BeforeContentRead('note', 'find', 'findOne')
  async read(event: ContentReadEvent): Promise<void> {
    await Promise.resolve();
    seen.push(event);
    if (event.requestId === 'refused') throw new ContentError('ForbiddenError', 'Not today');
  }
}

describe.each(ADAPTERS)('hooks before reads on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      { contentTypes: [note, other], access: { public: { note: '*', other: '*' } }, providers: [Reads] },
      adapter,
    );
  });
  afterAll(() => test.close());
  beforeEach(() => void seen.splice(0));

  it('18.17 run before lists and single documents, with the request', async () => {
    await test.http.get('/api/notes').set('x-request-id', 'r1').expect(200);
    await test.http.get('/api/notes/unknown').expect(404);
    expect(seen).toMatchObject([
      { type: 'note', action: 'find', documentId: null, requestId: 'r1', caller: { kind: 'public' } },
      { type: 'note', action: 'findOne', documentId: 'unknown' },
    ]);
  });

  it('18.17 run for cached responses', async () => {
    for (let i = 0; i < 3; i += 1) await test.http.get('/api/notes').expect(200);
    expect(seen).toHaveLength(3);
  });

  it('18.17 refuse a read by an error', async () => {
    const { body } = await test.http.get('/api/notes').set('x-request-id', 'refused').expect(403);
    expect(body.error).toMatchObject({ name: 'ForbiddenError', message: 'Not today' });
  });

  it('18.17 run for services', async () => {
    const notes = test.app.get<ContentService>(getContentToken('note'), { strict: false });
    await notes.find();
    await notes.findOne('unknown');
    await notes.count();
    expect(seen.map(({ action, requestId }) => [action, requestId])).toEqual([
      ['find', null],
      ['findOne', null],
      ['find', null],
    ]);
  });

  it('18.17 do not run for populated documents, refused queries and writes', async () => {
    await test.http.get('/api/others?populate=notes').expect(200);
    await test.http.get('/api/notes?filters[no]=1').expect(400);
    await test.http.post('/api/notes').send({ data: {} }).expect(201);
    expect(seen).toEqual([]);
  });
});

it('stops the start if a hook before reads names an action of writes', async () => {
  @Injectable()
  class Wrong {
    @BeforeContentRead('note', 'create' as 'find')
    read(): void {
      // Never runs.
    }
  }
  await expect(createTestApp({ contentTypes: [note], providers: [Wrong] })).rejects.toThrow(
    '"create" is not an action; available: find, findOne',
  );
});
