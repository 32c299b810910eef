import bcrypt from 'bcryptjs';
import { getContentToken, type ContentService } from 'nestjs-content-api';
import { UsersModule } from 'nestjs-content-api/accounts';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { contentTypes, Outbox, tokenIn, usersOptions } from './helpers.ts';

const error = (status: number, name: string, message: unknown) => ({
  data: null,
  error: { status, name, message, details: expect.anything() },
});

describe.each(adaptersFor('express'))('users on %s', (adapter) => {
  let test: TestApp;
  const outbox = new Outbox();
  let n = 0;

  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes,
        access: {
          public: { note: ['find'], topic: ['find'] },
          roles: {
            authenticated: { note: ['find', 'findOne', 'create', 'update'], topic: ['find'] },
            clerk: { user: [{ actions: ['create'], fields: ['username', 'email', 'password'] }] },
            manager: { user: '*', role: '*', note: '*', topic: '*' },
          },
        },
        imports: [UsersModule.forRoot(usersOptions(outbox, { register: { fields: ['nickname'] } }))],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const post = (path: string, body: unknown, token?: string) => {
    const request = test.http.post(`/api${path}`);
    return (token === undefined ? request : request.set('authorization', `Bearer ${token}`)).send(
      body as object,
    );
  };
  const put = (path: string, body: object, token: string) =>
    test.http.put(`/api${path}`).set('authorization', `Bearer ${token}`).send(body);
  const get = (path: string, token?: string) => {
    const request = test.http.get(`/api${path}`);
    return token === undefined ? request : request.set('authorization', `Bearer ${token}`);
  };
  const register = async (more: Record<string, unknown> = {}) => {
    n += 1;
    const { body } = await post('/auth/local/register', {
      username: `user${n}`,
      email: `User${n}@Example.com`,
      password: 'correct horse',
      ...more,
    }).expect(200);
    return body as { jwt: string; user: Record<string, any> };
  };
  const manager = async () => {
    const account = await register();
    await test.sql(
      `update content_users set role_document_id = (select document_id from content_roles where type = 'manager') where id = $1`,
      [account.user['id']],
    );
    return account;
  };

  describe('registration', () => {
    it('compares as much for an unknown name as for an account of another system', async () => {
      const stored = await bcrypt.hash('correct horse', 4);
      const { user } = await register();
      await test.sql('update content_users set password = $2 where id = $1', [user['id'], stored]);
      const compare = jest.spyOn(bcrypt, 'compare');
      const signIn = (identifier: unknown, password: string) => post('/auth/local', { identifier, password });
      for (const identifier of [user['email'], 'unknown@example.com', (await register()).user['email']])
        await signIn(identifier, 'wrong horse').expect(400);
      expect(compare.mock.calls.map(([, hash]) => hash.slice(0, 7))).toEqual(Array(3).fill('$2b$04$'));
      await signIn(user['email'], 'correct horse').expect(200);
      compare.mockRestore();
    });

    it('19.6 returns a token and the user, without private attributes', async () => {
      const { jwt, user } = await register({ nickname: 'Nick' });
      expect(Object.keys(user)).toEqual([
        'id',
        'documentId',
        'username',
        'email',
        'provider',
        'confirmed',
        'blocked',
        'nickname',
        'createdAt',
        'updatedAt',
        'publishedAt',
        'locale',
      ]);
      expect(user).toMatchObject({
        provider: 'local',
        confirmed: true,
        blocked: false,
        nickname: 'Nick',
        email: `user${n}@example.com`,
      });
      await get('/notes', jwt).expect(200);
      expect(
        await test.sql(
          `select r.type, u.password from content_users u join content_roles r on r.document_id = u.role_document_id where u.id = $1`,
          [user['id']],
        ),
      ).toEqual([{ type: 'authenticated', password: expect.stringMatching(/^\$argon2id\$/) }]);
    });

    it.each([
      ['extra keys', { confirmed: true, role: 1 }, 'ValidationError', 'Invalid parameters: confirmed, role'],
      ['an id', { id: 5 }, 'ValidationError', 'Invalid parameters: id'],
      ['a taken name', { username: 'user1' }, 'ApplicationError', 'Email or Username are already taken'],
      [
        'a taken address in another case',
        { email: 'USER1@example.COM' },
        'ApplicationError',
        'Email or Username are already taken',
      ],
      [
        'the address of another as a name',
        { username: 'user1@example.com' },
        'ApplicationError',
        'Email or Username are already taken',
      ],
      ['no address', { email: 'nobody' }, 'ValidationError', 'email must be a valid email'],
      ['a missing password', { password: undefined }, 'ValidationError', 'password is a required field'],
      [
        'a short password',
        { password: '12345' },
        'ValidationError',
        'password must be at least 6 characters',
      ],
      [
        'a long password',
        { password: 'é'.repeat(37) },
        'ValidationError',
        'Password must be less than 73 bytes',
      ],
      [
        'objects instead of strings',
        { username: { $ne: '' } },
        'ValidationError',
        'username must be a `string` type',
      ],
    ])('19.7 rejects %s', async (_name, more, name, message) => {
      await register();
      const before = await test.sql('select count(*) from content_users');
      const { body } = await post('/auth/local/register', {
        username: 'someone new',
        email: 'new@example.com',
        password: 'correct horse',
        ...more,
      }).expect(400);
      expect(body).toEqual(error(400, name, message));
      expect(await test.sql('select count(*) from content_users')).toEqual(before);
    });

    it('one of 20 concurrent registrations with one name succeeds', async () => {
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          post('/auth/local/register', {
            username: 'racer',
            email: `racer${i}@example.com`,
            password: 'correct horse',
          }),
        ),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(400)]);
    });
  });

  describe('sign-in', () => {
    it.each([
      ['name', (user: any) => user.username],
      ['address', (user: any) => user.email],
      ['address in another case', (user: any) => user.email.toUpperCase()],
    ])('19.1 by %s', async (_name, identifier) => {
      const { user } = await register();
      const { body } = await post('/auth/local', {
        identifier: identifier(user),
        password: 'correct horse',
      }).expect(200);
      expect(Object.keys(body)).toEqual(['jwt', 'user']);
      expect(body.user).toEqual(user);
    });

    it('19.2 returns the same error for an unknown name and a wrong password', async () => {
      const { user } = await register();
      const responses = [
        await post('/auth/local', { identifier: user['username'], password: 'wrong' }),
        await post('/auth/local', { identifier: 'nobody', password: 'wrong' }),
      ];
      for (const { body } of responses)
        expect(body).toEqual(error(400, 'ValidationError', 'Invalid identifier or password'));
    });

    it('19.3 names missing values', async () => {
      const { body } = await post('/auth/local', { password: 'x' }).expect(400);
      expect(body).toEqual(error(400, 'ValidationError', 'identifier is a required field'));
      const both = await post('/auth/local', {}).expect(400);
      expect(both.body.error.details.errors.map((item: any) => item.message)).toEqual([
        'identifier is a required field',
        'password is a required field',
      ]);
    });

    it('19.2 refuses the old password of another system if a new one is set during the request', async () => {
      const { user } = await register();
      const mail = outbox.next();
      await post('/auth/forgot-password', { email: user['email'] }).expect(200);
      const code = tokenIn(await mail);
      const stored = await bcrypt.hash('old password', 4);
      await test.sql('update content_users set password = $2 where id = $1', [user['id'], stored]);
      const next = { code, password: 'new password', passwordConfirmation: 'new password' };
      const matches = bcrypt.compare.bind(bcrypt);
      const change = () => post('/auth/reset-password', next).expect(200);
      const compare = jest
        .spyOn(bcrypt, 'compare')
        .mockImplementationOnce((...given) => change().then(() => matches(...given)) as never);
      const signIn = (password: string) => post('/auth/local', { identifier: user['email'], password });
      const { body } = await signIn('old password').expect(400);
      compare.mockRestore();
      expect(body).toEqual(error(400, 'ValidationError', 'Invalid identifier or password'));
      await signIn('new password').expect(200);
    });

    it('19.4 reports a blocked user', async () => {
      const { user, jwt } = await register();
      await test.sql('update content_users set blocked = true where id = $1', [user['id']]);
      const { body } = await post('/auth/local', {
        identifier: user['username'],
        password: 'correct horse',
      }).expect(400);
      expect(body).toEqual(
        error(400, 'ApplicationError', 'Your account has been blocked by an administrator'),
      );
      await get('/notes', jwt).expect(401);
    });
  });

  describe('passwords', () => {
    it('19.8 19.9 are reset with a code that is valid once', async () => {
      const { user, jwt } = await register();
      const mail = outbox.next();
      expect(
        (await post('/auth/forgot-password', { email: user['email'].toUpperCase() }).expect(200)).body,
      ).toEqual({ ok: true });
      const sent = await mail;
      expect(sent.to).toBe(user['email']);
      expect(sent.text).toContain('https://front.example/reset?code=');
      const code = tokenIn(sent);
      expect(JSON.stringify(await test.sql('select * from content_users'))).not.toContain(code);
      const mismatch = await post('/auth/reset-password', {
        code,
        password: 'new password',
        passwordConfirmation: 'other',
      }).expect(400);
      expect(mismatch.body).toEqual(error(400, 'ValidationError', 'Passwords do not match'));
      const { body } = await post('/auth/reset-password', {
        code,
        password: 'new password',
        passwordConfirmation: 'new password',
      }).expect(200);
      expect(body.user).toMatchObject({ id: user['id'] });
      await get('/notes', jwt).expect(401);
      await get('/notes', body.jwt).expect(200);
      const again = await post('/auth/reset-password', {
        code,
        password: 'new password',
        passwordConfirmation: 'new password',
      }).expect(400);
      expect(again.body).toEqual(error(400, 'ValidationError', 'Incorrect code provided'));
      await post('/auth/local', { identifier: user['username'], password: 'new password' }).expect(200);
    });

    it('19.8 returns the same response for an unknown address', async () => {
      const { body } = await post('/auth/forgot-password', { email: 'nobody@example.com' }).expect(200);
      expect(body).toEqual({ ok: true });
      await post('/auth/forgot-password', { email: 'no address' }).expect(400);
    });

    it('19.10 are changed with the current one', async () => {
      const { user, jwt } = await register();
      const change = (body: object, token?: string) =>
        post(
          '/auth/change-password',
          {
            currentPassword: 'correct horse',
            password: 'new password',
            passwordConfirmation: 'new password',
            ...body,
          },
          token,
        );
      await change({}).expect(403);
      for (const [body, message] of [
        [{ currentPassword: 'wrong' }, 'The provided current password is invalid'],
        [
          { password: 'correct horse', passwordConfirmation: 'correct horse' },
          'Your new password must be different than your current password',
        ],
        [{ passwordConfirmation: 'other' }, 'Passwords do not match'],
      ] as const)
        expect((await change(body, jwt).expect(400)).body.error.message).toBe(message);
      const { body } = await change({}, jwt).expect(200);
      await get('/users/me', jwt).expect(401);
      expect((await get('/users/me', body.jwt).expect(200)).body).toMatchObject({ id: user['id'] });
    });

    it('19.9 19.10 a new password returns no token if another one replaces it at once', async () => {
      const [first, second] = [await register(), await register()];
      const mail = outbox.next();
      await post('/auth/forgot-password', { email: second.user['email'] }).expect(200);
      const code = tokenIn(await mail);
      // Every new password is replaced before the request reads the account again.
      await test.sql(`create function replaced() returns trigger language plpgsql as
        $$ begin if new.password <> old.password then new.password := 'x'; end if; return new; end $$`);
      await test.sql(
        'create trigger replaced before update on content_users for each row execute function replaced()',
      );
      const next = { password: 'new password', passwordConfirmation: 'new password' };
      const answers = [
        await post('/auth/change-password', { currentPassword: 'correct horse', ...next }, first.jwt),
        await post('/auth/reset-password', { code, ...next }),
      ];
      await test.sql('drop function replaced cascade');
      for (const { body } of answers) expect(body).toEqual(error(403, 'ForbiddenError', 'Forbidden'));
    });
  });

  describe('/api/users', () => {
    it('19.15 me requires a user', async () => {
      const { user, jwt } = await register();
      expect((await get('/users/me', jwt).expect(200)).body).toEqual(user);
      await get('/users/me').expect(403);
      await get('/users/me', 'not.a.token').expect(401);
    });

    it('19.15 requires grants on user', async () => {
      const { jwt } = await register();
      for (const path of ['/users', '/users/count', '/users/1']) await get(path, jwt).expect(403);
      await post('/users', {}, jwt).expect(403);
    });

    it('19.15 19.16 19.17 lists, counts, creates, changes and deletes users without an envelope', async () => {
      const { jwt } = await manager();
      const created = await post(
        '/users',
        {
          username: 'made',
          email: 'Made@example.com',
          password: 'correct horse',
          role: 1,
          unknown: true,
          tokenVersion: 5,
          resetPasswordToken: 'x',
        },
        jwt,
      ).expect(201);
      expect(created.body).toMatchObject({
        username: 'made',
        email: 'made@example.com',
        role: { type: expect.any(String) },
      });
      expect(created.body.role).not.toHaveProperty('users');
      await test.sql(`insert into content_users (document_id, locale, published, created_at, updated_at, published_at, username, email)
        select 'crowd' || i, 'en', true, now(), now(), now(), 'crowd' || i, 'crowd' || i || '@example.com' from generate_series(1, 30) i on conflict do nothing`);
      const { body: everybody } = await get('/users?fields=username', jwt).expect(200);
      expect(everybody.length).toBeGreaterThan(25);
      expect((await get('/users?pagination[limit]=2', jwt).expect(200)).body).toHaveLength(2);
      const list = await get(`/users?filters[username]=made&fields=username`, jwt).expect(200);
      expect(list.body).toEqual([
        { id: created.body.id, documentId: created.body.documentId, username: 'made' },
      ]);
      expect((await get('/users/count?filters[username]=made', jwt).expect(200)).body).toBe(1);
      expect(
        (await get('/users/count?filters[username]=made&pagination[withCount]=false', jwt).expect(200)).body,
      ).toBe(1);
      expect((await get(`/users/${created.body.id}`, jwt).expect(200)).body).toMatchObject({
        username: 'made',
      });
      const changed = await test.http
        .put(`/api/users/${created.body.id}`)
        .set('authorization', `Bearer ${jwt}`)
        .send({ username: 'renamed', nope: 1 })
        .expect(200);
      expect(changed.body).toMatchObject({ id: created.body.id, username: 'renamed' });
      await post('/auth/local', { identifier: 'renamed', password: 'correct horse' }).expect(200);
      const taken = await post(
        '/users',
        { username: 'renamed', email: 'x1@example.com', password: 'correct horse' },
        jwt,
      ).expect(400);
      expect(taken.body).toEqual(error(400, 'ApplicationError', 'Username already taken'));
      const missing = await test.http
        .put('/api/users/99999')
        .set('authorization', `Bearer ${jwt}`)
        .send({ username: 'x' })
        .expect(404);
      expect(missing.body).toEqual(error(404, 'NotFoundError', 'User not found'));
      const removed = await test.http
        .delete(`/api/users/${created.body.id}`)
        .set('authorization', `Bearer ${jwt}`)
        .expect(200);
      expect(removed.body).toMatchObject({ id: created.body.id, username: 'renamed' });
      await get(`/users/${created.body.id}`, jwt).expect(404);
    });

    it('19.16 gives a new user the role of registered users, unless the request names one or none', async () => {
      const { jwt } = await manager();
      const create = async (more: object, token = jwt) => {
        n += 1;
        const person = { username: `new${n}`, email: `new${n}@example.com`, password: 'correct horse' };
        return (await post('/users', { ...person, ...more }, token).expect(201)).body;
      };
      const roleOf = async ({ id }: { id: number }) =>
        (await get(`/users/${id}?populate=role`, jwt).expect(200)).body.role?.type;
      const made = await create({});
      expect(made.role.type).toBe('authenticated');
      const { body } = await post('/auth/local', { identifier: made.email, password: 'correct horse' });
      await get('/notes', body.jwt).expect(200);
      expect(await roleOf(await create({ role: null }))).toBeUndefined();
      const [{ id } = {}] = await test.sql(`select id from content_roles where type = 'manager'`);
      expect(await roleOf(await create({ role: id }))).toBe('manager');
      // The default needs no grant on roles, nor on the attribute.
      const clerk = await register();
      await test.sql(
        `update content_users set role_document_id = (select document_id from content_roles where type = 'clerk') where id = $1`,
        [clerk.user['id']],
      );
      expect(await roleOf(await create({}, clerk.jwt))).toBe('authenticated');
    });

    it('19.17 refuses names and addresses that are too long, without normalising them', async () => {
      const { jwt } = await manager();
      const { user } = await register();
      const long = '\ufdfa'.repeat(30_000);
      const person = { username: 'lengthy', email: 'lengthy@example.com', password: 'correct horse' };
      const normalize = jest.spyOn(String.prototype, 'normalize');
      for (const [key, value] of [
        ['username', long],
        ['email', `${long}@example.com`],
      ] as const) {
        const created = await post('/users', { ...person, [key]: value }, jwt).expect(400);
        const changed = await put(`/users/${user['id']}`, { [key]: value }, jwt).expect(400);
        for (const { body } of [created, changed])
          expect(body.error.details.errors[0]).toMatchObject({
            path: [key],
            message: `${key} must be at most 255 characters`,
          });
      }
      const lengths = normalize.mock.contexts.map((text) => String(text).length);
      normalize.mockRestore();
      expect(Math.max(...lengths)).toBeLessThan(30_000);
    });

    it('D4 19.17 unmodified values void no codes and tokens, also those that no request could send', async () => {
      const { jwt } = await manager();
      const [named, other] = [await register(), await register()];
      const id = other.user['id'];
      const stored = async () =>
        (
          await test.sql(
            `select confirmation_token, reset_password_token, username, blocked from content_users where id = $1`,
            [id],
          )
        )[0];
      const imported = { confirmation_token: 'c', reset_password_token: 'r', blocked: null };
      // One name mixes scripts, the other is the address of another user.
      for (const username of ['b\u043eb', named.user['email']]) {
        await test.sql(
          `update content_users set username = $2, blocked = null, confirmation_token = 'c',
             reset_password_token = 'r', reset_password_expires = now() where id = $1`,
          [id, username],
        );
        const { body } = await get(`/users/${id}`, jwt).expect(200);
        await put(`/users/${id}`, body, jwt).expect(200);
        expect(await stored()).toEqual({ ...imported, username });
        await put(`/users/${id}`, { email: body.email.toUpperCase(), blocked: false }, jwt).expect(200);
        expect(await stored()).toEqual({ ...imported, username, blocked: false });
      }
      await get('/users/me', other.jwt).expect(200);
      await put(`/users/${id}`, { email: 'moved@example.com' }, jwt).expect(200);
      expect(await stored()).toMatchObject({ confirmation_token: null, reset_password_token: null });
    });

    it('18.13 a user who was blocked and unblocked must sign in again', async () => {
      const { jwt } = await manager();
      const other = await register();
      const set = (body: object) =>
        test.http
          .put(`/api/users/${other.user['id']}`)
          .set('authorization', `Bearer ${jwt}`)
          .send(body)
          .expect(200);
      await get('/notes', other.jwt).expect(200);
      await set({ blocked: true });
      await get('/notes', other.jwt).expect(401);
      await set({ blocked: false });
      await get('/notes', other.jwt).expect(401);
      await post('/auth/local', { identifier: other.user['username'], password: 'correct horse' }).expect(
        200,
      );
    });
  });

  describe('roles', () => {
    it('19.20 are listed, created, changed and deleted', async () => {
      const { jwt } = await manager();
      const { body } = await get('/users-permissions/roles', jwt).expect(200);
      expect(body.roles.map((role: any) => role.type)).toEqual(
        expect.arrayContaining(['authenticated', 'public', 'manager']),
      );
      expect(body.roles[0]).toEqual({
        id: expect.any(Number),
        documentId: expect.any(String),
        name: expect.any(String),
        description: expect.anything(),
        type: expect.any(String),
        createdAt: expect.anything(),
        updatedAt: expect.anything(),
        publishedAt: expect.anything(),
        nb_users: expect.any(Number),
      });
      const permissions = {
        'api::topic': {
          controllers: {
            topic: { find: { enabled: true, policy: '' }, create: { enabled: false, policy: '' } },
          },
        },
      };
      expect(
        (
          await post(
            '/users-permissions/roles',
            { name: 'Reader Of Topics', description: '', permissions },
            jwt,
          ).expect(200)
        ).body,
      ).toEqual({ ok: true });
      const role = (await get('/users-permissions/roles', jwt)).body.roles.find(
        (item: any) => item.type === 'reader-of-topics',
      );
      const shown = await get(`/users-permissions/roles/${role.id}`, jwt).expect(200);
      expect(shown.body.role.permissions['api::topic'].controllers.topic).toMatchObject({
        find: { enabled: true },
        create: { enabled: false },
      });
      const member = await register();
      await test.http
        .put(`/api/users/${member.user['id']}`)
        .set('authorization', `Bearer ${jwt}`)
        .send({ role: role.id })
        .expect(200);
      await get('/topics', member.jwt).expect(200);
      await get('/notes', member.jwt).expect(403);
      permissions['api::topic'].controllers.topic.find.enabled = false;
      await test.http
        .put(`/api/users-permissions/roles/${role.id}`)
        .set('authorization', `Bearer ${jwt}`)
        .send({ permissions })
        .expect(200);
      await get('/topics', member.jwt).expect(403);
      await test.http
        .delete(`/api/users-permissions/roles/${role.id}`)
        .set('authorization', `Bearer ${jwt}`)
        .expect(200);
      await get('/topics', member.jwt).expect(200);
      const empty = await post('/users-permissions/roles', {}, jwt).expect(400);
      expect(empty.body.error.message).toBe('Request body cannot be empty');
      const anybody = (await get('/users-permissions/roles', jwt)).body.roles.find(
        (item: any) => item.type === 'public',
      );
      const kept = await test.http
        .delete(`/api/users-permissions/roles/${anybody.id}`)
        .set('authorization', `Bearer ${jwt}`)
        .expect(400);
      expect(kept.body.error.message).toBe('Cannot delete public role');
    });

    it('19.21 permissions are those of the caller', async () => {
      const { jwt } = await register();
      const of = async (token?: string) =>
        (await get('/users-permissions/permissions', token).expect(200)).body.permissions['api::note']
          .controllers.note.create;
      expect([await of(), await of(jwt)]).toEqual([
        { enabled: false, policy: '' },
        { enabled: true, policy: '' },
      ]);
    });
  });

  describe('users as content', () => {
    it('sets the owner to the creating user, and does not let users write it', async () => {
      const { user, jwt } = await register();
      const { body } = await post('/notes', { data: { title: 't' } }, jwt).expect(201);
      expect(
        await test.sql('select author_document_id from notes where document_id = $1', [body.data.documentId]),
      ).toEqual([{ author_document_id: user['documentId'] }]);
      const other = await register();
      const refused = await post(
        '/notes',
        { data: { title: 't', author: other.user['documentId'] } },
        jwt,
      ).expect(400);
      expect(refused.body.error.message).toBe('Invalid key author');
      await test.http
        .put(`/api/notes/${body.data.documentId}`)
        .set('authorization', `Bearer ${jwt}`)
        .send({ data: { author: null } })
        .expect(400);
      const notes = test.app.get<ContentService>(getContentToken('note'));
      await notes.update(body.data.documentId, { author: other.user['documentId'] });
      expect(
        await test.sql('select author_document_id from notes where document_id = $1', [body.data.documentId]),
      ).toEqual([{ author_document_id: other.user['documentId'] }]);
    });

    it('never returns private attributes of users', async () => {
      const { jwt } = await manager();
      const { body } = await post('/notes?populate=author', { data: { title: 't' } }, jwt).expect(201);
      expect(Object.keys(body.data.author)).toEqual([
        'id',
        'documentId',
        'username',
        'email',
        'provider',
        'confirmed',
        'blocked',
        'nickname',
        'createdAt',
        'updatedAt',
        'publishedAt',
        'locale',
      ]);
      for (const key of [
        'password',
        'diary',
        'tokenVersion',
        'sessions',
        'resetPasswordToken',
        'confirmationToken',
      ]) {
        await get(`/notes?filters[author][${key}][$notNull]=true`, jwt).expect(400);
        await get(`/users?filters[${key}][$startsWith]=a`, jwt).expect(400);
        await get(`/users?sort=${key}`, jwt).expect(400);
        await get(`/users?fields=${key}`, jwt).expect(400);
      }
    });
  });
});
