/** One database under one model and then under another: stored values, responses and writes. */
import {
  type ContentService,
  defineCollectionType,
  defineSingleType,
  getContentToken,
} from 'nestjs-content-api';
import supertest from 'supertest';
import { adaptersFor } from '../support/adapters.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Host, type Model, startModel } from './helpers.ts';

const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: {
    name: { type: 'string' },
    articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'tags' },
    leads: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'lead' },
  },
});

/** Has drafts under every model, so that a test can write only its draft. */
const topic = defineCollectionType({
  singularApiId: 'topic',
  pluralApiId: 'topics',
  draftAndPublish: true,
  attributes: {
    articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'topics' },
    mains: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'main' },
  },
});

function modelOf({ drafts = false, localized = false }): Model {
  const article = defineCollectionType({
    singularApiId: 'article',
    pluralApiId: 'articles',
    draftAndPublish: drafts,
    localized,
    attributes: {
      title: { type: 'string', unique: true, localized },
      body: { type: 'text', localized },
      rank: { type: 'integer' },
      tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'articles' },
      lead: { type: 'relation', relation: 'manyToOne', target: 'tag', inversedBy: 'leads' },
      topics: { type: 'relation', relation: 'manyToMany', target: 'topic', inversedBy: 'articles' },
      main: { type: 'relation', relation: 'manyToOne', target: 'topic', inversedBy: 'mains' },
      twin: { type: 'relation', relation: 'oneToOne', target: 'article', inversedBy: 'twinOf' },
      twinOf: { type: 'relation', relation: 'oneToOne', target: 'article', mappedBy: 'twin' },
    },
  });
  const story = defineCollectionType({
    singularApiId: 'story',
    pluralApiId: 'stories',
    draftAndPublish: drafts,
    localized: true,
    attributes: {
      title: { type: 'string', localized: true },
      body: { type: 'text', localized: true },
      rank: { type: 'integer' },
    },
  });
  const page = defineSingleType({
    singularApiId: 'page',
    draftAndPublish: drafts,
    attributes: {
      headline: { type: 'string' },
      note: { type: 'string' },
      tags: { type: 'relation', relation: 'manyToMany', target: 'tag' },
    },
  });
  return { contentTypes: [article, story, page, tag, topic], locales: ['en', 'fr'] };
}

describe.each(adaptersFor('express'))('a changed model on %s', (adapter) => {
  let database: TestDatabase;
  let host: Host;
  beforeAll(async () => void (database = await createDatabase()));
  afterAll(async () => {
    await host.close();
    await database.drop();
  });

  /** Replaces the application by one with another model on the same database. */
  const become = async (model: Model): Promise<void> => {
    await host?.close();
    host = await startModel(database, model, adapter);
  };
  const send = async (
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
    data?: object,
  ): Promise<any> => {
    const sent = supertest(host.url)[method](`/api/${path}`);
    const { status, body } = await (data === undefined ? sent : sent.send({ data }));
    return status >= 400 ? { refused: status } : body.data;
  };
  const get = (path: string): Promise<any> => send('get', path);
  const post = (path: string, data: object): Promise<any> => send('post', path, data);
  const put = (path: string, data: object): Promise<any> => send('put', path, data);
  const service = (type: string): ContentService =>
    host.app.get<ContentService>(getContentToken(type), { strict: false });
  const ids = (list: { documentId: string }[]): string[] => list.map(({ documentId }) => documentId);
  const rowsOf = (documentId: string) =>
    host.sql('select title, locale, published from articles where document_id = $1', [documentId]);
  const ALL = 'populate=*';

  describe('B1: draftAndPublish switched on', () => {
    interface Filled {
      readonly one: any;
      readonly other: any;
      readonly shown: any;
      readonly path: string;
    }
    const made: Filled[] = [];
    const next = (): Filled => made.pop() as Filled;
    let page: any;
    let story: any;
    let plain: any;
    beforeAll(async () => {
      await become(modelOf({}));
      for (let n = 1; n <= 5; n += 1) {
        const one = await post('tags', { name: 'one' });
        const two = await post('tags', { name: 'two' });
        const other = await post('articles', { title: `other ${n}` });
        const { documentId } = await post('articles', {
          title: `one ${n}`,
          body: 'precious',
          rank: 3,
          tags: [two.documentId, one.documentId],
          lead: one.documentId,
          twin: other.documentId,
        });
        const path = `articles/${documentId}`;
        made.push({ one, other, path, shown: await get(`${path}?${ALL}`) });
      }
      plain = await post('articles', { title: 'plain', body: 'precious' });
      const tagged = await post('tags', { name: 'one' });
      page = await put('page', { headline: 'A', note: 'precious', tags: [tagged.documentId] });
      story = await post('stories', { title: 'one', body: 'english', rank: 1 });
      await put(`stories/${story.documentId}?locale=fr`, { title: 'un', body: 'français' });
      await become(modelOf({ drafts: true }));
    });
    const LATER = { updatedAt: expect.any(String), publishedAt: expect.any(String) };

    it('a PUT keeps everything that it does not name, relations and their order included, and changes no id', async () => {
      const { path, shown } = next();
      expect(await get(`${path}?${ALL}`)).toEqual(shown);
      expect(await put(path, { title: 'kept' })).toMatchObject({ id: shown.id, title: 'kept' });
      expect(await get(`${path}?${ALL}`)).toEqual({ ...shown, ...LATER, title: 'kept' });
      expect(await get(`${path}?${ALL}&status=draft`)).toMatchObject({
        title: 'kept',
        body: 'precious',
        rank: 3,
        tags: [{ name: 'two' }, { name: 'one' }],
        lead: { name: 'one' },
      });
    });

    it('a draft starts from the published version, and publishing it restores all values', async () => {
      const { path, shown, other } = next();
      expect(await put(`${path}?status=draft`, { title: 'drafted' })).toMatchObject({
        body: 'precious',
        rank: 3,
      });
      expect(await get(`${path}?${ALL}`)).toEqual(shown);
      expect(await get(`articles/${other.documentId}?populate=twinOf`)).toMatchObject({
        twinOf: { documentId: shown.documentId },
      });
      await put(path, {});
      expect(await get(`${path}?${ALL}`)).toEqual({ ...shown, ...LATER, title: 'drafted' });
    });

    it('writing the other side keeps the relations of documents without a draft', async () => {
      const { path, one, other, shown } = next();
      const leads = async (query = '') =>
        ids((await get(`tags/${one.documentId}?populate=leads${query}`)).leads);
      await put(`tags/${one.documentId}`, { leads: { connect: [other.documentId] } });
      expect(await leads()).toEqual([shown.documentId, other.documentId]);
      await put(path, { title: 'linked' });
      expect(await leads('&status=draft')).toEqual([shown.documentId, other.documentId]);
    });

    it('a document without a draft gets one when a draft of the other side links it', async () => {
      const path = `articles/${plain.documentId}?${ALL}`;
      const named = await post('topics?status=draft', { articles: [plain.documentId], mains: [plain.id] });
      expect(await get(`${path}&status=draft`)).toMatchObject({
        body: 'precious',
        topics: [{ documentId: named.documentId }],
        main: { documentId: named.documentId },
      });
      expect(await get(path)).toMatchObject({ body: 'precious', topics: [], main: null });
    });

    it('a single type gets a draft and remains one document', async () => {
      expect(await put('page?status=draft&populate=tags', { headline: 'B' })).toMatchObject({
        documentId: page.documentId,
        note: 'precious',
        tags: [{ name: 'one' }],
      });
      expect(await get('page')).toMatchObject({ headline: 'A' });
      expect(await put('page?populate=tags', {})).toMatchObject({
        id: page.id,
        headline: 'B',
        note: 'precious',
        tags: [{ name: 'one' }],
      });
      expect(await host.sql('select published from page order by 1')).toEqual([
        { published: false },
        { published: true },
      ]);
    });

    it('every locale gets its own draft with the shared values', async () => {
      const path = `stories/${story.documentId}`;
      expect(await put(`${path}?status=draft`, { rank: 5 })).toMatchObject({ title: 'one', body: 'english' });
      const french = { title: 'un', body: 'français', rank: 5 };
      expect(await get(`${path}?locale=fr&status=draft`)).toMatchObject(french);
      expect(await put(`${path}?locale=fr`, {})).toMatchObject(french);
      expect(await get(path)).toMatchObject({ title: 'one', body: 'english', rank: 5 });
    });

    it('unpublishing keeps the content as the draft; discarding creates the missing draft', async () => {
      const { path, shown, other } = next();
      await service('article').unpublish(shown.documentId);
      expect(await get(path)).toEqual({ refused: 404 });
      expect(await get(`${path}?${ALL}&status=draft`)).toMatchObject({
        body: 'precious',
        tags: [{ name: 'two' }, { name: 'one' }],
      });
      await service('article').discardDraft(other.documentId);
      expect(await get(`articles/${other.documentId}?status=draft`)).toMatchObject({ title: other.title });
    });

    it('a one-to-one target keeps the owner that another draft set before', async () => {
      const { other, path } = next();
      await put(`articles/${other.documentId}?status=draft`, {});
      const taker = await post('articles?status=draft', { title: 'taker', twin: other.documentId });
      expect(await put(`${path}?status=draft`, { rank: 4 })).toMatchObject({ rank: 4, body: 'precious' });
      expect(await get(`${path}?populate=twin`)).toMatchObject({ twin: { documentId: other.documentId } });
      expect(await get(`articles/${taker.documentId}?populate=twin&status=draft`)).toMatchObject({
        twin: { documentId: other.documentId },
      });
    });
  });

  describe('B2: draftAndPublish switched off', () => {
    let one: any;
    let shown: any;
    let hidden: any;
    let draftPage: any;
    beforeAll(async () => {
      await become(modelOf({ drafts: true }));
      await host.sql('delete from articles');
      await host.sql('delete from page');
      one = await post('tags', { name: 'one' });
      shown = await post('articles', { title: 'live', body: 'text', tags: [one.documentId] });
      await put(`articles/${shown.documentId}?status=draft`, { title: 'SECRET pending' });
      const links = { tags: [one.documentId], lead: one.documentId };
      hidden = await post('articles?status=draft', { title: 'SECRET never published', ...links });
      draftPage = await put('page?status=draft', { headline: 'SECRET' });
      await become(modelOf({}));
    });

    it('D29 excludes drafts from lists, totals, filters, search, documents, populate and counts, in either status', async () => {
      const { body } = await supertest(host.url).get('/api/articles').expect(200);
      expect(body.data).toMatchObject([{ id: shown.id, title: 'live' }]);
      expect(body.meta.pagination.total).toBe(1);
      for (const query of ['status=draft', '_q=SECRET', 'filters[title][$contains]=SECRET', 'sort=title'])
        expect(JSON.stringify(await get(`articles?${query}`))).not.toContain('SECRET');
      expect(await get(`articles/${shown.documentId}?status=draft`)).toMatchObject({ title: 'live' });
      expect(await get(`articles/${hidden.documentId}`)).toEqual({ refused: 404 });
      const back = await get(`tags/${one.documentId}?${ALL}`);
      expect([ids(back.articles), ids(back.leads)]).toEqual([[shown.documentId], []]);
      expect(await get(`tags/${one.documentId}?populate[articles][count]=true`)).toMatchObject({
        articles: { count: 1 },
      });
      expect(await get('tags?filters[articles][title][$contains]=SECRET')).toEqual([]);
      expect(await get('tags?filters[leads][id][$notNull]=true')).toEqual([]);
    });

    it('ignores a draft that was never published: no write, no relation, no conflict', async () => {
      expect(await put(`articles/${hidden.documentId}`, { title: 'x' })).toEqual({ refused: 404 });
      expect(await put(`tags/${one.documentId}`, { leads: [hidden.documentId] })).toEqual({ refused: 400 });
      expect(await put(`tags/${one.documentId}`, { leads: [hidden.id] })).toEqual({ refused: 400 });
      expect(await post('articles', { title: 'SECRET never published' })).toMatchObject({ body: null });
    });

    it('writes change the published row and not the draft; a deletion removes all rows', async () => {
      const path = `articles/${shown.documentId}`;
      expect(await put(path, { body: 'new' })).toMatchObject({ id: shown.id, title: 'live', body: 'new' });
      expect(await put(`${path}?populate=tags`, { tags: [] })).toMatchObject({ id: shown.id, tags: [] });
      expect(await rowsOf(shown.documentId)).toContainEqual({
        title: 'SECRET pending',
        locale: 'en',
        published: false,
      });
      await send('delete', path);
      expect(await rowsOf(shown.documentId)).toEqual([]);
    });

    it('a single type with only a draft is empty, and remains one document after it is created', async () => {
      const { documentId } = draftPage;
      expect(await get('page')).toEqual({ refused: 404 });
      expect(await put('page', { headline: 'open' })).toMatchObject({ documentId, headline: 'open' });
      expect(await host.sql('select distinct document_id from page')).toHaveLength(1);
    });
  });

  describe('S9: localization switched off', () => {
    let one: any;
    let made: any;
    let french: any;
    beforeAll(async () => {
      await become(modelOf({ drafts: true, localized: true }));
      await host.sql('delete from articles');
      one = await post('tags', { name: 'one' });
      made = await post('articles', { title: 'english', rank: 1, tags: [one.documentId] });
      await put(`articles/${made.documentId}?locale=fr`, { title: 'français' });
      french = await post('articles?locale=fr', { title: 'seulement' });
      await become(modelOf({ drafts: true }));
    });

    it('D29 returns each document once, in the default locale, for any requested locale', async () => {
      for (const query of ['', '?locale=fr', '?locale=*', '?status=draft']) {
        const { body } = await supertest(host.url).get(`/api/articles${query}`).expect(200);
        expect(body.data).toMatchObject([{ documentId: made.documentId, locale: 'en', title: 'english' }]);
        expect(body.meta.pagination.total).toBe(1);
      }
      expect(await get(`tags/${one.documentId}?populate[articles][count]=true`)).toMatchObject({
        articles: { count: 1 },
      });
      expect(await get('articles?filters[title]=français')).toEqual([]);
      expect(await get(`articles/${french.documentId}`)).toEqual({ refused: 404 });
      expect(await put(`articles/${french.documentId}`, {})).toEqual({ refused: 404 });
      expect(await put(`tags/${one.documentId}`, { leads: [french.documentId] })).toEqual({ refused: 400 });
    });

    it('writes change the visible row; a deletion removes all rows', async () => {
      const path = `articles/${made.documentId}`;
      expect(await put(`${path}?populate=tags`, { title: 'changed' })).toMatchObject({
        id: made.id,
        title: 'changed',
        tags: [{ name: 'one' }],
      });
      expect(await put(`${path}?status=draft&locale=fr`, { title: 'draft' })).toMatchObject({ locale: 'en' });
      expect(await get(path)).toMatchObject({ title: 'changed' });
      const left = (await rowsOf(made.documentId)).filter(({ locale }) => locale === 'fr');
      expect(left.map(({ title }) => title)).toEqual(['français', 'français']);
      await send('delete', path);
      expect(await rowsOf(made.documentId)).toEqual([]);
    });
  });
});
