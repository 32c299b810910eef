/** Session of an editor: sign-in, refresh with a grace, sign-out, invitations, forgotten passwords, attacks. */
import { rm } from 'node:fs/promises';
import type { INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DeskInvitations } from 'nestjs-content-api/desk';
import { ADAPTERS, type TestApp } from '../support/app.ts';
import { failure } from '../http/helpers.ts';
import { Outbox } from '../accounts/helpers.ts';
import { client, makeBuild, ROLES, startDesk } from './support.ts';

const PASSWORD = 'correct horse';
const INVALID = failure(401, 'UnauthorizedError', 'Invalid refresh token');

interface Signed {
  readonly jwt: string;
  readonly cookie: string;
  readonly header: string;
}

describe.each(ADAPTERS)('the session of the desk, on %s', (adapter) => {
  let folder: string;
  let test: TestApp;
  const outbox = new Outbox();
  let n = 0;
  beforeAll(async () => {
    folder = await makeBuild();
    test = await startDesk({
      folder,
      adapter,
      desk: { url: 'http://desk.example/desk/' },
      users: { mail: outbox, refresh: true },
      roles: { ...ROLES, chief: { '*': '*' } },
    });
  });
  afterAll(async () => {
    await test.close();
    await rm(folder, { recursive: true });
  });

  const post = (path: string, body?: object) => {
    const sent = client(test).post(`/desk/session${path}`);
    return body === undefined ? sent : sent.send(body);
  };
  const cookieIn = (headers: Readonly<Record<string, any>>): string =>
    String(headers['set-cookie']).split(';')[0] ?? '';
  const signedBy = ({ body, headers }: any): Signed => ({
    jwt: body.jwt,
    cookie: cookieIn(headers),
    header: String(headers['set-cookie']),
  });

  /** Creates a user with a role. Returns the name. */
  const user = async (role: string): Promise<string> => {
    n += 1;
    const name = `user${n}`;
    const body = { username: name, email: `${name}@example.com`, password: PASSWORD };
    await client(test).post('/api/auth/local/register').send(body).expect(200);
    await test.sql(
      `update content_users set role_document_id = (select document_id from content_roles where type = $1),
        sessions = null where username = $2`,
      [role, name],
    );
    return name;
  };
  const signIn = async (name: string): Promise<Signed> =>
    signedBy(await post('', { identifier: name, password: PASSWORD }).expect(200));
  const editor = async (): Promise<Signed> => signIn(await user('editor'));
  const refresh = (cookie: string) => post('/refresh').set('Cookie', cookie);
  const sessionsOf = async (name: string): Promise<any[]> => {
    const [row] = await test.sql('select sessions from content_users where username = $1', [name]);
    return (row?.['sessions'] as any[] | null) ?? [];
  };
  const me = async (jwt: string): Promise<number> =>
    (await client(test).get('/api/users/me').set('Authorization', `Bearer ${jwt}`)).status;
  /** Moves the last use of all sessions of a user to the past. */
  const age = (name: string, seconds: number) =>
    test.sql(
      `update content_users set sessions = (select jsonb_agg(item || jsonb_build_object('deskUsedAt',
        to_jsonb(to_char((now() - make_interval(secs => $2)) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))))
        from jsonb_array_elements(sessions) item) where username = $1`,
      [name, seconds],
    );

  describe('sign-in', () => {
    it('returns an access token of ten minutes, the user, and the refresh token in a cookie only', async () => {
      const name = await user('editor');
      const { body, headers } = await post('', { identifier: name, password: PASSWORD }).expect(200);
      expect(body).toEqual({
        jwt: expect.any(String),
        expiresIn: 600,
        user: {
          id: expect.any(Number),
          documentId: expect.any(String),
          username: name,
          email: `${name}@example.com`,
        },
      });
      const { exp, iat } = JSON.parse(Buffer.from(body.jwt.split('.')[1], 'base64url').toString());
      expect(exp - iat).toBe(600);
      expect(headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^desk-session=\d+\.[\w-]+\.0\.[\w-]{43}; Path=\/desk\/session; Max-Age=\d{7}; HttpOnly; SameSite=Strict$/,
        ),
      ]);
      expect(headers['cache-control']).toBe('no-store');
      const model = client(test).get('/desk/model');
      await model.set('Authorization', `Bearer ${body.jwt}`).expect(200);
    });

    it('opens for every role with the grant, and for no other', async () => {
      await signIn(await user('chief'));
      for (const role of ['authenticated', 'public']) {
        const name = await user(role);
        const { body, headers } = await post('', { identifier: name, password: PASSWORD }).expect(403);
        expect(body).toEqual(failure(403, 'ForbiddenError', 'Forbidden'));
        expect(headers).not.toHaveProperty('set-cookie');
        expect(await sessionsOf(name)).toEqual([]);
      }
    });

    it.each([
      [{ password: 'wrong' }, 'Invalid identifier or password'],
      [{ identifier: 'nobody' }, 'Invalid identifier or password'],
      [{ identifier: { $ne: null } }, 'identifier must be a `string` type'],
      [{ password: '' }, 'password is a required field'],
    ])('%j is a 400 without a cookie', async (change, message) => {
      const given = { identifier: await user('editor'), password: PASSWORD, ...change };
      const { body, headers } = await post('', given).expect(400);
      expect(body.error).toMatchObject({ name: 'ValidationError', message });
      expect(headers).not.toHaveProperty('set-cookie');
      expect(headers['cache-control']).toBe('no-store');
    });

    it('refuses blocked users', async () => {
      const name = await user('editor');
      await test.sql('update content_users set blocked = true where username = $1', [name]);
      const { body } = await post('', { identifier: name, password: PASSWORD }).expect(400);
      expect(body.error.message).toBe('Your account has been blocked by an administrator');
      expect(await sessionsOf(name)).toEqual([]);
    });
  });

  describe('refresh', () => {
    it('returns a new access token and rotates the cookie', async () => {
      const first = await editor();
      const second = signedBy(await refresh(first.cookie).expect(200));
      expect(second.cookie).not.toBe(first.cookie);
      expect(second.header).toMatch(/Path=\/desk\/session; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
      const third = await refresh(second.cookie).expect(200);
      expect(Object.keys(third.body)).toEqual(['jwt', 'expiresIn', 'user']);
      expect([await me(first.jwt), await me(third.body.jwt)]).toEqual([200, 200]);
    });

    it('returns the same new cookie for the same old one, in parallel and after a lost response', async () => {
      const name = await user('editor');
      const { cookie } = await signIn(name);
      const parallel = await Promise.all(Array.from({ length: 8 }, () => refresh(cookie).expect(200)));
      const later = await refresh(cookie).expect(200);
      expect(new Set([...parallel, later].map(({ headers }) => cookieIn(headers))).size).toBe(1);
      expect((await sessionsOf(name)).map(({ uses }) => uses)).toEqual([1]);
      await age(name, 8);
      await refresh(cookie).expect(200);
      await refresh(cookieIn(later.headers)).expect(200);
    });

    it('ends the session when a used cookie comes back after the grace', async () => {
      const name = await user('editor');
      const first = await signIn(name);
      const second = signedBy(await refresh(first.cookie).expect(200));
      await age(name, 11);
      const { body, headers } = await refresh(first.cookie).expect(401);
      expect(body).toEqual(INVALID);
      expect(headers['set-cookie']).toEqual([
        'desk-session=; Path=/desk/session; Max-Age=0; HttpOnly; SameSite=Strict',
      ]);
      await refresh(second.cookie).expect(401);
      expect([await me(first.jwt), await me(second.jwt), await sessionsOf(name)]).toEqual([401, 401, []]);
    });

    it('ends the session when a cookie from before the last one comes back, at any time', async () => {
      const first = await editor();
      const second = signedBy(await refresh(first.cookie).expect(200));
      const third = signedBy(await refresh(second.cookie).expect(200));
      await refresh(first.cookie).expect(401);
      await refresh(third.cookie).expect(401);
    });

    it('refuses forged, foreign and ambiguous cookies, and ends no session', async () => {
      const { cookie } = await editor();
      const other = await editor();
      const [id, session, uses, signature] = cookie.slice('desk-session='.length).split('.');
      const forged = [
        `desk-session=${id}.${session}.1.${signature}`,
        `desk-session=${id}.${session}.${uses}.${'A'.repeat(43)}`,
        `desk-session=${id}.${session}.${uses}.${other.cookie.split('.')[3]}`,
        `desk-session=${other.jwt}`,
        'desk-session=',
        `${cookie}; ${other.cookie}`,
        'other=1',
      ];
      for (const one of forged) {
        const { body, headers } = await refresh(one).expect(401);
        expect(body.error.name).toBe('UnauthorizedError');
        expect(String(headers['set-cookie'])).toContain('Max-Age=0');
      }
      await refresh(`theme=dark; ${cookie}; lang=de`).expect(200);
    });

    it('keeps sessions of the API and of the desk apart', async () => {
      const name = await user('editor');
      const desk = await signIn(name);
      const { body } = await client(test)
        .post('/api/auth/local')
        .send({ identifier: name, password: PASSWORD })
        .expect(200);
      await refresh(`desk-session=${body.refreshToken}`).expect(401);
      const token = desk.cookie.slice('desk-session='.length);
      await client(test).post('/api/auth/refresh').send({ refreshToken: token }).expect(401);
      await refresh(desk.cookie).expect(200);
      await client(test).post('/api/auth/refresh').send({ refreshToken: body.refreshToken }).expect(200);
    });

    it('reads no cookie anywhere else', async () => {
      const { cookie } = await editor();
      await client(test).get('/desk/model').set('Cookie', cookie).expect(401);
      await client(test).get('/api/notes').set('Cookie', cookie).expect(401);
    });

    it('ignores the Authorization header', async () => {
      const { cookie } = await editor();
      await refresh(cookie).set('Authorization', 'Bearer expired.or.wrong').expect(200);
    });

    it('refuses users who were blocked, and whose password or role changed', async () => {
      const changes: readonly (readonly [string, number])[] = [
        ['blocked = true', 401],
        [`password = 'x'`, 401],
        ['role_document_id = null', 403],
      ];
      for (const [change, status] of changes) {
        const name = await user('editor');
        const { cookie } = await signIn(name);
        await test.sql(`update content_users set ${change} where username = $1`, [name]);
        const { headers } = await refresh(cookie).expect(status);
        expect(String(headers['set-cookie'])).toContain('Max-Age=0');
        await refresh(cookie).expect(401);
      }
    });

    it('refuses sessions that expired', async () => {
      const name = await user('editor');
      const { cookie } = await signIn(name);
      await test.sql(
        `update content_users set sessions = jsonb_set(sessions, '{0,expiresAt}', '"2020-01-01T00:00:00.000Z"')
          where username = $1`,
        [name],
      );
      expect((await refresh(cookie).expect(401)).body).toEqual(INVALID);
    });
  });

  it('sign-out ends the session and removes the cookie', async () => {
    const name = await user('editor');
    const [first, second] = [await signIn(name), await signIn(name)];
    const out = await client(test).delete('/desk/session').set('Cookie', first.cookie).expect(204);
    expect(String(out.headers['set-cookie'])).toContain('Max-Age=0');
    await refresh(first.cookie).expect(401);
    expect([await me(first.jwt), await me(second.jwt)]).toEqual([401, 200]);
    await client(test).delete('/desk/session').expect(204);
    await client(test).delete('/desk/session').set('Cookie', 'desk-session=1.x.0.y').expect(204);
    await refresh(second.cookie).expect(200);
  });

  describe('requests of other sites', () => {
    /** Sets headers; HOST is the host of the application. */
    const headersOf = (given: object) =>
      Object.fromEntries(
        Object.entries(given).map(([key, value]) => [
          key,
          String(value).replace('HOST', new URL(test.url).host),
        ]),
      );

    it.each([
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: 'http://HOST.evil.example' },
      { Origin: 'http://127.0.0.1:1' },
      { Origin: 'file://HOST' },
      { Origin: 'http://HOST', 'Sec-Fetch-Site': 'cross-site' },
    ])('%j is a 403 on every route, and changes nothing', async (given) => {
      const { cookie } = await editor();
      const headers = headersOf(given);
      for (const path of ['', '/refresh', '/invitation', '/forgot', '/reset']) {
        const sent = await post(path, {}).set(headers).set('Cookie', cookie);
        expect([path, sent.status, sent.headers['set-cookie']]).toEqual([path, 403, undefined]);
      }
      await client(test).delete('/desk/session').set(headers).set('Cookie', cookie).expect(403);
      await refresh(cookie).expect(200);
    });

    it.each([
      { 'Sec-Fetch-Site': 'same-origin', Origin: 'http://HOST' },
      { Origin: 'https://HOST' },
      { Origin: 'http://desk.example' },
    ])('%j is the same site', async (given) => {
      const { cookie } = await editor();
      await refresh(cookie).set(headersOf(given)).expect(200);
    });

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
    ])('a body of %s is refused', async (type) => {
      const name = await user('editor');
      const body = JSON.stringify({ identifier: name, password: PASSWORD });
      const sent = await post('').set('Content-Type', type).send(body);
      expect(sent.status).toBe(415);
      expect(sent.body.error).toMatchObject({ status: 415, name: 'UnsupportedMediaTypeError' });
      expect(sent.headers).not.toHaveProperty('set-cookie');
      expect(await sessionsOf(name)).toEqual([]);
    });

    it('refuses invalid JSON in the format of all errors', async () => {
      const { body } = await post('').set('Content-Type', 'application/json').send('{"password').expect(400);
      expect(body).toMatchObject({ data: null, error: { status: 400, name: 'SyntaxError' } });
    });

    it('allows no redirect: responses have no Location, whatever the request names', async () => {
      for (const next of [
        '//evil.example',
        'https://evil.example',
        '/\\evil.example',
        'javascript:alert(1)',
      ]) {
        const query = `?next=${encodeURIComponent(next)}&url=${encodeURIComponent(next)}`;
        const name = await user('editor');
        const signed = await post(query, { identifier: name, password: PASSWORD, url: next }).expect(200);
        expect([signed.headers['location'], JSON.stringify(signed.body).includes('evil')]).toEqual([
          undefined,
          false,
        ]);
      }
    });
  });

  describe('invitations', () => {
    const invitations = (): DeskInvitations => test.app.get(DeskInvitations, { strict: false });
    const invite = async (email: string, role = 'editor') => {
      const link = await invitations().invite({ email, role });
      return { link, code: link.split('#')[1] ?? '' };
    };
    const storedOf = async (email: string): Promise<any> =>
      (await test.sql('select * from content_users where email = $1', [email]))[0];
    const newEmail = (): string => `invited${(n += 1)}@example.org`;

    it('a link sets the password and signs in, once', async () => {
      const email = newEmail();
      const { link, code } = await invite(email);
      expect(link).toMatch(/^http:\/\/desk\.example\/desk\/invitation#[\w-]{43}$/);
      expect(await storedOf(email)).toMatchObject({ confirmed: true, blocked: false, password: null });
      const { body, headers } = await post('/invitation', { code, password: PASSWORD }).expect(200);
      expect(body).toMatchObject({ expiresIn: 600, user: { email, username: email.split('@')[0] } });
      await refresh(cookieIn(headers)).expect(200);
      const again = await post('/invitation', { code, password: 'another one' }).expect(400);
      expect(again.body.error.message).toBe('Incorrect code provided');
      await post('', { identifier: email, password: PASSWORD }).expect(200);
    });

    it('of concurrent requests with one link, one succeeds', async () => {
      const { code } = await invite(newEmail());
      const sent = await Promise.all(
        ['first one', 'second one', 'third one'].map((password) => post('/invitation', { code, password })),
      );
      expect(sent.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    });

    it('a link is valid for 7 days', async () => {
      const email = newEmail();
      const { code } = await invite(email);
      const { reset_password_expires: expires } = await storedOf(email);
      const days = (new Date(expires).getTime() - Date.now()) / 86_400_000;
      expect([days > 6.99, days <= 7]).toEqual([true, true]);
      await test.sql(
        `update content_users set reset_password_expires = now() - interval '1 second' where email = $1`,
        [email],
      );
      await post('/invitation', { code, password: PASSWORD }).expect(400);
    });

    it('the password has to meet its rules, and the code stays valid until then', async () => {
      const { code } = await invite(newEmail());
      const { body } = await post('/invitation', { code, password: 'short' }).expect(400);
      expect(body.error.message).toBe('password must be at least 6 characters');
      await post('/invitation', { code }).expect(400);
      await post('/invitation', { code: { $gt: '' }, password: PASSWORD }).expect(400);
      await post('/invitation', { code, password: PASSWORD }).expect(200);
    });

    it('a new link replaces the one before', async () => {
      const email = newEmail();
      const [first, second] = [await invite(email), await invite(email)];
      await post('/invitation', { code: first.code, password: PASSWORD }).expect(400);
      await post('/invitation', { code: second.code, password: PASSWORD }).expect(200);
    });

    it('a code of a user without the grant is refused, and stays', async () => {
      const email = newEmail();
      const { code } = await invite(email);
      await test.sql('update content_users set role_document_id = null where email = $1', [email]);
      const { headers } = await post('/invitation', { code, password: PASSWORD }).expect(403);
      expect(headers).not.toHaveProperty('set-cookie');
      expect(await storedOf(email)).toMatchObject({
        password: null,
        reset_password_token: expect.any(String),
      });
    });

    it('an account that gets another role loses its password and its sessions', async () => {
      const name = await user('authenticated');
      const email = `${name}@example.com`;
      const sent = { identifier: name, password: PASSWORD };
      const { body } = await client(test).post('/api/auth/local').send(sent).expect(200);
      await expect(invitations().invite({ email })).rejects.toThrow(
        `${email} has an account that may not open the desk. Name its new role: "editor", "chief"`,
      );
      expect(await me(body.jwt)).toBe(200);
      const { code } = await invite(email);
      expect(await me(body.jwt)).toBe(401);
      await post('', sent).expect(400);
      await post('/invitation', { code, password: 'a new one' }).expect(200);
    });

    it('an editor who is invited again keeps the password until the link is used', async () => {
      const name = await user('editor');
      const { jwt } = await signIn(name);
      const link = await invitations().invite({ email: `${name}@example.com` });
      expect(await me(jwt)).toBe(200);
      await post('/invitation', { code: link.split('#')[1], password: 'a new one' }).expect(200);
      expect(await me(jwt)).toBe(401);
    });

    it('an address whose name is taken or too short gets another username', async () => {
      const name = await user('authenticated');
      for (const email of [`${name}@other.example`, 'ab@other.example']) {
        const { code } = await invite(email);
        const { body } = await post('/invitation', { code, password: PASSWORD }).expect(200);
        expect(body.user).toMatchObject({ email, username: expect.stringMatching(/^editor-[0-9a-f]{8}$/) });
      }
    });

    it.each([
      ['no address', { email: 'nobody' }, 'email must be a valid email'],
      [
        'a role without the grant',
        { role: 'authenticated' },
        'The role "authenticated" may not open the desk. Roles that may: "editor", "chief"',
      ],
      [
        'several roles',
        { role: undefined },
        'Several roles may open the desk. Name one of them: "editor", "chief"',
      ],
      ['no URL', { url: 'desk' }, 'The address of the desk is missing'],
    ])('%s is refused, and nothing is written', async (_name, change, message) => {
      const email = newEmail();
      const given = { email, role: 'editor', ...change } as { email: string; role?: string };
      await expect(invitations().invite(given)).rejects.toThrow(message);
      expect(await storedOf(email)).toBeUndefined();
    });

    it('a blocked account is refused', async () => {
      const name = await user('editor');
      await test.sql('update content_users set blocked = true where username = $1', [name]);
      await expect(invite(`${name}@example.com`)).rejects.toThrow('is blocked');
    });
  });

  describe('forgotten passwords', () => {
    it('mails a link of the configured address, whatever host the request names', async () => {
      const name = await user('editor');
      const mail = outbox.next();
      const sent = post('/forgot', { email: `${name}@example.com` });
      const { body } = await sent.set('Host', 'evil.example').expect(200);
      expect(body).toEqual({ ok: true });
      const { to, text } = await mail;
      expect(to).toBe(`${name}@example.com`);
      const [, code] = /^http:\/\/desk\.example\/desk\/reset-password#([\w-]{43})\n/.exec(text) ?? [];
      const { headers } = await post('/reset', { code, password: 'a new one' }).expect(200);
      await refresh(cookieIn(headers)).expect(200);
      await post('', { identifier: name, password: PASSWORD }).expect(400);
      await post('/reset', { code, password: 'a new one' }).expect(400);
    });

    it('the response is the same for addresses of other users and of none, which get no mail', async () => {
      const [other, own] = [await user('authenticated'), await user('editor')];
      const before = outbox.mails.length;
      for (const email of [`${other}@example.com`, 'nobody@example.com'])
        expect((await post('/forgot', { email }).expect(200)).body).toEqual({ ok: true });
      const mail = outbox.next();
      await post('/forgot', { email: `${own}@example.com` }).expect(200);
      await mail;
      expect(outbox.mails.slice(before).map(({ to }) => to)).toEqual([`${own}@example.com`]);
      await post('/forgot', { email: 'no address' }).expect(400);
    });

    it('a request for an invited address does not replace the invitation before its last hour', async () => {
      const email = 'invited@example.org';
      const invitations = test.app.get(DeskInvitations, { strict: false });
      const [, code] = (await invitations.invite({ email, role: 'editor' })).split('#');
      const own = `${await user('editor')}@example.com`;
      const mail = outbox.next();
      await client(test).post('/api/auth/forgot-password').send({ email }).expect(200);
      for (const address of [email, own])
        expect((await post('/forgot', { email: address }).expect(200)).body).toEqual({ ok: true });
      expect((await mail).to).toBe(own);
      await test.sql(
        `update content_users set reset_password_expires = now() + interval '59 minutes' where email = $1`,
        [email],
      );
      const late = outbox.next();
      await post('/forgot', { email }).expect(200);
      expect((await late).to).toBe(email);
      await post('/invitation', { code, password: PASSWORD }).expect(400);
      const [, next] = (await invitations.invite({ email, role: 'editor' })).split('#');
      await post('/forgot', { email }).expect(200);
      await post('/invitation', { code: next, password: PASSWORD }).expect(200);
    });

    it('the settings of the page tell that mail is sent', async () => {
      const { text } = await client(test).get('/desk').expect(200);
      expect(text).toContain('"forgotPassword":true');
    });
  });
});

describe.each(ADAPTERS)('the session of the desk in other applications, on %s', (adapter) => {
  let folder: string;
  beforeAll(async () => void (folder = await makeBuild()));
  afterAll(() => rm(folder, { recursive: true }));

  it('shares the limits of /api/auth', async () => {
    const test = await startDesk({ folder, adapter, users: { rateLimit: { perIdentifier: 3 } } });
    const wrong = { identifier: 'somebody', password: 'wrong' };
    await client(test).post('/api/auth/local').send(wrong).expect(400);
    await client(test).post('/desk/session').send(wrong).expect(400);
    await client(test).post('/desk/session').send(wrong).expect(400);
    const { headers } = await client(test).post('/desk/session').send(wrong).expect(429);
    expect(headers['retry-after']).toMatch(/^\d+$/);
    await client(test).post('/api/auth/local').send(wrong).expect(429);
    await test.close();
  });

  it('limits forged cookies and codes, but no valid refresh', async () => {
    const test = await startDesk({
      folder,
      adapter,
      users: { rateLimit: { perAddress: 4, perIdentifier: 3 } },
    });
    const invitations = test.app.get(DeskInvitations, { strict: false });
    const link = await invitations.invite({ email: 'me@example.org', url: 'http://a.example/desk' });
    const given = { code: link.split('#')[1], password: PASSWORD };
    const { headers } = await client(test).post('/desk/session/invitation').send(given).expect(200);
    const refresh = (cookie: string) => client(test).post('/desk/session/refresh').set('Cookie', cookie);
    let cookie = String(headers['set-cookie']).split(';')[0] ?? '';
    for (let i = 0; i < 6; i += 1)
      cookie = String((await refresh(cookie).expect(200)).headers['set-cookie']).split(';')[0] ?? '';
    for (let i = 0; i < 4; i += 1) await refresh('desk-session=1.a.0.b').expect(401);
    await refresh('desk-session=1.a.0.b').expect(429);
    await refresh(cookie).expect(200);
    for (let i = 0; i < 3; i += 1)
      await client(test).post('/desk/session/reset').send({ code: 'guess', password: PASSWORD }).expect(400);
    await client(test).post('/desk/session/reset').send({ code: 'guess', password: PASSWORD }).expect(429);
    await test.close();
  });

  it('without the option refresh, the API has no sessions and the desk has', async () => {
    const test = await startDesk({ folder, adapter, desk: { url: 'https://a.example/desk' } });
    const invitations = test.app.get(DeskInvitations, { strict: false });
    expect(await invitations.hasEditors()).toBe(false);
    const link = await invitations.invite({ email: 'me@example.org' });
    expect(await invitations.hasEditors()).toBe(true);
    const given = { code: link.split('#')[1], password: PASSWORD };
    const { headers } = await client(test).post('/desk/session/invitation').send(given).expect(200);
    // The public address has HTTPS.
    expect(String(headers['set-cookie'])).toMatch(/SameSite=Strict; Secure$/);
    const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
    const { body } = await client(test).post('/desk/session/refresh').set('Cookie', cookie).expect(200);
    await client(test).get('/api/notes').set('Authorization', `Bearer ${body.jwt}`).expect(200);
    await client(test).post('/api/auth/refresh').send({ refreshToken: cookie }).expect(404);
    await test.close();
  });

  it('the host and the protocol are those of a trusted proxy, and of no other client', async () => {
    for (const trusted of [false, true]) {
      // Fastify has the setting in its constructor only.
      if (trusted && adapter === 'fastify') continue;
      const prepare = (app: INestApplication): void =>
        void (trusted && (app as NestExpressApplication).set('trust proxy', true));
      const test = await startDesk({ folder, adapter, prepare });
      const sent = await client(test).post('/desk/session/refresh').set({
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'www.example.org',
        Origin: 'https://www.example.org',
      });
      const cookie = sent.headers['set-cookie'];
      if (trusted) expect([sent.status, String(cookie)]).toEqual([401, expect.stringMatching(/; Secure$/)]);
      else expect([sent.status, cookie]).toEqual([403, undefined]);
      await test.close();
    }
  });

  it('below a global prefix, the cookie has its path', async () => {
    const test = await startDesk({ folder, adapter, prepare: (app) => void app.setGlobalPrefix('v1/x') });
    const { headers } = await client(test).post('/v1/x/desk/session/refresh').expect(401);
    expect(String(headers['set-cookie'])).toContain('Path=/v1/x/desk/session;');
    await test.close();
  });

  it('without a sender or an address, no mail is sent, and an invitation stays valid', async () => {
    const outbox = new Outbox();
    for (const site of [{ users: { mail: outbox } }, { desk: { url: 'http://a.example/desk' } }]) {
      const test = await startDesk({ folder, adapter, ...site });
      const { text } = await client(test).get('/desk').expect(200);
      expect(text).toContain('"forgotPassword":false');
      const invitations = test.app.get(DeskInvitations, { strict: false });
      const link = await invitations.invite({ email: 'me@example.org', url: 'http://a.example/desk' });
      await client(test).post('/desk/session/forgot').send({ email: 'me@example.org' }).expect(200);
      const given = { code: link.split('#')[1], password: PASSWORD };
      await client(test).post('/desk/session/invitation').send(given).expect(200);
      expect(outbox.mails).toEqual([]);
      await test.close();
    }
  });

  it('without UsersModule or a role with the grant, no one can be invited', async () => {
    const cases: readonly (readonly [object, string])[] = [
      [{ users: null }, 'Invitations to the desk need UsersModule'],
      [{ roles: {} }, "No role may open the desk: grant desk: ['open'] to a role in access.roles"],
    ];
    for (const [site, message] of cases) {
      const test = await startDesk({ folder, adapter, ...site });
      const invitations = test.app.get(DeskInvitations, { strict: false });
      const given = { email: 'me@example.org', url: 'http://a.example/desk' };
      await expect(invitations.invite(given)).rejects.toThrow(message);
      await test.close();
    }
  });
});
