/** Names of types, files and documents that real projects have, and that JavaScript or the routes also use. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { run } from '../../src/module/command-line.ts';
import { type Adopted, adoptedModel, startAdopted } from './app.ts';
import {
  componentSchema,
  entity,
  fileLink,
  type Json,
  link,
  type SmallArchive,
  typeSchema,
  writeArchive,
} from './small-archive.ts';

const TEAM = 'api::constructor.constructor';
const DRIVER = 'api::driver.driver';
const LANDING = 'api::landing.landing';
const CAR = 'racing.car';
const FILE = 'plugin::upload.file';
const ROLE = 'plugin::users-permissions.role';
const PERMISSION = 'plugin::users-permissions.permission';
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } };
const text = { type: 'string' };

const SCHEMAS: readonly Json[] = [
  typeSchema('constructor', { name: text }),
  typeSchema('driver', {
    name: text,
    constructor: { type: 'relation', relation: 'manyToOne', target: TEAM },
    valueOf: text,
    wins: { type: 'integer' },
    car: { type: 'component', component: CAR },
    photo: { type: 'media' },
  }),
  componentSchema(CAR, { constructor: text, number: { type: 'integer' } }),
  typeSchema(
    'landing',
    { title: { ...text, ...LOCALIZED } },
    { kind: 'singleType', options: { draftAndPublish: false }, ...LOCALIZED },
  ),
  typeSchema('news', { title: text }, { kind: 'singleType' }),
  typeSchema('news-item', { title: text }, { info: { singularName: 'news-item', pluralName: 'news' } }),
  // The library has a table of this name.
  typeSchema('model', {}, { info: { singularName: 'model', pluralName: 'content-model' } }),
];

const draft = { publishedAt: null, createdAt: '2024-01-01T00:00:00.000Z' };
const landing = (id: number, documentId: string, locale: string): Json =>
  entity(LANDING, id, { documentId, locale, title: `${documentId} ${locale}`, ...draft });
const ACTIONS: readonly string[] = [`${TEAM}.find`, 'api::model.model.find', 'api::news-item.news-item.find'];

const ARCHIVE: SmallArchive = {
  version: '5.54.0',
  schemas: SCHEMAS,
  entities: [
    ...['en', 'fr'].map((code, i) => entity('plugin::i18n.locale', i + 1, { code, name: code })),
    entity(TEAM, 1, { documentId: 'team', name: 'Ferrari', ...draft }),
    entity(DRIVER, 1, { documentId: 'ann', name: 'Ann', wins: '', car: { id: 1, number: 7 }, ...draft }),
    landing(2, 'second', 'en'),
    landing(1, 'first', 'fr'),
    landing(3, 'second', 'fr'),
    entity('api::news.news', 1, { documentId: 'page', title: 'Page', ...draft }),
    entity('api::news-item.news-item', 1, { documentId: 'item', title: 'Item', ...draft }),
    entity(FILE, 1, {
      ...{ documentId: 'photo', name: 'Photo.JPG', hash: 'Photo_1', ext: '.JPG', mime: 'image/jpeg' },
      ...{ url: '/uploads/Photo_1.JPG', provider: 'local', folderPath: '/' },
    }),
    entity(ROLE, 1, { documentId: 'public', name: 'Public', type: 'public' }),
    ...ACTIONS.map((action, i) => entity(PERMISSION, i + 1, { documentId: `p${i}`, action })),
  ],
  links: [
    link([DRIVER, 1, 'constructor'], [TEAM, 1]),
    fileLink(1, [DRIVER, 1, 'photo']),
    ...ACTIONS.map((_, i) => link([PERMISSION, i + 1, 'role'], [ROLE, 1])),
  ],
};

describe('odd names', () => {
  let folder: string;
  let archive: string;
  let photo: Buffer;
  let host: Adopted;
  let report: { changed: Json[]; none: Json[] };
  const get = async (path: string): Promise<any> => (await fetch(`${host.url}/api/${path}`)).json();
  const rowsOf = (subject: string, start: string): unknown =>
    [...report.none, ...report.changed].find(
      (remark) => remark['subject'] === subject && String(remark['text']).startsWith(start),
    )?.['rows'];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'names-'));
    photo = await sharp({ create: { width: 600, height: 400, channels: 3, background: 'teal' } })
      .jpeg()
      .toBuffer();
    archive = await writeArchive(join(folder, 'archive'), { ...ARCHIVE, assets: { 'Photo_1.JPG': photo } });
    host = await startAdopted(await adoptedModel(archive));
    await host.adopt(archive);
    report = JSON.parse(await readFile(join(host.folder, 'report.json'), 'utf8'));
  });
  afterAll(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('of members of every object name types and attributes, which have the values of the archive only', async () => {
    const { data } = await get('drivers/ann?status=draft&populate=*');
    expect(data).toMatchObject({
      ...{ name: 'Ann', valueOf_: null, wins: null },
      constructor_: { documentId: 'team', name: 'Ferrari' },
      car: { number: 7 },
    });
    expect(data.car.constructor_).toBeNull();
    expect(report.none).toContainEqual(expect.objectContaining({ key: 'wins', count: 1 }));
    const { documents } = JSON.parse(await readFile(join(host.folder, 'report.json'), 'utf8'));
    expect(documents).toMatchObject({ constructor: 1 });
    expect(await host.adopt(archive)).toContain('Moved: 0 new, 0 replaced');
  });

  it('of routes differ if a single type has the plural name of another type', async () => {
    expect((await get('news?status=draft')).data).toMatchObject({ documentId: 'page' });
    expect((await get('news-2?status=draft')).data).toMatchObject([{ documentId: 'item' }]);
  });

  it('of several documents become that of the first row in a single type, one for each locale', async () => {
    expect((await get('landing?locale=fr')).data).toMatchObject({ documentId: 'first', title: 'first fr' });
    expect((await get('landing?locale=en')).data).toMatchObject({ documentId: 'first', title: 'second en' });
    const start = 'Rows of a further document of a single type';
    expect(rowsOf(LANDING, `${start}: they become`)).toEqual(['second (row 2, en)']);
    expect(rowsOf(LANDING, `${start}, in a locale of another one`)).toEqual(['second (row 3, fr)']);
  });

  it('of files keep capital letters in their extension, also for formats', async () => {
    const { url, ext, formats } = (await get('drivers/ann?status=draft&populate=photo')).data.photo;
    expect([url, ext]).toEqual(['/uploads/Photo_1.JPG', '.JPG']);
    expect(formats.thumbnail.url).toBe('/uploads/thumbnail_Photo_1.JPG');
    const bytes = await (await fetch(`${host.url}${url}`)).arrayBuffer();
    expect(Buffer.from(bytes).equals(photo)).toBe(true);
    const thumbnail = await fetch(`${host.url}${formats.thumbnail.url}`);
    expect([thumbnail.status, thumbnail.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(rowsOf(FILE, 'Files whose')).toBeUndefined();
  });

  it('have grants in access.ts only if their type is in the definitions', async () => {
    const [out, work] = [join(folder, 'content'), join(folder, 'work')];
    const args = ['adopt', archive, '--out', out, '--work', work, '--report', join(folder, 'report')];
    await run(args, { env: process.env, say: () => undefined });
    const file = join(out, 'access.ts');
    expect(await import(pathToFileURL(file).href)).toMatchObject({
      access: { public: { constructor: ['find'], 'news-item': ['find'] } },
    });
    // TypeScript takes the type of a member called `constructor` from every object, except in constants.
    expect(await readFile(file, 'utf8')).toContain('} as const satisfies ContentModuleOptions');
    expect(rowsOf('role public', 'The permission has no counterpart')).toBeUndefined();
    expect(report.none).toContainEqual(
      expect.objectContaining({ subject: 'role public', key: 'api::model.model.find' }),
    );
  });
});
