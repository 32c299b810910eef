import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { ContentModule, defineCollectionType, defineComponent, defineSingleType } from 'nestjs-content-api';
import { run } from '../../src/module/command-line.ts';
import { type Host, startHost } from '../http/helpers.ts';

const link = defineComponent({ uid: 'c.link', attributes: { url: { type: 'string' } } });
const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string' },
    rank: { type: 'integer' },
    topic: { type: 'relation', relation: 'manyToOne', target: 'topic' },
    links: { type: 'component', component: 'c.link', repeatable: true },
    parts: { type: 'dynamiczone', components: ['c.link'] },
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

const modules = (url: string) => [
  ContentModule.forRoot({
    ...{ contentTypes: [story, topic, home], components: [link], locales: ['en', 'fr'] },
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
  for (const title of ['One', 'Two', 'Three'])
    await send('POST', 'stories', {
      title,
      rank: title.length,
      topic: first,
      links: [{ url: '/a' }],
      parts: [],
    });
  former = createServer((request, response) => {
    void fetch(`${host.url}${request.url ?? ''}`).then(async (answer) => {
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
  expect(await compare({}, '--queries', '60')).toMatch(/^60 queries/);
  expect(paths).toHaveLength(60);
  for (const part of ['status=draft', 'locale=fr', 'sort[0]=rank:desc', 'filters[rank][$eq]=3', '/api/home?'])
    expect(paths.some((path) => path.includes(part))).toBe(true);
});

it('refuses addresses that are no URLs, and servers that do not respond', async () => {
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
