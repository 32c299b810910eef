/**
 * S14–S16, S21 and parts of S3, S4 and S5: known vulnerabilities of other servers, tested on the account
 * routes.
 */
import { CollectionController, ContentModule } from 'nestjs-content-api';
import { userTypes } from 'nestjs-content-api/accounts';
import { tokenIn } from '../accounts/helpers.ts';
import { snapshot } from '../http/helpers.ts';
import { adaptersFor } from '../support/adapters.ts';
import { countStatements } from '../support/app.ts';
import { expectSoon } from '../support/dose.ts';
import {
  type AccountsWorld,
  closedAfterEach,
  PASSWORD,
  startAccounts,
  type WorldOptions,
} from './accounts-world.ts';
import { startWorld } from './world.ts';

/** Attributes of a user in every response. */
const SHOWN = [
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
];
const PRIVATE = [
  'password',
  'tokenVersion',
  'sessions',
  'resetPasswordToken',
  'resetPasswordExpires',
  'confirmationToken',
  'diary',
];

/** Waits for mails that are sent in the background. */
const settle = (): Promise<unknown> => new Promise((done) => setTimeout(done, 100));

describe.each(adaptersFor('express'))('on %s', (adapter) => {
  let world: AccountsWorld;
  beforeAll(async () => {
    world = await startAccounts(adapter);
  });
  afterAll(() => world.close());

  const keep = closedAfterEach();
  const another = (...rest: WorldOptions): Promise<AccountsWorld> => keep(startAccounts(adapter, ...rest));

  it('S3 unknown parameters have no effect on the routes of users', async () => {
    // The cache decides per request which statement it sends.
    const world = await another({}, { cache: false });
    const { jwt } = await world.withRole('manager');
    const victim = await world.register();
    const run = async (path: string) => {
      let answer: unknown;
      const statements = await countStatements(async () => (answer = (await world.get(path, jwt)).body));
      return { statements, answer };
    };
    for (const path of ['/users', '/users/me', `/users/${victim.user['id']}`, '/users/count']) {
      const plain = await run(path);
      for (const name of [
        'where',
        'lookup',
        '$or',
        'having',
        'select',
        'id',
        'user',
        'role',
        'documentId',
        'data',
      ]) {
        for (const value of [
          '[resetPasswordToken][$notNull]=true',
          '[password][$startsWith]=$argon2',
          `[id]=${victim.user['id']}`,
          '=password',
        ])
          expect([name, await run(`${path}?${name}${value}`)]).toEqual([name, plain]);
      }
    }
    for (const name of ['where', 'lookup', 'having'])
      for (const place of [
        `filters[${name}][password]=x`,
        `populate[role][${name}][id]=1`,
        `populate[role][populate][${name}]=*`,
      ])
        expect((await world.get(`/users?${place}`, jwt)).status).toBe(400);
  });

  it('S4 every response with a user has the same attributes, and no private one (16.5, 19.5)', async () => {
    const manager = await world.withRole('manager');
    const { user, jwt } = await world.register();
    const token = manager.jwt;
    const users: Record<string, any> = {
      register: user,
      'sign-in': (await world.signIn(user)).body.user,
      me: (await world.get('/users/me', jwt)).body,
      one: (await world.get(`/users/${user['id']}`, token)).body,
      list: (await world.get('/users', token)).body[0],
      update: (await world.put(`/users/${user['id']}`, { nickname: 'n' }, token)).body,
      'change of password': (
        await world.post(
          '/auth/change-password',
          { currentPassword: PASSWORD, password: 'new password', passwordConfirmation: 'new password' },
          jwt,
        )
      ).body.user,
      author: (await world.post('/notes?populate=author', { data: { title: 't' } }, token)).body.data.author,
    };
    const code = await world.resetCode(user['email']);
    users['reset'] = (
      await world.post('/auth/reset-password', { code, password: PASSWORD, passwordConfirmation: PASSWORD })
    ).body.user;
    const { role } = (await world.get('/users/me?populate=*', token)).body;
    users['create'] = (
      await world.post(
        '/users',
        { username: 'made here', email: 'made@example.com', password: PASSWORD, role: role.id },
        token,
      )
    ).body;
    users['delete'] = (await world.send('delete', `/users/${users['create'].id}`, { token })).body;
    const { role: ofNew, ...created } = users['create'];
    for (const [where, shown] of Object.entries({ ...users, create: created }))
      expect([where, Object.keys(shown)]).toEqual([where, SHOWN]);
    for (const shown of [role, ofNew])
      expect(Object.keys(shown)).toEqual([
        'id',
        'documentId',
        'name',
        'description',
        'type',
        'createdAt',
        'updatedAt',
        'publishedAt',
        'locale',
      ]);
    const { token: full } = await world.tokens.create({ name: `S4 ${adapter}`, kind: 'full-access' });
    for (const path of ['/users?populate=*', '/notes?populate[author][populate]=*'])
      expect(JSON.stringify((await world.get(path, full)).body)).not.toMatch(
        /argon2|tokenVersion|sessions"|resetPassword|confirmationToken|diary|"grants"/,
      );
    for (const key of PRIVATE) {
      for (const query of [
        `filters[${key}][$notNull]=true`,
        `sort=${key}`,
        `fields=${key}`,
        `filters[role][users][${key}][$notNull]=true`,
      ])
        expect([query, (await world.get(`/users?${query}`, full)).status]).toEqual([query, 400]);
    }
  });

  it('S5 a type that the application extends keeps private attributes, and is inaccessible without a grant', async () => {
    class Mine extends CollectionController {}
    const extended = await keep(startWorld(adapter, { controllers: { article: Mine, vault: Mine } }));
    for (const path of ['articles', `articles/${extended.ids.article}`]) {
      const { status, body } = await extended.get(path, { populate: '*' });
      expect([status, JSON.stringify(body).match(/match-the|argon2|"(secret|key)"/)]).toEqual([200, null]);
    }
    expect((await extended.get('articles', { filters: { secret: { $startsWith: 'match' } } })).status).toBe(
      400,
    );
    for (const [method, path] of [
      ['post', 'articles'],
      ['put', `articles/${extended.ids.article}`],
      ['delete', `articles/${extended.ids.article}`],
      ['post', 'vaults'],
    ] as const)
      expect((await extended.send(method, path, { data: {} })).status).toBe(403);
    expect([
      (await extended.get('vaults')).status,
      (await extended.get(`vaults/${extended.ids.vault}`)).status,
    ]).toEqual([403, 403]);
    const [user] = userTypes({ nickname: { type: 'string' } });
    const isPrivate = (attribute: object): boolean => 'private' in attribute && attribute.private === true;
    expect(
      Object.entries(user.attributes)
        .filter(([, attribute]) => isPrivate(attribute))
        .map(([name]) => name),
    ).toEqual(
      ['tokenVersion', 'sessions', 'resetPasswordToken', 'confirmationToken', 'nameKey'].flatMap((name) =>
        name === 'resetPasswordToken' ? [name, 'resetPasswordExpires'] : [name],
      ),
    );
  });

  describe('S14', () => {
    const KEYS: Readonly<Record<string, unknown>> = {
      id: 1,
      documentId: 'mine',
      createdAt: '2000-01-01T00:00:00.000Z',
      updatedAt: '2000-01-01T00:00:00.000Z',
      publishedAt: null,
      locale: 'fr',
      createdBy: 1,
      updatedBy: 1,
      tokenVersion: 5,
      sessions: [],
      resetPasswordToken: 'x',
      resetPasswordExpires: '2100-01-01T00:00:00.000Z',
      confirmationToken: 'x',
      diary: 'dear',
    };
    const RIGHTS: Readonly<Record<string, unknown>> = {
      role: 1,
      roles: ['manager'],
      provider: 'github',
      confirmed: true,
      blocked: false,
      isAdmin: true,
      nickname: 'n',
      constructor: {},
      user: { role: 1 },
      data: { role: 1 },
    };

    it('S14 registration accepts only named fields', async () => {
      const before = await world.sql('select count(*) from content_users');
      for (const [key, value] of [
        ...Object.entries({ ...KEYS, ...RIGHTS }),
        ['__proto__', { role: 1 }] as const,
      ]) {
        const body = Object.fromEntries([
          ...Object.entries({ username: 'somebody', email: 'somebody@example.com', password: PASSWORD }),
          [key, value],
        ]);
        const answer = await world.post('/auth/local/register', body);
        expect([key, answer.status, key === '__proto__' || answer.body.error.message]).toEqual([
          key,
          400,
          key === '__proto__' || `Invalid parameters: ${key}`,
        ]);
      }
      expect(await world.sql('select count(*) from content_users')).toEqual(before);
      const { user } = await world.register();
      expect(
        await world.sql(
          'select r.type, u.confirmed, u.blocked, u.provider, u.token_version from content_users u join content_roles r on r.document_id = u.role_document_id where u.id = $1',
          [user['id']],
        ),
      ).toEqual([
        { type: 'authenticated', confirmed: true, blocked: false, provider: 'local', token_version: 0 },
      ]);
    });

    it('S14 POST and PUT /users accept only writable attributes', async () => {
      const { jwt } = await world.withRole('manager');
      const { user } = await world.register();
      const before = await world.row(user['id']);
      for (const [key, value] of Object.entries(KEYS)) {
        const { status } = await world.put(`/users/${user['id']}`, { [key]: value }, jwt);
        expect([key, [200, 400]]).toEqual([key, expect.arrayContaining([status])]);
        expect([key, await world.row(user['id'])]).toEqual([key, before]);
      }
      const made = await world.post(
        '/users',
        {
          username: 'made S14',
          email: 's14@example.com',
          password: PASSWORD,
          tokenVersion: 7,
          sessions: [1],
          resetPasswordToken: 'x',
          confirmationToken: 'x',
          diary: 'dear',
        },
        jwt,
      );
      expect(await world.row(made.body.id)).toMatchObject({
        token_version: 0,
        sessions: null,
        reset_password_token: null,
        confirmation_token: null,
        diary: null,
      });
    });

    it('S14 a grant on some attributes of users includes no other', async () => {
      const { jwt, user } = await world.withRole('clerk');
      const before = await world.row(user['id']);
      const count = await world.sql('select count(*) from content_users');
      for (const [key, value] of Object.entries({
        username: 'other name',
        email: 'other@example.com',
        password: 'other password',
        provider: 'github',
        confirmed: false,
        blocked: true,
        role: 1,
      })) {
        expect([key, (await world.put(`/users/${user['id']}`, { [key]: value }, jwt)).status]).toEqual([
          key,
          400,
        ]);
        expect([
          key,
          (await world.put(`/users/${user['id']}`, { nickname: 'x', [key]: value }, jwt)).status,
        ]).toEqual([key, 400]);
        expect([key, (await world.post('/users', { nickname: 'x', [key]: value }, jwt)).status]).toEqual([
          key,
          400,
        ]);
      }
      expect([await world.row(user['id']), await world.sql('select count(*) from content_users')]).toEqual([
        before,
        count,
      ]);
      expect((await world.put(`/users/${user['id']}`, { nickname: 'Nick' }, jwt)).status).toBe(200);
      // The revision is a digest of the changes.
      expect(await world.row(user['id'])).toEqual({
        ...before,
        nickname: 'Nick',
        revision: expect.any(String),
      });
      // Other users may change no user, themselves included.
      const plain = await world.register();
      for (const id of [plain.user['id'], user['id'], 'me'])
        expect((await world.put(`/users/${id}`, { nickname: 'x', role: 1 }, plain.jwt)).status).toBe(403);
    });

    it('S14 a change of password affects no other user', async () => {
      const [own, victim] = [await world.register(), await world.register()];
      const before = await world.row(victim.user['id']);
      const more = {
        id: victim.user['id'],
        userId: victim.user['id'],
        documentId: victim.user['documentId'],
        user: victim.user['id'],
        email: victim.user['email'],
        identifier: victim.user['username'],
        role: 1,
        confirmed: false,
      };
      const changed = await world.post(
        '/auth/change-password',
        {
          currentPassword: PASSWORD,
          password: 'new password',
          passwordConfirmation: 'new password',
          ...more,
        },
        own.jwt,
      );
      expect([changed.status, changed.body.user.id]).toEqual([200, own.user['id']]);
      const code = await world.resetCode(own.user['email']);
      const reset = await world.post('/auth/reset-password', {
        code,
        password: PASSWORD,
        passwordConfirmation: PASSWORD,
        ...more,
      });
      expect([reset.status, reset.body.user.id]).toEqual([200, own.user['id']]);
      expect(await world.row(victim.user['id'])).toEqual(before);
      expect(await world.row(own.user['id'])).toMatchObject({
        id: own.user['id'],
        email: own.user['email'],
        confirmed: true,
      });
    });
  });

  describe('S15', () => {
    const ODD: readonly unknown[] = [
      { $gt: 0 },
      { $ne: null },
      { $gt: '' },
      { $regex: '.*' },
      { $in: ['x'] },
      { $or: [] },
      {},
      [],
      [''],
      ['x'],
      [[]],
      [null],
      [{ $gt: 0 }],
      0,
      1,
      -1,
      true,
      false,
      null,
      { toString: 'x' },
      { length: 1 },
    ];

    it('S15 rejects values of another type on every route of sign-in, and changes nothing', async () => {
      const own = await another({ refresh: true });
      const { user, jwt, refreshToken } = await own.register();
      const { jwt: manager } = await own.withRole('manager');
      const code = await own.resetCode(user['email']);
      await own.sql(`update content_users set confirmation_token = 'x' where id = $1`, [user['id']]);
      await own.get('/users', manager); // Creates the roles.
      const before = await snapshot(own);
      const routes: readonly (readonly [string, Record<string, unknown>, string?])[] = [
        ['/auth/local', { identifier: user['username'], password: PASSWORD }],
        ['/auth/local/register', { username: 'someone', email: 'someone@example.com', password: PASSWORD }],
        ['/auth/forgot-password', { email: user['email'] }],
        ['/auth/reset-password', { code, password: 'new password', passwordConfirmation: 'new password' }],
        [
          '/auth/change-password',
          { currentPassword: PASSWORD, password: 'new password', passwordConfirmation: 'new password' },
          jwt,
        ],
        ['/auth/send-email-confirmation', { email: user['email'] }],
        ['/auth/refresh', { refreshToken }],
      ];
      for (const [path, valid, token] of routes) {
        for (const value of ODD) {
          for (const key of Object.keys(valid)) {
            const { status, body } = await own.post(path, { ...valid, [key]: value }, token);
            expect([path, key, value, status]).toEqual([path, key, value, 400]);
            expect([path, body.error.name, JSON.stringify(body)]).toEqual([
              path,
              'ValidationError',
              expect.not.stringMatching(/argon2|select|\$gt/),
            ]);
          }
          const all = await own.post(
            path,
            Object.fromEntries(Object.keys(valid).map((key) => [key, value])),
            token,
          );
          expect([path, all.status]).toEqual([path, 400]);
        }
        for (const body of [[], [valid], [[valid]], 'text', 5, null, true])
          expect([path, body, (await own.post(path, body, token)).status]).toEqual([path, body, 400]);
      }
      for (const query of [
        'confirmation[$gt]=',
        'confirmation[$ne]=x',
        'confirmation[]=x',
        'confirmation=x&confirmation=x',
        'confirmation[0]=x',
        'confirmation=',
        'confirmation',
        '',
      ]) {
        expect([query, (await own.get(`/auth/email-confirmation?${query}`)).status]).toEqual([query, 400]);
      }
      for (const key of ['username', 'email', 'password', 'provider', 'nickname']) {
        for (const value of ODD.filter((item) => item !== null && typeof item === 'object'))
          expect([
            key,
            value,
            (await own.put(`/users/${user['id']}`, { [key]: value }, manager)).status,
          ]).toEqual([key, value, 400]);
      }
      for (const value of [{ $gt: 0 }, { $set: true }, [true], [], 'yes', 2])
        for (const key of ['blocked', 'confirmed'])
          expect([
            key,
            value,
            (await own.put(`/users/${user['id']}`, { [key]: value }, manager)).status,
          ]).toEqual([key, value, 400]);
      for (const value of [
        { $gt: 0 },
        { $ne: null },
        { id: { $gt: 0 } },
        { documentId: { $gt: '' } },
        { set: { $gt: 0 } },
        { connect: [{ id: { $gt: 0 } }] },
        [[1]],
        true,
      ])
        expect([value, (await own.put(`/users/${user['id']}`, { role: value }, manager)).status]).toEqual([
          value,
          400,
        ]);
      for (const id of [
        '0',
        '-1',
        '1e0',
        '0x1',
        '01',
        '1.0',
        '1%20or%201=1',
        '$gt',
        '[object%20Object]',
        'null',
        'undefined',
        '%00',
        '99999999999999999999',
      ])
        expect([id, (await own.put(`/users/${id}`, { username: 'changed' }, manager)).status]).toEqual([
          id,
          404,
        ]);
      for (const [method, path] of [
        ['post', '/users-permissions/roles'],
        ['put', '/users-permissions/roles/1'],
      ] as const) {
        for (const body of [
          { name: { $gt: 0 } },
          { name: [] },
          { name: 5 },
          { name: 'x', type: { $ne: 1 } },
          { name: 'x', description: {} },
          { name: 'x', permissions: ['find'] },
          { name: 'x', permissions: null },
          { name: 'x', permissions: 'all' },
          [],
          null,
        ]) {
          expect([path, body, (await own.send(method, path, { body, token: manager })).status]).toEqual([
            path,
            body,
            400,
          ]);
        }
      }
      expect(await snapshot(own)).toEqual(before);
      expect(
        (
          await own.post('/auth/reset-password', {
            code,
            password: 'new password',
            passwordConfirmation: 'new password',
          })
        ).status,
      ).toBe(200);
    });
  });

  describe('S16', () => {
    const LIES = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-server': 'evil.example',
      'x-forwarded-proto': 'http',
      'x-forwarded-prefix': '/evil',
      forwarded: 'host=evil.example;proto=http',
      'x-original-url': '/evil',
      'x-rewrite-url': '/evil',
      'x-host': 'evil.example',
      origin: 'https://evil.example',
      referer: 'https://evil.example/',
    };

    it('S16 a reset goes to the stored address, with a link from the configuration', async () => {
      const { user } = await world.register({ email: 'Stored.Address@Example.com' });
      for (const email of [
        'stored.address@example.com',
        'STORED.ADDRESS@EXAMPLE.COM',
        'Stored.Address@Example.com',
      ]) {
        const mail = world.outbox.next();
        expect(
          await world.send(
            'post',
            '/auth/forgot-password?url=https://evil.example&redirect=https://evil.example',
            {
              body: {
                email,
                url: 'https://evil.example',
                resetPasswordUrl: 'https://evil.example',
                to: 'evil@evil.example',
              },
              headers: LIES,
            },
          ),
        ).toMatchObject({ status: 200, body: { ok: true } });
        const sent = await mail;
        expect(sent.to).toBe(user['email']);
        expect(sent.to).toBe('stored.address@example.com');
        expect([...sent.text.matchAll(/https?:\S+/g)].map(([link]) => link)).toEqual([
          expect.stringMatching(/^https:\/\/front\.example\/reset\?code=[\w-]{43}$/),
        ]);
        expect(JSON.stringify(sent)).not.toContain('evil');
      }
    });

    it('S16 a confirmation goes to the stored address, with a link from the configuration', async () => {
      const own = await another({ register: { confirm: true } });
      const mail = own.outbox.next();
      const made = await own.send('post', '/auth/local/register', {
        body: { username: 'new user', email: 'New@Example.com', password: PASSWORD },
        headers: LIES,
      });
      expect([made.status, Object.keys(made.body)]).toEqual([200, ['user']]);
      const again = own.outbox.next();
      await mail;
      await own.send('post', '/auth/send-email-confirmation', {
        body: { email: 'NEW@example.com' },
        headers: LIES,
      });
      const sent = await again;
      expect([sent.to, JSON.stringify(sent).includes('evil'), sent.text]).toEqual([
        'new@example.com',
        false,
        expect.stringMatching(
          /^https:\/\/api\.example\/api\/auth\/email-confirmation\?confirmation=[\w-]{43}$/,
        ),
      ]);
      expect((await own.signIn(made.body.user)).body.error.message).toBe(
        'Your account email is not confirmed',
      );
      const token = tokenIn(sent);
      expect(JSON.stringify(await own.sql('select * from content_users'))).not.toContain(token);
      const old = tokenIn(await mail);
      expect((await own.get(`/auth/email-confirmation?confirmation=${old}`)).status).toBe(400);
      const confirmed = await own.send('get', `/auth/email-confirmation?confirmation=${token}`, {
        headers: LIES,
      });
      expect([confirmed.status, confirmed.headers['location']]).toEqual([
        302,
        'https://front.example/welcome',
      ]);
      expect((await own.get(`/auth/email-confirmation?confirmation=${token}`)).status).toBe(400);
      expect((await own.signIn(made.body.user)).status).toBe(200);
    });

    it('S16 a code is valid once, for an hour, for its own user, and is stored as a hash', async () => {
      const { user } = await world.register();
      const other = await world.register();
      const otherRow = await world.row(other.user['id']);
      const reset = (code: string) =>
        world.post('/auth/reset-password', {
          code,
          password: 'new password',
          passwordConfirmation: 'new password',
        });
      const first = await world.resetCode(user['email']);
      const stored = String((await world.row(user['id']))?.['reset_password_token']);
      expect([
        first.length,
        stored.length,
        stored === first,
        JSON.stringify(await snapshotText(world)).includes(first),
      ]).toEqual([43, 43, false, false]);
      expect((await reset(stored)).status).toBe(400);
      const [{ left }] = (await world.sql(
        'select extract(epoch from reset_password_expires - now())::int as left from content_users where id = $1',
        [user['id']],
      )) as [{ left: number }];
      expect([left > 3500, left <= 3600]).toEqual([true, true]);
      const second = await world.resetCode(user['email']);
      const refused = {
        status: 400,
        body: { error: { name: 'ValidationError', message: 'Incorrect code provided' } },
      };
      expect(await reset(first)).toMatchObject(refused);
      await world.sql(
        `update content_users set reset_password_expires = now() - interval '1 second' where id = $1`,
        [user['id']],
      );
      expect(await reset(second)).toMatchObject(refused);
      await world.sql('update content_users set reset_password_expires = null where id = $1', [user['id']]);
      expect(await reset(second)).toMatchObject(refused);
      const third = await world.resetCode(user['email']);
      for (const wrong of [
        third.slice(0, -1),
        `${third}x`,
        third.toLowerCase(),
        third.toUpperCase(),
        ` ${third}`,
        `${third}\u0000`,
        '%',
      ])
        expect([wrong, (await reset(wrong)).status]).toEqual([wrong, 400]);
      expect((await world.signIn(user)).status).toBe(200);
      const answers = await Promise.all([reset(third), reset(third), reset(third)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
      expect(answers.find(({ status }) => status === 200)?.body.user.id).toBe(user['id']);
      expect(await reset(third)).toMatchObject(refused);
      expect(await world.row(user['id'])).toMatchObject({
        reset_password_token: null,
        reset_password_expires: null,
      });
      expect(await world.row(other.user['id'])).toEqual(otherRow);
    });

    it('S16 an address with similar characters is another address', async () => {
      const { user } = await world.register({ username: 'kiss', email: 'kiss.look@example.com' });
      const before = world.outbox.mails.length;
      const alike = [
        'кiss.look@example.com',
        'kıss.look@example.com',
        'kİss.look@example.com',
        'kiß.look@example.com',
        'kiss.look@exampl\u0435.com',
        'kiss.look@example.com.',
        'kiss.look+x@example.com',
        'kisslook@example.com',
        '"kiss.look"@example.com',
        ' kiss.look@example.com',
        'kiss.look@example.com ',
        'kiss.look@example.com\u0000',
        'kiss.look@example.com\n',
        'kiss.look@example.com,evil@evil.example',
        'kiss.look@example.com;evil@evil.example',
        'kiss.look@example.com%00',
        'k\u200biss.look@example.com',
        'kiss%',
        '%@example.com',
        'kiss_look@example.com',
      ];
      for (const email of alike) {
        expect([email, [200, 400]]).toEqual([
          email,
          expect.arrayContaining([(await world.post('/auth/forgot-password', { email })).status]),
        ]);
        const signed = await world.post('/auth/local', { identifier: email, password: PASSWORD });
        // Sign-in trims the identifier.
        expect([email, signed.status]).toEqual([email, email.trim() === user['email'] ? 200 : 400]);
      }
      await settle();
      expect(world.outbox.mails.slice(before)).toEqual([]);
      expect(await world.row(user['id'])).toMatchObject({ reset_password_token: null });
    });

    it('S16 a compatible spelling (NFKC) of an address finds its account; mail goes to the stored one', async () => {
      const { user } = await world.register({ username: 'kelvin', email: 'ann.ks@example.com' });
      for (const email of ['\uff41nn.ks@example.com', 'ann.\u212as@example.com', 'ann.k\u017f@example.com']) {
        const before = world.outbox.mails.length;
        const signed = await world.post('/auth/local', { identifier: email, password: PASSWORD });
        expect([email, signed.status]).toEqual([email, 200]);
        await world.post('/auth/forgot-password', { email });
        await settle();
        expect(world.outbox.mails.slice(before).map(({ to }) => to)).toEqual([user['email']]);
      }
    });

    it.each<[string, (user: Record<string, any>, jwt: string, manager: string) => Promise<unknown>]>([
      [
        'a change of password',
        (_user, jwt) =>
          world.post(
            '/auth/change-password',
            { currentPassword: PASSWORD, password: 'changed one', passwordConfirmation: 'changed one' },
            jwt,
          ),
      ],
      [
        'a password that another user sets',
        ({ id }, _jwt, manager) => world.put(`/users/${id}`, { password: 'changed one' }, manager),
      ],
      [
        'another address',
        ({ id }, _jwt, manager) => world.put(`/users/${id}`, { email: `moved${id}@example.com` }, manager),
      ],
      [
        'a block, even when it is lifted',
        async ({ id }, _jwt, manager) => {
          for (const blocked of [true, false]) await world.put(`/users/${id}`, { blocked }, manager);
        },
      ],
    ])('S16 a code is invalid after %s', async (_name, change) => {
      const { jwt: manager } = await world.withRole('manager');
      const { user, jwt } = await world.register();
      const code = await world.resetCode(user['email']);
      await change(user, jwt, manager);
      expect(
        (
          await world.post('/auth/reset-password', {
            code,
            password: 'new password',
            passwordConfirmation: 'new password',
          })
        ).status,
      ).toBe(400);
    });

    it('S16 a confirmation applies to the address that it was sent to', async () => {
      const own = await another({ register: { confirm: true } });
      const mail = own.outbox.next();
      const { user } = (
        await own.post('/auth/local/register', {
          username: 'new user',
          email: 'own@example.com',
          password: PASSWORD,
        })
      ).body;
      const token = tokenIn(await mail);
      const { token: full } = await own.tokens.create({ name: 'full', kind: 'full-access' });
      expect((await own.put(`/users/${user.id}`, { email: 'of-another@example.com' }, full)).status).toBe(
        200,
      );
      expect((await own.get(`/auth/email-confirmation?confirmation=${token}`)).status).toBe(400);
    });

    it('S16 an address that changes while a code is made gets no code', async () => {
      for (const [path, column] of [
        ['/auth/forgot-password', 'reset_password_token'],
        ['/auth/send-email-confirmation', 'confirmation_token'],
      ] as const) {
        const { user } = await world.register();
        await world.sql('update content_users set confirmed = false where id = $1', [user['id']]);
        const before = world.outbox.mails.length;
        const other = await world.connect();
        await other.query('begin');
        const moved = `moved${String(user['id'])}@example.com`;
        await other.query('update content_users set email = $2 where id = $1', [user['id'], moved]);
        expect((await world.post(path, { email: user['email'] })).status).toBe(200);
        const isWaiting = async (): Promise<number> =>
          (await world.sql(`select 1 from pg_locks where not granted`)).length;
        while ((await isWaiting()) === 0) await settle();
        await other.query('commit');
        await other.end();
        await settle();
        expect(world.outbox.mails).toHaveLength(before);
        expect((await world.row(user['id']))?.[column]).toBeNull();
      }
    });

    it('S16 a blocked user gets no mail, and cannot sign in with a code', async () => {
      const { user } = await world.register();
      const code = await world.resetCode(user['email']);
      await world.sql('update content_users set blocked = true where id = $1', [user['id']]);
      const before = world.outbox.mails.length;
      expect(await world.post('/auth/forgot-password', { email: user['email'] })).toMatchObject({
        status: 200,
        body: { ok: true },
      });
      await settle();
      expect(world.outbox.mails).toHaveLength(before);
      const answer = await world.post('/auth/reset-password', {
        code,
        password: 'new password',
        passwordConfirmation: 'new password',
      });
      expect([answer.status, JSON.stringify(answer.body).includes('jwt')]).toEqual([400, false]);
    });
  });

  describe('S21', () => {
    const LONG = 'a'.repeat(72);
    const message = /less than 73 bytes/;

    it('S21 rejects a password of more than 72 bytes on every route, and truncates none', async () => {
      const { jwt: manager } = await world.withRole('manager');
      const { user, jwt } = await world.register({ password: LONG });
      const code = await world.resetCode(user['email']);
      const before = await world.row(user['id']);
      for (const password of [
        `${LONG}x`,
        'é'.repeat(37),
        '\u{1f600}'.repeat(19),
        'a'.repeat(4096),
        'a'.repeat(40_000),
      ]) {
        const answers = [
          await world.post('/auth/local/register', {
            username: 'long one',
            email: 'long@example.com',
            password,
          }),
          await world.post('/auth/reset-password', { code, password, passwordConfirmation: password }),
          await world.post(
            '/auth/change-password',
            { currentPassword: LONG, password, passwordConfirmation: password },
            jwt,
          ),
          await world.put(`/users/${user['id']}`, { password }, manager),
          await world.post('/users', { username: 'long one', email: 'long@example.com', password }, manager),
        ];
        expect(
          answers.map(({ status, body }) => [status, body.error?.name, message.test(body.error?.message)]),
        ).toEqual(answers.map(() => [400, 'ValidationError', true]));
        for (const { body } of answers) expect(JSON.stringify(body).length).toBeLessThan(1000);
      }
      expect(await world.row(user['id'])).toEqual(before);
      expect([
        (await world.signIn(user, LONG)).status,
        (await world.signIn(user, `${LONG}x`)).status,
        (await world.signIn(user, LONG.slice(1))).status,
        (await world.signIn(user, '')).status,
      ]).toEqual([200, 400, 400, 400]);
      expect(
        (
          await world.post(
            '/auth/change-password',
            { currentPassword: `${LONG}x`, password: 'new password', passwordConfirmation: 'new password' },
            jwt,
          )
        ).status,
      ).toBe(400);
    });

    it('S21 a long password does not delay other requests', async () => {
      const { user, jwt } = await world.register();
      const time = async (work: () => Promise<unknown>): Promise<number> => {
        const start = performance.now();
        await work();
        return performance.now() - start;
      };
      const long = 'p'.repeat(4096);
      const signIns = async (password: string) =>
        Promise.all(
          Array.from({ length: 10 }, async () =>
            expect((await world.signIn(user, password)).status).toBe(400),
          ),
        );
      await signIns('short one');
      const short = await time(() => signIns('short one'));
      const longest = await time(() => signIns(long));
      expectSoon(longest, short * 5 + 2000);
      const flood = Promise.all(Array.from({ length: 20 }, () => world.signIn(user, long)));
      const meanwhile = await time(async () => expect((await world.get('/topics')).status).toBe(200));
      expectSoon(meanwhile, 2000);
      expect((await flood).map(({ status }) => status)).toEqual(Array(20).fill(400));
      expect(
        (
          await world.post(
            '/auth/change-password',
            { currentPassword: long, password: 'new password', passwordConfirmation: 'new password' },
            jwt,
          )
        ).status,
      ).toBe(400);
      expect((await world.signIn(user)).status).toBe(200);
    });
  });
});

it('S5 the application cannot make the attributes of accounts public', () => {
  const open = () =>
    ContentModule.forRoot({
      contentTypes: [...userTypes({ resetPasswordToken: { type: 'string' }, sessions: { type: 'json' } })],
      database: { clientUrl: '' },
    });
  expect(open).toThrow(/resetPasswordToken/);
});

/** Returns all stored data about users. */
const snapshotText = (world: AccountsWorld): Promise<unknown> => world.sql('select * from content_users');
