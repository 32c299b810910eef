/** Command `adopt`: small archives of Strapi 4 and 5, moved in and read over HTTP. */
import { cpSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import type { MikroORM } from '@mikro-orm/core';
import bcrypt from 'bcryptjs';
import { CONTENT_ORM, ContentModule } from 'nestjs-content-api';
import { UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import sharp from 'sharp';
import { definitionsOf } from '../../src/features/adopt/definitions-of.ts';
import { run } from '../../src/module/command-line.ts';
import { Outbox, usersOptions } from '../accounts/helpers.ts';
import { type Host, snapshot, startHost } from '../http/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import {
  componentSchema,
  entity,
  fileLink,
  type Json,
  link,
  type SmallArchive,
  stored,
  typeSchema,
  writeArchive,
} from './small-archive.ts';

const ARTICLE = 'api::article.article';
const TAG = 'api::tag.tag';
const SEO = 'shared.seo';
const FILE = 'plugin::upload.file';
const USER = 'plugin::users-permissions.user';
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } };

const localized = (attribute: Json): Json => ({ ...attribute, ...LOCALIZED });

const SCHEMAS: readonly Json[] = [
  typeSchema(
    'article',
    {
      title: localized({ type: 'string', required: true, maxLength: 20 }),
      slug: { type: 'uid', targetField: 'title' },
      kind: { type: 'enumeration', enum: ['news', 'essay'] },
      tags: { type: 'relation', relation: 'manyToMany', target: TAG, inversedBy: 'articles' },
      author: { type: 'relation', relation: 'manyToOne', target: USER },
      seo: localized({ type: 'component', component: SEO }),
      cover: { type: 'media', multiple: false },
    },
    LOCALIZED,
  ),
  typeSchema(
    'tag',
    {
      name: { type: 'string' },
      articles: { type: 'relation', relation: 'manyToMany', target: ARTICLE, mappedBy: 'tags' },
    },
    { options: { draftAndPublish: false } },
  ),
  componentSchema(SEO, {
    text: { type: 'string' },
    image: { type: 'media' },
    tag: { type: 'relation', relation: 'oneToOne', target: TAG },
  }),
];

const times = (day: number): Json => ({
  createdAt: `2024-01-0${day}T00:00:00.000Z`,
  updatedAt: `2024-02-0${day}T00:00:00.000Z`,
});

const user = async (id: number, more: Json): Promise<Json> =>
  entity(USER, id, {
    username: `user${id}`,
    email: `User${id}@Example.com`,
    provider: 'local',
    password: await bcrypt.hash(`secret-${id}`, 4),
    confirmed: true,
    blocked: false,
    ...times(1),
    ...more,
  });

const ROLES: readonly Json[] = [
  entity('plugin::users-permissions.role', 1, { name: 'Authenticated', type: 'authenticated', ...times(1) }),
  entity('plugin::users-permissions.permission', 1, { action: `${ARTICLE}.find` }),
  entity('plugin::i18n.locale', 1, { name: 'English', code: 'en' }),
  entity('plugin::i18n.locale', 2, { name: 'German', code: 'de' }),
];

const ROLE_LINKS: readonly Json[] = [
  link(['plugin::users-permissions.permission', 1, 'role'], ['plugin::users-permissions.role', 1]),
  link([USER, 1, 'role'], ['plugin::users-permissions.role', 1]),
];

const CONFIGURATION: readonly Json[] = [stored('plugin_i18n_default_locale', '"en"')];

const picture = (): Promise<Buffer> =>
  sharp({ create: { width: 400, height: 300, channels: 3, background: 'navy' } })
    .png()
    .toBuffer();

/** Archive of Strapi 5: a document in two locales, whose draft differs from the published version. */
const newArchive = async (): Promise<SmallArchive> => ({
  version: '5.44.0',
  schemas: SCHEMAS,
  configuration: CONFIGURATION,
  entities: [
    ...ROLES,
    await user(1, { documentId: 'userdocument000000000001' }),
    entity(TAG, 1, {
      documentId: 'tagred',
      name: 'red',
      publishedAt: '2024-01-01T00:00:00.000Z',
      ...times(1),
    }),
    entity(TAG, 2, {
      documentId: 'tagblue',
      name: 'blue',
      publishedAt: '2024-01-01T00:00:00.000Z',
      ...times(1),
    }),
    entity(ARTICLE, 1, {
      documentId: 'one',
      locale: 'en',
      publishedAt: null,
      title: 'Draft',
      slug: 'first',
      kind: 'gone',
      seo: { id: 11, text: 'draft text' },
      ...times(1),
    }),
    entity(ARTICLE, 2, {
      documentId: 'one',
      locale: 'en',
      publishedAt: '2024-03-01T00:00:00.000Z',
      title: 'A title of more than twenty characters',
      slug: 'first',
      kind: 'news',
      seo: { id: 12, text: 'public text' },
      ...times(2),
    }),
    entity(ARTICLE, 3, { documentId: 'one', locale: 'de', publishedAt: null, title: 'Entwurf', ...times(3) }),
    ...[4, 5].map((id) =>
      entity(ARTICLE, id, {
        ...{ documentId: 'two', locale: 'en', title: 'Two', slug: 'two', ...times(3) },
        publishedAt: id === 4 ? null : '2024-03-01T00:00:00.000Z',
      }),
    ),
    entity(FILE, 1, {
      documentId: 'filedocument',
      name: 'Sea.png',
      alternativeText: 'The sea',
      caption: 'At night',
      hash: 'Sea_0123456789',
      ext: '.png',
      mime: 'image/png',
      size: 1.2,
      url: '/uploads/Sea_0123456789.png',
      provider: 'local',
      folderPath: '/1/2',
      ...times(1),
    }),
    entity('plugin::upload.folder', 1, { name: 'Places', pathId: 1, path: '/1' }),
    entity('plugin::upload.folder', 2, { name: 'Sea', pathId: 2, path: '/1/2' }),
  ],
  links: [
    ...ROLE_LINKS,
    link([ARTICLE, 1, 'tags', 2], [TAG, 1, 1]),
    link([ARTICLE, 1, 'tags', 1], [TAG, 2, 1]),
    link([ARTICLE, 2, 'tags', 1], [TAG, 1, 2]),
    // The tag shows its newer article first.
    ...[link([ARTICLE, 4, 'tags', 1], [TAG, 1, 0.5]), link([ARTICLE, 5, 'tags', 1], [TAG, 1, 0.5])],
    link([ARTICLE, 1, 'localizations'], [ARTICLE, 'one']),
    link([ARTICLE, 2, 'author'], [USER, 1]),
    link([SEO, 12, 'tag'], [TAG, 2]),
    link([ARTICLE, 2, 'tags', 2], [TAG, 99]),
    fileLink(1, [ARTICLE, 2, 'cover']),
    fileLink(1, [SEO, 12, 'image']),
  ],
  assets: { 'Sea_0123456789.png': await picture() },
});

/** Archive of Strapi 4: rows without document ids, whose locales link each other. */
const oldArchive = async (): Promise<SmallArchive> => ({
  version: '4.20.0',
  schemas: SCHEMAS,
  configuration: CONFIGURATION,
  entities: [
    ...ROLES,
    await user(1, {}),
    entity(TAG, 1, { name: 'red', ...times(1) }),
    entity(ARTICLE, 1, { locale: 'en', publishedAt: '2024-03-01T00:00:00.000Z', title: 'One', ...times(1) }),
    entity(ARTICLE, 2, { locale: 'de', publishedAt: null, title: 'Eins', ...times(2) }),
    entity(ARTICLE, 3, { locale: 'en', publishedAt: null, title: 'Two', ...times(3) }),
  ],
  links: [
    ...ROLE_LINKS,
    link([ARTICLE, 1, 'localizations'], [ARTICLE, 2]),
    link([ARTICLE, 2, 'localizations'], [ARTICLE, 1]),
    link([ARTICLE, 1, 'tags', 1], [TAG, 1, 1]),
  ],
});

class Root {}
const modules = new Map<string, DynamicModule>();
Reflect.set(globalThis, Symbol.for('modules of adopt/command'), modules);

const modulesOf = (
  { schemas }: SmallArchive,
  url: string,
  folder: string,
): NonNullable<ModuleMetadata['imports']> => {
  const sources = schemas.map((schema) => ({ uid: String(schema['uid']), file: 'schemas', schema }));
  const { contentTypes, components, userAttributes } = definitionsOf(sources);
  return [
    ContentModule.forRoot({
      contentTypes: [...contentTypes, ...userTypes(userAttributes)],
      components,
      locales: ['en', 'de'],
      access: { public: { '*': '*' } },
      database: { clientUrl: url },
    }),
    UsersModule.forRoot(usersOptions(new Outbox())),
    FilesModule.forRoot({ storage: new LocalStorage(join(folder, 'files')) }),
  ];
};

describe.each([
  ['5', newArchive],
  ['4', oldArchive],
] as const)('the command adopt, with an archive of Strapi %s', (version, archiveOf) => {
  let database: TestDatabase;
  let host: Host;
  let folder: string;
  let source: string;
  let report: any;

  const adopt = (...args: string[]): Promise<string> =>
    run(['adopt', source, '--report', join(folder, 'report'), '--work', join(folder, 'work'), ...args], {
      env: {},
      say: () => undefined,
    });
  const get = async (path: string): Promise<any> => (await fetch(`${host.url}/api/${path}`)).json();
  /** Documents that the last report lists as changed since they were moved. */
  const differing = async (): Promise<unknown[]> => {
    const { none } = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'));
    return none.filter(({ text }: { text: string }) => text.includes('exist with other content'));
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adopt-'));
    const archive = await archiveOf();
    source = await writeArchive(join(folder, 'archive'), archive);
    database = await createDatabase();
    const imports = modulesOf(archive, database.url, folder);
    host = await startHost(() => ({ imports }), {
      database,
      ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.update({ safe: true }),
    });
    const module = join(folder, 'app.module.mjs');
    modules.set(pathToFileURL(module).href, {
      module: Root,
      imports: modulesOf(archive, database.url, folder),
    });
    await writeFile(
      module,
      `export const AppModule = globalThis[Symbol.for('modules of adopt/command')].get(import.meta.url);\n`,
    );
    // The first start makes the default roles.
    await adopt('--module', module, '--dry-run');
    const empty = await snapshot(host);
    await adopt('--module', module, '--dry-run');
    expect(await snapshot(host)).toEqual(empty);
    await adopt('--module', module);
    report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'));
    const rows = await snapshot(host);
    expect(await adopt('--module', module)).toMatch(/^Moved: 0 new, 0 replaced, \d+ unchanged, 0 left out/);
    expect(await snapshot(host)).toEqual(rows);
    expect(await differing()).toEqual([]);
  });
  afterAll(async () => {
    await host.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('reports a document that changed since it was moved, and only that one', async () => {
    const { data } = await get('tags?filters[name]=red');
    const { documentId } = data[0];
    await host.sql(`update tags set name = 'green' where document_id = '${documentId}'`);
    await adopt('--module', join(folder, 'app.module.mjs'), '--dry-run');
    expect(await differing()).toEqual([
      expect.objectContaining({ subject: 'tag', rows: [documentId], text: expect.stringContaining('stay') }),
    ]);
    await adopt('--module', join(folder, 'app.module.mjs'), '--dry-run', '--on-conflict', 'replace');
    expect(await differing()).toMatchObject([{ text: expect.stringContaining('replaced') }]);
    await host.sql(`update tags set name = 'red' where document_id = '${documentId}'`);
    await adopt('--module', join(folder, 'app.module.mjs'), '--dry-run');
    expect(await differing()).toEqual([]);
  });

  it('converts again after a dry run, which leaves only its report, and not while an import continues', async () => {
    const [work, copy] = [join(folder, 'work'), join(folder, 'copy')];
    const dryRun = (say: () => void): Promise<string> =>
      run(
        [
          ...['adopt', source, '--module', join(folder, 'app.module.mjs'), '--dry-run'],
          ...['--report', join(folder, 'report'), '--work', work],
        ],
        { env: {}, say },
      );
    await dryRun(() => cpSync(work, copy, { recursive: true }));
    expect(await readdir(work)).toEqual([]);
    const id = basename((await readdir(copy)).find((file) => file.endsWith('.done')) ?? '', '.done');
    const earlier = { list: 'none', subject: 'earlier', text: 'Remark of an earlier conversion' };
    /** Returns the remarks of a run that finds a conversion of other options. */
    const remarks = async (): Promise<unknown> => {
      await cp(copy, work, { recursive: true });
      await writeFile(join(work, `${id}.done`), JSON.stringify({ documents: {}, remarks: [earlier] }));
      await dryRun(() => undefined);
      return JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')).none;
    };
    expect(await remarks()).not.toContainEqual(earlier);
    expect(await readdir(work)).toEqual([]);
    await host.sql('create table content_import (archive text primary key, done bigint not null)');
    await host.sql(`insert into content_import values ('${id}', 1)`);
    expect(await remarks()).toContainEqual(earlier);
    expect(await readdir(work)).toContain(`${id}.archive`);
    await host.sql('drop table content_import');
    await rm(work, { recursive: true });
  });

  it('lets users sign in with their old password, and then stores another hash', async () => {
    const hashOf = async () => (await host.sql('select password from content_users'))[0]?.['password'];
    expect(await hashOf()).toMatch(/^\$2/);
    for (const [password, status] of [
      ['wrong-1', 400],
      ['secret-1', 200],
      ['secret-1', 200],
    ] as const) {
      const response = await fetch(`${host.url}/api/auth/local`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ identifier: 'user1@example.com', password }),
      });
      expect(response.status).toBe(status);
    }
    expect(await hashOf()).toMatch(/^\$argon2id/);
  });

  if (version === '5') {
    it('keeps ids, states, locales and times', async () => {
      const { data: published } = await get('articles/one?populate=*');
      expect(published).toMatchObject({
        id: 2,
        documentId: 'one',
        locale: 'en',
        title: 'A title of more than twenty characters',
        createdAt: '2024-01-02T00:00:00.000Z',
        updatedAt: '2024-02-02T00:00:00.000Z',
        publishedAt: '2024-03-01T00:00:00.000Z',
        tags: [{ documentId: 'tagred' }],
        author: { username: 'user1' },
        seo: { id: 12, text: 'public text' },
      });
      const { data: draft } = await get('articles/one?status=draft&populate=tags');
      expect(draft).toMatchObject({ id: 1, title: 'Draft', publishedAt: null });
      expect(draft.tags.map(({ name }: { name: string }) => name)).toEqual(['blue', 'red']);
      expect((await get('articles/one?status=draft&locale=de')).data).toMatchObject({ title: 'Entwurf' });
      expect((await get('articles?locale=de')).data).toEqual([]);
    });

    it('names the option that leaves out the bytes of files', async () => {
      await adopt('--module', join(folder, 'app.module.mjs'), '--dry-run', '--no-files');
      const { none } = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'));
      const texts = none.filter(({ subject }: { subject: string }) => subject === FILE);
      expect(texts).toMatchObject([
        { text: 'The bytes are not stored: the option --no-files leaves them out', count: 1 },
      ]);
    });

    it('keeps files with their texts, folders and URLs, and makes their formats', async () => {
      const { data } = await get('articles/one?populate[cover]=true&populate[seo][populate]=*');
      expect(data.cover).toMatchObject({
        documentId: 'filedocument',
        alternativeText: 'The sea',
        caption: 'At night',
        url: '/uploads/Sea_0123456789.png',
        width: 400,
        formats: { thumbnail: { name: 'thumbnail_Sea.png' } },
      });
      expect(data.seo).toMatchObject({ image: { documentId: 'filedocument' }, tag: { name: 'blue' } });
      expect((await fetch(`${host.url}${data.cover.url}`)).status).toBe(200);
      expect(await host.sql('select folder_path from content_files')).toEqual([
        { folder_path: '/Places/Sea' },
      ]);
    });

    it('moves a project over the API of its server', async () => {
      const other = await createDatabase();
      const place = await mkdtemp(join(tmpdir(), 'adopt-'));
      const imports = modulesOf(await newArchive(), other.url, place);
      const target = await startHost(() => ({ imports }), {
        database: other,
        ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.update({ safe: true }),
      });
      const module = join(place, 'app.module.mjs');
      modules.set(pathToFileURL(module).href, {
        module: Root,
        imports: modulesOf(await newArchive(), other.url, place),
      });
      await writeFile(
        module,
        `export const AppModule = globalThis[Symbol.for('modules of adopt/command')].get(import.meta.url);\n`,
      );
      const more = ['--report', join(place, 'report'), '--work', join(place, 'work')];
      const said: string[] = [];
      const say = (line: string): void => void said.push(line);
      await run(['adopt', host.url, '--module', module, ...more], { env: {}, say });
      expect(said.filter((line) => line.startsWith('Left out'))).toEqual([]);
      const answer = async (url: string, path: string): Promise<unknown> =>
        (await fetch(`${url}/api/${path}`)).json();
      for (const path of [
        'articles?populate[tags]=true&populate[seo][populate]=*&populate[cover][fields]=name',
        'articles?status=draft&populate[tags]=true&populate[seo]=true',
        'articles?status=draft&locale=de&populate[tags]=true',
        'tags?populate=articles',
        'tags?populate=articles&status=draft',
      ])
        expect(await answer(target.url, path)).toEqual(await answer(host.url, path));
      expect(await target.sql('select username, email from content_users')).toEqual([
        { username: 'user1', email: 'user1@example.com' },
      ]);
      const { data } = (await answer(target.url, 'articles/one?populate=cover')) as any;
      expect((await fetch(`${target.url}${data.cover.url}`)).status).toBe(200);
      await target.close();
      await other.drop();
      await rm(place, { recursive: true, force: true });
    });

    it('names values that no request could send, and links that lead nowhere', () => {
      const found = (key: string) =>
        [...report.changed, ...report.none].filter((one: any) => one.subject === ARTICLE && one.key === key);
      expect(found('title')).toMatchObject([{ list: 'changed', count: 1, rows: ['one (row 2, en)'] }]);
      expect(found('kind')[0]).toMatchObject({ list: 'changed', count: 1, rows: ['one (row 1, en)'] });
      expect(found('tags')).toMatchObject([{ list: 'none', count: 1, rows: ['2'] }]);
    });
  } else {
    it('makes document ids, joins locales, and gives published rows a draft', async () => {
      const { data } = await get('articles?status=draft&sort=title&populate=localizations');
      expect(data.map(({ title }: { title: string }) => title)).toEqual(['One', 'Two']);
      const [one] = data;
      expect(one.documentId).toMatch(/^[a-z][a-z0-9]{23}$/);
      expect(one.localizations).toMatchObject([{ documentId: one.documentId, locale: 'de', title: 'Eins' }]);
      expect((await get(`articles/${one.documentId}?populate=tags`)).data).toMatchObject({
        id: 1,
        tags: [{ name: 'red' }],
      });
      expect((await get('articles')).data).toHaveLength(1);
    });
  }
});

describe('the command adopt without a module', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adopt-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const adopt = (...args: string[]): Promise<string> =>
    run(
      [
        'adopt',
        ...args,
        '--out',
        join(folder, 'out'),
        '--report',
        join(folder, 'report'),
        '--work',
        join(folder, 'work'),
      ],
      {
        env: {},
        say: () => undefined,
      },
    );

  it('writes definitions once, keeps changed ones, and suggests grants', async () => {
    const source = await writeArchive(join(folder, 'archive'), await newArchive());
    expect(await adopt(source)).toContain('6 files written');
    const article = join(folder, 'out/types/article.ts');
    expect(await readFile(article, 'utf8')).toContain(
      "title: { type: 'string', required: true, localized: true, maxLength: 20 }",
    );
    expect(await readFile(join(folder, 'out/access.ts'), 'utf8')).toContain(
      "authenticated: { article: ['find'] }",
    );
    await writeFile(article, '// mine\n');
    expect(await adopt(source)).toContain('0 files written');
    expect(await readFile(article, 'utf8')).toBe('// mine\n');
    expect(await adopt(source, '--overwrite')).toContain('1 files written');
  });

  it('reads the schema files of a project, and names broken ones', async () => {
    const project = join(folder, 'project/apps/cms/src');
    for (const [path, text] of [
      [
        'api/page/content-types/page/schema.json',
        JSON.stringify(typeSchema('page', { title: { type: 'string' } })),
      ],
      ['api/bad/content-types/bad/schema.json', '{ "kind": '],
      [
        'components/shared/seo.json',
        JSON.stringify(componentSchema('shared.seo', { text: { type: 'text' } })),
      ],
    ] as const) {
      await mkdir(join(project, path, '..'), { recursive: true });
      await writeFile(join(project, path), text);
    }
    await adopt(join(folder, 'project'), '--dry-run');
    const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'));
    expect(report.moved.map(({ subject }: { subject: string }) => subject)).toEqual([
      'api::page.page',
      'shared.seo',
    ]);
    expect(report.none).toContainEqual(
      expect.objectContaining({
        subject: 'api::bad.bad',
        file: 'apps/cms/src/api/bad/content-types/bad/schema.json',
      }),
    );
  });

  it.each([
    ['4.19.1', ['subject']],
    ['4.20.0', []],
  ])('names relations whose links an export of Strapi %s lacks', async (version, keys) => {
    const page = typeSchema('page', { subject: { type: 'relation', relation: 'morphToOne' } });
    const archive = { version, schemas: [page], entities: [entity('api::page.page', 1, {})] };
    await adopt(await writeArchive(join(folder, version), archive), '--dry-run');
    const { none } = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'));
    const lost = none.filter(({ text }: { text: string }) => text.includes('export with a later release'));
    expect(lost.map(({ key }: { key: string }) => key)).toEqual(keys);
  });

  it.each([
    ['a missing file', ['/nowhere.tar'], /^Not found/],
    ['no source', [], /^Usage/],
  ])('refuses %s', async (_name, args, message) => {
    await expect(adopt(...args)).rejects.toThrow(message);
  });
});
