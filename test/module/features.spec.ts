/** Types that feature modules of the application declare with `ContentModule.forFeature`. */
import { Controller, Get, Inject, Injectable, Module, Post } from '@nestjs/common';
import {
  CollectionController,
  ContentModule,
  type ContentService,
  defineCollectionType,
  defineComponent,
  InjectContent,
} from 'nestjs-content-api';
import supertest from 'supertest';
import { problem, startHost } from '../http/helpers.ts';
import { ADAPTERS } from '../support/app.ts';
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
