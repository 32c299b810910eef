/** ContentService as documented, including methods without an HTTP route: single types, files. */
import { Injectable, Module } from '@nestjs/common';
import type { MikroORM } from '@mikro-orm/core';
import {
  CONTENT_ORM,
  ContentModule,
  type ContentService,
  defineCollectionType,
  defineSingleType,
  getContentToken,
  type Grants,
  type PermissionsSource,
} from 'nestjs-content-api';
import pg from 'pg';
import supertest from 'supertest';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { createDatabase } from '../support/database.ts';
import { startHost } from './helpers.ts';

const homepage = defineSingleType({
  singularApiId: 'homepage',
  draftAndPublish: true,
  localized: true,
  attributes: { headline: { type: 'string', required: true, localized: true } },
});
const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  attributes: {
    title: { type: 'string' },
    cover: { type: 'media' },
    gallery: { type: 'media', multiple: true },
  },
});
const about = defineSingleType({ singularApiId: 'about', attributes: { text: { type: 'text' } } });

describe.each(adaptersFor('fastify'))('the service of a single type on %s', (adapter) => {
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

  it('M1: unpublish(null) hides the page of one locale, and publish(null) shows it again', async () => {
    await put('Hello');
    await put('Bonjour', '?locale=fr');
    expect(await service().unpublish(null)).toMatchObject({ headline: 'Hello', publishedAt: null });
    await test.http.get('/api/homepage').expect(404);
    expect(await headline('?status=draft')).toBe('Hello');
    expect(await headline('?locale=fr')).toBe('Bonjour');
    expect(await service().publish(null)).toMatchObject({ headline: 'Hello' });
    expect(await headline()).toBe('Hello');
  });

  it('M1: discardDraft(null) resets the draft to the published version', async () => {
    await put('Hello');
    await put('Hello again', '?status=draft');
    expect(await service().discardDraft(null)).toMatchObject({ headline: 'Hello', publishedAt: null });
    expect(await headline('?status=draft')).toBe('Hello');
  });

  it('M1: rejects a missing version, and a type without drafts', async () => {
    for (const action of ['publish', 'unpublish', 'discardDraft'] as const) {
      await expect(service()[action](null)).rejects.toMatchObject({ name: 'NotFoundError' });
    }
    await put('Only a draft', '?status=draft');
    await expect(service().discardDraft(null)).rejects.toMatchObject({ name: 'NotFoundError' });
    await expect(service('about').unpublish(null)).rejects.toMatchObject({ message: 'about has no drafts' });
  });

  it('rejects options in place of the query instead of ignoring the transaction', async () => {
    await put('Hello');
    const { em } = test.app.get<MikroORM>(CONTENT_ORM, { strict: false });
    for (const options of [{ em }, { as: null }, { ifMatch: '*' }]) {
      const [key = ''] = Object.keys(options);
      await expect(service().update(null, { headline: 'Bye' }, options)).rejects.toMatchObject({
        message: `Invalid key ${key}: options follow the query`,
        details: { key, path: null },
      });
    }
    expect(await headline()).toBe('Hello');
  });
});

describe.each(adaptersFor('fastify'))('files without uploading on %s', (adapter) => {
  it('M5: a row created by the service of "file" can be linked in code and over HTTP', async () => {
    const test = await createTestApp({ contentTypes: [article], access: { public: { '*': '*' } } }, adapter);
    const service = (type: string) =>
      test.app.get<ContentService<{ documentId: string }>>(getContentToken(type));
    try {
      const make = (name: string) =>
        service('file').create({
          ...{ name, hash: `${name}_4f2a`, mime: 'image/jpeg', size: 120.5 },
          ...{ url: `/files/${name}`, provider: 'local' },
        });
      const [one, two] = [await make('one.jpg'), await make('two.jpg')];
      const { documentId } = await service('article').create({ cover: one.documentId });
      const gallery = { connect: [two.documentId, one.documentId] };
      await test.http.put(`/api/articles/${documentId}`).send({ data: { gallery } }).expect(200);
      const { body } = await test.http.get('/api/articles?populate=*').expect(200);
      expect(body.data).toMatchObject([
        {
          cover: { url: '/files/one.jpg', size: 120.5 },
          gallery: [{ name: 'two.jpg' }, { name: 'one.jpg' }],
        },
      ]);
    } finally {
      await test.close();
    }
  });
});

/** Grants in a table of the application, read through its pool. */
@Injectable()
class GrantsTable implements PermissionsSource {
  static readonly pool = { url: '' };

  async load(): Promise<Record<string, Grants>> {
    const client = new pg.Client({ connectionString: GrantsTable.pool.url });
    await client.connect();
    const { rows } = await client.query<{ role: string; grants: Grants }>(
      'select role, grants from my_roles',
    );
    await client.end();
    return Object.fromEntries(rows.map(({ role, grants }) => [role, grants]));
  }
}

@Injectable()
class Config {
  readonly locales = ['en', 'fr'];
}

@Module({ providers: [GrantsTable, Config], exports: [GrantsTable, Config] })
class HostModule {}

describe.each(adaptersFor('fastify'))('options from a factory on %s', (adapter) => {
  it('M5: injects settings and a source of grants into the factory', async () => {
    const database = await createDatabase();
    GrantsTable.pool.url = database.url;
    const host = await startHost(
      ({ url }) => ({
        imports: [
          ContentModule.forRootAsync({
            contentTypes: [homepage],
            prefix: 'cms',
            ownDatabase: true,
            imports: [HostModule],
            inject: [Config, GrantsTable],
            useFactory: ({ locales }: Config, source: GrantsTable) => ({
              database: { clientUrl: url },
              locales,
              access: { source, maxAge: 0 },
            }),
          }),
        ],
      }),
      { adapter, database, ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.create() },
    );
    try {
      await host.sql('create table my_roles (role text, grants jsonb)');
      const http = supertest.agent(host.url);
      const put = () => http.put('/cms/homepage?locale=fr').send({ data: { headline: 'Bonjour' } });
      await host.sql(`insert into my_roles values ('public', '{"homepage": ["find"]}')`);
      await put().expect(403);
      await host.sql(`update my_roles set grants = '{"homepage": ["find", "update", "publish"]}'`);
      expect((await put().expect(200)).body.data).toMatchObject({ headline: 'Bonjour', locale: 'fr' });
    } finally {
      await host.close();
      await database.drop();
    }
  });
});
