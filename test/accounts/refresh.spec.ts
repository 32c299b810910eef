/** R8, R16: refresh tokens detect reuse at any time, and concurrent sign-ins do not block each other. */
import { UsersModule } from 'nestjs-content-api/accounts';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { contentTypes, Outbox, usersOptions } from './helpers.ts';

interface Signed {
  readonly jwt: string;
  readonly refreshToken: string;
  readonly user: { readonly id: number };
}

describe.each(adaptersFor('fastify'))('refresh tokens on %s', (adapter) => {
  let test: TestApp;
  let n = 0;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes,
        access: { roles: { authenticated: { note: ['find'] } } },
        imports: [UsersModule.forRoot(usersOptions(new Outbox(), { refresh: true }))],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const post = (path: string, body: object) => test.http.post(`/api/auth/${path}`).send(body);
  const register = async (): Promise<Signed> => {
    n += 1;
    const person = { username: `user${n}`, email: `user${n}@example.com`, password: 'correct horse' };
    return (await post('local/register', person).expect(200)).body as Signed;
  };
  const signIn = () => post('local', { identifier: `user${n}`, password: 'correct horse' });
  const refresh = async (refreshToken: string) => {
    const { status, body } = await post('refresh', { refreshToken });
    return { status, token: body.refreshToken as string, jwt: body.jwt as string };
  };
  const me = async (jwt: string): Promise<number> =>
    (await test.http.get('/api/users/me').set('authorization', `Bearer ${jwt}`)).status;

  it.each([1, 2, 5])('R8: a token that is used again after %d uses ends the session', async (uses) => {
    const { refreshToken: stolen, jwt } = await register();
    let last = { status: 200, token: stolen, jwt };
    for (let i = 0; i < uses; i += 1) last = await refresh(last.token);
    expect(await me(last.jwt)).toBe(200);
    expect((await refresh(stolen)).status).toBe(401);
    expect([(await refresh(last.token)).status, await me(last.jwt), await me(jwt)]).toEqual([401, 401, 401]);
  });

  it('R8: a used token ends its own session and no other', async () => {
    const { refreshToken: stolen } = await register();
    const { body: other } = await signIn().expect(200);
    await refresh(stolen);
    expect((await refresh(stolen)).status).toBe(401);
    expect([await me(other.jwt), (await refresh(other.refreshToken)).status]).toEqual([200, 200]);
  });

  it('R8: a token that was never issued ends no session', async () => {
    const { refreshToken, jwt, user } = await register();
    const [, session = '', uses = '', signature = ''] = refreshToken.split('.');
    const stranger = await register();
    const strange = stranger.refreshToken.split('.');
    for (const forged of [
      `${user.id}.${session}.${uses}.${'A'.repeat(43)}`,
      `${user.id}.${session}.1.${signature}`,
      `${user.id}.${session}.00.${signature}`,
      `${user.id}.${session}.${uses}.${strange[3]}`,
      `${strange[0]}.${session}.${uses}.${signature}`,
      `${user.id}.${session}.${uses}`,
      `${refreshToken}x`,
      `${refreshToken} `,
      jwt,
    ])
      expect([forged, (await refresh(forged)).status]).toEqual([forged, 401]);
    expect((await refresh(refreshToken)).status).toBe(200);
  });

  it('R8: stores no usable token, and the number of rows does not grow', async () => {
    const { refreshToken, user } = await register();
    let token = refreshToken;
    for (let i = 0; i < 10; i += 1) ({ token } = await refresh(token));
    const [{ sessions } = {}] = await test.sql('select sessions from content_users where id = $1', [user.id]);
    expect(sessions).toEqual([
      {
        id: token.split('.')[1],
        uses: 10,
        state: expect.any(String),
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    ]);
  });

  it('R8: a session from before signed tokens is not an error, and its token is rejected', async () => {
    const { user, jwt } = await register();
    const old = {
      id: 'b7f8a6c2-0000-4000-8000-000000000000',
      hash: 'x',
      previous: null,
      state: 'x',
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2100-01-01T00:00:00.000Z',
    };
    await test.sql('update content_users set sessions = sessions || $2::jsonb where id = $1', [
      user.id,
      JSON.stringify([old]),
    ]);
    expect((await refresh(`${user.id}.${old.id}.secret`)).status).toBe(401);
    const { body } = await test.http
      .get('/api/auth/sessions')
      .set('authorization', `Bearer ${jwt}`)
      .expect(200);
    expect(body.data).toHaveLength(1);
    await signIn().expect(200);
  });

  it('R16: 30 concurrent sign-ins of one user create 30 sessions', async () => {
    const { user } = await register();
    const answers = await Promise.all(Array.from({ length: 30 }, () => signIn()));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(30).fill(200));
    const [{ sessions } = {}] = await test.sql('select sessions from content_users where id = $1', [user.id]);
    expect(sessions).toHaveLength(20);
    const kept = new Set((sessions as { id: string }[]).map(({ id }) => id));
    const refreshed = await Promise.all(answers.map(({ body }) => refresh(body.refreshToken)));
    expect(answers.map(({ body }) => (kept.has(body.refreshToken.split('.')[1]) ? 200 : 401))).toEqual(
      refreshed.map(({ status }) => status),
    );
  });
});
