/** Paths of `populate` that only some components of a zone have, and files in components that contain themselves. */
import {
  type ContentService,
  defineCollectionType,
  defineComponent,
  getContentToken,
} from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  attributes: {
    title: { type: 'string' },
    cover: { type: 'media' },
    zone: { type: 'dynamiczone', components: ['to.article', 'to.author'] },
  },
});
const author = defineCollectionType({
  singularApiId: 'author',
  pluralApiId: 'authors',
  attributes: { name: { type: 'string' }, avatar: { type: 'media' } },
});
const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  attributes: { node: { type: 'component', component: 'a.node' } },
});
const components = [
  defineComponent({
    uid: 'to.article',
    attributes: { link: { type: 'relation', relation: 'oneToOne', target: 'article' } },
  }),
  defineComponent({
    uid: 'to.author',
    attributes: { link: { type: 'relation', relation: 'oneToOne', target: 'author' } },
  }),
  defineComponent({
    uid: 'a.node',
    attributes: {
      file: { type: 'media' },
      inner: { type: 'component', component: 'a.node' },
      note: { type: 'component', component: 'a.note', private: true },
    },
  }),
  defineComponent({ uid: 'a.note', attributes: { file: { type: 'media' } } }),
];

describe('paths of populate', () => {
  let test: TestApp;
  let fileId: string;
  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [article, author, page],
      components,
      access: { public: { '*': '*' } },
    });
    const files = test.app.get<ContentService>(getContentToken('file'));
    const file = { name: 'a.png', hash: 'a', ext: '.png', mime: 'image/png', size: 1, url: '/a.png' };
    fileId = String((await files.create({ ...file, provider: 'local' }))['documentId']);
  });
  afterAll(() => test.close());

  const make = async (path: string, data: object): Promise<string> => {
    const { body } = await test.http.post(`/api/${path}`).send({ data }).expect(201);
    return (body as { data: { documentId: string } }).data.documentId;
  };

  it('4.10 follows a path that one component of a zone has whole', async () => {
    const target = await make('articles', { title: 'Target', cover: fileId });
    const writer = await make('authors', { name: 'Ann' });
    const id = await make('articles', {
      zone: [
        { __component: 'to.article', link: target },
        { __component: 'to.author', link: writer },
      ],
    });
    const { body } = await test.http.get(`/api/articles/${id}?populate=zone.link.cover`).expect(200);
    const { zone } = (body as { data: { zone: object[] } }).data;
    expect(zone[0]).toMatchObject({ link: { title: 'Target', cover: { name: 'a.png' } } });
    expect(zone[1]).not.toHaveProperty('link');
    await test.http.get(`/api/articles/${id}?populate=zone.link.name`).expect(400);
  });

  it('4.25 counts the entries of a zone, and rejects conditions beside the count', async () => {
    const zone = [{ __component: 'to.article' }, { __component: 'to.author' }, { __component: 'to.author' }];
    const id = await make('articles', { zone });
    const read = `/api/articles/${id}?populate[zone]`;
    expect((await test.http.get(`${read}[count]=true`).expect(200)).body.data.zone).toEqual({ count: 3 });
    const some = `${read}[count]=true&populate[zone][on][to.author]=true`;
    expect((await test.http.get(some).expect(200)).body.data.zone).toEqual({ count: 2 });
    const { error } = (
      await test.http.get(`${read}[count]=true&populate[zone][filters][absent]=1`).expect(400)
    ).body;
    expect(error.details).toMatchObject({ key: 'zone', path: 'zone' });
  });

  it('D11 lists the documents of a file beside a component that contains itself', async () => {
    const holders = await Promise.all([
      make('articles', { title: 'One', cover: fileId }),
      make('authors', { name: 'Bea', avatar: fileId }),
    ]);
    const { body } = await test.http
      .get(`/api/articles/${holders[0]}?populate[cover][populate]=related`)
      .expect(200);
    const { related } = (body as { data: { cover: { related: { documentId: string }[] } } }).data.cover;
    expect(related.map(({ documentId }) => documentId)).toEqual(expect.arrayContaining(holders));
  });
});
