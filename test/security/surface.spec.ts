/**
 * S22 and S32–S36: known vulnerabilities of other servers, tested on all routes: headers, caches,
 * descriptions, methods and spellings of paths. One application has all features switched on.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ContentService, defineCollectionType, getContentToken, type Grants } from 'nestjs-content-api';
import { UsersModule } from 'nestjs-content-api/accounts';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { contentTypes as accountTypes, Outbox, usersOptions } from '../accounts/helpers.ts';
import { NamedCallers } from '../fuzz/apps.ts';
import { raw, type RawAnswer } from '../http/helpers.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';

const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string', regex: '^([a-zA-Z0-9]+ ?)*$' },
    slug: { type: 'uid' },
    contact: { type: 'email' },
    body: { type: 'text', regex: 'a*a*a*b$' },
    secret: { type: 'string', private: true },
    hush: { type: 'string' },
    parts: { type: 'relation', relation: 'manyToMany', target: 'part' },
  },
});
const part = defineCollectionType({
  singularApiId: 'part',
  pluralApiId: 'parts',
  attributes: { name: { type: 'string' } },
});

const READ = ['find', 'findOne'] as const;
const GRANTS: Readonly<Record<string, Grants>> = {
  all: { '*': '*' },
  narrow: { story: [{ actions: READ, fields: ['title', 'parts'] }] },
  whole: { story: READ, part: READ },
  nobody: {},
};

/** One path for each kind of route. */
const PATHS = [
  '/api/stories',
  '/api/stories/x',
  '/api/users/me',
  '/api/auth/local',
  '/api/users-permissions/roles',
  '/api/upload/files',
  '/api/openapi.json',
  '/api/i18n/locales',
  '/uploads/x.png',
];

describe.each(ADAPTERS)('the surface on %s', (adapter) => {
  let test: TestApp;
  let directory: string;
  let one: string;
  const ask = (path: string, caller?: string, headers: Record<string, string> = {}, method = 'GET') =>
    raw(test.url, method, path, {
      ...(caller === undefined ? {} : { authorization: `Bearer ${caller}` }),
      ...headers,
    });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'surface-'));
    test = await createTestApp(
      {
        contentTypes: [story, part, ...(accountTypes ?? [])],
        access: { public: { story: [{ actions: READ, fields: ['title'] }] } },
        auth: { strategies: [new NamedCallers(GRANTS)] },
        cache: { bytes: 8_000_000 },
        imports: [
          UsersModule.forRoot(usersOptions(new Outbox())),
          FilesModule.forRoot({ storage: new LocalStorage(directory), images: null }),
        ],
      },
      adapter,
    );
    const service = (name: string) =>
      test.app.get<ContentService<{ documentId: string }>>(getContentToken(name), { strict: false });
    const { documentId: name } = await service('part').create({ name: 'the part' });
    const made = { title: 'Seen', hush: 'the hush', secret: 'the secret', parts: [name] };
    one = (await service('story').create(made)).documentId;
  });
  afterAll(async () => {
    await test.close();
    await rm(directory, { recursive: true });
  });

  it.each(PATHS)('S22: %s allows no other origin by default', async (path) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) {
      const asked = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
      const { headers } = await ask(path, undefined, asked, method);
      const opening = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
      expect([method, opening]).toEqual([method, []]);
    }
  });

  it('S32: cached responses and their ETags are shared only between callers with equal permissions', async () => {
    const callers = [undefined, 'narrow', 'whole', 'all', 'nobody'];
    for (const path of ['/api/stories?populate=*', `/api/stories/${one}?populate=*`, '/api/stories']) {
      const first = new Map<string | undefined, RawAnswer>();
      for (const round of [1, 2, 3])
        for (const caller of callers) {
          const answer = await ask(path, caller);
          const before = first.get(caller) ?? answer;
          first.set(caller, answer);
          expect([path, caller, round, answer.text]).toEqual([path, caller, round, before.text]);
        }
      const textOf = (caller?: string): string => first.get(caller)?.text ?? '';
      expect(textOf('whole')).toContain('the hush');
      for (const caller of [undefined, 'narrow']) expect(textOf(caller)).not.toContain('the ');
      for (const caller of callers) expect(textOf(caller)).not.toContain('the secret');
      const tag = String(first.get('all')?.headers['etag']);
      for (const caller of callers.filter((name) => textOf(name) !== textOf('all')))
        expect([caller, (await ask(path, caller, { 'if-none-match': tag })).status]).toEqual([
          caller,
          caller === 'nobody' ? 403 : 200,
        ]);
    }
  });

  it('S33: no response reveals versions of software', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    for (const path of PATHS)
      for (const caller of [undefined, 'all']) {
        const { headers, text } = await ask(path, caller);
        expect([path, JSON.stringify(headers)]).toEqual([path, expect.not.stringContaining(version)]);
        expect([path, text.includes(`"${version}"`), /nestjs-content-api/i.test(text)]).toEqual([
          path,
          false,
          false,
        ]);
      }
  });

  it.each(['nobody', undefined])(
    'S34: no method and no spelling of a path bypasses the permissions of %s',
    async (caller) => {
      const closed = ['parts', 'users', 'users-permissions/roles', 'upload/folders', 'i18n/locales'];
      const spellings = (path: string): string[] => [
        `/api/${path}`,
        `/api/${path}/`,
        `/API/${path.toUpperCase()}`,
        `/api/${path}?`,
        `/api/${path}/?x=1`,
        `//api/${path}`,
        `/api//${path}`,
        `/api/./${path}`,
        `/api/x/../${path}`,
        `/api/${path}%2f`,
        `/%61pi/${path}`,
        `/api/${path.replace(/^./, (first) => `%${first.charCodeAt(0).toString(16)}`)}`,
        `/api/${path};x=1`,
      ];
      for (const path of closed)
        for (const spelled of spellings(path))
          for (const method of ['GET', 'HEAD']) {
            const headers = { 'x-http-method-override': 'GET', 'x-original-url': '/api/stories' };
            const { status } = await ask(spelled, caller, headers, method);
            expect([method, spelled, [400, 403, 404].includes(status)]).toEqual([method, spelled, true]);
          }
    },
  );

  it('S35: no caller can query the creator of a document', async () => {
    for (const key of ['createdBy', 'updatedBy'])
      for (const query of [
        `populate=${key}`,
        `populate[${key}][fields]=email`,
        `filters[${key}][id]=1`,
        `filters[${key}][password][$startsWith]=$`,
        `sort=${key}.email`,
        `fields=${key}`,
        `populate[parts][populate]=${key}`,
        `populate[parts][filters][${key}][email]=x`,
      ])
        expect([query, (await ask(`/api/stories?${query}`, 'all')).status]).toEqual([query, 400]);
    expect((await ask('/api/stories?populate=*', 'all')).text).not.toMatch(/createdBy|updatedBy/);
  });

  it('S36: rejects text that is slow to match by patterns, and responds in time', async () => {
    const hard = [
      { slug: `${'a-'.repeat(20_000)}!` },
      { contact: `${'a.'.repeat(20_000)}@` },
      { contact: `a@${'a-'.repeat(20_000)}` },
      { title: `${'a'.repeat(200)}!` },
      { body: 'a'.repeat(50_000) },
    ];
    for (const data of hard) {
      const text = JSON.stringify({ data });
      const headers = {
        authorization: 'Bearer all',
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
      };
      const { status } = await raw(test.url, 'POST', '/api/stories', headers, text);
      expect([Object.keys(data), status]).toEqual([Object.keys(data), 400]);
    }
    expect((await ask('/api/stories?filters[title][$regex]=(a%2B)%2B$', 'all')).status).toBe(400);
  });
});
