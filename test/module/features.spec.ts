/** Types that feature modules of the application declare with `ContentModule.forFeature`. */
import type { MikroORM } from '@mikro-orm/core';
import { Controller, Get, Inject, Injectable, Module, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  CollectionController,
  CONTENT_ORM,
  contentEntities,
  contentMigration,
  ContentModule,
  type ContentModuleOptions,
  type ContentService,
  defineCollectionType,
  defineComponent,
  InjectContent,
  migrateContent,
} from 'nestjs-content-api';
import supertest from 'supertest';
import { problem, startHost } from '../http/helpers.ts';
import { ADAPTERS } from '../support/app.ts';
import { createDatabase, reserveDatabase } from '../support/database.ts';
import { note } from '../support/notes.ts';

const price = defineComponent({ uid: 'shop.price', attributes: { amount: { type: 'integer' } } });
const product = defineCollectionType({
  singularApiId: 'product',
  pluralApiId: 'products',
  attributes: {
    name: { type: 'string' },
    price: { type: 'component', component: 'shop.price' },
    notes: { type: 'relation', relation: 'oneToMany', target: 'note' },
  },
});

@Injectable()
class Prices {
  readonly currency = 'EUR';
}

/** Injects a provider of the feature module. */
@Controller()
class ProductController extends CollectionController {
  constructor(@Inject(Prices) private readonly prices: Prices) {
    super();
  }

  @Get('about/currency')
  currency(): string {
    return this.prices.currency;
  }
}

/** Injects the service of the type that the feature declares. */
@Controller('stock')
class Stock {
  constructor(@InjectContent('product') private readonly products: ContentService) {}

  @Get()
  count(): Promise<number> {
    return this.products.count();
  }

  @Post()
  async add(): Promise<void> {
    await this.products.create({ name: 5 });
  }
}

@Module({
  imports: [
    ContentModule.forFeature({
      contentTypes: [product],
      components: [price],
      controllers: { product: ProductController },
    }),
  ],
  controllers: [Stock],
  providers: [Prices],
  exports: [Prices],
})
class ProductModule {}

/** Imports another feature module, and declares a type with a list. */
@Module({ imports: [ContentModule.forFeature([note]), ProductModule], exports: [ProductModule] })
class ShopModule {}

const access = { public: { note: '*', product: '*' } } as const;

describe.each(ADAPTERS)('feature modules on %s', (adapter) => {
  it.each(['forRoot', 'forRootAsync'] as const)(
    'declare types, components and controllers for %s',
    async (way) => {
      const host = await startHost(
        ({ url }) => ({
          imports: [
            way === 'forRoot'
              ? ContentModule.forRoot({
                  imports: [ShopModule],
                  contentTypes: [],
                  access,
                  database: { clientUrl: url },
                })
              : ContentModule.forRootAsync({
                  imports: [ShopModule],
                  contentTypes: [],
                  ownDatabase: true,
                  useFactory: () => ({ access, database: { clientUrl: url } }),
                }),
          ],
        }),
        { adapter, tables: true },
      );
      const http = supertest.agent(host.url);
      await http
        .post('/api/products')
        .send({ data: { name: 'tea', price: { amount: 3 } } })
        .expect(201);
      const { body } = await http.get('/api/products?populate=price').expect(200);
      expect(body.data).toMatchObject([{ name: 'tea', price: { amount: 3 } }]);
      await http.get('/api/notes').expect(200);
      expect((await http.get('/stock').expect(200)).text).toBe('1');
      expect((await http.get('/api/products/about/currency').expect(200)).text).toBe('EUR');
      await host.close();
    },
  );

  it('an error of a service in a controller of the application has its status and details', async () => {
    const host = await startHost(
      ({ url }) => ({
        imports: [
          ContentModule.forRoot({ imports: [ShopModule], contentTypes: [], database: { clientUrl: url } }),
        ],
      }),
      { adapter, tables: true },
    );
    const { body } = await supertest(host.url).post('/stock').expect(400);
    expect(body).toEqual(problem(['name'], 'name must be a `string` type, but the final value was: `5`.', 5));
    await host.close();
  });
});

it('stops the start if no content module imports the feature', async () => {
  @Module({ imports: [ContentModule.forFeature([product])] })
  class ForgottenModule {}
  const start = startHost(({ url }) => ({
    imports: [ContentModule.forRoot({ contentTypes: [note], database: { clientUrl: url } }), ForgottenModule],
  }));
  await expect(start).rejects.toThrow(
    'product: add the module with its forFeature to "imports" of ContentModule',
  );
});

it('reports a type that two features declare', () => {
  @Module({ imports: [ContentModule.forFeature([note])] })
  class OtherModule {}
  expect(() =>
    ContentModule.forRoot({ imports: [ShopModule, OtherModule], contentTypes: [], database: {} }),
  ).toThrow(/note/);
});

it('are a part of the model of a migration, and of the entities that an application lists', async () => {
  const database = await createDatabase();
  const model = { imports: [ShopModule], contentTypes: [] };
  const names = contentEntities(model).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['Content_product', 'Content_note']));
  const host = await startHost(
    () => ({ imports: [ContentModule.forRoot({ ...model, access, database: { clientUrl: database.url } })] }),
    { database, ready: (app) => migrateContent({ orm: app.get<MikroORM>(CONTENT_ORM), model }) },
  );
  const http = supertest(host.url);
  await http
    .post('/api/products')
    .send({ data: { name: 'tea' } })
    .expect(201);
  const { refusals, up } = await contentMigration({ orm: host.app.get<MikroORM>(CONTENT_ORM), model });
  expect([refusals, up]).toEqual([[], []]);
  await host.close();
  await database.drop();
});

it('belong to the one of two content modules that imports them', async () => {
  const hint = defineCollectionType({ singularApiId: 'hint', pluralApiId: 'hints', attributes: {} });
  @Module({ imports: [ContentModule.forFeature([hint])] })
  class HintModule {}
  const moduleOf = (prefix: string, options: Pick<ContentModuleOptions, 'contentTypes' | 'imports'>) =>
    ContentModule.forRoot({
      prefix,
      ...options,
      database: { clientUrl: reserveDatabase().url, contextName: prefix },
    });
  const imports = [
    moduleOf('news', { contentTypes: [note] }),
    moduleOf('shop', { contentTypes: [], imports: [HintModule] }),
  ];
  const testing = await Test.createTestingModule({ imports }).compile();
  const app = testing.createNestApplication();
  app.useLogger(false);
  await app.init();
  await app.close();
});
