/**
 * Objects of a request that has ended are freed by the next minor collections. Those that V8 keeps until a major
 * collection make minor collections long, and so the slowest requests.
 */
import { setFlagsFromString, getHeapSpaceStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ContentService, defineCollectionType, getContentToken } from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  draftAndPublish: true,
  attributes: { title: { type: 'string' }, text: { type: 'text' } },
});

/** Bytes of each request that may be kept. A request that is kept as a whole has more than ten times as many. */
const MOST = 2000;
const REQUESTS = 1000;
/** A major collection that marks at the same time keeps new objects. Retained objects are there each time. */
const ATTEMPTS = 4;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { readonly type: 'minor' | 'major' }) => void;

const oldBytes = (): number =>
  getHeapSpaceStatistics()
    .filter(({ space_name: name }) => /^(old|large_object)_space/.test(name))
    .reduce((sum, { space_used_size: used }) => sum + used, 0);

describe('memory of requests that have ended', () => {
  let test: TestApp;
  let notes: ContentService;
  let documentId = '';
  beforeAll(async () => {
    test = await createTestApp({ contentTypes: [note], access: { public: { note: '*' } } });
    notes = test.app.get(getContentToken('note'), { strict: false });
  });
  afterAll(() => test.close());

  async function keptBy(request: () => Promise<unknown>): Promise<number> {
    for (let i = 0; i < REQUESTS; i += 1) await request();
    collect({ type: 'major' });
    const before = oldBytes();
    for (let i = 1; i <= REQUESTS; i += 1) {
      await request();
      if (i % 20 > 0) continue;
      // An object becomes old when it survives two.
      collect({ type: 'minor' });
      collect({ type: 'minor' });
    }
    return (oldBytes() - before) / REQUESTS;
  }

  it.each([
    ['create', () => notes.create({ title: 'T', text: 'x'.repeat(100) })],
    ['update', () => notes.update(documentId, { title: 'T', text: 'y'.repeat(100) })],
    ['findOne', () => notes.findOne(documentId)],
  ])('of %s is freed by minor collections', async (_verb, request) => {
    ({ documentId } = await notes.create({ title: 'T' }));
    let kept = Infinity;
    for (let i = 0; i < ATTEMPTS && kept >= MOST; i += 1) kept = await keptBy(request);
    expect(kept).toBeLessThan(MOST);
  });
});
