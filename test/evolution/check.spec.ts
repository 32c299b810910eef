/** Reports on a database that differs from the model, at the start and on the command line. */
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MikroORM } from '@mikro-orm/core';
import {
  CONTENT_ORM,
  ContentModule,
  defineCollectionType,
  defineComponent,
  migrateContent,
} from 'nestjs-content-api';
import supertest from 'supertest';
import { Database } from '../../src/content/store/database.ts';
import { checkContent } from '../../src/features/evolution/content-check.ts';
import { describeModel } from '../../src/content/model/description.ts';
import { saveModel } from '../../src/features/evolution/stored-model.ts';
import { run } from '../../src/module/command-line.ts';
import { CONTENT_SCHEMA } from '../../src/content/model/model.ts';
import { CONTENT_SETTINGS } from '../../src/kernel/settings.ts';
import { print } from '../../src/kernel/sql.ts';
import { type Host, type Model, startHost, startModel } from '../http/helpers.ts';
import { countStatements } from '../support/app.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { AFTER, BEFORE, LOOSE, TIGHT } from './check-models.ts';

/** Settings of the start of applications. */
type Start = { readonly startCheck?: 'refuse' | 'warn' };

describe('a database that differs from the model', () => {
  let database: TestDatabase;
  let ruled: TestDatabase;
  let host: Host | undefined;
  const warned: string[] = [];

  const start = async (model: Model, { startCheck }: Start = {}): Promise<Host> => {
    warned.length = 0;
    const spy = jest
      .spyOn(Logger.prototype, 'warn')
      .mockImplementation((message) => void warned.push(String(message)));
    try {
      host = await startHost(
        () => ({
          imports: [
            ContentModule.forRoot({
              ...model,
              ...(startCheck === undefined ? {} : { startCheck }),
              access: { public: { '*': '*' } },
              database: { clientUrl: database.url },
            }),
          ],
        }),
        { database },
      );
      return host;
    } finally {
      spy.mockRestore();
    }
  };
  const stop = async (): Promise<void> => {
    await host?.close();
    host = undefined;
  };
  const note = async ({ app }: Host): Promise<void> => {
    const [schema, settings] = [app.get(CONTENT_SCHEMA), app.get(CONTENT_SETTINGS)];
    await app.get(Database).run(print(saveModel(schema, describeModel(schema, settings))));
  };
  const command = (...args: string[]) => run(args, { env: {}, say: () => undefined });
  const module = (name: string) => `${join(import.meta.dirname, 'check-app.ts')}#${name}`;

  beforeAll(async () => {
    database = await createDatabase();
    ruled = await createDatabase();
    process.env['CHECK_DATABASE'] = database.url;
    process.env['CHECK_RULES_DATABASE'] = ruled.url;
    const before = await startModel(database, BEFORE, 'express');
    const { url } = before;
    const post = (path: string, data: object) =>
      supertest(url).post(`/api/${path}`).send({ data }).expect(201);
    await post('articles', { title: 'live', parts: [{ text: 'x', gone: 'y', inner: { lost: 'z' } }] });
    await post('articles?status=draft', { title: 'pending' });
    const { body } = await post('pages', { title: 'english', zone: [{ __component: 'c.gone' }] });
    await supertest(url)
      .put(`/api/pages/${body.data.documentId}?locale=fr`)
      .send({ data: { title: 'français' } });
    await note(before);
    await before.close();
  });
  afterEach(stop);
  afterAll(async () => {
    await database.drop();
    await ruled.drop();
  });

  it('reports nothing if the database matches the model', async () => {
    await start(BEFORE, { startCheck: 'refuse' });
    expect(warned).toEqual([]);
    expect(await command('check', '--module', module('Before'))).toBe(
      'The content in the database matches the model',
    );
  });

  const EXPECTED = [
    'The stored content has another model than this release',
    'article.known is stored, but the model of this release does not have it',
    'article.secret was a password; responses would show its stored hashes',
    'article has no drafts, but 2 are stored, which no request returns',
    'page is not localized, but 1 versions are stored in locales other than "en", which no request returns',
    'Components contain data that the model does not have: article.parts.gone, article.parts.inner.lost, page.zone of "c.gone"',
  ];

  it('warns once of all differences, and names the commands', async () => {
    await start(AFTER);
    expect(warned).toHaveLength(1);
    for (const sentence of EXPECTED) expect(warned[0]).toContain(sentence);
    expect(warned[0]).toContain('npx nestjs-content-api migration');
    expect(warned[0]).toContain('npx nestjs-content-api check');
  });

  it.each([true, false])(
    'advises the migration that corrects another default locale, not schema.update (model stored: %s)',
    async (isNoted) => {
      const other = await createDatabase();
      const [english, french] = ['en', 'fr'].map((defaultLocale): Model => {
        const attributes = { title: { type: 'string', unique: true } } as const;
        const tag = defineCollectionType({ singularApiId: 'tag', pluralApiId: 'tags', attributes });
        return { contentTypes: [tag], defaultLocale };
      });
      if (english === undefined || french === undefined) throw new Error('There is no model');
      const first = await startModel(other, english, 'express');
      await supertest(first.url)
        .post('/api/tags')
        .send({ data: { title: 'x' } })
        .expect(201);
      if (isNoted) await note(first);
      await first.close();
      const own = database;
      database = other;
      try {
        const { app, url } = await start(french);
        expect(warned).toEqual([expect.stringContaining('run "npx nestjs-content-api migration"')]);
        expect(warned[0]).not.toContain('schema.update');
        await migrateContent({ orm: app.get<MikroORM>(CONTENT_ORM), model: french });
        const { body } = await supertest(url).get('/api/tags').expect(200);
        expect(body.data).toMatchObject([{ title: 'x' }]);
      } finally {
        database = own;
        await stop();
        await other.drop();
      }
    },
  );

  it('starts without tables, because no content can be lost', async () => {
    const empty = await createDatabase();
    const content = ContentModule.forRoot({
      ...BEFORE,
      startCheck: 'refuse',
      access: { public: { '*': '*' } },
      database: { clientUrl: empty.url },
    });
    const app = await NestFactory.create({ module: class Host {}, imports: [content] }, { logger: false });
    await app.init();
    await supertest(app.getHttpServer()).get('/api/articles').expect(503);
    await app.close();
    await empty.drop();
  });

  it('refuses to start if content would be lost or shown, as in production', async () => {
    await expect(start(AFTER, { startCheck: 'refuse' })).rejects.toThrow(/article has no drafts.*migration/);
    const { NODE_ENV } = process.env;
    process.env.NODE_ENV = 'production';
    try {
      await expect(start(AFTER)).rejects.toThrow(/article.secret was a password/);
      await start(AFTER, { startCheck: 'warn' });
    } finally {
      process.env.NODE_ENV = NODE_ENV;
    }
  });

  it('refuses to start if a type or component with a new name would show stored hashes', async () => {
    const other = await createDatabase();
    const named = (article: string, part: string, type: 'password' | 'string'): Model => ({
      contentTypes: [
        defineCollectionType({
          singularApiId: article,
          pluralApiId: `${article}s`,
          tableName: 'articles',
          attributes: { pin: { type }, part: { type: 'component', component: part } },
        }),
      ],
      components: [defineComponent({ uid: part, attributes: { pin: { type } } })],
    });
    const first = await startModel(other, named('article', 'c.part', 'password'), 'express');
    await note(first);
    await first.close();
    const own = database;
    database = other;
    const later = named('story', 'c.piece', 'string');
    const renamed: Model = {
      contentTypes: later.contentTypes.map((type) => ({ ...type, previousName: 'article' })),
      components: later.components?.map((one) => ({ ...one, previousName: 'c.part' })) ?? [],
    };
    try {
      await start(renamed);
      for (const name of ['article', 'c.part'])
        expect(warned[0]).toContain(`${name}.pin was a password; responses would show its stored hashes`);
      await expect(start(renamed, { startCheck: 'refuse' })).rejects.toThrow(/article\.pin was a password/);
    } finally {
      database = own;
      await stop();
      await other.drop();
    }
  });

  it('starts a context that serves no requests', async () => {
    class Root {}
    const content = ContentModule.forRoot({
      ...AFTER,
      startCheck: 'refuse',
      database: { clientUrl: database.url },
    });
    const app = await NestFactory.createApplicationContext(
      { module: Root, imports: [content] },
      { logger: false },
    );
    await app.close();
  });

  it('the command prints all differences, and fails', async () => {
    await expect(command('check', '--module', module('After'))).rejects.toThrow(
      [...EXPECTED.map((text, i) => `${i === 0 || i === 5 ? 'note ' : 'error'}  ${text}`)].join('\n'),
    );
  });

  it('needs four statements', async () => {
    const { app } = await start(AFTER);
    const checked = {
      database: app.get(Database),
      schema: app.get(CONTENT_SCHEMA),
      settings: app.get(CONTENT_SETTINGS),
    };
    expect(await countStatements(() => checkContent(checked, false))).toHaveLength(4);
  });

  it('reports tables, columns and types that differ from the model', async () => {
    const { article, page } = AFTER.contentTypes.reduce(
      (all, type) => ({ ...all, [type.singularApiId]: type }),
      {} as Record<string, (typeof AFTER.contentTypes)[number]>,
    );
    const more = defineCollectionType({ singularApiId: 'more', pluralApiId: 'mores', attributes: {} });
    const changed = {
      ...(article as object),
      attributes: { ...article?.attributes, rank: { type: 'datetime' }, extra: { type: 'string' } },
    };
    const model = { ...AFTER, contentTypes: [changed, page, more] } as unknown as Model;
    await expect(start(model, { startCheck: 'refuse' })).rejects.toThrow(
      /lacks (?=.*"articles"."extra")(?=.*"mores").*other types for "articles"."rank" \(integer instead of timestamptz\).*"startCheck"$/,
    );
    const { url, app } = await start(model);
    const { body } = await supertest(url).get('/api/articles?filters[rank][$gt]=2020-01-01').expect(503);
    expect(body.error.details).toMatchObject({ retryAfter: 1 });
    await app.get<MikroORM>(CONTENT_ORM).close();
  });

  it('checks types with more than fifty attributes and components, and types without any', async () => {
    const other = await createDatabase();
    const part = { type: 'component', component: 'c.part' } as const;
    const many = <A extends object>(of: A, prefix = ''): Readonly<Record<string, A>> =>
      Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`${prefix}a${i}`, of]));
    const wide: Model = {
      contentTypes: [many({ type: 'email' } as const), many(part, 'p'), {}].map((attributes, i) =>
        defineCollectionType({ singularApiId: `t${i}`, pluralApiId: `t${i}s`, attributes }),
      ),
      components: [defineComponent({ uid: 'c.part', attributes: { text: { type: 'string' } } })],
    };
    host = await startModel(other, wide, 'express');
    const { url, app } = host;
    try {
      for (const [path, data] of [
        ['t0s', { a50: 'ada@example.com' }],
        ['t1s', { pa50: { text: 'x' } }],
        ['t2s', {}],
      ] as const)
        await supertest(url).post(`/api/${path}`).send({ data }).expect(201);
      await host.sql(`update t0s set a50 = 'no address'`);
      await host.sql(`update t1s set pa50 = pa50 || '{"other":1}'`);
      const [schema, settings] = [app.get(CONTENT_SCHEMA), app.get(CONTENT_SETTINGS)];
      const checked = { database: app.get(Database), schema, settings };
      for (const all of [false, true])
        expect((await checkContent(checked, all)).findings).toEqual([
          expect.objectContaining({
            text: 'Components contain data that the model does not have: t1.pa50.other',
          }),
          ...(all ? [expect.objectContaining({ text: expect.stringContaining('t0.a50: a50 must be') })] : []),
        ]);
    } finally {
      await stop();
      await other.drop();
    }
  });

  it('reads return values that violate stricter rules, and writes refuse them', async () => {
    const values = { title: 'long', code: 'A1', rank: 11, kind: 'b', mail: 'no address' };
    const parts = [{ text: 'x' }, { text: 'long enough' }];
    const loose = await startModel(ruled, LOOSE, 'express');
    const { body } = await supertest(loose.url)
      .post('/api/ruleds')
      .send({ data: { ...values, parts } })
      .expect(201);
    await supertest(loose.url)
      .post('/api/ruleds?status=draft')
      .send({ data: { rank: 1 } })
      .expect(201);
    await loose.close();
    const { documentId } = body.data;
    expect(await command('check', '--module', module('Loose'))).toBe(
      'The content in the database matches the model',
    );
    const expected = [
      'The content in the database matches the model',
      ...[
        'title: title must be at most 3 characters',
        'code: code must match the following: "/^[a-z]+$/"',
        'rank: rank must be less than or equal to 10',
        'kind: kind must be one of the following values: a, ',
        'mail: mail must be a valid email',
        'needed: needed must be defined',
        'parts: parts field must have less than or equal to 1 items',
        'parts.text: text must be at least 3 characters',
      ].map((line) => `value  ruled.${line}`),
    ];
    const output = await command('check', '--module', module('Tight'));
    const [first = '', ...others] = output.split('\n');
    expect([first, ...others.map((line) => line.replace(/; \d stored.*$/, ''))].sort()).toEqual(
      expected.sort(),
    );
    expect(output).toContain(`needed must be defined; 1 stored value violates this: ${documentId} (en)`);
    // The draft also counts; rules that do not apply to drafts are not checked.
    expect(output).toContain(
      `at most 3 characters; 2 stored values violate this: ${documentId} (en, draft), ${documentId} (en)`,
    );
    const { url } = (host = await startModel(ruled, TIGHT, 'express'));
    const shown = await supertest(url).get(`/api/ruleds/${documentId}?populate=*`).expect(200);
    expect(shown.body.data).toMatchObject({ ...values, parts: [{ text: 'x' }, { text: 'long enough' }] });
    const put = (data: object, status: string) =>
      supertest(url).put(`/api/ruleds/${documentId}${status}`).send({ data });
    await put({ title: 'long' }, '').expect(400);
    await put({ title: 'long' }, '?status=draft').expect(400);
    await put({ title: 'ok' }, '?status=draft').expect(200);
    const { body: refused } = await put({ title: 'ok' }, '').expect(400);
    expect(refused.error.details.errors.map(({ path }: any) => path.join('.'))).toEqual(
      expect.arrayContaining(['code', 'rank', 'kind', 'mail', 'needed']),
    );
  });
});
