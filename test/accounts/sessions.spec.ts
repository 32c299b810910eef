import type { AuthStrategy } from 'nestjs-content-api';
import { UsersModule } from 'nestjs-content-api/accounts';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { contentTypes, Outbox, tokenIn, usersOptions } from './helpers.ts';

/** Takes the role from the header `X-Role`. */
const byRole: AuthStrategy = {
  name: 'role',
  vary: ['X-Role'],
  authenticate: ({ headers }) => {
    const role = headers['x-role'];
    return typeof role === 'string' ? { kind: 'user', id: role, roles: [role] } : null;
  },
};

describe.each(adaptersFor('fastify'))('sessions on %s', (adapter) => {
  let test: TestApp;
  let n = 0;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes,
        access: { roles: { authenticated: { note: ['find'] }, manager: { user: ['update'] } } },
        auth: { strategies: [byRole] },
        imports: [
          UsersModule.forRootAsync({ useFactory: () => usersOptions(new Outbox(), { refresh: true }) }),
        ],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const post = (path: string, body: object = {}, token?: string) => {
    const request = test.http.post(`/api/auth/${path}`);
    return (token === undefined ? request : request.set('authorization', `Bearer ${token}`)).send(body);
  };
  const notes = async (token: string): Promise<number> =>
    (await test.http.get('/api/notes').set('authorization', `Bearer ${token}`)).status;
  const register = async () => {
    n += 1;
    const { body } = await post('local/register', {
      username: `user${n}`,
      email: `user${n}@example.com`,
      password: 'correct horse',
    }).expect(200);
    return body as { jwt: string; refreshToken: string; user: Record<string, any> };
  };
  const signIn = async (identifier: string) =>
    (await post('local', { identifier, password: 'correct horse' }).expect(200)).body as {
      jwt: string;
      refreshToken: string;
    };
  const refresh = (refreshToken: unknown) => post('refresh', { refreshToken });

  it('19.12 sign-in returns a refresh token, which is valid once', async () => {
    const first = await register();
    expect(Object.keys(first).sort()).toEqual(['jwt', 'refreshToken', 'user']);
    const { body: second } = await refresh(first.refreshToken).expect(200);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect([await notes(first.jwt), await notes(second.jwt)]).toEqual([200, 200]);
    await refresh(second.refreshToken).expect(200);
  });

  it('a refresh token that is used again ends the session', async () => {
    const first = await register();
    const { body: second } = await refresh(first.refreshToken).expect(200);
    const { body } = await refresh(first.refreshToken).expect(401);
    expect(body.error).toMatchObject({ name: 'UnauthorizedError', message: 'Invalid refresh token' });
    await refresh(second.refreshToken).expect(401);
    expect(await notes(second.jwt)).toBe(401);
  });

  it('one of ten concurrent uses succeeds, or the session ends', async () => {
    const { refreshToken } = await register();
    const responses = await Promise.all(Array.from({ length: 10 }, () => refresh(refreshToken)));
    expect(responses.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(responses.every(({ status }) => status === 200 || status === 401)).toBe(true);
  });

  it.each([
    [undefined, 400, 'Missing refresh token'],
    [5, 400, 'Missing refresh token'],
    [{ $ne: '' }, 400, 'Missing refresh token'],
    ['x', 401, 'Invalid refresh token'],
    ['1.2.3', 401, 'Invalid refresh token'],
    ['99999999999.a.b', 401, 'Invalid refresh token'],
  ])('19.12 rejects %p', async (refreshToken, status, message) => {
    expect((await refresh(refreshToken).expect(status)).body.error.message).toBe(message);
  });

  it('19.12 sign-out ends this session at once, and no other', async () => {
    const one = await register();
    const two = await signIn(one.user['username']);
    const { body } = await test.http
      .get('/api/auth/sessions')
      .set('authorization', `Bearer ${two.jwt}`)
      .expect(200);
    expect(body.data).toEqual([
      {
        id: expect.any(String),
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        current: false,
      },
      { id: expect.any(String), createdAt: expect.any(String), expiresAt: expect.any(String), current: true },
    ]);
    expect((await post('logout', {}, one.jwt).expect(200)).body).toEqual({ ok: true });
    expect([await notes(one.jwt), await notes(two.jwt)]).toEqual([401, 200]);
    await refresh(one.refreshToken).expect(401);
    await post('logout').expect(403);
  });

  it('a changed password ends every session but the new one', async () => {
    const one = await register();
    const two = await signIn(one.user['username']);
    const { body } = await post(
      'change-password',
      { currentPassword: 'correct horse', password: 'new password', passwordConfirmation: 'new password' },
      one.jwt,
    ).expect(200);
    expect([await notes(one.jwt), await notes(two.jwt), await notes(body.jwt)]).toEqual([401, 401, 200]);
    await refresh(two.refreshToken).expect(401);
    await refresh(body.refreshToken).expect(200);
  });

  it('19.12 the list has no session from before a password that an administrator has set', async () => {
    const { user } = await register();
    await test.http
      .put(`/api/users/${user['id']}`)
      .set('X-Role', 'manager')
      .send({ password: 'new password' })
      .expect(200);
    const credentials = { identifier: user['username'], password: 'new password' };
    const { body } = await post('local', credentials).expect(200);
    const sessions = await test.http.get('/api/auth/sessions').set('authorization', `Bearer ${body.jwt}`);
    expect(sessions.body.data).toEqual([expect.objectContaining({ current: true })]);
  });

  it('a blocked or deleted user has no session', async () => {
    const [blocked, removed] = [await register(), await register()];
    await test.sql('update content_users set blocked = true where id = $1', [blocked.user['id']]);
    await test.sql('delete from content_users where id = $1', [removed.user['id']]);
    for (const { jwt, refreshToken } of [blocked, removed]) {
      expect(await notes(jwt)).toBe(401);
      await refresh(refreshToken).expect(401);
    }
  });

  it('a session expires', async () => {
    const { user, jwt, refreshToken } = await register();
    await test.sql(
      `update content_users set sessions = jsonb_set(sessions, '{0,expiresAt}', '"2020-01-01T00:00:00.000Z"') where id = $1`,
      [user['id']],
    );
    expect(await notes(jwt)).toBe(401);
    await refresh(refreshToken).expect(401);
  });
});

describe.each(adaptersFor('fastify'))('confirmation of addresses on %s', (adapter) => {
  let test: TestApp;
  const outbox = new Outbox();
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes,
        imports: [
          UsersModule.forRoot(
            usersOptions(outbox, {
              register: { confirm: true },
              rateLimit: { perAddress: 100, perIdentifier: 3, seconds: 60 },
            }),
          ),
        ],
      },
      adapter,
    );
  });
  afterAll(() => test.close());
  const post = (path: string, body: object = {}) => test.http.post(`/api/auth/${path}`).send(body);
  const person = { username: 'person', email: 'person@example.com', password: 'correct horse' };

  it('19.6 19.4 19.11 is required before sign-in', async () => {
    const mail = outbox.next();
    const { body } = await post('local/register', person).expect(200);
    expect(Object.keys(body)).toEqual(['user']);
    expect(body.user).toMatchObject({ confirmed: false });
    const refused = await post('local', { identifier: 'person', password: person.password }).expect(400);
    expect(refused.body.error).toMatchObject({
      name: 'ApplicationError',
      message: 'Your account email is not confirmed',
    });
    const sent = await mail;
    expect(sent.text).toContain('https://api.example/api/auth/email-confirmation?confirmation=');
    const again = outbox.next();
    expect((await post('send-email-confirmation', { email: person.email }).expect(200)).body).toEqual({
      email: person.email,
      sent: true,
    });
    const later = await again;
    await test.http.get(`/api/auth/email-confirmation?confirmation=${tokenIn(sent)}`).expect(400);
    const { headers } = await test.http
      .get(`/api/auth/email-confirmation?confirmation=${tokenIn(later)}`)
      .expect(302);
    expect(headers['location']).toBe('https://front.example/welcome');
    await post('local', { identifier: 'person', password: person.password }).expect(200);
    expect(
      (await post('send-email-confirmation', { email: person.email }).expect(400)).body.error.message,
    ).toBe('Already confirmed');
    for (const query of ['', '?confirmation=', '?confirmation=x', '?confirmation[a]=b']) {
      expect(
        (await test.http.get(`/api/auth/email-confirmation${query}`).expect(400)).body.error.message,
      ).toBe('Invalid token');
    }
  });

  it('19.12 without refresh tokens their routes do not exist', async () => {
    for (const path of ['refresh', 'logout']) await post(path).expect(404);
    await test.http.get('/api/auth/sessions').expect(404);
  });

  it('19.13 rejects too many attempts for one user', async () => {
    const tries = [];
    for (let i = 0; i < 5; i += 1)
      tries.push(
        (await post('local', { identifier: i % 2 === 0 ? 'victim' : ' VICTIM ', password: 'x' })).status,
      );
    expect(tries).toEqual([400, 400, 400, 429, 429]);
    const { body } = await post('local', { identifier: 'victim', password: 'x' }).expect(429);
    expect(body.error).toMatchObject({
      status: 429,
      name: 'RateLimitError',
      message: 'Too many requests, please try again later.',
    });
  });
});

it.each([
  ['a short secret', { secret: 'short' }],
  ['no secret', { secret: undefined as never }],
  ['an empty list', { secret: [] }],
])('the module does not start with %s', async (_name, options) => {
  await expect(createTestApp({ contentTypes, imports: [UsersModule.forRoot(options)] })).rejects.toThrow(
    'UsersModule: secret must be a string of at least 32 bytes',
  );
});

it.each([
  { resetPasswordUrl: '/reset' },
  { resetPasswordUrl: 'localhost:3000/reset' },
  { apiUrl: 'api.example.org' },
])('the module does not start with %j, which no mail could link to', async (given) => {
  const [[name = '']] = Object.entries(given) as [[string, string]];
  const imports = [UsersModule.forRoot(usersOptions(new Outbox(), given))];
  await expect(createTestApp({ contentTypes, imports })).rejects.toThrow(
    `UsersModule: ${name} must be an http(s) URL`,
  );
});

it('a secret can be replaced', async () => {
  const [old, next] = ['o'.repeat(32), 'n'.repeat(32)];
  const start = (secret: string[]) =>
    createTestApp({
      contentTypes,
      imports: [UsersModule.forRoot({ ...usersOptions(new Outbox()), secret })],
    });
  const [before, after] = [await start([old]), await start([next, old])];
  const responses = await Promise.all(
    [before, after].map((test) =>
      test.http
        .post('/api/auth/local/register')
        .send({ username: 'same', email: 'same@example.com', password: 'correct horse' }),
    ),
  );
  const [issued] = responses.map(({ body }) => body.jwt as string);
  // The same account in both databases also needs the same password hash.
  const [{ password } = {}] = await before.sql('select password from content_users');
  await after.sql('update content_users set password = $1', [password]);
  await after.http.get('/api/users/me').set('authorization', `Bearer ${issued}`).expect(200);
  await before.close();
  await after.close();
});
