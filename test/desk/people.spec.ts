/** Routes of the desk for users, roles and the caller's account: rights, invitations, sessions, attacks. */
import { rm } from 'node:fs/promises';
import type { Grants } from 'nestjs-content-api';
import { ApiTokensModule, apiTokenType, UsersModule } from 'nestjs-content-api/accounts';
import { DeskModule } from 'nestjs-content-api/desk';
import { AuditModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { SECRET } from '../accounts/helpers.ts';
import { failure } from '../http/helpers.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { client, contentTypes, makeBuild, startDesk } from './support.ts';

const PASSWORD = 'correct horse';
const OPEN = { desk: ['open'] } as const;

const ROLES: Readonly<Record<string, Grants>> = {
  chief: { '*': '*' },
  editor: { ...OPEN, note: '*' },
  customer: { note: ['find'] },
  /** May do everything with users, and give them roles. */
  manager: { ...OPEN, user: '*', role: ['find'] },
  /** May not see roles. */
  blind: { ...OPEN, user: '*' },
  /** May set passwords only. */
  resetter: { ...OPEN, user: [{ actions: ['update'], fields: ['password'] }] },
  /** May block users only. */
  blocker: { ...OPEN, user: ['find', { actions: ['update'], fields: ['blocked'] }], role: ['find'] },
};

describe.each(ADAPTERS)('people at the desk, on %s', (adapter) => {
  let folder: string;
  let test: TestApp;
  let n = 0;
  beforeAll(async () => {
    folder = await makeBuild();
    const url = 'http://desk.example/desk/';
    test = await startDesk({ folder, adapter, desk: { url }, users: { refresh: true }, roles: ROLES });
  });
  afterAll(async () => {
    await test.close();
    await rm(folder, { recursive: true });
  });

  interface Made {
    readonly name: string;
    readonly id: string;
  }
  const user = async (role: string): Promise<Made> => {
    const name = `person${(n += 1)}`;
    const body = { username: name, email: `${name}@example.com`, password: PASSWORD };
    const made = await client(test).post('/api/auth/local/register').send(body).expect(200);
    await test.sql(
      `update content_users set role_document_id = (select document_id from content_roles where type = $1),
        sessions = null where username = $2`,
      [role, name],
    );
    return { name, id: made.body.user.documentId };
  };
  const signIn = ({ name }: Pick<Made, 'name'>, password = PASSWORD) =>
    client(test).post('/desk/session').send({ identifier: name, password });
  const jwtOf = async (role: string): Promise<string> =>
    (await signIn(await user(role)).expect(200)).body.jwt;
  const as = (jwt: string, method: 'get' | 'post' | 'put' | 'delete', path: string) =>
    client(test)[method](path).set('Authorization', `Bearer ${jwt}`);
  const invite = (jwt: string, { id }: Pick<Made, 'id'>) => as(jwt, 'post', `/desk/users/${id}/invitation`);
  const roleId = async (type: string): Promise<string> =>
    (await test.sql('select document_id from content_roles where type = $1', [type]))[0]?.[
      'document_id'
    ] as string;
  const refused = failure(403, 'ForbiddenError', 'Forbidden');

  describe('the model', () => {
    const peopleOf = async (role: string): Promise<unknown> =>
      (await as(await jwtOf(role), 'get', '/desk/model').expect(200)).body.data.people;

    it.each([
      ['editor', [], []],
      ['manager', ['find', 'create', 'invite', 'changeRole', 'block', 'delete'], ['find']],
      ['blind', ['find', 'invite', 'block', 'delete'], []],
      ['blocker', ['find', 'block'], ['find']],
    ])('says what the role %s may do', async (role, users, roles) => {
      expect(await peopleOf(role)).toEqual({ users, roles, tokens: [] });
    });

    it('names the attributes of accounts and files in the language of the editor', async () => {
      const { body } = await as(await jwtOf('chief'), 'get', '/desk/model?language=de').expect(200);
      const labels = body.data.types
        .filter(({ name }: { name: string }) => ['user', 'role', 'file'].includes(name))
        .flatMap(({ attributes }: { attributes: { name: string; label: string }[] }) => attributes)
        .map(({ name, label }: { name: string; label: string }) => [name, label]);
      expect(labels).toEqual(
        expect.arrayContaining([
          ['username', 'Benutzername'],
          ['blocked', 'Gesperrt'],
          ['description', 'Beschreibung'],
          ['alternativeText', 'Alternativtext'],
        ]),
      );
    });

    it('lists API tokens, releases and the audit log only if the application serves them', async () => {
      const desk = DeskModule.forRoot();
      const users = UsersModule.forRoot({ secret: SECRET });
      const types = [...(contentTypes as []), apiTokenType];
      for (const [modules, tokens] of [
        [[], []],
        [
          [ApiTokensModule, AuditModule.forRoot(), ReleasesModule.forRoot()],
          ['find', 'create', 'update', 'delete'],
        ],
      ] as const) {
        const other = await createTestApp(
          {
            contentTypes: types,
            access: { public: { '*': '*', audit: ['open'], releases: ['open'] } },
            imports: [desk, users, ...modules],
          },
          adapter,
        );
        const { body } = await other.http.get('/desk/model').expect(200);
        expect(body.data.people.tokens).toEqual(tokens);
        expect(body.data.audit).toBe(modules.length > 0);
        expect(body.data.releases).toBe(modules.length > 0);
        await other.close();
      }
    });
  });

  describe('an invitation', () => {
    it('is a link that sets the password once', async () => {
      const jwt = await jwtOf('manager');
      const created = await as(jwt, 'post', '/api/users')
        .send({ username: 'colleague', email: 'colleague@example.com', role: await roleId('editor') })
        .expect(201);
      const { body } = await invite(jwt, { id: created.body.documentId }).expect(201);
      expect(body.data).toEqual({
        code: expect.stringMatching(/^[\w-]{43}$/),
        link: `http://desk.example/desk/invitation#${body.data.code}`,
      });
      const accept = () =>
        client(test).post('/desk/session/invitation').send({ code: body.data.code, password: PASSWORD });
      await accept().expect(200);
      await accept().expect(400);
    });

    it('replaces the one before, and does not change the role', async () => {
      const jwt = await jwtOf('manager');
      const editor = await user('editor');
      const first = (await invite(jwt, editor).expect(201)).body.data.code;
      await invite(jwt, editor).expect(201);
      const body = { code: first, password: PASSWORD };
      await client(test).post('/desk/session/invitation').send(body).expect(400);
      expect((await as(jwt, 'get', `/api/users/${editor.id}?populate=role`)).body.role.type).toBe('editor');
    });

    it('is refused for blocked users and for roles without the desk', async () => {
      const jwt = await jwtOf('manager');
      const customer = await user('customer');
      const editor = await user('editor');
      await as(jwt, 'put', `/api/users/${editor.id}`).send({ blocked: true }).expect(200);
      const resetter = await jwtOf('resetter');
      // The address is not in the message, because callers may set the password without seeing it.
      for (const [account, message] of [
        [customer, 'The role of the account may not open the desk'],
        [editor, 'The account is blocked'],
      ] as const)
        for (const caller of [jwt, resetter])
          expect((await invite(caller, account).expect(400)).body.error.message).toBe(message);
      await invite(jwt, { id: 'unknown' }).expect(404);
      await invite(jwt, { id: '%00' }).expect(400);
    });

    it('needs the permission to set the password of users', async () => {
      const chief = await user('chief');
      for (const role of ['editor', 'blocker'])
        expect((await invite(await jwtOf(role), chief).expect(403)).body).toEqual(refused);
      await client(test).post(`/desk/users/${chief.id}/invitation`).expect(401);
      expect(
        await test.sql(
          'select 1 from content_users where document_id = $1 and reset_password_token is not null',
          [chief.id],
        ),
      ).toEqual([]);
    });
  });

  describe('a user administrator', () => {
    it('cannot give a role without seeing roles, nor with other attributes only', async () => {
      const chief = await roleId('chief');
      for (const role of ['blind', 'blocker']) {
        const own = await user(role);
        const { jwt } = (await signIn(own)).body;
        const editor = await user('editor');
        for (const { id } of [own, editor])
          await as(jwt, 'put', `/api/users/${id}`).send({ role: chief }).expect(400);
        const rows = await test.sql(
          'select 1 from content_users where role_document_id = $1 and document_id = any($2)',
          [chief, [own.id, editor.id]],
        );
        expect(rows).toEqual([]);
      }
    });

    it('cannot change roles or their grants', async () => {
      const jwt = await jwtOf('manager');
      const permissions = {
        'plugin::users-permissions': { controllers: { role: { update: { enabled: true } } } },
      };
      await as(jwt, 'put', `/api/users-permissions/roles/${await roleId('manager')}`)
        .send({ permissions })
        .expect(403);
      await as(jwt, 'get', '/desk/roles').expect(403);
    });
  });

  describe('sessions', () => {
    it('of a user end, with all tokens', async () => {
      const editor = await user('editor');
      const { jwt } = (await signIn(editor)).body;
      const blocker = await jwtOf('blocker');
      await as(jwt, 'get', '/desk/model').expect(200);
      await as(blocker, 'delete', `/desk/users/${editor.id}/sessions`).expect(204);
      await as(jwt, 'get', '/desk/model').expect(401);
      await signIn(editor).expect(200);
      await as(blocker, 'delete', '/desk/users/unknown/sessions').expect(404);
      await as(await jwtOf('editor'), 'delete', `/desk/users/${editor.id}/sessions`).expect(403);
    });

    it('of the caller are listed, and end one by one', async () => {
      const editor = await user('editor');
      const own = (await signIn(editor)).body.jwt;
      const other = (await signIn(editor)).body.jwt;
      const listed = (await as(own, 'get', '/desk/account/sessions').expect(200)).body.data;
      expect(listed).toEqual(
        [true, false].map((current) => ({
          id: expect.any(String),
          createdAt: expect.any(String),
          expiresAt: expect.any(String),
          usedAt: expect.any(String),
          current,
        })),
      );
      await as(own, 'delete', `/desk/account/sessions/${listed[1].id}`).expect(204);
      await as(other, 'get', '/desk/model').expect(401);
      await as(own, 'get', '/desk/model').expect(200);
      await as(own, 'delete', `/desk/account/sessions/${listed[1].id}`).expect(404);
    });

    it('of other users are not found', async () => {
      const editor = await user('editor');
      const { jwt } = (await signIn(editor)).body;
      const [{ id }] = (await as(jwt, 'get', '/desk/account/sessions')).body.data;
      await as(await jwtOf('chief'), 'delete', `/desk/account/sessions/${id}`).expect(404);
      await as(jwt, 'get', '/desk/model').expect(200);
      await client(test).get('/desk/account/sessions').expect(403);
    });
  });

  describe("a change of one's own password", () => {
    const next = { password: 'a new password', passwordConfirmation: 'a new password' };

    it('changes by the old one, and the session goes on with a new token', async () => {
      const editor = await user('editor');
      const other = (await signIn(editor)).body.jwt;
      const { jwt } = (await signIn(editor)).body;
      const { body, headers } = await as(jwt, 'post', '/desk/session/password')
        .send({ currentPassword: PASSWORD, ...next })
        .expect(200);
      expect(Object.keys(body)).toEqual(['jwt', 'expiresIn', 'user']);
      expect(String(headers['set-cookie'])).toContain('; Path=/desk/session; ');
      await as(body.jwt, 'get', '/desk/model').expect(200);
      for (const token of [jwt, other]) await as(token, 'get', '/desk/model').expect(401);
      await signIn(editor).expect(400);
      await signIn(editor, next.password).expect(200);
    });

    it.each([
      [{ currentPassword: 'wrong', ...next }, 'The provided current password is invalid'],
      [{ currentPassword: PASSWORD, password: 'a', passwordConfirmation: 'b' }, 'Passwords do not match'],
      [{ ...next }, 'currentPassword is a required field'],
    ])('%j is a 400, and nothing changes', async (given, message) => {
      const editor = await user('editor');
      const { jwt } = (await signIn(editor)).body;
      const { body } = await as(jwt, 'post', '/desk/session/password').send(given).expect(400);
      expect(body.error.message).toBe(message);
      await as(jwt, 'get', '/desk/model').expect(200);
      await signIn(editor).expect(200);
    });

    it('stays, with all sessions, if its user has lost the desk', async () => {
      const editor = await user('editor');
      const { jwt } = (await signIn(editor)).body;
      const become = async (role: string) =>
        test.sql('update content_users set role_document_id = $1 where username = $2', [
          await roleId(role),
          editor.name,
        ]);
      await become('authenticated');
      await as(jwt, 'post', '/desk/session/password')
        .send({ currentPassword: PASSWORD, ...next })
        .expect(403);
      await become('editor');
      await as(jwt, 'get', '/desk/model').expect(200);
      await signIn(editor).expect(200);
    });

    it('needs the token of a user; the cookie alone does not count', async () => {
      const { headers } = await signIn(await user('editor'));
      const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
      const given = { currentPassword: PASSWORD, ...next };
      await client(test).post('/desk/session/password').set('Cookie', cookie).send(given).expect(403);
    });
  });

  it('refuses requests of other sites', async () => {
    const editor = await user('editor');
    const jwt = await jwtOf('chief');
    const WRITES = [
      ['post', `/desk/users/${editor.id}/invitation`],
      ['delete', `/desk/users/${editor.id}/sessions`],
      ['post', '/desk/session/password'],
      ['delete', '/desk/account/sessions/x'],
    ] as const;
    for (const [method, path] of WRITES) {
      expect((await as(jwt, method, path).set('Origin', 'https://evil.example').expect(403)).body).toEqual(
        refused,
      );
      await as(jwt, method, path).set('Sec-Fetch-Site', 'cross-site').expect(403);
    }
    await invite(jwt, editor).set('Origin', 'http://desk.example').expect(201);
  });

  describe('roles', () => {
    const namedIn = (body: any, type: string): any => body.data.find((one: any) => one.type === type);

    it('are listed with the grants of the code and of the database', async () => {
      const jwt = await jwtOf('chief');
      await as(jwt, 'post', '/api/users-permissions/roles').send({ name: 'Archivist' }).expect(200);
      const archivist = await roleId('archivist');
      const permissions = {
        'plugin::desk': { controllers: { desk: { open: { enabled: true } } } },
        'plugin::i18n': { controllers: { locales: { listLocales: { enabled: true } } } },
        'api::note': { controllers: { note: { find: { enabled: true } } } },
      };
      await as(jwt, 'put', `/api/users-permissions/roles/${archivist}`).send({ permissions }).expect(200);
      const { body } = await as(jwt, 'get', '/desk/roles').expect(200);
      expect(namedIn(body, 'archivist')).toEqual({
        id: expect.any(Number),
        documentId: archivist,
        name: 'Archivist',
        description: null,
        type: 'archivist',
        users: 0,
        inCode: {},
        stored: { desk: ['open'], locale: ['find'], note: ['find'] },
        editable: true,
      });
      expect(namedIn(body, 'editor')).toMatchObject({ inCode: ROLES['editor'], stored: {}, editable: false });
      // The grant of a stored role opens the desk.
      const member = await user('archivist');
      const model = await as((await signIn(member).expect(200)).body.jwt, 'get', '/desk/model').expect(200);
      expect(model.body.data.locales).toEqual(['en']);
      await as(jwt, 'put', `/api/users-permissions/roles/${archivist}`).send({ permissions: {} }).expect(200);
      await signIn(member).expect(403);
    });

    it.each<Grants>([
      { note: [{ actions: ['find'], fields: ['title'] }] },
      { '*': ['find'] },
      { 'content-type-builder': ['find'] },
    ])('with the stored grants %j are not editable', async (grants) => {
      const jwt = await jwtOf('chief');
      await as(jwt, 'post', '/api/users-permissions/roles')
        .send({ name: `Role ${(n += 1)}` })
        .expect(200);
      await test.sql('update content_roles set grants = $1 where type = $2', [
        JSON.stringify(grants),
        `role-${n}`,
      ]);
      const { body } = await as(jwt, 'get', '/desk/roles').expect(200);
      expect(namedIn(body, `role-${n}`)).toMatchObject({ stored: grants, editable: false });
    });
  });
});
