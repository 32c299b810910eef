/** Two content modules in one application, each with its own model, prefix and database. */
import type { MikroORM } from '@mikro-orm/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { CONTENT_ORM, ContentModule, defineCollectionType } from 'nestjs-content-api';
import { ModulesContainer } from '@nestjs/core';
import supertest from 'supertest';
import { ADAPTERS } from '../support/app.ts';
import { type ReservedDatabase, reserveDatabase } from '../support/database.ts';

const moduleOf = (name: string, prefix: string, locale: string) => {
  const database = reserveDatabase();
  const module = ContentModule.forRoot({
    contentTypes: [
      defineCollectionType({
        singularApiId: name,
        pluralApiId: `${name}s`,
        attributes: { title: { type: 'string' } },
      }),
    ],
    prefix,
    access: { public: { [name]: '*', locale: ['find'] } },
    locales: [locale],
    defaultLocale: locale,
    database: { clientUrl: database.url, contextName: prefix },
  });
  return { database, module };
};

/** Creates the tables of each module, in the order of the imports. */
async function makeAll(modules: ModulesContainer, databases: readonly ReservedDatabase[]): Promise<void> {
  const orms = [...modules.values()]
    .filter(({ metatype }) => metatype === ContentModule)
    .map(({ providers }) => providers.get(CONTENT_ORM)?.instance as MikroORM);
  for (const [i, orm] of orms.entries()) await databases[i]?.make(await orm.schema.getCreateSchemaSQL());
}

describe.each(ADAPTERS)('two content modules on %s', (adapter) => {
  const shop = moduleOf('product', 'shop', 'de');
  const news = moduleOf('story', 'news', 'fr');
  let close: () => Promise<void>;
  let http: ReturnType<typeof supertest>;
  beforeAll(async () => {
    const testing = await Test.createTestingModule({ imports: [shop.module, news.module] }).compile();
    await makeAll(testing.get(ModulesContainer), [shop.database, news.database]);
    const app =
      adapter === 'fastify'
        ? testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter())
        : testing.createNestApplication();
    app.useLogger(['fatal']);
    await app.listen(0, '127.0.0.1');
    http = supertest(await app.getUrl());
    close = async () => {
      await app.close();
      await shop.database.drop();
      await news.database.drop();
    };
  });
  afterAll(() => close());

  it.each([
    ['shop', 'product', 'de'],
    ['news', 'story', 'fr'],
  ])('each have their own description, locales and content (%s)', async (prefix, name, locale) => {
    const { body: description } = await http.get(`/${prefix}/openapi.json`).expect(200);
    const paths = Object.keys(description.paths).filter((path) => /(product|story)s$/.test(path));
    expect(paths).toEqual([`/${prefix}/${name}s`]);
    const { body: locales } = await http.get(`/${prefix}/i18n/locales`).expect(200);
    expect(locales.map(({ code }: { readonly code: string }) => code)).toEqual([locale]);
    const made = await http.post(`/${prefix}/${name}s`).send({ data: { title: 'x' } });
    expect([made.status, made.body.data.locale]).toEqual([201, locale]);
  });

  it('2.1 both have the format of errors', async () => {
    for (const prefix of ['shop', 'news']) {
      const { body } = await http.get(`/${prefix}/unknown`).expect(404);
      expect(body).toMatchObject({ data: null, error: { name: 'NotFoundError' } });
      await http.patch(`/${prefix}/openapi.json`).expect(405);
    }
  });
});
