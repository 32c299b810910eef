/** Responses that no cache stores: those of private routes, on both adapters. */
import { type AuthStrategy, type Credentials, defineCollectionType, type Identity } from 'nestjs-content-api';
import { ApiTokensModule, apiTokenType, UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { EventsModule, webhookType } from 'nestjs-content-api/events';
import { AuditModule, HistoryModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { SECRET } from '../accounts/helpers.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  history: true,
  attributes: { title: { type: 'string' } },
});
const ALL = { '*': '*', audit: ['open'], releases: ['open'] } as const;

class UserHeader implements AuthStrategy {
  readonly name = 'user-header';
  authenticate({ headers }: Credentials): Identity | null {
    const role = headers['x-role'];
    return typeof role === 'string' ? { kind: 'user', id: role, roles: [role] } : null;
  }
}

describe.each(ADAPTERS)('private routes on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [note, ...userTypes(), apiTokenType, webhookType],
        access: { public: { note: ['find'] }, roles: { all: ALL, none: {} } },
        auth: { strategies: [new UserHeader()] },
        imports: [
          UsersModule.forRoot({ secret: SECRET }),
          ApiTokensModule,
          HistoryModule.forRoot(),
          AuditModule.forRoot(),
          ReleasesModule.forRoot(),
          EventsModule.forRoot({ webhooks: {} }),
        ],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const send = async (method: string, path: string, data?: object, role = 'all') => {
    const response = await fetch(`${test.url}/api/${path}`, {
      method,
      headers: { 'x-role': role, 'content-type': 'application/json' },
      ...(data === undefined ? {} : { body: JSON.stringify(data) }),
    });
    return {
      status: response.status,
      stored: response.headers.get('cache-control'),
      body: (await response.json()) as any,
    };
  };

  it('16.7 have Cache-Control: no-store, with refusals and errors', async () => {
    const [first, second] = [
      (await send('POST', 'notes', { data: { title: 'one' } })).body.data.documentId,
      (await send('POST', 'notes', { data: { title: 'two' } })).body.data.documentId,
    ];
    await fetch(`${test.url}/api/notes/${second}`, { method: 'DELETE', headers: { 'x-role': 'all' } });
    const { data: release } = (await send('POST', 'releases', { data: { name: 'x' } })).body;
    const versions = `notes/${first}/versions`;
    const [{ id: version }] = (await send('GET', versions)).body.data;
    const routes: readonly (readonly [string, string, number, object?])[] = [
      ['GET', 'audit', 200],
      ['GET', 'releases', 200],
      ['GET', `releases/${release.id}`, 200],
      ['GET', 'releases/0', 404],
      ['POST', `releases/${release.id}/actions/publish`, 200, { data: { dryRun: true } }],
      ['POST', `releases/${release.id}/actions/undo`, 409, {}],
      ['GET', versions, 200],
      ['GET', `${versions}/${version}`, 200],
      ['GET', `${versions}/${version}/changes`, 200],
      ['POST', `${versions}/${version}/actions/restore`, 200, {}],
      ['GET', `${versions}?sort=other`, 400],
      ['GET', `${versions}/0`, 404],
      ['GET', 'notes/unknown/versions', 404],
      ['GET', 'notes/trash', 200],
      ['GET', 'notes/trash?filters[title]=two', 400],
      ['POST', `notes/${second}/actions/restore`, 200, {}],
      ['GET', 'users', 200],
      ['GET', 'users/count', 200],
      ['GET', 'users/me', 404],
      ['GET', 'users-permissions/roles', 200],
      ['GET', 'users-permissions/permissions', 200],
      ['GET', 'api-tokens', 200],
      ['GET', 'auth/sessions', 404],
      ['POST', 'auth/local', 400, { identifier: 'x', password: 'y' }],
      ['GET', 'webhooks', 200],
    ];
    for (const [method, path, expected, body] of routes) {
      const { status, stored } = await send(method, path, body);
      expect([path, status, stored]).toEqual([path, expected, 'no-store']);
    }
    const refusing = ['users', 'users-permissions/roles', 'api-tokens', 'webhooks', versions, 'notes/trash'];
    for (const path of ['audit', 'releases', ...refusing]) {
      const { status, stored } = await send('GET', path, undefined, 'none');
      expect([path, status, stored]).toEqual([path, 403, 'no-store']);
    }
    expect((await send('GET', 'notes')).stored).toBe('private, no-cache');
  });
});
