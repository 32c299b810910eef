/** Random requests to all described routes: no response is a 500, and each is as the document describes it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuthStrategy,
  type Credentials,
  defineCollectionType,
  defineSingleType,
  type Identity,
} from 'nestjs-content-api';
import { ApiTokensModule, apiTokenType, UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { DeskModule } from 'nestjs-content-api/desk';
import { EventsModule, webhookType } from 'nestjs-content-api/events';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { AuditModule, HistoryModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import type { ContentDocument } from '../../src/content/openapi/document.ts';
import { Outbox, usersOptions } from '../accounts/helpers.ts';
import { Dice } from '../evolution/pairs/dice.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { bodyOf, DescriptionOracle } from './oracle.ts';
import { type RandomRequest, RandomRequests } from './random-requests.ts';

/** Requests of a run. Other seeds and more requests: set both in the environment. */
const REQUESTS = Number(process.env.EXCHANGES ?? 600);
const SEED = Number(process.env.EXCHANGES_SEED ?? 1);

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  localized: true,
  history: true,
  actions: true,
  attributes: {
    title: { type: 'string', required: true, localized: true },
    slug: { type: 'uid', targetField: 'title' },
    views: { type: 'integer' },
    moment: { type: 'datetime' },
    meta: { type: 'json' },
    picture: { type: 'media' },
    next: { type: 'relation', relation: 'manyToOne', target: 'page' },
  },
});
const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  history: true,
  authors: true,
  attributes: {
    text: { type: 'text' },
    pages: { type: 'relation', relation: 'manyToMany', target: 'page' },
  },
});
const home = defineSingleType({
  singularApiId: 'home',
  draftAndPublish: true,
  history: true,
  actions: true,
  attributes: { lead: { type: 'string' } },
});

class ByHeader implements AuthStrategy {
  readonly name = 'header';
  authenticate({ headers }: Credentials): Identity | null {
    return headers['x-role'] === 'chief' ? { kind: 'user', id: 'chief', roles: ['chief'] } : null;
  }
}
const CHIEF = { 'x-role': 'chief' };
/** Streams have no end. */
const ENDLESS = /^\/api\/live/;

describe.each(ADAPTERS)('all described routes on %s', (adapter) => {
  let test: TestApp;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'exchanges-'));
    test = await createTestApp(
      {
        contentTypes: [page, note, home, ...userTypes(), apiTokenType, webhookType],
        locales: ['en', 'de'],
        auth: { strategies: [new ByHeader()] },
        access: {
          public: { page: ['find'] },
          roles: { chief: { '*': '*', desk: '*', releases: '*', audit: '*' } },
        },
        imports: [
          UsersModule.forRoot({ ...usersOptions(new Outbox()), rateLimit: false }),
          ApiTokensModule,
          EventsModule.forRoot({ live: { secret: 'a secret of the live streams'.repeat(2) } }),
          HistoryModule.forRoot(),
          AuditModule.forRoot(),
          ReleasesModule.forRoot(),
          FilesModule.forRoot({ storage: new LocalStorage(folder), images: null }),
          DeskModule.forRoot(),
        ],
      },
      adapter,
    );
  });
  afterAll(async () => {
    await test.close();
    await rm(folder, { recursive: true });
  });

  const send = async ({ method, path, headers, body }: Omit<RandomRequest, 'template'>) => {
    const response = await fetch(`${test.url}${path}`, {
      method,
      headers: { ...headers, ...CHIEF },
      body: body ?? null,
    });
    return { status: response.status, body: bodyOf(await response.text()) };
  };
  const get = (path: string) => send({ method: 'GET', path, headers: {}, body: undefined });

  it('20.7, 25.2, 25.4, 26.4, 27.2: have all parameters of files, stored versions, releases and the audit log', async () => {
    const namesAt = async (path: string, method = 'get', headers = {}): Promise<string[]> => {
      const request = { method: 'GET', path: '/api/openapi.json', headers, body: undefined };
      const { paths, components } = (await send(request)).body as ContentDocument;
      return (paths[path]?.[method]?.parameters ?? []).map((one) => {
        if (!('$ref' in one)) return one.name;
        const shared = components.parameters?.[String(one.$ref).split('/').at(-1) ?? ''];
        return shared !== undefined && 'name' in shared ? shared.name : '';
      });
    };
    const one = '/api/pages/{documentId}';
    const versions = ['documentId', 'locale', 'status', 'pagination'];
    expect(await namesAt(`${one}/versions`)).toEqual(versions);
    expect(await namesAt('/api/pages/trash')).toEqual(versions);
    expect(await namesAt('/api/notes/{documentId}/versions')).not.toContain('status');
    expect(await namesAt(`${one}/versions/{version}/changes`)).toEqual(['documentId', 'version', 'with']);
    for (const list of ['releases', 'audit'])
      expect(await namesAt(`/api/${list}`)).toEqual(['filters', 'sort', 'pagination']);
    for (const files of ['files', 'files/page'])
      expect(await namesAt(`/api/upload/${files}`)).toEqual(
        expect.arrayContaining(['fields', 'populate', 'filters', 'sort', 'folder']),
      );
    expect(await namesAt('/api/upload/files/{id}')).toEqual([
      ...['id', 'fields', 'populate', 'filters'],
      'If-None-Match',
    ]);
    const v4 = { 'strapi-response-format': 'v4' };
    for (const restored of [`${one}/actions/restore`, `${one}/versions/{version}/actions/restore`])
      expect(await namesAt(restored, 'post', v4)).toEqual(
        expect.arrayContaining(['fields', 'populate', 'Strapi-Response-Format', 'If-None-Match']),
      );
  });

  it('respond as the document describes, and never with a 500', async () => {
    const { paths, ...document } = (await get('/api/openapi.json')).body as ContentDocument;
    const ending = Object.fromEntries(Object.entries(paths).filter(([path]) => !ENDLESS.test(path)));
    const requests = new RandomRequests({ ...document, paths: ending }, new Dice(SEED));
    const oracle = new DescriptionOracle(get, ['x-role']);
    const problems: string[] = [];
    for (let i = 0; i < REQUESTS; i += 1) {
      const request = requests.next();
      const { status, body } = await send(request);
      requests.learn(request.template, body);
      const text = `${request.method} ${request.path} ${JSON.stringify(request.body)}`.slice(0, 1000);
      if (status >= 500) problems.push(`${status}: ${text}`);
      const problem = await oracle.problem({ ...request, headers: CHIEF, status, body });
      if (problem !== null) problems.push(`${problem}: ${text}`);
    }
    expect(problems).toEqual([]);
    expect(oracle.counts.bodies).toBeGreaterThan(REQUESTS / 2);
  });
});
