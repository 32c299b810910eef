/** Tags of responses. */
import { ADAPTERS } from '../support/app.ts';
import { LiveApp } from './live-app.ts';

describe.each(ADAPTERS)('tags of responses on %s', (adapter) => {
  let live: LiveApp;
  beforeAll(async () => {
    live = await LiveApp.start(adapter);
  });
  afterEach(() => live.reset());
  afterAll(() => live.test.close());

  it('21.14: reads of public content have opaque tags, equal for equal dependencies, also in a 304', async () => {
    const id = await live.create('articles', { title: 'A' });
    const list = await live.tagsOf('articles');
    expect(list).toEqual([expect.stringMatching(/^[\w-]{16}$/)]);
    expect(await live.tagsOf('articles?sort=title')).toEqual(list);
    expect(await live.tagsOf('articles', 'editor')).toEqual(list);
    const one = await live.tagsOf(`articles/${id}`);
    // One for the document, and one for its links, which other documents can change.
    expect(one).toHaveLength(2);
    expect(one).not.toContain(list?.[0]);
    expect(new Set(await live.tagsOf('articles?populate=section'))).toEqual(
      new Set([...(list ?? []), ...((await live.tagsOf('sections')) ?? [])]),
    );
    const { headers } = await live.test.http.get('/api/articles').expect(200);
    const again = await live.test.http
      .get('/api/articles')
      .set('If-None-Match', String(headers['etag']))
      .expect(304);
    expect(again.headers['content-tags']).toBe(list?.[0]);
  });

  it('21.15: no tags for drafts, for types that the public cannot find, and for types without events', async () => {
    expect(await live.tagsOf('articles?status=draft', 'editor')).toBeNull();
    expect(await live.tagsOf('memos', 'editor')).toBeNull();
    expect(await live.tagsOf('sections?populate=memo', 'editor')).toBeNull();
    expect(await live.tagsOf('sections?populate=memo')).not.toBeNull();
    expect(await live.tagsOf('silents')).toBeNull();
  });
});
