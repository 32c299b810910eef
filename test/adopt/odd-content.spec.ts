/** Content in forms that no export of a sound project has: it moves, or the report names it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Adopted, adoptedModel, startAdopted } from './app.ts';
import {
  componentSchema,
  entity,
  fileLink,
  type Json,
  link,
  typeSchema,
  writeArchive,
} from './small-archive.ts';

const ODD = 'api::odd.odd';
const PART = 'shared.part';
const FILE = 'plugin::upload.file';
const ROLE = 'plugin::users-permissions.role';
/** Localized type of a plugin. */
const ITEM = 'plugin::nav.item';
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } };
const times = { createdAt: '2024-01-01T00:00:00.000Z', updatedAt: '2024-01-02T00:00:00.000Z' };

const SCHEMAS: readonly Json[] = [
  typeSchema('odd', {
    title: { type: 'string' },
    code: { type: 'string', unique: true },
    place: { type: 'geo-point' },
    ...{ day: { type: 'date' }, at: { type: 'datetime' }, clock: { type: 'time' } },
    big: { type: 'biginteger', max: '1000' },
    ...{ whole: { type: 'integer' }, price: { type: 'decimal' }, data: { type: 'json' } },
    part: { type: 'component', component: PART },
    parts: { type: 'component', component: PART, repeatable: true },
    zone: { type: 'dynamiczone', components: [PART] },
    photo: { type: 'media' },
    odds: { type: 'relation', relation: 'manyToMany', target: ODD },
    papers: { type: 'relation', relation: 'oneToMany', target: FILE, mappedBy: 'owner' },
  }),
  componentSchema(PART, { name: { type: 'string' } }),
  typeSchema(
    'item',
    {
      title: { type: 'string', ...LOCALIZED },
      parent: { type: 'relation', relation: 'manyToOne', target: ITEM, inversedBy: 'items' },
      items: { type: 'relation', relation: 'oneToMany', target: ITEM, mappedBy: 'parent' },
      related: { type: 'relation', relation: 'morphToMany' },
    },
    { uid: ITEM, options: { draftAndPublish: false }, ...LOCALIZED },
  ),
];

const item = (id: number, documentId: string, locale: string): Json =>
  entity(ITEM, id, { documentId, locale, title: `${documentId} ${locale}`, ...times });
const odd = (id: unknown, documentId: unknown, values: Json): Json => ({
  type: ODD,
  id,
  data: { documentId, ...times, publishedAt: null, ...values },
});
const file = (id: number, values: Json): Json =>
  entity(FILE, id, {
    documentId: `file${id}`,
    name: 'a.txt',
    ext: '.txt',
    folderPath: '/',
    ...times,
    ...values,
  });
const role = (id: number, type: string | null, name: string | null): Json =>
  entity(ROLE, id, { documentId: `role${id}`, name, type, ...times });

const layout = (uid: string, value: unknown): Json => ({
  type: 'core-store',
  value: { key: `plugin_content_manager_configuration_content_types::${uid}`, value },
});
const LAYOUTS: readonly Json[] = [
  layout(ODD, '{"settings": '),
  layout(ITEM, { settings: null, layouts: [], metadatas: 'none' }),
];

/** Text that no compression makes short. */
const longText = Array.from({ length: 5000 }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7919) % 20_000)));
const nested = JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`) as unknown;

const ENTITIES: readonly Json[] = [
  odd(1, 'my/../document', { title: 'strange document id' }),
  odd(2, 'x'.repeat(300), { title: 'long document id' }),
  odd(3, null, { title: 'no document id' }),
  ...[odd(4, 'first', { title: 'row' }), odd(4, 'second', { title: 'same row id' })],
  ...[odd(5, 'twice', { title: 'one' }), odd(6, 'twice', { title: 'two' })],
  odd(1_999_999_999, 'high', { title: 'high ids', part: { id: 2_000_000_000, name: 'part' } }),
  odd('7', 'text', { title: 'row id as text' }),
  odd(10, 'days', { day: '2024-02-30', at: '+012345-01-01T00:00:00.000Z', clock: '25:00:00' }),
  odd(11, 'spelled', { day: 1_704_067_200_000, at: '2024-01-01 10:00:00', clock: '10:00:00.123456' }),
  odd(12, 'timeless', { createdAt: 'yesterday', updatedAt: null }),
  odd(13, 'numbers', { whole: '12', price: 52.520008, big: '9223372036854775807' }),
  odd(22, 'edge', { price: 99_999_999.999, whole: ' ', big: '' }),
  odd(14, 'long', { code: longText.join(''), title: longText.join('') }),
  odd(15, 'deep', { data: nested }),
  odd(16, 'texts', { title: 'a\u0000b', data: '"{\\"a\\":1}"', place: { lat: 1 }, unknown: 'value' }),
  odd(17, 'address', {
    title: '![a](https://old.example.org/uploads/thumbnail_one.txt) and https://x.org/uploads/none.txt',
    data: [{ type: 'image', image: { url: 'http://localhost:1337/uploads/one.txt' } }],
    part: { id: 90, name: 'https://old.example.org/uploads/one.txt' },
  }),
  odd(18, 'path', { title: '/uploads/one.txt', data: ['https://x.org/uploads/none.txt'] }),
  odd(20, 'instances', {
    part: [
      { id: 1, name: 'first' },
      { id: 2, name: 'further' },
    ],
    parts: [{ id: null, name: 'no id' }, { name: 'none' }, 5, { id: 3, name: 'x', gone: 'value' }],
    zone: [
      { id: 4, name: 'no component' },
      { __component: 'gone.away', id: 5 },
      { __component: PART, name: 'y' },
    ],
  }),
  ...['a\tb', 'a\nb', 'a b'].map((code, i) =>
    odd(30 + i, `space${i}`, { code, publishedAt: '2024-01-03T00:00:00.000Z' }),
  ),
  odd(21, 'no-instances', { part: 12, parts: 'text', zone: '[]' }),
  { type: ODD, data: null },
  { type: 'api::gone.gone', id: 1, data: { title: 'no such type' } },
  ...[
    file(1, { hash: 'one' }),
    file(2, { hash: 'one', folderPath: '/99' }),
    file(3, { hash: null, ext: null }),
    file(4, { name: 'plain', hash: 'plain', ext: null, mime: 'text/plain', url: '/uploads/plain' }),
  ],
  ...['en', 'fr'].map((code, i) => entity('plugin::i18n.locale', i + 1, { code, name: code })),
  ...[item(1, 'top', 'en'), item(2, 'top', 'fr'), item(3, 'below', 'en'), item(4, 'below', 'fr')],
  ...[
    role(1, 'editor', 'Editor'),
    role(2, 'editor', 'Editor'),
    role(3, null, null),
    role(4, 'long'.repeat(1000), 'Long'),
  ],
];

const LINKS: readonly Json[] = [
  link([ODD, 5, 'odds'], [ODD, 4]),
  link([ODD, 999, 'odds'], [ODD, 1]),
  link([ODD, 1, 'odds'], [ODD, 999]),
  link([ODD, 1, 'gone'], [ODD, 4]),
  // An extension of files owns this relation.
  ...[link([FILE, 1, 'owner'], [ODD, 5, 2]), link([FILE, 3, 'owner'], [ODD, 5, 1])],
  link([ITEM, 4, 'parent'], [ITEM, 2, 1]),
  {
    ...{ kind: 'relation.morph', relation: 'morphToMany', left: { type: ITEM, ref: 1, field: 'related' } },
    right: { type: ODD, ref: 5, field: null, pos: 1 },
  },
  fileLink(77, [ODD, 1, 'photo']),
  fileLink(1, ['api::gone.gone', 1, 'photo']),
  ...[{ kind: 'relation.strange', left: null, right: { x: 1 } }, {}],
];

describe('odd content', () => {
  let folder: string;
  let archive: string;
  let host: Adopted;
  let output: string;
  let report: { changed: Json[]; none: Json[] };
  const get = async (path: string): Promise<any> => (await fetch(`${host.url}/api/${path}`)).json();
  const one = async (id: string): Promise<any> => (await get(`odds/${id}?status=draft&populate=*`)).data;
  /** Number of rows with a remark that begins with a text, by key. */
  const rowsOf = (key: string, text: string): unknown =>
    [...report.none, ...report.changed].find(
      (remark) => (remark['key'] ?? '') === key && String(remark['text']).startsWith(text),
    )?.['count'];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'odd-'));
    archive = await writeArchive(join(folder, 'archive'), {
      ...{ version: '5.54.0', schemas: SCHEMAS, entities: ENTITIES, links: LINKS, configuration: LAYOUTS },
      assets: {
        'one.txt': Buffer.from('text'),
        'thumbnail_one.txt': Buffer.from('t'),
        'other.txt': Buffer.from('o'),
        // Strapi 4 joins the hash and the extension.
        plainnull: Buffer.from('plain text'),
      },
    });
    host = await startAdopted(await adoptedModel(archive));
    output = await host.adopt(archive);
    report = JSON.parse(await readFile(join(host.folder, 'report.json'), 'utf8'));
  });
  afterAll(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('moves, and a second run finds every document unchanged', async () => {
    expect(output).toContain('Moved: 34 new, 0 replaced, 0 unchanged, 0 left out');
    expect(await host.adopt(archive)).toContain('Moved: 0 new, 0 replaced, 34 unchanged, 0 left out');
  });

  it('gets other ids where an id is missing, too large, repeated or no part of a URL', async () => {
    const { data } = await get('odds?status=draft&sort=title&pagination[pageSize]=100&fields=title');
    const ids = data.map(({ id }: { id: number }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const titled = (title: string): any => data.find((row: { title: string }) => row.title === title);
    expect(titled('strange document id').documentId).toMatch(/^[a-z][a-z0-9]{23}$/);
    expect(titled('long document id').documentId).toMatch(/^[a-z][a-z0-9]{23}$/);
    expect((await one('high')).part).toMatchObject({ name: 'part' });
    expect(rowsOf('documentId', 'Document ids with other characters')).toBe(2);
    expect(rowsOf('id', 'Rows without an id of their own')).toBe(4);
    expect(rowsOf('', 'Rows of the same state and locale')).toBe(1);
  });

  it('keeps dates in several spellings, and reports impossible ones', async () => {
    expect(await one('spelled')).toMatchObject({
      ...{ day: '2024-01-01', at: '2024-01-01T10:00:00.000Z', clock: '10:00:00.123' },
    });
    expect(await one('days')).toMatchObject({ day: null, at: null, clock: null });
    expect(await one('timeless')).toMatchObject({ createdAt: '2026-01-01T00:00:00.000Z' });
    for (const key of ['day', 'at', 'clock']) expect(rowsOf(key, 'The value cannot be stored')).toBe(1);
    expect(rowsOf('createdAt', 'Times that cannot be read')).toBe(1);
  });

  it('reports numbers that are rounded, and values that the database cannot hold', async () => {
    expect(await one('numbers')).toMatchObject({ whole: 12, price: 52.52, big: '9223372036854775807' });
    expect(rowsOf('big', 'The value is stored as it is')).toBe(1);
    expect(rowsOf('price', 'Numbers of more than two decimal places are rounded')).toBe(1);
    expect(await one('edge')).toMatchObject({ whole: null, price: null, big: null });
    for (const key of ['whole', 'price']) expect(rowsOf(key, 'The value cannot be stored')).toBe(1);
    expect(await one('long')).toMatchObject({ code: null, title: longText.join('') });
    expect(rowsOf('code', 'Texts of more than 2500 bytes')).toBe(1);
    expect(await one('deep')).toMatchObject({ data: null });
    expect(rowsOf('data', 'The value is left out: it has more than 500 levels')).toBe(1);
  });

  it('keeps unique values that differ only in a tab or a line break', async () => {
    const { data } = await get('odds?filters[code][$startsWith]=a&sort=id&fields=code');
    expect(data.map(({ code }: Json) => code)).toEqual(['a\tb', 'a\nb', 'a b']);
  });

  it('keeps values of unknown types as JSON, and reports values without an attribute', async () => {
    expect(await one('texts')).toMatchObject({ title: 'ab', data: '"{\\"a\\":1}"', place: { lat: 1 } });
    expect(rowsOf('title', 'The value is changed so that the database can store it')).toBe(1);
    expect(rowsOf('unknown', 'Values of an attribute that the model does not have')).toBe(1);
    expect(report.changed).toContainEqual(
      expect.objectContaining({ key: 'place', text: expect.stringContaining('it becomes "json"') }),
    );
  });

  it('reports texts that contain the address of a file on the former server', async () => {
    const text = 'Texts with the address of a file on the former server';
    for (const key of ['title', 'data', `${PART}.name`]) expect([key, rowsOf(key, text)]).toEqual([key, 1]);
    expect((await one('address')).data[0].image.url).toBe('http://localhost:1337/uploads/one.txt');
  });

  it('reports layouts that cannot be read', () => {
    expect(report.none).toContainEqual(
      expect.objectContaining({ subject: ODD, text: 'The layout is left out: it is not a JSON object' }),
    );
  });

  it('keeps instances without ids, and reports what is not an instance', async () => {
    const { part, parts, zone } = await one('instances');
    expect(part).toMatchObject({ id: 1, name: 'first' });
    expect(parts.map(({ name }: Json) => name)).toEqual(['no id', 'none', 'x']);
    expect(new Set(parts.map(({ documentId }: Json) => documentId)).size).toBe(3);
    expect(zone).toMatchObject([{ __component: PART, name: 'y' }]);
    expect(rowsOf('part', 'Further instances')).toBe(1);
    expect(rowsOf('parts', 'Values that are not instances of a component')).toBe(2);
    expect(rowsOf('zone', 'Instances of "gone.away"')).toBe(1);
    expect(rowsOf(`${PART}.gone`, 'Values of an attribute that the model does not have')).toBe(1);
  });

  it('moves a localized type of a plugin, with its links', async () => {
    expect(await host.sql('select document_id, locale, title from items order by id')).toEqual([
      { document_id: 'top', locale: 'en', title: 'top en' },
      { document_id: 'top', locale: 'fr', title: 'top fr' },
      { document_id: 'below', locale: 'en', title: 'below en' },
      { document_id: 'below', locale: 'fr', title: 'below fr' },
    ]);
    expect(
      await host.sql('select owner_document_id, locale, target_document_id from items_parent_links'),
    ).toEqual([{ owner_document_id: 'below', locale: 'fr', target_document_id: 'top' }]);
    expect(await host.sql('select owner_document_id, target_document_id from items_related_links')).toEqual([
      { owner_document_id: 'top', target_document_id: 'twice' },
    ]);
  });

  it('keeps the order of files in a relation that an extension of files owns', async () => {
    expect((await one('twice')).papers.map((paper: Json) => paper['documentId'])).toEqual(['file3', 'file1']);
  });

  it('keeps the bytes of a file without an extension, and gives it that of its type', async () => {
    const files = (await get('upload/files')) as Json[];
    const { url, mime } = files.find(({ name }) => name === 'plain') ?? {};
    expect({ url, mime }).toEqual({ url: '/uploads/plain.txt', mime: 'text/plain' });
    expect(await (await fetch(`${host.url}${String(url)}`)).text()).toBe('plain text');
    expect(rowsOf('', 'Files without an extension')).toBe(1);
  });

  it('reports bytes without a row, folders that do not exist, and links that lead nowhere', () => {
    const rows = (text: string): unknown => report.none.find((remark) => remark['text'] === text)?.['rows'];
    expect(rows('Bytes that no row of the media library has: they are not stored')).toEqual(['other.txt']);
    expect(rows('Files in folders that the archive does not contain: they are in none')).toEqual([
      'file2: a.txt',
    ]);
    expect(rowsOf('odds', 'Links of rows that the archive does not contain')).toBe(1);
    expect(rowsOf('odds', `Links to rows of ${ODD} that the archive does not contain`)).toBe(1);
    expect(rowsOf('gone', 'Links of an attribute that the model does not have')).toBe(1);
    expect(rowsOf('', 'Links of a type or component that the model does not have')).toBe(2);
    expect(rowsOf('photo', 'Links of a type or component that the model does not have')).toBe(1);
  });

  it('gives every role a name and a type of its own, without which no request is served', async () => {
    const { roles } = await get('users-permissions/roles');
    expect(roles).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'Editor', type: 'editor' }),
        expect.objectContaining({ name: 'Editor', type: 'role2' }),
        expect.objectContaining({ name: 'role3', type: 'role3' }),
        expect.objectContaining({ name: 'Long', type: 'role4' }),
      ]),
    );
  });
});
