/** S17–S20: known vulnerabilities of other servers in rate limits and tokens. */
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import { SECRET } from '../accounts/helpers.ts';
import { raw } from '../http/helpers.ts';
import { ADAPTERS } from '../support/app.ts';
import {
  type AccountsWorld,
  closedAfterEach,
  PASSWORD,
  startAccounts,
  type WorldOptions,
} from './accounts-world.ts';

const TOO_MANY = {
  data: null,
  error: {
    status: 429,
    name: 'RateLimitError',
    message: 'Too many requests, please try again later.',
    details: expect.anything(),
  },
};

describe.each(ADAPTERS)('on %s', (adapter) => {
  let world: AccountsWorld;
  beforeAll(async () => {
    world = await startAccounts(adapter);
  });
  afterAll(() => world.close());

  const keep = closedAfterEach();
  const another = (...rest: WorldOptions): Promise<AccountsWorld> => keep(startAccounts(adapter, ...rest));

  describe('S17', () => {
    const start = (prepare?: Parameters<typeof startAccounts>[3]) =>
      another({ rateLimit: { perAddress: 5, perIdentifier: 3, seconds: 60 }, refresh: true }, {}, prepare);
    let n = 0;
    /** Returns an unused email address. */
    const fresh = (): string => `fresh${(n += 1)}@example.com`;
    const ROUTES: readonly (readonly [string, () => object])[] = [
      ['/auth/local', () => ({ identifier: fresh(), password: 'x' })],
      ['/auth/local/register', () => ({ username: 'x', email: fresh(), password: 'x' })],
      ['/auth/forgot-password', () => ({ email: fresh() })],
      [
        '/auth/reset-password',
        () => ({ code: fresh(), password: 'new password', passwordConfirmation: 'new password' }),
      ],
      ['/auth/change-password', () => ({})],
      ['/auth/send-email-confirmation', () => ({ email: fresh() })],
      ['/auth/refresh', () => ({ refreshToken: fresh() })],
    ];

    it('S17 every route of sign-in counts by address, for every spelling of the request', async () => {
      const own = await start();
      const spell = (path: string): string[] => [
        ...Array<string>(5).fill(path),
        `${path}/`,
        `${path}?a=${n}`,
        `${path}/?x`,
        path.toUpperCase(),
        path.replace('auth', 'Auth'),
        path.replace('auth', '%61uth'),
        path.replace('/auth', '//auth'),
        `${path}//`,
        `${path}%2f`,
        `${path};a=1`,
        `${path}.`,
        `${path}%20`,
        path.replace('/auth', '/./auth'),
        path.replace('/auth', '/x/../auth'),
      ];
      const headers: readonly Record<string, string>[] = [
        { 'x-forwarded-for': '1.2.3.4' },
        { 'x-forwarded-for': '5.6.7.8, 9.9.9.9' },
        { 'x-real-ip': '1.2.3.5' },
        { forwarded: 'for=1.2.3.6' },
        { 'cf-connecting-ip': '1.2.3.7' },
        { 'true-client-ip': '1.2.3.8' },
        { 'x-client-ip': '1.2.3.9' },
        { 'user-agent': 'another' },
        { host: 'another.example' },
        { cookie: 'a=b' },
        { 'content-type': 'application/json; charset=UTF-8' },
      ];
      for (const [path, body] of ROUTES) {
        const raws = [
          ...spell(path).map((spelled) => ({ path: spelled, more: {} })),
          ...headers.map((more) => ({ path, more })),
        ];
        const statuses: number[] = [];
        for (const { path: spelled, more } of raws) {
          const answer = await raw(
            own.url,
            'POST',
            `/api${spelled}`,
            { host: 'x', 'content-type': 'application/json', ...more },
            JSON.stringify(body()),
          );
          if (answer.status === 429) expect(JSON.parse(answer.text)).toEqual(TOO_MANY);
          statuses.push(answer.status);
        }
        // Unknown routes return 404; everything else counts, in every spelling.
        const counted = statuses.filter((status) => status !== 404);
        expect([
          path,
          counted.slice(0, 5).includes(429),
          counted.length >= 5 + 3 + headers.length,
          new Set(counted.slice(5)),
        ]).toEqual([path, false, true, new Set([429])]);
      }
      const confirmations = await Promise.all(
        Array.from({ length: 12 }, (_, i) => own.get(`/auth/email-confirmation?confirmation=${i}`)),
      );
      expect(confirmations.filter(({ status }) => status === 429)).toHaveLength(7);
    });

    it('S17 every route of sign-in counts by identifier, whatever else the body contains', async () => {
      // Addresses differ here, so that only the identifier is equal.
      const trust =
        adapter === 'express'
          ? (app: { getHttpAdapter(): { getInstance(): { set(name: string, value: unknown): void } } }) =>
              app.getHttpAdapter().getInstance().set('trust proxy', true)
          : undefined;
      const own = await start(trust as never);
      const victim = 'Victim@Example.com';
      const same = [victim, 'victim@example.com', ' VICTIM@example.com ', 'victim@EXAMPLE.com\t', victim];
      const first = ROUTES.map(
        ([path, body]) =>
          [path, body, Object.keys(body())[path === '/auth/local/register' ? 1 : 0] as string] as const,
      ).filter(([path]) => !['/auth/change-password', '/auth/refresh'].includes(path));
      for (const [path, body, key] of first) {
        const statuses: number[] = [];
        for (const [i, identifier] of [...same, ...same].entries()) {
          const extra = {
            email: fresh(),
            username: fresh(),
            identifier: fresh(),
            ip: fresh(),
            [key]: identifier,
          };
          const answer = await own.send('post', path, {
            body: { ...body(), ...extra },
            headers: { 'x-forwarded-for': `10.0.0.${i % same.length}` },
          });
          if (answer.status === 429) expect(answer.body).toEqual(TOO_MANY);
          statuses.push(answer.status);
        }
        // The first request of a new address is accepted, and further ones are not.
        const late = statuses.slice(3, 5).map((status) => status === 429);
        const first = adapter === 'express' ? [false, false] : [true, true];
        expect([path, statuses.slice(0, 3).includes(429), late]).toEqual([path, false, first]);
        expect([path, statuses.slice(5)]).toEqual([path, Array<number>(5).fill(429)]);
        // Another route and another identifier have separate counts.
        expect(
          (await own.send('post', path, { body: body(), headers: { 'x-forwarded-for': '10.0.1.1' } })).status,
        ).toBe(
          adapter === 'express'
            ? path.endsWith('forgot-password') || path.includes('send-email')
              ? 200
              : 400
            : 429,
        );
      }
    });
  });

  describe.each([
    ['without refresh tokens', {}],
    ['with refresh tokens', { refresh: true }],
  ] as const)('S18 %s', (_name, more) => {
    let own: AccountsWorld;
    beforeAll(async () => {
      own = await startAccounts(adapter, more);
    });
    afterAll(() => own.close());
    const refresh = (refreshToken: string) => own.post('/auth/refresh', { refreshToken });

    /** Works before `end` and is rejected after it: the token, and the refresh token if there is one. */
    const voidAfter = async (
      end: (signed: Awaited<ReturnType<AccountsWorld['register']>>) => Promise<unknown>,
    ): Promise<void> => {
      const signed = await own.register();
      const second = (await own.signIn(signed.user)).body as typeof signed;
      for (const { jwt } of [signed, second]) expect((await own.get('/users/me', jwt)).status).toBe(200);
      await end(signed);
      for (const { jwt, refreshToken } of [signed, second]) {
        for (const path of [
          '/users/me',
          '/notes',
          '/topics',
          '/users-permissions/permissions',
          '/auth/sessions',
        ])
          expect([path, (await own.get(path, jwt)).status]).toEqual([path, 401]);
        expect(
          (
            await own.post(
              '/auth/change-password',
              { currentPassword: PASSWORD, password: 'new password', passwordConfirmation: 'new password' },
              jwt,
            )
          ).status,
        ).toBe(401);
        if (refreshToken !== undefined) expect((await refresh(refreshToken)).status).toBe(401);
      }
    };
    const update = async (id: unknown, body: object) => {
      const { jwt } = await own.withRole('manager');
      expect((await own.put(`/users/${String(id)}`, body, jwt)).status).toBe(200);
    };

    it('S18 tokens end with a change of password', () =>
      voidAfter(async ({ jwt }) =>
        own.post(
          '/auth/change-password',
          { currentPassword: PASSWORD, password: 'new password', passwordConfirmation: 'new password' },
          jwt,
        ),
      ));
    it('S18 tokens end with a reset', () =>
      voidAfter(async ({ user }) =>
        own.post('/auth/reset-password', {
          code: await own.resetCode(user['email']),
          password: 'new password',
          passwordConfirmation: 'new password',
        }),
      ));
    it('S18 tokens end with a password that another user sets', () =>
      voidAfter(({ user }) => update(user['id'], { password: 'new password' })));
    it('S18 tokens end with a block', () => voidAfter(({ user }) => update(user['id'], { blocked: true })));
    it('S18 tokens end with a block in the database', () =>
      voidAfter(({ user }) =>
        own.sql('update content_users set blocked = true where id = $1', [user['id']]),
      ));
    it('S18 tokens end with their user', () =>
      voidAfter(async ({ user }) =>
        own.send('delete', `/users/${user['id']}`, { token: (await own.withRole('manager')).jwt }),
      ));
    it('S18 tokens stay invalid when the block is lifted', () =>
      voidAfter(async ({ user }) => {
        await update(user['id'], { blocked: true });
        await update(user['id'], { blocked: false });
        expect((await own.signIn(user)).status).toBe(200);
      }));
    it.each(['true', 1, '1'])('S18 tokens stay invalid when the block was spelled %j', (blocked) =>
      voidAfter(async ({ user }) => {
        await update(user['id'], { blocked });
        await update(user['id'], { blocked: false });
      }),
    );

    it('S18 a blocked user is rejected at once, and cannot sign in', async () => {
      const { user, jwt } = await own.register();
      await own.sql('update content_users set blocked = true where id = $1', [user['id']]);
      const answer = await own.signIn(user);
      expect([answer.status, answer.body.error.message, (await own.get('/notes', jwt)).status]).toEqual([
        400,
        'Your account has been blocked by an administrator',
        401,
      ]);
    });

    it('S18 another role applies to the next request', async () => {
      const { user, jwt } = await own.withRole('manager');
      expect((await own.get('/users', jwt)).status).toBe(200);
      await own.sql(
        `update content_users set role_document_id = (select document_id from content_roles where type = 'authenticated') where id = $1`,
        [user['id']],
      );
      expect((await own.get('/users', jwt)).status).toBe(403);
    });
  });

  describe('S18 sessions', () => {
    let own: AccountsWorld;
    beforeAll(async () => {
      own = await startAccounts(adapter, { refresh: true });
    });
    afterAll(() => own.close());
    const refresh = (refreshToken: unknown) => own.post('/auth/refresh', { refreshToken });

    it('S18 a sign-out ends its session without a body', async () => {
      const first = await own.register();
      const second = (await own.signIn(first.user)).body;
      expect(
        (await own.post('/auth/logout', { refreshToken: second.refreshToken, session: 'x' }, first.jwt)).body,
      ).toEqual({ ok: true });
      expect([
        (await own.get('/notes', first.jwt)).status,
        (await refresh(first.refreshToken)).status,
      ]).toEqual([401, 401]);
      expect([
        (await own.get('/notes', second.jwt)).status,
        (await refresh(second.refreshToken)).status,
      ]).toEqual([200, 200]);
      expect((await own.post('/auth/logout', {})).status).toBe(403);
    });

    it('S18 a refresh token is valid once; a second use ends its session', async () => {
      const first = await own.register();
      const other = (await own.signIn(first.user)).body;
      const renewed = await refresh(first.refreshToken);
      expect([renewed.status, Object.keys(renewed.body)]).toEqual([200, ['jwt', 'refreshToken']]);
      expect((await refresh(first.refreshToken)).status).toBe(401);
      expect([
        (await refresh(renewed.body.refreshToken)).status,
        (await own.get('/notes', renewed.body.jwt)).status,
        (await own.get('/notes', first.jwt)).status,
      ]).toEqual([401, 401, 401]);
      expect((await own.get('/notes', other.jwt)).status).toBe(200);
      const racing = (await own.signIn(first.user)).body;
      const answers = await Promise.all(Array.from({ length: 4 }, () => refresh(racing.refreshToken)));
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    });

    it('S18 rejects refresh tokens of others and changed ones, which end no session', async () => {
      const [one, two] = [await own.register(), await own.register()];
      const [id = '', session = '', ...rest] = one.refreshToken.split('.');
      const [secret, signature = ''] = [rest.join('.'), rest[1]];
      for (const wrong of [
        `${two.user['id']}.${session}.${secret}`,
        `${id}.${session}.${two.refreshToken.split('.').slice(2).join('.')}`,
        `${id}.${session}.`,
        `${id}..${secret}`,
        `${id}.${session}.x`,
        `+${id}.${session}.${secret}x`,
        `0.${session}.${secret}`,
        `-1.${session}.${secret}`,
        `1e99.${session}.${secret}`,
        one.jwt,
        'x',
        '..',
      ]) {
        expect([wrong, (await refresh(wrong)).status]).toEqual([wrong, 401]);
      }
      expect(JSON.stringify(await own.sql('select sessions from content_users'))).not.toContain(signature);
      expect((await own.get('/users/me', one.refreshToken)).status).toBe(401);
      expect((await refresh(one.refreshToken)).status).toBe(200);
    });

    it('S18 a sign-out ends a token that is older than sessions', async () => {
      const { jwt } = await own.register();
      const { sid: _session, ...claims } = decodeJwt(jwt);
      const old = rawHmac('sha256', { alg: 'HS256', typ: 'JWT' }, claims);
      expect([
        (await own.get('/notes', old)).status,
        (await own.post('/auth/logout', {}, old)).status,
      ]).toEqual([200, 200]);
      expect((await own.get('/notes', old)).status).toBe(401);
    });

    it('S18 an expired session has ended', async () => {
      const { user, jwt, refreshToken } = await own.register();
      await own.sql(
        `update content_users set sessions = jsonb_set(sessions, '{0,expiresAt}', '"2000-01-01T00:00:00.000Z"') where id = $1`,
        [user['id']],
      );
      expect([(await own.get('/notes', jwt)).status, (await refresh(refreshToken)).status]).toEqual([
        401, 401,
      ]);
    });
  });

  it('S19 no user gets the tokens of a deleted user', async () => {
    const { jwt } = await world.withRole('manager');
    const gone = await world.register();
    const name = { username: gone.user['username'], email: gone.user['email'] };
    expect((await world.send('delete', `/users/${gone.user['id']}`, { token: jwt })).status).toBe(200);
    const again = await world.register(name);
    expect(again.user['id']).toBeGreaterThan(gone.user['id']);
    expect(again.user['documentId']).not.toBe(gone.user['documentId']);
    expect((await world.get('/users/me', gone.jwt)).status).toBe(401);
    // A new user in the same row, with the same password, does not get them either.
    await world.sql('delete from content_users where id = $1', [again.user['id']]);
    const third = await world.register(name);
    await world.sql('update content_users set id = $1 where id = $2', [gone.user['id'], third.user['id']]);
    expect([
      (await world.get('/users/me', gone.jwt)).status,
      (await world.get('/users/me', third.jwt)).status,
    ]).toEqual([401, 401]);
    // Tokens belong to this user type: documents of another collection with the same id cannot use them.
    const claims = decodeJwt(jwt);
    const token = (sub?: string) => rawHmac('sha256', { alg: 'HS256', typ: 'JWT' }, { ...claims, sub });
    expect(Object.keys(claims)).toEqual(['id', 'v', 'sub', 'iat', 'exp']);
    expect(
      await Promise.all(
        ['content-user', 'content-admin', 'api-token', undefined].map(
          async (sub) => (await world.get('/users/me', token(sub))).status,
        ),
      ),
    ).toEqual([200, 401, 401, 401]);
  });

  it('S20 accepts only tokens of the configured algorithm, key, issuer and audience, within their lifetime (19.14)', async () => {
    const own = await another({ issuer: 'https://issuer.example', audience: 'the-app' });
    const { jwt, user } = await own.register();
    const victim = await own.register();
    const claims = decodeJwt(jwt);
    const now = Math.floor(Date.now() / 1000);
    const key = new TextEncoder().encode(SECRET);
    const signed = (
      change: Record<string, unknown> = {},
      header: Record<string, unknown> = {},
      by: any = key,
    ) => {
      const payload = Object.fromEntries(
        Object.entries({ ...claims, ...change }).filter(([, value]) => value !== undefined),
      );
      return new SignJWT(payload).setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...header }).sign(by);
    };
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [head = '', body = '', signature = ''] = jwt.split('.');
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const status = async (token: string) => (await own.get('/notes', token)).status;

    expect([
      await status(jwt),
      await status(await signed()),
      await status(await signed({ exp: now + 60, iat: now })),
    ]).toEqual([200, 200, 200]);
    const refused: Record<string, string> = {
      'alg none': `${part({ alg: 'none', typ: 'JWT' })}.${body}.`,
      'alg none with a signature': `${part({ alg: 'none' })}.${body}.${signature}`,
      'alg None': `${part({ alg: 'None' })}.${body}.`,
      'no alg': `${part({ typ: 'JWT' })}.${body}.${signature}`,
      'no signature': `${head}.${body}.`,
      'HS512 with the secret': await signed({}, { alg: 'HS512' }, new TextEncoder().encode(SECRET.repeat(2))),
      'HS384 with the secret': await signed(
        {},
        { alg: 'HS384' },
        key.length >= 48 ? key : new TextEncoder().encode(SECRET.repeat(2)),
      ),
      'HS512 with the very secret': rawHmac('sha512', { alg: 'HS512', typ: 'JWT' }, claims),
      'HS384 with the very secret': rawHmac('sha384', { alg: 'HS384', typ: 'JWT' }, claims),
      'RS256 in name': rawHmac('sha256', { alg: 'RS256', typ: 'JWT' }, claims),
      'HS256 in lower case': rawHmac('sha256', { alg: 'hs256' }, claims),
      RS256: await signed({}, { alg: 'RS256' }, rsa.privateKey),
      ES256: await signed({}, { alg: 'ES256' }, ec.privateKey),
      'a key in the header': await signed(
        {},
        { alg: 'RS256', jwk: rsa.publicKey.export({ format: 'jwk' }) },
        rsa.privateKey,
      ),
      'another secret': await signed({}, {}, new TextEncoder().encode(`${SECRET}!`)),
      'an empty secret': rawHmac('sha256', { alg: 'HS256' }, claims, ''),
      'a key file': rawHmac('sha256', { alg: 'HS256', kid: '/dev/null' }, claims, ''),
      'another issuer': await signed({ iss: 'https://evil.example' }),
      'no issuer': await signed({ iss: undefined }),
      'another audience': await signed({ aud: 'another-app' }),
      'no audience': await signed({ aud: undefined }),
      'another subject': await signed({ sub: 'content-admin' }),
      'no subject': await signed({ sub: undefined }),
      expired: await signed({ exp: now - 1 }),
      'no exp': await signed({ exp: undefined }),
      'an exp of text': `${head}.${part({ ...claims, exp: '9999999999' })}.${signature}`,
      'not yet valid': await signed({ nbf: now + 600 }),
      'issued nowhen': await signed({ iat: undefined }),
      'the payload of another token': `${head}.${part({ ...claims, id: victim.user['id'] })}.${signature}`,
      'another user': await signed({ id: victim.user['id'] }),
      'an id of text': await signed({ id: String(user['id']) }),
      'an id with an operator': await signed({ id: { $gt: 0 } }),
      'no id': await signed({ id: undefined }),
      'a broken id': await signed({ id: 1.5 }),
      'another state': await signed({ v: 'x' }),
      'no state': await signed({ v: undefined }),
      'a state of another type': await signed({ v: [claims['v']] }),
      'an unknown session': await signed({ sid: 'x' }),
      'critical extensions': `${part({ alg: 'HS256', crit: ['x'], x: 1 })}.${body}.${signature}`,
      'cut off': jwt.slice(0, -2),
      'another header': `${part({ alg: 'HS256', typ: 'JWT', kid: 'x' })}.${body}.${signature}`,
      'parts swapped': `${body}.${head}.${signature}`,
      'four parts': `${jwt}.x`,
      'two parts': `${head}.${body}`,
      'the signature of another token': `${head}.${body}.${victim.jwt.split('.')[2]}`,
      'no base64': `${head}.%%%.${signature}`,
      dots: '..',
    };
    for (const [name, token] of Object.entries(refused)) {
      const answer = await own.get('/notes', token);
      expect([name, answer.status, answer.body]).toEqual([
        name,
        401,
        {
          data: null,
          error: {
            status: 401,
            name: 'UnauthorizedError',
            message: 'Missing or invalid credentials',
            details: {},
          },
        },
      ]);
    }
    // Only the header has credentials. With a token anywhere else, the caller is the public, which may read
    // notes but has no name.
    for (const headers of [
      { authorization: `Basic ${jwt}` },
      { authorization: jwt },
      { authorization: `Token ${jwt}` },
      { cookie: `jwt=${jwt}; token=${jwt}` },
      { 'x-access-token': jwt },
      { 'proxy-authorization': `Bearer ${jwt}` },
    ] as Record<string, string>[])
      expect((await own.send('get', '/users/me', { headers })).status).toBe(403);
    for (const query of [`access_token=${jwt}`, `token=${jwt}`, `jwt=${jwt}`])
      expect((await own.get(`/users/me?${query}`)).status).toBe(403);
    expect(decodeJwt(jwt).exp).toBe((claims['iat'] ?? 0) + 30 * 86_400);
  });
});

/** Builds a token with any header and key, signed by hand. */
function rawHmac(hash: string, header: object, claims: object, secret = SECRET): string {
  const text = [header, claims]
    .map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'))
    .join('.');
  return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
}
