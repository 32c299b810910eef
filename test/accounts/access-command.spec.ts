/** `npx nestjs-content-api access`: what a caller may do, and why not. */
import type { MikroORM } from '@mikro-orm/core';
import {
  CONTENT_ORM,
  ContentAccess,
  ContentModule,
  type ContentService,
  defineCollectionType,
  getContentToken,
} from 'nestjs-content-api';
import {
  ApiTokens,
  ApiTokensModule,
  apiTokenType,
  UsersModule,
  userTypes,
} from 'nestjs-content-api/accounts';
import { run } from '../../src/module/command-line.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { SECRET } from './helpers.ts';

const team = { type: 'relation', relation: 'manyToOne', target: 'team' } as const;
const OPTIONS = {
  contentTypes: [
    defineCollectionType({
      singularApiId: 'team',
      pluralApiId: 'teams',
      attributes: { name: { type: 'string' } },
    }),
    defineCollectionType({
      singularApiId: 'article',
      pluralApiId: 'articles',
      draftAndPublish: true,
      publishBy: 'right',
      owner: 'writer',
      attributes: { title: { type: 'string' }, writer: { type: 'string' }, team },
    }),
    ...userTypes({ team }),
    apiTokenType,
  ],
  access: {
    public: { article: [{ actions: ['find'], fields: ['title'] }] },
    roles: {
      editor: {
        article: [
          { actions: ['find'], where: { team: { documentId: '$CURRENT_USER.team' } } },
          { actions: ['create'], preset: { team: '$CURRENT_USER.team' } },
          { actions: ['delete'], own: true },
          'update',
        ],
      },
      closed: { article: [{ actions: ['find'], where: () => false as const }, 'readDrafts'] },
    },
  },
} as const;
const imports = () => [UsersModule.forRoot({ secret: SECRET }), ApiTokensModule];

export const AccessApp = {
  module: class AccessApp {},
  imports: [
    ContentModule.forRootAsync({
      contentTypes: OPTIONS.contentTypes,
      ownDatabase: true,
      useFactory: () => ({
        access: OPTIONS.access,
        database: { clientUrl: process.env['ACCESS_APP_DATABASE'] ?? '' },
      }),
    }),
    ...imports(),
  ],
};

describe('npx nestjs-content-api access', () => {
  let test: TestApp;
  let [user, red] = ['', ''];
  const service = (name: string) => test.app.get<ContentService>(getContentToken(name), { strict: false });
  beforeAll(async () => {
    test = await createTestApp({ ...OPTIONS, imports: imports() });
    process.env['ACCESS_APP_DATABASE'] = String(test.app.get<MikroORM>(CONTENT_ORM).config.get('clientUrl'));
    await test.http.get('/api/users/me');
    red = (await service('team').create({ name: 'red' })).documentId;
    const [role] = (await service('role').find({ filters: { type: 'editor' } })).data;
    const made = { username: 'ann', email: 'ann@example.org', role: role?.documentId, team: red };
    user = (await service('user').create(made)).documentId;
    await test.app.get(ApiTokens).create({ name: 'site', kind: 'read-only' });
  });
  afterAll(async () => {
    delete process.env['ACCESS_APP_DATABASE'];
    await test.close();
  });

  const access = (...args: string[]) =>
    run(['access', '--module', `${import.meta.filename}#AccessApp`, ...args], {
      env: {},
      say: () => undefined,
    });
  /** Lines of an action. */
  const linesOf = (text: string, action: string): string => {
    const lines = text.split('\n');
    const start = lines.findIndex((line) => line.trimStart().startsWith(`${action} `));
    const end = lines.findIndex((line, i) => i > start && !line.startsWith('     '));
    return lines
      .slice(start, end < 0 ? undefined : end)
      .join(' ')
      .replace(/\s+/g, ' ')
      .trim();
  };

  it('prints the conditions of a user with its values, and reasons of refusals', async () => {
    const text = await access('article', '--as', `user:${user}`);
    expect(text).toMatch(new RegExp(`^user:${user} on article\n`));
    expect(linesOf(text, 'find')).toBe(
      `find granted on some documents where {"team":{"documentId":"${red}"}} published versions only, without "readDrafts"`,
    );
    expect(linesOf(text, 'create')).toBe(
      `create granted all documents, preset {"team":"${red}"} stores the draft instead of publishing, without "publish"`,
    );
    expect(linesOf(text, 'update')).toBe(
      'update granted stores the draft instead of publishing, without "publish"',
    );
    expect(linesOf(text, 'delete')).toBe('delete granted on some documents own documents');
    expect(linesOf(text, 'findOne')).toBe('findOne denied no grant of "findOne" on "article"');
  });

  it('accepts a role, a token and the public, and prints all types without a type', async () => {
    const role = await access('article', '--as', 'role:editor');
    expect(linesOf(role, 'find')).toBe('find denied the caller has no attribute "team"');
    const closed = await access('article', '--as', 'role:closed');
    expect(linesOf(closed, 'find')).toContain('the condition returned false');
    expect(linesOf(closed, 'readDrafts')).toContain('needs "find" or "findOne" too');
    expect(linesOf(await access('article', '--as', 'token:site'), 'find')).toBe('find granted');
    const anonymous = await access('--as', 'public');
    expect(anonymous).toContain('public on team');
    expect(linesOf(anonymous.slice(anonymous.indexOf('public on article')), 'find')).toContain(
      'attributes: title',
    );
  });

  it.each([
    [['article', '--as', 'user:unknown'], 'There is no user "unknown": give its id or document id'],
    [['article', '--as', 'token:none'], 'There is no token "none"'],
    [['article', '--as', 'robot:x'], '--as needs'],
    [['article'], '--as needs'],
    [['artikle', '--as', 'public'], '"artikle" is not a content type; did you mean "article"?'],
  ])('%j is an error', async (args, message) => {
    await expect(access(...args)).rejects.toThrow(message);
  });

  it('no route returns an explanation; a service does', async () => {
    const explorer = test.app.get(ContentAccess, { strict: false });
    const caller = await explorer.callerOf({ kind: 'public', id: null, roles: ['public'] });
    const [find] = explorer.explain(caller, 'article');
    expect(find).toMatchObject({ action: 'find', documents: 'all', attributes: ['title'], conditions: [] });
    expect(() => explorer.explain(caller, 'nothing')).toThrow('"nothing" is not a content type');
  });
});
