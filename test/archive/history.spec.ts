/** Stored versions in archives: they move with their documents, on request. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { ContentArchive, defineCollectionType, defineComponent } from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { createTestApp, type TestApp } from '../support/app.ts';
import { rewritten } from './rewritten.ts';

const part = defineComponent({ uid: 'h.part', attributes: { text: { type: 'string' } } });
const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  localized: true,
  history: true,
  attributes: {
    title: { type: 'string', localized: true },
    secret: { type: 'string', private: true },
    parts: { type: 'component', component: 'h.part', repeatable: true },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag' },
  },
});
const local = { type: 'string', archived: false } as const;
const inner = defineComponent({ uid: 'h.inner', attributes: { text: { type: 'string' }, local } });
const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  history: true,
  attributes: { local, inner: { type: 'component', component: 'h.inner' } },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: { name: { type: 'string' } },
});

describe('an archive with history', () => {
  const apps: TestApp[] = [];
  let source: TestApp;
  let target: TestApp;
  let ids: string[];
  let archive: Buffer;
  let folder: string;

  const start = async (): Promise<TestApp> => {
    const app = await createTestApp({
      components: [part, inner],
      contentTypes: [page, tag, memo],
      locales: ['en', 'fr'],
      access: { public: { '*': '*' } },
      imports: [HistoryModule.forRoot({ sittingMinutes: 0 })],
    });
    apps.push(app);
    return app;
  };
  const send = async (app: TestApp, method: string, path: string, data?: object): Promise<any> => {
    const response = await fetch(`${app.url}/api/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
    });
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return text === '' ? null : JSON.parse(text).data;
  };
  const exported = async (app: TestApp, names: readonly string[]): Promise<Buffer> => {
    const pieces: Buffer[] = [];
    const into = new Writable({
      write: (piece: Buffer, _encoding, done) => {
        pieces.push(piece);
        done();
      },
    });
    await app.app.get(ContentArchive).export(into, { with: names });
    return Buffer.concat(pieces);
  };
  const take = (app: TestApp, bytes: Buffer, onConflict: 'refuse' | 'replace' = 'refuse') =>
    app.app.get(ContentArchive).import(() => Readable.from([bytes]), { onConflict });
  const listOf = (app: TestApp, id: string) =>
    send(app, 'GET', `pages/${id}/versions?pagination[pageSize]=100`);
  /** Versions as responses show them, without their ids. */
  const versions = async (app: TestApp, id: string): Promise<unknown[]> => {
    const list = await listOf(app, id);
    return Promise.all(
      list.map(async ({ id: version }: any) => {
        const { id: _id, ...shown } = await send(app, 'GET', `pages/${id}/versions/${version}`);
        return shown;
      }),
    );
  };

  beforeAll(async () => {
    [source, target] = [await start(), await start()];
    const [a, b] = [
      (await send(source, 'POST', 'tags', { name: 'a' })).documentId,
      (await send(source, 'POST', 'tags', { name: 'b' })).documentId,
    ];
    const create = async (title: string): Promise<string> =>
      (await send(source, 'POST', 'pages?status=draft', { title, parts: [{ text: 'x\n"y"' }], tags: [a] }))
        .documentId;
    ids = [await create('One'), await create('Uno')];
    for (const id of ids) {
      await send(source, 'PUT', `pages/${id}`, { title: 'Two', tags: [b, a], secret: 'hidden' });
      await send(source, 'PUT', `pages/${id}?locale=fr&status=draft`, { title: 'Deux', parts: [] });
      await send(source, 'PUT', `pages/${id}?status=draft`, { title: 'Three', tags: [] });
    }
    archive = await exported(source, ['history']);
    folder = await mkdtemp(join(tmpdir(), 'archive-history-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    for (const app of apps) await app.close();
  });

  it('25.13 moves the versions of documents with them, which can be restored', async () => {
    const before = await Promise.all(ids.map((id) => versions(source, id)));
    expect(before[0]?.length).toBeGreaterThan(4);
    expect((await take(target, archive)).imported).toBe(4);
    expect(await Promise.all(ids.map((id) => versions(target, id)))).toEqual(before);
    const [id = ''] = ids;
    const list = await listOf(target, id);
    await send(target, 'POST', `pages/${id}/versions/${list.at(-1).id}/actions/restore`);
    expect(await send(target, 'GET', `pages/${id}?status=draft&populate=*`)).toMatchObject({
      title: 'One',
      parts: [{ text: 'x\n"y"' }],
      tags: [{ name: 'a' }],
    });
    // The imported state counts as stored: no version has the action `before`.
    expect((await listOf(target, id)).map(({ action }: any) => action)).toEqual([
      ...['restore', 'restore'],
      ...list.map(({ action }: any) => action),
    ]);
  });

  it('25.13 replaces the versions of replaced documents, and leaves those of others', async () => {
    const [changed = '', same = ''] = ids;
    const before = await versions(target, same);
    expect(await take(target, archive, 'replace')).toMatchObject({ replaced: 1, same: 3 });
    expect(await versions(target, changed)).toEqual(await versions(source, changed));
    expect(await versions(target, same)).toEqual(before);
    await send(target, 'PUT', `pages/${changed}?status=draft`, { title: 'Mine' });
    const own = await versions(target, changed);
    await take(target, await exported(source, []), 'replace');
    expect(await versions(target, changed)).toEqual(own);
  });

  it.each([
    ['a list of numbers', /"history" ?: ?\[.*\](?=\})/, '"history":[5]', 'has no list of rows'],
    ['a time', /("history".*?"at": ?)"[^"]+"/, '$1"never"', 'has no timestamptz(3) in at'],
    ['no action', /("history".*?"action": ?)"\w+"/, '$1null', 'has no text in action'],
    ['an unknown action', /("history".*?"action": ?)"\w+"/, '$1"nonsense"', 'has no text in action'],
    ['a text as content', /("history".*?"content": ?)\{/, '$1"text","x":{', 'has no jsonb in content'],
    ['NUL in a content', /("history".*?"title": ?)"\w+"/, '$1"\\u0000"', 'NUL characters'],
  ])('25.13 refuses a damaged version before anything is written: %s', async (_, from, to, why) => {
    const file = join(folder, 'content.gz');
    await writeFile(file, archive);
    const damaged = await rewritten(file, (line) => line.replace(from, to));
    const before = await versions(target, ids[0] ?? '');
    for (const options of [{ dryRun: true }, { onConflict: 'replace', trusted: true }] as const)
      await expect(target.app.get(ContentArchive).import(damaged, options)).rejects.toThrow(why);
    expect(await versions(target, ids[0] ?? '')).toEqual(before);
  });

  it('25.13 has no versions without the request, and no private values', async () => {
    const textOf = (bytes: Buffer): string => gunzipSync(bytes).toString().split('\n').slice(1).join('\n');
    expect(textOf(await exported(source, []))).not.toContain('"history"');
    const lists = textOf(archive).split('"history"').slice(1);
    expect(lists).toHaveLength(2);
    for (const list of lists) expect(list.split('\n')[0]).not.toContain('"secret"');
    await expect(exported(source, ['future'])).rejects.toThrow('no module that exports "future"');
  });

  it('25.13 has no values of attributes that archives leave out, also inside components', async () => {
    const local = 'stays here';
    await send(source, 'POST', 'memos', { local, inner: { text: 'kept', local } });
    const text = gunzipSync(await exported(source, ['history'])).toString();
    expect(text).toContain('kept');
    expect(text).not.toContain(local);
  });
});
