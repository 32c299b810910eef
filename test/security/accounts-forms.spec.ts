/** R3: requests that another site sends from a user's browser, with the user's cookies, write nothing. */
import type { INestApplication } from '@nestjs/common';
import type { AuthStrategy, Credentials, Identity } from 'nestjs-content-api';
import { raw, snapshot } from '../http/helpers.ts';
import { type Adapter, ADAPTERS } from '../support/app.ts';
import { type AccountsWorld, startAccounts } from './accounts-world.ts';

const EVIL = 'https://evil.example';

/** Strategy of an application that signs in with a cookie. */
class SessionCookie implements AuthStrategy {
  readonly name = 'session-cookie';

  authenticate({ headers }: Credentials): Identity | null {
    return headers['cookie'] === 'session=admin' ? { kind: 'user', id: 'admin', roles: ['admin'] } : null;
  }
}

interface Route {
  readonly method: string;
  readonly path: string;
}

interface ExpressRouter {
  readonly stack: readonly {
    readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  }[];
}

const WRITING = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** Starts the accounts and records every route of the framework's router. */
async function start(adapter: Adapter): Promise<{ world: AccountsWorld; routes: Route[] }> {
  const routes: Route[] = [];
  const note = (method: string, path: string): void => void routes.push({ method, path });
  const listen = (app: INestApplication): void => {
    if (adapter === 'fastify')
      app
        .getHttpAdapter()
        .getInstance()
        .addHook('onRoute', ({ method, url }: { method: string | string[]; url: string }) =>
          [method].flat().forEach((one) => note(one, url)),
        );
  };
  const world = await startAccounts(
    adapter,
    { refresh: true },
    {
      access: {
        public: { note: ['find'] },
        roles: { admin: { '*': '*', note: '*', user: '*', role: '*', page: '*', topic: '*' } },
      },
      auth: { strategies: [new SessionCookie()] },
    },
    listen,
  );
  if (adapter === 'express') {
    const { stack } = world.app.getHttpAdapter().getInstance().router as ExpressRouter;
    for (const { route } of stack)
      for (const method of Object.keys(route?.methods ?? {})) note(method.toUpperCase(), route?.path ?? '');
  }
  return { world, routes: routes.filter(({ method }) => WRITING.includes(method)) };
}

describe.each(ADAPTERS)('on %s', (adapter) => {
  let world: AccountsWorld;
  let routes: Route[];
  let ids: Readonly<Record<string, string>>;
  beforeAll(async () => {
    ({ world, routes } = await start(adapter));
    const { user } = await world.register();
    ids = { users: String(user['id']), roles: '1' };
  });
  afterAll(() => world.close());

  const pathOf = ({ path }: Route): string =>
    path.replace(/:\w+/, () => ids[path.split('/').at(-2) ?? ''] ?? 'unknown');
  const send = async (
    { method, path }: Route,
    type: string | undefined,
    body: string,
    headers: Record<string, string> = {},
  ) => {
    const typed: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const { status, text } = await raw(
      world.url,
      method,
      path,
      { cookie: 'session=admin', origin: EVIL, 'content-length': String(body.length), ...typed, ...headers },
      body,
    );
    return { status, body: text === '' ? null : JSON.parse(text) };
  };

  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'name=x&permissions[a]=b&data[title]=x&identifier=a'],
    ['plain text', 'text/plain', '{"name":"x","data":{"title":"x"}}'],
    [
      'a form with files',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nx\r\n--x--\r\n',
    ],
    ['JSON without a type', undefined, '{"name":"x","data":{"title":"x"}}'],
    ['a type that only begins like JSON', 'application/jsonp', '{"name":"x","data":{"title":"x"}}'],
    ['JSON as the second type', 'text/plain; application/json', '{"name":"x","data":{"title":"x"}}'],
  ])('R3: %s returns 415 on every route that writes, and changes nothing', async (_name, type, body) => {
    const before = await snapshot(world);
    const paths = [...new Set(routes.map((route) => `${route.method} ${route.path.replace(/\/$/, '')}`))];
    // The list comes from the router, so that it includes new routes: content, users, roles and sign-in.
    expect(paths.length).toBeGreaterThan(20);
    const answers = await Promise.all(
      routes.map(async (route) => {
        const answer = await send({ ...route, path: pathOf(route) }, type, body);
        return [`${route.method} ${route.path}`, answer.status, answer.body?.error?.name];
      }),
    );
    const refused = answers.filter(([, status]) => status !== 405);
    expect(refused).toEqual(refused.map(([route]) => [route, 415, 'UnsupportedMediaTypeError']));
    for (const wanted of [
      'POST /api/users',
      'PUT /api/users/:id',
      'DELETE /api/users/:id',
      'POST /api/users-permissions/roles',
      'PUT /api/users-permissions/roles/:id',
      'DELETE /api/users-permissions/roles/:id',
      'POST /api/auth/local',
      'POST /api/auth/local/register',
      'POST /api/auth/refresh',
      'POST /api/notes',
      'PUT /api/notes/:documentId',
      'PUT /api/page',
    ])
      expect(refused.map(([route]) => route)).toContain(wanted);
    expect(await snapshot(world)).toEqual(before);
  });

  it.each(['null', '1', '"x"'])('1.13: the JSON %s returns 400 on every route that writes', async (body) => {
    const before = await snapshot(world);
    const answers = await Promise.all(
      routes.map(async (route) => {
        const answer = await send({ ...route, path: pathOf(route) }, 'application/json', body);
        return [`${route.method} ${route.path}`, answer.status, answer.body?.error?.name];
      }),
    );
    const refused = answers.filter(([, status]) => status !== 405);
    expect(refused).toEqual(refused.map(([route]) => [route, 400, 'SyntaxError']));
    expect(await snapshot(world)).toEqual(before);
  });

  it('R3: a form of another site creates no administrator in an application that signs in with a cookie', async () => {
    const [{ id: role } = {}] = await world.sql(`select id from content_roles where type = 'admin'`);
    const fields = {
      username: 'mallory',
      email: 'mallory@example.com',
      password: '123456',
      confirmed: 'true',
      role: String(role),
    };
    const form = new URLSearchParams(fields).toString();
    const users = { method: 'POST', path: '/api/users' };
    const forged = await send(users, 'application/x-www-form-urlencoded', form);
    expect(forged).toEqual({
      status: 415,
      body: {
        data: null,
        error: {
          status: 415,
          name: 'UnsupportedMediaTypeError',
          message: expect.any(String),
          details: expect.anything(),
        },
      },
    });
    expect(await world.sql(`select 1 from content_users where username = 'mallory'`)).toEqual([]);
    // The same request from the application's own pages.
    expect((await send(users, 'application/json', JSON.stringify(fields))).status).toBe(201);
  });

  it('R3: accepts a chunked body, and requests without body and type', async () => {
    const chunked = { cookie: 'session=admin', 'transfer-encoding': 'chunked' };
    for (const path of ['/api/users', '/api/topics'])
      expect((await raw(world.url, 'POST', path, chunked, '{"data":{}}')).status).toBe(415);
    const { user } = await world.register();
    const gone = await raw(world.url, 'DELETE', `/api/users/${user['id']}`, { cookie: 'session=admin' });
    expect(gone.status).toBe(200);
    const out = await raw(world.url, 'POST', '/api/auth/logout', { cookie: 'session=admin' });
    expect(out.status).toBe(401);
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    'R3: accepts %s as JSON',
    async (type) => {
      const body = '{"data":{"name":"mine"}}';
      expect((await send({ method: 'POST', path: '/api/topics' }, type, body)).status).toBe(201);
    },
  );
});
