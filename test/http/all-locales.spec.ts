/** Publishing and discarding all locales (`locale=*`): each locale has its own links. */
import { Injectable } from '@nestjs/common';
import { BeforeContent, type ContentEvent, defineCollectionType } from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';

const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  localized: true,
  actions: true,
  attributes: {
    title: { type: 'string', localized: true },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', localized: true },
    pages: { type: 'relation', relation: 'oneToMany', target: 'page', mappedBy: 'story', localized: true },
  },
});
const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  localized: true,
  attributes: {
    title: { type: 'string', localized: true },
    story: { type: 'relation', relation: 'manyToOne', target: 'story', inversedBy: 'pages', localized: true },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: { name: { type: 'string' } },
});

describe('all locales of a story that is published in English only', () => {
  let test: TestApp;
  let storyId: string;
  let pageId: string;
  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [story, page, tag],
      locales: ['en', 'fr'],
      access: { public: { '*': '*' } },
    });
  });
  afterAll(() => test.close());

  const write = async (method: 'post' | 'put', path: string, data: object): Promise<string> => {
    const { body } = await test.http[method](`/api/${path}`).send({ data });
    return (body as { data: { documentId: string } }).data.documentId;
  };
  const read = async (path: string): Promise<Record<string, any>> => {
    const { body } = await test.http.get(`/api/${path}`).expect(200);
    return (body as { data: Record<string, any> }).data;
  };
  const all = (action: string) =>
    test.http.post(`/api/stories/${storyId}/actions/${action}?locale=*`).expect(200);

  beforeEach(async () => {
    const tagId = await write('post', 'tags', { name: 'sea' });
    storyId = await write('post', 'stories', { title: 'Waves' });
    pageId = await write('post', 'pages?locale=fr', { title: 'Accueil' });
    await write('put', `pages/${pageId}?locale=fr&status=draft`, { story: storyId });
    await write('put', `stories/${storyId}?locale=fr&status=draft`, { title: 'Vagues', tags: [tagId] });
  });

  it('8.23 D22 discards no link of a French draft that was never published, from either side', async () => {
    await all('discard');
    const french = await read(`stories/${storyId}?locale=fr&status=draft&populate=*`);
    expect(french).toMatchObject({ title: 'Vagues', tags: [{ name: 'sea' }], pages: [{ title: 'Accueil' }] });
  });

  it('8.23 D22 publishes the links of all drafts', async () => {
    await all('publish');
    const french = await read(`stories/${storyId}?locale=fr&populate=*`);
    expect(french).toMatchObject({ title: 'Vagues', tags: [{ name: 'sea' }], pages: [{ title: 'Accueil' }] });
  });

  it('8.23 D21 changes no document of a locale without a draft', async () => {
    await test.http.delete(`/api/stories/${storyId}?locale=fr`).expect(204);
    const before = await read(`pages/${pageId}?locale=fr`);
    await all('publish');
    expect(await read(`pages/${pageId}?locale=fr`)).toEqual(before);
  });

  it('1.17 9.8 acts on the default locale, also beside a filter on the locale', async () => {
    const filter = `filters[locale]=fr`;
    await test.http.post(`/api/stories/${storyId}/actions/publish?${filter}`).expect(200);
    await test.http.get(`/api/stories/${storyId}?locale=fr`).expect(404);
    await test.http
      .put(`/api/stories/${storyId}?${filter}`)
      .send({ data: { title: 'Tides' } })
      .expect(200);
    expect(await read(`stories/${storyId}`)).toMatchObject({ title: 'Tides', locale: 'en' });
    await test.http.delete(`/api/stories/${storyId}?${filter}`).expect(204);
    await test.http.get(`/api/stories/${storyId}`).expect(404);
    expect(await read(`stories/${storyId}?locale=fr&status=draft`)).toMatchObject({ title: 'Vagues' });
  });
});

describe('all locales of a guide whose localized tags are required', () => {
  const guide = defineCollectionType({
    singularApiId: 'guide',
    pluralApiId: 'guides',
    draftAndPublish: true,
    localized: true,
    actions: true,
    attributes: {
      title: { type: 'string', localized: true },
      tags: { type: 'relation', relation: 'manyToMany', target: 'tag', localized: true, required: true },
    },
  });
  let added: readonly string[] | null = null;
  @Injectable()
  class Adding {
    @BeforeContent('guide', 'publish')
    before({ data }: ContentEvent): void {
      if (added !== null) data['tags'] = added;
    }
  }
  let test: TestApp;
  let tagId: string;
  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [guide, tag],
      locales: ['en', 'fr', 'de'],
      strictRelations: true,
      access: { public: { '*': '*' } },
      providers: [Adding],
    });
    const { body } = await test.http.post('/api/tags').send({ data: { name: 'sea' } });
    tagId = body.data.documentId;
  });
  afterAll(() => test.close());
  afterEach(() => {
    added = null;
  });

  /** Creates a guide with a draft in each locale. */
  const make = async (locales: Readonly<Record<string, readonly string[]>>): Promise<string> => {
    let path = '';
    for (const [locale, tags] of Object.entries(locales)) {
      const request = test.http[path === '' ? 'post' : 'put'](
        `/api/guides${path}?status=draft&locale=${locale}`,
      );
      const { body } = await request.send({ data: { title: locale, tags } });
      path = `/${String(body.data.documentId)}`;
    }
    return path;
  };
  const publish = (path: string) => test.http.post(`/api/guides${path}/actions/publish?locale=*`);
  const tagsOf = async (path: string, locale: string): Promise<string[]> => {
    const { body } = await test.http.get(`/api/guides${path}?locale=${locale}&populate=tags`).expect(200);
    return body.data.tags.map(({ name }: { name: string }) => name);
  };

  it('8.24 11.36 returns 400 if the tags of another locale than the default are missing', async () => {
    const path = await make({ en: [tagId], fr: [] });
    const { body } = await publish(path).expect(400);
    expect(body.error.details).toMatchObject({ locale: 'fr', errors: [{ path: ['tags'] }] });
  });

  it('8.24 11.36 publishes complete locales without the default one', async () => {
    const path = await make({ fr: [tagId], de: [tagId] });
    await publish(path).expect(200);
    expect([await tagsOf(path, 'fr'), await tagsOf(path, 'de')]).toEqual([['sea'], ['sea']]);
  });

  it('8.24 publishes tags that a hook adds in each locale', async () => {
    const path = await make({ fr: [], de: [] });
    added = [tagId];
    await publish(path).expect(200);
    expect([await tagsOf(path, 'fr'), await tagsOf(path, 'de')]).toEqual([['sea'], ['sea']]);
  });
});
