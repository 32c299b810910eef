import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { ContentModule, defineCollectionType, defineComponent, defineSingleType } from 'nestjs-content-api';
import { run } from '../../src/module/command-line.ts';
import { type Host, startHost } from '../http/helpers.ts';
import { componentSchema, typeSchema } from './small-archive.ts';

const link = defineComponent({
  uid: 'c.link',
  attributes: { url: { type: 'string' }, altText: { type: 'string' } },
});
/** Component and type whose names a move changed. */
const quote = defineComponent({ uid: 'x-1c.quote', attributes: { byLine: { type: 'string' } } });
const note = defineCollectionType({
  singularApiId: 'note-2',
  pluralApiId: 'notes-2',
  attributes: { text: { type: 'string' } },
});
const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string' },
    subTitle: { type: 'string' },
    notes: { type: 'relation', relation: 'oneToMany', target: 'note-2' },
    about: { type: 'relation', relation: 'morphToOne' },
    rank: { type: 'integer' },
    topic: { type: 'relation', relation: 'manyToOne', target: 'topic' },
    links: { type: 'component', component: 'c.link', repeatable: true },
    parts: { type: 'dynamiczone', components: ['c.link', 'x-1c.quote'] },
  },
});
const topic = defineCollectionType({
  singularApiId: 'topic',
  pluralApiId: 'topics',
  localized: true,
  attributes: { name: { type: 'string', localized: true } },
});
const home = defineSingleType({ singularApiId: 'home', attributes: { headline: { type: 'string' } } });

let host: Host;
let former: Server;
let folder: string;
/** Change of a response of the former server, as text. */
let change = (text: string): string => text;
/** Name here of a path of the former server. */
let named = (path: string): string => path;

const modules = (url: string) => [
  ContentModule.forRoot({
    ...{ contentTypes: [story, topic, home, note], components: [link, quote], locales: ['en', 'fr'] },
    access: { public: { '*': '*' } },
    database: { clientUrl: url },
  }),
];

class Root {}

beforeAll(async () => {
  host = await startHost((database) => ({ imports: modules(database.url) }), { tables: true });
  const send = async (method: string, path: string, data: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${host.url}/api/${path}`, {
      method,
      headers,
      body: JSON.stringify({ data }),
    });
    return ((await response.json()) as { data: { documentId: string } }).data.documentId;
  };
  const first = await send('POST', 'topics', { name: 'Sea' });
  await send('PUT', 'home', { headline: 'Hello' });
  const remark = await send('POST', 'notes-2', { text: 'Read it' });
  for (const title of ['O🎉e', 'Two', 'Three'])
    await send('POST', 'stories', {
      title,
      subTitle: `${title} more`,
      notes: title === 'O🎉e' ? [remark] : [],
      about: { documentId: remark, __type: 'api::note-2.note-2' },
      rank: Array.from(title).length,
      topic: first,
      links: [{ url: '/a', altText: 'A' }],
      parts: [{ __component: 'x-1c.quote', byLine: 'Ann' }],
    });
  former = createServer((request, response) => {
    void fetch(`${host.url}${named(request.url ?? '')}`).then(async (answer) => {
      response.statusCode = answer.status;
      response.end(change(await answer.text()));
    });
  });
  await new Promise<void>((resolve) => former.listen(0, '127.0.0.1', resolve));
  folder = await mkdtemp(join(tmpdir(), 'compare-'));
  const file = join(folder, 'app.module.mjs');
  Reflect.set(globalThis, Symbol.for(file), { module: Root, imports: modules(host.database.url) });
  await writeFile(file, `export const AppModule = globalThis[Symbol.for(${JSON.stringify(file)})];\n`);
});

afterAll(async () => {
  former.close();
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

afterEach(() => {
  named = (path) => path;
});

/** Compares the application with the former server. */
function compare(env: Readonly<Record<string, string>> = {}, ...more: readonly string[]): Promise<string> {
  const { port } = former.address() as AddressInfo;
  const args = ['--compare', `http://127.0.0.1:${port}/api`, '--with', `${host.url}/api/`];
  const rest = ['--module', join(folder, 'app.module.mjs'), '--report', join(folder, 'report')];
  return run(['adopt', ...args, ...rest, ...more], { env, say: () => undefined });
}

const report = (): Promise<string> => readFile(join(folder, 'report.md'), 'utf8');

it('finds no difference between equal servers', async () => {
  change = (text) => text;
  expect(await compare()).toMatch(/^\d+ queries, 0 responses differ, 0 without a rule/);
  expect(await report()).toContain('None.');
});

/** Former names with their names here. */
const NAMES: readonly (readonly [string, string])[] = [
  ['sub-title', 'subTitle'],
  ['alt text', 'altText'],
  ['by line', 'byLine'],
  ['1c.quote', 'x-1c.quote'],
  ['api::note.note', 'api::note-2.note-2'],
];

/** Project whose move changes these names. */
async function writeProject(): Promise<string> {
  const text = { type: 'string' };
  const zone = { type: 'dynamiczone', components: ['c.link', '1c.quote'] };
  const files = {
    'api/story/content-types/story/schema.json': typeSchema(
      'story',
      { 'sub-title': text, parts: zone },
      { info: { singularName: 'story', pluralName: 'Stories' } },
    ),
    'api/note/content-types/note/schema.json': typeSchema(
      'note',
      { text },
      { info: { singularName: 'note', pluralName: 'notes' } },
    ),
    'api/a/content-types/a/schema.json': typeSchema(
      'a',
      {},
      { info: { singularName: 'note', pluralName: 'notes' } },
    ),
    'components/c/link.json': componentSchema('c.link', { 'alt text': text }),
    'components/1c/quote.json': componentSchema('1c.quote', { 'by line': text }),
  };
  for (const [path, schema] of Object.entries(files)) {
    await mkdir(dirname(join(folder, 'old/src', path)), { recursive: true });
    await writeFile(join(folder, 'old/src', path), JSON.stringify(schema));
  }
  return join(folder, 'old');
}

it('sends the former names to the former server, and reads them in its responses', async () => {
  const moved = join(folder, 'moved');
  const said = { env: {}, say: () => undefined };
  await run(['adopt', await writeProject(), '--dry-run', '--report', moved], said);
  const paths: string[] = [];
  named = (path) => {
    paths.push(decodeURIComponent(path));
    const here = NAMES.reduce((now, [from, to]) => now.replaceAll(from, to), decodeURIComponent(path));
    return here
      .replace('/Stories', '/stories')
      .replace('/notes?', '/notes-2?')
      .replace('/notes/', '/notes-2/');
  };
  change = (text) => NAMES.reduce((now, [from, to]) => now.replaceAll(`"${to}"`, `"${from}"`), text);
  expect(await compare({}, '--adopted', moved)).toMatch(/^\d+ queries, 0 responses differ/);
  for (const part of ['/Stories?', '/notes?', 'sort[0]=sub-title:asc', '[on][1c.quote]=true', '=sub-title'])
    expect(paths.filter((path) => path.includes(part))).not.toEqual([]);
  await expect(compare()).rejects.toThrow('without a rule');
  await expect(compare({}, '--adopted', join(folder, 'none'))).rejects.toThrow('is not a report of "adopt"');
});

it('names the rule of a locale that Strapi does not show, and of the ids of components', async () => {
  change = (text) =>
    text
      .replaceAll('"locale":"en"', '"locale":null')
      .replaceAll(/"id":(\d+),"documentId":"\w+","url"/g, '"id":9$1,"url"');
  expect(await compare()).toMatch(/D1: \d+/);
  expect(await report()).toMatch(/\| D18 \| \d+ \|/);
  expect(await report()).toMatch(/\| contract "Populated related content" \| \d+ \|/);
});

it('fails for a value that differs without a rule, and names its place', async () => {
  change = (text) => text.replaceAll('"title":"Two"', '"title":"Zwei"');
  await expect(compare()).rejects.toThrow(/[1-9]\d* without a rule/);
  expect(await report()).toMatch(/body\.data\.\d\.title: `"Zwei"` became `"Two"`/);
});

it('stores differences without the documents around them, and the beginning of long values', async () => {
  change = (text) => text.replaceAll('"title":"Two"', `"title":"${'Zwei'.repeat(10_000)}"`);
  await expect(compare()).rejects.toThrow(/[1-9]\d* without a rule/);
  const text = await readFile(join(folder, 'report.json'), 'utf8');
  const [{ path, differences }] = JSON.parse(text) as [{ path: string; differences: object[] }];
  expect(path).toContain('stories');
  expect(differences[0]).toEqual({
    path: ['body', 'data', expect.anything(), 'title'],
    rule: null,
    former: expect.stringMatching(/^"(Zwei){10}.*…$/),
    now: 'Two',
  });
  expect(text.length).toBeLessThan(1_000_000);
});

it('advises a token or grants if this application refuses what the former one permits', async () => {
  change = (text) => text;
  await expect(compare({ CONTENT_TOKEN: 'wrong' })).rejects.toThrow('401 or 403 here: set CONTENT_TOKEN');
});

it('refuses a server of Strapi 4, whose responses have another format', async () => {
  const wrapped = ({ id, documentId: _documentId, ...attributes }: Record<string, unknown>) => ({
    id,
    attributes,
  });
  change = (text) => {
    const { data, meta } = JSON.parse(text) as { data: Record<string, unknown>[]; meta: object };
    return JSON.stringify({ data: Array.isArray(data) ? data.map(wrapped) : wrapped(data), meta });
  };
  await expect(compare()).rejects.toThrow(/^http:.* responds in the format of Strapi 4/);
});

it('sends as many queries as requested, over states, filters and sort keys', async () => {
  change = (text) => text;
  const paths: string[] = [];
  former.on('request', ({ url = '' }: { readonly url?: string }) => paths.push(decodeURIComponent(url)));
  expect(await compare({}, '--queries', '100')).toMatch(/^100 queries/);
  expect(paths).toHaveLength(100);
  for (const part of ['status=draft', 'locale=fr', 'sort[0]=rank:desc', 'filters[rank][$eq]=3', '/api/home?'])
    expect(paths.some((path) => path.includes(part))).toBe(true);
});

it('refuses addresses that are not URLs, and servers that do not respond', async () => {
  const said = { env: {}, say: () => undefined };
  await expect(run(['adopt', '--compare', 'old', '--with', host.url], said)).rejects.toThrow(
    '--compare is a URL',
  );
  const args = ['--compare', 'http://127.0.0.1:1/api', '--with', `${host.url}/api`];
  const module = ['--module', join(folder, 'app.module.mjs')];
  await expect(run(['adopt', ...args, ...module], said)).rejects.toThrow(
    'http://127.0.0.1:1/api does not respond',
  );
});
