/** Import compares the model of an archive with its own, and its values with the rules for request bodies. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { ContentArchive, defineCollectionType, defineComponent } from 'nestjs-content-api';
import type { ImportOptions } from '../../src/features/archive/import-options.ts';
import type { ArchiveConflict } from '../../src/features/archive/compare-batch.ts';
import { describeModel } from '../../src/content/model/description.ts';
import { CONTENT_SCHEMA } from '../../src/content/model/model.ts';
import { CONTENT_SETTINGS } from '../../src/kernel/settings.ts';
import { type Host, type Model, snapshot, startModel } from '../http/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Change, rewritten } from './rewritten.ts';
import { send } from './world.ts';

/** Changes of the model after the export. */
interface Differences {
  readonly note?: object;
  readonly part?: object;
  readonly options?: object;
  readonly defaultLocale?: string;
}

const text = { type: 'string' } as const;

const modelOf = ({ note, part, options, defaultLocale = 'en' }: Differences = {}): Model => ({
  locales: ['en', 'fr'],
  defaultLocale,
  contentTypes: [
    defineCollectionType({
      singularApiId: 'note',
      pluralApiId: 'notes',
      ...options,
      attributes: {
        title: text,
        secret: { ...text, private: true },
        code: { ...text, regex: '^[a-z]+$' },
        state: { type: 'enumeration', enum: ['open', 'done'] },
        real: { type: 'float' },
        exact: { type: 'decimal' },
        day: { type: 'date' },
        moment: { type: 'datetime' },
        body: { type: 'blocks' },
        parts: { type: 'component', component: 'm.part', repeatable: true },
        zone: { type: 'dynamiczone', components: ['m.part', 'm.other'] },
        ...note,
      },
    }),
  ],
  components: [
    defineComponent({
      uid: 'm.part',
      attributes: { label: text, hidden: { ...text, private: true }, ...part },
    }),
    defineComponent({ uid: 'm.other', attributes: { label: text } }),
  ],
});

describe('an import', () => {
  const databases: TestDatabase[] = [];
  const hosts: Host[] = [];
  let folder: string;
  let file: string;
  let source: Host;
  let target: Host;
  let id: string;

  const start = async (model: Model): Promise<Host> => {
    const database = await createDatabase();
    databases.push(database);
    const host = await startModel(database, model, 'express');
    hosts.push(host);
    return host;
  };
  const archive = ({ app }: Host): ContentArchive => app.get(ContentArchive);
  const open = () => createReadStream(file);
  const look = async (host: Host, options: ImportOptions = {}): Promise<readonly ArchiveConflict[]> =>
    (await archive(host).import(open, { ...options, dryRun: true })).conflicts;
  const changed = (change: Change) => rewritten(file, change);
  const inNotes = (from: string | RegExp, to: string): Promise<() => Readable> =>
    changed((line, part) =>
      part === 'note' && line.startsWith('{"documentId"') ? line.replace(from, to) : line,
    );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'archive-models-'));
    file = join(folder, 'content.gz');
    source = await start(modelOf());
    const data = {
      title: 'one',
      secret: 'hidden',
      code: 'abc',
      state: 'done',
      real: 0.5,
      exact: 1.25,
      day: '2024-02-29',
      moment: '2024-01-02T03:04:05.678Z',
      body: [
        {
          type: 'paragraph',
          children: [{ type: 'link', url: 'https://a.example', children: [{ type: 'text', text: 'x' }] }],
        },
      ],
      parts: [{ label: 'abc', hidden: 'hidden' }, { label: 'def' }],
      zone: [{ __component: 'm.other', label: 'x' }],
    };
    id = (await send(source, 'POST', 'notes', { data })).documentId;
    await send(source, 'POST', 'notes', { data: { title: 'two' } });
    await archive(source).export(createWriteStream(file));
    target = await start(modelOf());
  });
  afterAll(async () => {
    for (const host of hosts) await host.close();
    for (const database of databases) await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('finds the description of the model in the header', async () => {
    const [header = ''] = gunzipSync(await readFile(file))
      .toString()
      .split('\n');
    const [schema, settings] = [source.app.get(CONTENT_SCHEMA), source.app.get(CONTENT_SETTINGS)];
    expect(JSON.parse(header).model).toEqual(JSON.parse(JSON.stringify(describeModel(schema, settings))));
  });

  it.each<[string, Differences, Partial<ArchiveConflict>]>([
    [
      'another default locale',
      { defaultLocale: 'fr' },
      { kind: 'model', reason: 'its default locale is fr in the model and en in the archive' },
    ],
    [
      'drafts',
      { options: { draftAndPublish: true } },
      {
        kind: 'model',
        type: 'note',
        reason: 'its draftAndPublish is true in the model and false in the archive',
      },
    ],
    [
      'locales',
      { options: { localized: true } },
      { kind: 'model', type: 'note', reason: 'its localized is true in the model and false in the archive' },
    ],
    [
      'another type inside a component',
      { part: { label: { type: 'integer' } } },
      {
        kind: 'model',
        type: 'm.part',
        attribute: 'label',
        reason: 'its type is integer in the model and string in the archive',
      },
    ],
    [
      'a private attribute of a component that becomes public',
      { part: { hidden: text } },
      {
        kind: 'model',
        type: 'm.part',
        attribute: 'hidden',
        reason: 'it is public in the model and private in the archive',
      },
    ],
    [
      'a zone that lacks a component',
      { note: { zone: { type: 'dynamiczone', components: ['m.part'] } } },
      {
        kind: 'attribute',
        type: 'note',
        attribute: 'zone',
        reason: 'its components in the model lack m.other',
      },
    ],
    [
      'one instance in place of a list',
      { note: { parts: { type: 'component', component: 'm.part' } } },
      {
        kind: 'attribute',
        type: 'note',
        attribute: 'parts',
        reason: 'its repeatable is false in the model and true in the archive',
      },
    ],
    [
      'a private attribute that becomes public',
      { note: { secret: text } },
      {
        kind: 'attribute',
        type: 'note',
        attribute: 'secret',
        reason: 'it is public in the model and private in the archive',
      },
    ],
    [
      'an attribute that becomes unique',
      { note: { title: { ...text, unique: true } } },
      {
        kind: 'attribute',
        type: 'note',
        attribute: 'title',
        reason: 'it is unique in the model and not in the archive',
      },
    ],
    [
      'an enumeration that lacks a stored value',
      { note: { state: { type: 'enumeration', enum: ['open'] } } },
      {
        kind: 'rule',
        type: 'note',
        attribute: 'state',
        reason: 'state must be one of the following values: open, ',
      },
    ],
  ])('compares models before it writes anything: %s', async (_, differences, conflict) => {
    const other = await start(modelOf(differences));
    const [first, ...others] = await look(other);
    expect(first).toMatchObject(conflict);
    expect(others.filter(({ kind }) => kind !== 'rule')).toEqual([]);
    const rows = await snapshot(other);
    const stops =
      conflict.kind === 'model' ? (['refuse', 'replace', 'skip'] as const) : (['refuse', 'replace'] as const);
    for (const onConflict of stops)
      await expect(archive(other).import(open, { onConflict })).rejects.toThrow('Nothing was imported');
    expect(await snapshot(other)).toEqual(rows);
    const isPrivate = conflict.reason?.includes('private') === true;
    if (isPrivate) expect(await look(other, { allowPublic: true })).toEqual([]);
  });

  it('leaves out an attribute of another type with "skip", whatever its values', async () => {
    const other = await start(modelOf({ note: { title: { type: 'integer' } } }));
    expect(await archive(other).import(open, { onConflict: 'skip' })).toMatchObject({ imported: 2 });
    expect(await send(other, 'GET', `notes/${id}`)).toMatchObject({ title: null, code: 'abc' });
  });

  it('takes archives of earlier releases, without a model, and returns a note', async () => {
    const other = await start(modelOf());
    const old = await changed((line) => line.replace(/,"model":.*$/, '}'));
    const { imported, notes } = await archive(other).import(old);
    expect(imported).toBe(2);
    expect(notes).toEqual([expect.stringContaining('does not describe its model')]);
    expect((await archive(other).import(open)).notes).toEqual([]);
  });

  it.each<[string, Change, RegExp]>([
    [
      'a number of instances',
      (line) => line.replace(/"instances":"\d+"/, '"instances":"9223372036854775807"'),
      /damaged/,
    ],
    [
      'a number of places',
      (line) => line.replace(/"counts":"\d+"/, '"counts":"9223372036854775807"'),
      /damaged/,
    ],
    ['an id with NUL', (line) => line.replace(/"id":"/, '"id":"\\u0000'), /damaged/],
    ['a long id', (line) => line.replace(/"id":"/, `"id":"${'x'.repeat(5000)}`), /damaged/],
    ['a number of rows', (line) => line.replace(/"lastId":\d+/, '"lastId":2147483648'), /damaged/],
    ['a newer description', (line) => line.replace('"format":1', '"format":2'), /update the library/],
  ])('refuses a header before it writes anything: %s', async (_, change, message) => {
    const rows = await snapshot(target);
    const open_ = await changed((line) => (line.startsWith('{"documentId"') ? line : change(line, '')));
    await expect(archive(target).import(open_)).rejects.toThrow(message);
    expect(await snapshot(target)).toEqual(rows);
  });

  it('refuses versions of another document than that of their line, with all options', async () => {
    const other = await start(modelOf());
    const [mine] = [await send(other, 'POST', 'notes', { data: { title: 'mine' } })];
    const rows = await snapshot(other);
    const stolen = await inNotes(`"document_id":"${id}"`, `"document_id":"${mine.documentId}"`);
    for (const onConflict of ['refuse', 'skip', 'replace'] as const)
      await expect(archive(other).import(stolen, { onConflict, trusted: true })).rejects.toThrow(
        `The archive is damaged: its document note "${id}" has a version of another document`,
      );
    expect(await snapshot(other)).toEqual(rows);
  });

  it.each([
    ['no state', '"published":true', '"published":null', 'has no boolean in published'],
    ['no time', /"created_at":"[^"]+"/, '"created_at":"yesterday"', 'has no timestamptz(3) in created_at'],
    ['a row number beyond the last', /"id":\d+/, '"id":1999999999', 'has a row number beyond the last one'],
    ['half a surrogate pair', /"title":"[^"]*"/, '"title":"\\ud800"', 'has no text in title'],
    ['an empty row number', /"id":\d+/, '"id":""', 'has no integer in id'],
    ['a list as row number', /"id":\d+/, '"id":[]', 'has no integer in id'],
    ['an empty revision', /"revision":-?\d+/, '"revision":""', 'has no bigint in revision'],
    ['a revision beyond 64 bits', /"revision":-?\d+/, '"revision":9223372036854775808', 'has no bigint'],
    ['NUL in a text', /"title":"[^"]*"/, '"title":"\\u0000"', 'has no text in title'],
    ['NUL in an unknown key of an instance', /("label": ?)"abc"/, '"x":"\\u0000",$1"abc"', 'NUL characters'],
    ['half a pair in JSON', 'https://a.example', 'https://a.example/\\ud800', 'broken surrogates in body'],
    ['an infinite number', '"real":0.5', '"real":1e999', 'has no float8 in real'],
    ['no number', '"real":0.5', '"real":"half"', 'has no float8 in real'],
    ['a decimal of nine digits', '"exact":1.25', '"exact":123456789', 'has no numeric(10,2) in exact'],
    ['a day that no calendar has', '"day":"2024-02-29"', '"day":"2023-02-29"', 'has no date in day'],
    ['an hour beyond the day', 'T03:04:05.678+00:00', 'T25:04:05.678+00:00', 'in moment'],
    [
      'a year beyond the last',
      /"moment":"[^"]+"/,
      '"moment":"294277-01-01T00:00:00+00:00"',
      'has no timestamptz(3) in moment',
    ],
    [
      'a month of a schedule',
      '"schedule" : null',
      '"schedule" : [{"locale":"en","action":"publish","due_at":"2026-13-01T00:00:00+00:00","attempts":0}]',
      'has no timestamptz(3) in due_at',
    ],
    [
      'a version twice',
      /"versions" : \[(.*)\], "links"/,
      '"versions" : [$1,$1], "links"',
      'has two rows with one locale and published',
    ],
  ] as const)('refuses a damaged document before it writes anything: %s', async (_, from, to, why) => {
    const rows = await snapshot(target);
    const damaged = await inNotes(from, to);
    await expect(archive(target).import(damaged, { onConflict: 'skip', trusted: true })).rejects.toThrow(why);
    expect(await snapshot(target)).toEqual(rows);
  });

  it.each([
    ['enumeration', '"state":"done"', '"state":"gone"', 'state'],
    ['regex', '"code":"abc"', '"code":"A-1"', 'code'],
    ['link', 'https://a.example', 'javascript:alert(1)', 'body'],
    ['time', /"updated_at":"[^"]+"/, '"updated_at":"infinity"', 'updatedAt'],
    ['locale', '"locale":"en"', '"locale":"xx"', 'locale'],
    ['length in a component', /("label": ?)"abc"/, `$1"${'x'.repeat(300)}"`, 'parts.label'],
    ['a text instead of instances', /("parts": ?)\[.*?\]/, '$1"abc"', 'parts'],
    ['a text among instances', /("parts": ?)\[/, '$1["abc",', 'parts'],
    [
      'a schedule without drafts',
      '"schedule" : null',
      '"schedule" : [{"locale":"en","action":"publish","due_at":"2026-12-01T00:00:00+00:00","attempts":0}]',
      'schedule',
    ],
    ['an instance without ids', /("parts": ?)\[.*?\]/, '$1[{"label":"abc"}]', 'parts'],
  ] as const)('checks values like those of bodies: %s', async (_, from, to, attribute) => {
    const rows = await snapshot(target);
    const odd = await inNotes(from, to);
    const { conflicts } = await archive(target).import(odd, { dryRun: true });
    expect([...new Set(conflicts.map((one) => one.attribute))]).toEqual([attribute]);
    expect(conflicts[0]).toMatchObject({ kind: 'rule', type: 'note', reason: expect.any(String) });
    await expect(archive(target).import(odd)).rejects.toMatchObject({ conflicts });
    expect(await snapshot(target)).toEqual(rows);
  });

  it('reads numbers in other spellings than those of an export', async () => {
    const other = await start(modelOf());
    const odd = await inNotes(
      /"id":(\d+)(.*)"real":0.5(.*)"exact":1.25/,
      '"id":$1e0$2"real":1e-999$3"exact":125.0e-2',
    );
    expect(await archive(other).import(odd)).toMatchObject({ imported: 2 });
    expect(await send(other, 'GET', `notes/${id}`)).toMatchObject({ real: 0, exact: 1.25 });
  });

  it('refuses JSON that is nested too deeply for its checks', async () => {
    const nested = '['.repeat(20_000) + ']'.repeat(20_000);
    const deep = await inNotes(/("body": ?)\[/, `$1[${nested},`);
    const why = `its document note "${id}" is nested too deeply`;
    await expect(archive(target).import(deep)).rejects.toThrow(why);
  });

  it('leaves out documents with refused values with "skip", and takes them from a trusted archive', async () => {
    const other = await start(modelOf());
    const odd = await inNotes('"state":"done"', '"state":"gone"');
    expect(await archive(other).import(odd, { onConflict: 'skip' })).toMatchObject({
      imported: 1,
      skipped: 1,
    });
    expect(await archive(other).import(odd, { trusted: true })).toMatchObject({ imported: 1, same: 1 });
    expect(await send(other, 'GET', `notes/${id}`)).toMatchObject({ state: 'gone' });
  });

  it('checks document ids like values', async () => {
    const odd = await changed((line, part) =>
      part === 'note' ? line.replaceAll(`"${id}"`, '"a/../b"') : line,
    );
    const { conflicts } = await archive(target).import(odd, { dryRun: true });
    expect(conflicts).toEqual([expect.objectContaining({ kind: 'rule', attribute: 'documentId' })]);
  });

  it('restores every value that a database can hold from a trusted archive, and bodies still cannot send it', async () => {
    await source.sql(
      `update notes set real = 'NaN', exact = 'NaN', day = '0044-03-15 BC', moment = 'infinity', code = 'A-1'
      where document_id = $1`,
      [id],
    );
    await source.sql(
      `update notes set real = '-Infinity', day = '-infinity', moment = '0044-03-15T00:00:00Z BC',
      updated_at = 'infinity' where document_id <> $1`,
      [id],
    );
    const odd = join(folder, 'odd.gz');
    await archive(source).export(createWriteStream(odd));
    const other = await start(modelOf());
    const from = () => createReadStream(odd);
    const { conflicts } = await archive(other).import(from, { dryRun: true });
    expect(conflicts.map(({ kind, attribute }) => `${kind} ${String(attribute)}`).sort()).toEqual(
      ['code', 'day', 'exact', 'moment', 'real', 'day', 'moment', 'real', 'updatedAt']
        .map((one) => `rule ${one}`)
        .sort(),
    );
    await expect(archive(other).import(from)).rejects.toThrow('Nothing was imported');
    expect(await archive(other).import(from, { trusted: true })).toMatchObject({
      imported: 2,
      conflicts: [],
    });
    const rows = 'select n::text as row from notes n order by id';
    expect(await other.sql(rows)).toEqual(await source.sql(rows));
    for (const data of [{ real: 'NaN' }, { exact: 'NaN' }, { day: '0044-03-15 BC' }, { moment: 'infinity' }])
      await expect(send(other, 'PUT', `notes/${id}`, { data })).rejects.toThrow(': 400 ');
  });
});
