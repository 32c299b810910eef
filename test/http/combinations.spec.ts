/** Rules whose parts work alone, and that have to work together, too. */
import { tmpdir } from 'node:os';
import { Controller, Post } from '@nestjs/common';
import {
  type ContentService,
  defineCollectionType,
  defineComponent,
  defineSingleType,
  InjectContent,
} from 'nestjs-content-api';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { AuditModule, HistoryModule } from 'nestjs-content-api/history';
import { NamedCallers } from '../fuzz/apps.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';

const key = defineComponent({ uid: 'parts.key', attributes: { code: { type: 'string', unique: true } } });
const quote = defineComponent({ uid: 'parts.quote', attributes: { text: { type: 'string' } } });
const seo = defineComponent({ uid: 'parts.seo', attributes: { metaTitle: { type: 'string' } } });
const label = defineCollectionType({
  singularApiId: 'label',
  pluralApiId: 'labels',
  draftAndPublish: true,
  actions: true,
  attributes: {
    name: { type: 'string' },
    slug: { type: 'uid', targetField: 'name', generate: true },
    key: { type: 'component', component: 'parts.key' },
    zone: { type: 'dynamiczone', components: ['parts.quote', 'parts.seo'] },
    options: { type: 'json' },
    main: { type: 'relation', relation: 'manyToOne', target: 'label' },
    others: { type: 'relation', relation: 'manyToMany', target: 'label' },
  },
});
const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  localized: true,
  attributes: { title: { type: 'string', localized: true } },
});
const product = defineCollectionType({
  singularApiId: 'product',
  pluralApiId: 'products',
  localized: true,
  attributes: {
    title: { type: 'string' },
    slug: { type: 'uid', targetField: 'title', generate: true, localized: true },
  },
});
const secret = defineCollectionType({
  singularApiId: 'secret',
  pluralApiId: 'secrets',
  history: true,
  attributes: { title: { type: 'string' }, code: { type: 'string', required: true, private: true } },
});
const homepage = defineSingleType({
  singularApiId: 'homepage',
  localized: true,
  attributes: { headline: { type: 'string', localized: true } },
});

const callers = new NamedCallers({
  french: { homepage: ['find', { actions: ['update'], where: () => ({ locale: 'fr' }) }] },
  uploader: { file: [{ actions: ['find', 'create'], where: () => ({ caption: 'mine' }) }] },
});

/** Writes as the application, in a request that the library does not serve. */
@Controller('import')
class Importer {
  constructor(@InjectContent('label') private readonly labels: ContentService) {}

  @Post()
  async run(): Promise<string> {
    return (await this.labels.create({ name: 'Imported' })).documentId;
  }
}

describe.each(ADAPTERS)('combinations on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [label, article, product, secret, homepage],
        components: [key, quote, seo],
        locales: ['en', 'fr'],
        access: {
          public: { label: '*', article: '*', product: '*', secret: '*', homepage: ['find'], file: ['find'] },
        },
        auth: { strategies: [callers] },
        maxLimit: Infinity,
        openapi: { document: true },
        imports: [
          FilesModule.forRoot({ storage: new LocalStorage(tmpdir()), images: null }),
          AuditModule.forRoot({ addresses: true }),
          HistoryModule.forRoot(),
          { module: class Own {}, controllers: [Importer] },
        ],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const post = async (path: string, data: object): Promise<any> =>
    (await test.http.post(path).send({ data }).expect(201)).body.data;

  it('14.18 items of a bulk request have no common unique value in a component', async () => {
    const create = (code: string) => ({ action: 'create', data: { key: { code } } });
    const { body } = await test.http
      .post('/api/labels/bulk')
      .send({ data: [create('X'), create('Y'), create('X')] })
      .expect(400);
    expect(body.error).toMatchObject({ message: expect.stringContaining('unique'), details: { index: 2 } });
    expect((await test.http.get('/api/labels')).body.data).toEqual([]);
    await test.http
      .post('/api/labels/bulk')
      .send({ data: [create('X'), create('Y')] })
      .expect(200);
  });

  it('14.17 items of a bulk request get different generated uids', async () => {
    const item = { action: 'create', status: 'draft', data: { name: 'Hello' } };
    await test.http
      .post('/api/labels/bulk')
      .send({ data: [item, item, item] })
      .expect(200);
    const { body } = await test.http.get('/api/labels?status=draft&filters[name]=Hello&sort=id&fields=slug');
    expect(body.data.map(({ slug }: { readonly slug: string }) => slug)).toEqual([
      'hello',
      'hello-1',
      'hello-2',
    ]);
  });

  it('14.17 a new locale generates its uid from an attribute that all locales share', async () => {
    const { documentId } = await post('/api/products', { title: 'Red Chair' });
    const path = `/api/products/${documentId}?locale=fr`;
    const { body } = await test.http.put(path).send({ data: {} }).expect(200);
    expect(body.data).toMatchObject({ title: 'Red Chair', slug: 'red-chair' });
  });

  it('13.9 items of a zone of two components can have one id', async () => {
    const { documentId } = await post('/api/labels', {});
    await test.sql(
      `update labels set zone = '[{"__component": "parts.quote", "id": 1, "documentId": "q", "text": "a"},
        {"__component": "parts.seo", "id": 1, "documentId": "s", "metaTitle": "b"}]' where document_id = $1`,
      [documentId],
    );
    const path = `/api/labels/${documentId}?populate=zone`;
    const { zone } = (await test.http.get(path).expect(200)).body.data;
    expect(zone).toHaveLength(2);
    const sent = zone.map(({ documentId: _, ...item }: { readonly documentId: string }) => item);
    const { body } = await test.http
      .put(path)
      .send({ data: { zone: sent } })
      .expect(200);
    expect(body.data.zone).toEqual(zone);
  });

  it('1.25 a populated target with an attribute `options` can be sent back', async () => {
    const target = await post('/api/labels', { options: { wide: true } });
    const { documentId } = await post('/api/labels', { main: target.documentId });
    const path = `/api/labels/${documentId}?populate=main`;
    const { main } = (await test.http.get(path).expect(200)).body.data;
    const put = (data: object) => test.http.put(path).send({ data: { main: data } });
    expect((await put(main).expect(200)).body.data.main).toEqual(main);
    // An operation has no id.
    await put({ ...main, connect: [documentId] }).expect(400);
    await put({ connect: [documentId], options: { strict: false } }).expect(200);
  });

  it('11.19 the disconnection of a row id that no document can have has no effect', async () => {
    const { documentId } = await post('/api/labels', {});
    const send = (others: object) => test.http.put(`/api/labels/${documentId}`).send({ data: { others } });
    await send({ disconnect: [-3_000_000_000] }).expect(200);
    const { body } = await send({ connect: [-3_000_000_000] }).expect(400);
    expect(body.error.message).toContain('do not exist');
  });

  it('9.19 a filter on the locale has the same results with `fallbackLocale=false`', async () => {
    const { documentId } = await post('/api/articles', { title: 'Ports' });
    await test.http
      .put(`/api/articles/${documentId}?locale=fr`)
      .send({ data: { title: 'Havres' } })
      .expect(200);
    for (const query of ['', '&fallbackLocale=false']) {
      const { body } = await test.http.get(`/api/articles?filters[locale]=fr${query}`).expect(200);
      expect(body.data).toMatchObject([{ title: 'Havres' }]);
    }
  });

  it('18.23 a single type that the caller may read and not write is a 403', async () => {
    await test.sql(`insert into homepage (document_id, locale, published, created_at, updated_at, published_at, headline)
      values (repeat('h', 24), 'en', true, now(), now(), now(), 'Hello')`);
    const as = (method: 'get' | 'put') =>
      test.http[method]('/api/homepage').set('Authorization', 'Bearer french');
    await as('get').expect(200);
    await as('put')
      .send({ data: { headline: 'x' } })
      .expect(403);
  });

  it('20.18 the description has the uploads of a caller with a condition on files', async () => {
    const { body } = await test.http
      .get('/api/openapi.json')
      .set('Authorization', 'Bearer uploader')
      .expect(200);
    expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(['/api/upload', '/api/upload/files']));
  });

  it('25.6 a deleted document comes back without a required value that no version has', async () => {
    const { documentId } = await post('/api/secrets', { title: 'Kept', code: 'c' });
    await test.http.delete(`/api/secrets/${documentId}`).expect(204);
    const { body } = await test.http.post(`/api/secrets/${documentId}/actions/restore`).expect(200);
    expect(body.data).toMatchObject({ documentId, title: 'Kept' });
  });

  it('26.1 a write of the application has no caller, in the request of a client either', async () => {
    const { text } = await test.http.post('/import').expect(201);
    const rows = await test.sql('select distinct actor, actor_id from content_audit where document_id = $1', [
      text,
    ]);
    expect(rows).toEqual([{ actor: 'system', actor_id: null }]);
  });

  it('7.20 lists without an envelope have no limit if pages have none', async () => {
    await test.http.get('/api/upload/files').expect(200);
    await test.http
      .post('/api/labels/bulk')
      .send({ data: { action: 'publish', filters: {} } })
      .expect(200);
  });
});
