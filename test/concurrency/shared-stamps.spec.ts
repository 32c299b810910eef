/** If-Match after concurrent writes: every pair of writes that may share a transaction, in both orders. */
import { defineCollectionType } from 'nestjs-content-api';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { Barrier } from '../support/barrier.ts';
import { dose } from '../support/dose.ts';

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  actions: ['publish'],
  attributes: {
    title: { type: 'string' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'articles' },
    topic: { type: 'relation', relation: 'manyToOne', target: 'tag', inversedBy: 'about' },
    cover: { type: 'relation', relation: 'oneToOne', target: 'tag', inversedBy: 'covered' },
    parent: { type: 'relation', relation: 'manyToOne', target: 'article', inversedBy: 'children' },
    children: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'parent' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: {
    name: { type: 'string' },
    articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'tags' },
    about: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'topic' },
    covered: { type: 'relation', relation: 'oneToOne', target: 'article', mappedBy: 'cover' },
  },
});

interface World {
  /** The article whose ETags are compared, another one, and a tag that both link. */
  readonly one: string;
  readonly two: string;
  readonly tag: string;
}
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly data?: object;
}

const put = (path: string, data: object): Sent => ({ method: 'PUT', path, data });
const POPULATED = '?populate=*';

/** Every kind of write that can change the article `one`, and some that cannot. */
const WRITES: Readonly<Record<string, (world: World) => Sent>> = {
  'its title': ({ one }) => put(`articles/${one}${POPULATED}`, { title: 'changed' }),
  'its draft': ({ one }) => put(`articles/${one}?status=draft&populate=*`, { title: 'draft' }),
  'its tags': ({ one, tag: id }) => put(`articles/${one}${POPULATED}`, { tags: { disconnect: [id] } }),
  publishing: ({ one }) => ({ method: 'POST', path: `articles/${one}/actions/publish${POPULATED}` }),
  'its links from the tag': ({ tag: id, two }) => put(`tags/${id}`, { articles: [two] }),
  'its column from the tag': ({ tag: id }) => put(`tags/${id}`, { about: [] }),
  'its cover from the tag': ({ tag: id, two }) => put(`tags/${id}`, { covered: two }),
  'its cover, taken by the other': ({ two, tag: id }) => put(`articles/${two}`, { cover: id }),
  'its parent, from the other': ({ two, one }) => put(`articles/${two}`, { children: [one] }),
  'the end of its tag': ({ tag: id }) => ({ method: 'DELETE', path: `tags/${id}` }),
  'a new article': ({ one }) => ({
    method: 'POST',
    path: 'articles',
    data: { title: 'new', children: [one] },
  }),
  'the title of the other': ({ two }) => put(`articles/${two}`, { title: 'other' }),
};

const NAMES = Object.keys(WRITES);
const ALL = NAMES.flatMap((first) => NAMES.map((second) => [first, second] as const));
/** Writes whose responses contain the article. */
const SHOWN = ['its title', 'its draft', 'its tags', 'publishing'];
const PAIRS = dose(
  ALL.filter(([first]) => SHOWN.includes(first)),
  ALL,
);

interface Reply {
  readonly status: number;
  readonly stamp: string;
  readonly data: unknown;
}

/** Reduces linked documents to their ids, because they have their own stamps. */
const linked = (key: string, value: { documentId?: string } | null): unknown =>
  key !== 'data' && typeof value?.documentId === 'string' ? value.documentId : value;

describe.each(adaptersFor('express'))('stamps of concurrent writes on %s', (adapter) => {
  const barrier = new Barrier();
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      { contentTypes: [article, tag], access: { public: { '*': '*' } } },
      adapter,
      (app) => app.useGlobalGuards(barrier.guard),
    );
  });
  afterAll(() => test.close());

  const send = async ({ method, path, data }: Sent): Promise<Reply> => {
    const response = await fetch(`${test.url}/api/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
    });
    const text = await response.text();
    const stamp = (response.headers.get('etag') ?? '').slice(1).split('-')[0] ?? '';
    const parsed = JSON.parse(text === '' ? '{}' : text, linked);
    return { status: response.status, stamp, data: parsed.data };
  };
  const make = async (type: string, data: object): Promise<string> =>
    ((await send({ method: 'POST', path: type, data })).data as { documentId: string }).documentId;
  const world = async (): Promise<World> => {
    const id = await make('tags', { name: 'tag' });
    const [one, two] = await Promise.all([
      make('articles', { title: 'one', tags: [id], topic: id, cover: id }),
      make('articles', { title: 'two' }),
    ]);
    return { one, two, tag: id };
  };

  it.each(PAIRS)('If-Match: %s, concurrent with %s', async (...pair) => {
    const made = await world();
    const sent = pair.map((name) => WRITES[name]?.(made) as Sent);
    const replies = await barrier.hold(2, () => Promise.all(sent.map(send)));
    for (const [i, { status, stamp, data }] of replies.entries()) {
      // A write that names a tag is rejected after the tag is deleted.
      expect([200, 201, 204, ...(pair.includes('the end of its tag') ? [400, 404] : [])]).toContain(status);
      const { path } = sent[i] as Sent;
      if (status >= 400 || !SHOWN.includes(pair[i] as string)) continue;
      const now = await send({ method: 'GET', path: path.replace('/actions/publish', '') });
      // An If-Match with an equal stamp succeeds, so that the client must have the current data.
      if (stamp === now.stamp) expect(data).toEqual(now.data);
      expect(stamp).not.toBe('');
    }
  });
});
