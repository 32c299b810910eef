/** Options from a factory, a class and an existing provider, as the documentation shows them. */
import { type DynamicModule, Injectable, Module, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM, ContentModelError, ContentModule, defineCollectionType } from 'nestjs-content-api';
import { UsersModule } from 'nestjs-content-api/accounts';
import supertest from 'supertest';
import { SECRET } from '../accounts/helpers.ts';
import { type Host, startHost } from '../http/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { snippetWith } from '../support/snippets.ts';

const WAYS = ['useFactory', 'useClass', 'useExisting'] as const;

interface Snippet {
  readonly contents: Readonly<Record<(typeof WAYS)[number], () => DynamicModule>>;
  readonly ConfigModule: Type;
  readonly Config: Type;
  readonly AppModule: Type;
}

describe('the worked example of options.md', () => {
  let database: TestDatabase;
  let snippet: Snippet;
  const before = { ...process.env };

  beforeAll(async () => {
    database = await createDatabase();
    Object.assign(process.env, { DATABASE_URL: database.url, JWT_SECRET: SECRET });
    snippet = await snippetWith<Snippet>('docs/options.md', 'useExisting: ContentConfig');
  });
  afterAll(async () => {
    for (const name of ['DATABASE_URL', 'JWT_SECRET'])
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    await database.drop();
  });

  const start = (imports: readonly (DynamicModule | Type)[]): Promise<Host> =>
    startHost(() => ({ imports: [...imports] }), {
      database,
      ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.update({ safe: true }),
    });

  it.each(WAYS)('%s gives the content module its database, locales, access and prefix', async (way) => {
    const host = await start([snippet.contents[way]()]);
    try {
      const http = supertest.agent(host.url);
      await host.sql(`delete from articles`);
      await host.sql(
        `insert into articles (document_id, locale, published, title, created_at, updated_at, published_at)
         values ('${'a'.repeat(24)}', 'fr', true, 'Bonjour', now(), now(), now())`,
      );
      const { body } = await http.get('/cms/articles?locale=fr').expect(200);
      expect(body.data).toMatchObject([{ title: 'Bonjour', locale: 'fr' }]);
      await http.post('/cms/articles').send({ data: {} }).expect(403);
    } finally {
      await host.close();
    }
  });

  it.each(WAYS)('%s gives the users module its secret', async (way) => {
    @Injectable()
    class Options {
      createUsersOptions() {
        return { secret: SECRET, rateLimit: false } as const;
      }
    }
    @Module({ providers: [Options], exports: [Options] })
    class OptionsModule {}
    const given = {
      useFactory: { inject: [Options], useFactory: (options: Options) => options.createUsersOptions() },
      useClass: { useClass: Options },
      useExisting: { useExisting: Options },
    }[way];
    const users = UsersModule.forRootAsync({ imports: [OptionsModule], ...given });
    const host = await start([snippet.contents.useFactory(), users]);
    try {
      const user = { username: `somebody-${way}`, email: `${way}@example.com`, password: 'a good password' };
      const { body } = await supertest(host.url).post('/cms/auth/local/register').send(user).expect(200);
      await supertest(host.url).get('/cms/users/me').auth(body.jwt, { type: 'bearer' }).expect(200);
    } finally {
      await host.close();
    }
  });

  it('its application starts, and signs users in', async () => {
    const host = await start([snippet.AppModule]);
    try {
      const user = { username: 'Ann', email: 'ann@example.com', password: 'a good password' };
      await supertest(host.url).post('/cms/auth/local/register').send(user).expect(200);
    } finally {
      await host.close();
    }
  });
});

describe('errors', () => {
  const article = defineCollectionType({
    singularApiId: 'article',
    pluralApiId: 'articles',
    attributes: { title: { type: 'string' } },
  });
  const contentTypes = [article];

  it.each([
    ['no way', {}, 'there is none of them'],
    [
      'two ways',
      { useFactory: () => ({}), useExisting: ContentModule as never },
      'there are useFactory and useExisting',
    ],
  ])('%s to get the options are rejected by both modules', (_what, given, message) => {
    const options = { contentTypes, ...given };
    expect(() => ContentModule.forRootAsync(options)).toThrow(
      `The options have 1 mistake:\n  - ContentModule.forRootAsync takes one of useFactory, useClass and useExisting; ${message}`,
    );
    expect(() => UsersModule.forRootAsync(given as never)).toThrow(
      `UsersModule.forRootAsync takes one of useFactory, useClass and useExisting; ${message}`,
    );
  });

  const starts = (module: () => DynamicModule): Promise<unknown> =>
    Promise.resolve()
      .then(() => Test.createTestingModule({ imports: [module()] }).compile())
      .catch((error: unknown) => error);

  it.each([
    ['model', () => ({ attributes: { id: { type: 'string' } } }), {}, 'The content model has 1 mistake'],
    ['options', () => ({}), { accesss: {} }, 'The options have 1 mistake'],
    ['settings', () => ({}), { maxLimit: 0 }, 'The options have 1 mistake'],
    ['grants', () => ({}), { access: { public: { artikle: '*' } } }, 'The grants have 1 mistake'],
    [
      'model and options',
      () => ({ attributes: { id: { type: 'string' } } }),
      { accesss: {} },
      'The content model has 2 mistakes',
    ],
  ])('of the %s have this name in the first line', async (_what, more, options, head) => {
    const types = [{ ...article, ...more() }] as never;
    const error = await starts(() =>
      ContentModule.forRoot({
        contentTypes: types,
        ...options,
        database: { clientUrl: 'postgresql://nowhere', connect: false },
      } as never),
    );
    expect(error).toBeInstanceOf(ContentModelError);
    expect((error as Error).message.split(':')[0]).toBe(head);
  });
});
