/** Content with every kind of attribute, links from both sides, states, locales, schedules and users. */
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import type { MikroORM } from '@mikro-orm/core';
import {
  CONTENT_ORM,
  ContentModule,
  type ContentService,
  defineCollectionType,
  defineComponent,
  defineSingleType,
  getContentToken,
} from 'nestjs-content-api';
import { apiTokenType, ApiTokensModule, UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { FilesModule, type FileStorage, LocalStorage } from 'nestjs-content-api/files';
import sharp from 'sharp';
import { Outbox, usersOptions } from '../accounts/helpers.ts';
import { thing } from '../fixtures/scalars.ts';
import { type Host, startHost } from '../http/helpers.ts';
import type { TestDatabase } from '../support/database.ts';

const part = defineComponent({
  uid: 'w.part',
  attributes: {
    label: { type: 'string' },
    key: { type: 'password' },
    number: { type: 'biginteger' },
    tag: { type: 'relation', relation: 'manyToOne', target: 'tag' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag' },
    any: { type: 'relation', relation: 'morphToMany', targets: ['story', 'tag'] },
    inner: { type: 'component', component: 'w.inner', repeatable: true },
  },
});
const inner = defineComponent({
  uid: 'w.inner',
  attributes: { text: { type: 'text' }, when: { type: 'datetime' }, pin: { type: 'password' } },
});

const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  localized: true,
  actions: ['schedule'],
  owner: 'author',
  attributes: {
    title: { type: 'string', localized: true, unique: true },
    code: { type: 'uid', targetField: 'title', generate: true, localized: true },
    rank: { type: 'decimal' },
    extra: { type: 'json', localized: true },
    cover: { type: 'media' },
    gallery: { type: 'media', multiple: true, localized: true },
    parts: { type: 'component', component: 'w.part', repeatable: true, localized: true },
    lead: { type: 'component', component: 'w.part' },
    zone: { type: 'dynamiczone', components: ['w.part', 'w.inner'], localized: true },
    author: { type: 'relation', relation: 'manyToOne', target: 'user' },
    main: { type: 'relation', relation: 'manyToOne', target: 'tag', inversedBy: 'mains' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'stories', localized: true },
    others: { type: 'relation', relation: 'manyToMany', target: 'tag' },
    twin: { type: 'relation', relation: 'oneToOne', target: 'story', inversedBy: 'twinOf' },
    twinOf: { type: 'relation', relation: 'oneToOne', target: 'story', mappedBy: 'twin' },
    subject: { type: 'relation', relation: 'morphToMany', targets: ['tag', 'story'] },
    mentions: { type: 'relation', relation: 'morphMany', target: 'story', morphBy: 'subject' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  authors: true,
  attributes: {
    name: { type: 'string', unique: true },
    stories: { type: 'relation', relation: 'manyToMany', target: 'story', mappedBy: 'tags' },
    mains: { type: 'relation', relation: 'oneToMany', target: 'story', mappedBy: 'main' },
    mentions: { type: 'relation', relation: 'morphMany', target: 'story', morphBy: 'subject' },
  },
});
const home = defineSingleType({
  singularApiId: 'home',
  draftAndPublish: true,
  attributes: {
    headline: { type: 'string' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag' },
  },
});

/** Grants for all actions, so that every response can be compared. */
const everything = {
  contentTypes: [thing, story, tag, home, apiTokenType, ...userTypes({ nickname: { type: 'string' } })],
  components: [inner, part],
  locales: ['en', 'fr'],
  access: { public: { '*': '*' as const } },
} as const;

/** Returns the storage directory of a database; every process derives the same one. */
export const directoryOf = (url: string): string => join(tmpdir(), 'content-worlds', new URL(url).pathname);

export const worldModules = (
  url: string,
  storage: FileStorage = new LocalStorage(directoryOf(url)),
): NonNullable<ModuleMetadata['imports']> => [
  ContentModule.forRoot({ ...everything, database: { clientUrl: url } }),
  UsersModule.forRoot(usersOptions(new Outbox())),
  ApiTokensModule,
  FilesModule.forRoot({ storage }),
];

export const startWorld = (database: TestDatabase, storage?: FileStorage): Promise<Host> =>
  startHost(() => ({ imports: worldModules(database.url, storage) }), {
    database,
    ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.update({ safe: true }),
  });

const service = (app: INestApplication, type: string): ContentService =>
  app.get<ContentService>(getContentToken(type), { strict: false });

/** Sends a request and returns the parsed response. Throws for any status but a success. */
export async function send(
  { url }: Pick<Host, 'url'>,
  method: string,
  path: string,
  data?: object,
): Promise<any> {
  const response = await fetch(`${url}/api/${path}`, {
    method,
    ...(data === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(data) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? null : JSON.parse(text).data;
}

/** File of another provider, without bytes in the storage. */
const FILE = `insert into content_files (document_id, locale, published, created_at, updated_at, published_at, name, hash, mime, size, url, provider)
  values (repeat('g', 24), 'en', true, now(), now(), now(), 'two.png', 'two.png', 'image/png', 1.25, 'https://files.example/two.png', 'elsewhere')`;

/**
 * Uploads files: a picture with formats, the same picture again, and large texts. Returns the id of the first
 * one.
 */
async function upload({ url }: Host, texts: number): Promise<string> {
  const picture = await sharp({ create: { width: 640, height: 320, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const form = new FormData();
  for (const name of ['one.png', 'again.png'])
    form.append('files', new Blob([new Uint8Array(picture)]), name);
  for (let n = 1; n <= texts; n += 1) {
    const text = new Blob([`line of long text ${n}\n`.repeat(20_000 * n)], { type: 'text/plain' });
    form.append('files', text, `long-${n}.txt`);
  }
  const response = await fetch(`${url}/api/upload`, { method: 'POST', body: form });
  const [first] = (await response.json()) as any;
  return first.documentId;
}

/** Creates the content: `stories` is the number of stories, `texts` that of text files. */
export async function fill(host: Host, stories: number, texts = 1): Promise<void> {
  const write = (method: string, path: string, data: object) => send(host, method, path, { data });
  await host.sql(FILE);
  const [first, second] = [await upload(host, texts), 'g'.repeat(24)];
  const registered = await fetch(`${host.url}/api/auth/local/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'ann', email: 'ann@example.com', password: 'Secret-1234' }),
  });
  const { user } = (await registered.json()) as any;
  await write('POST', 'things', {
    name: 'thing',
    code: 'c',
    text: 'a\u2028b "quoted" \\ back',
    mail: 'a@b.example',
    pass: 'Secret-12345',
    slug: 's',
    kind: 'one',
    big: '9007199254740993',
    real: 0.1,
    dec: 12.5,
    day: '2024-02-29',
    time: '10:11:12.345',
    moment: '2024-01-02T03:04:05.678Z',
    stamp: '1700000000123',
    meta: { deep: [1, { x: null }], huge: 1e300 },
    list: ['a'],
  });
  const tags: string[] = [];
  for (const name of ['red', 'green', 'blue']) tags.push((await write('POST', 'tags', { name })).documentId);
  const made: string[] = [];
  for (let n = 0; n < stories; n += 1) {
    const instance = (label: string) => ({
      label,
      key: 'Secret-1234',
      number: '9007199254740993',
      tag: tags[n % 3],
      tags: [tags[2], tags[0]],
      any: [{ __type: 'api::tag.tag', documentId: tags[1] }],
      inner: [{ text: `inner ${n}`, pin: 'Secret-1234' }, { when: '2024-01-01T00:00:00.000Z' }],
    });
    const { documentId } = await write('POST', n % 3 === 0 ? 'stories?status=draft' : 'stories', {
      title: `story ${n}`,
      rank: n + 0.25,
      extra: { n },
      cover: first,
      gallery: [second, first],
      parts: [instance('a'), instance('b')],
      lead: instance('lead'),
      zone: [
        { __component: 'w.inner', text: 'zone' },
        { __component: 'w.part', ...instance('zone') },
      ],
      main: tags[n % 2],
      tags: [tags[(n + 1) % 3], tags[n % 3]],
      others: tags,
      subject: [
        { __type: 'api::tag.tag', documentId: tags[0] },
        ...made.slice(-1).map((id) => ({ __type: 'api::story.story', documentId: id })),
      ],
      ...(made.length > 0 ? { twin: made.at(-1) } : {}),
    });
    made.push(documentId);
    if (n % 2 === 0) await write('PUT', `stories/${documentId}?locale=fr`, { title: `histoire ${n}` });
    if (n % 4 === 1) await write('PUT', `stories/${documentId}?status=draft`, { title: `draft ${n}` });
  }
  await host.sql('update tags set created_by_document_id = $1', [user.documentId]);
  await write('PUT', `tags/${tags[2]}`, { stories: made.slice(0, 3).reverse() });
  await write('PUT', 'home', { headline: 'hello', tags: [tags[1], tags[0]] });
  await write('PUT', 'home?status=draft', { headline: 'soon' });
  const [scheduled] = made;
  await service(host.app, 'story').schedule(scheduled ?? '', {
    publishAt: '2999-01-01T00:00:00.000Z',
    unpublishAt: '2999-02-01T00:00:00.000Z',
  });
  await service(host.app, 'story').update(
    scheduled ?? '',
    { author: user.documentId },
    {
      status: 'draft',
    },
  );
}

const DEEP = [
  ...['parts', 'lead'].map((name) => `populate[${name}][populate]=*`),
  'populate[zone][on][w.part][populate]=*&populate[zone][on][w.inner]=true',
  ...['tags', 'others', 'main', 'twin', 'twinOf', 'cover', 'gallery', 'author', 'subject', 'mentions'].map(
    (name) => `populate[${name}]=true`,
  ),
  'populate[localizations]=true',
].join('&');

/** Returns the paths of all routes, in all states and locales. */
async function questions(host: Host): Promise<string[]> {
  const { body } = { body: await send(host, 'GET', 'stories?status=draft&pagination[limit]=100&fields=id') };
  const ids: string[] = body.map(({ documentId }: any) => documentId);
  const versions = ['', '&status=draft', '&locale=fr', '&locale=fr&status=draft'];
  const all = 'pagination[limit]=100';
  return versions.flatMap((version) => [
    `stories?${all}&${DEEP}${version}`,
    `stories?${all}&sort=rank:desc&populate[tags][count]=true${version}`,
    `stories?${all}&publicationFilter=modified${version}`,
    `tags?${all}&populate=*${version}`,
    `tags?${all}&populate[createdBy]=true&populate[updatedBy]=true${version}`,
    `home?populate=*${version}`,
    `things?${all}${version}`,
    ...ids.slice(0, 3).flatMap((id) => [`stories/${id}?${DEEP}${version}`]),
    ...ids.slice(0, 1).map((id) => `stories/${id}/actions/schedule?x=1${version}`),
    `users?populate=*`,
    `users-permissions/roles`,
  ]);
}

/** Returns all responses with their status, without ETags, which differ between databases. */
export async function answers(host: Host): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const path of [...(await questions(host)), 'upload/files?sort=id']) {
    const response = await fetch(`${host.url}/api/${path}`);
    found[path] = `${response.status} ${await response.text()}`;
  }
  return { ...found, ...(await downloads(host)) };
}

/** Returns the headers and the digest of every file and format, by URL. */
export async function downloads(host: Host): Promise<Record<string, string>> {
  const files = (await (await fetch(`${host.url}/api/upload/files?sort=id`)).json()) as any[];
  const urls = files.flatMap(({ url, formats }) => [
    url,
    ...Object.values<any>(formats ?? {}).map((one) => one.url),
  ]);
  const found: Record<string, string> = {};
  for (const url of urls.filter((one: string) => one.startsWith('/'))) {
    const response = await fetch(host.url + url);
    const told = ['content-type', 'content-length', 'content-disposition', 'etag', 'cache-control'];
    const digest = createHash('sha256').update(Buffer.from(await response.arrayBuffer()));
    const headers = told.map((name) => response.headers.get(name)).join(' ');
    found[url] = `${response.status} ${headers} ${digest.digest('hex')}`;
  }
  return found;
}
