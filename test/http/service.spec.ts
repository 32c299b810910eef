/** ContentService where HTTP has no route for it: publishing, unpublishing and discarding a single type. */
import { type ContentService, defineSingleType, getContentToken } from 'nestjs-content-api';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';

const homepage = defineSingleType({
  singularApiId: 'homepage',
  draftAndPublish: true,
  localized: true,
  attributes: { headline: { type: 'string', required: true, localized: true } },
});
const about = defineSingleType({ singularApiId: 'about', attributes: { text: { type: 'text' } } });

describe.each(ADAPTERS)('the service of a single type on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    const access = { public: { homepage: '*' as const } };
    const model = { contentTypes: [homepage, about], locales: ['en', 'fr'], access };
    test = await createTestApp(model, adapter);
  });
  afterAll(() => test.close());
  beforeEach(() => test.sql('truncate homepage restart identity'));

  const service = (type = 'homepage'): ContentService => test.app.get<ContentService>(getContentToken(type));
  const put = (headline: string, query = '') =>
    test.http.put(`/api/homepage${query}`).send({ data: { headline } }).expect(200);
  const headline = async (query = ''): Promise<unknown> =>
    (await test.http.get(`/api/homepage${query}`).expect(200)).body.data.headline;

  it('M1: unpublish(null) takes the page of one locale away, and publish(null) shows it again', async () => {
    await put('Hello');
    await put('Bonjour', '?locale=fr');
    expect(await service().unpublish(null)).toMatchObject({ headline: 'Hello', publishedAt: null });
    await test.http.get('/api/homepage').expect(404);
    expect(await headline('?status=draft')).toBe('Hello');
    expect(await headline('?locale=fr')).toBe('Bonjour');
    expect(await service().publish(null)).toMatchObject({ headline: 'Hello' });
    expect(await headline()).toBe('Hello');
  });

  it('M1: discardDraft(null) puts the draft back to what is published', async () => {
    await put('Hello');
    await put('Hello again', '?status=draft');
    expect(await service().discardDraft(null)).toMatchObject({ headline: 'Hello', publishedAt: null });
    expect(await headline('?status=draft')).toBe('Hello');
  });

  it('M1: what is not there is not found, and a type without drafts has none', async () => {
    for (const action of ['publish', 'unpublish', 'discardDraft'] as const) {
      const refused = service()[action](null);
      if (action === 'publish') await expect(refused).rejects.toMatchObject({ status: 400 });
      else await expect(refused).rejects.toMatchObject({ name: 'NotFoundError' });
    }
    await put('Only a draft', '?status=draft');
    await expect(service().discardDraft(null)).rejects.toMatchObject({ name: 'NotFoundError' });
    await expect(service('about').unpublish(null)).rejects.toMatchObject({ message: 'about has no drafts' });
  });
});
