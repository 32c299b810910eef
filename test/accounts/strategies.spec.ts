import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { AuthStrategy, Credentials, Identity, PermissionsSource } from 'nestjs-content-api';
import { ContentAccess } from 'nestjs-content-api';
import { adaptersFor } from '../support/adapters.ts';
import { countStatements, createTestApp, type TestApp } from '../support/app.ts';
import { contentTypes } from './helpers.ts';

/** Signs in the user that a reverse proxy names in a header. */
class ProxyHeader implements AuthStrategy {
  readonly name = 'proxy-header';
  authenticate({ headers }: Credentials): Identity | null {
    const user = headers['x-remote-user'];
    return typeof user === 'string' ? { kind: 'user', id: user, roles: ['editor'] } : null;
  }
}

/** Guard of the application that runs first, such as one of Passport or of sessions. */
@Injectable()
class SessionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string>; user?: object }>();
    if (request.headers['x-session'] === 'known') request.user = { id: 7, groups: ['editor'] };
    return true;
  }
}

class HostUser implements AuthStrategy {
  readonly name = 'host-user';
  authenticate({ request }: Credentials): Identity | null {
    const { user } = request as { user?: { id: number; groups: string[] } };
    return user === undefined ? null : { kind: 'user', id: String(user.id), roles: user.groups };
  }
}

describe.each(adaptersFor('fastify'))('strategies of an application on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes,
        access: { public: { topic: ['find'] }, roles: { editor: { note: ['find'] } } },
        auth: { strategies: [new ProxyHeader(), new HostUser()] },
      },
      adapter,
      (app) => app.useGlobalGuards(new SessionGuard()),
    );
  });
  afterAll(() => test.close());
  const status = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
    (await test.http.get(`/api/${path}`).set(headers)).status;

  it('need a few lines', async () => {
    expect([
      await status('notes', { 'x-remote-user': 'ann' }),
      await status('notes', { 'x-session': 'known' }),
      await status('notes'),
    ]).toEqual([200, 200, 403]);
  });

  it('18.6 give only the permissions of their roles', async () => {
    expect([await status('topics'), await status('topics', { 'x-remote-user': 'ann' })]).toEqual([200, 403]);
  });

  it('18.3 reject an unknown bearer token', async () => {
    expect([
      await status('topics', { authorization: 'Bearer x' }),
      await status('notes', { authorization: 'Bearer x', 'x-remote-user': 'ann' }),
    ]).toEqual([401, 200]);
  });
});

describe('a source of grants', () => {
  class Table implements PermissionsSource {
    loads = 0;
    grants: Record<string, any> = {};
    broken = false;
    async load() {
      this.loads += 1;
      await new Promise((done) => setTimeout(done, 5));
      if (this.broken) throw new Error('the table is gone');
      return this.grants;
    }
  }
  const start = async (source: Table, maxAge?: number) =>
    createTestApp({
      contentTypes,
      access: {
        public: { topic: ['find'] },
        roles: { editor: { topic: ['find'] } },
        source,
        ...(maxAge === undefined ? {} : { maxAge }),
      },
      auth: { strategies: [new ProxyHeader()] },
    });
  const status = async (test: TestApp, path: string, user?: string): Promise<number> =>
    (await test.http.get(`/api/${path}`).set(user === undefined ? {} : { 'x-remote-user': user })).status;

  it('adds to the grants in code, for roles and for the public', async () => {
    const source = new Table();
    source.grants = { editor: { note: ['find'] }, public: { page: ['find'] } };
    const test = await start(source);
    expect([
      await status(test, 'notes', 'ann'),
      await status(test, 'topics', 'ann'),
      await status(test, 'notes'),
      await status(test, 'page'),
    ]).toEqual([200, 200, 403, 404]);
    await test.close();
  });

  it('is queried once per maxAge, for any number of requests', async () => {
    const source = new Table();
    const test = await start(source, 60_000);
    await Promise.all(Array.from({ length: 50 }, () => status(test, 'topics')));
    expect(source.loads).toBe(1);
    const seen = await countStatements(() => test.http.get('/api/topics').expect(200));
    expect(seen.filter((text) => !text.includes('"topics"'))).toEqual([]);
    await test.close();
  });

  it('18.13 changes apply after maxAge, or at once after a reset', async () => {
    const source = new Table();
    const test = await start(source, 60_000);
    expect(await status(test, 'notes')).toBe(403);
    source.grants = { public: { note: ['find'] } };
    expect(await status(test, 'notes')).toBe(403);
    test.app.get(ContentAccess).refresh();
    expect(await status(test, 'notes')).toBe(200);
    await test.close();
    const impatient = await start(source, 0);
    source.grants = {};
    expect(await status(impatient, 'notes')).toBe(403);
    source.grants = { public: { note: ['find'] } };
    expect(await status(impatient, 'notes')).toBe(200);
    await impatient.close();
  });

  it('that fails grants nothing, and is queried again', async () => {
    const source = new Table();
    source.broken = true;
    const test = await start(source);
    expect(await status(test, 'topics')).toBe(500);
    source.broken = false;
    expect(await status(test, 'topics')).toBe(200);
    await test.close();
  });
});

it.each<[string, object, string]>([
  [
    'a role',
    { roles: { editor: { nots: ['find'] } } },
    'access.roles.editor: "nots" is not a content type; did you mean "note"?',
  ],
  [
    'an action',
    { roles: { editor: { note: ['fnd'] } } },
    'access.roles.editor.note: "fnd" is not an action; did you mean "find"?',
  ],
  [
    'an attribute',
    { public: { note: [{ actions: ['find'], fields: ['titel'] }] } },
    'access.public.note: "titel" is not an attribute of note; did you mean "title"?',
  ],
  [
    'fields of every type',
    { public: { '*': [{ actions: ['find'], fields: ['title'] }] } },
    '"fields" needs a content type',
  ],
  ['the public among roles', { roles: { public: { note: ['find'] } } }, 'move these grants to access.public'],
  [
    'no grant at all',
    { public: { note: [{ action: 'find' }] } },
    'expected an action or { actions, fields, stages, tenant, own, where, preset }',
  ],
])('a grant with an error in %s stops the start', async (_name, access, message) => {
  await expect(createTestApp({ contentTypes, access: access })).rejects.toThrow(message);
});
