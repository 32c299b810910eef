/** Grants with `where`: reads, through every way that leads to a document. */
import {
  type ContentService,
  type Credentials,
  defineCollectionType,
  defineComponent,
  defineSingleType,
  getContentToken,
  type Grants,
  type Identity,
  type WhereOf,
} from 'nestjs-content-api';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { failure } from '../http/helpers.ts';

const box = defineComponent({
  uid: 'part.box',
  attributes: {
    word: { type: 'string' },
    pick: { type: 'relation', relation: 'manyToOne', target: 'article' },
  },
});
const team = defineCollectionType({
  singularApiId: 'team',
  pluralApiId: 'teams',
  attributes: {
    name: { type: 'string' },
    code: { type: 'string', private: true },
    articles: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'team' },
  },
});
const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  localized: true,
  actions: true,
  owner: 'writer',
  attributes: {
    title: { type: 'string', localized: true },
    stage: { type: 'string', localized: true },
    notes: { type: 'string' },
    writer: { type: 'string' },
    team: { type: 'relation', relation: 'manyToOne', target: 'team', inversedBy: 'articles' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'articles' },
    about: { type: 'relation', relation: 'morphToMany', targets: ['article', 'tag'] },
    box: { type: 'component', component: 'part.box' },
    next: { type: 'relation', relation: 'manyToOne', target: 'article' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: {
    name: { type: 'string' },
    articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'tags' },
  },
});
const home = defineSingleType({
  singularApiId: 'home',
  attributes: {
    motto: { type: 'string' },
    pick: { type: 'relation', relation: 'manyToOne', target: 'article' },
  },
});

const ofTeam: WhereOf = ({ attributes }) => ({ team: { name: attributes?.['team'] } });
const isOpen: WhereOf = () => ({ stage: { $ne: 'closed' } });
const READ = ['find', 'findOne', 'readDrafts'] as const;
const OTHERS: Grants = { tag: '*', team: ['find', 'findOne'], home: ['find', 'update'] };
const ROLES: Readonly<Record<string, Grants>> = {
  member: { ...OTHERS, article: [{ actions: '*', where: ofTeam }] },
  reader: { ...OTHERS, article: [{ actions: ['find', 'findOne'], where: isOpen }, 'readDrafts'] },
  /** Reads drafts of some articles, and all published ones. */
  drafter: { ...OTHERS, article: ['find', 'findOne', { actions: ['readDrafts'], where: isOpen }] },
  follower: { article: [{ actions: [...READ, 'update'], where: () => ({ next: { stage: 'open' } }) }] },
  coder: { article: [{ actions: READ, where: () => ({ team: { code: 'r' } }) }] },
  own: {
    ...OTHERS,
    article: [
      { actions: ['find', 'findOne'], own: true, fields: ['title', 'notes', 'team'] },
      { actions: ['find', 'findOne'], where: ofTeam, fields: ['title', 'stage', 'team'] },
    ],
  },
  teamless: {
    article: [{ actions: READ, where: () => ({ team: { id: { $null: true } } }) }],
    team: ['find'],
  },
  unpicked: { home: [{ actions: ['find'], where: () => ({ pick: { id: { $null: true } } }) }] },
  wrong: { article: [{ actions: READ, where: () => ({ nothing: 1 }) }] },
  missing: { article: [{ actions: READ, where: () => ({ stage: { $eq: undefined } }) }] },
  empty: { article: [{ actions: READ, where: () => ({}) }] },
  closed: { article: [{ actions: READ, where: () => false }] },
};

const byHeader = {
  name: 'by-header',
  authenticate: ({ headers }: Credentials): Identity | null => {
    const [role, name, id = 'ann'] = String(headers['x-who'] ?? '').split(' ');
    if (!role) return null;
    return { kind: 'user', id, roles: [role], ...(name ? { attributes: { team: name } } : {}) };
  },
};

interface Named {
  readonly documentId: string;
}

const RED = 'member red';
const BLUE = 'member blue';

describe.each(ADAPTERS)('conditions of grants on %s', (adapter) => {
  let test: TestApp;
  const ids: Record<string, string> = {};
  const service = (name: string) => test.app.get<ContentService>(getContentToken(name), { strict: false });
  const make = async (
    type: string,
    name: string,
    data: object,
    query: Readonly<Record<string, unknown>> = {},
  ): Promise<void> => {
    const made: unknown = await service(type).create(data, query);
    ids[name] = (made as Named).documentId;
  };

  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [team, article, tag, home],
        components: [box],
        locales: ['de', 'fr'],
        access: { roles: ROLES },
        auth: { strategies: [byHeader] },
      },
      adapter,
    );
    await make('team', 'red', { name: 'red', code: 'r' });
    await make('team', 'blue', { name: 'blue', code: 'b' });
    await make('tag', 'hot', { name: 'hot' });
    for (const name of ['red', 'blue'])
      for (const n of [1, 2])
        await make('article', `${name}${n}`, {
          title: `${name} ${n}`,
          stage: n === 1 ? 'open' : 'closed',
          notes: `notes of ${name} ${n}`,
          writer: 'ann',
          team: ids[name],
          tags: [ids['hot']],
        });
    await make('article', 'none', { title: 'none', stage: 'open' });
    await make('article', 'linking', {
      title: 'red linking',
      team: ids['red'],
      box: { word: 'w', pick: ids['blue1'] },
      next: ids['blue1'],
      about: [
        { __type: 'api::article.article', documentId: ids['blue1'] },
        { __type: 'api::article.article', documentId: ids['red1'] },
      ],
    });
    await service('home').update(null, { motto: 'm', pick: ids['blue1'] });
  });
  afterAll(() => test.close());

  const get = (who: string, path: string, status = 200) =>
    test.http.get(`/api/${path}`).set('x-who', who).expect(status);
  const titles = async (who: string, query = '', path = 'articles'): Promise<readonly string[]> => {
    const { body } = await get(who, `${path}?sort=title&${query}`);
    const rows = body.data as readonly { readonly title: string }[];
    if (body.meta.pagination !== undefined) expect(body.meta.pagination.total).toBe(rows.length);
    return rows.map(({ title }) => title);
  };

  describe('own routes', () => {
    it('18.18 a list, its total, a search, filters and a sort have the documents of the condition', async () => {
      const red = ['red 1', 'red 2', 'red linking'];
      expect(await titles(RED)).toEqual(red);
      expect(await titles(BLUE)).toEqual(['blue 1', 'blue 2']);
      expect(await titles(RED, '_q=notes of')).toEqual(['red 1', 'red 2']);
      expect(await titles(RED, 'filters[title][$startsWith]=blue')).toEqual([]);
      expect(await titles(RED, 'filters[$or][0][title]=blue 1&filters[$or][1][title]=red 1')).toEqual([
        'red 1',
      ]);
      expect(await titles(RED, 'filters[$not][title]=red 1')).toEqual(['red 2', 'red linking']);
      expect(await titles(RED, 'pagination[pageSize]=10&pagination[page]=1')).toEqual(red);
      expect((await get(RED, 'articles?pagination[page]=9')).body.meta.pagination.total).toBe(3);
    });

    it('18.18 another document is absent, as if it did not exist', async () => {
      await get(RED, `articles/${ids['red1'] ?? ''}`);
      const hidden = await get(RED, `articles/${ids['blue1'] ?? ''}`, 404);
      const missing = await get(RED, 'articles/nothing', 404);
      expect(hidden.body).toEqual(missing.body);
      expect(hidden.body).toEqual(failure(404, 'NotFoundError', 'Not Found'));
    });

    it('18.18 callers with equal permissions and other values never share a response', async () => {
      for (let n = 0; n < 4; n += 1) {
        expect(await titles(RED, 'fields=title')).toHaveLength(3);
        expect(await titles(BLUE, 'fields=title')).toHaveLength(2);
      }
      const red = await get(RED, 'articles?sort=id');
      const other = await test.http
        .get('/api/articles?sort=id')
        .set({ 'x-who': BLUE, 'if-none-match': String(red.headers['etag']) })
        .expect(200);
      expect(other.body.data).toHaveLength(2);
      const concurrent = await Promise.all(
        Array.from({ length: 12 }, (_, n) => titles(n % 2 === 0 ? RED : BLUE, 'fields=title,stage')),
      );
      expect(concurrent.map((found) => found.length)).toEqual(
        concurrent.map((_, n) => (n % 2 === 0 ? 3 : 2)),
      );
    });

    it('18.18 a condition can name private attributes, which the response does not show', async () => {
      expect(await titles('coder')).toEqual(['red 1', 'red 2', 'red linking']);
      await get('coder', 'articles?filters[team][code]=r', 400);
    });

    it('18.18 a relation without documents meets a condition that compares with null', async () => {
      expect(await titles('teamless')).toEqual(['none']);
    });

    it('18.21 a linked document does not compare with null, in whatever locale the request names', async () => {
      for (const query of ['', '?locale=de', '?locale=*', '?locale=xx'])
        await get('unpicked', `home${query}`, 404);
    });

    it('18.21 the locale of a request does not change the documents in which a condition looks', async () => {
      expect(await titles('teamless', 'locale=de')).toEqual([]);
      await service('article').update(
        ids['red2'] ?? '',
        { title: 'rot 2', stage: 'closed' },
        {
          locale: 'de',
        },
      );
      expect(await titles('teamless', 'locale=de')).toEqual([]);
      expect(await titles(RED, 'locale=de')).toEqual(['rot 2']);
      expect(await titles(BLUE, 'locale=de')).toEqual([]);
      await service('article').delete(ids['red2'] ?? '', { locale: 'de' });
    });

    it.each(['missing', 'empty', 'closed', 'member'])(
      '18.19 a condition with a missing value matches no document: %s',
      async (role) => {
        await get(role, 'articles', 403);
        await get(role, `articles/${ids['red1'] ?? ''}`, 403);
      },
    );

    it('18.19 a condition that the model does not have is an error of the server', async () => {
      const { body } = await get('wrong', 'articles', 500);
      expect(JSON.stringify(body)).not.toContain('nothing');
    });

    it('18.20 several conditions add up, and grant the attributes that all of them list', async () => {
      expect(await titles('own red zoe')).toEqual(['red 1', 'red 2', 'red linking']);
      expect(await titles('own red ann')).toEqual(['blue 1', 'blue 2', 'red 1', 'red 2', 'red linking']);
      const { body } = await get('own red ann', `articles/${ids['red1'] ?? ''}`);
      expect(Object.keys(body.data)).toEqual(expect.arrayContaining(['title']));
      expect(body.data).not.toHaveProperty('notes');
      expect(body.data).not.toHaveProperty('stage');
      await get('own red ann', 'articles?filters[notes][$notNull]=1', 400);
    });

    it('18.18 code that reads as the caller gets the same documents', async () => {
      const as = {
        kind: 'user',
        id: 'ann',
        attributes: { team: 'blue' },
        permissions: (await import('nestjs-content-api')).Permissions.of(ROLES['member'] ?? {}),
      } as const;
      const { data } = await service('article').find({ sort: 'title' }, { as });
      expect(data).toHaveLength(2);
      expect(await service('article').findOne(ids['red1'] ?? '', {}, { as })).toBeNull();
      expect(await service('article').count({}, { as })).toBe(2);
    });
  });

  describe('versions', () => {
    const change = (name: string, data: object, query: Readonly<Record<string, unknown>>) =>
      service('article').update(ids[name] ?? '', data, query);

    beforeAll(async () => {
      await make('article', 'mixed', { title: 'mixed', stage: 'open', team: ids['red'] });
      await change('mixed', { title: 'mixed draft', stage: 'closed' }, { status: 'draft' });
      await make('article', 'shut', { title: 'shut', stage: 'closed' });
      await change('shut', { title: 'shut draft', stage: 'open' }, { status: 'draft' });
    });
    afterAll(async () => {
      for (const name of ['mixed', 'shut']) await service('article').delete(ids[name] ?? '', { locale: '*' });
    });

    it('18.21 a version that does not meet the condition does not exist', async () => {
      const of = (query: string) => titles('reader', `filters[title][$contains]=m&${query}`);
      expect(await of('')).toEqual(['mixed']);
      await get('reader', `articles/${ids['mixed'] ?? ''}?status=draft`, 404);
      await get('reader', `articles/${ids['shut'] ?? ''}`, 404);
      await get('reader', `articles/${ids['shut'] ?? ''}?status=draft`);
      expect(await of('status=draft')).toEqual([]);
    });

    it.each([
      ['modified', [], []],
      ['unmodified', ['none', 'red 1', 'blue 1'], ['none', 'red 1', 'blue 1']],
      ['never-published', [], ['shut draft']],
      ['has-published-version', ['none', 'red 1', 'blue 1'], ['none', 'red 1', 'blue 1']],
      ['published-without-draft', ['mixed'], []],
    ])(
      '18.21 publicationFilter=%s compares the versions that exist for the caller',
      async (filter, live, drafts) => {
        const of = async (status: string) =>
          (await titles('reader', `publicationFilter=${filter}&status=${status}`)).filter(
            (title) => title !== 'red linking',
          );
        expect([...(await of('published'))].sort()).toEqual([...live].sort());
        expect([...(await of('draft'))].sort()).toEqual([...drafts].sort());
      },
    );

    it('18.21 the state of a document has the versions that exist for the caller', async () => {
      const state = async (who: string, name: string, query = '') =>
        (await get(who, `articles/${ids[name] ?? ''}?withState=true&${query}`)).body.data.__state.status;
      expect(await state('reader', 'red1')).toBe('published');
      expect(await state('reader', 'shut', 'status=draft')).toBe('draft');
      expect(await state(RED, 'mixed')).toBe('modified');
      await get('drafter', `articles/${ids['mixed'] ?? ''}`);
      await get('drafter', `articles/${ids['mixed'] ?? ''}?status=draft`, 404);
    });

    it('18.21 a condition looks at related documents in the state of the version', async () => {
      await make('article', 'via', { title: 'via', next: ids['mixed'] });
      const via = ids['via'] ?? '';
      const path = `articles/${via}`;
      const put = (query: string) =>
        test.http
          .put(`/api/${path}${query}`)
          .set('x-who', 'follower')
          .send({ data: { notes: 'new' } });
      const state = async (query: string) =>
        (await get('follower', `${path}?withState=true&${query}`)).body.data.__state.status;
      expect(await state('')).toBe('published');
      await get('follower', `${path}?status=draft`, 404);
      await put('?status=draft').expect(403);
      await service('article').update(via, { next: ids['shut'] });
      expect(await state('status=draft')).toBe('draft');
      await get('follower', path, 404);
      await put('').expect(403);
      await put('?status=draft').expect(200);
      await service('article').delete(via, { locale: '*' });
    });

    it('18.21 other locales exist for the caller if they meet the condition', async () => {
      await change('red1', { title: 'rot 1', stage: 'closed' }, { locale: 'de' });
      await change('red1', { title: 'rouge 1', stage: 'open' }, { locale: 'fr' });
      const read = (query: string) => get('reader', `articles/${ids['red1'] ?? ''}?${query}`);
      const { body } = await read('populate=localizations');
      expect(body.data.localizations.map((one: { locale: string }) => one.locale)).toEqual(['fr']);
      expect((await read('populate[localizations][count]=true')).body.data.localizations).toEqual({
        count: 1,
      });
      expect(await titles('reader', 'filters[localizations][title]=rot 1')).toEqual([]);
      expect(await titles('reader', 'filters[localizations][title]=rouge 1')).toEqual(['red 1']);
      expect(await titles('reader', 'locale=*&filters[title][$contains]=o')).toEqual(['none', 'rouge 1']);
      await get('reader', `articles/${ids['red1'] ?? ''}?locale=de`, 404);
      expect((await read('locale=de&fallbackLocale=fr')).body.data.title).toBe('rouge 1');
      expect(
        (await read('withState=true')).body.data.__state.locales.map((one: { locale: string }) => one.locale),
      ).toEqual(['en', 'fr']);
      const nested = await get(
        'reader',
        `tags/${ids['hot'] ?? ''}?populate[articles][populate]=localizations`,
      );
      const found = nested.body.data.articles as readonly { title: string; localizations: object[] }[];
      expect(found.find(({ title }) => title === 'red 1')?.localizations).toHaveLength(1);
      for (const locale of ['de', 'fr']) await service('article').delete(ids['red1'] ?? '', { locale });
    });
  });

  describe('relations', () => {
    it('18.22 populated relations, lists and counts have the documents of the condition', async () => {
      const tagPath = `tags/${ids['hot'] ?? ''}`;
      const names = async (who: string) =>
        (await get(who, `${tagPath}?populate[articles][sort]=title`)).body.data.articles.map(
          (one: { title: string }) => one.title,
        );
      expect(await names(RED)).toEqual(['red 1', 'red 2']);
      expect(await names(BLUE)).toEqual(['blue 1', 'blue 2']);
      const { body } = await get(RED, `${tagPath}?populate[articles][count]=true`);
      expect(body.data.articles).toEqual({ count: 2 });
      expect((await get(RED, 'home?populate=pick')).body.data.pick).toBeNull();
      expect((await get(BLUE, 'home?populate=pick')).body.data.pick.title).toBe('blue 1');
    });

    it('18.22 components and polymorphic relations show the documents of the condition', async () => {
      const path = `articles/${ids['linking'] ?? ''}`;
      const full = (
        await get(RED, `${path}?populate[box][populate]=pick&populate[about]=true&populate[next]=true`)
      ).body.data;
      expect(full.box.pick).toBeNull();
      expect(full.next).toBeNull();
      expect(full.about.map((one: { title: string }) => one.title)).toEqual(['red 1']);
      expect((await get(RED, `${path}?populate[about][count]=true`)).body.data.about).toEqual({ count: 1 });
    });

    it('18.22 filters and sorts through a relation find only such documents', async () => {
      const tags = async (who: string, query: string) => (await get(who, `tags?${query}`)).body.data.length;
      expect(await tags(RED, 'filters[articles][title]=blue 1')).toBe(0);
      expect(await tags(BLUE, 'filters[articles][title]=blue 1')).toBe(1);
      expect(await tags(RED, 'filters[articles][title]=red 1')).toBe(1);
      const homes = async (who: string, query: string) => (await titles(who, query)).includes('red linking');
      expect(await homes(RED, 'filters[next][title][$notNull]=true')).toBe(false);
      expect(await homes(RED, 'filters[next][id][$null]=true')).toBe(true);
      expect(await homes(RED, 'filters[box][pick][title]=blue 1')).toBe(false);
      const order = async (query: string) => (await get(RED, `articles?${query}`)).body.data.at(-1).title;
      expect(await order('sort=next.title:asc,title:asc')).toBe('red linking');
      const teams = (await get(RED, 'teams?sort=name&populate[articles][fields]=title')).body.data;
      expect(teams.map((one: { articles: object[] }) => one.articles.length)).toEqual([0, 3]);
    });
  });
});
