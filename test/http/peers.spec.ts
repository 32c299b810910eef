/**
 * Problems that users of strapi/strapi reported and that this library avoids. Other specs with `peers` and a
 * number in their titles cover more of them. Threads by number:
 *
 * - 1: #25361. 2: #24779, #23460, #21054, #24342, #24438, #24103, #25832. 3: #23155, #16961, #7039.
 * - 4: #15558, #16445. 5: #21565, #24491, #27077. 18: #25326, #12309.
 * - 19: #23368, #23968, #23841, #23881, #24860, #21544. 20: #24815.
 * - 21: #12665, #12719, #17138, #17338. 22: #14473, #18550, #19803. 23: #10806, #12799.
 * - 24: #21594, #25802, #22080, #23659. 39: #15445, #17912, #19012, #27028.
 */
import { defineCollectionType } from 'nestjs-content-api';
import { stories } from '../fixtures/stories.ts';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { all, BOTH_STATES, EVERYWHERE, Writer } from './writer.ts';

let test: TestApp;
let w: Writer;
beforeAll(async () => {
  test = await createTestApp(stories);
  w = new Writer(test);
});
afterAll(() => test.close());

/** All relations from a story to topics: the path of the links, and the input for them. */
const WAYS: readonly [string, (...topics: string[]) => object][] = [
  ['topics', (...topics) => ({ topics })],
  ['localTopics', (...localTopics) => ({ localTopics })],
  ['lead', (lead) => ({ lead })],
  ['emblem', (emblem) => ({ emblem })],
  ['localEmblem', (localEmblem) => ({ localEmblem })],
  ['mention.topic', (topic) => ({ mention: { topic } })],
  ['mention.topics', (...topics) => ({ mention: { topics } })],
  ['seo.topics', (...topics) => ({ seo: { topics } })],
];
const LISTS = WAYS.filter(([way]) => way.endsWith('opics'));

const topicsIn = async (path: string, query = ''): Promise<string> => {
  const on = 'populate[zone][on][tale.mention][populate][topics]=true';
  const { zone } = await w.get(`${path}?${on}${query}`);
  return zone.flatMap(({ topics }: any) => topics.map(({ name }: any) => name)).join('');
};
const publish = (plural: string, id: string) => w.put(`${plural}/${id}`, {});
const draftTopic = async (name: string): Promise<string> =>
  (await w.post('topics?status=draft', { name })).documentId;
const nothing = (shown: unknown): boolean => shown === null || shown === '';

describe('peers 1: a document that is published before its targets', () => {
  it.each(WAYS)(
    'peers 1: keeps its links (%s), and shows each target after it is published',
    async (way, link) => {
      const t = await draftTopic('t');
      const { documentId } = await w.post('stories', { title: 's', ...link(t) });
      const path = `stories/${documentId}`;
      expect(nothing(await w.labels(path, way))).toBe(true);
      expect(await w.labels(path, way, '&status=draft')).toBe('t');
      await publish('topics', t);
      expect(await w.everywhere(path, way, ['en'])).toEqual(all('t', ...BOTH_STATES));
    },
  );

  it('peers 1: keeps its links in dynamic zones, and shows each target after it is published', async () => {
    const t = await draftTopic('t');
    const zone = [{ __component: 'tale.mention', topics: [t] }];
    const { documentId } = await w.post('stories', { title: 's', zone });
    expect(await topicsIn(`stories/${documentId}`)).toBe('');
    await publish('topics', t);
    expect(await topicsIn(`stories/${documentId}`)).toBe('t');
  });

  it('peers 1: publishes a tree of drafts in any order, also concurrently', async () => {
    const ids: string[] = [];
    for (const name of 'abcd') ids.push((await w.post('nodes?status=draft', { name })).documentId);
    const [a, b, c, d] = ids;
    await w.put(`nodes/${a}?status=draft`, { parent: b, partner: c });
    await w.put(`nodes/${b}?status=draft`, { parent: d });
    await Promise.all(ids.map((id) => publish('nodes', id)));
    expect(await w.labels(`nodes/${a}`, 'parent.parent')).toBe('d');
    expect(await w.labels(`nodes/${d}`, 'children.children')).toBe('a');
    expect(await w.labels(`nodes/${c}`, 'partnerOf')).toBe('a');
  });
});

describe('peers 2: no links vanish', () => {
  const linked = async (link: (...topics: string[]) => object) => {
    const ids = await w.several('topics', 'ab');
    const { documentId } = await w.post('stories', { title: 's', ...link(...ids) });
    return { ids, id: documentId, path: `stories/${documentId}` };
  };

  it.each(WAYS)('peers 2: after unpublishing and publishing the target (%s)', async (way, link) => {
    const { ids, path } = await linked(link);
    const before = await w.everywhere(path, way, ['en']);
    await w.service('topic').unpublish(ids[0]!);
    expect(await w.labels(path, way, '&status=draft')).toBe(before['en draft']);
    await publish('topics', ids[0]!);
    expect(await w.everywhere(path, way, ['en'])).toEqual(before);
  });

  it.each(WAYS)('peers 2: after unpublishing and publishing the document (%s)', async (way, link) => {
    const { id, path } = await linked(link);
    const before = await w.everywhere(path, way, ['en']);
    await w.service('story').unpublish(id);
    await publish('stories', id);
    expect(await w.everywhere(path, way, ['en'])).toEqual(before);
  });

  it.each(WAYS)('peers 2: after editing and publishing the target (%s)', async (way, link) => {
    const { ids, path } = await linked(link);
    const before = await w.everywhere(path, way, ['en']);
    await w.put(`topics/${ids[0]}?status=draft`, { name: 'A' });
    await publish('topics', ids[0]!);
    const after = await w.everywhere(path, way, ['en']);
    expect(after).toEqual(all(String(before['en draft']).replace('a', 'A'), ...BOTH_STATES));
  });

  it.each(WAYS)(
    'peers 2: after editing and publishing the document without naming them (%s)',
    async (way, link) => {
      const { path } = await linked(link);
      const before = await w.everywhere(path, way, ['en']);
      await w.put(`${path}?status=draft`, { rank: 1 });
      await w.put(path, { title: 'again' });
      expect(await w.everywhere(path, way, ['en'])).toEqual(before);
    },
  );

  it.each(WAYS)(
    'peers 2: after publishing first the target, then the document of linked drafts (%s)',
    async (way, link) => {
      const t = await draftTopic('t');
      const { documentId } = await w.post('stories?status=draft', { title: 's', ...link(t) });
      await publish('topics', t);
      await publish('stories', documentId);
      expect(await w.everywhere(`stories/${documentId}`, way, ['en'])).toEqual(all('t', ...BOTH_STATES));
    },
  );

  it.each(WAYS)(
    'peers 2: after publishing the document many times, and in another locale (%s)',
    async (way, link) => {
      const { path } = await linked(link);
      const before = await w.everywhere(path, way, ['en']);
      await w.put(`${path}?locale=fr`, { title: 'f' });
      for (let i = 0; i < 3; i += 1) {
        await w.put(path, {});
        await w.put(`${path}?locale=fr`, {});
      }
      expect(await w.everywhere(path, way, ['en'])).toEqual(before);
    },
  );

  it('peers 2: unpublishing one of two targets hides only that one', async () => {
    const { ids, path } = await linked((...topics) => ({ topics }));
    await w.service('topic').unpublish(ids[0]!);
    expect(await w.everywhere(path, 'topics', ['en'])).toEqual({ 'en published': 'b', 'en draft': 'ab' });
  });
});

describe('peers 3: the order of links', () => {
  it.each(LISTS)('peers 3: publishing a target keeps its position (%s)', async (way, link) => {
    const ids = await w.several('topics', 'abcd', '?status=draft');
    const { documentId } = await w.post('stories', { title: 's', ...link(...ids) });
    const path = `stories/${documentId}`;
    for (const at of [2, 0, 3, 1]) await publish('topics', ids[at]!);
    expect(await w.everywhere(path, way, ['en'])).toEqual(all('abcd', ...BOTH_STATES));
    for (const at of [1, 2]) await publish('topics', ids[at]!);
    expect(await w.everywhere(path, way, ['en'])).toEqual(all('abcd', ...BOTH_STATES));
  });

  it('peers 3: publishing a target keeps its position in a zone', async () => {
    const ids = await w.several('topics', 'abc', '?status=draft');
    const zone = [{ __component: 'tale.mention', topics: ids }];
    const { documentId } = await w.post('stories', { title: 's', zone });
    for (const at of [1, 2, 0]) await publish('topics', ids[at]!);
    expect(await topicsIn(`stories/${documentId}`)).toBe('abc');
  });

  it.each([
    ['stories', 'stories'],
    ['leads', 'stories'],
  ])('peers 3: publishing a document keeps its position on the other side (%s)', async (way) => {
    const ids = await w.several('stories', 'abc');
    const { documentId } = await w.post('topics', { name: 't', [way]: ids });
    const path = `topics/${documentId}`;
    await w.put(`stories/${ids[0]}?status=draft`, { title: 'A' });
    await publish('stories', ids[0]!);
    await publish('stories', ids[1]!);
    expect(await w.everywhere(path, way, ['en'])).toEqual(all('Abc', ...BOTH_STATES));
  });

  it.each(LISTS)('peers 3: returns the order of the input after each write (%s)', async (way, link) => {
    const ids = await w.several('topics', 'abcd');
    const { documentId } = await w.post('stories', { title: 's', ...link(...ids) });
    const path = `stories/${documentId}`;
    const orders = ['dcba', 'bdac', 'acbd'];
    for (const order of orders) {
      const picked = [...order].map((name) => ids['abcd'.indexOf(name)]!);
      await w.put(`${path}?status=draft`, link(...picked));
      expect(await w.labels(path, way, '&status=draft')).toBe(order);
      await w.put(path, {});
      expect(await w.everywhere(path, way, ['en'])).toEqual(all(order, ...BOTH_STATES));
    }
  });
});

describe('peers 4: concurrent links to one document', () => {
  it.each([
    ['stories', (t: string) => ({ topics: { connect: [t] } })],
    ['leads', (t: string) => ({ lead: t })],
  ])('peers 4: each link has a unique position (%s)', async (way, link) => {
    const [t] = await w.several('topics', 't');
    const numbers = Array.from({ length: 40 }, (_, i) => i);
    await Promise.all(numbers.map((i) => w.post('stories', { title: `${i} `, ...link(t!) })));
    const { 'en published': order, 'en draft': draft } = await w.everywhere(`topics/${t}`, way, ['en']);
    const listed = String(order).trim().split(' ').map(Number);
    expect([...listed].sort((a, b) => a - b)).toEqual(numbers);
    expect(
      String(draft)
        .trim()
        .split(' ')
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual(numbers);
    for (let i = 0; i < 3; i += 1) expect(await w.labels(`topics/${t}`, way)).toBe(order);
  });

  it('peers 4: concurrent reorders result in one of the orders', async () => {
    const [t] = await w.several('topics', 't');
    const ids = await w.several('stories', 'abcdef');
    const orders = ['abcdef', 'fedcba', 'cabfed', 'defabc'];
    const sent = orders.map((order) => [...order].map((name) => ids['abcdef'.indexOf(name)]!));
    await Promise.all([...sent, ...sent].map((list) => w.put(`topics/${t}`, { stories: list })));
    const { 'en published': published, 'en draft': draft } = await w.everywhere(`topics/${t}`, 'stories', [
      'en',
    ]);
    expect(orders).toContain(published);
    expect(draft).toBe(published);
  });
});

describe('peers 5: identity of component instances', () => {
  const instance = async (path: string, query = '') =>
    (await w.get(`${path}?populate=mention${query}`)).mention;

  it('peers 5: an instance keeps its identity in draft and published, through edits and publishing', async () => {
    const { documentId } = await w.post('stories', { title: 's', mention: { note: '1' } });
    const path = `stories/${documentId}`;
    const { id, documentId: key } = await instance(path);
    for (const note of ['2', '3']) {
      const sent = await instance(path);
      await w.put(`${path}?status=draft`, { mention: { ...sent, note } });
      await publish('stories', documentId);
      expect(await instance(path)).toMatchObject({ id, documentId: key, note });
      expect(await instance(path, '&status=draft')).toMatchObject({ id, documentId: key, note });
    }
  });

  it('peers 5: publishing uses no new ids', async () => {
    const { documentId } = await w.post('stories', {
      title: 's',
      mention: { note: '1' },
      seo: { note: '2' },
    });
    await w.put(`stories/${documentId}?locale=fr`, { title: 'f' });
    const next = async (): Promise<number> =>
      (
        await w
          .post('stories', { title: 'n', mention: { note: 'n' } })
          .then(({ documentId: id }) => instance(`stories/${id}`))
      ).id;
    const before = await next();
    for (let i = 0; i < 20; i += 1) {
      await publish('stories', documentId);
      await w.put(`stories/${documentId}?locale=fr`, { title: `f${i}` });
    }
    expect((await next()) - before).toBeLessThan(20);
  });
});

describe('peers 18: permission to read drafts', () => {
  it('peers 18: without it, no query returns a draft, at any depth', async () => {
    const reader = await createTestApp({
      ...stories,
      access: { public: { story: ['find', 'findOne'], topic: ['find', 'findOne'] } },
    });
    const service = new Writer(reader).service('story');
    const { documentId } = await service.create({ title: 'secret' }, { status: 'draft' });
    const published = await service.create({ title: 'open', related: [documentId] });
    for (const path of [
      'stories?status=draft',
      `stories/${documentId}?status=draft`,
      'stories?populate[related]=true&publicationFilter=modified',
    ])
      await reader.http.get(`/api/${path}`).expect(403);
    const shown = await reader.http.get(`/api/stories/${published.documentId}?populate=related`).expect(200);
    expect(shown.body.data.related).toEqual([]);
    await reader.close();
  });
});

describe('peers 19: creating a draft', () => {
  it.each([
    ['without a status', {}],
    ['with publishedAt: null', { publishedAt: null }],
  ])(
    'peers 19: %s publishes a document at once, as Strapi does, and returns publishedAt',
    async (_, more) => {
      expect((await w.post('stories', { title: 's', ...more })).publishedAt).not.toBeNull();
    },
  );

  it('peers 19: ?status=draft creates a draft and publishes nothing, on POST and on PUT', async () => {
    const draft = await w.post('stories?status=draft', { title: 'd' });
    expect(draft.publishedAt).toBeNull();
    const path = `stories/${draft.documentId}`;
    expect((await w.put(`${path}?status=draft`, { title: 'e' })).publishedAt).toBeNull();
    await test.http.get(`/api/${path}`).expect(404);
  });

  it('peers 19: with strictParams, status next to data returns 400 and names the query parameter', async () => {
    const strict = await createTestApp({ ...stories, strictParams: true });
    try {
      const response = await strict.http
        .post('/api/stories')
        .send({ data: { title: 'x' }, status: 'draft' })
        .expect(400);
      expect(response.body.error).toMatchObject({
        name: 'ValidationError',
        message: expect.stringContaining('Invalid key status'),
        details: { key: 'status', source: 'body' },
      });
      expect((await strict.http.get('/api/stories?status=draft').expect(200)).body.data).toEqual([]);
    } finally {
      await strict.close();
    }
  });

  it('peers 19: status inside data returns 400, and publishes nothing', async () => {
    const before = (await w.get('stories?pagination[pageSize]=100&locale=*')).length;
    const sent = test.http.post('/api/stories').send({ data: { title: 's', status: 'draft' } });
    expect((await sent.expect(400)).body.error.message).toBe('Invalid key status');
    expect((await w.get('stories?pagination[pageSize]=100&locale=*')).length).toBe(before);
  });
});

describe('peers 20: published state of a draft', () => {
  it('peers 20: publicationFilter selects drafts, whose publishedAt is null, by that state', async () => {
    const [draft, live, changed] = [
      await w.post('stories?status=draft', { title: 'draft' }),
      await w.post('stories', { title: 'live' }),
      await w.post('stories', { title: 'changed' }),
    ].map(({ documentId }) => documentId);
    await w.put(`stories/${changed}?status=draft`, { title: 'changed!' });
    const ids = [draft, live, changed].map((id) => `&filters[documentId][$in]=${id}`).join('');
    const of = async (filter: string): Promise<string[]> =>
      (await w.get(`stories?status=draft&publicationFilter=${filter}${ids}`)).map(
        ({ documentId }: any) => documentId,
      );
    expect(await of('never-published')).toEqual([draft]);
    expect(await of('has-published-version')).toEqual([live, changed]);
    expect(await of('modified')).toEqual([changed]);
    expect(await of('unmodified')).toEqual([live]);
  });
});

describe('peers 21: one state at all levels', () => {
  it('peers 21: a published document shows only published documents at every depth, a draft shows drafts', async () => {
    const [t] = await w.several('topics', 't');
    await w.put(`topics/${t}?status=draft`, { name: 'T' });
    const hidden = await draftTopic('x');
    const inner = await w.post('stories', {
      title: 'i',
      topics: [t, hidden],
      mention: { topics: [t, hidden] },
    });
    const outer = await w.post('stories', { title: 'o', related: [inner.documentId] });
    const path = `stories/${outer.documentId}`;
    expect(await w.everywhere(path, 'related.topics', ['en'])).toEqual({
      'en published': 't',
      'en draft': 'Tx',
    });
    expect(await w.everywhere(path, 'related.mention.topics', ['en'])).toEqual({
      'en published': 't',
      'en draft': 'Tx',
    });
    const found = (query: string) => w.get(`stories?filters[documentId]=${inner.documentId}&${query}`);
    expect(await found('filters[topics][name]=x')).toEqual([]);
    expect(await found('filters[topics][name]=T')).toEqual([]);
    expect(await found('filters[topics][name]=x&status=draft')).toHaveLength(1);
    expect(
      (await w.get(`${path}?populate[related][populate][topics][count]=true`)).related[0].topics,
    ).toEqual({
      count: 1,
    });
  });

  it('peers 21: a target whose draft differs appears once', async () => {
    const [t] = await w.several('topics', 't');
    await w.put(`topics/${t}?status=draft`, { name: 'T' });
    const { documentId } = await w.post('cards', { title: 'c', topics: [t] });
    expect(await w.labels(`cards/${documentId}`, 'topics')).toBe('t');
    expect(await w.labels(`cards/${documentId}`, 'topics', '&status=draft')).toBe('T');
  });
});

describe('peers 22: one locale at all levels', () => {
  it('peers 22: children of documents without locales are in the requested locale', async () => {
    const { documentId } = await w.post('stories', { title: 'e' });
    await w.put(`stories/${documentId}?locale=fr`, { title: 'f' });
    const topic = await w.post('topics', { name: 't', stories: [documentId] });
    const path = `topics/${topic.documentId}`;
    expect(await w.labels(path, 'stories', '&locale=fr')).toBe('f');
    expect(await w.labels(path, 'stories')).toBe('e');
    expect(await w.labels(path, 'stories.topics.stories', '&locale=fr')).toBe('f');
  });

  it('peers 22: a link of a locale shows documents of that locale only', async () => {
    const both = await w.post('stories', { title: 'e' });
    await w.put(`stories/${both.documentId}?locale=fr`, { title: 'f' });
    const english = await w.post('stories', { title: 'x' });
    const french = await w.post('stories?locale=fr', {
      title: 'p',
      related: [both.documentId, english.documentId],
    });
    expect(await w.labels(`stories/${french.documentId}`, 'related', '&locale=fr')).toBe('f');
  });
});

describe('peers 24: values that locales share', () => {
  it.each([
    ['a list of files', async () => ({ gallery: await w.files(2) })],
    ['a relation', async () => ({ topics: await w.several('topics', 'ab') })],
    ['a component', () => Promise.resolve({ mention: { note: 'ab' } })],
    ['a value', () => Promise.resolve({ rank: 3 })],
  ])('peers 24: keeps %s when another locale is added or changed without it', async (_, data) => {
    const sent = await data();
    const [name = ''] = Object.keys(sent);
    const { documentId } = await w.post('stories', { title: 'e', ...sent });
    const path = `stories/${documentId}`;
    const shown = async (locale: string, status: string): Promise<unknown> => {
      const row = await w.get(`${path}?populate=*&locale=${locale}&status=${status}`);
      return JSON.stringify(row[name], ['name', 'note']);
    };
    const first = await shown('en', 'published');
    await w.put(`${path}?locale=fr`, { title: 'f' });
    await w.put(`${path}?locale=fr&status=draft`, { title: 'f2' });
    await w.put(`${path}?locale=fr`, {});
    await w.put(path, { title: 'e2' });
    for (const place of EVERYWHERE) {
      const [locale = '', status = ''] = place.split(' ');
      expect([place, await shown(locale, status)]).toEqual([place, first]);
    }
  });

  it('peers 24: a new locale gets shared values without input, so that they are not required', async () => {
    const { documentId } = await w.post('stories', { title: 'e', rank: 3 });
    expect(await w.put(`stories/${documentId}?locale=fr`, { title: 'f' })).toMatchObject({ rank: 3 });
    await w.put(`stories/${documentId}?locale=fr`, { rank: 4 });
    expect(await w.get(`stories/${documentId}`)).toMatchObject({ rank: 4, title: 'e' });
  });

  it('peers 24: publishing one locale does not overwrite a localized component of another', async () => {
    const { documentId } = await w.post('stories', { title: 'e', seo: { note: 'english' } });
    const path = `stories/${documentId}`;
    await w.put(`${path}?locale=fr`, { title: 'f', seo: { note: 'français' } });
    await w.put(path, { seo: { note: 'English' } });
    await w.put(`${path}?locale=fr`, {});
    expect(await w.everywhere(path, 'seo')).toEqual({
      ...all('English', ...BOTH_STATES),
      ...all('français', 'fr published', 'fr draft'),
    });
  });
});

describe.each(adaptersFor('fastify'))('peers 39: required relations on %s', (adapter) => {
  const leaf = defineCollectionType({
    singularApiId: 'leaf',
    pluralApiId: 'leaves',
    draftAndPublish: true,
    attributes: { name: { type: 'string', required: true } },
  });
  const tree = defineCollectionType({
    singularApiId: 'tree',
    pluralApiId: 'trees',
    draftAndPublish: true,
    attributes: {
      name: { type: 'string', required: true },
      leaf: { type: 'relation', relation: 'manyToOne', target: 'leaf', required: true },
    },
  });
  let strict: TestApp;
  beforeAll(async () => {
    strict = await createTestApp(
      { contentTypes: [leaf, tree], strictRelations: true, access: { public: { '*': '*' as const } } },
      adapter,
    );
  });
  afterAll(() => strict.close());

  it('peers 39: HTTP publishes nothing without required relations, and reports each path', async () => {
    const { body } = await strict.http.post('/api/trees').send({ data: {} }).expect(400);
    expect(body.error.details.errors.map(({ path }: any) => path)).toEqual([['name'], ['leaf']]);
    const draft = (
      await strict.http
        .post('/api/trees?status=draft')
        .send({ data: { name: 't' } })
        .expect(201)
    ).body.data;
    await strict.http.put(`/api/trees/${draft.documentId}`).send({ data: {} }).expect(400);
    const service = new Writer(strict).service('tree');
    await expect(service.publish(draft.documentId)).rejects.toMatchObject({ name: 'ValidationError' });
    expect((await strict.http.get('/api/trees').expect(200)).body.data).toEqual([]);
  });

  it('peers 39: accepts a draft as target, which shows after it is published', async () => {
    const of = new Writer(strict);
    const { documentId } = await of.post('leaves?status=draft', { name: 'l' });
    const made = await of.post('trees', { name: 't', leaf: documentId });
    expect(await of.labels(`trees/${made.documentId}`, 'leaf')).toBeNull();
    await of.put(`leaves/${documentId}`, {});
    expect(await of.labels(`trees/${made.documentId}`, 'leaf')).toBe('l');
  });
});
