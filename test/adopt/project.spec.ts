/** Folder of a project whose schema files have what real projects have: it becomes an application that starts. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { definitionsOf } from '../../src/features/adopt/definitions-of.ts';
import { printDefinitions } from '../../src/features/adopt/print-definitions.ts';
import { readProject } from '../../src/features/adopt/project-schemas.ts';
import { openSource } from '../../src/features/adopt/source.ts';
import type { Remark } from '../../src/features/adopt/remark.ts';
import { type Adopted, startAdopted } from './app.ts';
import { componentSchema, type Json, typeSchema } from './small-archive.ts';

const typePath = (folder: string): string => `src/api/${folder}/content-types/${folder}/schema.json`;
const relation = (kind: string, target: string, more: Json = {}): Json => ({
  type: 'relation',
  relation: kind,
  target,
  ...more,
});
const text = { type: 'string' };

/** Types whose names are routes, words of SQL or words of TypeScript. */
const NAMES = [
  'user',
  'file',
  'upload',
  'auth',
  'desk',
  'role',
  'event',
  'class',
  'order',
  'table',
  'default',
];
const SAME_NAME = { info: { singularName: 'upload', pluralName: 'upload' } };

const FILES: Readonly<Record<string, Json | string>> = {
  ...Object.fromEntries(
    NAMES.map((name) => [
      typePath(name),
      typeSchema(
        name,
        { order: { type: 'integer' }, group: text, user: text },
        name === 'upload' ? SAME_NAME : {},
      ),
    ]),
  ),
  // Strapi derives uids from folders, in lower case with dashes.
  [typePath('blogPost')]: typeSchema('blog-post', {
    author: relation('manyToOne', 'api::author.author', { inversedBy: 'posts' }),
    seo: { type: 'component', component: 'shared.Seo' },
    zone: { type: 'dynamiczone', components: ['My Parts.Quote', 'gone.gone'] },
  }),
  [typePath('Author')]: typeSchema('author', {
    posts: relation('oneToMany', 'api::blog-post.blog-post', { mappedBy: 'author' }),
    owner: relation('manyToOne', 'plugin::users-permissions.user', { inversedBy: 'authors' }),
    creator: relation('oneToOne', 'admin::user'),
    language: relation('manyToOne', 'plugin::i18n.locale'),
    menu: relation('manyToOne', 'plugin::navigation.navigation'),
    boxes: relation('manyToMany', 'plugin::local.box', { inversedBy: 'authors' }),
    photos: relation('oneToMany', 'plugin::upload.file'),
    color: { type: 'customField', customField: 'plugin::color-picker.color' },
  }),
  [typePath('clash')]: typeSchema('clash', {
    ...{
      status: text,
      document_id: text,
      published_at: text,
      URL: text,
      url: text,
      'a b': text,
      '1st': text,
    },
    ...{ filters: text, sort: text, data: text, then: text, toJSON: text, length: text, _id: text },
  }),
  [typePath('articles-tag')]: typeSchema('articles-tag', {
    articles: relation('manyToMany', 'api::articles-tag.articles-tag'),
    articles_links: text,
    mark: { type: 'customField', customField: 'plugin::marks.mark', default: '#fff' },
    done: { type: 'customField', customField: 'plugin::marks.done' },
    gallery: relation('morphMany', 'plugin::upload.file', { morphBy: 'related' }),
    badge: relation('morphOne', 'plugin::upload.file', { morphBy: 'related' }),
    many: { type: 'media', multiple: 'true' },
  }),
  'types/generated/contentTypes.d.ts': `export interface ApiArticlesTag extends Struct.CollectionTypeSchema {
    attributes: {
      done: Schema.Attribute.Boolean & Schema.Attribute.CustomField<'plugin::marks.done'>;
      mark: Schema.Attribute.String &
        Schema.Attribute.SetPluginOptions<{ i18n: { localized: true } }> &
        Schema.Attribute.CustomField<'plugin::marks.mark'>;
    };
  }`,
  'src/components/coded/part.js': 'module.exports = { collectionName: "parts", attributes: {} };',
  'src/components/ui/button.ts': 'export const button = { attributes: {} };',
  'src/plugins/listed/server/src/content-types/index.ts':
    'export default { log: { schema: { attributes: {} } } };',
  'config/sync/user-role.public.json': '{}',
  'config/sync/i18n-locale.de.json': '{}',
  'src/components/shared/Seo.json': componentSchema('shared.Seo', { image: { type: 'media' }, title: text }),
  'src/components/My Parts/Quote.json': componentSchema('My Parts.Quote', {
    quote: text,
    inner: { type: 'component', component: 'My Parts.Quote', repeatable: true },
    by: relation('oneToOne', 'api::author.author', { inversedBy: 'quote' }),
  }),
  'src/extensions/users-permissions/content-types/user/schema.json': `\uFEFF${JSON.stringify({
    attributes: {
      username: text,
      role: relation('manyToOne', 'plugin::users-permissions.role', { inversedBy: 'users' }),
      authors: relation('oneToMany', 'api::author.author', { mappedBy: 'owner' }),
      seo: { type: 'component', component: 'shared.Seo' },
      sessions: { type: 'json' },
    },
  })}`,
  'src/plugins/local/server/content-types/box/schema.json': typeSchema('box', {
    authors: relation('manyToMany', 'api::author.author', { mappedBy: 'boxes' }),
  }),
  // An extension changes parts of a type; other files of the plugin can have the same type as code.
  'src/extensions/local/content-types/box/schema.json': { options: { draftAndPublish: true }, config: {} },
  'src/plugins/local/server/content-types/box/index.js': 'module.exports = { schema: require("./schema") };',
  'src/plugins/local/server/content-types/menu.js': 'module.exports = {};',
  'src/plugins/local/server/content-types/index.js': 'module.exports = {};',
  'src/extensions/remote/content-types/page/schema.json': { pluginOptions: { i18n: { localized: true } } },
  // Folders of results are skipped; APIs and categories of components may have their names.
  [typePath('public')]: typeSchema('public', { step: { type: 'component', component: 'build.step' } }),
  'src/components/build/step.json': componentSchema('build.step', { text }),
  'dist/src/api/public/content-types/public/schema.json': typeSchema('public', {}),
  'public/components/build/step.json': componentSchema('build.step', {}),
  'src/plugins/local/server/content-types/shelf.json': typeSchema('shelf', { text }),
  'src/extensions/remote/strapi-server.ts':
    'export default (plugin) => { plugin.contentTypes.page.attributes = {} };',
  'src/extensions/local/strapi-server.js': 'module.exports = (plugin) => plugin;',
  [typePath('twice')]:
    '{"attributes":{"a":{"type":"string"},"list":[{"a":1},{"a":2}],"a":{"type":"text","type":"text"}}}',
  [typePath('commented')]: '{ // a comment\n "kind": "collectionType" }',
  [typePath('list')]: '[]',
  'src/api/code/content-types/code/schema.ts': 'export default {}',
  'config/api.ts': `export default ({ env }) => ({
    rest: { maxLimit: 100 },
    // privateAttributes: ['quote'],
    responses: { privateAttributes: ['color', "step", 'createdAt', 'gone', 'seo'] },
  });`,
  'config/env/production/api.js':
    'module.exports = { responses: { privateAttributes: hidden.concat(["quote"]) } };',
  'src/api/old/models/old.settings.json': '{}',
};

describe('a project folder', () => {
  let folder: string;
  let host: Adopted;
  let remarks: readonly Remark[];
  let printed: ReturnType<typeof printDefinitions>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'project-'));
    for (const [path, content] of Object.entries(FILES)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
    }
    const project = await readProject(folder);
    const definitions = definitionsOf(project.schemas);
    remarks = [...project.remarks, ...definitions.remarks];
    const locales = ['en'];
    printed = printDefinitions(definitions, { access: {}, locales, defaultLocale: 'en' });
    host = await startAdopted({ definitions, locales, defaultLocale: 'en' });
  });
  afterAll(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('becomes an application whose types all have a route', async () => {
    const routes = host.definitions.contentTypes.filter(({ routes }) => routes !== false);
    expect(routes).toHaveLength(NAMES.length + 6);
    expect(routes.map(({ pluralApiId }) => pluralApiId)).toContain('roles');
    for (const { pluralApiId } of routes) {
      const response = await fetch(`${host.url}/api/${pluralApiId}?populate=*`);
      expect([pluralApiId, response.status]).toEqual([pluralApiId, 200]);
    }
  });

  it('becomes files that TypeScript can read', () => {
    const options = { reportDiagnostics: true, compilerOptions: { module: ts.ModuleKind.ESNext } };
    const wrong = printed.filter(
      ({ text: code }) => ts.transpileModule(code, options).diagnostics?.length !== 0,
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('keeps relations between folders in capital letters, and those of users and plugins', () => {
    const attributes = (name: string) =>
      host.definitions.contentTypes.find(({ singularApiId }) => singularApiId === name)?.attributes ?? {};
    expect(attributes('blog-post')).toMatchObject({ author: { target: 'author', inversedBy: 'posts' } });
    expect(Object.keys(attributes('author'))).toEqual(['posts', 'owner', 'boxes', 'photos', 'color']);
    expect(attributes('author')).toMatchObject({
      owner: { target: 'user', inversedBy: 'authors' },
      boxes: { target: 'box', inversedBy: 'authors' },
      photos: { type: 'media', multiple: true },
    });
    expect(Object.keys(host.definitions.userAttributes)).toEqual(['authors', 'seo', 'sessions_']);
  });

  it('keeps the route of events, and what an extension changes in the type of a plugin', () => {
    const { contentTypes } = host.definitions;
    expect(contentTypes.find(({ singularApiId }) => singularApiId === 'event')?.pluralApiId).toBe('events');
    expect(contentTypes.find(({ singularApiId }) => singularApiId === 'box')).toMatchObject({
      draftAndPublish: true,
      attributes: { authors: { target: 'author' } },
    });
  });

  it('reads APIs, components and types in folders that are skipped elsewhere', () => {
    const { contentTypes, components } = host.definitions;
    const named = (name: string) => contentTypes.find(({ singularApiId }) => singularApiId === name);
    expect(named('public')?.attributes).toMatchObject({
      step: { type: 'component', component: 'build.step' },
    });
    expect(components.find(({ uid }) => uid === 'build.step')?.attributes).toEqual({ text });
    expect(named('shelf')).toMatchObject({ routes: false, attributes: { text } });
  });

  it('hides the attributes that the configuration of the API names, in types, components and users', () => {
    const { contentTypes, components, userAttributes } = host.definitions;
    const hidden = [...contentTypes, ...components, { uid: 'user', attributes: userAttributes }].flatMap(
      ({ attributes, ...model }) =>
        Object.entries(attributes).flatMap(([name, one]) =>
          one.private === true ? [`${'uid' in model ? model.uid : model.singularApiId}.${name}`] : [],
        ),
    );
    expect(hidden.toSorted()).toEqual(['author.color', 'blog-post.seo', 'public.step', 'user.seo']);
    expect(remarks.filter(({ key }) => key === 'createdAt')).toHaveLength(1);
  });

  it('stores custom fields as the generated declarations say, and polymorphic files as media', () => {
    const { contentTypes } = host.definitions;
    expect(
      contentTypes.find(({ singularApiId }) => singularApiId === 'articles-tag')?.attributes,
    ).toMatchObject({
      mark: { type: 'string', default: '#fff' },
      done: { type: 'boolean' },
      gallery: { type: 'media', multiple: true },
      badge: { type: 'media' },
    });
  });

  it('reports a type of a plugin once', () => {
    const ofPlugin = remarks.filter(({ file, list }) => list === 'none' && file?.includes('/plugins/local/'));
    expect(ofPlugin.map(({ subject }) => subject)).toEqual([
      'src/plugins/local/server/content-types/menu.js',
    ]);
    expect(remarks.filter(({ subject }) => subject === 'config/sync')).toHaveLength(1);
    expect(remarks.filter(({ file }) => file === 'src/components/ui/button.ts')).toEqual([]);
  });

  it.each([
    ['api::commented.commented', undefined, 'not JSON'],
    ['api::list.list', 'attributes', 'not a schema'],
    ['src/api/code/content-types/code/schema.ts', undefined, 'is code'],
    ['src/api/old/models/old.settings.json', undefined, 'Strapi 3'],
    ['api::author.author', 'creator', '"admin::user" is not moved'],
    ['api::author.author', 'language', '"plugin::i18n.locale" is not moved'],
    ['api::author.author', 'menu', '"plugin::navigation.navigation" is not moved'],
    ['api::blog-post.blog-post', 'zone', '"gone.gone", which does not exist'],
    ['config/api.ts', 'createdAt', 'is not private'],
    ['config/env/production/api.js', 'responses.privateAttributes', 'is code: mark these attributes'],
    ['api::clash.clash', 'status', 'becomes "status_": the name is reserved'],
    ['api::clash.clash', 'url', 'becomes "url_2": another one has the name'],
    ['api::upload.upload', 'upload', 'becomes "upload-list": the name is reserved'],
    ['api::user.user', 'users', 'becomes "users-2": the name is reserved'],
    ['api::role.role', 'role', 'becomes "role-2": the name is reserved'],
    ['My Parts.Quote', 'My Parts.Quote', 'becomes "my-parts.quote": the model does not allow the name'],
    ['plugin::local.box', undefined, 'becomes "box" without routes'],
    ['plugin::remote.page', undefined, 'does not contain its attributes'],
    ['src/plugins/local/server/content-types/menu.js', undefined, 'is code'],
    ['src/components/coded/part.js', undefined, 'is code'],
    ['src/plugins/listed/server/src/content-types/index.ts', undefined, 'is code'],
    ['config/sync', undefined, 'are not read'],
    ['api::articles-tag.articles-tag', 'many', '"multiple" is left out: its value is not valid'],
    ['src/extensions/remote/strapi-server.ts', undefined, 'only an export of the project shows'],
    ['api::twice.twice', 'attributes.a', 'repeats the key'],
    ['api::twice.twice', 'attributes.a.type', 'repeats the key'],
  ])('reports %s %s, with its file: %s', (subject, key, message) => {
    const found = remarks.filter((one) => one.subject === subject && one.key === key && one.list !== 'moved');
    expect(found.map((one) => one.text).join('\n')).toContain(message);
    expect(found[0]?.file).toMatch(/^(?:src|config)\//);
  });
});

describe('a folder with several projects', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'projects-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function write(project: string, name: string): Promise<void> {
    const path = join(folder, project, typePath(name));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, JSON.stringify(typeSchema(name, { text })));
  }

  it('is refused, and its projects are named', async () => {
    await write('apps/shop cms', 'product');
    await write('apps/site', 'page');
    await expect(readProject(folder)).rejects.toThrow(
      'several projects: name the folder of one, apps/shop cms or apps/site',
    );
    expect((await readProject(join(folder, 'apps/site'))).schemas.map(({ uid }) => uid)).toEqual([
      'api::page.page',
    ]);
  });

  it('is the project in the folder itself, and reports the others', async () => {
    await write('.', 'page');
    await write('old', 'product');
    const { schemas, remarks } = await readProject(folder);
    expect(schemas.map(({ uid }) => uid)).toEqual(['api::page.page']);
    expect(remarks).toMatchObject([
      { list: 'none', subject: 'old', text: expect.stringContaining('another') },
    ]);
  });
});

it('is not a source if it is a project of Strapi 3, and the message names the files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'project-3-'));
  await mkdir(join(folder, 'api/site/models'), { recursive: true });
  await mkdir(join(folder, 'components/default'), { recursive: true });
  await writeFile(join(folder, 'api/site/models/site.settings.json'), '{}');
  await writeFile(
    join(folder, 'components/default/simple.json'),
    '{"attributes":{"name":{"type":"string"}}}',
  );
  await expect(openSource(folder, { work: folder, say: () => undefined })).rejects.toThrow(
    'no schema of Strapi 4 or 5 that can be read:\n  api/site/models/site.settings.json: The model is of Strapi 3',
  );
  await rm(folder, { recursive: true });
});
