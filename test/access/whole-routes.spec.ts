/** Routes of roles, tokens and webhooks know no attributes: a grant on some attributes gives nothing there. */
import { type AuthStrategy, type Credentials, type Grants, type Identity } from 'nestjs-content-api';
import { ApiTokensModule, apiTokenType, UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { EventsModule, webhookType } from 'nestjs-content-api/events';
import { SECRET } from '../accounts/helpers.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const SOME: Grants[string] = [{ actions: ['find', 'findOne', 'create', 'update'], fields: ['name'] }];
const ROLES = {
  chief: { '*': '*' },
  namer: {
    role: SOME,
    'api-token': SOME,
    webhook: SOME,
    user: [{ actions: ['find'], fields: ['username'] }],
  },
} as const satisfies Readonly<Record<string, Grants>>;

class Names implements AuthStrategy {
  readonly name = 'names';
  authenticate({ headers }: Credentials): Identity | null {
    const role = headers['x-role'];
    return typeof role === 'string' ? { kind: 'user', id: role, roles: [role] } : null;
  }
}

describe('a grant on some attributes of roles, tokens and webhooks', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [...userTypes(), apiTokenType, webhookType],
      auth: { strategies: [new Names()] },
      access: { roles: ROLES },
      imports: [
        UsersModule.forRoot({ secret: SECRET, rateLimit: false }),
        ApiTokensModule,
        EventsModule.forRoot(),
      ],
    });
  });
  afterAll(() => test.close());

  const send = async (
    role: keyof typeof ROLES,
    method: 'get' | 'post' | 'put',
    path: string,
    body?: object,
  ): Promise<{ status: number; body: any }> => test.http[method](path).set('X-Role', role).send(body);

  it('19.20 does not change the grants of a role, or create one', async () => {
    const { body } = await send('chief', 'get', '/api/users-permissions/roles');
    const id = body.roles.find(({ type }: { type: string }) => type === 'namer').documentId as string;
    const path = `/api/users-permissions/roles/${id}`;
    const permissions = {
      'plugin::users-permissions': { controllers: { user: { delete: { enabled: true } } } },
    };
    expect((await send('namer', 'put', path, { permissions })).status).toBe(403);
    const { status } = await send('namer', 'post', '/api/users-permissions/roles', {
      name: 'n',
      permissions,
    });
    expect(status).toBe(403);
    const { role } = (await send('chief', 'get', path)).body;
    expect(role.permissions['plugin::users-permissions'].controllers.user.delete.enabled).toBe(false);
  });

  it('18.15, 21.10 does not move a webhook to another server, or create a token', async () => {
    const data = { name: 'site', url: 'https://www.example.org/hook', role: 'public' };
    const { body } = await send('chief', 'post', '/api/webhooks', { data });
    const path = `/api/webhooks/${body.data.id}`;
    const url = 'https://elsewhere.example.org/';
    expect((await send('namer', 'put', path, { data: { url } })).status).toBe(403);
    expect((await send('chief', 'get', path)).body.data.url).toBe(data.url);
    const token = { name: 't', kind: 'custom', grants: {} };
    expect((await send('namer', 'post', '/api/api-tokens', { data: token })).status).toBe(403);
  });

  it('does not show them, and OpenAPI describes no such route; users are shown with these attributes', async () => {
    for (const path of ['users-permissions/roles', 'api-tokens', 'webhooks'])
      expect((await send('namer', 'get', `/api/${path}`)).status).toBe(403);
    const { body } = await send('namer', 'get', '/api/openapi.json');
    expect(Object.keys(body.paths).filter((path) => /roles|tokens|webhooks/.test(path))).toEqual([]);
    expect((await send('namer', 'get', '/api/users')).status).toBe(200);
  });
});
