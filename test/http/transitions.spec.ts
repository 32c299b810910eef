/** Publish, unpublish and discard: by the service and by routes, in one locale and in all. */
import {
  type Caller,
  type ContentService,
  defineCollectionType,
  defineSingleType,
  getContentToken,
  Permissions,
} from 'nestjs-content-api';
import { adaptersFor } from '../support/adapters.ts';
import { countStatements, createTestApp, type TestApp } from '../support/app.ts';
import { withinTransaction } from './helpers.ts';

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  localized: true,
  owner: 'author',
  attributes: {
    title: { type: 'string', required: true, localized: true },
    rank: { type: 'integer' },
    author: { type: 'string' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: { name: { type: 'string' } },
});
const front = defineSingleType({
  singularApiId: 'front',
  draftAndPublish: true,
  localized: true,
  attributes: { title: { type: 'string', localized: true } },
});
const model = {
  contentTypes: [page, tag, front],
  locales: ['en', 'fr', 'de'],
  access: { public: { '*': '*' as const } },
};

interface Page {
  readonly documentId: string;
  readonly title: string;
  readonly updatedAt: string;
  readonly publishedAt: string | null;
  readonly locale: string;
}

const LOCALES = ['en', 'fr', 'de'];

describe.each(adaptersFor('express'))('transitions by the service on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => void (test = await createTestApp(model, adapter)));
  afterAll(() => test.close());

  const service = (type = 'page'): ContentService<Page> => test.app.get(getContentToken(type));
  /** Creates drafts in English and French. */
  const make = async (titles: Readonly<Record<string, string | null>> = { en: 'Hello', fr: 'Bonjour' }) => {
    let documentId: string | null = null;
    for (const [locale, title] of Object.entries(titles)) {
      const query = { locale, status: 'draft' };
      const made: Page =
        documentId === null
          ? await service().create({ title, author: 'ann' }, query)
          : await service().update(documentId, { title }, query);
      documentId = made.documentId;
    }
    return documentId as string;
  };
  const titles = async (documentId: string, status = 'published', type = 'page') =>
    (await Promise.all(LOCALES.map((locale) => service(type).findOne(documentId, { locale, status })))).map(
      (one) => one?.title ?? null,
    );
  const UNKNOWN_ID = 'a'.repeat(24);

  it('publishing three locales with many links needs as many statements as one locale without links', async () => {
    const id = await make({ en: 'Hello' });
    const count = async () =>
      withinTransaction(await countStatements(() => service().publish(id, { locale: '*' }))).length;
    const one = await count();
    const tags: { documentId: string }[] = [];
    for (let i = 0; i < 40; i += 1) tags.push(await service('tag').create({ name: `tag ${i}` }));
    for (const locale of LOCALES)
      await service().update(id, { title: `In ${locale}`, tags }, { locale, status: 'draft' });
    expect(await count()).toBe(one);
  });

  it('8.24 publish with * publishes every locale of the document, and returns the default one', async () => {
    const id = await make();
    expect(await service().publish(id, { locale: '*' })).toMatchObject({ title: 'Hello', locale: 'en' });
    expect(await titles(id)).toEqual(['Hello', 'Bonjour', null]);
  });

  it('8.24 without the default locale, it returns the first locale of the document', async () => {
    const id = await make({ fr: 'Bonjour', de: 'Hallo' });
    expect(await service().publish(id, { locale: '*' })).toMatchObject({ title: 'Bonjour', locale: 'fr' });
    expect(await titles(id)).toEqual([null, 'Bonjour', 'Hallo']);
  });

  it('8.24 one incomplete locale prevents all of them from being published (D15)', async () => {
    const id = await make({ en: 'Hello', fr: null });
    await expect(service().publish(id, { locale: '*' })).rejects.toMatchObject({ status: 400 });
    expect(await titles(id)).toEqual([null, null, null]);
  });

  it('8.24 unpublish with * removes every published version, and keeps the drafts', async () => {
    const id = await make();
    await service().publish(id, { locale: '*' });
    expect(await service().unpublish(id, { locale: '*' })).toMatchObject({ publishedAt: null });
    expect(await titles(id)).toEqual([null, null, null]);
    expect(await titles(id, 'draft')).toEqual(['Hello', 'Bonjour', null]);
  });

  it('8.24 discardDraft with * resets every published locale, and no other', async () => {
    const id = await make();
    await service().publish(id, { locale: '*' });
    for (const [locale, title] of [
      ['en', 'en!'],
      ['fr', 'fr!'],
      ['de', 'de!'],
    ])
      await service().update(id, { title }, { locale, status: 'draft' });
    expect(await service().discardDraft(id, { locale: '*' })).toMatchObject({ title: 'Hello' });
    expect(await titles(id, 'draft')).toEqual(['Hello', 'Bonjour', 'de!']);
  });

  it('8.24 discardDraft with * changes drafts of unpublished locales that lose shared links (D20, D21)', async () => {
    const id = await make();
    await service().publish(id, { locale: 'fr' });
    const { documentId } = await service('tag').create({ name: 'news' });
    const draft = { locale: 'en', status: 'draft', populate: 'tags' };
    await service().update(id, { tags: [documentId] }, draft);
    const before = await service().findOne(id, draft);
    await service().discardDraft(id, { locale: '*' });
    const after = await service().findOne(id, draft);
    expect([before, after]).toMatchObject([{ tags: [{ name: 'news' }] }, { tags: [] }]);
    expect(after?.updatedAt).not.toBe(before?.updatedAt);
  });

  it('8.24 publishes shared values and links for all locales (D20)', async () => {
    const id = await make();
    const { documentId } = await service('tag').create({ name: 'news' });
    await service().update(id, { rank: 5, tags: [documentId] }, { locale: 'fr', status: 'draft' });
    await service().publish(id, { locale: '*' });
    for (const locale of ['en', 'fr'])
      expect(await service().findOne(id, { locale, populate: 'tags' })).toMatchObject({
        rank: 5,
        tags: [{ name: 'news' }],
      });
  });

  it('8.24 a single type also accepts null with *', async () => {
    for (const locale of ['en', 'fr'])
      await service('front').update(null, { title: locale }, { locale, status: 'draft' });
    const { documentId } = await service('front').publish(null, { locale: '*' });
    expect(await titles(documentId, 'published', 'front')).toEqual(['en', 'fr', null]);
    await service('front').update(null, { title: 'other' }, { locale: 'fr', status: 'draft' });
    await service('front').discardDraft(null, { locale: '*' });
    expect(await titles(documentId, 'draft', 'front')).toEqual(['en', 'fr', null]);
    await service('front').unpublish(null, { locale: '*' });
    expect(await titles(documentId, 'published', 'front')).toEqual([null, null, null]);
    await service('front').delete(null, { locale: '*' });
  });

  it('8.25 returns 404 for a locale without a version, and creates none', async () => {
    const id = await make({ en: 'Hello' });
    for (const verb of ['publish', 'unpublish', 'discardDraft'] as const)
      for (const [documentId, locale] of [
        [id, 'fr'],
        [UNKNOWN_ID, 'en'],
        [UNKNOWN_ID, '*'],
      ] as const)
        await expect(service()[verb](documentId, { locale })).rejects.toMatchObject({
          name: 'NotFoundError',
        });
    expect(await titles(id, 'draft')).toEqual(['Hello', null, null]);
    for (const verb of ['publish', 'unpublish', 'discardDraft'] as const)
      await expect(service('front')[verb](null)).rejects.toMatchObject({ name: 'NotFoundError' });
    expect(await service('front').findOne(null, { status: 'draft' })).toBeNull();
  });

  it('8.25 returns 400 for an unknown locale (D19), and for several', async () => {
    const id = await make();
    for (const locale of ['xx', ['en', 'fr']])
      await expect(service().publish(id, { locale })).rejects.toMatchObject({ status: 400 });
  });

  it('8.23 an owner publishes own documents with a grant for own ones', async () => {
    const id = await make();
    const caller = (user: string, more: readonly ('findOne' | 'readDrafts')[] = []): Caller => ({
      kind: 'user',
      id: user,
      permissions: Permissions.of({ page: [{ actions: ['publish', ...more], own: true }] }),
    });
    await expect(service().publish(id, {}, { as: caller('bob') })).rejects.toMatchObject({ status: 404 });
    expect(await service().publish(id, {}, { as: caller('ann') })).toEqual({
      id: expect.any(Number),
      documentId: id,
    });
    const as = caller('ann', ['findOne', 'readDrafts']);
    expect(await service().unpublish(id, {}, { as })).toMatchObject({ title: 'Hello', publishedAt: null });
  });

  it('8.23 unpublish returns the draft, the only remaining version', async () => {
    const id = await make();
    await service().publish(id);
    expect(await service().publish(id, { status: 'draft' })).toMatchObject({ publishedAt: null });
    await expect(service().unpublish(id, { status: 'published' })).rejects.toMatchObject({ status: 400 });
    expect(await titles(id)).toEqual(['Hello', null, null]);
  });
});
