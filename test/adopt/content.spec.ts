/** Content that needs care when it is moved in: files, and published rows without a draft. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Adopted, adoptedModel, type AdoptedModel, startAdopted } from './app.ts';
import {
  componentSchema,
  entity,
  fileLink,
  type Json,
  link,
  typeSchema,
  writeArchive,
} from './small-archive.ts';

const PAGE = 'api::page.page';
const OWNER = 'api::owner.owner';
const FILE = 'plugin::upload.file';
const times = { createdAt: '2024-01-01T00:00:00.000Z', updatedAt: '2024-01-02T00:00:00.000Z' };
const published = { ...times, publishedAt: '2024-01-03T00:00:00.000Z' };
const draft = { ...times, publishedAt: null };

const QUOTE = 'My Parts.Quote';
const CLASH = 'api::clash.clash';

const [SHOP, TAG] = ['api::shop.shop', 'api::tag.tag'] as const;
const ROW = { options: { draftAndPublish: false } };
const FILM = 'api::film.film';
const video = (id: number, name: string): Json => ({ video: { id, source: { provider: 'tube', id: name } } });

/** Relation of which both sides claim to own the links, as Strapi wrote it before 4.6. */
const owning = (target: string, inversedBy: string): Json => ({
  ...{ type: 'relation', relation: 'manyToMany', target, inversedBy },
});

const SCHEMAS: readonly Json[] = [
  typeSchema('shop', { name: { type: 'string' }, tags: owning(TAG, 'shops') }, ROW),
  typeSchema('tag', { name: { type: 'string' }, shops: owning(SHOP, 'tags') }, ROW),
  componentSchema('shared.clip', {
    ...{ publishedAt: { type: 'datetime' }, locale: { type: 'string' }, id: { type: 'increments' } },
  }),
  componentSchema('shared.video', { source: { type: 'json' } }),
  typeSchema('film', { video: { type: 'component', component: 'shared.video' } }),
  typeSchema('clash', {
    status: { type: 'string' },
    'a b': { type: 'enumeration', enum: ['in progress'] },
    'to pages': { type: 'relation', relation: 'manyToMany', target: PAGE },
    'my zone': { type: 'dynamiczone', components: [QUOTE] },
    clip: { type: 'component', component: 'shared.clip' },
  }),
  componentSchema(QUOTE, {
    'the text': { type: 'string' },
    'the page': { type: 'relation', relation: 'oneToOne', target: PAGE },
    'the photo': { type: 'media' },
  }),
  typeSchema('page', {
    title: { type: 'string' },
    photo: { type: 'media', multiple: false },
    owner: { type: 'relation', relation: 'oneToOne', target: OWNER, mappedBy: 'page' },
  }),
  typeSchema('owner', {
    title: { type: 'string' },
    page: { type: 'relation', relation: 'oneToOne', target: PAGE, inversedBy: 'owner' },
  }),
];

const fileRow = (id: number, name: string, more: Json = {}): Json =>
  entity(FILE, id, {
    documentId: `file${id}`,
    name: `${name}.jpg`,
    hash: name,
    ext: '.jpg',
    mime: 'image/jpeg',
    size: 1,
    url: `/uploads/${name}.jpg`,
    provider: 'local',
    folderPath: '/',
    ...times,
    ...more,
  });

const userRow = (id: number, more: Json): Json =>
  entity('plugin::users-permissions.user', id, {
    documentId: `user${id}`,
    provider: 'local',
    confirmed: true,
    blocked: false,
    ...times,
    ...more,
  });

describe('content of an archive', () => {
  let folder: string;
  let host: Adopted;
  let photo: Buffer;
  let report: { changed: Json[]; none: Json[] };
  const broken = Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100', 'hex'), Buffer.alloc(500, 7)]);
  const get = async (path: string): Promise<any> => (await fetch(`${host.url}/api/${path}`)).json();
  const bytesOf = async (url: string): Promise<Buffer> =>
    Buffer.from(await (await fetch(`${host.url}${url}`)).arrayBuffer());

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adopt-'));
    photo = await sharp({ create: { width: 600, height: 400, channels: 3, background: 'teal' } })
      .jpeg({ quality: 97 })
      .withExif({ IFD0: { Copyright: 'Ann' } })
      .toBuffer();
    const archive = await writeArchive(join(folder, 'archive'), {
      version: '5.54.0',
      schemas: SCHEMAS,
      entities: [
        entity(PAGE, 1, { documentId: 'page', title: 'Page', ...draft }),
        entity(PAGE, 2, { documentId: 'page', title: 'Page', ...published }),
        entity(OWNER, 1, { documentId: 'old', title: 'Old', ...published }),
        entity(OWNER, 2, { documentId: 'new', title: 'New', ...draft }),
        entity(CLASH, 1, {
          documentId: 'clash',
          status: 'open',
          clip: { id: 3, publishedAt: '2020-02-02T00:00:00.000Z', locale: 'fr' },
          'a b': 'in progress',
          'my zone': [{ __component: QUOTE, id: 7, 'the text': 'Words' }],
          ...draft,
        }),
        entity(FILM, 1, { documentId: 'edited', ...video(21, 'new'), ...draft }),
        entity(FILM, 2, { documentId: 'edited', ...video(22, 'old'), ...published }),
        entity(FILM, 3, { documentId: 'equal', ...video(23, 'one'), ...draft }),
        entity(FILM, 4, { documentId: 'equal', ...video(24, 'one'), ...published }),
        ...[1, 2].map((n) => entity(SHOP, n, { documentId: `shop${n}`, name: `Shop ${n}`, ...published })),
        ...[1, 2].map((n) => entity(TAG, n, { documentId: `tag${n}`, name: `Tag ${n}`, ...published })),
        fileRow(1, 'photo_1'),
        fileRow(2, 'broken_2', {
          width: 30,
          height: 20,
          url: 'https://cdn.example.com/broken_2.jpg',
          credit: 'Ann',
        }),
        userRow(1, { username: 'ann', email: 'Ann@example.com' }),
        userRow(2, { username: 'ann-2', email: 'ann@example.com' }),
        userRow(3, { username: 'Ann', email: 'ann-3@example.com' }),
        userRow(4, { username: 'no-mail', email: null }),
        userRow(5, { username: null, email: 'no-name@example.com' }),
      ],
      links: [
        link([OWNER, 1, 'page'], [PAGE, 2]),
        link([OWNER, 2, 'page'], [PAGE, 1]),
        link([CLASH, 1, 'to pages'], [PAGE, 1]),
        // Strapi exports the links of such a relation from both sides, or from one.
        link([SHOP, 1, 'tags', 2], [TAG, 1, 1]),
        link([SHOP, 1, 'tags', 1], [TAG, 2, 1]),
        link([TAG, 1, 'shops', 1], [SHOP, 1, 2]),
        link([TAG, 2, 'shops', 2], [SHOP, 2, 1]),
        link([QUOTE, 7, 'the page'], [PAGE, 1]),
        fileLink(1, [QUOTE, 7, 'the photo']),
        fileLink(1, [PAGE, 1, 'photo']),
        fileLink(2, [PAGE, 2, 'photo']),
      ],
      assets: { 'photo_1.jpg': photo, 'broken_2.jpg': broken },
    });
    host = await startAdopted(await adoptedModel(archive));
    await host.adopt(archive);
    report = JSON.parse(await readFile(join(host.folder, 'report.json'), 'utf8'));
  });
  afterAll(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('keeps pictures byte for byte, with their metadata, and makes their formats', async () => {
    const { data } = await get('pages/page?status=draft&populate=photo');
    expect(data.photo).toMatchObject({ width: 600, height: 400, formats: { thumbnail: { ext: '.jpg' } } });
    expect((await bytesOf(data.photo.url)).equals(photo)).toBe(true);
    const { exif } = await sharp(await bytesOf(data.photo.formats.thumbnail.url)).metadata();
    expect(exif).toBeUndefined();
  });

  it('keeps pictures that cannot be read, without formats, and reports them', async () => {
    const { data } = await get('pages/page?populate=photo');
    expect(data.photo).toMatchObject({ width: 30, height: 20, formats: null });
    expect((await bytesOf(data.photo.url)).equals(broken)).toBe(true);
    expect(report.none).toContainEqual(
      expect.objectContaining({
        subject: FILE,
        rows: ['file2: broken_2.jpg'],
        text: expect.stringMatching(/^No formats are made of the picture: /),
      }),
    );
  });

  it('keeps users whose names or addresses are not unique or empty, and reports them', async () => {
    const users: Json[] = await get('users?sort=id');
    expect(users.map(({ id, username, email }) => [id, username, email])).toEqual([
      [1, 'ann', 'ann@example.com'],
      [2, 'ann-2', null],
      [3, 'Ann', 'ann-3@example.com'],
      [4, 'no-mail', null],
      [5, null, 'no-name@example.com'],
    ]);
    const left = report.none.filter(({ text }) => String(text).includes('another document already has'));
    expect(left).toMatchObject([
      { key: 'email', rows: ['2'] },
      { key: 'nameKey', rows: ['3'] },
    ]);
    const spelled = report.changed.filter(({ text }) => String(text).startsWith('E-mail addresses with'));
    expect(spelled).toMatchObject([{ key: 'email', count: 1 }]);
  });

  it('reports URLs that change, and values that files do not have', () => {
    const found = [...report.changed, ...report.none].filter(
      ({ subject, key }) => subject === FILE && key !== undefined,
    );
    expect(found).toMatchObject([
      { key: 'url', rows: ['file2: https://cdn.example.com/broken_2.jpg'] },
      { key: 'credit', rows: ['file2 (row 2)'] },
    ]);
  });

  it('keeps a relation in two ways although both sides claim to own it', async () => {
    const names = async (path: string, field: string): Promise<string[]> =>
      (await get(`${path}?populate=${field}`)).data[field].map(({ name }: { name: string }) => name);
    expect(await names('shops/shop1', 'tags')).toEqual(['Tag 2', 'Tag 1']);
    expect(await names('shops/shop2', 'tags')).toEqual(['Tag 2']);
    expect(await names('tags/tag1', 'shops')).toEqual(['Shop 1']);
    expect(await names('tags/tag2', 'shops')).toEqual(['Shop 1', 'Shop 2']);
    expect(report.changed.filter(({ key }) => key === 'shops')).toMatchObject([
      { subject: TAG, text: expect.stringContaining('Both sides own the relation') },
    ]);
  });

  it('keeps a draft whose component differs only in an id inside JSON, and joins equal instances', async () => {
    const videoOf = async (path: string): Promise<unknown> => (await get(`films/${path}`)).data.video;
    expect(await videoOf('edited?status=draft&populate=video')).toMatchObject(
      video(21, 'new')['video'] as Json,
    );
    expect(await videoOf('edited?populate=video')).toMatchObject(video(22, 'old')['video'] as Json);
    expect(await videoOf('equal?status=draft&populate=video')).toEqual(await videoOf('equal?populate=video'));
  });

  it('keeps values of components in attributes that are system ones of documents', async () => {
    const { data } = await get('clashs/clash?status=draft&populate=clip');
    expect(data.clip).toMatchObject({ id: 3, publishedAt_: '2020-02-02T00:00:00.000Z', locale_: 'fr' });
  });

  it('keeps the values of attributes and components whose names change', async () => {
    const zone = 'populate[myZone][on][my-parts.quote][populate]=*';
    const { data } = await get(`clashs/clash?status=draft&populate[toPages]=true&${zone}`);
    expect(data).toMatchObject({
      ...{ status_: 'open', aB: 'in progress', toPages: [{ title: 'Page' }] },
      myZone: [
        {
          __component: 'my-parts.quote',
          ...{ id: 7, theText: 'Words', thePage: { title: 'Page' }, thePhoto: { width: 600 } },
        },
      ],
    });
  });

  it('gives published rows without a draft an equal one, except links that another draft owns', async () => {
    const owner = async (status: string): Promise<string> =>
      (await get(`pages/page?status=${status}&populate=owner`)).data.owner.title;
    expect([await owner('published'), await owner('draft')]).toEqual(['Old', 'New']);
    expect((await get('owners/old?status=draft&populate=page')).data).toMatchObject({
      title: 'Old',
      page: null,
    });
    expect(report.changed.filter(({ subject }) => subject === OWNER)).toMatchObject([
      { key: 'page', rows: ['old (row 1)'] },
      { text: expect.stringContaining('they get an equal draft'), rows: ['old (row 1)'] },
    ]);
  });
});

describe('roles of an archive', () => {
  const ROLE = 'plugin::users-permissions.role';
  let folder: string;
  let host: Adopted;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'roles-'));
  });
  afterAll(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('become the stored role of their type, if it has users already', async () => {
    const roles = ['authenticated', 'editor'].map((type, i) =>
      entity(ROLE, i + 1, { documentId: `role-${type}`, name: type, type, ...times }),
    );
    const archive = await writeArchive(join(folder, 'archive'), {
      version: '5.54.0',
      schemas: [typeSchema('page', { title: { type: 'string' } })],
      entities: [
        ...[...roles, userRow(1, { username: 'ann', email: 'ann@example.com' })],
        userRow(2, { username: 'eve', email: 'eve@example.com' }),
      ],
      links: [1, 2].map((n) => link(['plugin::users-permissions.user', n, 'role'], [ROLE, n])),
    });
    host = await startAdopted(await adoptedModel(archive));
    const joined = await fetch(`${host.url}/api/auth/local/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'joe', email: 'joe@example.com', password: 'secret-joe' }),
    });
    expect(joined.status).toBe(200);
    expect(await host.adopt(archive)).toContain('Moved: 3 new, 0 replaced, 0 unchanged, 1 left out');
    const users = (await (await fetch(`${host.url}/api/users?populate=role`)).json()) as Json[];
    const roleOf = Object.fromEntries(users.map(({ username, role }) => [username, (role as Json)['type']]));
    expect(roleOf).toEqual({ ann: 'authenticated', eve: 'editor', joe: 'authenticated' });
    expect(await host.adopt(archive, '--on-conflict', 'replace')).toContain('Moved: 0 new, 1 replaced');
  });
});

describe('polymorphic links to users', () => {
  let folder: string;
  const hosts: Adopted[] = [];
  let database: TestDatabase;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'morph-'));
    database = await createDatabase();
  });
  afterAll(async () => {
    for (const host of hosts) await host.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('come in once the definition lists their type, as the report says', async () => {
    const archive = await writeArchive(join(folder, 'archive'), {
      version: '5.54.0',
      schemas: [typeSchema('page', { about: { type: 'relation', relation: 'morphToOne' } }, ROW)],
      entities: [
        entity(PAGE, 1, { documentId: 'page', ...published }),
        userRow(1, { username: 'ann', email: 'ann@example.com' }),
      ],
      links: [
        {
          ...{ kind: 'relation.morph', relation: 'morphToOne', left: { type: PAGE, ref: 1, field: 'about' } },
          right: { type: 'plugin::users-permissions.user', ref: 1, field: null, pos: 1 },
        },
      ],
    });
    const model = await adoptedModel(archive);
    const [page] = model.definitions.contentTypes;
    const about = { type: 'relation', relation: 'morphToOne', targets: ['page', 'user'] } as const;
    const contentTypes = page === undefined ? [] : [{ ...page, attributes: { about } }];
    const start = async (definitions: AdoptedModel['definitions']): Promise<Adopted> => {
      const host = await startAdopted({ ...model, definitions }, database);
      hosts.push(host);
      return host;
    };
    const first = await start(model.definitions);
    await first.adopt(archive);
    const { none } = JSON.parse(await readFile(join(first.folder, 'report.json'), 'utf8'));
    const text = expect.stringMatching(/^Links to plugin::users-.*: list its types in "targets"/);
    expect(none).toContainEqual(expect.objectContaining({ subject: PAGE, key: 'about', text, count: 1 }));
    const second = await start({ ...model.definitions, contentTypes });
    expect(await second.adopt(archive, '--on-conflict', 'replace')).toContain('Moved: 0 new, 1 replaced');
    const response = await fetch(`${second.url}/api/pages/page?populate=about`);
    expect(((await response.json()) as Json)['data']).toMatchObject({ about: { username: 'ann' } });
  });
});

describe('a further move', () => {
  /** More than an import lists of one kind of conflict. */
  const MANY = 1100;
  let folder: string;
  let archive: string;
  let model: AdoptedModel;
  let database: TestDatabase;
  const hosts: Adopted[] = [];

  const start = async (locales: readonly string[]): Promise<Adopted> => {
    const host = await startAdopted({ ...model, locales }, database);
    hosts.push(host);
    return host;
  };
  const reported = async (host: Adopted): Promise<Json[]> =>
    JSON.parse(await readFile(join(host.folder, 'report.json'), 'utf8')).none;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'further-'));
    const localized = { pluginOptions: { i18n: { localized: true } } };
    const page = (id: number, documentId: string, locale: string): Json =>
      entity(PAGE, id, { documentId, locale, title: `Page ${id}`, ...draft });
    archive = await writeArchive(join(folder, 'archive'), {
      version: '5.54.0',
      schemas: [typeSchema('page', { title: { type: 'string', ...localized } }, localized)],
      entities: [
        ...Array.from({ length: MANY }, (_, i) => page(i + 1, `page${i + 1}`, 'en')),
        page(MANY + 1, 'page1', 'fr'),
      ],
    });
    model = await adoptedModel(archive);
    database = await createDatabase();
  });
  afterAll(async () => {
    for (const host of hosts) await host.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('brings rows of a locale that the application has since, as the report says', async () => {
    const first = await start(['en']);
    await first.adopt(archive);
    const text = 'The locale "fr" is not among those of the application: add it, and run the command with ';
    expect(await reported(first)).toContainEqual(
      expect.objectContaining({ text: `${text}--on-conflict replace`, count: 1 }),
    );
    const second = await start(['en', 'fr']);
    expect(await second.adopt(archive)).toContain(`Moved: 0 new, 0 replaced, ${MANY - 1} unchanged`);
    expect(await second.adopt(archive, '--on-conflict', 'replace')).toContain('Moved: 0 new, 1 replaced');
    const response = await fetch(`${second.url}/api/pages/page1?status=draft&locale=fr`);
    expect(((await response.json()) as Json)['data']).toMatchObject({ title: `Page ${MANY + 1}` });
  });

  it('reports every document that has changed since', async () => {
    const host = await start(['en', 'fr']);
    await host.sql("update pages set title = 'Changed'");
    await host.adopt(archive, '--dry-run');
    const changed = (await reported(host)).filter(({ text }) => String(text).includes('exist with other'));
    expect(changed).toMatchObject([{ subject: 'page', count: MANY }]);
    expect(changed[0]?.['rows']).toHaveLength(MANY);
  });
});
