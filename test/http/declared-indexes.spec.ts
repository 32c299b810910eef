/** Indexes that types declare: the statements that use them, equal values together, and their life. */
import { randomBytes, randomInt } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/core';
import {
  CONTENT_ORM,
  ContentModule,
  contentMigration,
  defineCollectionType,
  migrateContent,
} from 'nestjs-content-api';
import pg from 'pg';
import supertest from 'supertest';
import { CONTENT_SCHEMA } from '../../src/content/model/model.ts';
import { Database } from '../../src/content/store/database.ts';
import { checkContent } from '../../src/features/evolution/content-check.ts';
import { CONTENT_SETTINGS } from '../../src/kernel/settings.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { recordBatches } from '../support/app.ts';
import { failure, type Host, type Model, startHost } from './helpers.ts';

const category = defineCollectionType({
  singularApiId: 'category',
  pluralApiId: 'categories',
  attributes: { name: { type: 'string' }, motto: { type: 'string' }, note: { type: 'string' } },
  indexes: [{ attributes: ['name', 'motto', 'note'], unique: true }],
});
const attributes = {
  title: { type: 'string', localized: true },
  text: { type: 'text' },
  slug: { type: 'string' },
  secret: { type: 'string', private: true },
  category: { type: 'relation', relation: 'manyToOne', target: 'category' },
} as const;
const NAMES = { singularApiId: 'story', pluralApiId: 'stories' } as const;
const story = defineCollectionType({
  ...NAMES,
  draftAndPublish: true,
  localized: true,
  attributes,
  indexes: [
    { attributes: ['createdAt'] },
    { attributes: ['category', 'createdAt'] },
    { attributes: ['documentId', 'title', 'text', 'slug'], using: 'trigram' },
    { attributes: ['category', 'slug'], unique: true },
    { attributes: ['secret', 'title'], unique: true },
  ],
});
const MODEL: Model = { contentTypes: [story, category], locales: ['en', 'fr'] };
const DECLARED = [
  'stories_category_created_at_sorted',
  'stories_category_slug_together',
  'stories_created_at_sorted',
  'stories_document_id_title_text_slug_trigram',
  'stories_secret_title_together',
];

/** A caller that may write everything except `secret`. */
class Editor {
  readonly name = 'editor';
  authenticate({ headers }: { headers: Record<string, unknown> }) {
    return headers['x-editor'] === undefined
      ? null
      : { kind: 'user' as const, id: 'editor', roles: ['editor'] };
  }
}

describe('declared indexes', () => {
  let database: TestDatabase;
  let host: Host;
  const start = (model: Model): Promise<Host> =>
    startHost(
      () => ({
        imports: [
          ContentModule.forRoot({
            ...model,
            auth: { strategies: [new Editor()] },
            access: {
              public: { '*': '*' },
              roles: {
                editor: {
                  story: [
                    { actions: ['find', 'findOne'] },
                    { actions: ['update'], fields: ['title', 'slug', 'category'] },
                  ],
                  category: ['find'],
                },
              },
            },
            database: { clientUrl: database.url },
          }),
        ],
      }),
      { database },
    );
  const ormOf = ({ app }: Host): MikroORM => app.get<MikroORM>(CONTENT_ORM);
  const post = (path: string, data: object) => supertest(host.url).post(`/api/${path}`).send({ data });
  const names = async (): Promise<unknown[]> =>
    (
      await host.sql(
        `select relname as name from pg_class where relkind = 'i' and relname ~ '^stories_.*(sorted|together|trigram|mine)$' order by 1`,
      )
    ).map(({ name }) => name);

  beforeAll(async () => {
    database = await createDatabase();
    host = await start(MODEL);
    await migrateContent({ orm: ormOf(host), model: MODEL });
  });
  afterAll(async () => {
    await host.close();
    await database.drop();
  });

  it('exist after a migration, which also creates the extension for trigrams', async () => {
    expect(await names()).toEqual(DECLARED);
    expect((await contentMigration({ orm: ormOf(host), model: MODEL })).up).toEqual([]);
    expect(await ormOf(host).schema.getUpdateSchemaSQL()).toBe('');
  });

  it('names the attributes whose values are together too long for an index', async () => {
    const rare = (): string =>
      String.fromCodePoint(...Array.from({ length: 255 }, () => randomInt(0x20000, 0x2a6df)));
    const message = 'name, motto, note: too long for values that must be unique';
    const issue = { path: ['name'], message, name: 'ValidationError' };
    const { body } = await post('categories', { name: rare(), motto: rare(), note: rare() }).expect(400);
    expect(body).toEqual(failure(400, 'ValidationError', message, { errors: [issue] }));
  });

  it('14.26 several attributes are unique together, among published versions of a locale', async () => {
    const [one, two] = [
      (await post('categories', { name: 'one' }).expect(201)).body.data.documentId,
      (await post('categories', { name: 'two' }).expect(201)).body.data.documentId,
    ];
    const taken = failure(
      400,
      'ValidationError',
      'These attributes must be unique together: category, slug',
      {
        errors: [
          {
            path: ['category'],
            message: 'These attributes must be unique together: category, slug',
            name: 'ValidationError',
          },
        ],
      },
    );
    await post('stories', { slug: 'a', category: one }).expect(201);
    expect((await post('stories', { slug: 'a', category: one }).expect(400)).body).toEqual(taken);
    await post('stories', { slug: 'a', category: two }).expect(201);
    await post('stories?locale=fr', { slug: 'a', category: one }).expect(201);
    const { body } = await post('stories?status=draft', { slug: 'a', category: one }).expect(201);
    const published = await supertest(host.url)
      .put(`/api/stories/${body.data.documentId}?status=published`)
      .send({ data: { title: 'same' } })
      .expect(400);
    expect(published.body).toEqual(taken);
  });

  it('14.26 ignores documents in which one of the values is null or empty', async () => {
    const { body } = await post('categories', { name: 'three' }).expect(201);
    const category = body.data.documentId;
    for (const data of [{ category }, { category }, { slug: 'alone' }, { slug: 'alone' }])
      await post('stories', data).expect(201);
    for (const slug of ['', '']) await post('stories', { slug, category }).expect(201);
  });

  it('14.26 names no attribute of a conflict if the caller may not know one of them', async () => {
    await post('stories', { title: 'known', secret: 'same' }).expect(201);
    const { body: other } = await post('stories', { title: 'other', secret: 'same' }).expect(201);
    const put = () =>
      supertest(host.url)
        .put(`/api/stories/${other.data.documentId}`)
        .send({ data: { title: 'known' } });
    const named = (await put().expect(400)).body;
    expect(named.error.message).toBe('These attributes must be unique together: secret, title');
    const unnamed = (await put().set('x-editor', 'yes').expect(400)).body;
    expect(JSON.stringify(unnamed)).not.toMatch(/secret|title/);
    expect(unnamed.error.message).toBe('The document is not valid in attributes that you cannot access');
  });

  it.each([
    ['filters[title][$containsi]=%25Ü', ['a%üb', 'A%ÜB']],
    ['filters[title][$contains]=%25Ü', ['A%ÜB']],
    ['filters[title][$startsWithi]=A%25', ['a%üb', 'A%ÜB']],
    ['filters[title][$endsWithi]=Üb', ['a%üb', 'A%ÜB', 'aüb']],
    ['filters[title][$notContainsi]=b', []],
    ['_q=%25üB', ['a%üb', 'A%ÜB']],
  ])('6.1 trigrams return what a scan returns: %s', async (query, titles) => {
    await host.sql('delete from stories');
    for (const title of ['a%üb', 'A%ÜB', 'aüb']) await post('stories', { title }).expect(201);
    const found = async () =>
      (await supertest(host.url).get(`/api/stories?fields=title&sort=id&${query}`).expect(200)).body.data.map(
        (one: { title: string }) => one.title,
      );
    expect(await found()).toEqual(titles);
  });

  it('are used by searches and by lists of the newest documents, which need no row of the table', async () => {
    await host.sql(
      `insert into stories (document_id, created_at, updated_at, published, locale, title, slug, text)
       select 'bulk' || n, now() - n * interval '1 minute', now(), true, 'en', 'Title ' || n, 's' || n, repeat('word ', 300)
       from generate_series(1, 5000) n`,
    );
    await host.sql('vacuum analyze stories');
    const plan = async (query: string): Promise<string> => {
      const [batch = []] = await recordBatches(async () => {
        await supertest(host.url).get(`/api/stories?fields=title&${query}`).expect(200);
      });
      const text = batch.find((one) => one.includes('from "stories"')) ?? '';
      await host.sql('set enable_seqscan = off');
      await host.sql(`prepare shown as ${text}`);
      const count = new Set(text.match(/\$\d+/g)).size;
      const values = ["'en'", ...(query.startsWith('_q') ? ["'%itle 4321%'"] : []), '25', '0'].slice(
        0,
        count,
      );
      const rows = await host.sql(`explain execute shown(${values.join(', ')})`);
      await host.sql('deallocate shown');
      await host.sql('reset enable_seqscan');
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    expect(await plan('sort=createdAt:desc&pagination[pageSize]=25')).toMatch(
      /Index Only Scan Backward using stories_created_at_sorted/,
    );
    expect(await plan('_q=itle 4321&pagination[pageSize]=25')).toMatch(
      /Bitmap Index Scan on stories_document_id_title_text_slug_trigram/,
    );
  });

  it('are replaced by an interrupted migration when it runs again, and reported at the start until then', async () => {
    await host.sql('drop index stories_created_at_sorted, stories_document_id_title_text_slug_trigram');
    const { findings } = await checkContent(
      {
        database: host.app.get(Database),
        schema: host.app.get(CONTENT_SCHEMA),
        settings: host.app.get(CONTENT_SETTINGS),
      },
      false,
    );
    expect(findings.map(({ text }) => text).sort()).toEqual([
      'The database lacks the index stories_created_at_sorted of story.',
      'The database lacks the index stories_document_id_title_text_slug_trigram of story. It requires the extension pg_trgm.',
    ]);
    const { changes, up } = await contentMigration({ orm: ormOf(host), model: MODEL });
    expect(changes).toEqual([
      'the index stories_created_at_sorted is missing',
      'the index stories_document_id_title_text_slug_trigram is missing',
    ]);
    expect(up.join('\n')).toContain('create index if not exists "stories_created_at_sorted"');
    await migrateContent({ orm: ormOf(host), model: MODEL });
    expect(await names()).toEqual(DECLARED);
  });

  it('leave with their declaration; indexes that were made by hand stay', async () => {
    await host.sql('create index stories_newest_mine on stories (created_at desc)');
    const { indexes: _, ...bare } = story;
    const model: Model = { ...MODEL, contentTypes: [bare, category] };
    const later = await start(model);
    try {
      await ormOf(later).schema.update({ safe: true });
      expect(await names()).toEqual(['stories_newest_mine']);
      await migrateContent({ orm: ormOf(later), model });
      await migrateContent({ orm: ormOf(later), model: MODEL });
      expect(await names()).toEqual([...DECLARED, 'stories_newest_mine'].sort());
    } finally {
      await later.close();
    }
  });

  it('a migration reports a missing extension with the name of the index', async () => {
    const { up } = await contentMigration({ orm: ormOf(host), model: { ...MODEL, schema: 'elsewhere' } });
    const statement = up.find((one) => one.includes('create extension')) ?? '';
    const other = await createDatabase();
    const client = new pg.Client({ connectionString: other.url });
    const role = `poor_${randomBytes(4).toString('hex')}`;
    await client.connect();
    try {
      await client.query(`create role ${role}`);
      await client.query(`set role ${role}`);
      await expect(client.query(statement)).rejects.toThrow(
        /The index stories_document_id_title_text_slug_trigram requires the PostgreSQL extension pg_trgm: permission denied .*remove using: 'trigram'/,
      );
    } finally {
      await client.query(`reset role; drop role ${role}`);
      await client.end();
      await other.drop();
    }
  });
});
