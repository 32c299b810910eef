/** Publications at a time run as the application: they change no documents that their callers may not publish. */
import { defineCollectionType, type Grants } from 'nestjs-content-api';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { createTestApp, type TestApp } from '../support/app.ts';
import { eventually } from '../events/helpers.ts';

const owner = {
  draftAndPublish: true,
  actions: true,
  attributes: {
    title: { type: 'string' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'owners' },
  },
} as const;
const inverse = (target: string) =>
  ({ type: 'relation', relation: 'manyToMany', target, mappedBy: 'tags' }) as const;
const related = (target: string) => ({
  ...owner.attributes,
  tags: { ...owner.attributes.tags, inversedBy: target },
});

const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  ...owner,
  attributes: related('memos'),
});
const post = defineCollectionType({
  singularApiId: 'post',
  pluralApiId: 'posts',
  ...owner,
  publishBy: 'right',
  attributes: related('posts'),
});
const paper = defineCollectionType({
  singularApiId: 'paper',
  pluralApiId: 'papers',
  ...owner,
  stages: { written: { to: ['read'] }, read: { to: [], publish: true } },
  attributes: related('papers'),
});
const bill = defineCollectionType({
  singularApiId: 'bill',
  pluralApiId: 'bills',
  ...owner,
  tenant: 'firm',
  attributes: { ...related('bills'), firm: { type: 'string' } },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  draftAndPublish: true,
  actions: true,
  attributes: {
    name: { type: 'string' },
    memos: inverse('memo'),
    posts: inverse('post'),
    papers: inverse('paper'),
    bills: inverse('bill'),
  },
});

const chief: Grants = { '*': '*', bill: [{ actions: '*', tenant: 'all' }], releases: ['open'] };
const PAST = '2020-01-02T03:04:05.000Z';
const OWNERS = ['memos', 'posts', 'papers', 'bills'] as const;

describe('publications at a time', () => {
  let test: TestApp;
  const ids = new Map<string, string>();
  const send = async (method: 'get' | 'post' | 'put', path: string, data?: unknown): Promise<any> => {
    const asked = test.http[method](`/api/${path}`).set('x-role', 'chief');
    const { body, status } = await (data === undefined ? asked : asked.send({ data }));
    expect([path, status]).toEqual([path, method === 'post' && !path.includes('/') ? 201 : 200]);
    return body.data;
  };

  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [memo, post, paper, bill, tag],
      access: { roles: { chief } },
      auth: {
        strategies: [
          {
            name: 'role',
            authenticate: ({ headers: { 'x-role': role } }) =>
              typeof role === 'string' ? { kind: 'user', id: 'ann', roles: [role] } : null,
          },
        ],
      },
      schedule: { everySeconds: 0.05 },
      imports: [ReleasesModule.forRoot()],
    });
    for (const path of OWNERS) {
      const { documentId } = await send('post', `${path}?status=draft`, { title: path });
      if (path === 'papers') await send('put', `papers/${documentId}?status=draft`, { stage: 'read' });
      await send('post', `${path}/${documentId}/actions/publish`);
      ids.set(path, documentId);
    }
  });
  afterAll(() => test.close());

  /** Returns a draft that drafts of all types link. */
  const linked = async (): Promise<string> => {
    const { documentId } = await send('post', 'tags?status=draft', { name: 'tag' });
    for (const path of OWNERS)
      await send('put', `${path}/${ids.get(path)}?status=draft`, { tags: { connect: [documentId] } });
    return documentId;
  };
  const published = async (id: string): Promise<boolean> =>
    (await test.http.get(`/api/tags/${id}`).set('x-role', 'chief')).status === 200;
  /** Paths of the types whose published documents show a tag. */
  const showing = async (id: string): Promise<string[]> => {
    const { data } = (await test.http.get(`/api/tags/${id}?populate=*`).set('x-role', 'chief')).body;
    return OWNERS.filter((path) => data[path].length > 0);
  };

  it('D22 8.27 publish no links of documents that only callers with further permissions publish', async () => {
    const [byHand, byTime, inRelease] = [await linked(), await linked(), await linked()];
    await send('post', `tags/${byHand}/actions/publish`);
    expect(await showing(byHand)).toEqual(OWNERS);

    await send('put', `tags/${byTime}/actions/schedule`, { publishAt: PAST });
    const { id } = await send('post', 'releases', { name: 'Tags' });
    await send('post', `releases/${id}/entries`, { type: 'tag', documentId: inRelease });
    await send('put', `releases/${id}`, { at: PAST });
    for (const due of [byTime, inRelease]) {
      await eventually(async () => ((await published(due)) ? [1] : []), 1);
      expect(await showing(due)).toEqual(['memos']);
    }
    await send('post', `posts/${ids.get('posts')}/actions/publish`);
    expect(await showing(byTime)).toEqual(['memos', 'posts']);
  });
});
