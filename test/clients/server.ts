/** Application for the clients: a blog with users, files, drafts and locales. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/core';
import { NestFactory } from '@nestjs/core';
import { CONTENT_ORM, ContentModule, getContentToken } from 'nestjs-content-api';
import {
  ApiTokens,
  ApiTokensModule,
  apiTokenType,
  UsersModule,
  userTypes,
} from 'nestjs-content-api/accounts';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { createDatabase } from '../support/database.ts';

const contentTypes = [
  {
    kind: 'collectionType',
    singularApiId: 'article',
    pluralApiId: 'articles',
    draftAndPublish: true,
    localized: true,
    attributes: {
      title: { type: 'string', required: true, localized: true },
      views: { type: 'integer' },
      body: { type: 'blocks' },
      author: { type: 'relation', relation: 'manyToOne', target: 'author', inversedBy: 'articles' },
      seo: { type: 'component', component: 'shared.seo' },
      zone: { type: 'dynamiczone', components: ['shared.seo'] },
      cover: { type: 'media' },
    },
  },
  {
    kind: 'collectionType',
    singularApiId: 'author',
    pluralApiId: 'authors',
    attributes: {
      name: { type: 'string', required: true },
      articles: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'author' },
    },
  },
  {
    kind: 'collectionType',
    singularApiId: 'product',
    pluralApiId: 'products',
    attributes: {
      name: { type: 'string', required: true },
      price: { type: 'decimal' },
      maker: { type: 'relation', relation: 'manyToOne', target: 'author' },
    },
  },
  { kind: 'singleType', singularApiId: 'homepage', attributes: { heading: { type: 'string' } } },
  ...userTypes(),
  apiTokenType,
] as const;
const components = [
  { uid: 'shared.seo', attributes: { metaTitle: { type: 'string' }, image: { type: 'media' } } },
] as const;

export const PARAGRAPH = { type: 'paragraph', children: [{ type: 'text', text: 'Hello', bold: true }] };
export const ARTICLES = 60;
/** Name, price and maker of products. */
const PRODUCTS = [
  ['Table', 90, 0],
  ['Chair', 40, 0],
  ['Lamp', 20, 1],
] as const;

export interface Blog {
  readonly origin: string;
  readonly api: string;
  /** Full-access API token. */
  readonly token: string;
  readonly close: () => Promise<void>;
}

/** Starts the blog with sixty articles by two authors, and a homepage. */
export async function startBlog(): Promise<Blog> {
  const directory = await mkdtemp(join(tmpdir(), 'content-clients-'));
  const database = await createDatabase();
  const content = ContentModule.forRoot({
    contentTypes,
    components,
    locales: ['en', 'fr'],
    access: {
      public: { article: ['find', 'findOne'], author: ['find', 'findOne'], homepage: ['find'] },
      roles: {
        authenticated: {
          article: '*',
          author: '*',
          product: '*',
          homepage: '*',
          user: ['find', 'findOne'],
          role: ['find'],
        },
      },
    },
    database: { clientUrl: database.url },
  });
  const module = {
    module: class Blog {},
    imports: [
      content,
      UsersModule.forRoot({ secret: 'a secret of the clients that is long enough', rateLimit: false }),
      ApiTokensModule,
      FilesModule.forRoot({ storage: new LocalStorage(directory) }),
    ],
  };
  const app = await NestFactory.create(module, { logger: ['fatal'], cors: true });
  await app.init();
  await app.get<MikroORM>(CONTENT_ORM, { strict: false }).schema.create();
  await app.listen(0, '127.0.0.1');
  const origin = await app.getUrl();
  const service = (name: string): any => app.get(getContentToken(name), { strict: false });
  const authors = [];
  for (const name of ['Ann', 'Bob']) authors.push(await service('author').create({ name }));
  for (let n = 1; n <= ARTICLES; n += 1)
    await service('article').create({
      title: `Article ${n}`,
      views: n,
      body: [PARAGRAPH],
      author: authors[n % 2].documentId,
      seo: { metaTitle: `Meta ${n}` },
      zone: [{ __component: 'shared.seo', metaTitle: 'In a zone' }],
    });
  for (const [name, price, maker] of PRODUCTS)
    await service('product').create({ name, price, maker: authors[maker].documentId });
  await service('homepage').update(null, { heading: 'Welcome' });
  const { token } = await app.get(ApiTokens, { strict: false }).create({ name: 'all', kind: 'full-access' });
  const close = async (): Promise<void> => {
    await app.close();
    await database.drop();
  };
  return { origin, api: `${origin}/api`, token, close };
}
